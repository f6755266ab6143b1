from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sitegen.harness.foreign import (
    Choices,
    Imported,
    import_files,
    parse_signal,
    read_source,
    secrets_gate,
    write_import,
)
from sitegen.read.files import Tree
from sitegen.read.settings import Settings
from sitegen.read.transcript import read_transcripts, write_transcript
from sitegen.refusals import Misuse


def written(imported: Imported, path: Path) -> None:
    write_import(imported, path, secrets_gate(Settings()), pytest.fail)


ODD = ["a/b", "../../etc/passwd", 'say "hi"', "two  spaces ", "日本語", "é\u202e", "x'; --", "0", "\t"]


def row(task: str, **fields: Any) -> dict[str, Any]:
    return {"instance_id": task, "model_name_or_path": "m", "model_patch": "+x", **fields}


def test_odd_ids_survive_to_the_file_and_back(jsonl: Callable[..., Path], tmp_path: Path) -> None:
    out = tmp_path / "out" / "t.jsonl"
    out.parent.mkdir()
    written(import_files(None, [jsonl(map(row, ODD))], Choices(abstain_when=(parse_signal("never"),))), out)
    with Tree(out.parent) as tree:
        assert [transcript.task_id for transcript in read_transcripts(tree.read(out.name))] == ODD


