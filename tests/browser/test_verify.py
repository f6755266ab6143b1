"""Verify in this browser: it holds on what was published, and turns ✗ on exactly what was altered."""

from __future__ import annotations

import importlib.resources
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.pipeline.build import build_site
from sitegen.present.look import NO_RELATIONS, Look
from sitegen.present.overview import Contents, audit_pages
from sitegen.read.settings import Settings
from sitegen.read.shipped import templates_dir
from tests.browser.conftest import serving
from tests.browser.test_pages import OVERFLOW
from tests.sites import make_protocol, make_run

Opened = Callable[..., Any]
Served = tuple[str, Path]

REPORT = "protocols/demo.v1/*-gamma-*/index.html"
PROTOCOL = "protocols/demo.v1/index.html"


def steps(page: Any) -> dict[str, list[str]]:
    """The steps by how they went, without their marks."""
    page.wait_for_selector(".verify-sum[data-done]")
    found = page.evaluate(
        "[...document.querySelectorAll('[data-step]')]"
        ".map(s => [s.dataset.step, [...s.children].slice(1).map(part => part.innerText).join('\\n')])"
    )
    return {kind: [text for of, text in found if of == kind] for kind in ("held", "failed", "unjudged")}


def check(watched: Opened, served: Served, kind: str) -> dict[str, list[str]]:
    address, folder = served
    page, _ = watched()
    page.goto(address + sorted(folder.glob(kind))[0].relative_to(folder).as_posix())
    page.click(".verify-start")
    return steps(page)


@pytest.mark.parametrize(
    "kind", [REPORT, "protocols/demo.v1/index.html", "protocols/kept.v1/*/index.html", "audit/index.html"]
)
def test_what_was_published_holds(watched: Opened, served: Served, kind: str) -> None:
    found = check(watched, served, kind)
    assert found["failed"] == []
    assert found["unjudged"] == []
    assert len(found["held"]) > 5


@pytest.mark.parametrize("name", ["transcripts.jsonl", "manifest.yaml", "report.json", "solver/solve.sh"])
def test_one_altered_byte_fails_exactly_its_step(watched: Opened, served: Served, name: str) -> None:
    _, folder = served
    (file,) = folder.glob(f"evidence/demo.v1/*-gamma-*/{name}")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))
    found = check(watched, served, REPORT)
    assert len(found["failed"]) == 1
    assert name in found["failed"][0]
    rests = [text for text in found["unjudged"] if "numbers of" in text]
    assert len(rests) == (1 if name == "report.json" else 0)


ALTERATIONS = {
    "task success": (r'(class="rate success" data-k="35" data-n="40" data-low=")(0\.\d)', r"\g<1>0.1"),
    "abstention accuracy": (r"11/12</span>", "12/12</span>"),
    "invalid completion": (r'(<p class="ci">95% CI )0\.0', r"\g<1>0.1"),
    "null pack": (r"null pack 3/3", "null pack 4/3"),
    "retries": (r"<dd>0 total", "<dd>1 total"),
    "outcomes, ordinary": (r'(data-count="miss">)5', r"\g<1>4"),
    "description": (r'(name="description" content="Task success 0\.)8', r"\g<1>9"),
    "BibTeX": (r"(note = .*?Task success 0\.)8", r"\g<1>9"),
    "protocol.sealed.yaml": (r'(data-sha256="[0-9a-f]{64}"[^>]*data-role="protocol">)(.)', r"\g<1>x"),
}


@pytest.mark.parametrize("name", ALTERATIONS)
def test_one_altered_number_on_the_page_fails_exactly_its_step(watched: Opened, served: Served, name: str) -> None:
    _, folder = served
    (page,) = folder.glob(REPORT)
    pattern, replacement = ALTERATIONS[name]
    text, count = re.subn(pattern, replacement, page.read_text(), count=1)
    assert count == 1
    page.write_text(text)
    found = check(watched, served, REPORT)
    assert len(found["failed"]) == 1, found["failed"]
    assert name in found["failed"][0]


