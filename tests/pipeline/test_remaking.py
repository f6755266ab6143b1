"""``sitegen audit`` makes the pages of a site again: whatever is not the page that it makes is a fault."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main
from sitegen.harness.records import withdraw
from sitegen.pipeline.auditing import Audited, audit_site
from sitegen.pipeline.build import build_site
from sitegen.read.claims import CLAIMS_PATH
from tests.audit.hidden import hidden
from tests.audit.published import Files, files_of, resealed_lists, small_root, write
from tests.sites import make_protocol, make_run, negative_tasks, ordinary_tasks

SETTINGS = """title = "Measurements <of> ours"
base_url = "https://example.org/scores/"
organisation = "Example & Sons"
repository = "https://example.org/code"
licence = "CC-BY-4.0"
logo = "logo.svg"
links = [{text = "Our house", href = "https://example.org/"}]
accent = {light = "#123456", dark = "#abcdef"}
"""
LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><path d="M0 0h2v2z"/></svg>\n'


def audited(site: Path) -> Audited:
    """Audit a site that must hold, and whose pages must have been made again."""
    found = audit_site(str(site))
    assert (found.faults, found.unmade) == ((), None)
    return found


def relisted(site: Path, folder: Path, change: Callable[[Files], None]) -> Path:
    """Write a copy of ``site`` after ``change``, its lists made right again."""
    return write(resealed_lists(files_of(site), change), folder)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    build_site(small_root(folder / "root"), folder / "site")
    return folder / "site"


def test_all_files_are_made_again(small: Path) -> None:
    found = audited(small)
    assert (found.remade, found.partly) == (found.files - 1, 0), "but for the claims, which are what it is made of"


def test_a_site_of_every_kind_is_made_again(tmp_path: Path) -> None:
    """Versions of a family, runs that are withdrawn, rehearsed or refused, notes, settings, an earlier site."""
    root = tmp_path / "root"
    for number, follows in ((1, None), (2, "demo.v1")):
        changes = {"family": "demo"} | ({} if follows is None else {"follows": follows})
        make_protocol(root, f"demo.v{number}", changes=changes)
        make_run(root, f"demo.v{number}", "alpha", wrong=("T-001",))
        make_run(root, f"demo.v{number}", "beta", wrong=("T-002", "T-003"))
        make_run(root, f"demo.v{number}", "rehearsal", channel="exploratory")
    make_protocol(root, "draft.v1", seal=False)
    make_protocol(root, "gone.v1")
    make_run(root, "gone.v1", "alpha")
    (root / "protocols/demo.v1/notes.md").write_text("# Why\n\nOf 3.14 and 7/8, see [there](#results).\n")
    (root / "logo.svg").write_text(LOGO)
    (root / "sitegen.toml").write_text(SETTINGS)
    build_site(root, tmp_path / "first")
    audited(tmp_path / "first")
    gone = make_run(root, "demo.v2", "gamma")
    withdraw(root, gone.run_id, "The harness was wrong.")
    withdraw(root, "gone.v1", "The tasks leaked.")
    build_site(root, tmp_path / "second", previous=str(tmp_path / "first"))
    found = audited(tmp_path / "second")
    assert (found.partly, found.remade) == (0, found.files - 1)
    pages = files_of(tmp_path / "second")
    assert b"announced" in pages["data/reports.json"]
    assert b"3.14" in pages["evidence/demo.v1/notes.md"]


def test_a_site_that_was_published_in_spite_of_faults_is_made_again(tmp_path: Path) -> None:
    root = small_root(tmp_path / "root")
    make_protocol(root, "other.v1", changes={"family": "demo"})
    make_run(root, "other.v1", "alpha")
    (root / "protocols/other.v1/tasks.jsonl").write_text("changed\n")
    make_protocol(root, "third.v1")
    for folder in ("protocols", "protocols/third.v1"):
        (root / folder / os.fsdecode(b"no\xfftext \xe2\x80\xae")).write_text("x")
        (root / folder / ("long" * 40)).write_text("x")
    for name in (os.fsdecode(b"no\xfftext \xe2\x80\xae"), "long" * 40):
        (root / "reports/demo.v1" / name).mkdir()
        (root / "reports/demo.v1" / name / "report.json").write_text("{}")
    build_site(root, tmp_path / "site", publish_accepted=True)
    audited(tmp_path / "site")


@pytest.mark.parametrize("level", ["outcomes", "digests"])
def test_of_a_hidden_set_the_figures_are_compared(level: str, tmp_path: Path) -> None:
    hidden(tmp_path / "root", level)
    build_site(tmp_path / "root", tmp_path / "site")
    assert audited(tmp_path / "site").partly > 0
    (page,) = (
        path for path in files_of(tmp_path / "site") if re.fullmatch(r"protocols/demo\.v1/[^/]+/index\.html", path)
    )
    for number, (old, new) in enumerate({b"0.950 (19/20": b"0.960 (19/20", b"(19/20, 95%": b"(18/20, 95%"}.items()):

        def change(files: Files, old: bytes = old, new: bytes = new) -> None:
            assert old in files[page]
            files[page] = files[page].replace(old, new, 1)

        copy = relisted(tmp_path / "site", tmp_path / f"forged-{number}", change)
        assert [(fault.slug, fault.file) for fault in audit_site(str(copy)).faults] == [("page-drift", page)]


def test_of_a_hidden_set_no_script_and_no_style_is_another(tmp_path: Path) -> None:
    """They say nothing of the evidence, so that what the publisher had more is no reason."""
    hidden(tmp_path / "root", "outcomes")
    build_site(tmp_path / "root", tmp_path / "site")
    assets = [path for path in files_of(tmp_path / "site") if path.startswith("assets/") or path == "audit.py"]
    assert len(assets) > 3
    for path in assets:
        copy = relisted(tmp_path / "site", tmp_path / "forged", lambda files, path=path: files.update({path: b" "}))  # type: ignore[misc]
        assert [(fault.slug, fault.file) for fault in audit_site(str(copy)).faults] == [("page-drift", path)]
    for added in (b"<script>1</script>", b'<p onclick="x()">'):

        def change(files: Files, added: bytes = added) -> None:
            files["index.html"] = files["index.html"].replace(b"</main>", added + b"</main>")

        copy = relisted(tmp_path / "site", tmp_path / "scripted", change)
        assert {fault.slug for fault in audit_site(str(copy)).faults} == {"page-shape"}


def test_of_a_hidden_set_with_clusters_the_scorecards_are_compared(tmp_path: Path) -> None:
    rows = ordinary_tasks(20)
    for number, row in enumerate(rows):
        row["group"] = f"g{number % 5}"
    negative = negative_tasks(10)
    for number, row in enumerate(negative):
        row["group"] = f"n{number % 5}"
    changes = {"dataset": {"cluster": "group"}, "publish": {"evidence": "outcomes", "require_level": "numbers"}}
    make_protocol(tmp_path / "root", "demo.v1", tasks=[*rows, *negative], changes=changes)
    make_run(tmp_path / "root", "demo.v1", "alpha", wrong=("T-001",))
    build_site(tmp_path / "root", tmp_path / "site")
    audited(tmp_path / "site")

    def change(files: Files) -> None:
        files["protocols/demo.v1/index.html"] = files["protocols/demo.v1/index.html"].replace(b">0.950<", b">0.960<")

    copy = relisted(tmp_path / "site", tmp_path / "forged", change)
    assert {fault.slug for fault in audit_site(str(copy)).faults} == {"page-number"}


def test_a_byte_of_any_file_beside_the_evidence_is_a_fault(small: Path, tmp_path: Path) -> None:
    """Whatever it is: a number in a sentence, a style, the script that verifies, the other audit."""
    files = files_of(small)
    beside = [path for path in files if not path.startswith("evidence/")]
    tried = set(beside) - {CLAIMS_PATH, "site.json", "SHA256SUMS"}
    assert {"index.html", "data/demo.v1.csv", "feed.xml", "audit.py", "audit/index.html"} <= tried
    for path in tried:
        data = files[path]
        digits = [at.start() for at in re.finditer(rb"[0-9]", data)] or [len(data) // 2]
        at = digits[len(digits) // 2]

        def change(made: Files, path: str = path, data: bytes = data, at: int = at) -> None:
            made[path] = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]

        write(resealed_lists(files, change), tmp_path / "site")
        faults = audit_site(str(tmp_path / "site")).faults
        assert {fault.file for fault in faults} == {path}
        assert {fault.slug for fault in faults} <= {"page-drift", "page-number"}


@pytest.mark.parametrize("path", ["extra.html", "data/more.csv", "protocols/demo.v1/more.html"])
def test_a_listed_file_that_is_not_made_is_a_fault(path: str, small: Path, tmp_path: Path) -> None:
    copy = relisted(small, tmp_path / "site", lambda files: files.update({path: b"<p>0.999 (999/1000)\n"}))
    assert [(fault.slug, fault.file) for fault in audit_site(str(copy)).faults] == [("page-drift", path)]


def test_a_page_that_is_left_out_is_a_fault(small: Path, tmp_path: Path) -> None:
    copy = relisted(small, tmp_path / "site", lambda files: files.__delitem__("refused/index.html"))
    (fault,) = audit_site(str(copy)).faults
    assert (fault.slug, fault.file, fault.found) == ("page-drift", "refused/index.html", "no such file")


def test_claims_that_pass_over_a_run_are_a_fault(tmp_path: Path) -> None:
    """A run without figures is on the page because the ledger has it, whatever the claims say."""
    root = small_root(tmp_path / "root")
    rehearsal = make_run(root, "demo.v1", "beta", channel="exploratory")
    gone = make_run(root, "demo.v1", "gamma")
    withdraw(root, gone.run_id, "The harness was wrong.")
    build_site(root, tmp_path / "site")

    def forget(run_id: str) -> Callable[[Files], None]:
        def change(files: Files) -> None:
            claims = json.loads(files[CLAIMS_PATH])
            refused = claims["protocols"]["demo.v1"]["refused"]
            claims["protocols"]["demo.v1"]["refused"] = [run for run in refused if run["run_id"] != run_id]
            files[CLAIMS_PATH] = json.dumps(claims).encode()

        return change

    for run_id in (rehearsal.run_id, gone.run_id):
        copy = relisted(tmp_path / "site", tmp_path / run_id, forget(run_id))
        places = {fault.path for fault in audit_site(str(copy)).faults if fault.file == CLAIMS_PATH}
        assert places == {f"/protocols/demo.v1/refused/{run_id}"}


def test_claims_that_pass_over_a_protocol_or_refuse_a_published_run_are_a_fault(small: Path, tmp_path: Path) -> None:
    (run_id,) = json.loads(files_of(small)["site.json"])["reports"]["demo.v1"]

    def claim(protocols: dict[str, Any]) -> Callable[[Files], None]:
        def change(files: Files) -> None:
            files[CLAIMS_PATH] = json.dumps({**json.loads(files[CLAIMS_PATH]), "protocols": protocols}).encode()

        return change

    refused = {"refused": [{"run_id": run_id, "refusals": [{"slug": "channel-exploratory", "file": "a"}]}]}
    for protocols, place in (({}, ""), ({"demo.v1": refused}, f"/refused/{run_id}")):
        copy = relisted(small, tmp_path / "site", claim(protocols))
        places = {fault.path for fault in audit_site(str(copy)).faults if fault.file == CLAIMS_PATH}
        assert places == {f"/protocols/demo.v1{place}"}


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("engine", "0" * 64, "another sitegen made it"),
        ("schema", "agent-bench-claims/v2", "cannot be understood"),
        (None, None, "has no data/claims.json"),
        ("look", "0" * 64, "other templates"),
    ],
)
def test_pages_of_another_sitegen_are_not_made_and_that_is_said(
    key: str | None, value: str | None, why: str, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(files: Files) -> None:
        if key is None:
            del files[CLAIMS_PATH]
            return
        file = "site.json" if key == "look" else CLAIMS_PATH
        files[file] = json.dumps({**json.loads(files[file]), key: value}).encode()
        page = files["index.html"]
        files["index.html"] = page.replace(b"<h1>", b"<h1>0.999 ", 1)  # no scorecard: it goes unnoticed then

    copy = relisted(small, tmp_path / "site", change)
    assert why in (audit_site(str(copy)).unmade or "")
    assert main(["audit", str(copy)]) == 0
    assert "nothing else on the pages was compared" in capsys.readouterr().out


def test_a_page_of_another_sitegen_may_not_load_from_elsewhere(small: Path, tmp_path: Path) -> None:
    def change(files: Files) -> None:
        del files[CLAIMS_PATH]
        files["index.html"] = files["index.html"].replace(b"</main>", b'<img src="https://a.example/x"></main>')

    copy = relisted(small, tmp_path / "site", change)
    assert {fault.slug for fault in audit_site(str(copy)).faults} == {"page-remote"}


HOSTILE: list[dict[str, Any]] = [
    {"settings": {"base_url": "http://[a"}},
    {"settings": {"logo": "../../../etc/passwd.svg"}},
    {"settings": {"title": "\u202e<script>", "organisation": "{{ 7 * 7 }}"}},
    {"places": {"demo.v1": {"family": "../..", "follows": "demo.v1"}}},
    {"places": {"a.v1": {"family": "demo", "follows": "b.v1"}, "b.v1": {"family": "demo", "follows": "a.v1"}}},
    {"protocols": {}},
    {"protocols": {"demo.v1": {"refused": [{"run_id": "../../../x\n", "refusals": []}]}}},
    {"protocols": {"demo.v1": {"refusals": [{"slug": "protocol-drift", "file": "a\u0000b", "hint": "\u001b[31m"}]}}},
    {"protocols": {"demo.v1": {"announced": ["0" * 64], "signers": {"0" * 64: "<b>"}}}},
    {"protocols": {"demo.v1": {"refusals": [{"slug": "no-such-slug", "file": "a"}]}}},
]


@pytest.mark.parametrize("claimed", HOSTILE, ids=map(str, range(len(HOSTILE))))
def test_hostile_claims_are_no_more_than_pages_that_differ(
    claimed: dict[str, Any], small: Path, tmp_path: Path
) -> None:
    def change(files: Files) -> None:
        files[CLAIMS_PATH] = json.dumps({**json.loads(files[CLAIMS_PATH]), **claimed}).encode()

    faults = audit_site(str(relisted(small, tmp_path / "site", change))).faults
    assert {fault.slug for fault in faults} <= {"page-drift"}


def test_claims_hold_no_private_setting(tmp_path: Path) -> None:
    root = small_root(tmp_path / "root")
    (root / "sitegen.toml").write_text(f'allow_secrets = ["{"a" * 64}"]\nstrict_privacy = true\n')
    build_site(root, tmp_path / "site")
    stated = json.loads((tmp_path / "site" / CLAIMS_PATH).read_bytes())["settings"]
    assert set(stated) <= {"title", "base_url", "organisation", "repository", "licence", "links", "logo", "accent"}
