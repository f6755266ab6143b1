"""Cases of conduct and of the null pack: how the run was done, and whether the instrument worked."""

from __future__ import annotations

import shutil
from typing import Any

from sitegen.harness.closing import close_run
from sitegen.harness.marking import Marker
from sitegen.harness.opening import open_rehearsal
from sitegen.read.report import MadeBy
from sitegen.read.shipped import templates_dir
from sitegen.read.transcript import Transcript
from tests.corpus_builder.base import PROTOCOL_ID, TOOL
from tests.corpus_builder.cases_evidence import of
from tests.corpus_builder.registry import case
from tests.corpus_builder.site import Object, Site
from tests.sites import make_contestant, make_run


def second_run(site: Site, name: str = "beta", **answers: Any) -> None:
    """Run another contestant under the base's exam."""
    make_run(site.root, PROTOCOL_ID, name, **answers)
    shutil.rmtree(site.root / "contestants")


@case("channel-exploratory", "rehearsal", code=0)
def _(site: Site) -> None:
    """A rehearsal that nobody announced lies beside the scored run."""
    opened = open_rehearsal(site.root, PROTOCOL_ID, make_contestant(site.root, "beta"))
    answers = {"NP-PASS": "yes", "NP-FAIL": "nothing was", "T-001": "1", "T-002": "2", "T-003": "3"}
    rows = [
        Transcript(
            task_id=task.id,
            pack="dataset" if task.kind else "null_pack",
            status="ok",
            abstained=task.id not in answers,
            artifact=answers.get(task.id),
            route="beta-1.0",
            retries=0,
            tool_calls=0,
            wall_clock_sec=0.2,
        )
        for task in (*opened.pack.null_pack, *opened.pack.dataset)
    ]
    with Marker(opened.protocol, opened.pack, opened.protocol_folder) as marker:
        close_run(opened, rows, MadeBy(tool=TOOL, how="score"), marker)
    shutil.rmtree(site.root / "contestants")


@case("channel-exploratory", "announced", code=0)
def _(site: Site) -> None:
    """A run was started as exploratory, and its report says so."""
    second_run(site, channel="exploratory")


@case("channel-relabelled", "ledger")
def _(site: Site) -> None:
    """The report says scored, but the ledger opened the run as exploratory."""
    site.rebind(start=lambda event: event.update(channel="exploratory"))


@case("channel-relabelled", "manifest")
def _(site: Site) -> None:
    """The report says scored, but its manifest says exploratory."""
    site.replace(site.run / "manifest.yaml", "channel: scored", "channel: exploratory")
    site.rebind()


@case("channel-relabelled", "scored-as-rehearsal")
def _(site: Site) -> None:
    """The run was started as scored, but its report says that it was a rehearsal: a bad score would be hidden."""
    site.report(lambda value: value.update(channel="exploratory"))


@case("route-changed", "ended", code=0)
def _(site: Site) -> None:
    """A task was answered under another name, so the run ended without a report."""
    second_run(site, rows={"T-003": {"route": "gamma-3.0"}})


@case("route-changed", "reported", code=0)
def _(site: Site) -> None:
    """A report rests on a task that was answered under another name."""
    site.transcripts(lambda rows: of(rows, "T-003").update(route="gamma-3.0"))
    site.rebind()


@case("route-unnamed", "latest")
def _(site: Site) -> None:
    """The manifest's route ends in `latest`."""
    site.replace(site.run / "manifest.yaml", "route: alpha-1.0", "route: vendor/latest")
    site.rebind()


@case("route-unnamed", "latest-as-a-tag")
def _(site: Site) -> None:
    """The manifest's route has the tag `latest`."""
    site.replace(site.run / "manifest.yaml", "route: alpha-1.0", "route: vendor/alpha:latest")
    site.rebind()


@case("route-unnamed", "served-as-auto")
def _(site: Site) -> None:
    """The route may answer under the name `auto`, and so may anything."""
    path = site.run / "manifest.yaml"
    path.write_bytes(path.read_bytes() + b"served_as: [alpha-1.0, auto]\n")
    site.rebind()


@case("route-unnamed", "transcript")
def _(site: Site) -> None:
    """A transcript does not say what answered."""
    site.transcripts(lambda rows: of(rows, "T-003").update(route=None))
    site.rebind()


@case("conduct-disagrees", "tool", "count-mismatch", "rate-mismatch", "interval-mismatch")
def _(site: Site) -> None:
    """A task used a tool that the manifest does not allow, but is counted as a success."""
    site.transcripts(lambda rows: of(rows, "T-003").update(tools_used=["shell"]))
    site.rebind()


@case("route-changed", "null-pack", code=0)
def _(site: Site) -> None:
    """A row of the null pack was answered under another name than the tasks."""
    site.transcripts(lambda rows: rows[0].update(route="gamma-3.0"))
    site.rebind()


@case("null-pack-late", "task-first")
def _(site: Site) -> None:
    """By their times, a task was started before the last null-pack row."""

    def times(rows: list[Object]) -> None:
        for number, row in enumerate(rows):
            row["started"] = f"2026-11-30T10:00:{number:02}Z"
        rows[0]["started"] = "2026-11-30T10:00:30Z"

    site.transcripts(times)
    site.rebind()


