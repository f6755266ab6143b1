"""Every reader of what others wrote, as a function of bytes, with good files of each kind to start from.

A reader returns, or says no with :class:`Refused` (or :class:`Misuse`, where a user chose the file); anything else is a
fault. Nothing here needs pytest, so that a fuzzer of any kind may be put in front of it.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sitegen.digests import sha256
from sitegen.harness.foreign import Choices, import_files
from sitegen.harness.foreign.choices import parse_signal
from sitegen.harness.foreign.plan import read_ids, read_plan
from sitegen.harness.foreign.registry import IMPORTERS
from sitegen.harness.foreign.source import read_source, sidecar
from sitegen.present.prose import find_note_faults, notes_html
from sitegen.read.claims import read_claims
from sitegen.read.elsewhere import read_elsewhere
from sitegen.read.files import SourceFile, Tree
from sitegen.read.ledger import read_event
from sitegen.read.manifest import read_manifest
from sitegen.read.protocol import read_draft, read_sealed
from sitegen.read.published import SITE_SUMS, listing_of, open_source, read_history, read_site
from sitegen.read.report import read_report
from sitegen.read.revealed import read_revealed
from sitegen.read.settings import read_settings
from sitegen.read.strict_yaml import parse_yaml
from sitegen.read.tasks import read_null_pack, read_tasks
from sitegen.read.transcript import read_transcripts
from sitegen.read.verdicts import read_receipt, read_verdicts
from sitegen.refusals import Misuse, Refused
from sitegen.verify.figures import find_export_faults, find_page_faults
from sitegen.verify.secrets import find_secrets
from tests.reliability.scenes import make_site

Reader = Callable[[SourceFile], object]
SIGNALS = tuple(map(parse_signal, ("no-call", "answer=A", "tool=f", "score=C", "metadata.kind=x")))
CHOICES = (
    Choices(),
    Choices(abstain_when=SIGNALS[1:], attempt="0", id_field="vars.id"),
    Choices(abstain_when=SIGNALS[1:], plan={"a": "ordinary", "b": "negative", "c": "null_pack"}, ids={"0": "a"}),
)


REVEALED = """schema: agent-bench-reveal/v1
protocol_id: a
protocol_sha256: "{digest}"
time: "2026-11-30T09:32:00Z"
"""
NOTES = b"""# Notes

