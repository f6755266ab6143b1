"""Every stated number against the one that the rows give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from sitegen.read.protocol import Publish
from sitegen.verify.numbers import find_number_faults
from sitegen.verify.verified import VerifiedReport
from tests.sites import judge, make_protocol, make_run

PUBLISH = Publish(min_n=3, min_n_negative=1)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> VerifiedReport:
    root: Path = tmp_path_factory.mktemp("site")
    make_protocol(root, ordinary=3, negative=1)
    make_run(root, "demo.v1", wrong=("T-002",))
    return judge(root, "demo.v1").reports[0]


def slugs(held: VerifiedReport, publish: Publish = PUBLISH, **changes: Any) -> list[tuple[str, str]]:
    report = msgspec.structs.replace(held.report, **changes)
    return [(fault.slug, fault.path) for fault in find_number_faults(report, held.card, publish, "report.json")]


def test_what_the_scorer_wrote_is_what_the_rows_give(held: VerifiedReport) -> None:
    assert slugs(held) == []


@pytest.mark.parametrize("name", ["mean", "abstention_accuracy", "invalid_completion_rate", "false_abstention_rate"])
def test_each_rate_is_compared(name: str, held: VerifiedReport) -> None:
    right = getattr(held.report, name)
    assert slugs(held, **{name: 0.4321}) == [("rate-mismatch", f"/{name}")]
    near = right + 0.0001 if right < 1 else right - 0.0001
    assert slugs(held, **{name: near}) == [("rate-rounding", f"/{name}")]


@pytest.mark.parametrize("name", ["ci95", "abstention_ci95", "invalid_completion_ci95", "false_abstention_ci95"])
def test_each_interval_is_compared(name: str, held: VerifiedReport) -> None:
    low, high = getattr(held.report, name)
    assert slugs(held, **{name: (low, high + 0.0001)}) == [("interval-mismatch", f"/{name}")]
    assert slugs(held, **{name.replace("ci95", "ci95_method"): "normal"}) == [
        ("interval-mismatch", f"/{name.replace('ci95', 'ci95_method')}")
    ]


def test_sizes_and_floors_are_compared(held: VerifiedReport) -> None:
    assert slugs(held, n=4) == [("count-mismatch", "/n")]
    assert slugs(held, n=2) == [("count-mismatch", "/n"), ("below-min-n", "/n")]
    assert slugs(held, Publish(min_n=40, min_n_negative=10)) == [("below-min-n", "/n"), ("below-min-n", "/n_negative")]


def test_every_bucket_and_covariate_is_compared(held: VerifiedReport) -> None:
    for kind in ("ordinary", "negative"):
        part = getattr(held.report.counts, kind)
        for bucket in part.__struct_fields__:
            wrong = msgspec.structs.replace(part, **{bucket: getattr(part, bucket) + 1})
            counts = msgspec.structs.replace(held.report.counts, **{kind: wrong})
            assert slugs(held, counts=counts) == [("count-mismatch", f"/counts/{kind}/{bucket}")]
    for name in ("retries", "tool_calls", "wall_clock_sec"):
        part = getattr(held.report.covariates, name)
        for field in part.__struct_fields__:
            wrong = msgspec.structs.replace(part, **{field: {} if field == "table" else 99})
            covariates = msgspec.structs.replace(held.report.covariates, **{name: wrong})
            assert slugs(held, covariates=covariates) == [("covariate-mismatch", f"/covariates/{name}/{field}")]


def test_without_rows_the_method_and_the_floors_are_left(held: VerifiedReport) -> None:
    report = msgspec.structs.replace(held.report, ci_method="bootstrap", n=2, mean=0.1)
    found = find_number_faults(report, None, PUBLISH, "report.json")
    assert [(fault.slug, fault.path) for fault in found] == [("interval-method", "/ci_method"), ("below-min-n", "/n")]


def test_the_method_is_the_sealed_one(held: VerifiedReport) -> None:
    assert slugs(held, ci_method="bootstrap") == [("interval-method", "/ci_method")]


def test_numbers_are_shown_as_a_report_writes_them(held: VerifiedReport) -> None:
    report = msgspec.structs.replace(held.report, bootstrap_ci95=(0.1, 0.2), ci95=(0.0, 1.0))
    found = {fault.path: fault for fault in find_number_faults(report, held.card, PUBLISH, "report.json")}
    low, high = held.report.ci95
    assert (found["/ci95"].expected, found["/ci95"].found) == (f"[{low}, {high}]", "[0.0, 1.0]")
    covariates = msgspec.structs.replace(
        held.report.covariates, retries=msgspec.structs.replace(held.report.covariates.retries, total=None)
    )
    report = msgspec.structs.replace(held.report, covariates=covariates)
    (fault,) = find_number_faults(report, held.card, PUBLISH, "report.json")
    assert (fault.expected, fault.found) == ("0", "null")
