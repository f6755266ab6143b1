"""The versions of an exam across releases: what changed from each to the next, and what may still be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.compare.changes import LabelChanged
from sitegen.compare.common_tasks import CommonTasks, RunOutcomes, compare_common, find_obstacles, outcomes_of
from sitegen.compare.protocols import FIELDS, ProtocolDifference, compare_protocols, field_of
from sitegen.compare.reports import NotCompared
from sitegen.compare.versions import ProtocolVersion, version_of
from sitegen.compare.wording import counts, shown_value
from sitegen.digests import Digest
from sitegen.verify.verified import VerifiedProtocol, VerifiedReport


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyMember:
    """What a family's history needs of one of its versions: small, and picklable."""

    version: ProtocolVersion
    runs: tuple[RunOutcomes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCell:
    """One version's value of a sealed field, and whether it is another than that of the version before it."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One sealed field in every version."""

    part: str
    name: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyStep:
    """One version beside the one before it: what changed, and the comparisons on common tasks.

    ``obstacles`` say why there are none, where the versions allow none; ``common`` is then empty. ``uncompared`` are
    the routes that were run under both and could not be compared, each with its reasons.
    """

    difference: ProtocolDifference
    obstacles: tuple[str, ...]
    common: tuple[CommonTasks, ...]
    uncompared: tuple[tuple[str, NotCompared], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyHistory:
    """The versions of one family, earliest first, as (protocol id, identity); a row has a cell for each of them."""

    versions: tuple[tuple[str, Digest], ...]
    rows: tuple[MatrixRow, ...]
    steps: tuple[FamilyStep, ...]


_PARTS: Mapping[str, str] = {
    "dataset": "Dataset",
    "metric": "Metric",
    "budget": "Budget",
    "null_pack": "Null pack",
    "publish": "Publishing",
}
_ORDER = tuple(_PARTS.values())


def member_of(protocol: VerifiedProtocol, reports: Sequence[VerifiedReport]) -> FamilyMember:
    """Return one version with its published runs."""
    return FamilyMember(version=version_of(protocol), runs=tuple(map(outcomes_of, reports)))


def family_history(members: Sequence[FamilyMember]) -> FamilyHistory:
    """Return what changed across the versions of one family, given in any order."""
    ordered = in_order([member.version for member in members])
    runs = [run for member in members for run in member.runs]
    pairs = [(_before(place, ordered), version) for place, version in enumerate(ordered)]
    steps = [
        None if earlier is None else _step(earlier, version, compare_protocols(earlier, version), runs)
        for earlier, version in pairs
    ]
    return FamilyHistory(
        versions=tuple((version.protocol_id, version.sha256) for version in ordered),
        rows=tuple(sorted(_rows(pairs, steps), key=lambda row: _ORDER.index(row.part))),
        steps=tuple(step for step in steps if step is not None),
    )


def in_order(versions: Sequence[ProtocolVersion]) -> list[ProtocolVersion]:
    """Return the versions by the time that their seals claim, but each after the one that it follows."""
    waiting = {version.protocol_id: version for version in sorted(versions, key=lambda v: (v.sealed_at, v.protocol_id))}
    ordered: list[ProtocolVersion] = []
    while waiting:
        ready = (version for version in waiting.values() if version.protocol.follows not in waiting)
        chosen = next(ready, None) or next(iter(waiting.values()))  # the latter where they follow in a circle
        ordered.append(waiting.pop(chosen.protocol_id))
    return ordered


def _before(place: int, ordered: Sequence[ProtocolVersion]) -> ProtocolVersion | None:
    """Return the version that the one at ``place`` says it follows, else the one before it; ``None`` for the first."""
    follows = ordered[place].protocol.follows
    named = (other for other in ordered[:place] if other.protocol_id == follows)
    return next(named, ordered[place - 1] if place else None)


def _rows(
    pairs: Sequence[tuple[ProtocolVersion | None, ProtocolVersion]], steps: Sequence[FamilyStep | None]
) -> Iterator[MatrixRow]:
    for part, name in (("dataset", "tasks"), ("null_pack", "rows")):
        cells = [_pack_cell(version, step, part) for (_, version), step in zip(pairs, steps, strict=True)]
        yield MatrixRow(part=_PARTS[part], name=name, cells=tuple(cells))
    for kind, where in FIELDS:
        if kind is LabelChanged:
            continue
        part, _, name = where.partition(".")
        cells = [
            MatrixCell(
                text=shown_value(field_of(version, where)),
                changed=earlier is not None and field_of(earlier, where) != field_of(version, where),
            )
            for earlier, version in pairs
        ]
        yield MatrixRow(part=_PARTS[part], name=name.replace("_", " ").replace(".", ": "), cells=tuple(cells))


def _pack_cell(version: ProtocolVersion, step: FamilyStep | None, part: str) -> MatrixCell:
    size = f"{len(version.null_answers)} rows"
    if part == "dataset":
        size = f"{len(version.ordinary)} ordinary, {len(version.answers) - len(version.ordinary)} negative"
    if step is None:
        return MatrixCell(text=size, changed=False)
    delta = step.difference.dataset if part == "dataset" else step.difference.null_pack
    changed = bool(delta.added or delta.removed or delta.changed)
    return MatrixCell(text=f"{size}: {counts(delta)}", changed=changed)


def _step(
    old: ProtocolVersion, new: ProtocolVersion, difference: ProtocolDifference, runs: Sequence[RunOutcomes]
) -> FamilyStep:
    obstacles = tuple(find_obstacles(old, new))
    found = [] if obstacles else list(_of_one_route(old, new, runs))
    return FamilyStep(
        difference=difference,
        obstacles=obstacles,
        common=tuple(one for _, one in found if isinstance(one, CommonTasks)),
        uncompared=tuple((route, one) for route, one in found if isinstance(one, NotCompared)),
    )


def _of_one_route(
    old: ProtocolVersion, new: ProtocolVersion, runs: Sequence[RunOutcomes]
) -> Iterator[tuple[str, CommonTasks | NotCompared]]:
    """Yield the comparison of every two contestants of the same route, one under either version."""
    for first in _contestants(old, runs):
        for second in _contestants(new, runs):
            route = first[0].manifest.route
            if route == second[0].manifest.route:
                yield route, compare_common(old, new, first, second)


def _contestants(version: ProtocolVersion, runs: Sequence[RunOutcomes]) -> list[list[RunOutcomes]]:
    """Return all runs under one version by their manifest and solver, in the order given."""
    found: dict[tuple[Digest, Digest], list[RunOutcomes]] = {}
    for run in runs:
        if run.protocol_id == version.protocol_id:
            found.setdefault(run.contestant, []).append(run)
    return list(found.values())
