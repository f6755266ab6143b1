"""Turn another harness's log into transcripts, honestly, or say why not.

What the log does not record is null. Abstention is unknown unless --abstain-when names its sign, and an unknown row
cannot be scored. Where a file holds several attempts, filters, providers or scorers, one is chosen. Beside the
transcripts goes TRANSCRIPTS.source.json, which says where they come from.

examples:
  sitegen import inspect log.eval --report
  sitegen import inspect log.eval --abstain-when score=N -o transcripts.jsonl
  sitegen import swebench predictions.jsonl report.json --abstain-when never --plan protocols/ID/tasks.jsonl -o t.jsonl
"""

from __future__ import annotations

import argparse
from collections import deque
from pathlib import Path

from sitegen.cli import EXIT_FINE
from sitegen.cli.console import Console
from sitegen.cli.place import text_of
from sitegen.harness.foreign import (
    IMPORTERS,
    SIGNALS,
    Choices,
    Imported,
    import_files,
    parse_signal,
    read_ids,
    read_plan,
    secrets_gate,
    write_import,
)
from sitegen.read.files import Tree
from sitegen.read.settings import read_settings
from sitegen.refusals import Misuse

_AUTO = "auto"
_CHOICES = {
    "task": "which task, where the files hold several",
    "provider": "which provider or model",
    "prompt": "which prompt",
    "filter": "which filter of lm-eval",
    "attempt": "which attempt (epoch, trial, repeat)",
    "scorer": "which of the source's own scores to carry for checking",
    "route": "what answered, where the source does not say",
    "id-field": "dotted path of the field that holds the task's id, such as vars.task_id",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("source", metavar="FORMAT", help=", ".join([*IMPORTERS, _AUTO]))
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="the log, and files that belong to it")
    parser.add_argument("-o", "--output", type=Path, metavar="TRANSCRIPTS", help="where the transcripts go")
    parser.add_argument("--report", action="store_true", help="what was found, mapped, missing and dropped, and why")
    for name, meaning in _CHOICES.items():
        parser.add_argument(f"--{name}", metavar="NAME", help=meaning)
    signals = "; ".join(f"{name}: {meaning}" for name, meaning in SIGNALS.items())
    parser.add_argument("--abstain-when", action="append", default=[], metavar="SIGNAL", help=signals)
    parser.add_argument("--plan", action="append", default=[], type=Path, metavar="TASKS", help="the exam's task files")
    parser.add_argument("--ids", type=Path, metavar="JSON", help="an object of the source's id: the exam's id")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Import, and say what was found."""
    if arguments.output is None and not arguments.report:
        raise Misuse("give -o TRANSCRIPTS, or --report, or both")
    source = None if arguments.source == _AUTO else arguments.source
    imported = import_files(source, arguments.files, _choices(arguments))
    if arguments.output is None:
        deque(imported.transcripts, maxlen=0)
    else:
        with Tree(Path()) as here:
            gate = secrets_gate(read_settings(here)[0])
        write_import(imported, arguments.output, gate, console.note)
    _say(arguments, console, imported)
    return EXIT_FINE


def _choices(arguments: argparse.Namespace) -> Choices:
    given = {name: getattr(arguments, name.replace("-", "_")) for name in _CHOICES}
    chosen = {name: None if text is None else text_of(text, f"--{name}") for name, text in given.items()}
    return Choices(
        **{name.replace("-", "_"): text for name, text in chosen.items()},
        abstain_when=tuple(parse_signal(text_of(text, "--abstain-when")) for text in arguments.abstain_when),
        plan=read_plan(arguments.plan) if arguments.plan else None,
        ids=read_ids(arguments.ids) if arguments.ids else {},
    )


def _say(arguments: argparse.Namespace, console: Console, imported: Imported) -> None:
    findings = imported.findings
    console.data(findings.as_object())
    written = f"{findings.statuses.total()} transcripts in {arguments.output}"
    console.result(findings.as_table() if arguments.report else written)
    if not findings.signals:
        console.note("abstention is unknown in every row that ran, so they cannot be scored: name --abstain-when")
