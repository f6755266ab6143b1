"""Data of a chart → its SVG, drawn once: a chart whose data were drawn before comes from the store."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from markupsafe import Markup

from sitegen.digests import Digest, folder_digest, sha256
from sitegen.present.charts.store import FigureStore
from sitegen.present.charts.tidy import Box, tidy
from sitegen.refusals import Misuse

Rows = Sequence[Mapping[str, Any]]
_FEWEST_TICKS = 3
_LEAST_APART = 0.11
"""Of the axis: as much as a label of a few digits takes in a small frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawable:
    """Everything that a chart is drawn from.

    ``height`` is that of the frames in pixels, where it depends on the data; ``domain`` the ends of a logarithmic axis.
    """

    kind: str
    rows: Rows
    box: Box
    label: str
    height: float | None = None
    domain: tuple[float, float] | None = None


def draw(source: str, made: Callable[[], Drawable | None], store: FigureStore) -> Markup | None:
    """Return a chart as inline SVG, from the store where it was drawn before; ``None`` where there is nothing to draw.

    Args:
        source: stands for everything that ``made`` reads: the same text gives the same chart.
        made: makes the chart's data, which takes longer than to find a chart; asked only where it must be drawn.
        store: of drawn charts.
    """
    key = sha256(f"{_drawer()} {source}".encode())
    kept = store.get(key)
    if kept is None:
        drawable = made()
        kept = "" if drawable is None else _drawn(drawable, store)
        store.put(key, kept)
    return Markup(kept) if kept else None


def _drawn(drawable: Drawable, store: FigureStore) -> str:
    import vl_convert

    spec = _compiled(drawable.kind, store)
    _fit(spec, drawable)
    # As text: the converter takes a value apart in several times what it takes to read its text.
    return tidy(vl_convert.vega_to_svg(json.dumps(spec)), drawable.box, drawable.label)


def _compiled(kind: str, store: FigureStore) -> dict[str, Any]:
    """Return the specification of a kind, compiled from Vega-Lite to Vega; of the latter, each chart gets a copy.

    It is kept beside the figures: importing Altair and compiling cost more than many charts.

    Raises:
        Misuse: it was not kept, and Python left out the docstrings, without which Altair cannot be imported.
    """
    key = sha256(f"{_drawer()} specification of {kind}".encode())
    try:
        made = json.loads(store.get(key) or "")
    except ValueError:  # not there yet, or nothing that this version wrote
        made = None
    if not isinstance(made, dict):
        if sys.flags.optimize > 1:
            raise Misuse("charts are drawn with Altair, which needs docstrings: run Python with -O at most, not -OO")
        import vl_convert

        from sitegen.present.charts.specs import specification

        made = vl_convert.vegalite_to_vega(specification(kind))
        store.put(key, json.dumps(made))
    found: dict[str, Any] = made
    return found


def _fit(spec: dict[str, Any], drawable: Drawable) -> None:
    """Put the data, the height of the frames, and the ends of a logarithmic axis, where the specification has them."""
    for data in spec["data"]:
        if data["name"] == "rows":
            data["values"] = list(drawable.rows)
    if drawable.height is not None:
        spec["height"] = drawable.height
    if drawable.domain is None:
        return
    logarithmic = [scale for scale in spec["scales"] if scale["type"] == "log"]
    for scale in logarithmic:
        scale["domain"] = list(drawable.domain)
    names = {scale["name"] for scale in logarithmic}
    for axis in _axes(spec):
        if axis["scale"] in names:
            axis["values"] = ticks_of(drawable.domain)


def ticks_of(domain: tuple[float, float]) -> list[float]:
    """Return the ticks of a logarithmic axis: powers of ten, and multiples of them where these are fewer than three."""
    decades = range(math.floor(math.log10(domain[0])), math.ceil(math.log10(domain[1])) + 1)
    ticks: list[float] = []
    for digits in ((1,), (1, 2, 5), tuple(range(1, 10))):
        inside = (float(f"{digit}e{decade}") for decade in decades for digit in digits)
        ticks = _apart([tick for tick in inside if domain[0] <= tick <= domain[1]], domain)
        if len(ticks) >= _FEWEST_TICKS:
            return ticks
    return ticks or [float(f"{math.sqrt(domain[0] * domain[1]):.2g}")]


def _apart(ticks: Sequence[float], domain: tuple[float, float]) -> list[float]:
    """Leave out the ticks whose labels would run into the one before."""
    least = (domain[1] / domain[0]) ** _LEAST_APART
    found: list[float] = []
    for tick in ticks:
        if not found or tick / found[-1] >= least:
            found.append(tick)
    return found


def _axes(group: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the axes of a group of marks and of the groups in it."""
    yield from group.get("axes", ())
    for mark in group.get("marks", ()):
        yield from _axes(mark)


@cache
def _drawer() -> Digest:
    """Digest of what draws: this package's modules and the versions of the libraries."""
    sources = {path.name: sha256(path.read_bytes()) for path in Path(__file__).parent.glob("*.py")}
    versions = {name: sha256(version(name).encode()) for name in ("altair", "vl-convert-python")}
    return folder_digest({**sources, **versions})
