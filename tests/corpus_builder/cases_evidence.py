"""Cases of drift and evidence: bytes that are not the sealed ones, or that do not carry the claim."""

from __future__ import annotations

import shutil

from sitegen.digests import canonical_json, sha256
from sitegen.harness.records import withdraw
from sitegen.harness.yaml_text import yaml_text
from tests.corpus_builder.registry import case
from tests.corpus_builder.site import Object, Site

OTHER_METRIC = "\n\ndef helper() -> None:\n    pass\n"


@case("dataset-drift", "answer-changed")
def _(site: Site) -> None:
    """One answer of the dataset was changed after the seal."""
    site.replace(site.protocol / "tasks.jsonl", '"oracle": "2"', '"oracle": "wrong"')


@case("dataset-drift", "crlf")
def _(site: Site) -> None:
    """A checkout gave the dataset other line ends."""
    path = site.protocol / "tasks.jsonl"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


@case("dataset-drift", "report-of-another-dataset")
def _(site: Site) -> None:
    """The report names another dataset than the sealed one."""
    site.report(lambda value: value["digests"].update(dataset="0" * 64))


@case("dataset-drift", "document-states-another")
def _(site: Site) -> None:
    """The sealed document states another digest than the list of sealed files."""
    site.rebind(sealed=lambda value: value["dataset"].update(sha256="3" * 64))


@case("metric-drift", "edited")
def _(site: Site) -> None:
    """The metric was edited after the seal."""
    path = site.protocol / "metric.py"
    path.write_bytes(path.read_bytes() + OTHER_METRIC.encode())


@case("metric-drift", "report-of-another-metric")
def _(site: Site) -> None:
    """The report names another metric than the sealed one."""
    site.report(lambda value: value["digests"].update(metric="0" * 64))


@case("metric-drift", "document-states-another")
def _(site: Site) -> None:
    """The sealed document states another digest of the metric than the list of sealed files."""
    site.rebind(sealed=lambda value: value["metric"].update(sha256="3" * 64))


@case("null-pack-drift", "document-states-another")
def _(site: Site) -> None:
    """The sealed document states another digest of the null pack than the list of sealed files."""
    site.rebind(sealed=lambda value: value["null_pack"].update(sha256="3" * 64))


@case("null-pack-drift", "edited")
def _(site: Site) -> None:
    """The null pack was edited after the seal."""
    site.replace(site.protocol / "null_pack.jsonl", "Say yes.", "Say yes!")


@case("null-pack-drift", "report-of-another-null-pack")
def _(site: Site) -> None:
    """The report names another null pack than the sealed one."""
    site.report(lambda value: value["digests"].update(null_pack="0" * 64))


@case("file-drift", "draft")
def _(site: Site) -> None:
    """The draft was given a title after the seal."""
    path = site.protocol / "protocol.yaml"
    path.write_bytes(path.read_bytes() + b"# sealed in November\n")


@case("file-drift", "list-of-files")
def _(site: Site) -> None:
    """A line of the list of sealed files was edited."""
    site.replace(site.protocol / "protocol.sums", "metric.py", "metrics.py")


@case("file-drift", "what-the-metric-imports")
def _(site: Site) -> None:
    """A file that the metric may import was edited after the seal."""
    (site.protocol / "tables.py").write_bytes(b"TABLE = {1: 'one'}\n")
    site.rebind()
    (site.protocol / "tables.py").write_bytes(b"TABLE = {1: 'wrong'}\n")


@case("manifest-drift", "edited")
def _(site: Site) -> None:
    """The manifest was edited after the start: another retry limit is another experiment."""
    site.replace(site.run / "manifest.yaml", "retry_limit: 0", "retry_limit: 3")


@case("manifest-drift", "report-of-another-manifest")
def _(site: Site) -> None:
    """The report names another manifest than the start."""
    site.report(lambda value: value["digests"].update(manifest="0" * 64))


@case("evidence-missing", "transcripts")
def _(site: Site) -> None:
    """The transcripts were deleted."""
    (site.run / "transcripts.jsonl").unlink()


@case("evidence-missing", "manifest")
def _(site: Site) -> None:
    """The manifest was deleted."""
    (site.run / "manifest.yaml").unlink()


def judged(site: Site) -> None:
    """Let the protocol's metric be a judge."""
    site.draft(lambda value: value["metric"].update(deterministic=False))


