"""The lists of a published site: each fault is named by the file it is of."""

from __future__ import annotations

from sitegen.digests import canonical_json, sha256
from sitegen.read.files import LargeFile, SourceFile
from sitegen.read.ledger import Event, Ledger, event_bytes
from sitegen.read.library import ProtocolFolder, RunFolder, Unit
from sitegen.read.published import PublishedFile, Site, listing_of
from sitegen.verify.published import (
    find_fact_faults,
    find_file_faults,
    find_list_faults,
    find_name_faults,
    find_sums_faults,
)

DATA = b"hello\n"


def source(path: str, data: bytes) -> SourceFile:
    return SourceFile(path=path, data=data, sha256=sha256(data))


def site(*paths: str, reports: dict[str, dict[str, str]] | None = None) -> Site:
    return Site(
        schema="agent-bench-site/v1",
        tool="sitegen 0",
        files=tuple(PublishedFile(path=path, size=len(DATA), sha256=sha256(DATA)) for path in paths),
        heads={},
        protocols={},
        reports=reports or {},
        withdrawn={},
    )


FILE = source("site.json", canonical_json({}))


def test_added_and_missing_files_are_named() -> None:
    names = ("SHA256SUMS", "a", "added", "site.json")
    found = {fault.file: fault.found for fault in find_name_faults(site("a", "gone"), names)}
    assert found == {"added": "a file that site.json does not list", "gone": "nothing"}
    assert list(find_name_faults(site("a"), ("SHA256SUMS", "a", "site.json"))) == []


def test_both_lists_must_be_the_same_and_in_order() -> None:
    listed = site("a", "b")
    good = source("SHA256SUMS", listing_of(listed, FILE))
    assert list(find_list_faults(listed, FILE, good)) == []
    other = source("SHA256SUMS", good.data.replace(b"  a\n", b"  c\n"))
    assert [fault.file for fault in find_list_faults(listed, FILE, other)] == ["SHA256SUMS"]
    for wrong in (site("b", "a"), site("a", "a")):
        faults = find_list_faults(wrong, FILE, source("SHA256SUMS", listing_of(wrong, FILE)))
        assert [fault.file for fault in faults] == ["site.json"]


def test_a_file_is_held_to_digest_and_size() -> None:
    listed = site("a").files[0]
    assert list(find_file_faults(listed, source("a", DATA))) == []
    (fault,) = find_file_faults(listed, source("a", b"other\n"))
    assert (fault.expected, fault.found) == (sha256(DATA), sha256(b"other\n"))
    wrong_size = PublishedFile(path="a", size=7, sha256=sha256(DATA))
    assert [fault.found for fault in find_file_faults(wrong_size, source("a", DATA))] == ["6 bytes"]


def test_a_large_file_is_held_to_them_without_its_bytes() -> None:
    def opened() -> int:
        raise AssertionError("it was read again")

    large = LargeFile(path="a", sha256=sha256(DATA), size=len(DATA), open_=opened)
    assert list(find_file_faults(site("a").files[0], large)) == []
    wrong_size = PublishedFile(path="a", size=7, sha256=sha256(DATA))
    assert [fault.found for fault in find_file_faults(wrong_size, large)] == ["6 bytes"]


def test_an_evidence_folder_lists_itself_and_not_its_runs() -> None:
    reports = {"p": {"r-abcdef": "0" * 64}}
    files = {
        f"evidence/p/{name}": source(f"evidence/p/{name}", data)
        for name, data in {
            "x": DATA,
            "SHA256SUMS": f"{sha256(DATA)}  x\n".encode(),
            "r-abcdef/y": DATA,
            "r-abcdef/SHA256SUMS": f"{sha256(DATA)}  y\n".encode(),
        }.items()
    }
    assert list(find_sums_faults(site(reports=reports), "p", files)) == []
    listing = files.pop("evidence/p/r-abcdef/SHA256SUMS")
    faults = list(find_sums_faults(site(reports=reports), "p", files))
    assert [fault.file for fault in faults] == ["evidence/p/r-abcdef/SHA256SUMS"]
    for other in (b"", listing.data * 2, listing.data.replace(b"  y\n", b"  z\n")):
        files[listing.path] = source(listing.path, other)
        faults = list(find_sums_faults(site(reports=reports), "p", files))
        assert [fault.file for fault in faults] == ["evidence/p/r-abcdef/SHA256SUMS"]


def test_where_nothing_is_published_no_list_is_asked_for() -> None:
    """A protocol may be known by its ledger's heads alone; what of it should be there is asked elsewhere."""
    assert list(find_sums_faults(site(), "p", {})) == []


def test_what_the_site_says_of_a_protocol_is_compared() -> None:
    unit = Unit(protocol_id="p", protocol=None, ledger=Ledger(events={}), ledger_files={}, runs=())
    said = Site(
        schema="agent-bench-site/v1",
        tool="sitegen 0",
        files=(),
        heads={"p": ("1" * 64,)},
        protocols={"p": "2" * 64},
        reports={},
        withdrawn={"p": {"r-abcdef": "3" * 64}},
    )
    assert [fault.path for fault in find_fact_faults(said, unit)] == ["/heads", "/protocols", "/withdrawn/r-abcdef"]


SEAL = Event(event="seal", parents=(), time="2026-11-30T00:00:00Z", protocol_sha256=sha256(DATA))
SEALED = sha256(event_bytes(SEAL))
GONE = Event(
    event="withdraw",
    parents=(SEALED,),
    time="2026-11-30T00:00:01Z",
    protocol_sha256=sha256(DATA),
    run_id="w-abcdef",
    reason="an error",
)
HEAD = sha256(event_bytes(GONE))


def test_what_the_site_says_of_reports_and_withdrawals_is_what_the_evidence_holds() -> None:
    sealed = source("evidence/p/protocol.sealed.yaml", DATA)
    report = source("evidence/p/r-abcdef/report.json", b"a report\n")

    def found(reports: dict[str, SourceFile], withdrawn: str) -> list[tuple[str, str | None]]:
        run = RunFolder(protocol_id="p", run_id="r-abcdef", path="evidence/p/r-abcdef", files=reports)
        unit = Unit(
            protocol_id="p",
            protocol=ProtocolFolder(protocol_id="p", path="evidence/p", files={"protocol.sealed.yaml": sealed}),
            ledger=Ledger(events={SEALED: SEAL, HEAD: GONE}),
            ledger_files={},
            runs=(run,),
        )
        said = Site(
            schema="agent-bench-site/v1",
            tool="sitegen 0",
            files=(),
            heads={"p": (HEAD,)},
            protocols={"p": sealed.sha256},
            reports={"p": {"r-abcdef": report.sha256}},
            withdrawn={"p": {"w-abcdef": withdrawn}},
        )
        return [(fault.path, fault.found) for fault in find_fact_faults(said, unit)]

    assert found({"report.json": report}, HEAD) == []
    assert found({"report.json": source(report.path, DATA)}, HEAD) == [("/reports/r-abcdef", sha256(DATA))]
    assert found({}, HEAD) == [("/reports/r-abcdef", "None")]
    assert found({"report.json": report}, SEALED) == [("/withdrawn/w-abcdef", "seal")]
    assert found({"report.json": report}, "3" * 64) == [("/withdrawn/w-abcdef", "None")]
