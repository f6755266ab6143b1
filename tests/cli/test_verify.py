"""`sitegen verify`: every refusal of what was named, and nothing that was named is passed over."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main
from tests.corpus_builder.site import Site
from tests.sites import make_protocol, make_run


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    root = tmp_path / "site"
    make_protocol(root, ordinary=3, negative=1)
    make_run(root, "demo.v1")
    monkeypatch.chdir(root)
    return Site(root)


def test_what_holds_is_said_and_the_exit_is_fine(site: Site, capsys: Any) -> None:
    assert main(["verify"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert said.out == f"holds    demo.v1/{site.run.name}\n1 report holds; 0 faults, 0 recorded\n"
    for quiet in (["--quiet"], ["--format", "json"]):
        assert main(["verify", *quiet]) == 0
        assert capsys.readouterr() == ("", "")


def test_a_fault_is_said_and_the_exit_is_one(site: Site, capsys: Any) -> None:
    (site.run / "transcripts.jsonl").unlink()
    assert main(["verify"]) == 1
    assert "refused evidence-missing" in capsys.readouterr().err


def test_a_recorded_refusal_leaves_the_exit_at_zero(site: Site, capsys: Any) -> None:
    make_run(site.root, "demo.v1", "beta", answers={"NP-REFUSE": "x"})
    assert main(["verify", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["recorded"] is True


@pytest.mark.parametrize("named", ["RUN", "RUN/", "RUN/report.json", "protocols/demo.v1", "reports/demo.v1", "."])
def test_one_thing_can_be_named(named: str, site: Site, capsys: Any) -> None:
    make_protocol(site.root, "broken.v1", ordinary=3, negative=1)
    (site.root / "protocols" / "broken.v1" / "tasks.jsonl").unlink()
    argument = named.replace("RUN", f"reports/demo.v1/{site.run.name}")
    assert main(["verify", argument]) == (1 if named == "." else 0)
    assert f"holds    demo.v1/{site.run.name}" in capsys.readouterr().out


def test_the_whole_beside_a_part_is_the_whole(site: Site) -> None:
    make_protocol(site.root, "broken.v1", ordinary=3, negative=1)
    (site.root / "protocols" / "broken.v1" / "tasks.jsonl").unlink()
    assert main(["verify", ".", "protocols/demo.v1"]) == 1
    assert main(["verify", "protocols/demo.v1", f"reports/demo.v1/{site.run.name}"]) == 0
    assert main(["verify", "protocols/demo.v1", "protocols/broken.v1"]) == 1


@pytest.mark.parametrize(
    "named", ["protocols/nowhere.v1", "reports/demo.v1/no-such-run", "nowhere", "reports/demo.v1/ledger/x/report.json"]
)
def test_what_is_not_there_is_misuse_and_not_fine(named: str, site: Site) -> None:
    assert main(["verify", named]) == 2


def test_a_folder_that_is_no_site_is_misuse(site: Site, tmp_path: Path) -> None:
    """A typing error, or a published site: neither may look verified."""
    (tmp_path / "empty").mkdir()
    assert main(["verify", str(tmp_path / "empty")]) == 2
    assert main(["verify", "protocols"]) == 2


def test_two_sites_at_once_are_misuse(site: Site, tmp_path: Path) -> None:
    make_protocol(tmp_path / "other", ordinary=3, negative=1)
    assert main(["verify", str(site.root), str(tmp_path / "other")]) == 2


def test_a_run_of_a_broken_protocol_does_not_hold(site: Site) -> None:
    (site.protocol / "tasks.jsonl").unlink()
    assert main(["verify", f"reports/demo.v1/{site.run.name}"]) == 1


def test_rescoring_lifts_what_asked_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = "def score(r, o):\n    return {'pass': r == open(o).read(), 'metric': 'ours'}\n"
    make_protocol(tmp_path, ordinary=3, negative=1, metric=metric, changes={"publish": {"require_level": "re-scored"}})
    make_run(tmp_path, "demo.v1")
    monkeypatch.chdir(tmp_path)
    assert main(["verify"]) == 1
    assert main(["verify", "--rescore"]) == 0
    assert main(["verify"]) == 0


def test_what_a_published_site_had_and_is_gone_is_a_fault_as_in_a_build(site: Site, capsys: Any) -> None:
    """A run with its events, cut off at the tip: the chain that is left is whole."""
    make_run(site.root, "demo.v1", "beta")
    assert main(["build", ".", "-o", "../old"]) == 0
    (site.root / "sitegen.toml").write_text('history = "../old"\n')
    assert main(["verify"]) == 0
    ledger = site.root / "reports" / "demo.v1" / "ledger"
    beta = next(path for path in (site.root / "reports" / "demo.v1").iterdir() if "beta" in path.name)
    for event in ledger.iterdir():
        if json.loads(event.read_bytes()).get("run_id") == beta.name:
            event.unlink()
    shutil.rmtree(beta)
    capsys.readouterr()
    codes = [(main([command, "--format", "json"]), slugs(capsys)) for command in ("verify", "build")]
    assert codes[0] == codes[1] == (1, {"history-removed", "ledger-shortened"})
    assert main(["verify", "protocols/demo.v1"]) == 0  # a part says nothing of the whole


def slugs(capsys: Any) -> set[str]:
    return {json.loads(line)["slug"] for line in capsys.readouterr().out.splitlines()}
