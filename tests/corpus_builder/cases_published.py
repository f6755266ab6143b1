"""Cases beside the verifier: signatures, re-scored runs, the last published site, finished pages, imports.

What is imported, audited or built in vain needs no exam beside it: such a case clears the base away.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

from sitegen.digests import Listed, sha256
from sitegen.write.listing import MARKER, SUMS, blocks_of, site_json, sums
from tests.audit.forged import forged
from tests.audit.published import write
from tests.corpus_builder.base import KEY, PROTOCOL_ID
from tests.corpus_builder.registry import case
from tests.corpus_builder.site import Site

BUILD = ("build", "--previous", "before")
IMPORT = ("import", "auto")
TO = ("--abstain-when", "never", "-o", "transcripts.jsonl")
OTHER = "2026-11-30-beta-1-0-000009"


def clear(site: Site) -> None:
    """Take the exam and its runs away."""
    shutil.rmtree(site.root / "protocols")
    shutil.rmtree(site.root / "reports")


def without_run(site: Site, *events: str) -> None:
    """Take the run away, and these events of it."""
    shutil.rmtree(site.run)
    for kind in events:
        site.event_file(kind).unlink()


def before(site: Site, reports: dict[str, str], protocol_id: str = PROTOCOL_ID) -> None:
    """Write the lists of a site that was published when the ledger was as it is now; no more of it is ever read."""
    events = sorted(site.ledger.iterdir())
    sizes = {path.stem: path.stat().st_size for path in events}
    folder = f"evidence/{protocol_id}/ledger"
    files = [Listed(path=f"{folder}/{digest}.json", size=size, sha256=digest) for digest, size in sizes.items()]
    parents = {parent for path in events for parent in json.loads(path.read_bytes())["parents"]}
    identity = sha256((site.protocol / "protocol.sealed.yaml").read_bytes())
    facts: dict[str, Any] = {
        "tool": "sitegen 0.1.0",
        "heads": {protocol_id: sorted(sizes.keys() - parents)},
        "protocols": {protocol_id: identity},
        "reports": {protocol_id: reports} if reports else {},
        "withdrawn": {},
    }
    _write_lists(site.root / "before", files, facts)


def _write_lists(folder: Path, files: list[Listed], facts: dict[str, Any]) -> None:
    folder.mkdir(exist_ok=True)
    marker = b"".join(site_json(blocks_of(files), facts))
    (folder / MARKER).write_bytes(marker)
    listed = [*files, Listed(path=MARKER, size=len(marker), sha256=sha256(marker))]
    (folder / SUMS).write_bytes(b"".join(sums(blocks_of(listed))))


def template(site: Site, body: str) -> None:
    """Let the owner's own page for lost readers hold ``body``."""
    clear(site)
    folder = site.root / "templates" / "site"
    folder.mkdir(parents=True)
    text = '{% extends "base.html" %}\n{% block main %}\n<h1>No such page</h1>\n' + body + "\n{% endblock %}\n"
    (folder / "404.html").write_text(text, encoding="utf-8")


@case("signature-missing", "nobody-signed")
def _(site: Site) -> None:
    """The settings name a signer, and neither the seal nor the head of the ledger is signed."""
    (site.root / "sitegen.toml").write_text('signers = ["us@example.org ssh-ed25519 AAAA"]\n', encoding="utf-8")


@case("rescore-mismatch", "source-gone")
def _(site: Site) -> None:
    """A report says that it is the re-scoring of a run whose protocol is not here."""
    named = {"protocol_id": "demo.v0", "protocol_sha256": "0" * 64, "run_id": OTHER, "report_sha256": "0" * 64}
    site.rebind(report=lambda value: (value.update(rescored_from=named), value["made_by"].update(how="rescore")))
    start = site.event_file("start")
    parents = json.loads(start.read_bytes())["parents"]
    start.unlink()
    site.rebind_end(lambda event: event.update(start_sha256=start.stem, parents=parents))


@case("evidence-secret", "transcript", command=("build",))
def _(site: Site) -> None:
    """The contestant answered a task with an access key."""
    site.transcripts(lambda rows: rows[-1].update(extra={"said": KEY}))
    site.rebind()


@case("history-removed", "protocol", command=BUILD)
def _(site: Site) -> None:
    """The last published site had a protocol that is not here any more."""
    before(site, {})
    clear(site)


@case("history-removed", "run", "ledger-shortened", command=BUILD)
def _(site: Site) -> None:
    """A published run was taken away without a trace: its folder, its start and its end."""
    before(site, {site.run.name: sha256((site.run / "report.json").read_bytes())})
    without_run(site, "end", "start")


@case("history-changed", "report", command=BUILD)
def _(site: Site) -> None:
    """The run was published with another report than the one that stands here."""
    before(site, {site.run.name: "0" * 64})


