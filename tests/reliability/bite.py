"""Does every check bite? Remove one at a time, and see whether anything notices.

``python -m tests.reliability.bite [FILE…]`` mutates the files (by default all of ``verify/`` and ``read/``, and what
``measure/`` counts and rounds) at the level of their syntax:

- a statement that refuses (``yield`` or ``raise`` of a refusal, ``faults.append(…)``) is left out;
- one operand of a condition that leads to a refusal is left out, or its ``<`` becomes ``<=``;
- one of several searches whose findings are collected is left out;
- in ``measure/``, a comparison or an operator of arithmetic is another.

A mutant is killed by the first case of the corpus that says something else, or else by a test of the module's name, or
else by one of its stage or of the audit. Survivors are printed with their lines. Each mutant lives in a forked process.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib.util
import io
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import msgspec  # noqa: F401 (imported once, before forking)
import numpy  # noqa: F401
import pytest
import yaml  # noqa: F401

from tests.reliability.scenes import ROOT, note

PACKAGE = ROOT / "sitegen"
CORPUS = ROOT / "tests" / "corpus"
COUNTING = ("scoring", "scorecard", "rounding", "covariates", "intervals", "binomial")
LISTS = frozenset(("faults", "found", "refusals", "reasons", "failed", "wrong", "torn", "banned", "seen"))
OTHER_ORDER = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
OTHER_SIDE = {**OTHER_ORDER, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Add: ast.Sub, ast.Sub: ast.Add}
OTHER_SIDE |= {ast.Mult: ast.Div, ast.Div: ast.Mult}
DEADLINE_SEC = 300
JUDGES = ("corpus", "named tests", "wider tests")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One changed module: where, what was done, the changed tree and the slugs named nearby."""

    path: Path
    line: int
    what: str
    tree: ast.Module
    slugs: tuple[str, ...]

    @property
    def module(self) -> str:
        return ".".join(self.path.relative_to(ROOT).with_suffix("").parts)

    @property
    def place(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.what}"


