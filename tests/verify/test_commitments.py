"""Commitments: bound to path and bytes, made of every hidden file, and told where a digest could still be guessed."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from sitegen.digests import sha256, sums_listing
from sitegen.read.files import SourceFile
from sitegen.read.library import ProtocolFolder
from sitegen.verify.commitments import (
    commitment,
    commitments_of,
    find_commitment_faults,
    find_unopened,
    guessable_parts,
    hidden_roles,
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


@pytest.mark.parametrize("listing", [b"no list\n", b"no line feed", f"{'0' * 64}  a\n{'1' * 64}  a\n".encode()])
def test_what_is_no_list_of_commitments_opens_nothing(listing: bytes) -> None:
    (fault,) = find_unopened(listing, {"salt": source(SALT), "a": source(b"yes")}, "x")
    assert (fault.slug, fault.file, fault.expected) == ("evidence-commitment", "x", "sha256sum lines")


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
    sealed = {file.path for file in unit.protocol.files}
    assert set(published_files(unit.protocol)) == {*sealed, "protocol.sealed.yaml", "protocol.sums"}
    files = set(published_run_files(unit.protocol, unit.reports[0]))
    assert files == {"report.json", "manifest.yaml", "transcripts.jsonl"}


def test_an_unsalted_pack_with_inline_oracles_is_told(tmp_path: Path) -> None:
    hidden(tmp_path / "salted", "outcomes", inline=True)
    salted = protocol_of(tmp_path / "salted")
    assert guessable_parts(salted.protocol, salted.pack) == []
    make_protocol(tmp_path / "bare", "demo.v1", changes={"publish": {"evidence": "outcomes"}})
    bare = protocol_of(tmp_path / "bare")
    assert [part.split(" ")[1] for part in guessable_parts(bare.protocol, bare.pack)] == ["dataset", "null"]
    make_protocol(tmp_path / "full", "demo.v1")
    full = protocol_of(tmp_path / "full")
    assert guessable_parts(full.protocol, full.pack) == []


def test_what_was_revealed_is_no_longer_hidden(tmp_path: Path) -> None:
    hidden(tmp_path, "outcomes")
    protocol = protocol_of(tmp_path).protocol
    assert "dataset" in hidden_roles(protocol, ())
    assert hidden_roles(protocol, ("revealed.yaml",)) == frozenset()
    verified = protocol_of(tmp_path)
    revealed = dataclasses.replace(verified, sources={**verified.sources, "revealed.yaml": source(b"x")})
    assert commitments_of(revealed) == {}
    assert published_files(revealed).keys() - published_files(verified).keys() >= {"revealed.yaml", "tasks.jsonl"}


def test_oracles_in_files_of_their_own_cannot_be_guessed_from_a_pack(tmp_path: Path) -> None:
    hidden(tmp_path, "outcomes")
    verified = protocol_of(tmp_path)
    assert guessable_parts(verified.protocol, verified.pack) == []


def test_a_list_of_commitments_is_that_of_the_hidden_files(tmp_path: Path) -> None:
    """Where they are withheld, and where the owner's own folder holds them and the list."""
    hidden(tmp_path, "outcomes")
    verified = protocol_of(tmp_path)
    listed = commitments_of(verified)
    bare = {path: file for path, file in verified.sources.items() if path != "commitments.sums"}
    shown = {path: file for path, file in bare.items() if path not in listed and path != "salt"}
    withheld = [*listed, "salt"]

    def found(files: dict[str, SourceFile], withheld: list[str], sums: bytes | None) -> list[str]:
        files = files if sums is None else {**files, "commitments.sums": source(sums)}
        folder = ProtocolFolder(protocol_id="demo.v1", path="protocols/demo.v1", files=files)
        faults = list(find_commitment_faults(verified.protocol, folder, withheld))
        assert {fault.slug for fault in faults} <= {"evidence-commitment"}
        return [fault.path or f"{fault.expected}" for fault in faults]

    whole = sums_listing(listed)
    one = next(path for path in listed if path.startswith("oracles/"))
    assert found(shown, withheld, whole) == []
    assert found(shown, withheld, None) == [f"commitments to {len(withheld)} withheld files"]
    assert found(bare, [], None) == []
    assert found(shown, withheld, b"no list") == ["sha256sum lines"]
    assert found(shown, withheld, whole + whole) == ["sha256sum lines"]
    assert found(shown, withheld, sums_listing({path: listed[path] for path in listed if path != one})) == [one]
    assert found(shown, withheld, sums_listing({**listed, "stranger": "0" * 64})) == ["stranger"]
    assert found(bare, [], whole) == []
    changed = {**bare, one: source(b"another answer")}
    assert found(changed, [], whole) == [one]
    unsalted = {path: file for path, file in changed.items() if path != "salt"}
    assert found(unsalted, ["salt"], whole) == []  # nothing to open it with: the list of files binds it
    assert commitments_of(dataclasses.replace(verified, sources=bare)) == listed  # made anew
    assert commitments_of(dataclasses.replace(verified, sources=shown)) == {}  # nothing salts them
