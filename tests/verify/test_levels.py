"""How far outcomes were recomputed, and whether that is as far as the protocol asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.harness.receipts import write_receipts
from sitegen.read.files import Tree
from sitegen.read.library import read_unit
from sitegen.read.shipped import templates_dir
from sitegen.verify.verifier import verify_unit
from tests.corpus_builder.site import Site
from tests.sites import judge, make_protocol, make_run

OURS = (templates_dir() / "protocol" / "metric_exact_bytes.py").read_text(encoding="utf-8") + "\n# ours\n"


def level(root: Path) -> str:
    (report,) = judge(root, "demo.v1").reports
    return report.level


@pytest.mark.parametrize(
    ("metric", "deterministic", "expected"),
    [(None, True, "re-scored"), (OURS, True, "numbers"), (OURS, False, "judge-recorded")],
)
def test_the_level_follows_from_the_metric(
    metric: str | None, deterministic: bool, expected: str, tmp_path: Path
) -> None:
    changes = {"metric": {"deterministic": deterministic}}
    make_protocol(tmp_path, ordinary=3, negative=1, metric=metric, changes=changes)
    make_run(tmp_path, "demo.v1")
    assert level(tmp_path) == expected


def test_a_receipt_lifts_a_report_that_its_protocol_would_refuse(tmp_path: Path) -> None:
    """`require_level: re-scored` with a metric of one's own: refused, re-scored by the publisher, published."""
    changes = {"publish": {"require_level": "re-scored"}}
    make_protocol(tmp_path, ordinary=3, negative=1, metric=OURS, changes=changes)
    make_run(tmp_path, "demo.v1")
    assert {refusal.slug for refusal in judge(tmp_path, "demo.v1").all_refusals} == {"evidence-level"}
    with Tree(tmp_path) as tree:
        unit = verify_unit(read_unit(tree, "demo.v1"), any_level=True)
    assert len(list(write_receipts(tmp_path, unit))) == 1
    assert level(tmp_path) == "re-scored by the publisher"


def test_of_transcripts_that_are_gone_no_level_is_asked(tmp_path: Path) -> None:
    """That they are gone is the fault; their level is a consequence."""
    changes = {"publish": {"require_level": "re-scored"}}
    make_protocol(tmp_path, ordinary=3, negative=1, changes=changes)
    make_run(tmp_path, "demo.v1")
    (Site(tmp_path).run / "transcripts.jsonl").unlink()
    assert {refusal.slug for refusal in judge(tmp_path, "demo.v1").all_refusals} == {"evidence-missing"}


@pytest.mark.parametrize("name", ["run_id", "report_sha256", "metric_sha256", "transcripts_sha256"])
def test_a_receipt_of_something_else_is_a_mismatch(name: str, tmp_path: Path) -> None:
    import json

    from sitegen.digests import canonical_json

    make_protocol(tmp_path, ordinary=3, negative=1, metric=OURS)
    make_run(tmp_path, "demo.v1")
    list(write_receipts(tmp_path, judge(tmp_path, "demo.v1")))
    path = Site(tmp_path).run / "receipt.json"
    other = "another-run" if name == "run_id" else "7" * 64
    path.write_bytes(canonical_json({**json.loads(path.read_bytes()), name: other}))
    assert {refusal.slug for refusal in judge(tmp_path, "demo.v1").all_refusals} == {"evidence-mismatch"}


def test_a_receipt_of_something_else_lifts_no_report(tmp_path: Path) -> None:
    """Beside what is wrong with it, the report is still named as one that was not re-scored."""
    changes = {"publish": {"require_level": "re-scored"}}
    make_protocol(tmp_path, ordinary=3, negative=1, metric=OURS, changes=changes)
    make_run(tmp_path, "demo.v1")
    with Tree(tmp_path) as tree:
        list(write_receipts(tmp_path, verify_unit(read_unit(tree, "demo.v1"), any_level=True)))
    site = Site(tmp_path)
    site.replace(site.run / "receipt.json", site.run.name, "another-run")
    assert {refusal.slug for refusal in judge(tmp_path, "demo.v1").all_refusals} == {
        "evidence-mismatch",
        "evidence-level",
    }