def test_a_missing_file_is_not_judged(watched: Opened, served: Served) -> None:
    (file,) = served[1].glob("evidence/demo.v1/*-gamma-*/manifest.yaml")
    file.unlink()
    found = check(watched, served, REPORT)
    assert found["failed"] == []
    (text,) = found["unjudged"]
    assert "manifest.yaml could not be had: the site answers 404" in text
    assert file.relative_to(served[1]).as_posix() in text


def test_without_transcripts_the_outcomes_are_not_judged(watched: Opened, served: Served) -> None:
    (file,) = served[1].glob("evidence/demo.v1/*-gamma-*/transcripts.jsonl")
    file.unlink()
    found = check(watched, served, REPORT)
    assert found["failed"] == []
    assert [text.split(":")[0] for text in found["unjudged"]] == [
        "transcripts.jsonl could not be had",
        f"the outcomes of {file.parent.name}",
    ]


# --- from a disk ---


@pytest.fixture
def copy(site: Path, tmp_path: Path) -> Path:
    """A copy of the site's evidence, in a folder of another name."""
    shutil.copytree(site / "evidence/demo.v1", tmp_path / "copy/evidence/demo.v1")
    shutil.copytree(site / "evidence/kept.v1", tmp_path / "copy/evidence/kept.v1")
    return tmp_path / "copy"


def opened_from_disk(watched: Opened, site: Path, kind: str = REPORT) -> tuple[Any, list[str]]:
    page, troubles = watched(viewport={"width": 1280, "height": 900})
    page.goto(sorted(site.glob(kind))[0].as_uri())
    return page, troubles


def choose(page: Any, chosen: Path | list[Path]) -> dict[str, list[str]]:
    """Choose a folder, or single files."""
    begin(page)
    if isinstance(chosen, Path):
        page.get_by_label("A folder:").set_input_files(chosen)
    else:
        page.get_by_label("Single files:").set_input_files(chosen)
    return steps(page)


def drop(page: Any, *paths: Path) -> dict[str, list[str]]:
    """Drop files and folders on the box as a person does."""
    begin(page)
    page.locator("#verify").scroll_into_view_if_needed()
    box = page.locator("#verify").bounding_box()
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        place = {"type": kind, "x": box["x"] + 10, "y": box["y"] + 10}
        session.send("Input.dispatchDragEvent", {**place, "data": data})
    return steps(page)


def begin(page: Any) -> None:
    page.evaluate("delete document.querySelector('.verify-sum').dataset.done")


def summary(page: Any) -> str:
    return str(page.locator(".verify-sum").inner_text())


def test_a_page_from_a_disk_asks_for_files(watched: Opened, site: Path) -> None:
    page, troubles = opened_from_disk(watched, site)
    page.click(".verify-start")
    assert steps(page) == {"held": [], "failed": [], "unjudged": []}
    assert "choose or drop the folder of the site" in summary(page)
    assert troubles == []


@pytest.mark.parametrize("folder", ["", "evidence", "evidence/demo.v1"])
@pytest.mark.parametrize("kind", [REPORT, PROTOCOL])
@pytest.mark.parametrize("gesture", [choose, drop])
def test_one_folder_holds_all_that_is_asked_for(
    watched: Opened, site: Path, folder: str, kind: str, gesture: Callable[..., dict[str, list[str]]]
) -> None:
    page, troubles = opened_from_disk(watched, site, kind)
    found = gesture(page, site / folder)
    assert (found["failed"], found["unjudged"]) == ([], [])
    assert len(found["held"]) > 20
    assert re.fullmatch(r"\d+ held, 0 failed, 0 not judged", summary(page))
    assert troubles == []


def test_the_whole_site_holds_every_file_of_the_audit_page(watched: Opened, site: Path) -> None:
    page, troubles = opened_from_disk(watched, site, "audit/index.html")
    found = choose(page, site)
    assert (found["failed"], found["unjudged"]) == ([], [])
    assert troubles == []


