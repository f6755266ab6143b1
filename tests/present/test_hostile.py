"""Hostile text in every field that a report, a manifest, a protocol or the settings have: no page changes its shape."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sitegen.present.brief import brief_of
from sitegen.present.charts.store import FigureStore
from sitegen.present.exports import REPORTS, reports_json
from sitegen.present.look import NO_RELATIONS, Look
from sitegen.present.overview import Contents
from sitegen.present.page import Page
from sitegen.present.page_check import find_page_faults
from sitegen.present.site import unit_pages, whole_pages
from sitegen.present.summary import summarise
from sitegen.read.settings import Link, Settings
from sitegen.verify.verified import RefusedRun, VerifiedReport, VerifiedUnit
from tests.sites import judge, make_protocol, make_run

SUITE = Path(__file__).parents[3] / "shared/suites/naughty-strings/blns.json"
OURS = 9000
PIECES = (
    *(
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "<svg/onload=x()>",
        "<img src=x onerror=x()>",
        "]]>",
        "<![CDATA[",
        "</td>",
    ),
    *(
        "</title>",
        "</style>",
        "</textarea>",
        "<plaintext>",
        "<base href=//x>",
        "</p></div>",
        "'",
        '"',
        "`",
        "=",
        "&",
        "\\",
    ),
    *(
        "&lt;",
        "&#60;",
        "&#x3c;",
        "&amp",
        "{{7*7}}",
        "{% raw %}",
        "{#",
        "${x}",
        "javascript:x()",
        " onclick=x() ",
        "//x.y",
    ),
    *("\x00", "\x0b", "\x1b[31m", "\x7f", "\x85", "\u00a0", "\u200b", "\u202e", "\u2028", "\u2066", "\ufeff", "\ufffe"),
    *(
        "\U000e0041",
        "\U0010ffff",
        "e\u0301" * 9,
        "ﷺ",
        "漢字",
        "👩‍🔬",
        "a" * 150,
        "0.812",
        "97%",
        "564/600",
        " ",
        "%s",
        "%00",
    ),
)


def own_strings(count: int) -> Iterator[str]:
    """Strings of 1 to 6 pieces, the same on every run; none is empty or longer than a field may be."""
    rng = random.Random(20261130)
    for _ in range(count):
        yield "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 6)))[:200]


class Shape(HTMLParser):
    """The elements and attributes of a page, in order, without any text or value."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.seen: list[tuple[str, ...]] = []
        self.feed(page.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, *(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.seen.append((f"/{tag}",))

    def handle_comment(self, data: str) -> None:
        self.seen.append(("comment",))

    def handle_decl(self, decl: str) -> None:
        self.seen.append(("declaration",))


class Undrawn(FigureStore):
    """Holds a stand-in for every chart: what charts do with foreign text has tests of its own."""

    def get(self, digest: str) -> str | None:
        return '<svg class="chart" role="img" aria-label="x"></svg>'


class Strings:
    """Gives out the strings one after another, none twice in a row under one prefix."""

    def __init__(self, strings: Iterator[str]) -> None:
        self._strings = strings
        self.given = 0

    def __call__(self) -> str:
        self.given += 1
        return next(self._strings)


def poisoned(unit: VerifiedUnit, take: Strings) -> VerifiedUnit:
    """Return the unit with a string of ``take`` in every field of text."""
    assert unit.protocol is not None
    ids = {
        task.id: f"{take()}{i}"[-200:]
        for i, task in enumerate((*unit.protocol.pack.dataset, *unit.protocol.pack.null_pack))
    }
    document = msgspec.structs.replace(unit.protocol.protocol, title=take(), licence=take(), authors=(take(), take()))
    pack = dataclasses.replace(
        unit.protocol.pack,
        dataset=tuple(poisoned_task(task, ids, take) for task in unit.protocol.pack.dataset),
        null_pack=tuple(poisoned_task(task, ids, take) for task in unit.protocol.pack.null_pack),
        oracles={ids[key]: f"{flat(take())} wanted".encode() for key in unit.protocol.pack.oracles},
        null_oracles={ids[key]: f"{flat(take())} wanted".encode() for key in unit.protocol.pack.null_oracles},
    )
    return dataclasses.replace(
        unit,
        protocol=dataclasses.replace(unit.protocol, protocol=document, whole_pack=pack, notes=None),
        reports=tuple(poisoned_report(report, ids, take) for report in unit.reports),
        refused=tuple(poisoned_refused(run, take) for run in unit.refused),
    )


def flat(text: str) -> str:
    """An answer of one line: another number of lines would rightly be another number of rows."""
    return f"{text}.".replace("\n", " ").replace("\ud800", " ")


def poisoned_task(task: Any, ids: Mapping[str, str], take: Strings) -> Any:
    return msgspec.structs.replace(
        task, id=ids[task.id], shown={"prompt": f"{take()}.", take(): [take(), {take(): 1.5}]}
    )


def poisoned_report(report: VerifiedReport, ids: Mapping[str, str], take: Strings) -> VerifiedReport:
    def row(of: Any) -> Any:
        return msgspec.structs.replace(of, id=ids[of.id])

    def transcripts(of: Mapping[str, Any]) -> dict[str, Any]:
        return {
            ids[key]: msgspec.structs.replace(
                t, task_id=ids[key], artifact=f"{flat(take())} made" if t.artifact else t.artifact
            )
            for key, t in of.items()
        }

    manifest = msgspec.structs.replace(
        report.manifest, title=take(), route=take(), model=take(), decoder={take(): take()}, served_as=(take(),),
        command=(take(), take()), env=(take(),), tool_whitelist=(),
    )  # fmt: skip
    made = msgspec.structs.replace(
        report.report.made_by, tool=take(), executor=take(), source=take(), isolation=take(), limits=(take(), take())
    )
    card = dataclasses.replace(report.card, null_rows=tuple(map(row, report.card.null_rows)))
    stated = msgspec.structs.replace(report.report, route=manifest.route, made_by=made)
    return dataclasses.replace(
        report,
        manifest=manifest,
        report=stated,
        card=card,
        rows=tuple(map(row, report.rows)),
        transcripts=transcripts(report.transcripts),
        null_transcripts=transcripts(report.null_transcripts),
    )


def poisoned_refused(run: RefusedRun, take: Strings) -> RefusedRun:
    refusals = tuple(
        dataclasses.replace(refusal, file=take(), path=take(), hint=take(), found=take(), expected=take())
        for refusal in run.refusals
    )
    events = tuple((digest, msgspec.structs.replace(event, reason=take())) for digest, event in run.events)
    return dataclasses.replace(run, route=take(), refusals=refusals, events=events)


def settings(take: Strings) -> Settings:
    links = (Link(text=take(), href="https://example.org/"),)
    return Settings(title=take(), organisation=take(), licence=take(), links=links)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> VerifiedUnit:
    root = tmp_path_factory.mktemp("hostile")
    changes = {"publish": {"min_n": 2, "min_n_negative": 2, "same_conditions": ["retry_limit"]}}
    make_protocol(root, ordinary=2, negative=2, changes=changes)
    make_run(root, "demo.v1", "alpha", wrong=("T-001",), invalid=("N-001",))
    make_run(root, "demo.v1", "beta", wrong=("T-002",))
    make_run(root, "demo.v1", "stub", answers={"NP-REFUSE": "always"})
    return judge(root, "demo.v1")


def rendered(unit: VerifiedUnit, look: Look) -> dict[str, bytes]:
    empty, summary = Contents(count=0, files=(), pages=()), summarise(unit)
    brief = brief_of(summary)
    pages = [*unit_pages(look, unit), *whole_pages(look, [brief], [], empty, lambda protocol_id: summary)]
    return {REPORTS: b"".join(reports_json([brief.records])), **{page.path: page.data for page in pages}}


def shapes(pages: Mapping[str, bytes], asset_folder: str) -> dict[str, list[tuple[str, ...]]]:
    return {path: Shape(data).seen for path, data in pages.items() if path.endswith(".html")}


def hold(small: VerifiedUnit, strings: Iterator[str], rounds: int | None = None) -> int:
    plain = (f"word{i}" for i in iter(int, 1))
    benign = Strings(plain)
    look = Look.open(settings(benign), None, None, NO_RELATIONS)
    look = dataclasses.replace(look, figures=Undrawn(None))
    expected = shapes(rendered(poisoned(small, benign), look), look.asset_folder)
    take = Strings(strings)
    done = 0
    while rounds is None or done < rounds:
        try:
            unit, own = poisoned(small, take), dataclasses.replace(look, settings=settings(take))
        except (StopIteration, RuntimeError):
            break
        pages = rendered(unit, own)
        found = shapes(pages, look.asset_folder)
        assert found.keys() == expected.keys()
        for path, shape in found.items():
            assert shape == expected[path], path
            assert find_page_faults(Page(path=path, data=pages[path])) == []
        json.loads(pages[REPORTS])
        done += 1
    return take.given


def test_thousands_of_own_strings_change_no_page(small: VerifiedUnit) -> None:
    assert hold(small, own_strings(OURS)) >= OURS


def test_naughty_strings_change_no_page(small: VerifiedUnit) -> None:
    if not SUITE.is_file():
        pytest.skip(f"the suite of naughty strings is not at {SUITE}")
    naughty = [text for text in json.loads(SUITE.read_text(encoding="utf-8")) if text.strip()]
    assert hold(small, (text[:200] for text in naughty * 2)) >= len(naughty)


def test_a_browser_parses_the_same_shape(small: VerifiedUnit, look: Look, parse: Any) -> None:
    own = dataclasses.replace(look, figures=Undrawn(None))
    plain = rendered(poisoned(small, Strings(f"word{i}" for i in iter(int, 1))), own)
    hostile = rendered(poisoned(small, Strings(own_strings(500))), own)
    for path, data in plain.items():
        if path.endswith(".html"):
            one, other = ([(e.tag, sorted(e.keys())) for e in parse(page).iter()] for page in (data, hostile[path]))
            assert one == other, path


def test_real_charts_hold_foreign_text_as_text(small: VerifiedUnit, look: Look, parse: Any) -> None:
    pages = rendered(poisoned(small, Strings(own_strings(500))), look)
    tree = parse(pages["protocols/demo.v1/index.html"])
    charts = [element for element in tree.iter() if element.get("class") == "chart"]
    assert len(charts) == 4
    assert {e.tag.rpartition("}")[2] for chart in charts for e in chart.iter()} <= {"svg", "path", "circle", "text"}
