"""Open a run: lock manifest and solver by digest, and write the start before the first call."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.digests import Digest, folder_digest, sha256
from sitegen.harness.clock import now
from sitegen.harness.disk import sync_folder, write_file
from sitegen.harness.ledgering import append_event, open_start_of
from sitegen.harness.secrecy import find_published_secrets
from sitegen.read.files import SourceFile, Tree
from sitegen.read.library import (
    PROTOCOLS,
    REPORTS,
    SOLVER_FOLDER,
    RunFolder,
    Unit,
    read_exam,
    read_ledger,
    read_run_folder,
)
from sitegen.read.manifest import MANIFEST_NAME, Channel, Manifest, read_manifest
from sitegen.read.pack import Pack
from sitegen.read.protocol import SealedProtocol
from sitegen.read.report import RescoredFrom
from sitegen.refusals import Misuse, Refusal, Refused, faults
from sitegen.verify.chain import find_chain_faults, histories_of
from sitegen.verify.evidence import binding_faults
from sitegen.verify.protocols import SoundProtocol, examine_protocol
from sitegen.verify.verified import needed

RUN_ID_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRun:
    """A run that was started and has no end yet.

    ``solver_folder`` is the copy locked at the start; ``opaque`` gives the id that the solver sees, by true id.
    ``channel`` is exploratory for a run that only a rehearsal's scoring made; such a run has no start in the ledger.
    ``rescored_from`` is the run of another protocol whose answers are scored again; the start is then that run's.
    """

    root: Path
    protocol: SealedProtocol
    protocol_sha256: Digest
    protocol_folder: Path
    pack: Pack = field(repr=False)
    manifest: Manifest
    manifest_sha256: Digest
    solver_sha256: Digest
    channel: Channel
    run_id: str
    run_folder: Path
    start_sha256: Digest | None
    started_at: str
    opaque: Mapping[str, str] = field(repr=False)
    rescored_from: RescoredFrom | None = None

    @property
    def solver_folder(self) -> Path:
        """The locked copy of the solver's files."""
        return self.run_folder / SOLVER_FOLDER


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contestant:
    """A manifest and the files beside it."""

    source: SourceFile
    manifest: Manifest
    files: Mapping[str, SourceFile] = field(repr=False)
    executable: frozenset[str]

    @property
    def solver_sha256(self) -> Digest:
        return folder_digest({path: file.sha256 for path, file in self.files.items()})


def open_run(root: Path, protocol_id: str, manifest_path: Path, needs_solver: bool = True) -> OpenRun:
    """Open a run: copy manifest and solver into its folder, then write and fsync the start.

    Raises:
        Refused: the protocol may not be run, or the manifest is not in order; ``solver-missing``; ``evidence-secret``
            in what would be published of the contestant.
        Misuse: there is no such protocol or manifest.
        OSError: the run's folder or the event cannot be written.
    """
    sound = sound_exam(root, protocol_id)
    contestant = _read_contestant(manifest_path)
    if needs_solver and not contestant.files:
        expected = "the solver's files beside the manifest"
        raise Refused([Refusal(slug="solver-missing", file=str(manifest_path), expected=expected, found="none")])
    _check_secrets(root, contestant, sound.document.protocol)
    run_id = new_run_id(contestant.manifest.route)
    partial = root / REPORTS / protocol_id / f".{run_id}~"
    _copy(contestant, partial)
    append_event(
        root,
        protocol_id,
        event="start",
        run_id=run_id,
        protocol_sha256=sound.document.sha256,
        manifest_sha256=contestant.source.sha256,
        solver_sha256=contestant.solver_sha256,
        channel=contestant.manifest.channel,
        route=contestant.manifest.route,
    )
    partial.rename(partial.with_name(run_id))
    sync_folder(partial.parent)
    return _reopened(root, protocol_id, run_id)


def reopen_run(root: Path, run_id: str) -> OpenRun:
    """Return a run that was started before and has no end.

    Raises:
        Refused: manifest or solver are not those of the start, or the protocol changed.
        Misuse: there is no such run, or it ended.
    """
    return _reopened(root, find_run(root, run_id), run_id)


def _reopened(root: Path, protocol_id: str, run_id: str) -> OpenRun:
    sound = sound_exam(root, protocol_id)
    with Tree(root) as tree:
        unit = read_exam(tree, protocol_id)
        folder = read_run_folder(tree, protocol_id, run_id)
    histories = histories_of(unit.ledger)
    digest, start = open_start_of(histories, run_id)
    manifest = _own_manifest(folder)
    found = [*folder.faults, *binding_faults(folder, histories[run_id], manifest)]
    if found:
        raise Refused(found)
    return OpenRun(
        root=root,
        protocol=sound.document.protocol,
        protocol_sha256=sound.document.sha256,
        protocol_folder=root / PROTOCOLS / protocol_id,
        pack=sound.pack,
        manifest=manifest,
        manifest_sha256=folder.files[MANIFEST_NAME].sha256,
        solver_sha256=start.solver_sha256 or "",
        channel=start.channel or "exploratory",
        run_id=run_id,
        run_folder=root / REPORTS / protocol_id / run_id,
        start_sha256=digest,
        started_at=start.time,
        opaque=opaque_ids(sound.pack, digest),
    )