def test_a_folder_is_dropped_on_a_served_page_though_it_holds_more_than_is_read_at_once(
    watched: Opened, served: Served, copy: Path
) -> None:
    for number in range(250):
        (copy / f"evidence/demo.v1/ledger/other-{number}.json").write_text("{}")
    address, folder = served
    page, troubles = watched(viewport={"width": 1280, "height": 900})
    page.goto(address + sorted(folder.glob(REPORT))[0].relative_to(folder).as_posix())
    found = drop(page, copy / "evidence/demo.v1/ledger", copy / "evidence")
    assert (found["failed"], found["unjudged"]) == ([], [])
    assert troubles == []


def test_choices_add_up_and_what_is_missing_is_named_with_its_place(watched: Opened, site: Path) -> None:
    page, troubles = opened_from_disk(watched, site)
    (run,) = site.glob("evidence/demo.v1/*-gamma-*")
    first = choose(page, run)
    assert first["failed"] == []
    assert len(first["held"]) > 20
    missing = ["evidence/demo.v1/ledger/", "evidence/demo.v1/ledger/", "evidence/demo.v1/protocol.sealed.yaml"]
    for text, place in zip(first["unjudged"], missing, strict=True):
        assert f"is not among the chosen files. On the site it lies at\n{place}" in text
    assert "lies in the folder evidence/demo.v1 of the site" in summary(page)
    second = choose(page, [site / "evidence/demo.v1/protocol.sealed.yaml"])
    assert [text for text in second["unjudged"] if "ledger/" not in text] == []
    assert len(second["unjudged"]) == 2
    assert "lies in the folder evidence/demo.v1/ledger of the site" in summary(page)
    third = choose(page, site / "evidence/demo.v1/ledger")
    assert (third["failed"], third["unjudged"]) == ([], [])
    assert troubles == []


@pytest.mark.parametrize("gesture", [choose, drop])
def test_an_altered_file_in_its_place_fails_exactly_its_step(
    watched: Opened, site: Path, copy: Path, gesture: Callable[..., dict[str, list[str]]]
) -> None:
    (manifest,) = copy.glob("evidence/demo.v1/*-gamma-*/manifest.yaml")
    manifest.write_bytes(manifest.read_bytes() + b"\n")
    (copy / "evidence/demo.v1/protocol.sealed.yaml").write_bytes(b"another\n")
    page, _ = opened_from_disk(watched, site)
    found = gesture(page, copy)
    assert [text.split(" ")[0].split("/")[-1] for text in found["failed"]] == ["manifest.yaml", "protocol.sealed.yaml"]
    assert found["unjudged"] == []


def test_a_file_is_known_by_its_digest_and_not_by_its_name(watched: Opened, site: Path, copy: Path) -> None:
    (run,) = copy.glob("evidence/demo.v1/*-gamma-*")
    renamed = (run / "report.json").rename(copy / "another-name.txt")
    (run / "manifest.yaml").write_bytes(b"another\n")
    page, _ = opened_from_disk(watched, site)
    found = choose(page, [renamed, run / "manifest.yaml"])
    assert [text for text in found["held"] if "report.json has the digest that the page states" in text]
    assert [text for text in found["held"] if text.startswith("task success of")]
    assert found["failed"] == []
    (manifest,) = [text for text in found["unjudged"] if "manifest.yaml" in text]
    words, place = manifest.split("\n")
    assert words == (
        "manifest.yaml is not among the chosen files: those of this name have other digests. On the site it lies at"
    )
    assert place == f"evidence/demo.v1/{run.name}/manifest.yaml"


def test_the_folder_of_another_run_or_protocol_speaks_against_nothing(watched: Opened, site: Path, copy: Path) -> None:
    page, _ = opened_from_disk(watched, site)
    other = sorted(copy.glob("evidence/demo.v1/*-alpha-*"))[0]
    for folder in (other, copy / "evidence/kept.v1"):
        found = choose(page, folder)
        assert found["failed"] == []
        assert [text for text in found["unjudged"] if "report.json is not among" in text]


