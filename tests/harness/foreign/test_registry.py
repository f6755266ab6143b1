"""Every file of ../shared/data is taken by the importer of its folder, or refused with a reason to act on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.foreign import Choices, import_files
from sitegen.harness.foreign.registry import IMPORTERS, recognise
from sitegen.harness.foreign.sources import ForeignFile
from sitegen.refusals import Misuse, Refused

FOLDERS = {"bfcl": "bfcl", "every_eval_ever": "every-eval-ever", "inspect": "inspect", "lm_eval": "lm-eval"}
FOLDERS |= {"promptfoo": "promptfoo", "swebench": "swebench"}
REFUSED = {"harbor", "helm", "bfcl-metrics", "when2call", "bfcl-pack", "licences"}
PARTIAL = ("import-unsupported", "import-ambiguous")


def files(shared: Path) -> list[Path]:
    return [path for path in sorted(shared.rglob("*")) if path.is_file() and path.suffix not in (".md", ".txt")]


def outcome(path: Path) -> str | list[Any]:
    try:
        imported = import_files(None, [path], Choices())
        for _ in imported.transcripts:
            pass
    except Refused as refused:
        return list(refused.refusals)
    return imported.findings.importer.name


def test_every_real_file_is_imported_or_refused_with_a_reason(shared: Path) -> None:
    taken = 0
    for path in files(shared):
        result, folder = outcome(path), path.relative_to(shared).parts[0]
        if isinstance(result, str):
            assert folder not in REFUSED, path
            assert result in (FOLDERS.get(folder), path.name.split("_")[0]), path
            taken += 1
        else:
            assert all(fault.slug in PARTIAL and fault.found and fault.hint for fault in result), (path, result)
    assert taken == 53 + 8 + 1 + 1 + 2 + 2 + 2  # BFCL, Inspect, EEE, lm-eval, promptfoo, SWE-bench, tau2 taken alone


def test_a_file_under_another_name_is_still_recognised(shared: Path, tmp_path: Path) -> None:
    for number, path in enumerate(path for path in files(shared) if path.suffix != ".csv"):
        copy = tmp_path / f"{number}.data"
        copy.write_bytes(path.read_bytes())
        here, there = outcome(path), outcome(copy)
        assert isinstance(here, str) == isinstance(there, str), path
        assert not isinstance(here, str) or here == there


def test_formats_are_known_by_name() -> None:
    assert list(IMPORTERS) == ["inspect", "swebench", "tau", "tau2", "lm-eval", "promptfoo", "every-eval-ever", "bfcl"]
    with pytest.raises(Misuse, match="Known are inspect"):
        recognise("helm", [ForeignFile(Path(__file__))])
    with pytest.raises(Misuse, match="no file"):
        recognise(None, [])


def test_a_named_format_does_not_take_another_formats_file(
    jsonl: Callable[..., Path], refused: Callable[..., Any]
) -> None:
    path = jsonl([{"instance_id": "a", "model_patch": "x"}])
    assert refused(recognise, "tau", [ForeignFile(path)])[0].slug == "import-unsupported"


def test_files_of_two_formats_are_not_one_run(jsonl: Callable[..., Path], refused: Callable[..., Any]) -> None:
    one = jsonl([{"instance_id": "a", "model_patch": "x"}], "one.jsonl")
    other = jsonl([{"id": "a", "result": "x"}], "other.jsonl")
    assert refused(recognise, None, [ForeignFile(one), ForeignFile(other)])[0].slug == "import-ambiguous"
