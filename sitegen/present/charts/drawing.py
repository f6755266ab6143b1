"""Data of a chart → its SVG, drawn once: a chart whose data were drawn before comes from the store."""

from __future__ import annotations

import copy
import json
import math
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

    spec = _specification(drawable.kind, store)
    spec["datasets"] = {"rows": list(drawable.rows)}
    _fit(spec, drawable)
    return tidy(vl_convert.vegalite_to_svg(spec), drawable.box, drawable.label)


def _specification(kind: str, store: FigureStore) -> dict[str, Any]:
    """Return the specification of a kind, kept beside the figures: importing Altair costs more than many charts.

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
        from sitegen.present.charts.specs import specification

        made = copy.deepcopy(specification(kind))
        store.put(key, json.dumps(made))
    found: dict[str, Any] = made
    return found


def _fit(spec: dict[str, Any], drawable: Drawable) -> None:
    """Put the height of the frames, and the ends of a logarithmic axis, where the specification has them."""
    for part in _parts(spec):
        if drawable.height is not None and "height" in part:
            part["height"] = drawable.height
        scale = part.get("encoding", {}).get("x", {}).get("scale", {})
        if drawable.domain is not None and scale.get("type") == "log":
            scale["domain"] = list(drawable.domain)
            part["encoding"]["x"]["axis"]["values"] = _powers_of_ten(drawable.domain)


def _powers_of_ten(domain: tuple[float, float]) -> list[float]:
    """Ticks of a logarithmic axis: every power of ten inside it, or its middle where there is none."""
    ends = math.ceil(math.log10(domain[0])), math.floor(math.log10(domain[1]))
    return [10.0**power for power in range(ends[0], ends[1] + 1)] or [float(f"{math.sqrt(domain[0] * domain[1]):.1g}")]


def _parts(spec: dict[str, Any]) -> list[dict[str, Any]]:
    found = [spec]
    for name in ("hconcat", "layer"):
        for part in spec.get(name, ()):
            found += _parts(part)
    if isinstance(spec.get("spec"), dict):
        found += _parts(spec["spec"])
    return found


@cache
def _drawer() -> Digest:
    """Digest of what draws: this package's modules and the versions of the libraries."""
    sources = {path.name: sha256(path.read_bytes()) for path in Path(__file__).parent.glob("*.py")}
    versions = {name: sha256(version(name).encode()) for name in ("altair", "vl-convert-python")}
    return folder_digest({**sources, **versions})
