"""How the run was done: channel, route, order in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.corpus_builder.site import Site
from tests.sites import judge, make_protocol, make_run


@pytest.fixture
def site(tmp_path: Path) -> Site:
    make_protocol(tmp_path, ordinary=3, negative=1)
    make_run(tmp_path, "demo.v1", served_as=["alpha-1.0", "alpha-1.0-eu"])
    return Site(tmp_path)


def slugs(site: Site, **changes: Any) -> set[str]:
    site.transcripts(lambda rows: rows[-1].update(changes))
    site.rebind()
    return {refusal.slug for refusal in judge(site.root, "demo.v1").all_refusals}


@pytest.mark.parametrize(("started", "stated"), [("scored", "exploratory"), ("exploratory", "scored")])
def test_the_channel_is_the_one_that_the_run_was_started_in(started: str, stated: str, site: Site) -> None:
    """A rehearsal is not published, and a scored run that went badly is not hidden as a rehearsal."""
    site.rebind(
        start=lambda event: event.update(channel=started),
        report=lambda value: value.update(channel=stated),
    )
    (refusal,) = judge(site.root, "demo.v1").all_refusals
    assert (refusal.slug, refusal.path, refusal.expected) == ("channel-relabelled", "/channel", started)
    assert refusal.found == f"{stated}, though the ledger says {started}"
    assert ("withdrawn" in (refusal.hint or "")) == (stated == "exploratory")


def test_a_run_that_says_it_is_a_rehearsal_is_held_to_all_that_a_scored_one_is(site: Site) -> None:
    site.report(lambda value: value.update(channel="exploratory", mean=0.5))
    assert {refusal.slug for refusal in judge(site.root, "demo.v1").all_refusals} == {
        "channel-relabelled",
        "rate-mismatch",
    }


def test_a_route_may_answer_under_the_names_it_is_served_as(site: Site) -> None:
    assert slugs(site, route="alpha-1.0-eu") == set()
    assert slugs(site, route="alpha-1.0-us") == {"route-changed"}


def test_a_route_is_unknown_only_where_nothing_answered(site: Site) -> None:
    assert slugs(site, route=None) == {"route-unnamed"}
    assert "route-unnamed" not in slugs(site, route=None, status="error")


def test_times_are_claims_that_may_not_contradict_each_other(site: Site) -> None:
    start = site.events["start"]["time"]
    assert slugs(site, started=start) == set()
    assert slugs(site, started="2020-01-01T00:00:00Z") == {"time-order"}
    site.transcripts(lambda rows: rows[0].update(started="2099-01-01T00:00:00Z"))
    assert slugs(site, started="2098-01-01T00:00:00Z") == {"null-pack-late"}


def test_without_a_start_no_time_is_before_it(site: Site) -> None:
    """That the start is missing is the fault, and no other hides behind it."""
    site.transcripts(lambda rows: rows[0].update(started="2098-01-01T00:00:01Z"))
    assert slugs(site, started="2098-01-01T00:00:00Z") == {"null-pack-late"}
    site.event_file("end").unlink()
    site.event_file("start").unlink()
    found = {refusal.slug for refusal in judge(site.root, "demo.v1").all_refusals}
    assert found == {"ledger-start-missing", "null-pack-late"}


def test_a_null_row_and_a_task_may_start_in_the_same_second(site: Site) -> None:
    site.transcripts(lambda rows: [row.update(started="2099-01-01T00:00:00Z") for row in rows])
    assert slugs(site) == set()


def test_rows_of_the_null_pack_answer_under_the_same_names(site: Site) -> None:
    site.transcripts(lambda rows: [row.update(route="beta-1.0") for row in rows if row["pack"] == "null_pack"])
    assert slugs(site) == {"route-changed"}


def test_a_row_of_the_null_pack_starts_after_the_run(site: Site) -> None:
    """Also where no task says when it began."""
    site.transcripts(lambda rows: [row.update(started="2020-01-01T00:00:00Z") for row in rows[:1]])
    assert slugs(site) == {"time-order"}


def test_a_start_need_not_name_the_route(site: Site) -> None:
    site.rebind(start=lambda event: event.pop("route"))
    assert not judge(site.root, "demo.v1").all_refusals
    site.rebind(start=lambda event: event.update(route="beta-1.0"))
    assert {refusal.slug for refusal in judge(site.root, "demo.v1").all_refusals} == {"evidence-mismatch"}


def test_times_in_order_are_no_fault(site: Site) -> None:
    """Every row of the null pack, and then every task, a second after the one before."""

    def times(rows: list[Any]) -> None:
        for number, row in enumerate(sorted(rows, key=lambda row: row["pack"], reverse=True)):
            row["started"] = f"2099-01-01T00:00:{number:02}Z"

    site.transcripts(times)
    assert slugs(site) == set()
