"""A site may not forget: what the last published one knew is there, equal, or withdrawn with a record."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.records import withdraw
from sitegen.harness.revealing import reveal_protocol
from sitegen.pipeline.auditing import audit_site
from sitegen.pipeline.build import build_site
from sitegen.read.ledger import Ledger
from sitegen.read.published import PublishedFile, PublishedHistory, Site, read_history
from sitegen.refusals import Refusal, Refused
from sitegen.verify.history import find_history_faults, published_standing, standing_of
from sitegen.verify.verified import RefusedRun, VerifiedUnit
from tests.audit.hidden import hidden
from tests.sites import judge, make_protocol, make_run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    make_protocol(folder, "demo.v1")
    make_run(folder, "demo.v1", "alpha", wrong=("T-001",))
    make_run(folder, "demo.v1", "beta", wrong=("T-001", "T-002"))
    return folder


@pytest.fixture
def old(root: Path, tmp_path: Path) -> Path:
    build_site(root, tmp_path / "old")
    return tmp_path / "old"


def slugs(old: Path, root: Path, *protocol_ids: str) -> list[str]:
    standings = [standing_of(judge(root, protocol_id)) for protocol_id in protocol_ids or ("demo.v1",)]
    return sorted(refusal.slug for refusal in find_history_faults(read_history(str(old)), standings))


def losing_run(root: Path) -> Path:
    return next(path for path in (root / "reports" / "demo.v1").iterdir() if "beta" in path.name)


def events_of(root: Path, text: str) -> list[Path]:
    return [path for path in (root / "reports/demo.v1/ledger").iterdir() if text in path.read_text()]


def test_the_same_inputs_have_the_same_history(old: Path, root: Path) -> None:
    assert slugs(old, root) == []


def test_new_runs_are_no_fault_and_old_starts_are_witnessed(old: Path, root: Path) -> None:
    before = read_history(str(old)).all_events
    closed = make_run(root, "demo.v1", "gamma")
    assert slugs(old, root) == []
    starts = {event.run_id: digest for digest, event in judge(root, "demo.v1").ledger.of("start")}
    assert starts[losing_run(root).name] in before
    assert starts[closed.run_id] not in before


def test_a_losing_run_cannot_be_deleted(old: Path, root: Path) -> None:
    """Not with its ledger's events, and not by leaving them."""
    run = losing_run(root)
    shutil.rmtree(run)
    assert judge(root, "demo.v1").all_refusals[0].slug == "ledger-unpublished"
    for event in events_of(root, run.name):
        event.unlink()
    assert judge(root, "demo.v1").all_refusals == []  # the chain alone cannot show a tip that was cut
    assert slugs(old, root) == ["history-removed", "ledger-shortened"]


def test_a_history_of_its_own_is_a_fork(old: Path, root: Path) -> None:
    run = losing_run(root)
    shutil.rmtree(run)
    for event in events_of(root, run.name):
        event.unlink()
    make_run(root, "demo.v1", "beta")
    assert slugs(old, root) == ["history-removed", "ledger-forked"]


def test_a_withdrawn_run_may_go_and_its_record_may_not(old: Path, root: Path, tmp_path: Path) -> None:
    run = losing_run(root)
    withdraw(root, run.name, "the wrong model was served")
    assert slugs(old, root) == []
    build_site(root, tmp_path / "later")
    (record,) = events_of(root, "withdraw")
    record.unlink()
    assert "ledger-shortened" in slugs(tmp_path / "later", root)


def test_a_withdrawn_protocol_keeps_its_record(old: Path, root: Path) -> None:
    runs = {report.run_id for report in judge(root, "demo.v1").reports}
    withdraw(root, "demo.v1", "an oracle is wrong")
    assert standing_of(judge(root, "demo.v1")).withdrawn == runs
    assert slugs(old, root) == []
    build_site(root, old.parent / "later", previous=str(old))
    assert audit_site(str(old.parent / "later"), previous=str(old)).faults == ()


def test_a_protocol_cannot_disappear(old: Path, root: Path) -> None:
    make_protocol(root, "other.v1")
    assert slugs(old, root, "other.v1") == ["history-removed"]


def test_an_id_cannot_be_sealed_again(old: Path, root: Path) -> None:
    shutil.rmtree(root / "protocols")
    shutil.rmtree(root / "reports")
    make_protocol(root, "demo.v1", ordinary=21)
    assert slugs(old, root) == ["history-removed", "history-removed", "ledger-forked", "protocol-id-resealed"]