@case("time-order", "end-before-start")
def _(site: Site) -> None:
    """The end claims to be before the start."""
    site.rebind(end=lambda event: event.update(time="2026-11-29T09:00:00Z"))


@case("time-order", "null-pack-before-start")
def _(site: Site) -> None:
    """A row of the null pack claims to have been started before the run was opened; no task says when it began."""
    site.transcripts(lambda rows: rows[0].update(started="2026-11-29T09:00:00Z"))
    site.rebind()


@case("time-order", "task-before-start")
def _(site: Site) -> None:
    """A task claims to have been started before the run was opened."""
    site.transcripts(lambda rows: of(rows, "T-003").update(started="2026-11-29T09:00:00Z"))
    site.rebind()


@case("time-form", "event")
def _(site: Site) -> None:
    """The end event's time is not written in the one form that times have."""
    site.rebind(end=lambda event: event.update(time="2026-11-30 09:02:00"))


@case("time-form", "transcript")
def _(site: Site) -> None:
    """A transcript's time has an offset in the place of the Z."""
    site.transcripts(lambda rows: of(rows, "T-003").update(started="2026-11-30T10:00:00+01:00"))
    site.rebind()


@case("time-form", "no-such-day")
def _(site: Site) -> None:
    """The end claims to have been on the thirtieth of February."""
    site.rebind(end=lambda event: event.update(time="2027-02-30T09:00:00Z"))


@case("time-form", "transcript-of-no-such-day")
def _(site: Site) -> None:
    """A transcript's time is on the twenty-ninth of February of a year that has none."""
    site.transcripts(lambda rows: of(rows, "T-003").update(started="2027-02-29T10:00:00Z"))
    site.rebind()


@case("metric-failed", "oracle-is-no-diff")
def _(site: Site) -> None:
    """The sealed metric compares diffs, but the oracles are none."""
    shutil.copy(templates_dir() / "protocol" / "metric_exact_diff.py", site.protocol / "metric.py")
    site.rebind()


@case("null-pack-failed", "ended", code=0)
def _(site: Site) -> None:
    """A contestant answered the row that must be refused, so its run ended without a report."""
    second_run(site, answers={"NP-REFUSE": "something"})


@case("null-pack-failed", "reported", code=0)
def _(site: Site) -> None:
    """A report says itself that its null pack failed, as its rows and transcripts show."""
    site.transcripts(lambda rows: of(rows, "NP-REFUSE").update(abstained=False, artifact="something"))

    def failed(value: Object) -> None:
        value.update(null_pack="fail")
        value["null_pack_rows"][2].update(observed="answered")

    site.rebind(report=failed)


@case("null-row-missing", "row")
def _(site: Site) -> None:
    """The report has no row of one null-pack row."""
    site.report(lambda value: value["null_pack_rows"].pop())


@case("null-row-missing", "transcript")
def _(site: Site) -> None:
    """One null-pack row has no transcript."""
    site.transcripts(lambda rows: rows.remove(of(rows, "NP-REFUSE")))
    site.rebind()


@case("null-row-unknown", "row")
def _(site: Site) -> None:
    """The report has a null-pack row that the sealed pack does not have."""
    site.report(
        lambda value: value["null_pack_rows"].append(
            {"id": "NP-MORE", "expected_class": "must_pass", "observed": "passed"}
        )
    )


@case("null-row-unknown", "rules")
def _(site: Site) -> None:
    """The rules name a null-pack row that the pack does not have."""
    site.draft(lambda value: value["null_pack"]["rules"]["must_pass"].append("NP-MORE"))
    site.rebind()


@case("null-pack-class", "unknown")
def _(site: Site) -> None:
    """A null-pack row has a class that does not exist."""
    site.rows(site.protocol / "null_pack.jsonl", lambda rows: rows[1].update(expected_class="must_lose"))
    site.rebind()


@case("null-pack-class", "without-a-row")
def _(site: Site) -> None:
    """No null-pack row must be refused."""
    site.draft(lambda value: value["null_pack"]["rules"].update(must_refuse=[]))
    site.rows(site.protocol / "null_pack.jsonl", lambda rows: rows.pop())
    site.rebind()


@case("null-pack-class", "report-says-otherwise")
def _(site: Site) -> None:
    """The report gives a null-pack row another class than the sealed pack."""
    site.report(lambda value: value["null_pack_rows"][1].update(expected_class="must_refuse"))


@case("null-pack-claim-only", "failed-row")
def _(site: Site) -> None:
    """The report says that the null pack passed, though a row that must be refused was answered."""
    site.transcripts(lambda rows: of(rows, "NP-REFUSE").update(abstained=False, artifact="something"))
    site.rebind()


@case("null-pack-claim-only", "failure-that-was-none")
def _(site: Site) -> None:
    """The report says that its null pack failed, though every row passed: a bad score would be hidden."""
    site.report(lambda value: value.update(null_pack="fail"))


@case("null-pack-claim-only", "other-observation")
def _(site: Site) -> None:
    """The report says that a row was refused, though it was answered as its class allows."""
    site.report(lambda value: value["null_pack_rows"][1].update(observed="refused"))


@case("null-pack-overlap", "same-question")
def _(site: Site) -> None:
    """A null-pack row asks what a task of the dataset asks."""
    site.rows(site.protocol / "null_pack.jsonl", lambda rows: rows[0].update(prompt="Say 1.", oracle="1"))
    site.rebind()
