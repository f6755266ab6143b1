"""The one place that reads the wall clock."""

from __future__ import annotations

import time

import pytest

from sitegen.harness.clock import now
from sitegen.read.schema import Time, find_faults


def test_a_time_has_the_one_form_that_times_have() -> None:
    assert find_faults(now(), Time, "x") == []


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process cannot be changed here")
def test_a_time_is_in_utc_whatever_the_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = now()
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        assert before[:13] == now()[:13] or before[14:16] == "59"  # the hour may just have turned
    finally:
        monkeypatch.undo()
        time.tzset()
