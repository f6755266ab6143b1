"""Cases of reading: files that may not be opened, or are not what their format says."""

from __future__ import annotations

import json
import shutil
from unittest import mock

from sitegen.digests import sha256
from sitegen.harness import opening
from tests.corpus_builder.base import PROTOCOL_ID
from tests.corpus_builder.registry import CHECK, case
from tests.corpus_builder.site import Site
from tests.sites import make_run


@case("path-unsafe", "link-in-protocol")
def _(site: Site) -> None:
    """A symbolic link lies among the sealed files."""
    (site.protocol / "more.jsonl").symlink_to("tasks.jsonl")


@case("path-unsafe", "report-is-a-link")
def _(site: Site) -> None:
    """The report is a symbolic link to a file elsewhere in the site."""
    (site.run / "report.json").rename(site.root / "elsewhere.json")
    (site.run / "report.json").symlink_to("../../../elsewhere.json")


@case("path-unsafe", "name-with-a-space")
def _(site: Site) -> None:
    """A file of the run has a name outside the safe grammar."""
    (site.run / "solver" / "solve copy.sh").write_bytes(b"exit 0\n")


@case("path-unsafe", "dataset-climbs", command=CHECK)
def _(site: Site) -> None:
    """The draft takes its dataset from above its own folder."""
    site.draft(lambda value: value["dataset"].update(path="../tasks.jsonl"))


@case("path-unsafe", "absolute-metric", command=CHECK)
def _(site: Site) -> None:
    """The draft takes its metric from an absolute path."""
    site.draft(lambda value: value["metric"].update(module="/usr/bin/metric.py"))


@case("path-unsafe", "reserved-name")
def _(site: Site) -> None:
    """A sealed file stands where a published site puts its own list of digests."""
    (site.protocol / "SHA256SUMS").write_bytes(b"")
    site.rebind()


@case("path-unsafe", "oracle-climbs")
def _(site: Site) -> None:
    """A task's oracle lies above the protocol's folder."""
    (site.protocol / "three.txt").write_bytes(b"3")
    site.draft(lambda value: (value["dataset"].update(oracle="path"), value["null_pack"].update(oracle="inline")))
    site.rows(site.protocol / "tasks.jsonl", lambda rows: [row.update(oracle="../../three.txt") for row in rows[:3]])
    site.rebind()


@case("path-unsafe", "files-in-each-others-way", command=CHECK)
def _(site: Site) -> None:
    """A task gives its solver two files whose names differ in case only, and one that is the folder of another."""
    files = {"notes.txt": "1", "NOTES.txt": "2", "data": "3", "data/more.txt": "4"}
    site.rows(site.protocol / "tasks.jsonl", lambda rows: rows[0].update(files=files))


@case("path-unsafe", "run-with-the-name-of-a-page")
def _(site: Site) -> None:
    """The ledger was made by hand, and gives a run the name of a page of its protocol."""
    with mock.patch.object(opening, "new_run_id", return_value="index.html"):
        make_run(site.root, PROTOCOL_ID, "beta", wrong=("T-001",), unasked=True)
    shutil.rmtree(site.root / "contestants")


@case("file-missing", "sealed-file")
def _(site: Site) -> None:
    """The sealed metric was deleted."""
    (site.protocol / "metric.py").unlink()


@case("file-missing", "dataset-of-a-draft", command=CHECK)
def _(site: Site) -> None:
    """The draft names a dataset that is not there."""
    site.draft(lambda value: value["dataset"].update(path="./tasks_v2.jsonl"))


@case("file-missing", "metric-of-a-draft", command=CHECK)
def _(site: Site) -> None:
    """The draft names a metric that is not there."""
    site.draft(lambda value: value["metric"].update(module="./metric_v2.py"))


@case("file-missing", "file-of-a-task", command=CHECK)
def _(site: Site) -> None:
    """A task names a file for its solver that is not there."""
    site.rows(site.protocol / "tasks.jsonl", lambda rows: rows[0].update(files=["data.txt"]))


@case("file-missing", "notes-for-a-solver", command=CHECK)
def _(site: Site) -> None:
    """A task names the owner's notes for its solver, which the seal does not cover."""
    (site.protocol / "notes.md").write_bytes(b"Notes.\n")
    site.rows(site.protocol / "tasks.jsonl", lambda rows: rows[0].update(files=["notes.md"]))


@case("file-missing", "folder-without-a-draft")
def _(site: Site) -> None:
    """A protocol's folder holds no protocol.yaml and was never sealed."""
    folder = site.root / "protocols" / "other.v1"
    folder.mkdir()
    (folder / "tasks.jsonl").write_bytes(b"")


