"""That every check bites, in a short form: some mutants spread over all, and the list of those that cannot matter."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reliability.bite import equivalents, stale
from tests.reliability.mutants import default_files, mutants_of
from tests.reliability.scenes import ROOT

SAMPLE = 8


def test_removing_a_check_is_noticed() -> None:
    """The long form is ``make reliability``."""
    command = [sys.executable, "-m", "tests.reliability.bite", "--sample", str(SAMPLE)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert '"survivors": []' in ran.stdout


def test_every_entry_of_the_table_fits_a_mutant_and_has_a_reason() -> None:
    assert stale() == []
    assert all(len(why.split()) > 3 and why.endswith(".") for why in equivalents().values())


@pytest.mark.parametrize("path", default_files()[::6], ids=lambda path: path.name)
def test_every_mutant_is_another_module_and_compiles(path: Path) -> None:
    """What does not compile is noticed by everything."""
    unchanged = ast.dump(ast.parse(path.read_text(encoding="utf-8")))
    for mutant in mutants_of(path):
        changed = mutant.tree()
        compile(changed, str(path), "exec")
        assert ast.dump(changed) != unchanged, mutant.title
