"""The rules of the house, held on every run: sizes, names, docstrings, layers, edges, locks and commits.

Every test collects all offenders before it fails, so that one run shows everything there is to mend.
"""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "sitegen"
TESTS = ROOT / "tests"

MODULE_LINES, MODULE_LINES_MEDIAN = 350, 150
FUNCTION_LINES, FUNCTION_LINES_OF_MOST, MOST = 50, 25, 0.9
DRAWERS = {"utils", "util", "common", "helpers", "helper", "misc"}

# Where the program touches the world. A key is what is touched; its value the only places that may, as paths
# below sitegen/ (a folder ends in a slash). A new edge is a decision: it is made here, in the open.
EDGES = {
    "subprocess": ["harness/", "pipeline/workers.py"],
    "wall clock": ["harness/clock.py"],
    "terminal": ["cli/"],
}
# Stages that take values only. `read` opens inputs in one module; another finds what travels with sitegen, and a
# third asks an address.
WITHOUT_DISK = ["compare/", "measure/", "refusals/", "verify/"]
READERS = ["read/files.py", "read/shipped.py", "read/address.py"]

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def modules() -> tuple[Path, ...]:
    """Every Python module of the package."""
    return tuple(sorted(PACKAGE.rglob("*.py")))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def functions(path: Path) -> Iterator[Function]:
    return (node for node in ast.walk(tree(path)) if isinstance(node, Function))


def body_lines(function: Function) -> int:
    """Lines of the body, its docstring not counted: the docstring is the part we want more of."""
    code = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - code[0].lineno + 1 if code else 0


def report(offenders: list[str], rule: str) -> None:
    """Fail with every offender in one message."""
    if offenders:
        pytest.fail(f"{rule}: {len(offenders)}\n  " + "\n  ".join(sorted(offenders)), pytrace=False)


def test_modules_are_short() -> None:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    report(
        [f"{name(path)}: {lines} lines" for path, lines in sizes.items() if lines > MODULE_LINES],
        f"modules of more than {MODULE_LINES} lines",
    )
    assert statistics.median(sizes.values()) <= MODULE_LINES_MEDIAN


def test_functions_are_short() -> None:
    sizes = {
        f"{name(path)}:{function.lineno} {function.name}": body_lines(function)
        for path in modules()
        for function in functions(path)
    }
    over = [f"{place}: {lines} lines" for place, lines in sizes.items() if lines > FUNCTION_LINES]
    report(over, f"functions with a body of more than {FUNCTION_LINES} lines")
    long = [f"{place}: {lines} lines" for place, lines in sizes.items() if lines > FUNCTION_LINES_OF_MOST]
    if len(long) > (1 - MOST) * len(sizes):
        report(
            long,
            f"bodies over {FUNCTION_LINES_OF_MOST} lines in more than {1 - MOST:.0%} of the functions",
        )


def test_every_folder_of_modules_is_a_package() -> None:
    """The layer contracts see packages only: a folder without an __init__.py would escape them."""
    folders = {path.parent for path in modules()}
    report([name(folder) for folder in folders if not (folder / "__init__.py").is_file()], "no __init__.py")


def test_no_module_is_a_drawer() -> None:
    report([name(path) for path in modules() if DRAWERS & set(path.with_suffix("").parts)], "drawers")


