"""What ``sitegen init`` writes: a small exam with two contestants, or an exam around tasks that are already there.

Everything is made in memory and checked before the first file is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sitegen.digests import sha256
from sitegen.harness.disk import write_file
from sitegen.harness.yaml_text import yaml_text
from sitegen.read.files import SourceFile, Tree, check_path
from sitegen.read.pack import Pack
from sitegen.read.protocol import PENDING, SCHEMA, OracleForm
from sitegen.read.shipped import templates_dir
from sitegen.read.strict import parse_jsonl
from sitegen.read.tasks import Task, read_tasks
from sitegen.refusals import Misuse, Refusal, Refused
from sitegen.verify.exposure import task_files
from sitegen.verify.sealing import missing_oracles, repeated_contents, repeated_ids

STARTER_ID = "lookup.v1"
"""Id of the exam that comes with sitegen."""

METRIC = "metric_exact_bytes.py"
DEFAULT_TIMEOUT_SEC = 60
FEWEST = {"ordinary": 3, "negative": 2}
"""Tasks of each kind that ``--from`` needs: two and one of them become the null pack."""

_EXAM = ("protocol.yaml", "notes.md", "tasks.jsonl", "null_pack.jsonl", METRIC)
_CONTESTANTS = (
    "contestants/shell/manifest.yaml",
    "contestants/shell/solve.sh",
    "contestants/python/manifest.yaml",
    "contestants/python/solve.py",
)
_PLACEHOLDER = ("contestants/mine/manifest.yaml", "contestants/mine/solve.sh")
_SITE = {"README.md": "README.md", "sitegen.toml": "sitegen.toml", ".gitattributes": "gitattributes"}
_SITE |= {".gitignore": "gitignore"}  # without the dot here, or git would obey them


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """The files of a new site, by path below its root; ``moved`` are the tasks that became the null pack."""

    protocol_id: str
    manifests: tuple[str, ...]
    files: Mapping[str, bytes] = field(repr=False)
    moved: tuple[str, ...] = ()


def shipped_starter() -> Starter:
    """Return the exam that comes with sitegen, with a contestant in shell and one in Python."""
    files = {f"protocols/{STARTER_ID}/{name}": _template(name) for name in _EXAM}
    files |= {path: _template(path) for path in _CONTESTANTS} | _site_files(STARTER_ID)
    manifests = tuple(path for path in _CONTESTANTS if path.endswith("manifest.yaml"))
    return Starter(protocol_id=STARTER_ID, manifests=manifests, files=files)


def starter_from(tasks_file: Path) -> Starter:
    """Return an exam around the tasks of a JSON Lines file, and a contestant that abstains from everything.

    The first two ordinary tasks and the first negative control become the null pack, so that it has a row of each
    class: the first with its own oracle, the second with another task's, the third without one.

    Raises:
        Refused: every fault of the tasks, named by their own file and line.
        Misuse: there is no such file, or its oracles are all the same.
    """
    if not tasks_file.is_file():
        raise Misuse(f"there is no file {tasks_file}")
    with Tree(tasks_file.parent) as tree:
        source = tree.read(tasks_file.name)
        tasks = read_tasks([source])
        form = _oracle_form(tasks, tree)
        oracles = {task.id: _oracle(task.oracle, form, tree) for task in tasks if task.oracle}
        beside = {task.oracle for task in tasks if task.oracle and form == "path"}
        beside |= {path for task in tasks for path in task_files(task)}
        _check_beside(beside, source)
        extra = {path.removeprefix("./"): tree.read(path).data for path in sorted(beside)}
    _check(tasks, oracles, source)
    protocol_id = f"{_plain(tasks_file.stem)}.v1"
    rows = [row for row in parse_jsonl(source.data, source.path) if isinstance(row, dict)]
    null_rows = _null_rows(rows, oracles)
    moved = tuple(row["id"] for row in null_rows)
    kept = [row for row in rows if row["id"] not in moved]
    exam = {
        "protocol.yaml": yaml_text(_document(protocol_id, form, kept, null_rows)).encode(),
        "tasks.jsonl": _lines(kept),
        "null_pack.jsonl": _lines(null_rows),
        METRIC: _template(METRIC),
        **extra,
    }
    files = {f"protocols/{protocol_id}/{path}": data for path, data in exam.items()}
    files |= {path: _template(path) for path in _PLACEHOLDER} | _site_files(protocol_id)
    return Starter(
        protocol_id=protocol_id,
        manifests=_PLACEHOLDER[:1],
        files=files,
        moved=moved,
    )


def write_starter(folder: Path, starter: Starter) -> None:
    """Write the files of a new site into ``folder``, which is made where it does not exist.

    Raises:
        Misuse: something other than hidden files is in the folder, or it is no folder.
        OSError: the files cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise Misuse(f"{folder} is no folder")
    there = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    in_the_way = [name for name in there if not name.startswith(".") or name in starter.files]
    if in_the_way:
        raise Misuse(f"{folder} is not empty: it holds {in_the_way[0]}")
    for path, data in starter.files.items():
        write_file(folder / path, data)