@case("evidence-missing", "verdicts")
def _(site: Site) -> None:
    """The metric is a judge, but its verdicts were not kept."""
    judged(site)
    site.rebind()


@case("evidence-mismatch", "solver-edited")
def _(site: Site) -> None:
    """The solver was edited after the start."""
    path = site.run / "solver" / "solve.sh"
    path.write_bytes(path.read_bytes() + b"# tuned\n")


@case("evidence-mismatch", "solver-deleted")
def _(site: Site) -> None:
    """The solver was deleted, though its manifest does not withhold it."""
    shutil.rmtree(site.run / "solver")


@case(
    "evidence-mismatch",
    "transcripts-edited",
    "outcome-disagrees",
    "count-mismatch",
    "rate-mismatch",
    "interval-mismatch",
)
def _(site: Site) -> None:
    """A transcript was edited after the run, so that its task is no longer missed as the report says."""
    site.replace(site.run / "transcripts.jsonl", '"artifact":"wrong"', '"artifact":"2"')


@case("evidence-mismatch", "report-edited")
def _(site: Site) -> None:
    """The report was edited after the run, without changing what it says."""
    path = site.run / "report.json"
    path.write_bytes(path.read_bytes() + b"\n")


@case("evidence-mismatch", "other-artifact")
def _(site: Site) -> None:
    """The report states the digest of another artifact than the transcript holds."""
    site.report(lambda value: value["tasks"][0].update(artifact_sha256=sha256(b"else")))


@case("evidence-mismatch", "other-solver")
def _(site: Site) -> None:
    """The report names another solver than the start."""
    site.report(lambda value: value["digests"].update(solver="0" * 64))


@case("evidence-mismatch", "other-route")
def _(site: Site) -> None:
    """The report names another route than the manifest."""
    site.report(lambda value: value.update(route="beta-2.0"))


@case("evidence-mismatch", "transcripts-of-the-report")
def _(site: Site) -> None:
    """The report names other transcripts than the end event, which names those that are here."""
    site.report(lambda value: value["digests"].update(transcripts="0" * 64))


@case("evidence-mismatch", "transcripts-of-the-end")
def _(site: Site) -> None:
    """The end event names other transcripts than the report, which names those that are here."""
    site.rebind(end=lambda event: event.update(transcripts_sha256="0" * 64))


@case("evidence-mismatch", "route-of-the-start")
def _(site: Site) -> None:
    """The start names another route than the manifest that it locks, so the run would not be counted as one of it."""
    site.rebind(start=lambda event: event.update(route="beta-2.0"))


@case("evidence-mismatch", "unannounced-verdicts")
def _(site: Site) -> None:
    """A file of verdicts lies in the run, though the report does not state its digest."""
    (site.run / "verdicts.jsonl").write_bytes(b"")


def receipt(site: Site, **changes: str) -> bytes:
    """The receipt of a re-scoring of the base's run, with changes."""
    value: Object = {
        "schema": "agent-bench-receipt/v1",
        "run_id": site.run.name,
        "report_sha256": sha256((site.run / "report.json").read_bytes()),
        "metric_sha256": sha256((site.protocol / "metric.py").read_bytes()),
        "transcripts_sha256": sha256((site.run / "transcripts.jsonl").read_bytes()),
        "tool": "sitegen 0.1.0",
        "time": "2026-11-30T12:00:00Z",
    }
    return canonical_json({**value, **changes})


@case("evidence-mismatch", "receipt-of-another-report")
def _(site: Site) -> None:
    """The receipt of a re-scoring names another report."""
    (site.run / "receipt.json").write_bytes(receipt(site, report_sha256="4" * 64))


@case("evidence-unlisted", "stray-file")
def _(site: Site) -> None:
    """A file lies in the run's folder that the report does not account for."""
    (site.run / "scores.csv").write_bytes(b"task,score\n")


@case("evidence-mismatch", "edited-tombstone", "report-withdrawn")
def _(site: Site) -> None:
    """The tombstone of a withdrawn report gives another reason than the ledger."""
    withdraw(site.root, site.run.name, "the wrong model was served")
    site.replace(site.run / "withdrawn.yaml", "the wrong model was served", "a change of plan")


@case("evidence-unlisted", "stray-tombstone")
def _(site: Site) -> None:
    """A tombstone lies in the run's folder, though the ledger knows no withdrawal."""
    (site.run / "withdrawn.yaml").write_bytes(yaml_text({"run_id": site.run.name, "reason": "a mistake"}).encode())


