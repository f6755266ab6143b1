"""The charts of one protocol: which data they show, what their captions say, and where labels stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from markupsafe import Markup

from sitegen.digests import Digest, sha256
from sitegen.measure.scorecard import Estimate
from sitegen.present.charts.drawing import Drawable, draw
from sitegen.present.charts.labels import labels_of, room
from sitegen.present.charts.placing import Arm, dodged, spread
from sitegen.present.charts.specs import GAP, LABEL, LABELS, PANEL, ROW_STEP, SQUARE, STRIP, STRIP_STEP, TICK
from sitegen.present.charts.store import FigureStore
from sitegen.present.charts.tidy import Box
from sitegen.present.charts.wall_clock import wall_clock
from sitegen.present.comparing import Group, GroupRow, Standing
from sitegen.read.encoding import compact_json
from sitegen.verify.verified import VerifiedReport

MOST_LABELLED = 24
"""Runs that a scatter labels; more would cover each other."""
MOST_CELLS = 6_000
"""Tasks times runs above which the strip of outcomes is left out: the reports show every task."""
_HEIGHTS: Mapping[str, tuple[str, float]] = {
    "success": ("success", 1.0),
    "abstain_ok": ("abstention", 1.0),
    "invalid_completion": ("invalid", 0.4),
    "miss": ("quiet", 0.4),
    "false_abstain": ("false", 0.65),
}
"""Tone and height by outcome; every other outcome is a thin line."""
_OTHER = ("ink", 0.15)


_FOREST = (
    "Task success (n = {n}) and abstention accuracy (n = {m}), each with its 95% interval and k/n; letters join runs"
    " that cannot be told apart."
)
_SCATTER = (
    "Task success (n = {n}) against abstention accuracy (n = {m}); each arm is a 95% interval by itself. Of arms that"
    " would lie on one line, some stand up to 3 pixels beside it."
)
_WALL_CLOCK = (
    "Wall-clock of the dataset tasks, in seconds on a logarithmic axis. Thin: share of all tasks that ended by then;"
    " thick and green: share of the ordinary tasks (n = {n}) solved by then, which levels off at task success; shaded"
    " at the top: timed out."
)
_STRIP = (
    "Every task, one column each: ordinary tasks left, negative controls right, those that most runs get right first."
    " Full height: solved, or rightly abstained. Lower: a miss (left, grey) or an invalid completion (right, red)."
    " In between: false abstention. A thin line: error, timeout, over budget or no answer."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One chart on a page."""

    name: str
    svg: Markup
    caption: str


def figures_of(
    groups: Sequence[Group], reports: Sequence[VerifiedReport], n: int, m: int, store: FigureStore
) -> list[Figure]:
    """Return the charts of a protocol with ``n`` ordinary tasks and ``m`` controls; none without a published run."""
    verified = {report.run_id: report for report in reports}
    rows = [row for group in groups for row in group.rows]
    ordered = [verified[row.report.run_id] for row in rows]
    if not ordered:
        return []
    labels = labels_of({row.report.run_id: row.report.title for row in rows})
    runs = f"{len(ordered)} run{'' if len(ordered) == 1 else 's'}"
    apart = " Groups under other conditions stand apart and are not compared." if len(groups) > 1 else ""
    charts: tuple[tuple[str, Callable[[], Drawable | None], str], ...] = (
        ("Forest plot", lambda: _forest(groups, labels, runs), f"{_FOREST.format(n=n, m=m)}{apart}"),
        ("Success against abstention", lambda: _scatter(rows, labels, runs), _SCATTER.format(n=n, m=m)),
        ("Wall-clock", lambda: wall_clock(ordered, labels, runs), _WALL_CLOCK.format(n=n)),
        ("Outcomes", lambda: _strip(ordered, labels, runs), _STRIP),
    )
    source = _source(groups, verified, labels)
    drawn = [(name, draw(f"{name} {source}", made, store), caption) for name, made, caption in charts]
    return [Figure(name=name, svg=svg, caption=caption) for name, svg, caption in drawn if svg]


def _source(groups: Sequence[Group], verified: Mapping[str, VerifiedReport], labels: Mapping[str, str]) -> Digest:
    """Return the digest of every value that the functions below read, without making the data of a chart."""
    values = [
        [[labels[row.report.run_id], *_read_of(row, verified[row.report.run_id])] for row in group.rows]
        for group in groups
    ]
    return sha256(compact_json(values))


def _read_of(row: GroupRow, report: VerifiedReport) -> list[object]:
    card = report.card
    arms = (_arm("success", card.success, row.success), _arm("abstention", card.abstention, row.abstention))
    timeouts = card.covariates.wall_clock_sec.timeouts
    rows = [(task.kind, task.outcome, task.wall_clock_sec) for task in report.rows]
    return [*arms, card.success.n, timeouts, sha256(compact_json(rows))]


