"""Rows a second and peak memory of an import of 100,000 samples, format by format, each in a process of its own.

Run it by hand: ``python tests/bench/bench_import.py [ROWS] [FORMAT…]``. The rows are made up here, of the size of real
ones; what is timed is reading, choosing, holding against the rules and writing transcripts, to the last byte on disk.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PROSE = "The quadratic equation has no real solution, because its discriminant is negative; none of the tools applies. "


def _lines(path: Path, rows: Iterator[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def make_bfcl(folder: Path, count: int) -> Path:
    rows = (
        {
            "id": f"simple_{i}",
            "result": f"[calculate_area(base={i}, height=5, unit='cm')]" if i % 3 else PROSE * 2,
            "input_token_count": 250,
            "output_token_count": 40,
            "latency": i / 1000,
        }
        for i in range(count)
    )
    (folder / "result" / "model").mkdir(parents=True)
    return _lines(folder / "result" / "model" / "BFCL_v3_simple_result.json", rows)


def make_lm_eval(folder: Path, count: int) -> Path:
    rows = (
        {
            "doc_id": i,
            "doc": {"problem": PROSE, "answer": str(i)},
            "target": str(i),
            "arguments": {"gen_args_0": {"arg_0": PROSE * 3}},
            "resps": [[f" {i}. {PROSE}"]],
            "filtered_resps": [f" {i}. {PROSE}"],
            "filter": "none",
            "metrics": ["exact_match"],
            "exact_match": 0.0,
        }
        for i in range(count)
    )
    return _lines(folder / "samples_made_up_2026-11-30T00-00-00.000000.jsonl", rows)


def make_swebench(folder: Path, count: int) -> Path:
    patch = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n" + "-old\n+new\n" * 40
    rows = ({"instance_id": f"a__a-{i}", "model_name_or_path": "m", "model_patch": patch} for i in range(count))
    return _lines(folder / "predictions.jsonl", rows)


def make_promptfoo(folder: Path, count: int) -> Path:
    rows = (
        {
            "provider": {"id": "p", "label": "p"},
            "prompt": {"raw": PROSE, "label": "{{q}}"},
            "vars": {"task_id": f"t{i}", "q": PROSE},
            "response": {"output": PROSE, "tokenUsage": {"prompt": 20, "completion": 9}},
            "success": True,
            "score": 1,
            "latencyMs": 81,
            "cost": 0.001,
            "testIdx": i,
            "promptIdx": 0,
            "failureReason": 0,
        }
        for i in range(count)
    )
    return _lines(folder / "out.jsonl", rows)


def make_every_eval_ever(folder: Path, count: int) -> Path:
    rows = (
        {
            "schema_version": "0.2.0",
            "evaluation_id": "e",
            "model_id": "m",
            "evaluation_name": "n",
            "sample_id": str(i),
            "input": {"raw": PROSE},
            "output": {"raw": "A"},
            "interactions": [{"role": "user", "content": PROSE}, {"role": "assistant", "content": "A"}],
            "evaluation": {"score": 1.0},
            "token_usage": {"input_tokens": 40, "output_tokens": 1},
            "error": None,
            "metadata": {"epoch": 1},
        }
        for i in range(count)
    )
    return _lines(folder / "instances.jsonl", rows)


def make_inspect(folder: Path, count: int) -> Path:
    path = folder / "log.eval"
    dataset = {"sample_ids": [f"s/{i}" for i in range(count)]}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for i in range(count):
            sample = {
                "id": f"s/{i}",
                "epoch": 1,
                "messages": [{"role": "user", "content": PROSE}, {"role": "assistant", "content": PROSE}],
                "output": {"model": "m", "completion": PROSE, "choices": [{"stop_reason": "stop"}]},
                "scores": {"match": {"value": "C"}},
                "total_time": 0.5,
            }
            archive.writestr(f"samples/s/{i}_epoch_1.json", json.dumps(sample))
        header = {"version": 2, "status": "success", "eval": {"model": "m", "dataset": dataset}}
        archive.writestr("header.json", json.dumps(header))
    return path


MAKERS: dict[str, Callable[[Path, int], Path]] = {
    "bfcl": make_bfcl,
    "lm-eval": make_lm_eval,
    "swebench": make_swebench,
    "promptfoo": make_promptfoo,
    "every-eval-ever": make_every_eval_ever,
    "inspect": make_inspect,
}


def measure(name: str, source: Path, output: Path) -> None:
    """Import one file in this process, and print what it took."""
    from sitegen.harness.foreign import Choices, import_files, parse_signal, secrets_gate, write_import
    from sitegen.read.settings import Settings

    started, busy = time.perf_counter(), time.process_time()
    imported = import_files(name, [source], Choices(abstain_when=(parse_signal("never"),)))
    write_import(imported, output, secrets_gate(Settings()), print)
    seconds, busy = time.perf_counter() - started, time.process_time() - busy
    rows, peak = imported.findings.results, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = source.stat().st_size / (1 << 20)
    speeds = f"{rows / seconds:>8.0f} rows/s, {rows / busy:>8.0f} by processor time"
    print(f"{name:<16} {rows:>8} rows {size:>5.0f} MiB {speeds} {peak:>5.0f} MiB at the peak")


def main(arguments: list[str]) -> None:
    """Make each file, and measure its import in a fresh process."""
    if arguments[:1] == ["--one"]:
        measure(arguments[1], Path(arguments[2]), Path(arguments[3]))
        return
    count = int(arguments[0]) if arguments else 100_000
    for name in arguments[1:] or MAKERS:
        with tempfile.TemporaryDirectory() as folder:
            source = MAKERS[name](Path(folder), count)
            output = str(Path(folder) / "transcripts.jsonl")
            subprocess.run([sys.executable, __file__, "--one", name, str(source), output], check=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    main(sys.argv[1:])
