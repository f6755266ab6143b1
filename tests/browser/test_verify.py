"""Verify in this browser: it holds on what was published, and turns ✗ on exactly what was altered."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Opened = Callable[..., Any]
Served = tuple[str, Path]

REPORT = "protocols/demo.v1/*-gamma-*/index.html"


def steps(page: Any) -> dict[str, list[str]]:
    """The steps by how they went."""
    page.wait_for_selector(".verify-sum[data-done]")
    found = page.evaluate("[...document.querySelectorAll('[data-step]')].map(s => [s.dataset.step, s.innerText])")
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
    assert [text for text in found["unjudged"] if "manifest.yaml could not be had" in text]


def test_from_a_disk_files_are_chosen(watched: Opened, site: Path) -> None:
    page, troubles = watched()
    (report,) = site.glob(REPORT)
    page.goto(report.as_uri())
    page.click(".verify-start")
    assert "choose or drop" in page.locator(".verify-sum").inner_text()
    run = report.parent.name
    files = [
        f for f in (site / "evidence/demo.v1").rglob("*") if f.is_file() and (run in f.parts or "ledger" in f.parts)
    ]
    files += [site / "evidence/demo.v1/protocol.sealed.yaml"]
    page.set_input_files(".verify-files input", [str(file) for file in files])
    found = steps(page)
    assert found["failed"] == []
    assert found["unjudged"] == []
    assert troubles == []
