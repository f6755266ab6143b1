"""The metric's own process: questions in, answers out, an object a line, and nothing else on that line."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

from sitegen.harness import metric_process

SCRIPT = metric_process.__file__


def answers(metric: Path, *questions: dict[str, str]) -> list[object]:
    given = "".join(json.dumps(question) + "\n" for question in questions)
    command = [sys.executable, "-I", SCRIPT, str(metric)]
    ran = subprocess.run(command, input=given, capture_output=True, text=True, check=True, timeout=60)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_each_question_gets_one_answer_in_order(tmp_path: Path) -> None:
    metric = tmp_path / "metric.py"
    metric.write_text("def score(result, oracle_path):\n    print('noise')\n    return [result, oracle_path]\n")
    questions = ({"artifact": "a\n", "oracle_path": "x"}, {"artifact": "é", "oracle_path": "y"})
    assert answers(metric, *questions) == [{"verdict": ["a\n", "x"]}, {"verdict": ["é", "y"]}]


def test_a_failure_is_an_answer_and_the_next_question_is_heard(tmp_path: Path) -> None:
    metric = tmp_path / "metric.py"
    metric.write_text("def score(result, oracle_path):\n    return 1 / int(result)\n")
    questions = ({"artifact": "0", "oracle_path": ""}, {"artifact": "2", "oracle_path": ""})
    assert answers(metric, *questions) == [{"error": "ZeroDivisionError: division by zero"}, {"verdict": 0.5}]


def test_without_questions_the_metric_is_not_even_loaded(tmp_path: Path) -> None:
    assert answers(tmp_path / "nowhere.py") == []


def test_the_script_needs_nothing_of_sitegen() -> None:
    tree = ast.parse(Path(SCRIPT).read_text())
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert not [module for module in modules if module.startswith("sitegen")]