def undocumented(node: ast.AST, prefix: str) -> Iterator[str]:
    """Public classes and functions below a module or class, without a docstring."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, Function | ast.ClassDef) or child.name.startswith("_"):
            continue
        # An overload and a property's setter are documented by the function they belong to.
        if {ast.unparse(decorator).rpartition(".")[2] for decorator in child.decorator_list} & {
            "overload",
            "setter",
            "deleter",
            "override",
        }:
            continue
        if ast.get_docstring(child) is None:
            yield f"{prefix}:{child.lineno} {child.name}"
        if isinstance(child, ast.ClassDef):
            yield from undocumented(child, prefix)


def test_everything_public_has_a_docstring() -> None:
    offenders = [name(path) for path in modules() if ast.get_docstring(tree(path)) is None]
    offenders += [place for path in modules() for place in undocumented(tree(path), name(path))]
    report(offenders, "public names without a docstring")


def named_tests(path: Path) -> list[Path]:
    """The test modules that bear a module's name: tests/<stage>/…/test_<module>.py."""
    below = path.relative_to(PACKAGE)
    package_module = below.name == "__init__.py"
    stem = ((below.parent.name or PACKAGE.name) if package_module else below.stem).lstrip("_")
    stage = below.parts[0] if len(below.parts) > 1 else ""
    nested = TESTS / stage if stage else TESTS
    found = list(nested.rglob(f"test_{stem}.py"))
    return found + list(TESTS.glob(f"test_{stem}.py")) if package_module else found


def has_code(path: Path) -> bool:
    """Whether a module does anything: an __init__ that only documents or re-exports needs no test."""
    return path.name != "__main__.py" and (path.name != "__init__.py" or any(True for _ in functions(path)))


def test_every_module_has_a_test_of_its_name() -> None:
    offenders = [name(path) for path in modules() if has_code(path) and not named_tests(path)]
    report(offenders, "modules without a test module")