def test_a_report_cannot_change_under_its_id(old: Path, root: Path) -> None:
    standing = standing_of(judge(root, "demo.v1"))
    run_id = losing_run(root).name
    changed = dataclasses.replace(standing, reports={**standing.reports, run_id: "0" * 64})
    (refusal,) = find_history_faults(read_history(str(old)), [changed])
    assert (refusal.slug, refusal.found) == ("history-changed", "0" * 64)
    assert refusal.expected == standing.reports[run_id]


@pytest.mark.parametrize("name", ["SHA256SUMS", "site.json"])
def test_a_site_that_is_not_whole_says_nothing(old: Path, name: str) -> None:
    data = (old / name).read_bytes()
    (old / name).write_bytes(data.replace(b"0", b"1", 1))
    with pytest.raises(Refused) as refused:
        read_history(str(old))
    assert [refusal.slug for refusal in refused.value.refusals] == ["history-unreadable"]


def test_no_site_is_no_history(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        read_history(str(tmp_path / "nowhere"))
    assert refused.value.refusals[0].slug == "history-unreadable"


EVENT, OTHER = "3" * 64, "4" * 64
NOTHING = published_standing("demo.v1", Ledger(events={}), {})
"""What stands of a protocol of which nothing is left, not even the seal."""


def published(
    *heads: str, events: Iterable[str] = (), files: Iterable[PublishedFile] = (), **known: Any
) -> PublishedHistory:
    """What a site knew of demo.v1."""
    of: dict[str, Any] = {"protocols": {}, "reports": {}, "withdrawn": {}, "heads": {"demo.v1": heads}, **known}
    site = Site(schema="agent-bench-site/v1", tool="x", files=tuple(files), **of)
    return PublishedHistory(where="x", site=site, events={"demo.v1": frozenset(events)})


@pytest.mark.parametrize(("now", "slugs"), [("1" * 64, []), (None, []), ("2" * 64, ["history-changed"])])
def test_what_was_committed_to_stays_or_was_revealed(now: str | None, slugs: list[str]) -> None:
    listed = PublishedFile(path="evidence/demo.v1/commitments.sums", size=1, sha256="1" * 64)
    found = find_history_faults(published(files=[listed]), [dataclasses.replace(NOTHING, commitments=now)])
    assert [refusal.slug for refusal in found] == slugs


def test_what_was_revealed_is_committed_to_no_longer(tmp_path: Path) -> None:
    hidden(tmp_path, "outcomes")
    unit = judge(tmp_path, "demo.v1")
    assert unit.protocol is not None
    assert standing_of(unit).commitments == unit.protocol.sources["commitments.sums"].sha256
    reveal_protocol(tmp_path, "demo.v1")
    assert standing_of(judge(tmp_path, "demo.v1")).commitments is None


def test_an_id_that_was_not_sealed_before_may_be_sealed(root: Path) -> None:
    """The last site listed its draft, which has no identity."""
    assert find_history_faults(published(), [standing_of(judge(root, "demo.v1"))]) == []


def test_a_seal_that_is_gone_is_an_event_that_is_gone() -> None:
    history = published(EVENT, events=[EVENT], protocols={"demo.v1": "1" * 64})
    assert [refusal.slug for refusal in find_history_faults(history, [NOTHING])] == ["ledger-shortened"]


def test_of_two_heads_the_one_that_is_gone_is_named() -> None:
    left = dataclasses.replace(NOTHING, events=frozenset([OTHER]))
    (refusal,) = find_history_faults(published(EVENT, OTHER, events=[EVENT, OTHER]), [left])
    assert (refusal.slug, refusal.expected) == ("ledger-shortened", EVENT)
    assert refusal.hint == "1 published events are not in the ledger"


@pytest.mark.parametrize(
    ("reason", "slugs"),
    [
        ("run-open", ["history-removed"]),
        ("channel-exploratory", ["history-removed"]),
        ("report-withdrawn", ["history-removed"]),  # by the reason alone, without a record in the ledger
        ("evidence-mismatch", []),  # which stands in the way of publishing by itself
    ],
)
def test_a_published_report_does_not_go_for_an_honest_reason(reason: str, slugs: list[str]) -> None:
    refusals = (Refusal(slug=reason, file="x"),)
    run = RefusedRun(protocol_id="demo.v1", run_id="run-1", route=None, refusals=refusals)
    unit = VerifiedUnit(
        protocol_id="demo.v1", protocol=None, reports=(), refused=(run,), refusals=(), ledger=Ledger(events={}),
        ledger_files={},
    )  # fmt: skip
    found = find_history_faults(published(reports={"demo.v1": {"run-1": "5" * 64}}), [standing_of(unit)])
    assert [refusal.slug for refusal in found] == slugs
