"""Whether what a seal says of the exam's reach is what the sealed pack gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from sitegen.measure.outlook import (
    CORRELATION_WORDS,
    DETECTABLE,
    Supposed,
    sealing_outlook,
    sizes_of_clusters,
    stored_outlook,
)
from sitegen.read.pack import Pack
from sitegen.read.protocol import SealedProtocol
from sitegen.read.schema import describe, pointer
from sitegen.refusals import Refusal


def find_outlook_faults(protocol: SealedProtocol, pack: Pack, document: str) -> Iterator[Refusal]:
    """Yield ``seal-incomplete`` for each part of the sealed outlook that the pack does not give.

    A seal made elsewhere may state no outlook. An exam that lacks a slice has none. ``document`` is the path of the
    sealed document.
    """
    stated, ordinary, negative = protocol.seal.outlook, pack.ordinary, pack.negative
    if not stated or not ordinary or not negative:
        return
    made = _outlook_of(
        len(ordinary),
        len(negative),
        protocol.publish.ci_method,
        sizes_of_clusters(ordinary, protocol.dataset.cluster),
        _supposed(stated.get(DETECTABLE)),
    )
    for name in dict.fromkeys((*made, *stated)):
        if made.get(name) != stated.get(name):
            expected = _text(made[name]) if name in made else "no such part"
            found = _text(stated[name]) if name in stated else "nothing"
            place = pointer("/seal/outlook", name)
            yield Refusal(slug="seal-incomplete", file=document, path=place, expected=expected, found=found)


@lru_cache(maxsize=4096)  # most exams of a site are of a few sizes
def _outlook_of(
    n: int, m: int, ci_method: str, cluster_sizes: tuple[int, ...], supposed: Supposed | None
) -> Mapping[str, Any]:
    outlook = sealing_outlook(n, m, ci_method=ci_method, cluster_sizes=cluster_sizes, supposed=supposed)
    return stored_outlook(outlook)


def _supposed(stated: Any) -> Supposed | None:
    """Return the stated detectable differences, where they have the form of any."""
    if not isinstance(stated, dict) or stated.keys() != set(CORRELATION_WORDS.values()):
        return None
    given = tuple(stated[word] for word in CORRELATION_WORDS.values())
    return given if all(part is None or isinstance(part, float) for part in given) else None


def _text(value: Any) -> str:
    """Return a part of an outlook in full: its lists and tables are short."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_text(part)}" for key, part in value.items())
    if isinstance(value, list):
        return f"[{', '.join(_text(part) for part in value)}]"
    return describe(value)
