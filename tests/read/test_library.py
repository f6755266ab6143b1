"""What belongs to a protocol's unit, and what does not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sitegen.read.files import DOCUMENT_LIMIT, EVIDENCE_LIMIT, Tree
from sitegen.read.ledger import EVENT_LIMIT
from sitegen.read.library import gather_unit, read_protocol_folder, read_unit
from tests.sites import make_protocol, make_run

RUN = "2026-11-30-alpha-abcdef"


def write(root: Path, path: str, size: int = 1) -> None:
    """A file of zeros, which takes no room on the disk however large it is."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).touch()
    os.truncate(root / path, size)


def test_a_folder_that_holds_nothing_but_logs_is_no_run(tmp_path: Path) -> None:
    """A change of branch leaves the ignored logs of the other branch's runs behind."""
    make_protocol(tmp_path)
    logs = tmp_path / f"reports/demo.v1/{RUN}/logs"
    logs.mkdir(parents=True)
    (logs / "sittings").write_text("1")
    with Tree(tmp_path) as tree:
        assert read_unit(tree, "demo.v1").runs == ()


def test_a_units_digests_name_every_file_but_logs(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1")
    named = {
        p.relative_to(tmp_path).as_posix() for top in ("protocols", "reports") for p in (tmp_path / top).rglob("*")
    }
    files = {name for name in named if (tmp_path / name).is_file() and "/logs/" not in name}
    with Tree(tmp_path) as tree:
        assert {path for path, _ in gather_unit(tree, "demo.v1").digests} == files


def test_a_units_digests_are_in_the_order_of_reading(tmp_path: Path) -> None:
    """The exam, the runs, the ledger, the signatures; a ledger may be all that a folder of reports has."""
    events = [f"reports/demo.v1/ledger/{digit * 64}.json" for digit in "01"]
    signature = f"reports/demo.v1/signatures/{'0' * 64}.sig"
    report = f"reports/demo.v1/{RUN}/report.json"
    for path in (*events, signature, report):
        write(tmp_path, path)
    with Tree(tmp_path) as tree:
        files = gather_unit(tree, "demo.v1")
        assert files.protocol is None
        assert files.all_faults == []
        assert [path for path, _ in files.digests] == [report, *events, signature]
        write(tmp_path, "protocols/demo.v1/protocol.yaml")
        assert [path for path, _ in gather_unit(tree, "demo.v1").digests][:2] == [
            "protocols/demo.v1/protocol.yaml",
            report,
        ]


def test_whatever_cannot_be_read_is_among_a_units_faults(tmp_path: Path) -> None:
    """A link in each folder; a run's folder that holds nothing else is a run all the same."""
    below = (
        "reports/demo.v1/ledger",
        "reports/demo.v1/signatures",
        "reports/demo.v1",
        "protocols/demo.v1",
        f"reports/demo.v1/{RUN}",
    )
    for folder in below:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "link").symlink_to("nowhere")
    with Tree(tmp_path) as tree:
        files = gather_unit(tree, "demo.v1")
    assert [run.run_id for run in files.runs] == [RUN]
    slugs = ["path-unsafe", "path-unsafe", "file-unlisted", "path-unsafe", "path-unsafe"]
    assert [(fault.slug, fault.file) for fault in files.all_faults] == [
        (slug, f"{folder}/link") for slug, folder in zip(slugs, below, strict=True)
    ]


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("protocols/demo.v1/protocol.yaml", DOCUMENT_LIMIT),
        ("protocols/demo.v1/tasks.jsonl", EVIDENCE_LIMIT),
        (f"reports/demo.v1/{RUN}/manifest.yaml", DOCUMENT_LIMIT),
        (f"reports/demo.v1/{RUN}/report.json", DOCUMENT_LIMIT),
        (f"reports/demo.v1/{RUN}/transcripts.jsonl", EVIDENCE_LIMIT),
        ("reports/demo.v1/ledger/x.json", EVENT_LIMIT),
        ("reports/demo.v1/signatures/x.sig", EVENT_LIMIT),
    ],
)
def test_a_file_that_is_parsed_whole_may_be_less_large_than_evidence(path: str, limit: int, tmp_path: Path) -> None:
    write(tmp_path, path, limit + 1)
    with Tree(tmp_path) as tree:
        faults = gather_unit(tree, "demo.v1").all_faults
    assert [(fault.slug, fault.file, fault.expected) for fault in faults] == [
        ("file-too-large", path, f"at most {limit} bytes")
    ]


@pytest.mark.parametrize(
    ("names", "sealed"),
    [
        (("protocol.yaml", "metric.py"), False),
        (("protocol.yaml", "protocol.sealed.yaml"), True),
        (("protocol.yaml", "protocol.sums"), True),
    ],
)
def test_a_folder_with_either_file_that_sealing_writes_is_sealed(
    names: tuple[str, ...], sealed: bool, tmp_path: Path
) -> None:
    for name in names:
        write(tmp_path, f"protocols/demo.v1/{name}")
    with Tree(tmp_path) as tree:
        assert read_protocol_folder(tree, "demo.v1").is_sealed is sealed
