"""Mutants: every way in which one check of a module is removed or weakened, at the level of its syntax.

- A statement that refuses or checks (``yield`` or ``raise`` of a refusal, ``faults.append(…)``, ``check_…(…)``) is left
  out; a list of refusals is empty; one of several searches whose findings are collected is left out; so is one row of
  a table of comparisons.
- A condition loses an operand, its ``<`` becomes ``<=``; an early way out is never taken; ``a if b else c`` is ``a``
  or ``c``; a pattern must fit only the beginning; a constraint of a format's field is left out.
- In ``measure/``, a comparison or an operator of arithmetic is another.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.reliability.scenes import ROOT

PACKAGE = ROOT / "sitegen"
COUNTING = ("scoring", "scorecard", "rounding", "covariates", "intervals", "binomial")
LISTS = frozenset(("faults", "found", "refusals", "reasons", "failed", "wrong", "torn", "banned", "seen"))
CONSTRAINTS = frozenset(("pattern", "ge", "gt", "le", "lt", "min_length", "max_length", "forbid_unknown_fields"))
OTHER_ORDER = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
OTHER_SIDE = {**OTHER_ORDER, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Add: ast.Sub, ast.Sub: ast.Add}
OTHER_SIDE |= {ast.Mult: ast.Div, ast.Div: ast.Mult}

_SLUG = re.compile(r"[a-z]+(-[a-z]+)+")

Change = tuple[ast.AST, str, str]
"""The node to change, what to do with it, and the words for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of one module.

    Attributes:
        path: the module's file.
        function: qualified name of the outermost function around the change; empty on the level of the module.
        line: where.
        what: what was done, in words.
        slugs: the slugs named nearby.
        place: number of the changed node in the order of ``ast.walk``; ``-1`` for no change at all.
        change: what to do with the node.
        key: the same for the same change of the same function, whatever stands around it.
    """

    path: Path
    function: str = ""
    line: int = 0
    what: str = "nothing"
    slugs: tuple[str, ...] = ()
    place: int = -1
    change: str = ""
    key: str = ""

    @property
    def module(self) -> str:
        return ".".join(self.path.relative_to(ROOT).with_suffix("").parts)

    @property
    def file(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def title(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"

    def tree(self) -> ast.Module:
        """Return the changed module."""
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        if self.change:
            apply(list(ast.walk(tree))[self.place], self.change)
        return ast.fix_missing_locations(tree)


def default_files() -> list[Path]:
    files = [path for stage in ("verify", "read") for path in sorted((PACKAGE / stage).glob("*.py"))]
    return files + [PACKAGE / "measure" / f"{name}.py" for name in COUNTING]


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    places = {id(node): number for number, node in enumerate(ast.walk(tree))}
    owners = {id(inner): (name, node) for name, node in _outermost(tree, "") for inner in ast.walk(node)}
    seen: Counter[str] = Counter()
    for node, change, what in changes(tree, path.parent.name == "measure"):
        name, function = owners.get(id(node), ("", None))
        around = hashlib.sha256(ast.unparse(function or tree).encode()).hexdigest()[:12]
        key = f"{path.relative_to(ROOT).as_posix()} {name} {around} {what}"
        seen[key] += 1
        yield Mutant(
            path=path,
            function=name,
            line=_line(node, change),
            what=what,
            slugs=tuple(_slugs(node)),
            place=places[id(node)],
            change=change,
            key=f"{key} {seen[key]}",
        )


def _outermost(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.AST]]:
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.FunctionDef):
            yield f"{prefix}{inner.name}", inner
        elif isinstance(inner, ast.ClassDef):
            yield from _outermost(inner, f"{prefix}{inner.name}.")


def _slugs(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and "-" in inner.value:
            yield inner.value


def _line(node: Any, change: str) -> int:
    kind, *rest = change.split()
    inner = getattr(node, rest[0])[int(rest[1])] if kind in ("drop", "part") else node
    return int(getattr(inner, "lineno", getattr(node, "lineno", 0)))


def refuses(node: ast.stmt) -> bool:
    """Whether a statement by itself says no."""
    match node:
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()) | ast.Raise(exc=ast.Call()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend"))):
            return name in LISTS
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return name.startswith(("check_", "_check_"))
        case ast.AugAssign(target=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in LISTS
    return False


def changes(tree: ast.Module, counting: bool) -> Iterator[Change]:
    """Yield every change of a module."""
    for node in ast.walk(tree):
        yield from _drops(node)
        yield from _weaker_conditions(node)
        if counting:
            yield from _other_counting(node)
        else:
            yield from _emptier_lists(node)
            yield from _other_ways(node)
            yield from _fewer_constraints(node)


def _drops(node: ast.AST) -> Iterator[Change]:
    for field in ("body", "orelse", "finalbody"):
        body = getattr(node, field, None)
        for index, statement in enumerate(body if isinstance(body, list) else ()):
            if refuses(statement):
                yield node, f"drop {field} {index}", f"without `{_short(statement)}`"


def _weaker_conditions(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.BoolOp) and not any(map(_is_default, node.values)):
        for index, value in enumerate(node.values):
            yield node, f"part values {index}", f"condition without `{_short(value)}`"
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER_ORDER:
        yield node, "order", f"the other bound of `{_short(node)}`"


def _is_default(value: ast.expr) -> bool:
    """Whether it is the right side of a ``given or default``."""
    return isinstance(value, ast.Constant | ast.Dict | ast.List | ast.Tuple | ast.Set)


def _other_counting(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER_SIDE and type(node.ops[0]) not in OTHER_ORDER:
        yield node, "side", f"another comparison than `{_short(node)}`"
    if isinstance(node, ast.BinOp) and type(node.op) in OTHER_SIDE:
        yield node, "side", f"another operator than in `{_short(node)}`"


def _emptier_lists(node: ast.AST) -> Iterator[Change]:
    for field in ("value", "body", "orelse"):
        value = getattr(node, field, None)
        if isinstance(value, ast.List | ast.ListComp | ast.GeneratorExp) and _is_of_refusals(value):
            yield node, f"empty {field}", f"nothing for `{_short(value)}`"
    if isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
        table = len(node.elts) > 1 and all(isinstance(value, ast.Tuple) for value in node.elts)
        for index, value in enumerate(node.elts):
            if table or isinstance(value, ast.Starred):
                yield node, f"part elts {index}", f"without `{_short(value)}`"
            elif isinstance(value, ast.List | ast.ListComp) and _is_of_refusals(value):
                yield node, f"nothing {index}", f"nothing for `{_short(value)}`"


def _is_of_refusals(node: ast.List | ast.ListComp | ast.GeneratorExp) -> bool:
    parts = node.elts if isinstance(node, ast.List) else [node.elt]
    return any(isinstance(p, ast.Call) and isinstance(p.func, ast.Name) and "efusal" in p.func.id for p in parts)


def _other_ways(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.If) and not node.orelse and not any(map(refuses, node.body)):
        yield node, "never", f"never `if {_short(node.test)}`"
    if isinstance(node, ast.IfExp) and not (_is_text(node.body) and _is_text(node.orelse)):
        yield node, "always", f"always the first of `{_short(node)}`"
        yield node, "otherwise", f"always the second of `{_short(node)}`"
    if isinstance(node, ast.comprehension):
        for index, condition in enumerate(node.ifs):
            yield node, f"part ifs {index}", f"all, not only `if {_short(condition)}`"
    if isinstance(node, ast.Attribute) and node.attr == "fullmatch":
        yield node, "attribute match", f"only the beginning in `{_short(node)}`"


def _is_text(node: ast.expr) -> bool:
    """Whether it is only a choice of words, slugs not among them."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_text, node.elts))
    said = node.value if isinstance(node, ast.Constant) else None
    return isinstance(node, ast.JoinedStr) or (isinstance(said, str) and not _SLUG.fullmatch(said))


