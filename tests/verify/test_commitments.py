"""Commitments: bound to path and bytes, made of every hidden file, and told where a digest could still be guessed."""

from __future__ import annotations

from pathlib import Path

from sitegen.digests import sha256, sums_listing
from sitegen.read.files import SourceFile
from sitegen.verify.commitments import (
    commitment,
    commitments_of,
    find_unopened,
    guessable_parts,
    published_files,
    published_run_files,
)
from sitegen.verify.verified import VerifiedProtocol
from tests.audit.hidden import hidden
from tests.sites import judge, make_protocol, make_run

SALT = b"0123456789abcdef0123456789abcdef\n"


def source(data: bytes) -> SourceFile:
    return SourceFile(path="x", data=data, sha256=sha256(data))


def protocol_of(root: Path) -> VerifiedProtocol:
    protocol = judge(root, "demo.v1").protocol
    assert protocol is not None
    return protocol


def test_equal_files_at_two_paths_do_not_show_that_they_are_equal() -> None:
    assert commitment(SALT, "a", b"yes") != commitment(SALT, "b", b"yes")
    assert commitment(SALT, "a", b"yes") == sha256(SALT + b"a\nyes")
    assert commitment(SALT, "a", b"yes") != sha256(b"yes")


def test_only_the_very_files_open_a_list() -> None:
    listing = sums_listing({"a": commitment(SALT, "a", b"yes")})
    assert list(find_unopened(listing, {"salt": source(SALT), "a": source(b"yes")}, "x")) == []
    for files in ({"salt": source(SALT), "a": source(b"no")}, {"salt": source(SALT)}, {"a": source(b"yes")}):
        assert [fault.slug for fault in find_unopened(listing, files, "x")] == ["evidence-commitment"]


def test_each_level_publishes_what_the_manual_says(tmp_path: Path) -> None:
    names: dict[str, set[str]] = {}
    run_names: dict[str, set[str]] = {}
    for level in ("outcomes", "digests"):
        hidden(tmp_path / level, level)
        unit = judge(tmp_path / level, "demo.v1")
        assert unit.protocol is not None
        names[level] = set(published_files(unit.protocol))
        run_names[level] = set(published_run_files(unit.protocol, unit.reports[0]))
        committed = set(commitments_of(unit.protocol))
        assert committed == {file.path for file in unit.protocol.files} - names[level] - {"salt"}
    assert names["outcomes"] == {"protocol.sealed.yaml", "protocol.yaml", "metric.py"}
    assert names["digests"] == {"protocol.sealed.yaml", "protocol.yaml"}
    assert run_names["outcomes"] == {"report.json", "manifest.yaml", "solver/solve.sh"}
    assert run_names["digests"] == {"report.json", "manifest.yaml"}


def test_a_full_protocol_publishes_all_and_commits_to_nothing(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v1", "alpha", publish_solver=False)
    unit = judge(tmp_path, "demo.v1")
    assert unit.protocol is not None
    assert commitments_of(unit.protocol) == {}
    assert {file.path for file in unit.protocol.files} < set(published_files(unit.protocol))
    files = set(published_run_files(unit.protocol, unit.reports[0]))
    assert files == {"report.json", "manifest.yaml", "transcripts.jsonl"}


def test_an_unsalted_pack_with_inline_oracles_is_told(tmp_path: Path) -> None:
    hidden(tmp_path / "salted", "outcomes", inline=True)
    salted = protocol_of(tmp_path / "salted")
    assert guessable_parts(salted.protocol, salted.pack) == []
    make_protocol(tmp_path / "bare", "demo.v1", changes={"publish": {"evidence": "outcomes"}})
    bare = protocol_of(tmp_path / "bare")
    assert [part.split(" ")[1] for part in guessable_parts(bare.protocol, bare.pack)] == ["dataset", "null"]
