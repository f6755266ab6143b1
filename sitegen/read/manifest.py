"""The contestant's manifest: what answers, under which settings, in which channel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from msgspec import Meta

from sitegen.read.files import SourceFile
from sitegen.read.schema import Count, Format, typed
from sitegen.refusals import Refusal, Refused

MANIFEST_NAME = "manifest.yaml"
Channel = Literal["scored", "exploratory"]
_read: dict[bytes, Manifest] = {}  # one contestant takes part in many exams: the same bytes, the same record
_MOST_REMEMBERED = 1000
_UNNAMED = frozenset(("auto", "latest"))
_BETWEEN_PARTS = re.compile("[/:]")
"""What stands before a route's last part: a slash, or the colon before a tag."""


class Manifest(Format, frozen=True, kw_only=True):
    """Settings that are locked by digest before the first call; another retry limit is another experiment.

    ``temperature`` is null where there is none. ``served_as`` are the names under which the route may answer.
    ``env`` are the names of environment variables that are let through to the solver.
    """

    schema: Annotated[Literal["agent-bench-manifest/v1"], Meta(extra={"slug": "schema-unknown"})]
    route: str
    temperature: float | None
    retry_limit: Count
    tool_whitelist: tuple[str, ...]
    channel: Channel
    title: str | None = None
    model: str | None = None
    decoder: dict[str, Any] = {}
    served_as: tuple[str, ...] | None = None
    command: Annotated[tuple[str, ...], Meta(min_length=1)] = ("bash", "solve.sh")
    env: tuple[str, ...] = ()
    publish_solver: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The names under which this route may answer."""
        return (self.route,) if self.served_as is None else self.served_as


def read_manifest(source: SourceFile) -> Manifest:
    """Return the manifest in ``source``.

    Raises:
        Refused: every fault of form, and ``route-unnamed``.
    """
    known = _read.get(source.data)
    if known is not None:
        return known
    from sitegen.read.strict_yaml import parse_yaml  # a build that makes no page reads no YAML

    manifest = typed(parse_yaml(source.data, source.path), Manifest, source.path)
    faults = list(_unnamed(manifest, source.path))
    if faults:
        raise Refused(faults)
    if len(_read) < _MOST_REMEMBERED:
        _read[source.data] = manifest
    return manifest


def _unnamed(manifest: Manifest, file: str) -> Iterator[Refusal]:
    """Yield ``route-unnamed`` for the route, and for each name it may answer under, that does not tell what answers."""
    served = enumerate(manifest.served_as or ())
    for path, name in (("/route", manifest.route), *((f"/served_as/{index}", name) for index, name in served)):
        if not name.strip() or _BETWEEN_PARTS.split(name)[-1].strip().lower() in _UNNAMED:
            expected = "a name that is not empty, auto or latest, and whose last part is neither"
            yield Refusal(slug="route-unnamed", file=file, path=path, expected=expected, found=name)