def _fewer_constraints(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Call | ast.ClassDef):
        for index, keyword in enumerate(node.keywords):
            if keyword.arg in CONSTRAINTS:
                yield node, f"part keywords {index}", f"without `{keyword.arg}={_short(keyword.value)}`"


def _short(node: ast.AST) -> str:
    return ast.unparse(node).replace("\n", " ")[:100]


def apply(node: Any, change: str) -> None:
    """Make one change in a tree."""
    kind, *rest = change.split()
    match kind:
        case "drop":
            body = getattr(node, rest[0])
            statement = body[int(rest[1])]
            # A generator stays one, and a function without its last statement still parses.
            yields = isinstance(getattr(statement, "value", None), ast.Yield | ast.YieldFrom)
            body[int(rest[1])] = ast.parse("if False: yield" if yields else "pass").body[0]
        case "part":
            parts = getattr(node, rest[0])
            del parts[int(rest[1])]
            if isinstance(node, ast.BoolOp) and len(parts) == 1:
                parts.append(parts[0])  # `a or a` is `a`; a condition of one part alone does not compile
        case "empty":
            setattr(node, rest[0], ast.List(elts=[], ctx=ast.Load()))
        case "nothing":
            node.elts[int(rest[0])] = ast.List(elts=[], ctx=ast.Load())
        case "never" | "always" | "otherwise":
            node.test = ast.Constant(value=kind == "always")
        case "attribute":
            node.attr = rest[0]
        case "order":
            node.ops[0] = OTHER_ORDER[type(node.ops[0])]()
        case "side" if isinstance(node, ast.Compare):
            node.ops[0] = OTHER_SIDE[type(node.ops[0])]()
        case "side":
            node.op = OTHER_SIDE[type(node.op)]()
