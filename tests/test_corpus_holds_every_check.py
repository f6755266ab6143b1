"""Deleting any check makes a case of the refusal corpus fail: each is put out of action once, and a case notices."""

from __future__ import annotations

import inspect
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main

ALL = sorted(path for path in (Path(__file__).parent / "corpus").iterdir() if path.is_dir())
CHECKS = {
    "read.names": "confusable_ids",
    "verify.chain": "_missing_parents _repeated _seals _before_the_seal _ends",
    "verify.conduct": "channel route order_in_time",
    "verify.drift": "_listed_files _unlisted_files _stated_digests _draft_differs",
    "verify.evidence": "binding_faults digest_faults coverage_faults transcript_faults",
    "verify.levels": "_receipt_faults level_faults",
    "verify.numbers": "_method _claims _counts _covariates _floors",
    "verify.outlook": "find_outlook_faults",
    "verify.outcomes": "_row_faults null_pack_faults _gate",
    "verify.protocols": "_identity_faults _seal_block_faults _withdrawal",
    "verify.recount": "stated_gate",
    "verify.sealing": "repeated_ids missing_oracles repeated_contents overlaps rules_against_rows shown_answers floors"
    " forbidden_for_ever clusters cluster_design reserved_names",
    "verify.standing": "tombstone_faults check_place start_faults",
    "verify.verifier": "_check_single",
}
"""The checks, by the module of ``sitegen`` that they stand in."""


def command_of(folder: Path) -> list[str]:
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return list(expected.get("command", ["verify"]))


FOLDERS = [folder for folder in ALL if command_of(folder)[0] in ("verify", "seal")]
"""The cases of the verifier. The others are about other stages, and their commands may write beside the input."""


def put_out(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the check find nothing, wherever it is called from."""
    name = check.__name__
    for other in [part for key, part in sys.modules.items() if key.startswith("sitegen.")]:
        if getattr(other, name, None) is check:
            monkeypatch.setattr(other, name, lambda *given, **options: [])


def holds(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> bool:
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    monkeypatch.chdir(folder / "input")
    code = main([*command_of(folder), "--format", "json"])
    found = {json.loads(line).get("slug") for line in capsys.readouterr().out.splitlines()} - {None}
    return code == expected["exit"] and found == set(expected["slugs"])


@pytest.mark.parametrize(("module", "name"), [(module, name) for module in CHECKS for name in CHECKS[module].split()])
def test_a_case_notices_that_a_check_is_gone(
    module: str, name: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    check = getattr(import_module(f"sitegen.{module}"), name)
    source = inspect.getsource(check)
    likely_first = sorted(FOLDERS, key=lambda folder: f'"{folder.name.split("--")[1]}"' not in source)
    put_out(check, monkeypatch)
    assert not all(holds(folder, monkeypatch, capsys) for folder in likely_first)