def _forest(groups: Sequence[Group], labels: Mapping[str, str], runs: str) -> Drawable:
    lines = sum(len(group.rows) for group in groups) + len(groups) - 1
    rows: list[dict[str, Any]] = []
    line = 0
    for group in groups:
        for row in group.rows:
            card = row.report.card
            rows.append(
                {"label": labels[row.report.run_id], "place": round((line + 0.5) / lines, 5)}
                | _arm("success", card.success, row.success)
                | _arm("abstention", card.abstention, row.abstention)
            )
            line += 1
        line += 1
    height = ROW_STEP * lines
    left = LABELS + GAP - 16 - room(labels.values(), LABEL)
    right = LABELS + 2 * (GAP + PANEL) + 16 + room((row["abstention_text"] for row in rows), TICK)
    return Drawable(
        kind="forest",
        rows=rows,
        box=Box(left=left, top=-6, width=right - left, height=height + 52),
        label=f"Forest plot of {runs}: task success and abstention accuracy with 95% intervals, as in the table above",
        height=height,
    )


def _arm(name: str, estimate: Estimate, standing: Standing | None) -> dict[str, Any]:
    low, high = estimate.stated
    letters = f"  {standing.letters}" if standing is not None and standing.letters else ""
    text = f"{estimate.k}/{estimate.n}{letters}"
    return {name: round(estimate.rate, 4), f"{name}_low": low, f"{name}_high": high, f"{name}_text": text}


def _scatter(shown: Sequence[GroupRow], labels: Mapping[str, str], runs: str) -> Drawable:
    """Return the chart of both rates: ``across`` and ``up`` say where a run's two arms cross."""
    rows = [
        {"label": labels[row.report.run_id]}
        | _arm("success", row.report.card.success, None)
        | _arm("abstention", row.report.card.abstention, None)
        for row in shown
    ]
    labelled = len(rows) <= MOST_LABELLED
    across, up = _places(rows, "success", "abstention"), _places(rows, "abstention", "success")
    for row, x, y, place in zip(rows, across, up, spread(up, 14.5 / SQUARE), strict=True):
        row |= {"across": x, "up": y, "label_at": place if labelled else None}
    beside = 32 + room(labels.values(), LABEL) if labelled else 12
    return Drawable(
        kind="scatter",
        rows=rows,
        box=Box(left=-52, top=-8, width=52 + SQUARE + beside, height=SQUARE + 56),
        label=f"Task success against abstention accuracy of {runs}, with both 95% intervals, as in the table above",
    )


def _places(rows: Sequence[Mapping[str, Any]], rate: str, along: str) -> list[float]:
    """Return where the arms that reach along the other axis stand by ``rate``, so that each can be seen."""
    arms = [Arm(*(SQUARE * row[name] for name in (rate, f"{along}_low", f"{along}_high"))) for row in rows]
    return [round(row[rate] + shift / SQUARE, 5) for row, shift in zip(rows, dodged(arms, SQUARE), strict=True)]


def _strip(reports: Sequence[VerifiedReport], labels: Mapping[str, str], runs: str) -> Drawable | None:
    tasks = len(reports[0].rows)
    if tasks * len(reports) > MOST_CELLS:
        return None
    order = _easiest_first(reports)
    gap = 0.02
    unit = (1 - gap) / tasks
    ordinary = sum(row.kind == "ordinary" for row in reports[0].rows)
    rows: list[dict[str, Any]] = []
    for line, report in enumerate(reports):
        top, bottom = (line + 0.12) / len(reports), (line + 0.88) / len(reports)
        rows.append({"label": labels[report.run_id], "top": round((top + bottom) / 2, 5)})
        place = 0
        for (kind, outcome), same in groupby((report.rows[task].kind, report.rows[task].outcome) for task in order):
            width = len(list(same))
            tone, height = _HEIGHTS.get(outcome, _OTHER)
            shift = 0.0 if place < ordinary and kind == "ordinary" else gap
            rows.append(
                {
                    "start": round(place * unit + shift, 5),
                    "end": round((place + width) * unit + shift, 5),
                    "top": round(bottom - (bottom - top) * height, 5),
                    "bottom": round(bottom, 5),
                    "tone": tone,
                }
            )
            place += width
    left = -16 - room(labels.values(), LABEL)
    return Drawable(
        kind="strip",
        rows=rows,
        box=Box(left=left, top=-4, width=STRIP + 4 - left, height=STRIP_STEP * len(reports) + 8),
        label=f"Outcome of each of {tasks} tasks in {runs}; the reports list every task",
        height=STRIP_STEP * len(reports),
    )


def _easiest_first(reports: Sequence[VerifiedReport]) -> list[int]:
    """Return the places of all tasks: ordinary ones first, then by how many runs get them right, then as sealed."""
    right = [sum(report.rows[task].outcome in ("success", "abstain_ok") for report in reports)
             for task in range(len(reports[0].rows))]  # fmt: skip
    rows = reports[0].rows
    return sorted(range(len(rows)), key=lambda task: (rows[task].kind != "ordinary", -right[task], task))
