"""Both audits against the refusal corpus: a site that publishes what must be refused is noticed by both of them.

Each case's input is put into the layout of a published site without being verified, with all lists right, as somebody
would do who wants the number out. Cases that cannot be seen in a published site (drafts, open runs, what is never
published) must look alike to both as well.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.pipeline.auditing import audit_site
from sitegen.read.shipped import templates_dir
from sitegen.refusals import Refused
from tests.audit.forged import forged
from tests.audit.published import script, script_says, write

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
CASES = sorted(path for path in CORPUS.iterdir() if (path / "input" / "protocols").is_dir())

FORM_ONLY = {
    "evidence-level": "whether a metric was run again cannot be seen in files",
    "evidence-missing": "of a judge whose verdicts nobody digested there is nothing to miss",
    "evidence-unlisted": "a file that counts for nothing",
    "field-type": "form: sitegen reads strictly, the script reads what it needs",
    "field-unknown": "form",
    "interval-mismatch": "an interval that nobody asked for, beside the right one",
    "json-malformed": "form: integers, surrogates and depths on which readers differ",
    "metric-failed": "a metric that the script does not run",
    "null-pack-late": "times are claims, compared by sitegen only",
    "null-row-unknown": "rules of sealing: whether the exam may be sealed, not whether figures follow from it",
    "oracle-missing": "rules of sealing",
    "pack-content-duplicate": "rules of sealing",
    "route-unnamed": "a manifest whose names say nothing; which name answered is what the rows say",
    "rules-contradict": "rules of sealing",
    "protocol-drift": "a draft that says otherwise than the sealed document",
    "report-duplicate": "one run's transcripts under two ids",
    "schema-unknown": "form",
    "seal-incomplete": "an outlook on what the exam can tell, which the script does not compute",
    "text-encoding": "form",
    "time-form": "form",
    "time-order": "times are claims",
    "yaml-unsupported": "form",
}
"""Slugs with at least one case that only sitegen notices, each with the reason; no figure is wrong in any of them."""

SCRIPT = (templates_dir() / "site" / "audit.py").read_bytes()
ALONE = {
    "refused--evidence-mismatch--receipt-of-another-report": "a receipt is the publisher's word; the script takes none",
    "refused--path-unsafe--run-with-the-name-of-a-page": "no site has both this run and the page",
    "refused--time-form--no-such-day": "an event whose form sitegen refuses is missing from the heads that it knows",
}
"""Cases that only sitegen notices, though of their slugs the script notices others; each with the reason."""


def sitegen_says(folder: Path) -> list[str]:
    try:
        return sorted({fault.slug for fault in audit_site(str(folder)).faults})
    except Refused as refused:
        return sorted({refusal.slug for refusal in refused.refusals})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_both_audits_agree(case: Path, tmp_path: Path) -> None:
    files = forged(case / "input", {"audit.py": SCRIPT})
    ours = sitegen_says(write(files, tmp_path / "site"))
    theirs = script_says(script(files), files)
    if ours and not theirs:
        assert set(ours) <= set(FORM_ONLY) or case.name in ALONE, ours
    else:
        assert bool(ours) == bool(theirs), (ours, theirs)


def test_the_cases_are_there_and_most_are_noticed_by_both(tmp_path: Path) -> None:
    """The comparison above would hold of two audits that notice nothing."""
    assert len(CASES) > 150
    noticed = 0
    for number, case in enumerate(CASES[::8]):
        files = forged(case / "input", {"audit.py": SCRIPT})
        noticed += bool(script_says(script(files), files)) and bool(sitegen_says(write(files, tmp_path / str(number))))
    assert noticed > len(CASES[::8]) / 2
