"""Judges of mutants: cases of the corpus and tests, run in forks of one process that has everything imported.

The judges run inside of pytest, which collects the tests once. A mutant of a function lives in a fork in which the
function has other code. Which case and which test calls which function is seen once, when all of them run unchanged;
only those that call a function are asked about its mutants, and those first that noticed one before.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import json
import math
import os
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from tests.reliability.mutants import PACKAGE, Mutant
from tests.reliability.scenes import ROOT

CORPUS = ROOT / "tests" / "corpus"
DEADLINE_SEC = 60
MEMORY_BYTES = 6 << 30
MOST_LIKELY = 20
"""How many cases are asked before the tests of the module's name, where no case is likelier than others."""
OPTIONS = ["-qq", "--no-header", "--no-summary", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts="]
OPTIONS += ["-m", "not slow and not browser", "--hypothesis-seed=0", "--import-mode=importlib", f"--rootdir={ROOT}"]
Function = tuple[str, str]
"""A file below the project's root, and a function's qualified name."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who noticed a mutant (``corpus``, ``named tests``, ``other tests``, ``time`` or ``nothing``), by which case."""

    judge: str
    by: str = ""


NOTHING = Verdict("nothing")


def cases() -> list[Path]:
    return sorted(path for path in CORPUS.iterdir() if path.is_dir())


def case_holds(folder: Path) -> bool:
    """Run a case in this process; tell whether it says what it must."""
    from sitegen.cli import main

    expected = json.loads((folder / "expected.json").read_bytes())
    command = expected.get("command", ["verify"])
    with tempfile.TemporaryDirectory() as work:
        place = folder / "input"
        if command != ["verify"] and "--check" not in command:  # it would write into the corpus
            place = shutil.copytree(place, Path(work) / "input", symlinks=True)
        os.chdir(place)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            code = main([*command, "--format", "json"])
        os.chdir(ROOT)
    found = {value["slug"] for value in map(json.loads, said.getvalue().splitlines()) if "slug" in value}
    return (code, found) == (expected["exit"], set(expected["slugs"]))


def in_a_fork(work: Callable[[], str], seconds: int = 0) -> tuple[str, bool]:
    """Return what ``work`` returns in a process of its own, and whether it came to its end."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
            signal.alarm(seconds)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nowhere, descriptor)
            with tempfile.TemporaryDirectory() as cache:
                os.environ["XDG_CACHE_HOME"] = cache
                said = work()
            os.write(writing, said.encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        said = pipe.read()
    status = os.waitpid(pid, 0)[1]
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)  # what a mutant left running
    return said, not os.WIFSIGNALED(status)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a case or a test did without any change: which functions it called, and how long it took."""

    called: frozenset[Function]
    seconds: float


class Judges:
    """The pytest plugin in which ``work`` is done, with the collected tests at hand."""

    def __init__(self, work: Callable[[Judges], None], patience: float = math.inf) -> None:
        self.work = work
        self.patience = patience
        self.items: dict[str, pytest.Item] = {}
        self.seen: dict[str, Seen] = {}
        self.noticed: dict[Function, Counter[str]] = defaultdict(Counter)
        self.failed: list[str] = []
        self._functions: dict[Function, list[FunctionType]] = {}
        self._caches: list[Any] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        for path in PACKAGE.rglob("*.py"):
            if path.name != "__main__.py":
                __import__(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for value in gc.get_objects():
            if isinstance(value, FunctionType) and value.__code__.co_filename.startswith(str(PACKAGE)):
                self._functions.setdefault(_function(value.__code__), []).append(value)
            elif isinstance(value, functools._lru_cache_wrapper):
                self._caches.append(value)
        gc.collect()
        gc.freeze()
        self.work(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def holds(self, name: str, then: str = "") -> bool:
        """Run one case or test in this process, fixtures and all; ``then`` is the test that comes next."""
        if name not in self.items:
            return case_holds(CORPUS / name)
        item = self.items[name]
        self.failed.clear()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=self.items.get(then))
        return not self.failed

    def look(self) -> list[str]:
        """See who calls what, as far as that is not known; return the cases and tests that fail without any change."""
        names = [*(folder.name for folder in cases()), *self.items]
        self.seen = {name: self.seen[name] for name in names if name in self.seen}
        names = [name for name in names if name not in self.seen]

        def work() -> str:
            found: list[tuple[str, list[Function], float, bool]] = []
            for name, then in pairwise([*names, ""]):
                self._forget()
                began = time.monotonic()
                with _profile() as called:
                    held = self.holds(name, then)
                found.append((name, sorted(called), round(time.monotonic() - began, 3), held))
            return json.dumps(found)

        rows = json.loads(in_a_fork(work)[0])
        for name, called, seconds, _ in rows:
            self.seen[name] = Seen(frozenset(map(tuple, called)), seconds)
        return [name for name, _, _, held in rows if not held]

    def _forget(self) -> None:
        """Forget what functions found before: they are called anew, and by the code that they have now."""
        for value in self._caches:
            value.cache_clear()

    def judge(self, mutant: Mutant) -> Verdict:
        """Return who notices a mutant of a function."""
        code = compile(mutant.tree(), str(mutant.path), "exec", dont_inherit=True)
        function = mutant.file, mutant.function
        changed = [part for part in _inside(code) if _function(part) == function]
        live = self._functions[function]

        def work(names: Sequence[str]) -> str:
            _replace(live, changed)
            self._forget()
            for name, then in pairwise([*names, ""]):
                usual = self.seen[name].seconds if name in self.seen else 0
                signal.alarm(int(DEADLINE_SEC / 3 + 10 * usual))
                try:
                    held = self.holds(name, then)
                except BaseException:  # noqa: BLE001 (whatever it is, it is noticed)
                    held = False
                if not held:
                    return name
            return "nothing"

        for judge, names in self._asked(mutant):
            by, ended = in_a_fork(functools.partial(work, names)) if names else ("nothing", True)
            if not ended or not by:
                return Verdict("time", judge)
            if by != "nothing":
                self.noticed[function][by] += 1
                return Verdict(judge, by)
        return NOTHING

    def _asked(self, mutant: Mutant) -> Iterator[tuple[str, list[str]]]:
        """Yield the judges with those who may notice, the likeliest and the quickest first."""
        function = mutant.file, mutant.function
        before = self.noticed[function]

        def rank(name: str) -> tuple[int, bool, float]:
            return -before[name], not near(name), self.seen[name].seconds if self.seen else 0

        def near(name: str) -> bool:
            return name not in self.items and name.split("--")[1] in mutant.slugs

        known = [name for name, seen in self.seen.items() if function in seen.called]
        corpus = known if self.seen else [folder.name for folder in cases()]
        corpus = sorted((name for name in corpus if name not in self.items), key=rank)
        tests = sorted((name for name in (known if self.seen else self.items) if name in self.items), key=rank)
        likely = [name for name in corpus if near(name) or before[name]]
        likely = likely or corpus[:MOST_LIKELY]
        yield "corpus", likely
        yield "named tests", [name for name in tests if _is_named(name, mutant)]
        yield "corpus", [name for name in corpus if name not in likely]
        others = [name for name in tests if self.seen and not _is_named(name, mutant)]
        lasting = accumulate(self.seen[name].seconds for name in others)
        yield "other tests", [name for name, until in zip(others, lasting, strict=True) if until <= self.patience]


def run(tests: Iterable[Path], work: Callable[[Judges], None], patience: float = math.inf) -> None:
    """Collect ``tests`` and do ``work`` with them; of those of other modules as many as take ``patience`` seconds."""
    with tempfile.TemporaryDirectory() as place:
        names = [str(path) for path in tests]
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = f"{place}/hypothesis"
        code = pytest.main([*OPTIONS, f"--basetemp={place}/base", *names], plugins=[Judges(work, patience)])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise SystemExit(f"the tests cannot be run: {code!r}")


def _is_named(name: str, mutant: Mutant) -> bool:
    return name.split("::", maxsplit=1)[0] == f"tests/{mutant.path.parent.name}/test_{mutant.path.stem}.py"


def _function(code: CodeType) -> Function:
    file = code.co_filename.removeprefix(f"{ROOT}/")
    return file, code.co_qualname.split(".<locals>")[0]


def _inside(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if "<locals>" not in constant.co_qualname:
                yield constant
            yield from _inside(constant)


def _replace(live: Sequence[FunctionType], changed: Sequence[CodeType]) -> None:
    by_line = {code.co_firstlineno: code for code in changed}
    for function in live:
        if "<locals>" not in function.__code__.co_qualname:
            function.__code__ = by_line[function.__code__.co_firstlineno]


@contextlib.contextmanager
def _profile() -> Iterator[set[Function]]:
    codes: set[CodeType] = set()

    def see(frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    called: set[Function] = set()
    threading.setprofile(see)
    sys.setprofile(see)
    try:
        yield called
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        called |= {_function(code) for code in codes if code.co_filename.startswith(str(PACKAGE))}
