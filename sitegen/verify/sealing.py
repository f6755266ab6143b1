"""Whether an exam may be sealed: asked before sealing, and again of every sealed protocol at every build."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import get_args

from sitegen.read.names import folders_above
from sitegen.read.pack import Pack
from sitegen.read.protocol import DRAFT_NAME, SALT_NAME, DraftProtocol, SealedProtocol
from sitegen.read.report import fields_always_stated
from sitegen.read.tasks import ExpectedClass, Task
from sitegen.refusals import Refusal
from sitegen.verify.outlook import find_outlook_faults

CLASSES: tuple[ExpectedClass, ...] = get_args(ExpectedClass)
_NEEDS_ORACLE = frozenset(("ordinary", "must_pass"))
_RESERVED = ("ledger", "signatures", "SHA256SUMS")
_ORACLES_FOLDER = "oracles"
"""Where oracles lie by convention, whether a task names them or not."""
_OF_ITS_OWN = "a solver would find answers there: give the task a copy, without them, of what it needs"


def find_sealing_faults(protocol: DraftProtocol, pack: Pack, document: str) -> list[Refusal]:
    """Return every reason why this exam may not be sealed. ``document`` is the path of the protocol's file."""
    return [
        *repeated_ids(pack),
        *missing_oracles(pack),
        *repeated_contents(pack),
        *overlaps(pack),
        *rules_against_rows(protocol, pack, document),
        *shown_answers(protocol, pack),
        *floors(protocol, pack, document),
        *forbidden_for_ever(protocol, document),
        *clusters(protocol, pack),
        *cluster_design(protocol, pack, document),
        *(find_outlook_faults(protocol, pack, document) if isinstance(protocol, SealedProtocol) else ()),
    ]


def repeated_ids(pack: Pack) -> Iterator[Refusal]:
    """Yield ``task-id-duplicate`` for each id that stands twice, in the dataset, the null pack, or one in both."""
    seen: dict[str, Task] = {}
    for task in (*pack.dataset, *pack.null_pack):
        first = seen.setdefault(task.id, task)
        if first is not task:
            expected = f"an id other than that of {first.file} {first.path}"
            yield Refusal(
                slug="task-id-duplicate", file=task.file, path=f"{task.path}/id", expected=expected, found=task.id
            )


def missing_oracles(pack: Pack) -> Iterator[Refusal]:
    """Yield ``oracle-missing`` for each ordinary task and must_pass row whose oracle is absent or empty."""
    for tasks, oracles in ((pack.dataset, pack.oracles), (pack.null_pack, pack.null_oracles)):
        for task in tasks:
            if (task.kind or task.expected_class) in _NEEDS_ORACLE and not oracles.get(task.id):
                yield Refusal(
                    slug="oracle-missing",
                    file=task.file,
                    path=f"{task.path}/oracle",
                    expected="an oracle that is not empty",
                    found="nothing" if not task.oracle else "an empty file",
                )


def repeated_contents(pack: Pack) -> Iterator[Refusal]:
    """Yield ``pack-content-duplicate`` for tasks, and for rows, that are the same but for their id."""
    for tasks in (pack.dataset, pack.null_pack):
        seen: dict[str, Task] = {}
        for task in tasks:
            first = seen.setdefault(task.content, task)
            if first is not task:
                yield Refusal(
                    slug="pack-content-duplicate",
                    file=task.file,
                    path=task.path,
                    expected="a task of its own",
                    found=f"the content of {first.id}",
                )


def overlaps(pack: Pack) -> Iterator[Refusal]:
    """Yield ``null-pack-overlap`` for each null-pack row that shows the solver the same as a task of the dataset."""
    questions = {task.question: task for task in pack.dataset}
    for row in pack.null_pack:
        task = questions.get(row.question)
        if task is not None:
            yield Refusal(
                slug="null-pack-overlap",
                file=row.file,
                path=row.path,
                expected="a row of its own",
                found=f"the question of {task.id}",
            )


def rules_against_rows(protocol: DraftProtocol, pack: Pack, document: str) -> Iterator[Refusal]:
    """Yield where ``null_pack.rules`` and the rows contradict, and each class without a row."""
    rows = {row.id: row for row in pack.null_pack}
    named: dict[str, str] = {}
    for kind in CLASSES:
        listed = getattr(protocol.null_pack.rules, kind)
        place = f"/null_pack/rules/{kind}"
        if not listed:
            yield Refusal(slug="null-pack-class", file=document, path=place, expected="at least one row", found="none")
        for index, row_id in enumerate(listed):
            where = f"{place}/{index}"
            if row_id in named:
                found = f"{row_id}, also in {named[row_id]}"
                yield _contradiction(document, where, "each id once", found)
            elif row_id not in rows:
                yield Refusal(
                    slug="null-row-unknown", file=document, path=where, expected="a row of the pack", found=row_id
                )
            elif rows[row_id].expected_class != kind:
                yield _contradiction(document, where, f"{row_id} in {rows[row_id].expected_class}", kind)
            named.setdefault(row_id, kind)
    for row_id, row in rows.items():
        if row_id not in named:
            yield _contradiction(row.file, row.path, "a class in null_pack.rules", row_id)