def refuses(node: ast.stmt) -> bool:
    """Whether a statement by itself says no."""
    match node:
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()) | ast.Raise(exc=ast.Call()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend"))):
            return name in LISTS
        case ast.AugAssign(target=ast.Name(id=name)):
            return name in LISTS
        case ast.AugAssign(target=ast.Attribute(attr=name)):
            return name in LISTS
    return False


def leads_to_refusal(node: ast.If) -> bool:
    return any(isinstance(inner, ast.stmt) and refuses(inner) for inner in ast.walk(node))


def changes(tree: ast.Module, counting: bool) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield every place with the name of the change and what it is there."""
    for node in ast.walk(tree):
        yield from _drops(node)
        if isinstance(node, ast.If) and (leads_to_refusal(node) or counting):
            yield from _weaker(node, counting)
        if counting and isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER_SIDE:
            yield node, "side", f"another comparison than `{ast.unparse(node)[:80]}`"
        if counting and isinstance(node, ast.BinOp) and type(node.op) in OTHER_SIDE:
            yield node, "side", f"another operator than in `{ast.unparse(node)[:80]}`"


def _drops(node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    for field in ("body", "orelse", "finalbody"):
        body = getattr(node, field, None)
        for index, statement in enumerate(body if isinstance(body, list) else ()):
            if refuses(statement):
                yield node, f"drop {field} {index}", f"without `{ast.unparse(statement)[:90]}`"
    if isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load):
        for index, value in enumerate(node.elts):
            if isinstance(value, ast.Starred) and isinstance(value.value, ast.Call):
                yield node, f"element {index}", f"without `{ast.unparse(value)[:80]}`"


def _weaker(node: ast.If, counting: bool) -> Iterator[tuple[ast.AST, str, str]]:
    for inner in ast.walk(node.test):
        if isinstance(inner, ast.BoolOp):
            for index, value in enumerate(inner.values):
                yield inner, f"operand {index}", f"condition without `{ast.unparse(value)[:80]}`"
        if isinstance(inner, ast.Compare) and not counting and type(inner.ops[0]) in OTHER_ORDER:
            yield inner, "order", f"the other bound of `{ast.unparse(inner)[:80]}`"


def apply(node: Any, change: str) -> None:
    """Make one change in a tree."""
    kind, *rest = change.split()
    if kind == "drop":
        body = getattr(node, rest[0])
        statement = body[int(rest[1])]
        # A generator stays one, and a function without its last statement still parses.
        gone = "if False: yield" if isinstance(getattr(statement, "value", None), ast.Yield | ast.YieldFrom) else "pass"
        body[int(rest[1])] = ast.parse(gone).body[0]
    elif kind in ("operand", "element"):
        del (node.values if kind == "operand" else node.elts)[int(rest[0])]
    elif kind == "order":
        node.ops[0] = OTHER_ORDER[type(node.ops[0])]()
    elif isinstance(node, ast.Compare):
        node.ops[0] = OTHER_SIDE[type(node.ops[0])]()
    else:
        node.op = OTHER_SIDE[type(node.op)]()


def mutants_of(path: Path) -> Iterator[Mutant]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    for node, change, what in changes(tree, path.parent.name == "measure"):
        changed = copy.deepcopy(tree)
        place = nodes.index(node)
        target = list(ast.walk(changed))[place]
        slugs = tuple(
            str(inner.value)
            for inner in ast.walk(node)
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and "-" in inner.value
        )
        line = _line(node, change)
        apply(target, change)
        yield Mutant(path=path, line=line, what=what, tree=ast.fix_missing_locations(changed), slugs=slugs)


def _line(node: Any, change: str) -> int:
    kind, *rest = change.split()
    inner = {"drop": lambda: getattr(node, rest[0])[int(rest[1])], "operand": lambda: node.values[int(rest[0])]}
    return int(inner.get(kind, lambda: node)().lineno)


class _Loader(SourceFileLoader):
    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.module, str(mutant.path))
        self._tree = mutant.tree

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._tree, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self._mutant.module:
            return None
        return importlib.util.spec_from_file_location(fullname, self._mutant.path, loader=_Loader(self._mutant))


def corpus_notices(slugs: Iterable[str]) -> bool:
    """Run the corpus, the cases of ``slugs`` first, until one says something else than it must."""
    from sitegen.cli import main
    from tests.reliability.scenes import tree_of  # noqa: F401 (sitegen itself must be importable)

    near = set(slugs)
    folders = sorted(path for path in CORPUS.iterdir() if path.is_dir())
    folders.sort(key=lambda folder: folder.name.split("--")[1] not in near)
    for folder in folders:
        expected = json.loads((folder / "expected.json").read_bytes())
        if "command" in expected and expected["command"] != ["verify"] and "--check" not in expected["command"]:
            continue  # it would write into the corpus
        os.chdir(folder / "input")
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            code = main([*expected.get("command", ["verify"]), "--format", "json"])
        found = {value["slug"] for value in map(json.loads, said.getvalue().splitlines()) if "slug" in value}
        if (code, found) != (expected["exit"], set(expected["slugs"])):
            return True
    return False


def tests_notice(mutant: Mutant, wider: bool) -> bool:
    """Run the tests of the module's name, or those of its stage and of the audit."""
    os.chdir(ROOT)
    stage = ROOT / "tests" / mutant.path.parent.name
    named = [str(path) for path in stage.rglob(f"test_{mutant.path.stem}.py")]
    if wider:
        named = [str(stage), str(ROOT / "tests" / "audit")]
    if not named:
        return False
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow", "-o", "addopts="]
    options.append("--hypothesis-seed=0")  # the same examples for every mutant
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        return pytest.main([*options, "--import-mode=importlib", *named]) != 0


def outcome_of(mutant: Mutant, judges: Sequence[str] = JUDGES) -> str:
    """Return what killed the mutant: ``corpus``, ``named tests``, ``time``, or ``nothing``."""
    for name in judges:
        pid = os.fork()
        if pid == 0:
            signal.alarm(DEADLINE_SEC)
            devnull = os.open(os.devnull, os.O_WRONLY)
            os.dup2(devnull, 2)
            os._exit(_notices(mutant, name))
        status = os.waitpid(pid, 0)[1]
        if status != 0:
            return "time" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM else name
    return "nothing"


def _notices(mutant: Mutant, name: str) -> int:
    sys.meta_path.insert(0, _Finder(mutant))
    try:
        if name == "corpus":
            return int(corpus_notices(mutant.slugs))
        return int(tests_notice(mutant, name == "wider tests"))
    except BaseException:  # noqa: BLE001 (a mutant that cannot even be imported is noticed)
        return 1


def default_files() -> list[Path]:
    files = [path for stage in ("verify", "read") for path in sorted((PACKAGE / stage).glob("*.py"))]
    return files + [PACKAGE / "measure" / f"{name}.py" for name in COUNTING]


def forget_sitegen() -> None:
    """Let every fork import sitegen anew, with its mutant."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("sitegen", "tests")]:
        del sys.modules[name]


def main(arguments: list[str]) -> int:
    """Run all mutants, print what survived and the figures; return how many survived."""
    files = [Path(name).resolve() for name in arguments] or default_files()
    mutants = [mutant for path in files for mutant in mutants_of(path)]
    forget_sitegen()
    for number, path in enumerate(files):
        unchanged = Mutant(path=path, line=0, what="nothing", tree=ast.parse(path.read_text()), slugs=())
        new_stage = number == 0 or path.parent != files[number - 1].parent
        outcome = outcome_of(unchanged, JUDGES if new_stage else ("named tests",))
        if outcome != "nothing":
            raise SystemExit(f"{unchanged.place}: the {outcome} fail without any change")
    killed: Counter[str] = Counter()
    survivors: list[str] = []
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for number, mutant in enumerate(mutants, 1):
            outcome = outcome_of(mutant)
            killed[outcome] += 1
            if outcome == "nothing":
                survivors.append(mutant.place)
                print("survivor", mutant.place, flush=True)
            if number % 20 == 0:
                print(f"{number}/{len(mutants)} {dict(killed)} {time.monotonic() - began:.0f} s", flush=True)
    whole = not arguments
    note("bite", "long" if whole else "short", mutants=len(mutants), outcomes=dict(killed), survivors=survivors)
    return len(survivors)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