def test_what_was_changed_or_removed_after_it_was_chosen_is_said_in_words(
    watched: Opened, site: Path, copy: Path
) -> None:
    page, troubles = opened_from_disk(watched, site)
    (run,) = copy.glob("evidence/demo.v1/*-gamma-*")
    assert len(choose(page, run)["unjudged"]) == 3
    (run / "manifest.yaml").write_bytes(b"another\n")
    (run / "transcripts.jsonl").unlink()
    found = choose(page, copy / "evidence/demo.v1/ledger")
    assert found["failed"] == []
    (manifest,) = [text for text in found["unjudged"] if "manifest.yaml" in text]
    assert "was chosen, but could not be read: the browser may not read it, or it was changed after" in manifest
    (transcripts,) = [text for text in found["unjudged"] if "transcripts.jsonl was chosen" in text]
    assert "could not be read: it is no longer there" in transcripts
    altered = choose(page, run)
    assert ["manifest.yaml" in text for text in altered["failed"]] == [True]
    assert troubles == []


UNREADABLE = """([run, name]) => {
  const refuse = (_, reject) => reject(new DOMException("No.", "NotReadableError"));
  const file = (path, read) => ({ isFile: true, fullPath: path, file: read });
  const folder = (path, inner) => ({
    isFile: false, name: path.split("/").pop(), fullPath: path,
    createReader: () => ({ readEntries: inner ? (resolve) => resolve(inner.splice(0)) : refuse }),
  });
  const good = file("/" + run + "/" + name, (resolve) => resolve(new File(["{}"], name)));
  const entry = folder("/" + run, [good, file("/" + run + "/manifest.yaml", refuse), folder("/" + run + "/solver")]);
  const items = [
    { kind: "file", webkitGetAsEntry: () => entry, getAsFile: () => null },
    { kind: "file", webkitGetAsEntry: () => folder("/locked"), getAsFile: () => null,
      getAsFileSystemHandle: () => Promise.reject(new DOMException("No.", "NotAllowedError")) },
  ];
  const event = new Event("drop", { cancelable: true });
  event.dataTransfer = { items };
  document.getElementById("verify").dispatchEvent(event);
}"""


def test_what_cannot_be_read_of_a_dropped_folder_is_said_in_words(watched: Opened, site: Path) -> None:
    page, troubles = opened_from_disk(watched, site)
    run = sorted(site.glob(REPORT))[0].parent.name
    begin(page)
    page.evaluate(UNREADABLE, [run, "report.json"])
    found = steps(page)
    why = "could not be read: the browser may not read it, or it was changed after it was chosen"
    assert ["report.json" in text for text in found["failed"]] == [True]
    assert [text for text in found["unjudged"] if f"manifest.yaml was chosen, but {why}" in text]
    assert found["unjudged"][-2:] == [f"{run}/solver {why}", f"locked {why}"]
    assert troubles == []


def test_what_is_dropped_that_is_no_file_is_said_in_words(watched: Opened, site: Path) -> None:
    page, troubles = opened_from_disk(watched, site)
    begin(page)
    page.evaluate(
        "() => { const event = new Event('drop', {cancelable: true});"
        " event.dataTransfer = {items: [{kind: 'string'}]};"
        " document.getElementById('verify').dispatchEvent(event); }"
    )
    assert steps(page) == {"held": [], "failed": [], "unjudged": []}
    assert summary(page) == "Nothing to check: that holds no file."
    assert troubles == []


def test_a_page_without_hashing_says_so(watched: Opened, site: Path) -> None:
    page, troubles = watched()
    page.add_init_script("Object.defineProperty(crypto, 'subtle', {value: undefined})")
    page.goto(sorted(site.glob(REPORT))[0].as_uri())
    page.get_by_label("A folder:").set_input_files(site)
    assert steps(page)["failed"] == []
    assert summary(page) == "This browser hashes only for pages that come by https or from this machine."
    assert troubles == []


