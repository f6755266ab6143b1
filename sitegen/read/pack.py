"""An exam's tasks, null-pack rows and oracles, gathered from a protocol's folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sitegen.digests import Digest, folder_digest
from sitegen.read.files import SourceFile, check_path
from sitegen.read.names import folders_above
from sitegen.read.protocol import NOT_SEALED, DraftProtocol, OracleForm
from sitegen.read.tasks import Task, read_null_pack, read_tasks
from sitegen.refusals import Refusal, Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """The tasks and rows of one exam, and the oracles' exact bytes.

    ``oracles`` holds the bytes by task id, for tasks (``dataset``) and rows (``null_pack``) apart, since ids of the two
    may not be told apart before they were checked.
    """

    dataset: tuple[Task, ...]
    null_pack: tuple[Task, ...]
    dataset_sha256: Digest
    null_pack_sha256: Digest
    oracles: Mapping[str, bytes] = field(repr=False)
    null_oracles: Mapping[str, bytes] = field(repr=False)

    @property
    def ordinary(self) -> tuple[Task, ...]:
        """The ordinary tasks, in order."""
        return tuple(task for task in self.dataset if task.kind == "ordinary")

    @property
    def negative(self) -> tuple[Task, ...]:
        """The negative controls, in order."""
        return tuple(task for task in self.dataset if task.kind == "negative")

    def clusters(self, field: str | None) -> dict[str, str] | None:
        """Return each task's cluster by id: what it has in ``field``; ``None`` where the protocol names no field."""
        return None if field is None else {task.id: str(task.shown[field]) for task in self.dataset}


def read_pack(protocol: DraftProtocol, folder: str, files: Mapping[str, SourceFile], draft: str) -> Pack:
    """Return the pack of ``protocol``.

    Args:
        protocol: draft or sealed.
        folder: path of the protocol's folder, for messages.
        files: the folder's files by path below it.
        draft: path of the document that names the parts, for messages.

    Raises:
        Refused: ``file-missing`` for a part, or for a file of a task, that is no sealed file of the folder; faults of
            form; ``oracle-missing`` for an oracle's file.
    """
    faults: list[Refusal] = []
    data_files = _part(files, protocol.dataset.path, draft, "/dataset/path", faults)
    null_files = _part(files, protocol.null_pack.path, draft, "/null_pack/path", faults)
    dataset: list[Task] = []
    null_pack: list[Task] = []
    for rows, read, sources in ((dataset, read_tasks, data_files), (null_pack, read_null_pack, null_files)):
        try:
            rows.extend(read(list(sources.values())))
        except Refused as refused:
            faults.extend(refused.refusals)
    oracles = _oracles(dataset, protocol.dataset_oracle, files, faults)
    null_oracles = _oracles(null_pack, protocol.null_pack_oracle, files, faults)
    faults += _task_file_faults([*dataset, *null_pack], files)
    if faults:
        raise Refused(faults)
    digests = {name: source.sha256 for name, source in files.items()}
    return Pack(
        dataset=tuple(dataset),
        null_pack=tuple(null_pack),
        dataset_sha256=part_digest(digests, protocol.dataset.path),
        null_pack_sha256=part_digest(digests, protocol.null_pack.path),
        oracles=oracles,
        null_oracles=null_oracles,
    )


def part_files(files: Mapping[str, SourceFile], path: str) -> dict[str, SourceFile]:
    """Return the file at ``path``, or the ``.json`` files of the folder there, by path below the protocol's folder.

    What the seal does not cover is no part of an exam.
    """
    plain = path.removeprefix("./")
    if plain in NOT_SEALED:
        return {}
    if plain in files:
        return {plain: files[plain]}
    return {name: files[name] for name in files if name.startswith(f"{plain}/") and name.endswith(".json")}


def part_digest(digests: Mapping[str, Digest], path: str) -> Digest:
    """Return the digest of the file or folder at ``path``; ``digests`` are those of all files, by path."""
    plain = path.removeprefix("./")
    if plain in digests:
        return digests[plain]
    below = f"{plain}/"
    return folder_digest({n.removeprefix(below): digest for n, digest in digests.items() if n.startswith(below)})


def _part(
    files: Mapping[str, SourceFile], path: str, document: str, where: str, faults: list[Refusal]
) -> dict[str, SourceFile]:
    found = part_files(files, path)
    if not found:
        expected = "a sealed .jsonl file, or a folder of .json files"
        faults.append(Refusal(slug="file-missing", file=document, path=where, expected=expected, found=path))
    return found


def _oracles(
    rows: list[Task], form: OracleForm, files: Mapping[str, SourceFile], faults: list[Refusal]
) -> dict[str, bytes]:
    """Return the bytes of every oracle that is stated; an empty statement is none."""
    found: dict[str, bytes] = {}
    for row in rows:
        if not row.oracle:
            continue
        if form == "inline":
            found[row.id] = row.oracle.encode("utf-8", "surrogatepass")
            continue
        where = f"{row.path}/oracle"
        try:
            path = check_path(row.oracle, row.file, where)
        except Refused as refused:
            faults.extend(refused.refusals)
            continue
        if path not in files or path in NOT_SEALED:
            expected = "a sealed file of the folder"
            faults.append(Refusal(slug="oracle-missing", file=row.file, path=where, expected=expected, found=path))
        else:
            found[row.id] = files[path].data
    return found


def _task_file_faults(tasks: list[Task], files: Mapping[str, SourceFile]) -> Iterator[Refusal]:
    """Yield ``file-missing`` for each file that a task names and that is not there, or that the seal does not cover."""
    named = [(task, index, path) for task in tasks for index, path in enumerate(task.sealed_files)]
    if not named:
        return
    sealed = files.keys() - NOT_SEALED
    folders = {folder for name in sealed for folder in folders_above(name)}
    for task, index, path in named:
        if path not in sealed and path not in folders:
            found = f"{path}, which is not sealed" if path in files else path
            yield Refusal(
                slug="file-missing",
                file=task.file,
                path=f"{task.path}/files/{index}",
                expected="a sealed file of the folder",
                found=found,
            )
