"""Seven models' real outputs, sealed, started and scored: the counts are those that were counted independently."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.handed_in import score_handed_in
from sitegen.harness.opening import open_run
from sitegen.harness.sealing import prepare_seal, write_seal
from sitegen.harness.yaml_text import yaml_text
from sitegen.read.shipped import templates_dir
from tests.sites import judge

PACK = Path(__file__).resolve().parents[2] / "shared" / "data" / "bfcl-pack"
PROTOCOL_ID = "function-calling.bfcl-v3"
pytestmark = pytest.mark.xdist_group("real-pack")  # scored once for all three tests


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not PACK.is_dir():
        pytest.skip(f"the real pack is not beside the checkout ({PACK.name} is missing)")
    root = tmp_path_factory.mktemp("site")
    folder = root / "protocols" / PROTOCOL_ID
    folder.mkdir(parents=True)
    for name in ("tasks.jsonl", "null_pack.jsonl"):
        shutil.copyfile(PACK / name, folder / name)
    shutil.copyfile(templates_dir() / "protocol" / "metric_exact_bytes.py", folder / "metric_exact_bytes.py")
    rules: dict[str, list[str]] = {"must_pass": [], "must_fail": [], "must_refuse": []}
    for line in (PACK / "null_pack.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        rules[row["expected_class"]].append(row["id"])
    (folder / "protocol.yaml").write_text(
        yaml_text(
            {
                "schema": "agent-bench-protocol/v1",
                "protocol_id": PROTOCOL_ID,
                "dataset": {"path": "./tasks.jsonl", "sha256": "PENDING_SEAL", "oracle": "inline"},
                "metric": {"module": "./metric_exact_bytes.py", "sha256": "PENDING_SEAL"},
                "budget": {"timeout_sec": 3600},
                "null_pack": {"path": "./null_pack.jsonl", "sha256": "PENDING_SEAL", "rules": rules},
                "publish": {"min_n": 600, "min_n_negative": 240},
            }
        ),
        encoding="utf-8",
    )
    write_seal(root, prepare_seal(root, PROTOCOL_ID))
    for transcripts in sorted((PACK / "transcripts").glob("*.jsonl")):
        manifest = root / "contestants" / transcripts.stem / "manifest.yaml"
        manifest.parent.mkdir(parents=True)
        fields = {"route": transcripts.stem, "temperature": 0.0, "retry_limit": 0, "tool_whitelist": []}
        manifest.write_text(yaml_text({"schema": "agent-bench-manifest/v1", "channel": "scored", **fields}))
        score_handed_in(open_run(root, PROTOCOL_ID, manifest, needs_solver=False), transcripts)
    return root


def expected() -> dict[str, Any]:
    value: dict[str, Any] = json.loads((PACK / "expected.json").read_text(encoding="utf-8"))
    return value


def test_the_counts_are_exactly_those_expected(scored: Path) -> None:
    found = {
        report.manifest.route: {
            "ordinary": {name: count for name, count in report.card.ordinary.items() if count},
            "negative": {name: count for name, count in report.card.negative.items() if count},
        }
        for report in judge(scored, PROTOCOL_ID).reports
    }
    assert found == {name: part["counts"] for name, part in expected().items() if part["null_pack"] == "pass"}


def test_six_stand_in_one_table_with_wilson_intervals(scored: Path) -> None:
    reports = judge(scored, PROTOCOL_ID).reports
    assert len(reports) == 6
    assert {(report.card.success.n, report.card.abstention.n) for report in reports} == {(600, 240)}
    assert {report.card.success.interval.method for report in reports} == {"wilson"}
    assert {report.level for report in reports} == {"re-scored"}


def test_the_model_whose_null_pack_fails_has_no_number_anywhere(scored: Path) -> None:
    (name,) = [name for name, part in expected().items() if part["null_pack"] == "fail"]
    (run,) = judge(scored, PROTOCOL_ID).refused
    assert (run.route, [refusal.slug for refusal in run.refusals]) == (name, ["null-pack-failed"])
    folder = scored / "reports" / PROTOCOL_ID / run.run_id
    assert not (folder / "report.json").exists()
    written = [path for path in folder.rglob("*") if path.is_file() and path.name != "transcripts.jsonl"]
    written += [scored / "reports" / PROTOCOL_ID / "ledger" / f"{digest}.json" for digest, _ in run.events]
    success = expected()[name]["counts"]["ordinary"]["success"]
    for path in written:
        text = path.read_text(encoding="utf-8")
        figures = rf"\bmean\b|_rate\b|\b{success}/600|\b0\.{round(success / 0.6):03}"
        assert not re.search(figures, text.replace(name, ""))