@case("history-unreadable", "cut-off", command=BUILD)
def _(site: Site) -> None:
    """The list of the last published site breaks off."""
    before(site, {})
    clear(site)
    path = site.root / "before" / MARKER
    path.write_bytes(path.read_bytes()[:-20])


@case("ledger-shortened", "start-gone", command=BUILD)
def _(site: Site) -> None:
    """The last published ledger had the start of a run that was open, and now there is none."""
    site.event_file("end").unlink()
    before(site, {})
    without_run(site, "start")


@case("ledger-forked", "begun-again", command=BUILD)
def _(site: Site) -> None:
    """The ledger was begun again: the same exam, sealed by another event than the published one."""
    without_run(site, "end", "start")
    before(site, {})
    site.event_file("seal").unlink()
    site.append({**site.events["seal"], "time": "2026-11-30T12:00:00Z"})


@case("site-drift", "edited-page", command=("audit", "site"))
def _(site: Site) -> None:
    """A page of a published site was edited after it was published."""
    clear(site)
    page = b"<!doctype html>\n<title>Nothing was measured yet</title>\n"
    facts: dict[str, Any] = {"tool": "sitegen 0.1.0", "heads": {}, "protocols": {}, "reports": {}, "withdrawn": {}}
    files = [Listed(path="index.html", size=len(page), sha256=sha256(page))]
    _write_lists(site.root / "site", files, facts)
    (site.root / "site" / "index.html").write_bytes(page.replace(b"Nothing", b"A lot"))


@case("page-number", "export", command=("audit", "site"))
def _(site: Site) -> None:
    """The export of a published site leaves out the only run that its evidence holds."""
    export = b'{"schema": "agent-bench-published/v1", "reports": []}\n'
    files = forged(site.root, {"data/reports.json": export})
    clear(site)
    write(files, site.root / "site")


@case("page-number", "export-of-another-id", command=("audit", "site"))
def _(site: Site) -> None:
    """The export of a published site gives a number for the id of its only run."""
    record = {"protocol_id": PROTOCOL_ID, "run_id": 1}
    export = json.dumps({"schema": "agent-bench-published/v1", "reports": [record]}).encode() + b"\n"
    files = forged(site.root, {"data/reports.json": export})
    clear(site)
    write(files, site.root / "site")


@case("page-number", "unreadable-markup", command=("audit", "site"))
def _(site: Site) -> None:
    """A page of a published site holds markup that cannot be read, so that its figures cannot be compared."""
    files = forged(site.root, {"index.html": b"<!doctype html>\n<title>Scores</title>\n<![x[y]]>\n"})
    clear(site)
    write(files, site.root / "site")


@case("page-shape", "name-that-is-not-there", command=("build",))
def _(site: Site) -> None:
    """A template of the owner's prints a name that no page has."""
    template(site, "<p>{{ greeting }}</p>")


@case("text-encoding", "latin-1-template", command=("build",))
def _(site: Site) -> None:
    """A template of the owner's is not UTF-8."""
    template(site, "")
    (site.root / "templates" / "site" / "404.html").write_bytes("<p>Grüße</p>\n".encode("latin-1"))


@case("page-shape", "rate-alone", command=("build",))
def _(site: Site) -> None:
    """A template of the owner's prints a rate without its count, its interval and the other slice."""
    template(site, "<p>Our agent solves 97.5% of all tasks.</p>")


@case("page-remote", "script", command=("build",))
def _(site: Site) -> None:
    """A template of the owner's loads a script from another host."""
    template(site, '<script src="https://example.org/count.js" defer></script>')


@case("archive-unsafe", "climbing-member", command=(*IMPORT, "log.eval", *TO))
def _(site: Site) -> None:
    """An archive has a member whose path climbs out of the folder that it would be unpacked into."""
    clear(site)
    with zipfile.ZipFile(site.root / "log.eval", "w") as archive:
        for name in ("header.json", "../samples/1.json"):
            archive.writestr(zipfile.ZipInfo(name), "{}")


@case("import-unsupported", "scores-only", command=(*IMPORT, "results.json", *TO))
def _(site: Site) -> None:
    """The file holds aggregate scores and no transcripts."""
    clear(site)
    value = {"results": {"lookup": {"exact_match,none": 0.775}}, "versions": {"lookup": 1}}
    (site.root / "results.json").write_text(json.dumps(value) + "\n", encoding="utf-8")


@case("import-ambiguous", "two-trials", command=(*IMPORT, "log.json", *TO))
def _(site: Site) -> None:
    """The file holds two trials of one task, and none of them was chosen."""
    clear(site)
    rows = [{"task_id": 0, "reward": 1.0, "info": {}, "traj": [], "trial": trial} for trial in (0, 1)]
    (site.root / "log.json").write_text(json.dumps(rows) + "\n", encoding="utf-8")
