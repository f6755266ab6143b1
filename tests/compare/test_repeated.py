"""Repeated runs: all of them, never the best, at the effective number of tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.compare.groups import contestants_of
from sitegen.compare.repeated import repeated_runs
from sitegen.measure.clusters import effective_wilson
from sitegen.measure.intervals import wilson
from tests.sites import judge, make_protocol, make_run


def test_a_single_run_has_no_measured_noise(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1")
    (alone,) = contestants_of(judge(tmp_path, "demo.v1").reports)
    assert repeated_runs(alone) is None


@pytest.mark.parametrize(("ordinary", "negative"), [(20, 1), (1, 10), (1, 1)])
def test_repeated_runs_of_a_single_task_have_no_interval_and_no_rate(
    tmp_path: Path, ordinary: int, negative: int
) -> None:
    make_protocol(tmp_path, ordinary=ordinary, negative=negative)
    for _ in range(2):
        make_run(tmp_path, "demo.v1")
    (contestant,) = contestants_of(judge(tmp_path, "demo.v1").reports)
    assert repeated_runs(contestant) is None


def test_three_runs_give_one_rate_over_all_of_them(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    for wrong in (["T-001", "T-002"], ["T-001"], ["T-001", "T-003"]):
        make_run(tmp_path, "demo.v1", wrong=wrong)
    (contestant,) = contestants_of(judge(tmp_path, "demo.v1").reports)
    found = repeated_runs(contestant)
    assert found is not None
    success = found.rates["success"]
    assert (success.passes, success.tasks, success.runs) == (55, 20, 3)
    expected = effective_wilson([0, 2 / 3, 2 / 3] + [1] * 17, None, 3)
    assert (success.interval.low, success.interval.high) == (expected.low, expected.high)
    assert success.interval.high - success.interval.low > wilson(55, 60)[1] - wilson(55, 60)[0]
    assert [part.interval.mean for part in success.all_of] == pytest.approx([55 / 60, (17 + 2 / 3) / 20, 17 / 20])
    assert [part.interval.mean for part in success.any_of] == pytest.approx([55 / 60, 19 / 20, 19 / 20])
    assert success.rerun_sd == pytest.approx((2 * (2 / 3) * (1 / 3) * 3 / 2) ** 0.5 / 20)
    assert found.rates["invalid"].passes == 0