A [link](https://a.example/), *words*, `code` and

- a list

| a | b |
|---|---|
| 1 | 2 |
"""
PAGE = b"""<table><tr data-run="r">
<td class="success" data-k="1" data-n="2" data-low="0" data-high="1">0.500 1/2</td>
</tr></table>
"""


def in_a_folder(name: str, read: Callable[[Path], object]) -> Reader:
    """Turn a reader of a file on the disk into one of bytes; the file is called ``name``."""

    def reader(source: SourceFile) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(source.data)
            return read(path)

    return reader


def _settings(path: Path) -> object:
    with Tree(path.parent) as tree:
        return read_settings(tree)


def _site(path: Path) -> object:
    """The list of digests beside it is what it should be, so that the whole file is read."""
    with open_source(str(path.parent)) as source:
        path.with_name(SITE_SUMS).write_bytes(listing_of(*read_site(source)))
    return read_history(str(path.parent))


def _source(path: Path) -> object:
    path.rename(sidecar(path))
    return read_source(path)


def import_once(path: Path, name: str | None = None, choices: Choices = CHOICES[0]) -> None:
    """Import a file of another harness, to the end; ``name`` is the format that somebody says that it is of."""
    imported = import_files(name, [path], choices)
    for _ in imported.transcripts:
        pass
    imported.findings.limits()


def _foreign(path: Path) -> None:
    """Import a file as what it seems to be, and as every format that somebody may say that it is of."""
    for name in (None, *IMPORTERS):
        for choices in CHOICES:
            with contextlib.suppress(Refused, Misuse):
                import_once(path, name, choices)


READERS: Mapping[str, Reader] = {
    "protocol.yaml": read_draft,
    "protocol.sealed.yaml": read_sealed,
    "manifest.yaml": read_manifest,
    "evidence.yaml": read_elsewhere,
    "revealed.yaml": read_revealed,
    "report.json": read_report,
    "receipt.json": read_receipt,
    "event.json": lambda source: read_event(dataclasses.replace(source, path=f"ledger/{source.sha256}.json")),
    "tasks.jsonl": lambda source: read_tasks([source]),
    "tasks.json": lambda source: read_tasks([source]),
    "null_pack.jsonl": lambda source: read_null_pack([source]),
    "transcripts.jsonl": read_transcripts,
    "verdicts.jsonl": read_verdicts,
    "notes.md": lambda source: (list(find_note_faults(source)), notes_html(source)),
    "page.html": lambda source: list(find_page_faults(source, {})),
    "claims.json": read_claims,
    "reports.json": lambda source: list(find_export_faults(source, {})),
    "any file that is published": lambda source: find_secrets(source.path, source.data, strict_privacy=True),
    "sitegen.toml": in_a_folder("sitegen.toml", _settings),
    "site.json": in_a_folder("site.json", _site),
    "transcripts.source.json": in_a_folder("transcripts.jsonl", _source),
    "plan.jsonl": in_a_folder("plan.jsonl", lambda path: read_plan([path])),
    "ids.json": in_a_folder("ids.json", read_ids),
}
"""Readers of sitegen's own formats, by the name of a file of each kind."""

FOREIGN_NAMES = ("log.json", "log.jsonl", "out.csv", "log.eval", "BFCL_v3_simple_result.json")
FOREIGN: Mapping[str, Reader] = {f"foreign {name}": in_a_folder(name, _foreign) for name in FOREIGN_NAMES}
"""The importers behind each kind of file of another harness."""


def offer(name: str, data: bytes) -> bool:
    """Give bytes to a reader; return whether it took them. Anything but a result or a refusal is raised."""
    reader = READERS.get(name) or FOREIGN[name]
    try:
        reader(SourceFile(path=name, data=data, sha256=sha256(data)))
    except (Refused, Misuse):
        return False
    return True


def good_files(place: Path) -> dict[str, list[bytes]]:
    """Return good files of every kind; ``place`` is an empty folder to make them in."""
    found: dict[str, list[bytes]] = {name: [] for name in (*READERS, *FOREIGN)}
    for path in make_site(place / "site").rglob("*"):
        name = "event.json" if path.parent.name == "ledger" else path.name
        if path.is_file() and name in READERS:
            found[name].append(path.read_bytes())
    shutil.rmtree(place / "site")
    digest, web = "0" * 64, "https://a.example/x"
    found["tasks.json"] = [found["tasks.jsonl"][0].splitlines()[0]]
    found["verdicts.jsonl"] = [_lines({"task_id": "a", "pack": "dataset", "pass": True, "model": "m", "reply": "r"})]
    stated = dict.fromkeys(("report_sha256", "metric_sha256", "transcripts_sha256"), digest)
    made = {"schema": "agent-bench-receipt/v1", "run_id": "a", "tool": "x", "time": "2026-11-30T09:32:00Z"}
    found["receipt.json"] = [_json({**made, **stated})]
    found["evidence.yaml"] = [_elsewhere(digest, web)]
    found["revealed.yaml"] = [REVEALED.format(digest=digest).encode()]
    found["notes.md"] = [NOTES]
    found["page.html"] = [PAGE]
    rate = {"k": 1, "n": 2, "rate": 0.5, "low": 0.0, "high": 1.0}
    found["reports.json"] = [_json({"reports": [{"protocol_id": "p", "run_id": "r", "task_success": rate}]})]
    claimed = {"refused": [{"run_id": "r", "refusals": [{"slug": "file-missing", "file": "a"}]}], "announced": [digest]}
    place = {"family": "f", "follows": "p"}
    claims = {"engine": digest, "settings": {"title": "x"}, "places": {"q": place}, "protocols": {"q": claimed}}
    found["claims.json"] = [_json({"schema": "agent-bench-claims/v1", **claims})]
    found["any file that is published"] = [b"api_key = 'x'\nAuthorization: Bearer abc\nus@example.org /home/us/file\n"]
    found["sitegen.toml"] = [f'title = "x"\nbase_url = "{web}"\n[[links]]\ntext = "a"\nhref = "{web}"\n'.encode()]
    listed = {"files": [{"path": f"evidence/p/ledger/{digest}.json", "sha256": digest, "size": 1}], "tool": "x"}
    known = {"heads": {"p": [digest]}, "protocols": {"p": digest}, "reports": {"p": {"r": digest}}, "withdrawn": {}}
    found["site.json"] = [_json({"schema": "agent-bench-site/v1", **listed, **known})]
    found["transcripts.source.json"] = [_json({"format": "bfcl", "source_sha256": [digest], "limits": ["x"]})]
    found["plan.jsonl"] = [_lines({"id": "a", "kind": "negative"}, {"id": "b", "expected_class": "must_pass"})]
    found["ids.json"] = [_json({"a": "b", "c": "d"})]
    return {**found, **_foreign_files()}


def _foreign_files() -> dict[str, list[bytes]]:
    call = {"function": {"name": "f", "arguments": '{"a": 1}'}}
    said = [{"role": "assistant", "content": "x", "tool_calls": [call], "usage": {"completion_tokens": 1}}]
    spoken = [{"role": "assistant", "tool_calls": [{"function": "f"}]}]
    sample = {
        "id": "a", "epoch": 1, "output": {"model": "m", "completion": "42", "choices": [{"stop_reason": "stop"}]},
        "scores": {"match": {"value": "C"}}, "messages": spoken, "total_time": 1.5, "error_retries": [{}],
        "model_usage": {"m": {"input_tokens": 1, "output_tokens": 2}}, "started_at": "2025-12-19T12:36:46+00:00",
        "limit": {"type": "time", "limit": 60}, "metadata": {"kind": "x"},
    }  # fmt: skip
    evaluated = {"model": "asked", "dataset": {"sample_ids": ["a", "b"]}}
    header = {"version": 2, "status": "success", "eval": evaluated}
    tested = {
        "testIdx": 0, "provider": {"id": "p"}, "prompt": {"raw": "q", "label": "q"}, "vars": {"id": "a"}, "cost": 0.5,
        "success": True, "latencyMs": 250, "failureReason": 1,
        "response": {"output": {"b": 1}, "tokenUsage": {"prompt": 9, "completion": 3}, "finishReason": "stop"},
    }  # fmt: skip
    simulation = {"task_id": "a", "termination_reason": "user_stop", "messages": said, "duration": 1.5, "agent_cost": 0}
    instance = {
        "schema_version": "0.2.0", "evaluation_id": "e", "model_id": "m", "evaluation_name": "n", "sample_id": "a",
        "output": {"raw": "A"}, "performance": {"latency_ms": 1500, "generation_time_ms": 1000},
        "interactions": [{"role": "user"}, *said], "metadata": {"epoch": 1},
    }  # fmt: skip
    documents: list[Any] = [
        {**header, "samples": [sample]},
        {"results": {"version": 3, "results": [tested], "stats": {}}, "config": {"tests": [{"vars": {"id": "a"}}]}},
        {"info": {}, "tasks": [{"id": "a"}, {"id": "b"}], "simulations": [simulation]},
        [{"task_id": 1, "reward": 1.0, "info": {"error": "x"}, "traj": said, "trial": 0}],
        [{"instance_id": "a", "model_name_or_path": "m", "model_patch": "+x"}],
        {"resolved_ids": ["a"], "submitted_ids": ["a", "b"], "incomplete_ids": ["c"], "total_instances": 3},
        {"results": {"gsm8k": {"exact_match,none": 0.5}}, "n-samples": {"gsm8k": {"original": 2, "effective": 2}}},
    ]
    rows: list[Sequence[Any]] = [
        [tested],
        [instance],
        [
            {
                "doc_id": 0,
                "doc": {"name": "d"},
                "resps": [["A"]],
                "filtered_resps": ["A"],
                "filter": "none",
                "exact_match": 1,
            }
        ],
        [{"instance_id": "a", "model_name_or_path": "m", "model_patch": "+x"}],
        [{"instanceId": "a", "modelPatch": "+x", "resolved": True, "toolCalls": {"Bash": 1}, "durationMs": 5}],
        [{"task_id": 1, "reward": 1.0, "info": {}, "traj": said, "trial": 0}],
    ]
    table = io.StringIO(newline="")
    csv.writer(table).writerows(
        [["q", "id", "[gpt] {{q}}"], ["x", "a", "[PASS] (1.00)\n\n42\n\nPass Reason: All passed"]]
    )
    return {
        "foreign log.json": list(map(_json, documents)),
        "foreign log.jsonl": [_lines(*some) for some in rows],
        "foreign out.csv": [table.getvalue().encode()],
        "foreign log.eval": [_archive({"header.json": header, "samples/a_epoch_1.json": sample})],
        "foreign BFCL_v3_simple_result.json": [
            _lines(
                {"id": "simple_0", "result": "[f(x=1)]", "latency": 1.0}, {"id": "simple_1", "result": [{"f": "{}"}]}
            )
        ],
    }


def _elsewhere(digest: str, web: str) -> bytes:
    entry = f"{{sha256: '{digest}', size: 1, url: '{web}'}}"
    data = f"schema: agent-bench-evidence/v1\nfiles:\n  transcripts.jsonl: {entry}\n".encode()
    parse_yaml(data, "evidence.yaml")
    return data


def _archive(members: Mapping[str, Any]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            archive.writestr(name, _json(value))
    return data.getvalue()


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def _lines(*rows: Any) -> bytes:
    return b"".join(map(_json, rows))
