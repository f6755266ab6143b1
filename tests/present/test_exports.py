from __future__ import annotations

import csv
import dataclasses
import io
import json

from sitegen.present.exports import protocol_csv, records_of, reports_json
from sitegen.present.summary import summarise
from sitegen.verify.verified import VerifiedUnit


def test_each_record_is_a_whole_scorecard_and_no_refused_run_is_there(unit: VerifiedUnit) -> None:
    page = b"".join(reports_json([records_of(summarise(unit))]))
    records = json.loads(page)["reports"]
    assert len(records) == len(unit.reports)
    for record in records:
        for name in ("task_success", "abstention_accuracy", "invalid_completion", "false_abstention"):
            assert set(record[name]) == {"k", "n", "rate", "low", "high", "level", "method"}
        assert {"retries", "tool_calls", "wall_clock_sec"} == set(record["covariates"])
    for run in unit.refused:
        assert run.run_id.encode() not in page


def test_the_table_holds_the_same_numbers(unit: VerifiedUnit) -> None:
    summary = summarise(unit)
    rows = list(csv.DictReader(io.StringIO(protocol_csv(summary).data.decode())))
    assert [row["run_id"] for row in rows] == [report.run_id for report in summary.reports]
    for row, report in zip(rows, summary.reports, strict=True):
        assert int(row["task_success_k"]) == report.card.success.k
        assert float(row["abstention_accuracy_ci95_high"]) == report.card.abstention.stated[1]
        assert None not in row.values()


def test_a_spreadsheet_runs_nothing(unit: VerifiedUnit) -> None:
    summary = summarise(unit)
    evil = dataclasses.replace(summary.reports[0], route="=HYPERLINK(1)")
    text = protocol_csv(dataclasses.replace(summary, reports=(evil,))).data.decode()
    assert "'=HYPERLINK(1)" in text
