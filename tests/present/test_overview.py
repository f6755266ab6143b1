"""Home, audit and the missing page."""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path
from typing import Any

import pytest

from sitegen.digests import Listed
from sitegen.harness.records import withdraw
from sitegen.pipeline.build import build_site
from sitegen.present import overview
from sitegen.present.brief import brief_of
from sitegen.present.look import NO_RELATIONS, Look
from sitegen.present.overview import Contents, audit_pages, home_pages, not_found_page
from sitegen.present.page_check import find_page_faults
from sitegen.present.summary import summarise
from sitegen.read.settings import Settings
from sitegen.verify.verified import VerifiedUnit
from tests.sites import make_protocol, make_run


def test_home_lists_what_is_published_and_finds_published_runs_only(
    built: Path, unit: VerifiedUnit, parse: Any
) -> None:
    tree = parse(built / "index.html")
    text = " ".join("".join(tree.itertext()).split())
    for protocol in ("demo.v1", "demo.v2", "long.v1", "kept.v1"):
        assert protocol in text
    assert "draft.v1" not in text
    assert "5 published, 2 refused, 1 withdrawn" in text
    for report in unit.reports:
        assert report.run_id in text
    for run in unit.refused:
        assert run.run_id not in text


def test_home_says_what_was_published_in_spite_of_faults(tmp_path: Path) -> None:
    make_protocol(tmp_path, "drifted.v1")
    make_run(tmp_path, "drifted.v1", "alpha")
    make_run(tmp_path, "drifted.v1", "beta")
    make_protocol(tmp_path, "sound.v1")
    make_run(tmp_path, "sound.v1", "alpha")
    gone = make_run(tmp_path, "sound.v1", "beta")
    (tmp_path / f"reports/sound.v1/{gone.run_id}/report.json").unlink()
    (tmp_path / "protocols/drifted.v1/tasks.jsonl").write_text("", encoding="utf-8")
    build_site(tmp_path, tmp_path / "_site", publish_accepted=True)
    text = re.sub(r"<[^>]+>", "", (tmp_path / "_site/index.html").read_text(encoding="utf-8"))
    assert "Published in spite of faults" in text
    assert "drifted.v1: the protocol is refused, and with it 2 runs" in text
    assert "sound.v1: 1 run refused for a fault" in text
    assert "1 sealed protocol, 1 published run." in text


def test_home_says_nothing_of_faults_where_there_are_none(built: Path) -> None:
    assert "in spite of faults" not in (built / "index.html").read_text(encoding="utf-8")


def test_home_says_that_a_protocol_was_withdrawn_and_its_runs_with_it(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v1", "alpha")
    make_run(tmp_path, "demo.v1", "stub", answers={"NP-REFUSE": "always"})
    withdraw(tmp_path, "demo.v1", "T-001 has a wrong oracle")
    build_site(tmp_path, tmp_path / "_site")
    text = re.sub(r"<[^>]+>", "", (tmp_path / "_site/index.html").read_text(encoding="utf-8"))
    assert "1 sealed protocol (1 withdrawn), 0 published runs." in text
    assert re.search(r"sealed 20\S+Z · withdrawn 20\S+Z", text)
    assert "0 published, 1 refused, 1 withdrawn" in text


def test_the_latest_version_stands_first(built: Path) -> None:
    text = (built / "index.html").read_text()
    assert text.index("protocols/demo.v2/") < text.index("protocols/demo.v1/")


def test_an_empty_site_says_so(look: Look) -> None:
    [page] = home_pages(look, [])
    assert b"Nothing is published yet" in page.data


def test_home_takes_as_many_pages_as_there_are_protocols(
    look: Look, unit: VerifiedUnit, parse: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    brief = brief_of(summarise(unit))
    assert brief.protocol is not None
    many = [dataclasses.replace(brief, protocol_id=f"demo.v{number}") for number in range(1, 6)]
    monkeypatch.setattr(overview, "PROTOCOLS_PER_PAGE", 2)
    pages = list(home_pages(look, many))
    assert [page.path for page in pages] == ["index.html", "home/page-2.html", "home/page-3.html"]
    shown = [element for page in pages for element in parse(page.data).iter("li") if element.get("class") == "protocol"]
    assert len(shown) == 5
    sites = {Path(page.path) for page in pages}
    for page in pages:
        assert not find_page_faults(page)
        links = [link.get("href") for nav in parse(page.data).iter("nav") if nav.get("class") == "pages"
                 for link in nav.iter("a")]  # fmt: skip
        assert {Path(os.path.normpath(Path(page.path).parent / link)) for link in links} == sites
        assert "5 sealed protocols" in page.data.decode()


def test_the_audit_page_lists_every_file_unless_they_are_too_many(look: Look, unit: VerifiedUnit) -> None:
    files = [Listed(path=f"evidence/{i:05}", size=i, sha256=f"{i:064x}") for i in range(overview.MOST_LISTED)]
    [page] = audit_pages(look, [brief_of(summarise(unit))], Contents(count=len(files), files=files, pages=()))
    for file in files:
        assert page.data.count(f'data-sha256="{file.sha256}"'.encode()) == 1
    [page] = audit_pages(look, [brief_of(summarise(unit))], Contents(count=100_000, files=None, pages=()))
    text = page.data.decode()
    assert "100,000 files" in text
    for report in unit.reports:
        assert f'href="../evidence/{unit.protocol_id}/{report.run_id}/SHA256SUMS"' in text


def test_identities_stand_on_as_many_pages_as_it_takes(
    look: Look, unit: VerifiedUnit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overview, "SUBJECTS_PER_PAGE", len(unit.reports))  # the protocol itself is one more
    pages = list(audit_pages(look, [brief_of(summarise(unit))], Contents(count=0, files=(), pages=())))
    assert [page.path for page in pages] == ["audit/index.html", "audit/page-2.html"]
    whole = b"".join(page.data for page in pages).decode()
    for sha256 in (unit.reports[0].sha256, unit.reports[-1].sha256):
        assert whole.count(f'data-sha256="{sha256}"') == 1


def test_the_missing_page_finds_the_site_from_any_depth() -> None:
    own = Look.open(Settings(base_url="https://example.org/scores/"), None, None, NO_RELATIONS)
    text = not_found_page(own).data.decode()
    assert 'href="/scores/index.html"' in text
    assert f'href="/scores/{own.asset_folder}/site.css"' in text
