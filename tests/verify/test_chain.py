"""The ledger's graph: whole, in order, and merging without a conflict where two people add runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main
from sitegen.digests import sha256
from sitegen.read.ledger import Event, Ledger, event_bytes
from sitegen.verify.chain import find_chain_faults, histories_of
from tests.pace import least_seconds
from tests.sites import judge, make_protocol, make_run

IDENTITY = "0" * 64
RUN = {"manifest_sha256": "1" * 64, "solver_sha256": "2" * 64, "channel": "scored", "run_id": "run-1"}


class Book:
    """A ledger that is written event by event."""

    def __init__(self) -> None:
        self.events: dict[str, Event] = {}
        self.minute = 0

    def add(self, event: str, parents: list[str] | None = None, **fields: Any) -> str:
        self.minute += 1
        given = {"protocol_sha256": IDENTITY, "time": f"2026-11-30T09:{self.minute % 60:02}:00Z", **fields}
        heads = Ledger(events=self.events).heads if parents is None else tuple(parents)
        made = Event(event=event, parents=heads, **given)  # type: ignore[arg-type]
        digest = sha256(event_bytes(made))
        self.events[digest] = made
        return digest

    @property
    def slugs(self) -> list[str]:
        return [fault.slug for fault in find_chain_faults("demo.v1", Ledger(events=self.events))]


@pytest.fixture
def book() -> Book:
    made = Book()
    made.seal = made.add("seal")  # type: ignore[attr-defined]
    return made


def test_a_seal_a_start_and_an_end_are_whole(book: Book) -> None:
    book.add("start", **RUN)
    book.add("end", run_id="run-1", reason="gone")
    assert book.slugs == []


def test_a_parent_that_is_gone_is_missed(book: Book) -> None:
    start = book.add("start", **RUN)
    book.add("end", run_id="run-1", reason="gone")
    del book.events[start]
    assert "ledger-broken" in book.slugs


def test_a_run_has_one_start_and_one_end(book: Book) -> None:
    book.add("start", **RUN)
    book.add("start", **RUN)
    assert book.slugs == ["ledger-broken"]
    book.add("end", run_id="run-1", reason="gone")
    book.add("end", run_id="run-1", reason="gone again")
    assert book.slugs == ["ledger-broken"] * 2


def test_a_start_descends_from_the_seal_of_its_own_protocol(book: Book) -> None:
    book.add("start", parents=[], **RUN)
    assert book.slugs == ["seal-after-run"]


def test_a_start_of_another_identity_has_no_seal(book: Book) -> None:
    book.add("start", **{**RUN, "protocol_sha256": "9" * 64})
    assert book.slugs == ["seal-after-run"]


def test_two_seals_of_other_bytes_share_no_id(book: Book) -> None:
    book.add("seal", protocol_sha256="9" * 64)
    assert book.slugs == ["protocol-id-reused"]


def test_two_seals_of_the_same_bytes_are_one(book: Book) -> None:
    """Two people may seal the same exam on two branches."""
    book.add("seal", parents=[], time="2026-11-30T10:00:00Z")
    book.add("start", **RUN)
    assert book.slugs == []


@pytest.mark.parametrize("kind", ["end", "withdraw"])
def test_what_closes_a_run_descends_from_its_start(kind: str, book: Book) -> None:
    book.add(kind, run_id="run-1", reason="x")
    assert book.slugs == ["ledger-broken"]
    book.add("start", **RUN)
    assert book.slugs == ["ledger-broken"]


def test_the_withdrawal_of_a_protocol_needs_no_run(book: Book) -> None:
    book.add("withdraw", reason="a wrong oracle")
    assert book.slugs == []


def test_an_end_is_not_before_its_start(book: Book) -> None:
    book.add("start", **RUN)
    book.add("end", run_id="run-1", reason="gone", time="2026-11-30T08:00:00Z")
    assert book.slugs == ["time-order"]


@pytest.mark.parametrize("name", ["manifest_sha256", "solver_sha256", "protocol_sha256"])
def test_an_end_says_what_its_start_said(name: str, book: Book) -> None:
    book.add("start", **RUN)
    book.add("end", run_id="run-1", reason="gone", **{name: "8" * 64})
    assert "ledger-broken" in book.slugs


def test_a_history_has_the_first_of_each_kind(book: Book) -> None:
    start = book.add("start", **RUN)
    end = book.add("end", run_id="run-1", reason="gone")
    book.add("end", run_id="run-1", reason="again")
    withdrawal = book.add("withdraw", run_id="run-1", reason="x")
    (history,) = histories_of(Ledger(events=book.events)).values()
    assert [digest for digest, _ in history.events] == [start, end, withdrawal]


def test_a_run_may_be_withdrawn_twice(book: Book) -> None:
    """Two people may withdraw the same report on two branches."""
    book.add("start", **RUN)
    book.add("withdraw", run_id="run-1", reason="x")
    book.add("withdraw", run_id="run-1", reason="y")
    assert book.slugs == []


def test_the_end_of_a_run_that_was_scored_again_descends_from_the_seal(book: Book) -> None:
    """It is how the run entered this ledger."""
    rescored = {"run_id": "run-1", "reason": "x", "start_sha256": "7" * 64}
    book.add("end", parents=[], **rescored)
    assert book.slugs == ["seal-after-run"]
    book.events.popitem()
    book.add("end", **rescored)
    assert book.slugs == []


def test_only_what_was_started_elsewhere_was_scored_again(book: Book) -> None:
    elsewhere = {"reason": "x", "start_sha256": "7" * 64}
    scored = book.add("end", run_id="run-1", **elsewhere)
    book.add("end", run_id="run-2", reason="x")
    start = book.add("start", **{**RUN, "run_id": "run-3"})
    book.add("end", run_id="run-3", **elsewhere)
    histories = histories_of(Ledger(events=book.events))
    assert [history.rescored for history in histories.values()] == [True, False, False]
    begun = [history.begun and history.begun[0] for history in histories.values()]
    assert begun == [scored, None, start]
    assert [len(history.events) for history in histories.values()] == [1, 1, 2]


def test_a_withdrawal_is_no_start_elsewhere(book: Book) -> None:
    book.add("withdraw", run_id="run-1", reason="x", start_sha256="7" * 64)
    assert book.slugs == ["ledger-broken"]


def test_a_long_ledger_is_checked_in_linear_time(book: Book) -> None:
    """A team's years of runs: walking back from every start to the seal would take minutes."""
    head = [book.seal]  # type: ignore[attr-defined]
    for number in range(4000):
        run = f"run-{number}"
        head = [book.add("start", parents=head, time="2026-11-30T10:00:00Z", **{**RUN, "run_id": run})]
        head = [book.add("end", parents=head, run_id=run, reason="x", time="2026-11-30T10:00:00Z")]
    assert least_seconds(2, lambda: book.slugs) < 2
    assert book.slugs == []


