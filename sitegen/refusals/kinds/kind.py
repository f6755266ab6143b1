"""What is said of a slug: its meaning and how to mend it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """The explanation of one slug, as printed by ``sitegen explain`` and on the page ``/refused/``.

    Attributes:
        slug: stable, kebab-case.
        group: where it belongs, which also orders it.
        meaning: what was seen and why it is refused.
        remedy: how to mend it.
        recorded: an honest outcome: listed without figures, exit 0.
    """

    slug: str
    group: Group = field(repr=False, compare=False)
    meaning: str
    remedy: str
    recorded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Slugs that belong together.

    Attributes:
        name: heading of the group.
        rank: position when refusals are ordered; 0 is the hardest to mend.
        kinds: filled once, by :func:`group`.
    """

    name: str
    rank: int
    kinds: tuple[Kind, ...] = field(default=(), repr=False, compare=False, hash=False)


def group(
    name: str,
    rank: int,
    faults: Mapping[str, tuple[str, str]],
    recorded: Mapping[str, tuple[str, str]] | None = None,
) -> Group:
    """Return a group of slugs, each given as slug → (meaning, remedy)."""
    made = Group(name=name, rank=rank)
    kinds = [
        Kind(slug=slug, group=made, meaning=meaning, remedy=remedy, recorded=honest)
        for table, honest in ((recorded or {}, True), (faults, False))
        for slug, (meaning, remedy) in table.items()
    ]
    object.__setattr__(made, "kinds", tuple(kinds))  # the one place that closes the circle group ↔ kind
    return made
