"""Both audits against the refusal corpus: a site that publishes what must be refused is noticed by both of them.

Each case's input is put into the layout of a published site without being verified, with all lists right, as somebody
would do who wants the number out. Cases that cannot be seen in a published site (drafts, open runs, what is never
published) must look alike to both as well.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.digests import canonical_json, sha256, sums_listing
from sitegen.pipeline.auditing import audit_site
from sitegen.read.shipped import templates_dir
from sitegen.refusals import Refused
from tests.audit.published import Files, script, script_says, write

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
    "rules-contradict": "rules of sealing",
    "protocol-drift": "a draft that says otherwise than the sealed document",
    "report-duplicate": "one run's transcripts under two ids",
    "schema-unknown": "form",
    "text-encoding": "form",
    "time-form": "form",
    "time-order": "times are claims",
    "yaml-unsupported": "form",
}
"""Slugs with at least one case that only sitegen notices, each with the reason; no figure is wrong in any of them."""

RECEIPT = "refused--evidence-mismatch--receipt-of-another-report"
"""A receipt is the publisher's word that a metric was run again; the script does not take it into account."""


def forged(case: Path) -> Files:
    """Return the site that a publisher who verifies nothing would make of the case's input."""
    files: Files = {"audit.py": (templates_dir() / "site" / "audit.py").read_bytes()}
    site: dict[str, Any] = {"heads": {}, "protocols": {}, "reports": {}, "withdrawn": {}}
    for folder in sorted((case / "input" / "protocols").iterdir()):
        if (folder / "protocol.sealed.yaml").is_file():
            _add_protocol(case / "input" / "reports" / folder.name, folder, files, site)
    listed = sorted(files, key=str.encode)
    site["files"] = [{"path": p, "size": len(files[p]), "sha256": sha256(files[p])} for p in listed]
    files["site.json"] = canonical_json({"schema": "agent-bench-site/v1", "tool": "forged", **site})
    files["SHA256SUMS"] = sums_listing({path: sha256(files[path]) for path in (*listed, "site.json")})
    return files


def _add_protocol(reports: Path, folder: Path, files: Files, site: dict[str, Any]) -> None:
    pid, root = folder.name, f"evidence/{folder.name}"
    own = _below(folder)
    ledger = _below(reports / "ledger")
    own.update({f"ledger/{name}": data for name, data in ledger.items()})
    runs = {run.parent.name: _below(run.parent) for run in sorted(reports.glob("*/report.json"))}
    for name, part in {root: own, **{f"{root}/{run_id}": run for run_id, run in runs.items()}}.items():
        part["SHA256SUMS"] = sums_listing({path: sha256(data) for path, data in part.items()})
        files.update({f"{name}/{path}": data for path, data in part.items()})
    parents = {parent for data in ledger.values() for parent in _value(data).get("parents", [])}
    site["heads"][pid] = sorted({name.removesuffix(".json") for name in ledger} - parents)
    site["protocols"][pid] = sha256(own["protocol.sealed.yaml"])
    if runs:
        site["reports"][pid] = {run_id: sha256(run["report.json"]) for run_id, run in runs.items()}


def _below(folder: Path) -> Files:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _value(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def sitegen_says(folder: Path) -> list[str]:
    try:
        return sorted({fault.slug for fault in audit_site(str(folder)).faults})
    except Refused as refused:
        return sorted({refusal.slug for refusal in refused.refusals})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_both_audits_agree(case: Path, tmp_path: Path) -> None:
    files = forged(case)
    ours = sitegen_says(write(files, tmp_path / "site"))
    theirs = script_says(script(files), files)
    if ours and not theirs:
        assert set(ours) <= set(FORM_ONLY) or case.name == RECEIPT, ours
    else:
        assert bool(ours) == bool(theirs), (ours, theirs)


def test_the_cases_are_there_and_most_are_noticed_by_both(tmp_path: Path) -> None:
    """The comparison above would hold of two audits that notice nothing."""
    assert len(CASES) > 150
    noticed = 0
    for number, case in enumerate(CASES[::8]):
        files = forged(case)
        noticed += bool(script_says(script(files), files)) and bool(sitegen_says(write(files, tmp_path / str(number))))
    assert noticed > len(CASES[::8]) / 2
