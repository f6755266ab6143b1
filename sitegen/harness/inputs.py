"""The digests of everything that a run rests on, taken before the first call and again at the end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sitegen.digests import Digest
from sitegen.harness.opening import OpenRun
from sitegen.read.files import Tree
from sitegen.read.library import PROTOCOLS, SOLVER_FOLDER
from sitegen.read.manifest import MANIFEST_NAME
from sitegen.read.protocol import NOTES_NAME
from sitegen.refusals import Refusal, Refused

Fingerprint = Mapping[str, Digest]
"""Digest by path below the site's root."""


def fingerprint_of(run: OpenRun) -> dict[str, Digest]:
    """Return the digests of the sealed files, the manifest and the locked solver. The owner's notes are no input.

    Raises:
        Refused: a file cannot be read.
    """
    run_folder = run.run_folder.relative_to(run.root).as_posix()
    exam = f"{PROTOCOLS}/{run.protocol.protocol_id}"
    with Tree(run.root) as tree:
        paths = [f"{exam}/{name}" for name in tree.files(exam) if name != NOTES_NAME]
        paths += [f"{run_folder}/{SOLVER_FOLDER}/{name}" for name in tree.files(f"{run_folder}/{SOLVER_FOLDER}")]
        return {path: tree.read(path).sha256 for path in (*paths, f"{run_folder}/{MANIFEST_NAME}")}


def input_changes(run: OpenRun, before: Fingerprint) -> list[Refusal]:
    """Return ``inputs-changed`` for every input that is not what it was, and for every one that came or went."""
    try:
        after = fingerprint_of(run)
    except Refused as refused:
        return [_changed(fault.file, fault.expected, fault.found) for fault in refused.refusals]
    paths = sorted(before.keys() | after.keys())
    return [_changed(path, before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)]


def workspace_files(run: OpenRun, before: Fingerprint, files: object) -> dict[str, bytes]:
    """Return the bytes of a task's ``files``: given as path → text, or as files and folders of the protocol's folder.

    Raises:
        Refused: ``inputs-changed`` where a file is not the one that was there at the start; it cannot be read.
    """
    if isinstance(files, dict):
        return {_plain(path): text.encode("utf-8", "surrogatepass") for path, text in files.items()}
    if not isinstance(files, list):
        return {}
    exam = f"{PROTOCOLS}/{run.protocol.protocol_id}/"
    found: dict[str, bytes] = {}
    with Tree(run.root) as tree:
        for path in (path for named in files for path in _files_at(f"{exam}{_plain(named)}", before)):
            source = tree.read(path)
            if before.get(path) != source.sha256:
                raise Refused([_changed(path, before.get(path), source.sha256)])
            found[path.removeprefix(exam)] = source.data
    return found


def copy_solver(run: OpenRun, folder: Path) -> None:
    """Copy the locked solver into an empty folder that only reads it: solvers never learn where the run is kept.

    Raises:
        OSError: it cannot be copied.
    """
    import shutil

    shutil.copytree(run.solver_folder, folder, dirs_exist_ok=True)
    for path in sorted(folder.rglob("*"), reverse=True):
        path.chmod(path.stat().st_mode & 0o555)
    folder.chmod(0o555)


def _files_at(path: str, before: Fingerprint) -> list[str]:
    """Return ``path``, or the paths of all that was below it where it is a folder."""
    return [name for name in before if name.startswith(f"{path}/")] or [path]


def _plain(path: str) -> str:
    return path.removeprefix("./")


def _changed(file: str, expected: str | None, found: str | None) -> Refusal:
    return Refusal(slug="inputs-changed", file=file, expected=expected or "no such file", found=found or "nothing")
