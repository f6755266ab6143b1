"""Write the scorecards of a site as Markdown, for a job's summary: every row is a whole scorecard.

    python summary.py ROOT

With a fault there are no figures, as there would be no site.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import sitegen
from sitegen.present.cards import card_forms
from sitegen.present.summary import UnitSummary, summarise
from sitegen.present.wording import counted
from sitegen.refusals import Refusal, Refused, faults
from sitegen.refusals.message import escape


def summary(root: str) -> Iterator[str]:
    """Yield the lines of the summary."""
    yield "## Scorecards"
    yield ""
    try:
        library = sitegen.verify_library(root)
    except Refused as refused:  # the folder or the settings cannot be used
        yield from _refused(refused.refusals)
        return
    wrong = faults(library.refusals)
    if wrong:
        yield from _refused(wrong)
        return
    for unit in map(summarise, library.units):
        yield from _table(unit)


def _refused(found: Sequence[Refusal]) -> Iterator[str]:
    yield f"Nothing would be published: {counted(len(found), 'fault')}, of these kinds: "
    yield ", ".join(f"`{slug}`" for slug in sorted({refusal.slug for refusal in found}))
    yield ""


def _table(unit: UnitSummary) -> Iterator[str]:
    if not unit.reports:
        return
    yield f"### {_code(unit.protocol_id)}"
    yield ""
    names = [name for name, _ in card_forms(unit.reports[0]).cells]
    yield f"| Run | Route | {' | '.join(names)} |"
    yield f"|{'---|' * (len(names) + 2)}"
    for report in unit.reports:
        cells = [_code(report.run_id), _code(report.route), *(text for _, text in card_forms(report).cells)]
        yield f"| {' | '.join(cells)} |"
    yield ""


def _code(text: str) -> str:
    """Return foreign text as code, so that nothing in it is markup, a mention or a new cell."""
    return f"`{escape(text).replace('`', chr(39)).replace('|', '¦')}`"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in summary(sys.argv[1]))
