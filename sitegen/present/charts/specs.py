"""The specification of each kind of chart, made and validated once with Altair; the data is put in for each page.

Colours are names in disguise: :data:`TONES` gives each a colour that occurs nowhere else, and the tidied SVG carries a
class in its place, so that one drawing serves both themes. No layout depends on the measured width of a text: sizes
are fixed, labels and titles stand at fixed places outside the frames, and nothing is clipped, so that no id is needed.

Texts are names in disguise too. To measure one takes the converter a millisecond, which is most of what a chart costs,
and gives other places where other fonts are installed. So every text is written in size 0, which is not measured, and
its font is named after its true size and where its line lies: :func:`face`. The tidied SVG carries the size.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

TONES = {
    "ink": "#000001",
    "quiet": "#000002",
    "line": "#000003",
    "success": "#000004",
    "abstention": "#000005",
    "invalid": "#000006",
    "false": "#000007",
}
"""Colour by tone, as written in specifications and found again by :mod:`sitegen.present.charts.tidy`."""

ROW_STEP = 22
"""Height of one contestant's row in a forest plot, in pixels."""
STRIP_STEP = 26
"""Height of one contestant's row in a strip of outcomes."""
PANEL, GAP, LABELS = 300, 100, 120
SQUARE = 380
SMALL = (210, 130)
SMALL_COLUMNS, SMALL_GAP, SMALL_LINE_GAP = 4, 48, 66
STRIP = 760
LABEL, TICK = 12, 11
CAP = 2.5
"""Half the length of the cap at the end of an interval, in pixels."""


def face(size: int, baseline: str) -> str:
    """Return the name of the font of a text whose ``baseline`` (``top``, ``middle`` or ``bottom``) is at its place."""
    return f"{size} {baseline}"


@cache
def specification(kind: str) -> dict[str, Any]:
    """Return the Vega-Lite specification of a kind, validated by Altair, with empty data.

    Raises:
        KeyError: an unknown kind.
    """
    made: dict[str, Any] = _KINDS[kind]().to_dict()
    return made


def _configured(chart: Any, frame: str | None = TONES["line"]) -> Any:
    import altair as alt

    quiet, ink = TONES["quiet"], TONES["ink"]
    return chart.configure(
        axis=alt.AxisConfig(
            grid=True,
            gridColor=TONES["line"],
            domainColor=quiet,
            tickColor=quiet,
            labelColor=quiet,
            titleColor=ink,
            titleFontWeight="normal",
            titleFontSize=0,
            labelFontSize=0,
            labelOverlap=False,
            labelBound=False,
            labelFlush=False,
        ),
        axisX=alt.AxisConfig(labelFont=face(TICK, "top"), titleFont=face(LABEL, "top"), titleY=26),
        axisY=alt.AxisConfig(labelFont=face(TICK, "middle"), titleFont=face(LABEL, "bottom"), titleX=-30.3),
        header=alt.HeaderConfig(
            labelColor=ink,
            labelFont=face(LABEL, "bottom"),
            labelFontSize=0,
            labelLimit=0,
            labelAnchor="start",
            labelFontWeight="normal",
            title=None,
        ),
        view=alt.ViewConfig(stroke=frame),
        background="transparent",
        padding=0,
        aria=False,
    )


def _text(align: str, baseline: str, tone: str, size: int) -> dict[str, Any]:
    """The properties of a mark of text; its place must not depend on its width."""
    font = face(size, baseline)
    return {"align": align, "baseline": baseline, "color": TONES[tone], "font": font, "fontSize": 0, "limit": 0}


def _unit_axis(title: str) -> Any:
    import altair as alt

    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    return alt.Axis(title=title, values=ticks, format=".1f")


def _forest() -> Any:
    import altair as alt

    rows = alt.NamedData(name="rows")
    place = alt.Y("place:Q", axis=None, scale=alt.Scale(domain=[0, 1], reverse=True, nice=False))
    labels = alt.Chart(rows, width=LABELS, height=ROW_STEP).mark_text(
        **_text("right", "middle", "ink", LABEL)
    ).encode(x=alt.value(LABELS + GAP - 8), y=place, text="label:N")  # fmt: skip
    panels = []
    for name, tone in (("success", "success"), ("abstention", "abstention")):
        base = alt.Chart(rows, width=PANEL, height=ROW_STEP)
        scale = alt.Scale(domain=[0, 1], nice=False)
        title = {"success": "task success, 95% interval", "abstention": "abstention accuracy, 95% interval"}[name]
        at = alt.X(f"{name}:Q", scale=scale, axis=_unit_axis(title))
        span = base.mark_rule(color=TONES[tone], strokeWidth=1.8).encode(
            x=alt.X(f"{name}_low:Q", scale=scale, axis=_unit_axis(title)), x2=f"{name}_high:Q", y=place
        )
        dot = base.mark_circle(color=TONES[tone], size=46, opacity=1).encode(x=at, y=place)
        text = base.mark_text(**_text("left", "middle", "quiet", TICK)).encode(
            x=alt.value(PANEL + 8), y=place, text=f"{name}_text:N"
        )
        panels.append(alt.layer(span, dot, text))
    framed = [panel.properties(view=alt.ViewBackground(stroke=TONES["line"])) for panel in panels]
    return _configured(alt.hconcat(labels, *framed, spacing=GAP, bounds="flush"), frame=None)


