"""``revealed.yaml``: the owner's record that a hidden test set is published in full from then on."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from sitegen.read.files import SourceFile
from sitegen.read.schema import DigestText, Format, Identifier, Time, typed
from sitegen.read.strict_yaml import parse_yaml

SCHEMA = "agent-bench-reveal/v1"


class Revealed(Format, frozen=True, kw_only=True):
    """Which protocol was revealed, and when; the time is a claim."""

    schema: Annotated[Literal["agent-bench-reveal/v1"], Meta(extra={"slug": "schema-unknown"})]
    protocol_id: Identifier
    protocol_sha256: DigestText
    time: Time


def read_revealed(source: SourceFile) -> Revealed:
    """Return the record in ``source``.

    Raises:
        Refused: every fault of form.
    """
    return typed(parse_yaml(source.data, source.path), Revealed, source.path)
