"""Write the refusal corpus anew: ``python -m tests.corpus_builder``. The same code gives the same bytes."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from tests.corpus_builder import (
    cases_closing,
    cases_conduct,
    cases_evidence,
    cases_ledger,
    cases_numbers,
    cases_published,
    cases_reading,
    cases_sealing,
)
from tests.corpus_builder.base import fixed_clock_and_ids, make_base
from tests.corpus_builder.registry import CASES, Case
from tests.corpus_builder.site import Site

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
SOURCES = (
    *(cases_closing, cases_conduct, cases_evidence, cases_ledger, cases_numbers),
    *(cases_published, cases_reading, cases_sealing),
)
"""The modules whose import registers the cases."""


def build(case: Case, corpus: Path) -> None:
    """Write one case below ``corpus``."""
    folder = corpus / case.folder
    with fixed_clock_and_ids():
        make_base(folder / "input")
        case.change(Site(folder / "input"))
    expected: dict[str, object] = {"slugs": sorted(case.slugs), "exit": case.code}
    if case.command != ("verify",):
        expected["command"] = list(case.command)
    (folder / "README.md").write_text(f"{case.sentence}\n", encoding="utf-8")
    (folder / "expected.json").write_text(json.dumps(expected, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Replace every case that this builder knows; other cases are left alone."""
    CORPUS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CORPUS.parent) as made:
        for case in CASES:
            build(case, Path(made))
        for case in CASES:
            shutil.rmtree(CORPUS / case.folder, ignore_errors=True)
            (Path(made) / case.folder).rename(CORPUS / case.folder)
    print(f"{len(CASES)} cases")


if __name__ == "__main__":
    main()
