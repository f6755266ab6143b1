"""What a solver sees of an exam, and what it is held to while it works.

Two exams that expose the same differ only in how answers are judged: then, and only then, may the answers that were
given under the one be scored again under the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sitegen.digests import Digest, folder_digest, sha256
from sitegen.read.pack import Pack
from sitegen.read.protocol import DraftProtocol
from sitegen.read.tasks import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """The questions by task id, as digests over all that is shown, and the rules that bind while answering."""

    artifact: str
    timeout_sec: float
    max_files_touched: int | None
    dataset: Mapping[str, Digest] = field(repr=False)
    null_pack: Mapping[str, Digest] = field(repr=False)


def exposure_of(protocol: DraftProtocol, pack: Pack, files: Mapping[str, Digest]) -> Exposure:
    """Return what ``protocol`` exposes. ``files`` are the digests of its folder's files, by path."""
    return Exposure(
        artifact=protocol.dataset.artifact,
        timeout_sec=protocol.budget.timeout_sec,
        max_files_touched=protocol.budget.max_files_touched,
        dataset={task.id: _question(task, files) for task in pack.dataset},
        null_pack={row.id: _question(row, files) for row in pack.null_pack},
    )


def task_files(task: Task) -> tuple[str, ...]:
    """Return the paths of the protocol's folder that a task names as its files; none where it holds their text."""
    return task.sealed_files


def find_exposure_differences(old: Exposure, new: Exposure) -> Iterator[tuple[str, str, str]]:
    """Yield (what, under the old exam, under the new one) for everything that a solver could have noticed."""
    for name in ("artifact", "timeout_sec", "max_files_touched"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield name, str(before), str(after)
    for name in ("dataset", "null_pack"):
        questions: tuple[Mapping[str, Digest], Mapping[str, Digest]] = getattr(old, name), getattr(new, name)
        before, after = questions
        for task_id in [*before, *(task_id for task_id in after if task_id not in before)]:
            if before.get(task_id) != after.get(task_id):
                yield f"{name} {task_id}", before.get(task_id, "no such task"), after.get(task_id, "no such task")


def _question(task: Task, files: Mapping[str, Digest]) -> Digest:
    """Return the digest of what is shown of a task, the bytes of the files that it names included."""
    listed = task_files(task)
    shown = {path: files[path] for path in files if any(path == name or path.startswith(f"{name}/") for name in listed)}
    return sha256(f"{task.question} {folder_digest(shown)}".encode())
