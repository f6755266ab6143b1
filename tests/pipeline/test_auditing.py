"""Auditing with sitegen's own code: history against an older copy, metrics run again, and what is no site."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sitegen.harness.revealing import reveal_protocol
from sitegen.pipeline.auditing import audit_site
from sitegen.pipeline.build import build_site
from sitegen.refusals import Misuse, Refused
from tests.audit.hidden import hidden
from tests.audit.published import files_of, resealed_lists, write
from tests.sites import make_protocol, make_run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_protocol(tmp_path / "root", "demo.v1")
    make_run(tmp_path / "root", "demo.v1", "alpha", wrong=("T-001",))
    return tmp_path / "root"


def test_it_says_what_it_looked_at(root: Path, tmp_path: Path) -> None:
    rehearsal = make_run(root, "demo.v1", "beta", channel="exploratory")
    build_site(root, tmp_path / "site")
    steps: list[str] = []
    audited = audit_site(str(tmp_path / "site"), watch=steps.append)
    assert audited.faults == ()
    assert (audited.protocols, audited.reports) == (1, 1)
    assert audited.unshown == (f"demo.v1/{rehearsal.run_id}",)
    assert "protocol demo.v1" in steps


def test_a_site_that_forgot_a_run_fails_against_its_older_copy(root: Path, tmp_path: Path) -> None:
    loser = make_run(root, "demo.v1", "beta", wrong=[f"T-{i:03}" for i in range(1, 19)])
    build_site(root, tmp_path / "old")
    shutil.rmtree(root / "reports" / "demo.v1" / loser.run_id)
    for event in (root / "reports" / "demo.v1" / "ledger").iterdir():
        if loser.run_id in event.read_text():
            event.unlink()
    build_site(root, tmp_path / "new")
    assert audit_site(str(tmp_path / "new")).faults == ()
    found = {fault.slug for fault in audit_site(str(tmp_path / "new"), str(tmp_path / "old")).faults}
    assert found == {"history-removed", "ledger-shortened"}
    assert audit_site(str(tmp_path / "old"), str(tmp_path / "old")).faults == ()


METRIC = '''"""Passes what is longer than two characters: a metric that sitegen does not ship."""


def score(result: str, oracle_path: str) -> dict[str, object]:
    return {"pass": len(result) > 2, "metric": "long"}
'''


def test_a_metric_that_is_not_shipped_is_run_again_only_when_asked(tmp_path: Path) -> None:
    make_protocol(tmp_path / "root", "demo.v1", metric=METRIC)
    long = {f"T-{i:03}": "long enough" for i in range(1, 16)}
    make_run(tmp_path / "root", "demo.v1", "alpha", answers={**long, "NP-FAIL": None})
    build_site(tmp_path / "root", tmp_path / "site")
    assert audit_site(str(tmp_path / "site"), rescore=True).faults == ()
    with pytest.raises(Misuse, match="folder"):
        audit_site("http://127.0.0.1:9/", rescore=True)


def test_what_is_no_site_is_refused(tmp_path: Path) -> None:
    for where in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(Refused):
            audit_site(str(where))


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("index.html", b"</main>", b"<![x[y]]></main>"),
        ("data/reports.json", b'"demo.v1"', b"1"),
        ("data/reports.json", b'"k":', b'"j":'),
    ],
)
def test_a_dishonest_page_is_a_fault(path: str, old: bytes, new: bytes, root: Path, tmp_path: Path) -> None:
    """The lists of the site are right: only what the page says is not what the evidence gives."""
    build_site(root, tmp_path / "site")

    def change(files: dict[str, bytes]) -> None:
        assert old in files[path]
        files[path] = files[path].replace(old, new)

    write(resealed_lists(files_of(tmp_path / "site"), change), tmp_path / "site")
    assert {fault.slug for fault in audit_site(str(tmp_path / "site")).faults} == {"page-number"}


@pytest.mark.parametrize("listing", [b"no list\n", b"no line feed", b"0" * 64 + b"  \xff\n", b"twice"])
def test_an_older_copy_whose_commitments_are_no_list_is_a_fault(listing: bytes, tmp_path: Path) -> None:
    hidden(tmp_path / "root", "outcomes")
    build_site(tmp_path / "root", tmp_path / "old")
    reveal_protocol(tmp_path / "root", "demo.v1")
    build_site(tmp_path / "root", tmp_path / "new")
    path = "evidence/demo.v1/commitments.sums"

    def change(files: dict[str, bytes]) -> None:
        first = files[path].splitlines(keepends=True)[0]
        files[path] = first + files[path] if listing == b"twice" else listing

    write(resealed_lists(files_of(tmp_path / "old"), change), tmp_path / "old")
    faults = audit_site(str(tmp_path / "new"), str(tmp_path / "old")).faults
    assert [(fault.slug, fault.file, fault.expected) for fault in faults] == [
        ("evidence-commitment", path, "sha256sum lines")
    ]
    (tmp_path / "root/protocols/demo.v1/revealed.yaml").unlink()
    with pytest.raises(Refused) as caught:
        reveal_protocol(tmp_path / "root", "demo.v1", str(tmp_path / "old"))
    assert [(fault.slug, fault.file) for fault in caught.value.refusals] == [("evidence-commitment", path)]


@pytest.mark.parametrize("where", ["http://[bad", "http://[::1", "a\0b", "ftp://a.example/"])
def test_a_place_that_is_none_is_refused(where: str, root: Path, tmp_path: Path) -> None:
    build_site(root, tmp_path / "site")
    for given in ((where,), (str(tmp_path / "site"), where)):
        with pytest.raises(Refused) as caught:
            audit_site(*given)
        assert {fault.slug for fault in caught.value.refusals} <= {"file-missing", "history-unreadable"}
