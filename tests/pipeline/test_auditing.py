"""Auditing with sitegen's own code: history against an older copy, metrics run again, and what is no site."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sitegen.pipeline.auditing import audit_site
from sitegen.pipeline.build import build_site
from sitegen.refusals import Misuse, Refused
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
