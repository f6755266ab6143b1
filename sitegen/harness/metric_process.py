"""Run inside the metric's own process: load one metric module and answer questions, a JSON object a line.

Started as a script by :mod:`sitegen.harness.marking`, isolated from sitegen and its environment. The first argument is
the module's path. A question is ``{"artifact": text, "oracle_path": path}``; an answer is what ``score`` returned, as
``{"verdict": …}``, or ``{"error": text}``.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from types import ModuleType


def main() -> None:
    """Answer until standard input ends. What the metric prints goes to standard error, never among the answers."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    path = sys.argv[1]
    sys.path.insert(0, os.path.dirname(path))  # what the metric imports is sealed beside it
    sys.dont_write_bytecode = True  # nothing may appear in the sealed folder
    module = None
    for line in os.fdopen(os.dup(0), encoding="utf-8"):
        question = json.loads(line)
        try:
            module = module or _load(path)
            verdict = module.score(question["artifact"], question["oracle_path"])
            answer = json.dumps({"verdict": verdict})
        except BaseException as error:  # noqa: BLE001 (whatever the metric does, it is the answer)
            answer = json.dumps({"error": f"{type(error).__name__}: {error}"})
        answers.write(f"{answer}\n")
        answers.flush()


def _load(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("metric", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