@case("file-unlisted", "in-a-sealed-protocol")
def _(site: Site) -> None:
    """A file was added to a sealed protocol."""
    (site.protocol / "tasks_more.jsonl").write_bytes(b"")


@case("file-unlisted", "beside-the-protocols")
def _(site: Site) -> None:
    """A file lies directly in protocols/."""
    (site.root / "protocols" / "readme.txt").write_bytes(b"notes\n")


@case("file-unlisted", "beside-the-runs")
def _(site: Site) -> None:
    """A file lies directly in a protocol's folder of reports."""
    (site.reports / "summary.csv").write_bytes(b"run,mean\n")


@case("text-encoding", "crlf-manifest")
def _(site: Site) -> None:
    """The manifest has carriage returns."""
    path = site.run / "manifest.yaml"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    site.rebind()


@case("text-encoding", "bom-in-dataset")
def _(site: Site) -> None:
    """The dataset begins with a byte-order mark."""
    path = site.protocol / "tasks.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    site.rebind()


@case("text-encoding", "crlf-report")
def _(site: Site) -> None:
    """The report ends its line with a carriage return."""
    site.raw_report(lambda data: data.replace(b"\n", b"\r\n"))


@case("text-encoding", "latin-1-transcripts")
def _(site: Site) -> None:
    """The transcripts hold a byte that is not UTF-8."""
    path = site.run / "transcripts.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"wrong"', b'"wr\xf6ng"'))
    site.rebind()


@case("json-malformed", "nan")
def _(site: Site) -> None:
    """The report's mean is NaN."""
    site.raw_report(lambda data: data.replace(b'"mean":0.6667', b'"mean":NaN'))


@case("json-malformed", "big-integer")
def _(site: Site) -> None:
    """A transcript has an integer that readers do not keep exactly."""
    path = site.run / "transcripts.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"retries":0', b'"retries":9007199254740993', 1))
    site.rebind()


@case("json-malformed", "negative-zero")
def _(site: Site) -> None:
    """The report's mean is negative zero."""
    site.raw_report(lambda data: data.replace(b'"mean":0.6667', b'"mean":-0'))


@case("json-malformed", "too-deep")
def _(site: Site) -> None:
    """A task's prompt is nested a hundred and one times."""
    deep = b"[" * 101 + b"]" * 101
    path = site.protocol / "tasks.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"Say 3."', deep))
    site.rebind()


@case("json-malformed", "lone-surrogate")
def _(site: Site) -> None:
    """A task's prompt holds half a character."""
    path = site.protocol / "tasks.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"Say 3."', b'"Say \\ud800."'))
    site.rebind()


@case("json-malformed", "cut-off")
def _(site: Site) -> None:
    """The report ends in the middle."""
    site.raw_report(lambda data: data[:400])


@case("json-not-canonical", "spaced-event")
def _(site: Site) -> None:
    """The end event is written with spaces; its name is right, its form is not."""
    path = site.event_file("end")
    data = json.dumps(json.loads(path.read_bytes())).encode() + b"\n"
    path.unlink()
    (site.ledger / f"{sha256(data)}.json").write_bytes(data)


@case("duplicate-key", "report")
def _(site: Site) -> None:
    """The report states its mean twice."""
    site.raw_report(lambda data: data.replace(b'"mean":0.6667', b'"mean":0.9,"mean":0.6667'))


@case("duplicate-key", "manifest")
def _(site: Site) -> None:
    """The manifest states its route twice."""
    path = site.run / "manifest.yaml"
    path.write_bytes(path.read_bytes() + b"route: beta-2.0\n")
    site.rebind()


@case("duplicate-key", "dataset")
def _(site: Site) -> None:
    """A task has two oracles."""
    site.replace(site.protocol / "tasks.jsonl", '"oracle": "3"', '"oracle": "3", "oracle": "4"')
    site.rebind()


@case("jsonl-torn", "no-last-line-feed")
def _(site: Site) -> None:
    """The last transcript has no line feed, as after an interrupted write."""
    path = site.run / "transcripts.jsonl"
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    site.rebind()


@case("jsonl-torn", "blank-line")
def _(site: Site) -> None:
    """The dataset has a blank line."""
    path = site.protocol / "tasks.jsonl"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\n\n", 1))
    site.rebind()


@case("yaml-malformed", "open-list")
def _(site: Site) -> None:
    """The manifest ends inside a list."""
    path = site.run / "manifest.yaml"
    path.write_bytes(path.read_bytes() + b"served_as: [alpha-1.0\n")
    site.rebind()


@case("yaml-unsupported", "anchor")
def _(site: Site) -> None:
    """The manifest uses an anchor."""
    site.replace(site.run / "manifest.yaml", "retry_limit: 0", "retry_limit: &none 0")
    site.rebind()


