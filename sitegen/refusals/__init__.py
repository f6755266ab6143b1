"""Every way sitegen says no.

A refusal is a value: a stable slug, the file, the path inside it, what was expected and found, and a hint. The
same value is a line for a person (:mod:`sitegen.refusals.message`), an object for a program, and a row on the
page ``/refused/``. Slugs are never renamed or reused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sitegen.refusals.kinds import KINDS, Kind

MOST_SHOWN = 50
"""How many refusals of one subject are kept; the rest are counted ("and N more")."""

MOST_LOOKED_FOR = 1_000
"""How many faults of one file are looked for: what follows is no news, and would take time without end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One reason why something is not published.

    Attributes:
        slug: a key of :data:`KINDS`.
        file: path of the file at fault, relative to the site's root (or as it was given).
        path: JSON pointer inside that file (``/null_pack/rules/must_pass/2``), or ``line 7``; empty for the whole file.
        expected: what the rule asks, as text; ``None`` where the slug says it all.
        found: what is there, as text. Foreign text is kept raw here and escaped when it is shown.
        hint: the likely cause, or the next command to type.
    """

    slug: str
    file: str
    path: str = ""
    expected: str | None = None
    found: str | None = None
    hint: str | None = None

    def __post_init__(self) -> None:
        if self.slug not in KINDS:
            raise KeyError(f"no refusal has the slug {self.slug!r}")

    @property
    def kind(self) -> Kind:
        """The explanation that belongs to the slug."""
        return KINDS[self.slug]

    @property
    def recorded(self) -> bool:
        """Whether this is an honest outcome (listed, exit 0) and not a fault (exit 1)."""
        return self.kind.recorded


class Refused(Exception):
    """Raised where a caller insists: carries every reason that was found."""

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        if not refusals:
            raise ValueError("a Refused without a reason")
        super().__init__(", ".join(sorted({refusal.slug for refusal in refusals})))
        self.refusals = tuple(refusals)

    def __reduce__(self) -> tuple[type[Refused], tuple[tuple[Refusal, ...]]]:
        """Let a worker process raise it where its result is waited for."""
        return type(self), (self.refusals,)


class Misuse(Exception):
    """The command was called wrongly (exit 2): an unknown id, options that do not go together."""


def hardest_first(refusals: Iterable[Refusal]) -> list[Refusal]:
    """Return ``refusals`` without repetitions, the hardest to mend first, otherwise in the order found."""
    return sorted(dict.fromkeys(refusals), key=lambda refusal: refusal.kind.group.rank)


def faults(refusals: Iterable[Refusal]) -> list[Refusal]:
    """Return the refusals that are faults, not honest outcomes."""
    return [refusal for refusal in refusals if not refusal.recorded]


__all__ = ["KINDS", "MOST_LOOKED_FOR", "MOST_SHOWN", "Kind", "Misuse", "Refusal", "Refused", "faults", "hardest_first"]
