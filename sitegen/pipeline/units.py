"""One protocol with its runs: the unit of work of a build, and what it takes to work on one.

A unit is read, verified and rendered on its own and then forgotten: what is kept of it is small, so that memory hardly
grows with the site. On a large site two processes work on units side by side; the pages are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sitegen.digests import Digest
from sitegen.pipeline.cache import Memory
from sitegen.pipeline.inputs import Inputs
from sitegen.pipeline.standing import StandingSite
from sitegen.present.look import Look
from sitegen.refusals import Refusal
from sitegen.write.listing import Block
from sitegen.write.staging import Staging

if TYPE_CHECKING:  # a build that makes no page loads nothing that would make one
    from sitegen.present.brief import UnitBrief


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFacts:
    """What ``site.json`` says of one protocol: digests only."""

    protocol_id: str
    heads: tuple[Digest, ...]
    protocol: Digest | None
    reports: dict[str, Digest]
    withdrawn: dict[str, Digest]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was found when a protocol's files were last hashed: their state, the digest of all of them, their events."""

    state: Digest
    contents: Digest
    events: tuple[Digest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitMade:
    """What was made of one protocol, as far as the rest of the site needs it, and its files' entries.

    ``summary`` is a packed and deflated summary; only a protocol of a family of several has one. ``claims`` are
    deflated too.
    """

    brief: UnitBrief
    summary: bytes | None
    claims: bytes = field(repr=False)
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitBuilt:
    """One protocol after its turn. ``published`` is false where a fault stands in the way.

    ``standing`` is a packed :class:`sitegen.verify.history.Standing`, left out where the site is not compared with a
    published one. ``key`` is the digest of everything that the pages came from, ``count`` the number of their files,
    and ``names`` where they are, which is needed of one unit at a time and is in the cache alone. The files of a
    ``kept`` unit stand in the published site and not in the staging folder, and what was made of it is in the cache.
    """

    facts: UnitFacts
    refusals: tuple[Refusal, ...]
    key: Digest
    standing: bytes | None = field(repr=False)
    published: bool = False
    made: UnitMade | None = field(default=None, repr=False)
    warnings: tuple[str, ...] = ()
    count: int = 0
    names: bytes = field(default=b"", repr=False)
    written: int = 0
    kept: bool = False
    seen: Seen | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What it takes to build a unit. ``accept`` publishes what holds though there are faults.

    ``tool`` is the digest of what makes pages of inputs. ``sealed`` are the digests of the sealed documents that the
    look's relations were read from, ``witnessed`` the events of the published site that this one is ``compared`` with.
    ``trusted`` is ``None`` where every file is hashed; else what is known of files whose state is still the same.
    """

    tool: Digest
    inputs: Inputs
    sealed: Mapping[str, Digest]
    look: Look
    witnessed: frozenset[Digest]
    compared: bool
    accept: bool
    staging: Staging = field(repr=False)
    memory: Memory
    old: StandingSite
    trusted: Mapping[str, Seen] | None = None