def git(folder: Path, *arguments: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-c", "user.name=x", "-c", "user.email=x", *arguments]
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True, timeout=60)


def test_two_branches_that_each_add_a_run_merge_without_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The events name the heads of their own branch; after the merge both are heads, and the next event joins them."""
    make_protocol(tmp_path, ordinary=3, negative=1)
    git(tmp_path, "init", "--initial-branch=main")
    git(tmp_path, "add", "protocols", "reports")
    git(tmp_path, "commit", "-m", "seal")
    for name in ("ann", "ben"):
        git(tmp_path, "switch", "--create", name, "main")
        make_run(tmp_path, "demo.v1", name, wrong=("T-001",) if name == "ben" else ())
        git(tmp_path, "add", "reports")
        git(tmp_path, "commit", "-m", name)
    git(tmp_path, "switch", "main")
    git(tmp_path, "merge", "ann")
    git(tmp_path, "merge", "-m", "both", "ben")
    unit = judge(tmp_path, "demo.v1")
    assert {report.manifest.route for report in unit.reports} == {"ann-1.0", "ben-1.0"}
    assert len(unit.ledger.heads) == 2
    monkeypatch.chdir(tmp_path)
    assert main(["verify", "--quiet"]) == 0
    make_run(tmp_path, "demo.v1", "cleo")
    assert len(judge(tmp_path, "demo.v1").ledger.heads) == 1
    assert main(["verify", "--quiet"]) == 0