def test_the_layers_hold() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_layer_contract_is_exhaustive() -> None:
    """A new module of the first level cannot slip in beside the layers."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (layers,) = [contract for contract in contracts if contract["type"] == "layers"]
    assert layers["exhaustive"] is True
    assert "exhaustive_ignores" not in layers


SUBPROCESS = re.compile(
    r"(subprocess|pty|multiprocessing|os\.(system|popen|fork|forkpty|exec\w+|spawn\w+|posix_spawn\w*))\b"
)
CLOCK = re.compile(
    r"(time\.(time|time_ns|gmtime|localtime|ctime|strftime)|(datetime\.)?(datetime|date)\.(now|utcnow|today))$"
)
TERMINAL = re.compile(
    r"(print|input|getpass|rich|curses|termios|tty|sys\.(stdout|stderr|stdin)|os\.(isatty|get_terminal_size))\b"
)
DISK = re.compile(
    r"(open|io\.open|shutil|tempfile|glob|mmap"
    r"|os\.(open|fdopen|scandir|listdir|walk|fwalk|stat|lstat|replace|rename|remove|unlink|mkdir|makedirs|rmdir))\b"
    r"|.*\.(read_bytes|read_text|write_bytes|write_text|iterdir|rglob|mkdir|unlink|open)$"
)


def touched(path: Path, pattern: re.Pattern[str]) -> Iterator[str]:
    """Where a module imports or names what the pattern describes."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names] if node.level == 0 else []
        elif isinstance(node, ast.Attribute):
            names = [ast.unparse(node)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names = [node.func.id]
        else:
            continue
        yield from (f"{name(path)}:{node.lineno} {found}" for found in names if pattern.match(found))


def allowed(path: Path, places: list[str]) -> bool:
    return any(name(path).startswith(place) if place.endswith("/") else name(path) == place for place in places)


@pytest.mark.parametrize(
    ("edge", "pattern"), [("subprocess", SUBPROCESS), ("wall clock", CLOCK), ("terminal", TERMINAL)]
)
def test_the_edges_do_the_touching(edge: str, pattern: re.Pattern[str]) -> None:
    offenders = [place for path in modules() if not allowed(path, EDGES[edge]) for place in touched(path, pattern)]
    report(offenders, f"the {edge} is touched outside {', '.join(EDGES[edge])}")


def test_the_inner_stages_take_values() -> None:
    inner = [path for path in modules() if allowed(path, [*WITHOUT_DISK, "read/"]) and name(path) not in READERS]
    offenders = [place for path in inner for place in touched(path, DISK)]
    report(offenders, f"the disk is touched by an inner stage other than by {', '.join(READERS)}")


@pytest.mark.parametrize(
    ("pattern", "source"),
    [
        (SUBPROCESS, "import subprocess"),
        (SUBPROCESS, "from os import execvp"),
        (CLOCK, "now = datetime.datetime.now(tz)"),
        (CLOCK, "time.time()"),
        (TERMINAL, "print(1)"),
        (TERMINAL, "sys.stderr.write('x')"),
        (DISK, "open('x')"),
        (DISK, "path.read_bytes()"),
    ],
)
def test_the_edge_finder_finds(pattern: re.Pattern[str], source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "tree", lambda _: ast.parse(source))
    assert list(touched(PACKAGE / "x.py", pattern))


# One letter of each stands in brackets, so that this file does not hold what it looks for.
FORBIDDEN = [
    ("a path of the machine it was made on", r"(?<![\w.-])/[w]ork/(main|shared|[.]library|[.]mirror)\b"),
    ("a path of the machine it was made on", r"(?<![\w.-])/[r]oot/"),
    ("a path of the machine it was made on", r"(?<![\w.-])/tmp/[b]rief\b"),
    ("a folder that is not the project's", r"[.][l]ibrary/"),
    ("a package registry's host", r"\b([p]ypi[.]org|[p]ythonhosted[.]org|[r]egistry[.]npmjs[.]org)"),
    ("a package registry's host", r"\b([d]eb[.]debian[.]org|[c]rates[.]io|[p]roxy[.]golang[.]org)\b"),
]


def tracked() -> list[Path]:
    """Every file that git tracks."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, timeout=60)
    return [ROOT / path.decode() for path in listing.stdout.split(b"\0") if path]


def test_nothing_committed_names_a_machine_or_a_registry() -> None:
    patterns = [(what, re.compile(pattern.encode())) for what, pattern in FORBIDDEN]
    if len(ROOT.parts) > 3:
        patterns.append(("this checkout's own path", re.compile(re.escape(str(ROOT)).encode() + rb"\b")))
    offenders = [
        f"{path.relative_to(ROOT)}: {what}: {found.group().decode()}"
        for path in tracked()
        if path.is_file() and not path.is_symlink()
        for content in [path.read_bytes()]
        for what, pattern in patterns
        for found in pattern.finditer(content)
    ]
    report(offenders, "what a commit must not name")


TOP_LEVEL = {
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "contestants",
    "protocols",
    "pyproject.toml",
    "reports",
    "sitegen",
    "templates",
    "tests",
}


def test_the_top_level_is_fixed() -> None:
    top = {path.relative_to(ROOT).parts[0] for path in tracked()}
    report([part for part in top - TOP_LEVEL if not part.startswith(".")], "not of the top level's fixed set")


def requirement(line: str) -> str:
    """The normalised project name at the head of a requirement."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0]).lower()


def locked(lock: str) -> dict[str, str]:
    """Each pinned project of a lock, with its whole entry."""
    entries = re.split(r"^(?=\S)", (ROOT / ".ci" / lock).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {requirement(entry): entry for entry in entries if entry.strip()}


@pytest.mark.parametrize("lock", ["build.txt", "runtime.txt", "dev.txt"])
def test_every_locked_version_is_pinned_with_hashes(lock: str) -> None:
    entries = locked(lock)
    loose = [project for project in entries if not re.match(r"\S+==\S+ .*--hash=sha256:", entries[project], re.DOTALL)]
    report(loose, f".ci/{lock} holds what is not pinned, or names an index")


def test_the_locks_agree_and_hold_all_that_is_declared() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    runtime, dev = locked("runtime.txt"), locked("dev.txt")
    missing = [f"runtime.txt: {line}" for line in project["dependencies"] if requirement(line) not in runtime]
    missing += [
        f"dev.txt: {line}"
        for extra in project["optional-dependencies"].values()
        for line in extra
        if requirement(line) not in {*dev, "sitegen"}
    ]
    report(missing, "declared but not locked; run `make lock`")
    versions = {project: entry.split()[0] for project, entry in dev.items()}
    both = [*runtime.items(), *locked("build.txt").items()]
    differing = [entry.split()[0] for project, entry in both if entry.split()[0] != versions.get(project)]
    report(differing, "pinned differently in dev.txt")
