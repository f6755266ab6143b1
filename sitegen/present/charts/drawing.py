"""Data of a chart → its SVG, drawn once: a chart whose data were drawn before comes from the store."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawable:
    """Everything that a chart is drawn from.

    ``height`` is that of the frames in pixels, where it depends on the data.
    """

    kind: str
    rows: Rows
    box: Box
    label: str
    height: float | None = None


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
    """Put the data and the height of the frames where the specification has them."""
    for data in spec["data"]:
        if data["name"] == "rows":
            data["values"] = list(drawable.rows)
    if drawable.height is not None:
        spec["height"] = drawable.height


@cache
def _drawer() -> Digest:
    """Digest of what draws: this package's modules and the versions of the libraries."""
    sources = {path.name: sha256(path.read_bytes()) for path in Path(__file__).parent.glob("*.py")}
    versions = {name: sha256(version(name).encode()) for name in ("altair", "vl-convert-python")}
    return folder_digest({**sources, **versions})