def open_rehearsal(root: Path, protocol_id: str, manifest_path: Path) -> OpenRun:
    """Return a run for transcripts that nobody announced: exploratory for ever, without a start in the ledger.

    Raises:
        Refused: the protocol or the manifest is not in order.
        Misuse: there is no such protocol or manifest.
        OSError: the run's folder cannot be written.
    """
    sound = sound_exam(root, protocol_id)
    contestant = _read_contestant(manifest_path)
    run_id = new_run_id(contestant.manifest.route)
    run_folder = root / REPORTS / protocol_id / run_id
    _copy(contestant, run_folder)
    return OpenRun(
        root=root,
        protocol=sound.document.protocol,
        protocol_sha256=sound.document.sha256,
        protocol_folder=root / PROTOCOLS / protocol_id,
        pack=sound.pack,
        manifest=contestant.manifest,
        manifest_sha256=contestant.source.sha256,
        solver_sha256=contestant.solver_sha256,
        channel="exploratory",
        run_id=run_id,
        run_folder=run_folder,
        start_sha256=None,
        started_at=now(),
        opaque={},
    )


def discard_rehearsal(run: OpenRun) -> None:
    """Remove the folder of a rehearsal that gave no report: nothing accounts for it. A started run is kept as it is.

    Raises:
        OSError: it cannot be removed.
    """
    if run.start_sha256 is None:
        shutil.rmtree(run.run_folder)


def sound_exam(root: Path, protocol_id: str) -> SoundProtocol:
    """Return a sealed protocol that may be run.

    Raises:
        Refused: every reason against it; ``seal-missing`` for a draft.
        Misuse: there is no such protocol.
    """
    with Tree(root) as tree:
        if not tree.exists(f"{PROTOCOLS}/{protocol_id}"):
            raise Misuse(f"there is no {PROTOCOLS}/{protocol_id}")
        unit = read_exam(tree, protocol_id)
    sound, refusals = examine_protocol(unit)
    refusals = [*unit.faults, *find_chain_faults(protocol_id, unit.ledger), *refusals]
    if sound is None and not faults(refusals):
        refusals = [_not_sealed(unit)]
    if sound is None or refusals:
        raise Refused(refusals)
    needed(sound.whole_pack, f"{PROTOCOLS}/{protocol_id}", sound.withheld)
    return sound


def find_run(root: Path, run_id: str) -> str:
    """Return the id of the protocol that a run belongs to.

    Raises:
        Misuse: no run, or more than one, has this id.
    """
    with Tree(root) as tree:
        ids = tree.folders(REPORTS)
        # A run has a folder; only one that lost it is looked for in the ledgers, which are many on a large site.
        found = [protocol_id for protocol_id in ids if tree.exists(f"{REPORTS}/{protocol_id}/{run_id}")] or [
            protocol_id for protocol_id in ids if run_id in histories_of(read_ledger(tree, protocol_id)[0])
        ]
    if len(found) != 1:
        raise Misuse(f"{'no' if not found else 'more than one'} run is called {run_id}")
    return found[0]


def opaque_ids(pack: Pack, start: Digest) -> dict[str, str]:
    """Return the id that the solver sees by true id: different in every run, alike for tasks and null-pack rows."""
    return {task.id: f"t-{sha256(f'{start} {task.id}'.encode())[:16]}" for task in (*pack.null_pack, *pack.dataset)}


def new_run_id(route: str) -> str:
    """Return a new run id: the date, the route's name as far as it is plain, and six random hexadecimal digits."""
    plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in route.lower()).strip("-")[:60]
    parts = (now()[:10], "-".join(filter(None, plain.split("-"))), secrets.token_hex(RUN_ID_DIGITS // 2))
    return "-".join(filter(None, parts))


def _read_contestant(manifest_path: Path) -> _Contestant:
    if not manifest_path.is_file():
        raise Misuse(f"there is no manifest {manifest_path}")
    with Tree(manifest_path.parent) as tree:
        source = tree.read(manifest_path.name)
        files = {path: tree.read(path) for path in tree.files("") if path != manifest_path.name}
    executable = frozenset(path for path in files if (manifest_path.parent / path).stat().st_mode & 0o100)
    return _Contestant(source=source, manifest=read_manifest(source), files=files, executable=executable)


def _check_secrets(root: Path, contestant: _Contestant, protocol: SealedProtocol) -> None:
    """Refuse a contestant of a scored run, of which a key would be published, while the run does not count yet."""
    manifest = contestant.manifest
    if manifest.channel == "exploratory":
        return
    shows_solver = manifest.publish_solver and protocol.publish.evidence != "digests"
    with Tree(root) as tree:
        found = find_published_secrets(tree, [contestant.source, *(contestant.files.values() if shows_solver else ())])
    if found:
        raise Refused(found)


def _copy(contestant: _Contestant, folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    write_file(folder / MANIFEST_NAME, contestant.source.data)
    for path, file in contestant.files.items():
        target = folder / SOLVER_FOLDER / path
        write_file(target, file.data)
        if path in contestant.executable:
            target.chmod(0o755)


def _own_manifest(folder: RunFolder) -> Manifest:
    source = folder.files.get(MANIFEST_NAME)
    if source is None:
        file = f"{folder.path}/{MANIFEST_NAME}"
        raise Refused([Refusal(slug="evidence-missing", file=file, expected="the run's manifest", found="nothing")])
    return read_manifest(source)


def _not_sealed(unit: Unit) -> Refusal:
    hint = f"`sitegen seal {PROTOCOLS}/{unit.protocol_id}` first"
    return Refusal(
        slug="seal-missing", file=f"{PROTOCOLS}/{unit.protocol_id}", expected="a seal", found="a draft", hint=hint
    )
