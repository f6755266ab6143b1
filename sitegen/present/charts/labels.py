"""What runs are called on a chart, and how much room that takes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from unicodedata import east_asian_width

from sitegen.present.visible import clip, visible

LONGEST = 34
"""Characters of a label."""
_OF_RUN = 6
"""Characters at the end of a run's id, which tell runs of one name apart."""
_NARROW, _BROAD = frozenset(" .,:;'!|()[]/-fijlrtI"), frozenset("mMW@%…")
_EMS = {"narrow": 0.41, "plain": 0.64, "capital": 0.79, "broad": 1.0}
"""Width of a character in heights of its font, as in DejaVu Sans, which is wide."""


def labels_of(titles: Mapping[str, str]) -> dict[str, str]:
    """Return the label of each run by its id: its title in one short line in which every character shows.

    Where several would read alike, each says at its end which run it is.

    Args:
        titles: of all runs of a page, by id, so that a run is called the same on every chart.
    """
    short = {run_id: _line(title, LONGEST) for run_id, title in titles.items()}
    times = Counter(short.values())
    return {
        run_id: label if times[label] == 1 else f"{_line(label, LONGEST - _OF_RUN - 1)} {run_id[-_OF_RUN:]}"
        for run_id, label in short.items()
    }


def room(texts: Iterable[str], size: int) -> int:
    """Return the pixels that the longest of ``texts`` takes in a font of ``size``: estimated, and rather too many."""
    widths = (sum(_EMS[_breadth(character)] for character in text) for text in texts)
    return math.ceil(size * max(widths, default=0.0))


def _line(text: str, most: int) -> str:
    return clip(visible(text).replace("\n", " "), most)


def _breadth(character: str) -> str:
    if character in _NARROW:
        return "narrow"
    if character in _BROAD or east_asian_width(character) in "WF":
        return "broad"
    return "capital" if character.isupper() or character in "w&" or not character.isascii() else "plain"
