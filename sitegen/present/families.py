"""A family's page: its versions across releases, what changed, what may still be compared, and each exam by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sitegen.compare.common_tasks import CommonTasks
from sitegen.compare.family import FamilyHistory, FamilyStep, family_history
from sitegen.compare.paired_wording import NAMES
from sitegen.compare.protocols import Verdict
from sitegen.compare.wording import needed, place, shown_values
from sitegen.measure.rounding import round_out, show_p
from sitegen.present.brief import UnitBrief
from sitegen.present.comparing import RowGroup, row_groups
from sitegen.present.head import plain_head
from sitegen.present.look import Look
from sitegen.present.overview import families_of
from sitegen.present.page import Page
from sitegen.present.summary import UnitSummary
from sitegen.present.wording import counted, signed


@dataclass(frozen=True, slots=True, kw_only=True)
class Exam:
    """One version with its published runs, in the groups of its own page."""

    unit: UnitSummary
    groups: tuple[RowGroup, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLine:
    """One change between two versions, as text."""

    where: str
    old: str
    new: str
    needs: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonLine:
    """One slice of a comparison on common tasks, as text: the table of agreement, difference, interval, exact p."""

    name: str
    both: int
    old_better: int
    new_better: int
    neither: int
    n: int
    difference: str
    low: str
    high: str
    p: str
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonView:
    """A contestant of the old version and one of the new on the tasks that both versions have."""

    route: str
    heading: str
    caveat: str
    runs: int
    lines: tuple[CommonLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """One version beside the one before it.

    ``obstacles`` say why no runs of the two may be compared; ``uncompared`` are routes of which runs were not, and why.
    """

    old: str
    new: str
    verdict: Verdict
    needed: str
    changes: tuple[ChangeLine, ...]
    obstacles: tuple[str, ...]
    common: tuple[CommonView, ...]
    uncompared: tuple[tuple[str, str], ...]


def family_pages(look: Look, briefs: Sequence[UnitBrief], recalled: Callable[[str], UnitSummary]) -> Iterator[Page]:
    """Yield the page of every family of more than one protocol; ``recalled`` gives the summary of each.

    Versions that were refused count, since the pages of the others lead here; they are named, and nothing more.
    """
    for family in families_of(briefs):
        if look.relations.family_size(family.units[0].protocol_id) < 2:
            continue
        units = [recalled(brief.protocol_id) for brief in family.units]
        path = f"families/{family.name}/index.html"
        description = f"Family {family.name}: {counted(len(units), 'version')}, each an exam of its own."
        history = history_of(units)
        data = look.render(
            "family.html",
            path,
            head=plain_head(look.settings, path, f"Family {family.name}", description),
            name=family.name,
            exams=[_exam(unit) for unit in units],
            refused=_refused_of(look, briefs, family.name),
            history=history,
            steps=[] if history is None else [step_view(step) for step in reversed(history.steps)],
            metrics={unit.protocol_id: unit.protocol.metric for unit in units if unit.protocol is not None},
        )
        yield Page(path=path, data=data)


def _exam(unit: UnitSummary) -> Exam:
    return Exam(unit=unit, groups=() if unit.protocol is None else row_groups(unit.protocol.document, unit.reports))


def _refused_of(look: Look, briefs: Sequence[UnitBrief], family: str) -> list[str]:
    """Return the protocols of a family of which nothing but their refusal is published."""
    of_family = (brief.protocol_id for brief in briefs if brief.protocol is None)
    return [protocol_id for protocol_id in of_family if look.relations.family_of.get(protocol_id) == family]


def history_of(units: Sequence[UnitSummary]) -> FamilyHistory | None:
    """Return the history of a family's versions; ``None`` where fewer than two were kept for it."""
    members = [unit.member for unit in units if unit.member is not None]
    return family_history(members) if len(members) > 1 else None


def step_view(step: FamilyStep) -> StepView:
    """Return one step as text."""
    difference = step.difference
    changes = [(change, shown_values(change)) for change in difference.weighty]
    return StepView(
        old=difference.old[0],
        new=difference.new[0],
        verdict=difference.verdict,
        needed=needed(difference),
        changes=tuple(
            ChangeLine(where=place(change), old=old, new=new, needs=change.needs, why=change.why)
            for change, (old, new) in changes
        ),
        obstacles=step.obstacles,
        common=tuple(map(_common, step.common)),
        uncompared=tuple((route, " ".join(found.reasons)) for route, found in step.uncompared),
    )


def _common(found: CommonTasks) -> CommonView:
    lines = []
    for part in found.slices:
        # Told as new less old, which is how a reader of releases asks; the comparison itself is old less new.
        low, high = round_out(-part.interval.high, -part.interval.low, 3)
        lines.append(
            CommonLine(
                name=NAMES[part.name],
                both=part.n11,
                old_better=part.b,
                new_better=part.c,
                neither=part.n00,
                n=part.n,
                difference=signed(-part.difference),
                low=signed(low),
                high=signed(high),
                p=show_p(part.p),
                verdict=part.verdict.replace("A ahead", "the earlier ahead").replace("B ahead", "the later ahead"),
            )
        )
    return CommonView(
        route=found.route[0], heading=found.heading, caveat=found.caveat, runs=len(found.first), lines=tuple(lines)
    )
