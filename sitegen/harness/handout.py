"""What a solver may see of the tasks: without oracle, kind, class and true id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sitegen.harness.disk import write_file
from sitegen.harness.opening import OpenRun
from sitegen.read.tasks import Task


def shown_task(run: OpenRun, task: Task) -> dict[str, Any]:
    """Return one task as the solver sees it, under its opaque id."""
    return {"id": run.opaque.get(task.id, task.id), **task.shown}


def write_handout(run: OpenRun, path: Path) -> None:
    """Write all tasks, null pack first, one object a line with the pack it belongs to.

    Raises:
        OSError: the file cannot be written.
    """
    packs = (("null_pack", run.pack.null_pack), ("dataset", run.pack.dataset))
    lines = [
        json.dumps({**shown_task(run, task), "pack": pack}, ensure_ascii=False) + "\n"
        for pack, tasks in packs
        for task in tasks
    ]
    write_file(path, "".join(lines).encode("utf-8", "surrogatepass"))
