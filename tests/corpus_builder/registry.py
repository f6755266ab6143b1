"""The cases: what is changed in the base site, and what sitegen must say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.corpus_builder.site import Site

Change = Callable[[Site], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case of the corpus.

    Attributes:
        slug: the refusal that it is there for.
        name: what is special about it.
        sentence: its README.
        slugs: every slug that sitegen must print, and no other.
        code: the exit code.
        command: the arguments of sitegen, run in ``input/``.
        change: what it does to the base site.
    """

    slug: str
    name: str
    sentence: str
    slugs: frozenset[str]
    code: int
    command: tuple[str, ...]
    change: Change

    @property
    def folder(self) -> str:
        """Name of the case's directory."""
        return f"refused--{self.slug}--{self.name}"


CASES: list[Case] = []
CHECK = ("seal", "protocols/demo.v1", "--check")


def case(
    slug: str, name: str, *also: str, code: int = 1, command: tuple[str, ...] = ("verify",)
) -> Callable[[Change], Change]:
    """Register a case; ``also`` are the further slugs that it must give. The docstring is its README."""

    def register(change: Change) -> Change:
        sentence = " ".join((change.__doc__ or "").split())
        found = frozenset((slug, *also))
        CASES.append(
            Case(slug=slug, name=name, sentence=sentence, slugs=found, code=code, command=command, change=change)
        )
        return change

    return register
