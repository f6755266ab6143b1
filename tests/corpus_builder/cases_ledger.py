"""Cases of the ledger: something was left out, cut off or rewritten, or an honest end."""

from __future__ import annotations

import shutil

from sitegen.harness.opening import open_run
from sitegen.harness.records import end_open_run, withdraw
from tests.corpus_builder.base import PROTOCOL_ID
from tests.corpus_builder.registry import case
from tests.corpus_builder.site import Site
from tests.sites import make_contestant, make_run


@case("ledger-start-missing", "no-start")
def _(site: Site) -> None:
    """A scored report has neither start nor end in the ledger."""
    for kind in ("end", "start"):
        site.event_file(kind).unlink()


@case("ledger-start-missing", "other-start")
def _(site: Site) -> None:
    """The report names another start than the ledger has of its run."""
    site.report(lambda value: value.update(start_sha256="0" * 64))


@case("ledger-start-missing", "unannounced-folder")
def _(site: Site) -> None:
    """A second folder lies among the runs that was never started."""
    shutil.copytree(site.run / "solver", site.reports / "2026-11-30-beta-1-0-000009" / "solver")


@case("ledger-broken", "edited-event")
def _(site: Site) -> None:
    """The end event was edited under its old name."""
    path = site.event_file("end")
    path.write_bytes(path.read_bytes().replace(b"T09:", b"T10:"))


@case("ledger-broken", "renamed-event")
def _(site: Site) -> None:
    """An event is named by another digest than its own."""
    path = site.event_file("end")
    path.rename(path.with_name("5" * 64 + ".json"))


@case("ledger-broken", "event-in-a-folder")
def _(site: Site) -> None:
    """An event lies in a folder below the ledger."""
    path = site.event_file("end")
    (site.ledger / "old").mkdir()
    path.rename(site.ledger / "old" / path.name)


@case("ledger-broken", "parent-gone")
def _(site: Site) -> None:
    """The start was deleted, though the end names it as its parent."""
    site.event_file("start").unlink()


@case("ledger-broken", "seal-names-what-is-gone")
def _(site: Site) -> None:
    """The seal names a parent that is not there: the ledger is longer than what is left of it."""
    site.rebind(seal=lambda event: event.update(parents=["7" * 64]))


@case("ledger-broken", "two-ends")
def _(site: Site) -> None:
    """One run ended twice, each time with the same report."""
    site.append({**site.events["end"], "parents": [site.event_file("end").stem], "time": "2026-11-30T11:00:00Z"})


@case("ledger-broken", "two-starts")
def _(site: Site) -> None:
    """One run was started twice."""
    site.append({**site.events["start"], "parents": [site.event_file("end").stem], "time": "2026-11-30T11:00:00Z"})


@case("ledger-broken", "end-contradicts-start")
def _(site: Site) -> None:
    """The end names another manifest than the start of its run."""
    site.rebind(end=lambda event: event.update(manifest_sha256="6" * 64))


@case("ledger-broken", "end-without-start")
def _(site: Site) -> None:
    """The ledger ends a run that it never started."""
    event = {**site.events["end"], "run_id": "2026-11-30-beta-1-0-000009"}
    site.append({**event, "parents": [site.event_file("end").stem]})


@case("ledger-broken", "withdrawal-without-start")
def _(site: Site) -> None:
    """The ledger withdraws a run that it never started."""
    parents = [site.event_file("end").stem]
    event = {name: site.events["seal"][name] for name in ("protocol_sha256", "time")}
    site.append(
        {**event, "event": "withdraw", "run_id": "2026-11-30-beta-1-0-000009", "reason": "none", "parents": parents}
    )


@case("ledger-broken", "report-without-end")
def _(site: Site) -> None:
    """A report stands there, but the ledger does not know that its run ended."""
    site.event_file("end").unlink()


@case("ledger-broken", "report-after-another-end")
def _(site: Site) -> None:
    """A report stands there, though the ledger says that its run ended without one."""
    site.rebind(end=lambda event: (event.pop("report_sha256"), event.update(reason="the endpoint went away")))


@case("ledger-unpublished", "report-deleted")
def _(site: Site) -> None:
    """The ledger says that the run ended with a report, but the report is gone."""
    (site.run / "report.json").unlink()


@case("ledger-unpublished", "run-deleted")
def _(site: Site) -> None:
    """The ledger says that the run ended with a report, but its whole folder is gone."""
    shutil.rmtree(site.run)


@case("report-duplicate", "same-transcripts")
def _(site: Site) -> None:
    """A second run was closed with the very transcripts of the first."""
    tasks = ("NP-PASS", "NP-FAIL", "NP-REFUSE", "T-001", "T-002", "T-003", "N-001")
    same = {task_id: {"wall_clock_sec": 0.1} for task_id in tasks}
    make_run(site.root, PROTOCOL_ID, "alpha", wrong=("T-002",), rows=same, unasked=True)
    shutil.rmtree(site.root / "contestants")


@case("run-open", "started", code=0)
def _(site: Site) -> None:
    """A second run was started and has no end yet."""
    open_run(site.root, PROTOCOL_ID, make_contestant(site.root, "beta"))
    shutil.rmtree(site.root / "contestants")


@case("run-ended", "given-up", code=0)
def _(site: Site) -> None:
    """A second run was ended without a report, with a reason."""
    opened = open_run(site.root, PROTOCOL_ID, make_contestant(site.root, "beta"))
    shutil.rmtree(site.root / "contestants")
    end_open_run(site.root, opened.run_id, "the endpoint was switched off")


@case("report-withdrawn", "with-a-reason", code=0)
def _(site: Site) -> None:
    """The owner withdrew the report."""
    withdraw(site.root, site.run.name, "the wrong model was served")
