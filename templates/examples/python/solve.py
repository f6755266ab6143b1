"""Answer with the longest word of the task's prompt; abstain where there is none, or where two are equally long."""

import json
import os
import sys
from pathlib import Path


def longest_word(prompt):
    """Return the longest word, or None where it is not the only one of its length."""
    words = sorted(set(prompt.split()), key=len)
    if not words or (len(words) > 1 and len(words[-2]) == len(words[-1])):
        return None
    return words[-1]


def main():
    """Solve the task named by TASK_JSON."""
    task = json.loads(Path(os.environ["TASK_JSON"]).read_text(encoding="utf-8"))
    answer = longest_word(task.get("prompt", ""))
    result = {"abstained": answer is None, "retries": 0, "tool_calls": 0, "tools_used": []}
    Path(os.environ["RESULT_JSON"]).write_text(json.dumps(result), encoding="utf-8")
    if answer is not None:
        sys.stdout.write(answer)


if __name__ == "__main__":
    main()
