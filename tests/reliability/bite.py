"""Does every check bite? Remove or weaken one at a time, and see whether anything notices.

``python -m tests.reliability.bite [--results FILE] [--patience SEC] [--sample N] [FILE…]`` judges the mutants of the
files, by default all of ``verify/`` and ``read/`` and what ``measure/`` counts and rounds; see
:mod:`tests.reliability.mutants` for what they are and :mod:`tests.reliability.judges` for who judges: the cases of the
corpus, the tests of the module's name, and then all others that are named here. A mutant that cannot matter is listed
with its reason in ``equivalent.toml``; an entry that fits no mutant, or one that is noticed, is an error.

``--results`` keeps every verdict as it falls, and who calls what beside it, and goes on where an interrupted run ended:
what was noticed, or went unnoticed and is explained, stays so while the function and the words of the change are the
same. ``--patience`` bounds the seconds of other modules' tests: nearly all time goes into what nothing notices, and a
first run with little patience names that within minutes. ``--sample`` takes ``N`` checks of the verifier, left out one
by one, and asks only the cases and the tests of the module's name.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import msgspec  # noqa: F401 (imported once, before forking)
import numpy  # noqa: F401
import pytest
import yaml  # noqa: F401

from sitegen.digests import folder_digest, sha256
from tests.reliability.judges import (
    DEADLINE_SEC,
    NOTHING,
    OPTIONS,
    Judges,
    Seen,
    Verdict,
    case_holds,
    cases,
    in_a_fork,
    run,
)
from tests.reliability.mutants import COUNTING, PACKAGE, Mutant, default_files, mutants_of
from tests.reliability.scenes import ROOT, note

TESTS = ("verify", "read", "pipeline/test_auditing.py", "test_one_byte.py")
TESTS += tuple(f"pipeline/test_{name}.py" for name in ("build", "checking", "signatures"))
TESTS += ("audit/test_hidden_sets.py", "audit/test_withheld_builds.py", "refusals/test_evidence.py")
TESTS += tuple(f"harness/test_{name}.py" for name in ("closable", "rescoring", "revealing"))
TESTS += tuple(f"cli/test_{name}.py" for name in ("rescore", "reveal", "sign", "verify"))
TESTS += tuple(f"measure/test_{name}.py" for name in (*COUNTING, "inputs"))
EQUIVALENT = ROOT / "tests" / "reliability" / "equivalent.toml"
Entry = tuple[str, str, str]
"""File, function and words of a change."""


def entry_of(mutant: Mutant) -> Entry:
    return mutant.file, mutant.function, mutant.what


def equivalents() -> dict[Entry, str]:
    """Return why which changes cannot matter."""
    table = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    return {(file, one["function"], one["what"]): one["why"] for file, found in table.items() for one in found}


class _Loader(SourceFileLoader):
    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.module, str(mutant.path))
        self._tree = mutant.tree()

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._tree, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    def __init__(self, mutant: Mutant) -> None:
        self._mutant, self._loader = mutant, _Loader(mutant)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self._mutant.module:
            return None
        return importlib.util.spec_from_file_location(fullname, self._mutant.path, loader=self._loader)


def judge_module(mutant: Mutant) -> Verdict:
    """Return who notices a mutant outside of any function, which a process must import anew."""
    finder = _Finder(mutant)
    stage = ROOT / "tests" / mutant.path.parent.name

    def begin() -> None:
        """Let everything of ours be imported anew, the mutant in its place."""
        for name in [name for name in sys.modules if name.split(".")[0] in ("sitegen", "tests")]:
            del sys.modules[name]
        sys.meta_path.insert(0, finder)

    def corpus() -> str:
        begin()
        return next((case.name for case in cases() if not holds(case)), "nothing")

    def holds(case: Path) -> bool:
        try:
            return case_holds(case)
        except BaseException:  # noqa: BLE001 (whatever it is, it is noticed)
            return False

    def tests(names: Iterable[Path]) -> str:
        begin()
        found = [str(name) for name in names]
        options = ["-x", f"--basetemp={os.environ['XDG_CACHE_HOME']}/base", *OPTIONS]
        return "nothing" if not found or pytest.main([*options, *found]) == 0 else Path(found[0]).name

    named = [path for name in (mutant.path.stem, "field_bounds") for path in stage.rglob(f"test_{name}.py")]
    works = {"corpus": corpus, "named tests": lambda: tests(named), "other tests": lambda: tests([stage])}
    for judge, work in works.items():
        by, ended = in_a_fork(work, DEADLINE_SEC)
        if by != "nothing":
            return Verdict(judge if ended else "time", by)
    return NOTHING


class Session:
    """The mutants of one run, and what was found of them."""

    def __init__(self, mutants: Sequence[Mutant], results: Path | None) -> None:
        self.results = results
        self.verdicts: dict[str, Verdict] = {}
        kept: dict[str, Verdict] = {}
        if results is not None and results.exists():
            for line in results.read_text(encoding="utf-8").splitlines():
                value = json.loads(line)
                kept[value["key"]] = Verdict(value["judge"], value["by"])
        self.mutants = mutants
        self.explained = equivalents()
        for mutant in mutants:
            verdict = kept.get(mutant.key)
            if verdict is not None and (verdict != NOTHING or entry_of(mutant) in self.explained):
                self.verdicts[mutant.key] = verdict
        self._began = time.monotonic()

    @property
    def left(self) -> list[Mutant]:
        return [mutant for mutant in self.mutants if mutant.key not in self.verdicts]

    def add(self, mutant: Mutant, verdict: Verdict, seconds: float) -> None:
        self.verdicts[mutant.key] = verdict
        if self.results is not None:
            row = {"key": mutant.key, "judge": verdict.judge, "by": verdict.by, "seconds": round(seconds, 2)}
            with self.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        if verdict == NOTHING and entry_of(mutant) not in self.explained:
            print("survivor", mutant.title, flush=True)
        if len(self.verdicts) % 50 == 0:
            print(f"{len(self.verdicts)}/{len(self.mutants)} {dict(self.counts())} {self.seconds} s", flush=True)

    @property
    def seconds(self) -> int:
        return round(time.monotonic() - self._began)

    def counts(self) -> Mapping[str, int]:
        return Counter(verdict.judge for verdict in self.verdicts.values())

    def survivors(self) -> list[str]:
        return [m.title for m in self.mutants if self.verdicts[m.key] == NOTHING and entry_of(m) not in self.explained]

    def wrongly_explained(self) -> list[str]:
        """Return the entries of the table that something notices."""
        noticed = {entry_of(m) for m in self.mutants if self.verdicts[m.key] != NOTHING}
        alive = {entry_of(m) for m in self.mutants if self.verdicts[m.key] == NOTHING}
        return [" ".join(entry) for entry in self.explained if entry in noticed - alive]

    def judge_modules(self) -> None:
        """Judge what lies outside of functions, before anything of sitegen is imported here."""
        left = [mutant for mutant in self.left if not mutant.function]
        for path in {mutant.path.parent: mutant.path for mutant in left}.values():
            unchanged = judge_module(Mutant(path=path))
            if unchanged != NOTHING:
                raise SystemExit(f"without any change of {path}, this fails: {unchanged}")
        for mutant in left:
            began = time.monotonic()
            self.add(mutant, judge_module(mutant), time.monotonic() - began)

    def judge_functions(self, judges: Judges, whole: bool) -> None:
        """Judge all others, in the midst of pytest."""
        if not self.left:
            return
        if whole:
            self._look(judges)
        for mutant in self.left:
            began = time.monotonic()
            self.add(mutant, judges.judge(mutant), time.monotonic() - began)

    def _look(self, judges: Judges) -> None:
        """See who calls what, or read it where it was seen of these very sources; tests that came since are run."""
        kept = None if self.results is None else self.results.with_suffix(".seen.json")
        before = json.loads(kept.read_bytes()) if kept is not None and kept.exists() else {}
        if before.get("sources") == _sources():
            for name, (called, seconds) in before["seen"].items():
                judges.seen[name] = Seen(frozenset(map(tuple, called)), seconds)
        failing = judges.look()
        if failing:
            raise SystemExit(f"these fail without any change: {failing}")
        if kept is not None:
            rows = {name: (sorted(seen.called), seen.seconds) for name, seen in judges.seen.items()}
            kept.write_text(json.dumps({"sources": _sources(), "seen": rows}))
        print(f"who calls what is known after {self.seconds} s", flush=True)


def _sources() -> str:
    return folder_digest({str(path): sha256(path.read_bytes()) for path in sorted(PACKAGE.rglob("*.py"))})


def stale() -> list[str]:
    """Return the entries of the table that fit no mutant."""
    known = {entry_of(mutant) for path in default_files() for mutant in mutants_of(path)}
    return [" ".join(entry) for entry in equivalents().keys() - known]


def removed_checks(mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """Yield those that leave out a statement of the verifier which refuses by its slug."""
    for mutant in mutants:
        if (
            mutant.change.startswith("drop")
            and mutant.path.parent.name == "verify"
            and mutant.function
            and mutant.slugs
        ):
            yield mutant


def named_tests(mutants: Iterable[Mutant]) -> list[Path]:
    wanted = {ROOT / "tests" / mutant.path.parent.name / f"test_{mutant.path.stem}.py" for mutant in mutants}
    return sorted(path for path in wanted if path.exists())


def main(arguments: Sequence[str]) -> int:
    """Judge the mutants, print what survived and the figures; return how many survived or are wrongly explained."""
    parser = argparse.ArgumentParser(prog="bite", description="See whether removing a check is noticed.")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--patience", type=float, default=math.inf, metavar="SEC")
    parser.add_argument("--sample", type=int, metavar="N")
    asked = parser.parse_args(arguments)
    files = [path.resolve() for path in asked.files] or default_files()
    mutants = [mutant for path in files for mutant in mutants_of(path)]
    if asked.sample is not None:
        mutants = list(removed_checks(mutants))
        mutants = mutants[len(mutants) % 7 :: max(1, len(mutants) // asked.sample)]
    session = Session(mutants, asked.results)
    session.judge_modules()
    whole = asked.sample is None
    tests = [ROOT / "tests" / name for name in TESTS] if whole else named_tests(mutants)
    run(tests, lambda judges: session.judge_functions(judges, whole), asked.patience)
    form = "long" if whole and not asked.files else "short"
    survivors, counts = session.survivors(), dict(session.counts())
    explained = counts.pop("nothing", 0) - len(survivors)
    note("bite", form, mutants=len(mutants), outcomes=counts, explained=explained, survivors=survivors)
    wrong = [*(stale() if whole else ()), *session.wrongly_explained()]
    for entry in wrong:
        print("wrongly explained", entry)
    return len(survivors) + len(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
