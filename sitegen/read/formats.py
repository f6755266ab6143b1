"""The formats as JSON Schemas (draft 2020-12), from the same declarations that read the files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sitegen.read.claims import Claims
from sitegen.read.elsewhere import EvidenceList
from sitegen.read.ledger import Event
from sitegen.read.manifest import Manifest
from sitegen.read.protocol import DraftProtocol, SealedProtocol
from sitegen.read.report import Report
from sitegen.read.revealed import Revealed
from sitegen.read.schema import json_schemas
from sitegen.read.settings import Settings
from sitegen.read.tasks import NullRow, TaskRow
from sitegen.read.transcript import Transcript
from sitegen.read.verdicts import Receipt, Verdict

DIALECT = "https://json-schema.org/draft/2020-12/schema"

FORMATS: Mapping[str, tuple[type[Any], str]] = {
    "protocol": (DraftProtocol, "protocol.yaml, the draft of an exam"),
    "protocol-sealed": (SealedProtocol, "protocol.sealed.yaml, what sealing writes"),
    "task": (TaskRow, "one line of a dataset"),
    "null-pack-row": (NullRow, "one line of a null pack"),
    "manifest": (Manifest, "manifest.yaml, one contestant"),
    "transcript": (Transcript, "one line of transcripts.jsonl"),
    "report": (Report, "report.json"),
    "event": (Event, "one event of a ledger"),
    "verdict": (Verdict, "one line of verdicts.jsonl, what a judge said"),
    "receipt": (Receipt, "receipt.json, that a metric was run again"),
    "evidence": (EvidenceList, "evidence.yaml, transcripts that are kept elsewhere"),
    "revealed": (Revealed, "revealed.yaml, that a hidden test set was revealed"),
    "claims": (Claims, "data/claims.json, what a published site states beside its evidence"),
    "settings": (Settings, "sitegen.toml, the owner's settings"),
}
"""Every format that is read from a site's files: its record, and which file it is of."""


def published_schema(name: str, record: type[Any], of: str) -> dict[str, Any]:
    """Return the JSON Schema of ``record`` in the form that is published: with its dialect, id and title."""
    schema = _portable(json_schemas(record))
    return {"$schema": DIALECT, "$id": f"urn:sitegen:{name}", "title": of, **schema}


def _portable(part: Any) -> Any:
    r"""Return a schema whose patterns mean the same to ECMA-262, which has no ``\Z``."""
    if isinstance(part, dict):
        return {
            key: _plain_end(value) if key == "pattern" and isinstance(value, str) else _portable(value)
            for key, value in part.items()
        }
    if isinstance(part, list):
        return [_portable(item) for item in part]
    return part


def _plain_end(pattern: str) -> str:
    return pattern.removesuffix("\\Z") + "$" if pattern.endswith("\\Z") else pattern
