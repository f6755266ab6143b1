"""``evidence.yaml``: large evidence of a run that is kept elsewhere, by digest, size and address."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from sitegen.read.files import SourceFile
from sitegen.read.schema import Count, DigestText, Format, typed
from sitegen.read.settings import WebAddress
from sitegen.read.strict_yaml import parse_yaml
from sitegen.read.transcript import TRANSCRIPTS_NAME
from sitegen.refusals import Refusal, Refused


class Elsewhere(Format, frozen=True, kw_only=True):
    """One file that is not in the run's folder. ``size`` in bytes."""

    sha256: DigestText
    size: Count
    url: WebAddress


class EvidenceList(Format, frozen=True, kw_only=True):
    """The files of a run that are kept elsewhere, by name; only its transcripts may be."""

    schema: Annotated[Literal["agent-bench-evidence/v1"], Meta(extra={"slug": "schema-unknown"})]
    files: dict[str, Elsewhere]


def read_elsewhere(source: SourceFile) -> EvidenceList:
    """Return the list in ``source``.

    Raises:
        Refused: every fault of form; ``field-range`` for another file than the transcripts.
    """
    listed = typed(parse_yaml(source.data, source.path), EvidenceList, source.path)
    others = [name for name in listed.files if name != TRANSCRIPTS_NAME]
    if others:
        raise Refused(
            [
                Refusal(
                    slug="field-range", file=source.path, path=f"/files/{name}", expected=TRANSCRIPTS_NAME, found=name
                )
                for name in others
            ]
        )
    return listed