def _template(name: str) -> bytes:
    return (templates_dir() / "protocol" / name).read_bytes()


def _site_files(protocol_id: str) -> dict[str, bytes]:
    files = {path: _template(name) for path, name in _SITE.items()}
    if protocol_id != STARTER_ID:
        text = _template("README-from.md").decode()
        files["README.md"] = text.replace("PROTOCOL_ID", protocol_id).encode()
    return files


def _plain(stem: str) -> str:
    """Return the name of a file as far as it can be part of an id."""
    return re.sub(r"[^a-z0-9_-]+", "-", stem.lower()).strip("-_")[:90] or "exam"


def _oracle_form(tasks: Sequence[Task], tree: Tree) -> OracleForm:
    """Return ``path`` where every oracle names a file beside the tasks, else ``inline``."""
    stated = [task.oracle for task in tasks if task.oracle]
    return "path" if stated and all(_names_a_file(oracle, tree) for oracle in stated) else "inline"


def _names_a_file(text: str, tree: Tree) -> bool:
    try:
        return tree.exists(check_path(text, ""))
    except Refused:
        return False


def _oracle(text: str, form: OracleForm, tree: Tree) -> bytes:
    return tree.read(text.removeprefix("./")).data if form == "path" else text.encode("utf-8", "surrogatepass")


def _check_beside(beside: Iterable[str], source: SourceFile) -> None:
    """Refuse files that would stand where the exam puts its own, or that give a solver all tasks with their oracles."""
    own = {*_EXAM, source.path}
    expected = f"a file beside the tasks other than {', '.join(sorted(own))}"
    faults = [
        Refusal(slug="rules-contradict", file=source.path, expected=expected, found=path)
        for path in sorted(beside)
        if path.removeprefix("./") in own
    ]
    if faults:
        raise Refused(faults)


def _check(tasks: Sequence[Task], oracles: Mapping[str, bytes], source: SourceFile) -> None:
    pack = Pack(
        dataset=tuple(tasks),
        null_pack=(),
        dataset_sha256=source.sha256,
        null_pack_sha256=sha256(b""),
        oracles=oracles,
        null_oracles={},
    )
    faults = [*repeated_ids(pack), *missing_oracles(pack), *repeated_contents(pack)]
    for kind, found in (("ordinary", pack.ordinary), ("negative", pack.negative)):
        if len(found) < FEWEST[kind]:
            slug = "pack-below-min-n" if found or kind == "ordinary" else "no-negative-controls"
            expected = f"at least {FEWEST[kind]} {kind} tasks: those that the null pack needs, and one more"
            hint = 'a negative control lacks a required input and says "kind": "negative"'
            faults.append(
                Refusal(
                    slug=slug,
                    file=source.path,
                    expected=expected,
                    found=str(len(found)),
                    hint=hint if kind == "negative" else None,
                )
            )
    if faults:
        raise Refused(faults)


def _null_rows(rows: Sequence[dict[str, Any]], oracles: Mapping[str, bytes]) -> list[dict[str, Any]]:
    ordinary = [row for row in rows if row.get("kind", "ordinary") == "ordinary"]
    passing, failing = ordinary[:2]
    refused = next(row for row in rows if row.get("kind") == "negative")
    wrong = next((row["oracle"] for row in ordinary if oracles[row["id"]] != oracles[failing["id"]]), None)
    if wrong is None:
        raise Misuse("all oracles are the same: the null pack needs a wrong answer, and there is none to take")
    return [
        {**_unclassed(passing), "expected_class": "must_pass", "oracle": passing["oracle"]},
        {**_unclassed(failing), "expected_class": "must_fail", "oracle": wrong},
        {**_unclassed(refused), "expected_class": "must_refuse"},
    ]


def _unclassed(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in ("kind", "oracle", "expected_class")}


def _document(
    protocol_id: str, form: OracleForm, rows: Sequence[Mapping[str, Any]], null_rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    negative = sum(row.get("kind") == "negative" for row in rows)
    return {
        "schema": SCHEMA,
        "protocol_id": protocol_id,
        "dataset": {"path": "./tasks.jsonl", "sha256": PENDING, "oracle": form},
        "metric": {"module": f"./{METRIC}", "sha256": PENDING},
        "budget": {"timeout_sec": DEFAULT_TIMEOUT_SEC},
        "null_pack": {
            "path": "./null_pack.jsonl",
            "sha256": PENDING,
            "rules": {row["expected_class"]: [row["id"]] for row in null_rows},
        },
        "publish": {"min_n": len(rows) - negative, "min_n_negative": negative},
    }


def _lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return text.encode("utf-8", "surrogatepass")