@case("yaml-unsupported", "sexagesimal")
def _(site: Site) -> None:
    """The manifest's title is 1:30 without quotation marks: text to one reader, the number 90 to another."""
    path = site.run / "manifest.yaml"
    path.write_bytes(path.read_bytes() + b"title: 1:30\n")
    site.rebind()


@case("yaml-unsupported", "yes", command=CHECK)
def _(site: Site) -> None:
    """The draft says `deterministic: yes`."""
    site.replace(site.protocol / "protocol.yaml", "deterministic: true", "deterministic: yes")


@case("schema-unknown", "report")
def _(site: Site) -> None:
    """The report is of a format that does not exist yet."""
    site.report(lambda value: value.update(schema="agent-bench-report/v2"))


@case("schema-unknown", "manifest")
def _(site: Site) -> None:
    """The manifest is of a format that does not exist yet."""
    site.replace(site.run / "manifest.yaml", "agent-bench-manifest/v1", "agent-bench-manifest/v2")
    site.rebind()


@case("schema-unknown", "draft", command=CHECK)
def _(site: Site) -> None:
    """The draft is of a format that does not exist yet."""
    site.draft(lambda value: value.update(schema="agent-bench-protocol/v9"))


@case("field-missing", "manifest")
def _(site: Site) -> None:
    """The manifest does not say how often a task may be retried."""
    site.replace(site.run / "manifest.yaml", "retry_limit: 0\n", "")
    site.rebind()


@case("field-missing", "start-without-channel", "ledger-broken")
def _(site: Site) -> None:
    """The start event does not say in which channel the run is."""
    site.rebind(start=lambda event: event.pop("channel"))


@case("field-missing", "end-without-report-or-reason")
def _(site: Site) -> None:
    """The end event names neither a report nor a reason."""
    site.rebind(end=lambda event: event.pop("report_sha256"))


@case("field-missing", "cluster")
def _(site: Site) -> None:
    """The protocol seals a cluster field that one task does not have."""
    site.draft(lambda value: value["dataset"].update(cluster="topic"))
    site.rows(
        site.protocol / "tasks.jsonl",
        lambda rows: (
            [row.update(topic=f"topic {i % 2}") for i, row in enumerate(rows[:2])]
            and rows.append({"id": "N-002", "kind": "negative", "prompt": "Say it.", "topic": "topic 1"})
        ),
    )
    site.rebind()


@case("field-unknown", "misspelt-budget", command=CHECK)
def _(site: Site) -> None:
    """The draft misspells a budget, which would then silently not apply."""
    site.draft(lambda value: value["budget"].update(max_file_touched=8))


@case("field-unknown", "report")
def _(site: Site) -> None:
    """The report has a field that its format does not have."""
    site.report(lambda value: value.update(score=0.98))


@case("field-type", "false-as-text")
def _(site: Site) -> None:
    """A transcript says "false" where JSON's false belongs."""
    site.transcripts(lambda rows: rows[-1].update(abstained="false"))
    site.rebind()


@case("field-type", "floor-as-text", command=CHECK)
def _(site: Site) -> None:
    """The draft gives its floor as text."""
    site.draft(lambda value: value["publish"].update(min_n="3"))


@case("field-range", "negative-retries")
def _(site: Site) -> None:
    """A transcript has fewer than no retries."""
    site.transcripts(lambda rows: rows[-1].update(retries=-1))
    site.rebind()


@case("field-range", "without-intervals", command=CHECK)
def _(site: Site) -> None:
    """The draft asks for rates without intervals."""
    site.draft(lambda value: value["publish"].update(require_ci=False))


@case("field-range", "no-negative-floor", command=CHECK)
def _(site: Site) -> None:
    """The draft asks for no negative control at all."""
    site.draft(lambda value: value["publish"].update(min_n_negative=0))


@case("site-malformed", "not-toml")
def _(site: Site) -> None:
    """The site's settings are not TOML."""
    (site.root / "sitegen.toml").write_bytes(b"title = \n")


@case("site-malformed", "long-integer")
def _(site: Site) -> None:
    """The site's title in its settings is an integer of five thousand digits."""
    (site.root / "sitegen.toml").write_bytes(b"title = " + b"9" * 5000 + b"\n")


@case("field-type", "integer-as-title")
def _(site: Site) -> None:
    """The site's title in its settings is a hexadecimal integer of so many digits that Python does not write it."""
    (site.root / "sitegen.toml").write_bytes(b"title = 0x" + b"f" * 5000 + b"\n")


@case("link-unsafe", "base-url")
def _(site: Site) -> None:
    """The site's address in its settings is a script."""
    (site.root / "sitegen.toml").write_bytes(b'base_url = "javascript:alert(1)"\n')
