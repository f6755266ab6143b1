"""What a run is called on a chart."""

from __future__ import annotations

from sitegen.present.visible import clip, visible
from sitegen.verify.verified import VerifiedReport

LONGEST = 34
"""Characters of a label."""


def label(text: str) -> str:
    """Return ``text`` in one short line in which every character shows."""
    return clip(visible(text).replace("\n", " "), LONGEST)


def label_of(report: VerifiedReport) -> str:
    """Return the label of a run: its contestant's title, else its route."""
    return label(report.manifest.title or report.report.route)
