"""A published site against its own list of files, and what the list says of a protocol against its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sitegen.digests import sums_listing
from sitegen.read.files import SourceFile
from sitegen.read.library import Unit
from sitegen.read.protocol import SEALED_NAME
from sitegen.read.published import EVIDENCE, SITE_NAME, SITE_SUMS, PublishedFile, Site, listing_of
from sitegen.read.report import REPORT_NAME
from sitegen.refusals import Refusal


def find_name_faults(site: Site, names: tuple[str, ...]) -> Iterator[Refusal]:
    """Yield ``site-drift`` for each file that is listed and not there, or there and not listed."""
    listed = {SITE_NAME, SITE_SUMS, *(file.path for file in site.files)}
    for path in sorted(listed - set(names)):
        yield Refusal(slug="site-drift", file=path, expected="a listed file", found="nothing")
    for path in sorted(set(names) - listed):
        yield Refusal(
            slug="site-drift", file=path, expected="no such file", found="a file that site.json does not list"
        )


def find_list_faults(site: Site, file: SourceFile, sums: SourceFile) -> Iterator[Refusal]:
    """Yield where the two lists of a site are not in order or not the same."""
    paths = [listed.path for listed in site.files]
    if paths != sorted(set(paths), key=str.encode):
        yield Refusal(slug="site-drift", file=SITE_NAME, path="/files", expected="each file once, in order")
    if sums.data != listing_of(site, file):
        expected = "a line for each file of site.json, and for itself"
        yield Refusal(slug="site-drift", file=SITE_SUMS, expected=expected, found="another list")


def find_file_faults(listed: PublishedFile, source: SourceFile) -> Iterator[Refusal]:
    """Yield ``site-drift`` where a file does not have the listed size and digest."""
    if source.sha256 != listed.sha256:
        yield Refusal(slug="site-drift", file=listed.path, expected=listed.sha256, found=source.sha256)
    elif source.size != listed.size:
        found = f"{source.size} bytes"
        yield Refusal(slug="site-drift", file=listed.path, expected=f"{listed.size} bytes", found=found)


def find_fact_faults(site: Site, unit: Unit) -> Iterator[Refusal]:
    """Yield where ``site.json`` says something else of a protocol than its evidence does."""
    where, protocol_id = f"{EVIDENCE}/{unit.protocol_id}", unit.protocol_id
    sealed = unit.protocol.files.get(SEALED_NAME) if unit.protocol is not None else None
    pairs: list[tuple[str, object, object]] = [
        ("/heads", site.heads.get(protocol_id), unit.ledger.heads),
        ("/protocols", site.protocols.get(protocol_id), sealed.sha256 if sealed is not None else None),
    ]
    for folder in unit.runs:
        report = folder.files.get(REPORT_NAME)
        stated = site.reports[protocol_id][folder.run_id]
        pairs.append((f"/reports/{folder.run_id}", stated, report.sha256 if report is not None else None))
    for run_id, digest in site.withdrawn.get(protocol_id, {}).items():
        event = unit.ledger.events.get(digest)
        pairs.append((f"/withdrawn/{run_id}", "withdraw", event.event if event is not None else None))
    for path, says, is_ in pairs:
        if says != is_:
            yield Refusal(slug="site-drift", file=where, path=path, expected=str(says), found=str(is_))


def find_sums_faults(site: Site, protocol_id: str, files: Mapping[str, SourceFile]) -> Iterator[Refusal]:
    """Yield where a folder's own SHA256SUMS is not the list of what lies beside it."""
    root = f"{EVIDENCE}/{protocol_id}"
    runs = [f"{root}/{run_id}" for run_id in site.reports.get(protocol_id, {})]
    for folder in (root, *runs) if files else ():
        below = {path: file for path, file in files.items() if path.startswith(f"{folder}/")}
        if folder == root:
            below = {path: file for path, file in below.items() if "/".join(path.split("/")[:3]) not in runs}
        listing = below.pop(f"{folder}/{SITE_SUMS}", None)
        wanted = sums_listing({path.removeprefix(f"{folder}/"): file.sha256 for path, file in below.items()})
        if listing is None or listing.data != wanted:
            expected = "a line for each file beside it"
            yield Refusal(slug="site-drift", file=f"{folder}/{SITE_SUMS}", expected=expected, found="another list")