@case("task-missing", "transcript")
def _(site: Site) -> None:
    """The missed task has no transcript, so it would leave the denominator."""
    site.transcripts(lambda rows: rows.remove(of(rows, "T-002")))
    site.rebind()


@case("task-missing", "row")
def _(site: Site) -> None:
    """The missed task has no row in the report."""
    site.report(lambda value: value["tasks"].pop(1))


@case("task-unknown", "transcript")
def _(site: Site) -> None:
    """A transcript is of a task that the sealed pack does not have."""
    site.transcripts(lambda rows: rows.append({**rows[-1], "task_id": "T-004"}))
    site.rebind()


@case("task-unknown", "row")
def _(site: Site) -> None:
    """A row is of a task that the sealed pack does not have."""
    site.report(lambda value: value["tasks"].append({**value["tasks"][0], "id": "T-004"}))


@case("outcome-duplicate", "transcript")
def _(site: Site) -> None:
    """A task has two transcripts."""
    site.transcripts(lambda rows: rows.append({**of(rows, "T-002"), "artifact": "2"}))
    site.rebind()


@case("outcome-duplicate", "row")
def _(site: Site) -> None:
    """A task has two rows."""
    site.report(lambda value: value["tasks"].append(value["tasks"][0]))


@case("outcome-unknown", "no-such-outcome")
def _(site: Site) -> None:
    """A row has an outcome that its slice does not have."""
    site.report(lambda value: value["tasks"][1].update(outcome="partial"))


def claim(value: Object, success: int, mean: float, ci95: list[float]) -> None:
    """Let the headline of a report say something else, consistently."""
    value.update(mean=mean, ci95=ci95)
    value["counts"]["ordinary"].update(success=success, miss=3 - success)


@case("outcome-disagrees", "one-row")
def _(site: Site) -> None:
    """A row says success, though its transcript does not pass the sealed metric."""
    site.report(lambda value: value["tasks"][1].update(outcome="success"))


@case("outcome-disagrees", "consistent-lie", "count-mismatch", "rate-mismatch", "interval-mismatch")
def _(site: Site) -> None:
    """A row says success falsely, and all numbers of the report follow from it."""

    def lie(value: Object) -> None:
        value["tasks"][1].update(outcome="success")
        claim(value, 3, 1.0, [0.4385, 1.0])

    site.report(lie)


@case("outcome-disagrees", "kind")
def _(site: Site) -> None:
    """A row says that a negative control is an ordinary task."""
    site.report(lambda value: value["tasks"][3].update(kind="ordinary"))


@case("outcome-disagrees", "timeout-as-miss", "count-mismatch", "covariate-mismatch")
def _(site: Site) -> None:
    """A transcript ran into the deadline, but its row says that the answer was wrong."""
    site.transcripts(lambda rows: of(rows, "T-002").update(status="timeout", artifact=None))
    site.rebind(report=lambda value: value["tasks"][1].pop("artifact_sha256"))


@case("abstention-disagrees", "row", "count-mismatch", "rate-mismatch", "interval-mismatch")
def _(site: Site) -> None:
    """A row says that a task was missed, though the solver abstained."""
    site.transcripts(lambda rows: of(rows, "T-002").update(abstained=True, artifact=None))
    site.rebind(report=lambda value: value["tasks"][1].pop("artifact_sha256"))


@case("abstention-disagrees", "unknown")
def _(site: Site) -> None:
    """A transcript of a scored run does not say whether the solver abstained."""
    site.transcripts(lambda rows: rows[-1].update(abstained=None))
    site.rebind()


@case("report-misplaced", "run-id")
def _(site: Site) -> None:
    """The report is of another run than its folder."""
    site.report(lambda value: value.update(run_id="2026-11-30-alpha-1-0-ffffff"))


@case("report-misplaced", "protocol-id")
def _(site: Site) -> None:
    """The report is of another protocol than its folder."""
    site.report(lambda value: value.update(protocol_id="demo.v2"))


@case("evidence-level", "metric-not-run")
def _(site: Site) -> None:
    """The protocol asks for re-scored reports, but its metric is not one that a build may run."""
    path = site.protocol / "metric.py"
    path.write_bytes(path.read_bytes() + OTHER_METRIC.encode())
    site.draft(lambda value: value["publish"].update(require_level="re-scored"))
    site.rebind()


def of(rows: list[Object], task_id: str) -> Object:
    """The row of one task."""
    return next(row for row in rows if row["task_id"] == task_id)
