"""Which started run a command means, and whether the contestant is still the one that was locked."""

from __future__ import annotations

from pathlib import Path

from sitegen.digests import folder_digest, sha256
from sitegen.harness.ledgering import ledger_of
from sitegen.harness.opening import OpenRun, reopen_run
from sitegen.read.files import Tree
from sitegen.refusals import Misuse, Refusal, Refused
from sitegen.verify.chain import histories_of


def resume_run(root: Path, protocol_id: str, run_id: str | None, manifest_path: Path | None) -> OpenRun:
    """Return the open run that is named, or the one open run of this manifest.

    Raises:
        Refused: manifest or solver are not those of the start, or the protocol changed.
        Misuse: no run, or more than one, can be meant.
    """
    if run_id is None:
        if manifest_path is None:
            raise Misuse("name the run with --run, or its contestant with --manifest")
        run_id = _open_run_of(root, protocol_id, manifest_path)
    run = reopen_run(root, run_id)
    if run.protocol.protocol_id != protocol_id:
        raise Misuse(f"{run_id} is a run of {run.protocol.protocol_id}")
    if manifest_path is not None:
        _check_contestant(run, manifest_path)
    return run


def is_open(run: OpenRun) -> bool:
    """Tell whether a run can be gone on with or ended: it was started and has no end. With a broken ledger, neither."""
    try:
        history = histories_of(ledger_of(run.root, run.protocol.protocol_id)).get(run.run_id)
    except Refused:
        return False
    return history is not None and history.open_start is not None


def _open_run_of(root: Path, protocol_id: str, manifest_path: Path) -> str:
    manifest = _digests(manifest_path)[0]
    histories = histories_of(ledger_of(root, protocol_id))
    found = [
        run_id
        for run_id, history in histories.items()
        if history.open_start is not None and history.open_start[1].manifest_sha256 == manifest
    ]
    if not found:
        raise Misuse(f"no run of {manifest_path} is open under {protocol_id}; without --resume a new one is started")
    if len(found) > 1:
        raise Misuse(f"{len(found)} runs of {manifest_path} are open; name one with --run: {', '.join(found)}")
    return found[0]


def _check_contestant(run: OpenRun, manifest_path: Path) -> None:
    manifest, solver = _digests(manifest_path)
    faults = []
    if manifest != run.manifest_sha256:
        expected = run.manifest_sha256
        faults.append(Refusal(slug="manifest-drift", file=str(manifest_path), expected=expected, found=manifest))
    if solver != run.solver_sha256:
        file, expected = str(manifest_path.parent), run.solver_sha256
        faults.append(Refusal(slug="evidence-mismatch", file=file, expected=expected, found=solver))
    if faults:
        raise Refused(faults)


def _digests(manifest_path: Path) -> tuple[str, str]:
    """Return the digests of a manifest and of the solver's files beside it."""
    if not manifest_path.is_file():
        raise Misuse(f"there is no manifest {manifest_path}")
    with Tree(manifest_path.parent) as tree:
        files = {path: tree.read(path).sha256 for path in tree.files("") if path != manifest_path.name}
    return sha256(manifest_path.read_bytes()), folder_digest(files)