def test_ids_that_no_transcript_can_have_are_refused(
    jsonl: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    for task in ("", "x" * 201):
        (fault,) = refused(bring, jsonl([row(task)]))
        assert fault.slug in ("field-range", "field-missing")


def test_one_task_has_one_result(
    jsonl: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    (fault,) = refused(bring, jsonl([row("a"), row("b"), row("a")]))
    assert (fault.slug, fault.found) == ("import-ambiguous", "a twice")
    assert fault.path.endswith("line 3")


def test_a_plan_keeps_every_task_in_the_denominator(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    plan = {"a": "ordinary", "lost": "ordinary", "none": "negative", "NP": "null_pack"}
    got, findings = bring(jsonl([row("a"), row("other"), row("np")]), plan=plan, ids={"np": "NP"}, signals=["never"])
    assert {name: (t.status, t.pack, t.abstained) for name, t in got.items()} == {
        "a": ("ok", "dataset", False),
        "NP": ("ok", "null_pack", False),
        "lost": ("not_run", "dataset", False),
        "none": ("not_run", "dataset", False),
    }
    lost = got["lost"]
    assert (lost.artifact, lost.retries, lost.tool_calls, lost.wall_clock_sec, lost.tokens_in) == (None,) * 5
    assert findings.dropped["not a task of the plan that was given"].examples == ["other"]
    assert findings.slices == {
        "ordinary": {"artifact": 1, "error": 1},
        "negative": {"error": 1},
        "null_pack": {"artifact": 1},
    }


def test_without_a_signal_a_row_cannot_be_scored(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    got, findings = bring(jsonl([row("a"), row("b", model_patch="")]))
    assert [transcript.abstained for transcript in got.values()] == [None, None]
    assert "abstention unknown" in findings.limits()


def test_no_call_is_refused_where_the_answer_is_no_call(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    with pytest.raises(Misuse, match="no-call"):
        bring(jsonl([row("a")]), signals=["no-call"])


def test_the_sources_own_score_is_carried_and_changes_nothing(
    jsonl: Callable[..., Path], bring: Callable[..., Any]
) -> None:
    def rows(resolved: bool) -> Path:
        return jsonl([{"instanceId": "a", "modelPatch": "+x", "resolved": resolved}])

    right, _ = bring(rows(True), signals=["never"])
    wrong, findings = bring(rows(False), signals=["never"])
    assert right["a"].extra["source_score"] == {"scorer": "swebench", "value": True}
    assert findings.verdicts == {"swebench: False": 1}
    without = [{**json.loads(json.dumps(t["a"].extra)), "source_score": None} for t in (right, wrong)]
    assert without[0] == without[1]
    assert (right["a"].status, right["a"].artifact, right["a"].abstained) == ("ok", "+x", False)
    assert (wrong["a"].status, wrong["a"].artifact, wrong["a"].abstained) == ("ok", "+x", False)


def test_numbers_that_readers_disagree_on_are_no_fault_of_a_log(
    jsonl: Callable[..., Path], bring: Callable[..., Any], tmp_path: Path
) -> None:
    """Seeds and times in nanoseconds are passed over; what is carried is written as every reader reads it."""
    out = tmp_path / "t.jsonl"
    instance = {
        "schema_version": "0.2.0",
        "evaluation_id": "e",
        "model_id": "m",
        "sample_id": 2**64,
        "output": {"raw": "A"},
        "evaluation": {"score": -0.0},
        "performance": {"latency_ms": -0.0, "started_ns": 1764512345123456789},
        "seed": 18446744073709551615,
        "delta": [-0.0, {"x": -1e-320}],
    }
    imported = import_files(None, [jsonl([instance])], Choices(abstain_when=(parse_signal("never"),)))
    written(imported, out)
    with Tree(tmp_path) as tree:
        (got,) = read_transcripts(tree.read(out.name))
    assert (got.task_id, repr(got.wall_clock_sec)) == ("18446744073709551616", "0.0")
    assert got.extra is not None
    assert repr(got.extra["source_score"]["value"]) == "0.0"
    assert repr(got.extra["performance"]) == repr({"latency_ms": 0.0, "started_ns": "1764512345123456789"})


def test_a_mapped_number_beyond_the_safe_ones_is_refused(
    jsonl: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    (fault,) = refused(bring, jsonl([{"instanceId": "a", "modelPatch": "+x", "outputTokens": 2**53}]))
    assert (fault.slug, fault.path) == ("field-range", "/outputTokens")


def test_suspicious_zeros_are_kept_and_flagged(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    zeros = {"costUsd": 0, "outputTokens": 0, "inputTokens": 0, "durationMs": 0}
    got, findings = bring(jsonl([{"instanceId": "a", "modelPatch": "+x", **zeros}]))
    assert (got["a"].cost_usd, got["a"].tokens_in, got["a"].tokens_out, got["a"].wall_clock_sec) == (0, 0, 0, 0)
    assert set(findings.flagged) == {
        "cost of 0 beside tokens or text",
        "0 tokens out beside text",
        "0 tokens in beside text",
        "0 seconds",
    }
    got, findings = bring(jsonl([{"instanceId": "a", "modelPatch": "+x"}]))
    assert (got["a"].cost_usd, got["a"].tokens_in, got["a"].tokens_out, got["a"].wall_clock_sec) == (None,) * 4
    assert findings.flagged == {}


def test_what_is_not_recorded_is_named_as_a_limit(jsonl: Callable[..., Path], bring: Callable[..., Any]) -> None:
    rows = [{"instanceId": "a", "modelPatch": "+x", "durationMs": 5}, {"instanceId": "b", "modelPatch": "+x"}]
    _, findings = bring(jsonl(rows), signals=["never"])
    assert "retries not recorded by this source" in findings.limits()
    assert "wall clock recorded for 1 of 2 tasks" in findings.limits()
    assert "abstention read from: never" in findings.limits()


def test_the_sidecar_says_where_the_transcripts_come_from(jsonl: Callable[..., Path], tmp_path: Path) -> None:
    path = jsonl([row("a")])
    imported = import_files("swebench", [path], Choices())
    written(imported, tmp_path / "t.jsonl")
    source = read_source(tmp_path / "t.jsonl")
    assert source is not None
    assert (source.format, source.source_sha256) == ("swebench", imported.sha256)
    assert source.limits == imported.findings.limits()


def test_an_import_without_a_row_is_refused(
    tmp_path: Path, bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    path = tmp_path / "empty.json"
    path.write_text('{"info": {}, "tasks": [], "simulations": []}')
    assert refused(bring, path)[0].slug == "import-unsupported"


def test_a_fault_on_a_late_line_is_named_by_its_line(
    jsonl: Callable[..., Path], bring: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    rows = [row(f"t{n}") for n in range(3000)]
    rows[2500]["model_patch"] = float("nan")
    (fault,) = refused(bring, jsonl(rows))
    assert (fault.slug, fault.path) == ("json-malformed", "line 2501")


def test_text_that_utf_8_does_not_have_is_written_with_its_escape_and_flagged(
    jsonl: Callable[..., Path], tmp_path: Path
) -> None:
    """No importer hands it on; should one, a whole import is not lost for it."""
    imported = import_files(None, [jsonl([row("a"), row("b")])], Choices())
    (first, second) = imported.transcripts
    fields = {"task_id": "b\udcff", "route": "\udcff", "extra": {"\ud800": ["\ud800"]}}
    odd = msgspec.structs.replace(second, **fields)
    written(dataclasses.replace(imported, transcripts=iter([first, odd])), tmp_path / "t.jsonl")
    one, other = (json.loads(line) for line in (tmp_path / "t.jsonl").read_text("utf-8").splitlines())
    assert one == json.loads(write_transcript(first))
    assert (other["task_id"], other["route"], other["extra"]) == (r"b\udcff", r"\udcff", {r"\ud800": [r"\ud800"]})
    assert imported.findings.flagged["half of a surrogate pair, written as its escape"].count == 1


def test_a_file_of_any_name_is_imported(jsonl: Callable[..., Path], tmp_path: Path) -> None:
    """The name of a file of lm-eval is a label, and what was chosen of several stands in the sidecar."""
    rows = [{"doc_id": 0, "doc": {}, "resps": [["A"]], "filtered_resps": ["A"]}]
    files = [jsonl(rows, os.fsdecode(b"samples_%b.jsonl" % name)) for name in (b"\xff", b"other")]
    written(import_files(None, files, Choices(task=r"\udcff")), tmp_path / "t.jsonl")
    source = read_source(tmp_path / "t.jsonl")
    assert source is not None
    assert r"task \udcff chosen of 2 in the source" in source.limits