def _scatter() -> Any:
    import altair as alt

    rows = alt.NamedData(name="rows")
    base = alt.Chart(rows, width=SQUARE, height=SQUARE)
    scale = alt.Scale(domain=[0, 1], nice=False)
    on_x, on_y = ({"scale": scale, "axis": _unit_axis(title)} for title in ("task success", "abstention accuracy"))
    across, up = alt.X("across:Q", **on_x), alt.Y("up:Q", **on_y)

    def rule(tone: str, **options: Any) -> Any:
        return base.mark_rule(color=TONES[tone], strokeWidth=1.4, **options)

    wide = rule("success").encode(x=alt.X("success_low:Q", **on_x), x2="success_high:Q", y=up)
    wide_caps = [
        rule("success", yOffset=-CAP, y2Offset=CAP).encode(x=alt.X(f"{end}:Q", **on_x), y=up, y2="up:Q")
        for end in ("success_low", "success_high")
    ]
    tall = rule("abstention").encode(x=across, y=alt.Y("abstention_low:Q", **on_y), y2="abstention_high:Q")
    tall_caps = [
        rule("abstention", xOffset=-CAP, x2Offset=CAP).encode(x=across, x2="across:Q", y=alt.Y(f"{end}:Q", **on_y))
        for end in ("abstention_low", "abstention_high")
    ]
    dot = base.mark_circle(color=TONES["ink"], size=30, opacity=1).encode(x=across, y=up)
    named = base.transform_filter("isValid(datum.label_at)")
    leader = named.mark_rule(color=TONES["line"], strokeWidth=1).encode(
        x=across, y=up, x2=alt.value(SQUARE + 12), y2="label_at:Q"
    )
    label = named.mark_text(**_text("left", "middle", "ink", LABEL)).encode(
        x=alt.value(SQUARE + 16), y=alt.Y("label_at:Q", scale=scale), text="label:N"
    )
    return _configured(alt.layer(leader, wide, *wide_caps, tall, *tall_caps, dot, label))


def _wall_clock() -> Any:
    """Small panels that the data place, in pixels: each row is one mark."""
    import altair as alt

    base = alt.Chart(alt.NamedData(name="rows"), width=SMALL[0], height=SMALL[1])
    x, y = alt.X("x:Q", scale=None, axis=None), alt.Y("y:Q", scale=None, axis=None)

    def of(mark: str) -> Any:
        return base.transform_filter(f"datum.mark == '{mark}'")

    def lines(mark: str, tone: str) -> Any:
        return of(mark).mark_rule(color=TONES[tone], strokeWidth=1).encode(x=x, y=y, x2="x2:Q", y2="y2:Q")

    def curve(mark: str, tone: str, width: float) -> Any:
        # A symbol of its own shape and of size 4, which is its true one: a line a curve takes several times as long.
        drawn = of(mark).mark_point(color=TONES[tone], strokeWidth=width, size=4, filled=False, opacity=1)
        return drawn.encode(x=x, y=y, shape=alt.Shape("path:N", scale=None))

    def texts(mark: str, *style: Any) -> Any:
        return of(mark).mark_text(**_text(*style)).encode(x=x, y=y, text="text:N")

    timed_out = of("timed out").mark_rect(color=TONES["invalid"], opacity=0.25)
    return _configured(
        alt.layer(
            lines("grid", "line"),
            lines("axis", "quiet"),
            timed_out.encode(x=x, y=y, x2="x2:Q", y2="y2:Q"),
            curve("ended", "ink", 1.4),
            curve("solved", "success", 1.8),
            texts("heading", "left", "bottom", "ink", LABEL),
            texts("seconds", "center", "top", "quiet", TICK),
            texts("unit", "center", "top", "ink", LABEL),
            texts("share", "right", "middle", "quiet", TICK),
            texts("timeouts", "left", "top", "invalid", TICK),
        ),
        frame=None,
    )


def _strip() -> Any:
    import altair as alt

    runs = alt.NamedData(name="rows")
    base = alt.Chart(runs, width=STRIP, height=STRIP_STEP)
    tones = alt.Scale(domain=list(TONES), range=list(TONES.values()))
    across = alt.X("start:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=None)
    up = alt.Y("top:Q", scale=alt.Scale(domain=[0, 1], nice=False, reverse=True), axis=None)
    cells = base.transform_filter("isValid(datum.tone)").mark_rect().encode(
        x=across, x2="end:Q", y=up, y2="bottom:Q", color=alt.Color("tone:N", scale=tones, legend=None)
    )  # fmt: skip
    label = base.transform_filter("isValid(datum.label)").mark_text(
        **_text("right", "middle", "ink", LABEL)
    ).encode(x=alt.value(-8), y=up, text="label:N")  # fmt: skip
    return _configured(alt.layer(cells, label), frame=None)


_KINDS: dict[str, Callable[[], Any]] = {
    "forest": _forest,
    "scatter": _scatter,
    "wall_clock": _wall_clock,
    "strip": _strip,
}