def floors(protocol: DraftProtocol, pack: Pack, document: str) -> Iterator[Refusal]:
    """Yield ``no-negative-controls``, and ``pack-below-min-n`` for a slice under its floor."""
    publish = protocol.publish
    if not pack.negative:
        expected = f"at least {publish.min_n_negative} negative controls"
        yield Refusal(slug="no-negative-controls", file=document, path="/dataset", expected=expected, found="0")
    slices = (
        ("min_n", publish.min_n, len(pack.ordinary)),
        ("min_n_negative", publish.min_n_negative, len(pack.negative)),
    )
    for name, floor, size in slices:
        if size < floor and not (name == "min_n_negative" and size == 0):
            place = f"/publish/{name}"
            yield Refusal(
                slug="pack-below-min-n", file=document, path=place, expected=f"at least {floor}", found=str(size)
            )


def shown_answers(protocol: DraftProtocol, pack: Pack) -> Iterator[Refusal]:
    """Yield ``rules-contradict`` for each file or folder that a task gives its solver, and that no solver may see."""
    tasks = (*pack.null_pack, *pack.dataset)
    named = [(task, index, path) for task in tasks for index, path in enumerate(task.sealed_files)]
    hidden = _hidden_from_solvers(protocol, pack) if named else {}
    holding = {folder: place for place in hidden for folder in folders_above(place)}
    for task, index, path in named:
        within = next((place for place in (path, *folders_above(path)) if place in hidden), None)
        place = within or holding.get(path)
        if place is not None:
            where, found = f"{task.path}/files/{index}", f"{path} ({hidden[place]})"
            yield _contradiction(task.file, where, "a file that the solver may see", found, _OF_ITS_OWN)


def _hidden_from_solvers(protocol: DraftProtocol, pack: Pack) -> dict[str, str]:
    """Return what each file or folder is that no solver may see, by its path."""
    found = {DRAFT_NAME: "the protocol", SALT_NAME: "the salt", _ORACLES_FOLDER: "oracles"}
    for form, tasks in ((protocol.dataset_oracle, pack.dataset), (protocol.null_pack_oracle, pack.null_pack)):
        paths = [task.oracle for task in tasks if task.oracle] if form == "path" else []
        found |= {path.removeprefix("./"): "an oracle" for path in paths}
    parts = (
        (protocol.metric.module, "the metric"),
        (protocol.dataset.path, "the dataset"),
        (protocol.null_pack.path, "the null pack"),
    )
    return found | {path.removeprefix("./"): what for path, what in parts}


def forbidden_for_ever(protocol: DraftProtocol, document: str) -> Iterator[Refusal]:
    """Yield ``rules-contradict`` for each forbidden field without which no report is complete."""
    always = fields_always_stated(protocol)
    for index, name in enumerate(protocol.publish.forbidden_fields):
        if name in always:
            place = f"/publish/forbidden_fields/{index}"
            hint = "every report under this protocol would be refused"
            yield _contradiction(document, place, "a field that a complete report can do without", name, hint)


def clusters(protocol: DraftProtocol, pack: Pack) -> Iterator[Refusal]:
    """Yield a fault for each task that lacks the sealed cluster field, or has no text in it."""
    name = protocol.dataset.cluster
    if name is None:
        return
    for task in pack.dataset:
        value = task.shown.get(name)
        if not isinstance(value, str) or not value:
            slug = "field-missing" if value is None else "field-type"
            found = "nothing" if value is None else str(value)
            yield Refusal(
                slug=slug, file=task.file, path=f"{task.path}/{name}", expected="a cluster's name", found=found
            )


def cluster_design(protocol: DraftProtocol, pack: Pack, document: str) -> Iterator[Refusal]:
    """Yield ``rules-contradict`` where the cluster field leaves no interval: another method, or a single cluster."""
    name = protocol.dataset.cluster
    if name is None:
        return
    if protocol.publish.ci_method != "wilson":
        expected = "wilson, the one method that has a form for clusters"
        yield _contradiction(document, "/publish/ci_method", expected, protocol.publish.ci_method)
    for tasks, what in ((pack.ordinary, "ordinary tasks"), (pack.negative, "negative controls")):
        found = {str(task.shown.get(name)) for task in tasks}
        if len(found) == 1:
            yield _contradiction(document, "/dataset/cluster", f"at least two clusters of {what}", found.pop())


def reserved_names(folder: str, paths: Iterable[str]) -> Iterator[Refusal]:
    """Yield ``path-unsafe`` for files of a protocol that would stand where a site puts its own."""
    for path in paths:
        if path.split("/", 1)[0] in _RESERVED:
            expected = f"a name other than {', '.join(_RESERVED)}"
            yield Refusal(slug="path-unsafe", file=f"{folder}/{path}", expected=expected, found=path)


def _contradiction(file: str, path: str, expected: str, found: str, hint: str | None = None) -> Refusal:
    return Refusal(slug="rules-contradict", file=file, path=path, expected=expected, found=found, hint=hint)
