"""Bringing what other harnesses recorded: their logs become transcripts, honestly, or are refused with a reason.

``import_files`` reads, ``write_import`` writes; what may be made of the result is not decided here. Rules for all
formats: what is absent is null and never 0; abstention only by a signal that the user named; every planned task has a
row; of several results one is chosen; the source's own score is carried and never used.
"""

from __future__ import annotations

from sitegen.harness.foreign.choices import SIGNALS, Choices, Signal, parse_signal
from sitegen.harness.foreign.findings import Findings
from sitegen.harness.foreign.gate import Gate, secrets_gate
from sitegen.harness.foreign.importing import Imported, import_files, write_import
from sitegen.harness.foreign.plan import read_ids, read_plan
from sitegen.harness.foreign.registry import IMPORTERS
from sitegen.harness.foreign.source import Source, read_source

__all__ = [
    "IMPORTERS",
    "SIGNALS",
    "Choices",
    "Findings",
    "Gate",
    "Imported",
    "Signal",
    "Source",
    "import_files",
    "parse_signal",
    "read_ids",
    "read_plan",
    "read_source",
    "secrets_gate",
    "write_import",
]