def test_the_box_works_by_keyboard_and_its_findings_are_accessible(watched: Opened, site: Path, copy: Path) -> None:
    page, troubles = opened_from_disk(watched, site)
    page.locator(".verify-start").focus()
    labels = []
    for _ in range(2):
        page.keyboard.press("Tab")
        labels.append(page.evaluate("document.activeElement.labels[0].textContent.trim()"))
    assert labels == ["A folder:", "Single files:"]
    (run,) = copy.glob("evidence/demo.v1/*-gamma-*")
    (run / "manifest.yaml").write_bytes(b"another\n")
    found = choose(page, run)
    assert all(found[kind] for kind in ("held", "failed", "unjudged"))
    page.evaluate((importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        violations = page.evaluate("async () => (await axe.run('#verify', {preload: false})).violations")
        assert [(v["id"], [node["html"][:120] for node in v["nodes"][:3]]) for v in violations] == [], theme
    page.set_viewport_size({"width": 375, "height": 800})
    assert page.evaluate(OVERFLOW) <= 0
    assert troubles == []


# --- the ways that run nothing of the page ---


def commands(page: Any, heading: str) -> list[str]:
    """The lines of the block of code below a heading."""
    text = page.locator(f"section[aria-labelledby={heading}] pre.code").first.inner_text()
    return [line for line in str(text).splitlines() if line]


def test_the_commands_of_every_page_hold_as_they_stand(watched: Opened, tmp_path: Path) -> None:
    if shutil.which("curl") is None or shutil.which("sha256sum") is None:
        pytest.skip("curl or sha256sum is not installed")
    make_protocol(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v1", "gamma", wrong=["T-001"])
    make_protocol(tmp_path, "kept.v1", changes={"publish": {"evidence": "outcomes"}})
    make_run(tmp_path, "kept.v1", "alpha")
    build_site(tmp_path, tmp_path / "site")
    (tmp_path / "empty").mkdir()
    page, _ = watched(java_script_enabled=False)
    with serving(tmp_path / "site") as address:
        page.goto(f"{address}audit/index.html")
        download = commands(page, "coreutils")
        follow(download, address, tmp_path / "empty")
        assert (tmp_path / "empty/site.json").read_bytes() == (tmp_path / "site/site.json").read_bytes()
        for kind in (REPORT, PROTOCOL, "protocols/kept.v1/index.html", "protocols/kept.v1/*/index.html"):
            page.goto(sorted((tmp_path / "site").glob(kind))[0].as_uri())
            lines = commands(page, "check")
            assert lines[:2] == download[:2]
            assert lines[-1] == "python3 audit.py ."
            follow(lines[2:], address, tmp_path / "empty")


def follow(lines: list[str], address: str, folder: Path) -> None:
    """Run commands of a page in a folder, with the address in its place."""
    script = "\n".join(lines).replace("address of this site", address.rstrip("/"))
    done = subprocess.run(["sh", "-e", "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_commands_name_the_address_where_it_is_known() -> None:
    for base in ("https://example.org/scores/", "https://example.org/scores"):
        look = Look.open(Settings(base_url=base), None, None, NO_RELATIONS)
        (page,) = audit_pages(look, [], Contents(count=0, files=(), pages=()))
        text = page.data.decode()
        assert "curl -sSfO https://example.org/scores/SHA256SUMS\n" in text
        assert "-o {} https://example.org/scores/{}\n" in text


@pytest.mark.parametrize("kind", [REPORT, PROTOCOL, "audit/index.html"])
def test_a_page_offers_the_ways_that_it_counts(watched: Opened, site: Path, kind: str) -> None:
    for script in (True, False):
        page, _ = watched(java_script_enabled=script)
        page.goto(sorted(site.glob(kind))[0].as_uri())
        box = page.locator("#verify")
        assert box.is_visible() is script
        if script:
            assert "the other ways below do without it" in box.inner_text()
        blocks = "\n".join(page.locator("#verify ~ section pre.code").all_inner_texts())
        assert "sha256sum -c" in blocks
        assert "python3 audit.py" in blocks
        assert "Three ways" not in page.locator("main").inner_text()


def test_the_manual_names_the_button_as_it_is_named(watched: Opened, site: Path) -> None:
    page, _ = opened_from_disk(watched, site)
    text = (templates_dir() / "docs/auditing.md").read_text(encoding="utf-8")
    assert f"press *{page.locator('.verify-start').inner_text()}*" in text
    assert f'under "{page.locator("#verify-title").inner_text()}"' in text
