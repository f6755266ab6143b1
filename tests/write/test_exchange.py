"""Exchanging two folders at once."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from sitegen.write import exchange as module
from sitegen.write.exchange import exchange, sync_file_system, sync_names


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_bytes(b"")
    return tmp_path / "a", tmp_path / "b"


def test_two_folders_change_places_or_stay(two: tuple[Path, Path]) -> None:
    first, second = two
    if exchange(first, second):
        assert ((first / "b").exists(), (second / "a").exists()) == (True, True)
    else:
        assert ((first / "a").exists(), (second / "b").exists()) == (True, True)


def test_a_failure_leaves_both(two: tuple[Path, Path]) -> None:
    first, second = two
    with suppress(OSError):
        assert not exchange(first, second.with_name("nowhere"))
    assert (first / "a").exists()


def test_a_system_without_the_call_says_so(two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_system_call", lambda: None)
    assert exchange(*two) is False


def test_what_was_written_can_be_made_durable(tmp_path: Path) -> None:
    sync_file_system(tmp_path)
    sync_names(tmp_path)
    with pytest.raises(OSError, match="No such file"):
        sync_names(tmp_path / "nowhere")
