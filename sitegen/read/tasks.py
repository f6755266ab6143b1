"""Tasks and null-pack rows: JSON Lines files, or folders of one ``.json`` file a task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from sitegen.digests import Digest, sha256
from sitegen.read.files import SourceFile, check_path
from sitegen.read.names import PATH_LIMIT
from sitegen.read.schema import TaskId, find_faults, pointer
from sitegen.read.strict import parse_json, parse_jsonl
from sitegen.refusals import MOST_LOOKED_FOR, Refusal, Refused

HIDDEN = frozenset(("id", "kind", "oracle", "expected_class", "salt"))
"""Fields that the solver never sees."""

Kind = Literal["ordinary", "negative"]
ExpectedClass = Literal["must_pass", "must_fail", "must_refuse"]

_sorted_encoder = msgspec.json.Encoder(order="sorted")


class _Common(msgspec.Struct, frozen=True, kw_only=True):
    """The fields that sitegen itself reads; a task may have any others for its solver."""

    id: TaskId
    oracle: str | None = None
    salt: str | None = None
    files: dict[str, str] | tuple[str, ...] | None = None


class TaskRow(_Common, frozen=True, kw_only=True):
    """One line of a dataset, or one file of a task pack."""

    kind: Annotated[Kind, Meta(extra={"slug": "task-kind-unknown"})] = "ordinary"


class NullRow(_Common, frozen=True, kw_only=True):
    """One line of a null pack."""

    expected_class: Annotated[ExpectedClass, Meta(extra={"slug": "null-pack-class"})]


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One task or null-pack row.

    Attributes:
        id: its true id.
        kind: ``ordinary`` or ``negative``; ``None`` for a null-pack row.
        expected_class: of a null-pack row, else ``None``.
        oracle: as stated: the exact text (inline) or a path below the protocol's folder; ``None`` where there is none.
        salt: random characters that keep the digest of a hidden pack from being guessed; no solver sees them.
        shown: what the solver may see, without :data:`HIDDEN`.
        file: file it stands in.
        path: place in that file (``line 7``, or empty).
    """

    id: str
    kind: Kind | None = None
    expected_class: ExpectedClass | None = None
    oracle: str | None = None
    salt: str | None = None
    shown: dict[str, Any]
    file: str
    path: str

    @property
    def question(self) -> Digest:
        """Digest of what the solver sees: two tasks with the same question are one task."""
        return sha256(_sorted_encoder.encode(self.shown))

    @property
    def content(self) -> Digest:
        """Digest of all but the id, an inline oracle included: the same content in two packs is the same task."""
        return sha256(_sorted_encoder.encode([self.kind, self.expected_class, self.oracle, self.shown]))

    @property
    def sealed_files(self) -> tuple[str, ...]:
        """Files and folders of the protocol's folder that it names as its ``files``; none where it holds their text."""
        named = self.shown.get("files")
        return tuple(path.removeprefix("./") for path in named) if isinstance(named, list) else ()


def read_tasks(sources: Sequence[SourceFile]) -> list[Task]:
    """Return the tasks of a dataset in order of file and line.

    Raises:
        Refused: every fault of form.
    """
    return _read(sources, TaskRow)


def read_null_pack(sources: Sequence[SourceFile]) -> list[Task]:
    """Return the rows of a null pack in order of file and line.

    Raises:
        Refused: every fault of form.
    """
    return _read(sources, NullRow)


def _read(sources: Sequence[SourceFile], row: type[Any]) -> list[Task]:
    tasks: list[Task] = []
    faults: list[Refusal] = []
    for source in sources:
        for place, value in _values(source, faults):
            try:
                tasks.append(_task(value, row, source.path, place))
            except Refused as refused:
                faults.extend(refused.refusals)
            if len(faults) >= MOST_LOOKED_FOR:
                raise Refused(faults)
    if faults:
        raise Refused(faults)
    return tasks


def _values(source: SourceFile, faults: list[Refusal]) -> list[tuple[str, Any]]:
    """Return (place, value) of each row, or none and add to ``faults``."""
    try:
        if source.path.endswith(".jsonl"):
            values = parse_jsonl(source.data, source.path)
            return [(f"line {number}", value) for number, value in enumerate(values, start=1)]
        return [("", parse_json(source.data, source.path))]
    except Refused as refused:
        faults.extend(refused.refusals)
        return []


def _task(value: Any, row: type[Any], file: str, place: str) -> Task:
    try:
        read = msgspec.convert(value, row, strict=True)
    except msgspec.ValidationError as error:
        found = find_faults(value, row, file, place) or [
            Refusal(slug="field-type", file=file, path=place, found=str(error))
        ]
        raise Refused(found) from None
    found = list(_file_faults(read.files or (), file, f"{place}/files"))
    if found:
        raise Refused(found)
    return Task(
        id=read.id,
        kind=getattr(read, "kind", None),
        expected_class=getattr(read, "expected_class", None),
        oracle=read.oracle,
        salt=read.salt,
        shown={key: part for key, part in value.items() if key not in HIDDEN},
        file=file,
        path=place,
    )


def _file_faults(files: dict[str, str] | tuple[str, ...], file: str, place: str) -> Iterator[Refusal]:
    """Yield ``path-unsafe`` for each file that cannot be laid out for a task's solver, or not beside its other files.

    Files that are named are those of one folder, which has no two that stand in each other's way.
    """
    holds_text = isinstance(files, dict)
    taken: dict[str, str] = {}
    for index, path in enumerate(files):
        where = pointer(place, path if holds_text else index)
        try:
            plain = check_path(path, file, where)
        except Refused as refused:
            yield from refused.refusals
            continue
        other = _in_the_way(plain, taken) if holds_text else None
        if len(plain) > PATH_LIMIT:
            expected, found = f"a path of at most {PATH_LIMIT} bytes", f"{len(plain)} bytes"
            yield Refusal(slug="path-unsafe", file=file, path=where, expected=expected, found=found)
        elif other is not None:
            expected = f"a path that can lie beside {other} on every disk"
            yield Refusal(slug="path-unsafe", file=file, path=where, expected=expected, found=path)


def _in_the_way(path: str, taken: dict[str, str]) -> str | None:
    """Return what lies where ``path`` would, in whatever case; ``None`` where nothing does.

    ``taken`` are the files and folders so far, by their path in lower case; a folder's path ends in ``/``. What this
    one takes is added.
    """
    for end in (position + 1 for position, char in enumerate(path) if char == "/"):
        folder = path[:end]
        if (other := taken.setdefault(folder[:-1].lower(), folder)) != folder:
            return other
    before = taken.get(path.lower())  # a path is ASCII
    taken.setdefault(path.lower(), path)
    return before
