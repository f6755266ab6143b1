"""Putting a finished site in place, with and without the system's help."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.write import switch
from sitegen.write.switch import put_in_place, remove_stale, staging_folder, true_output


def stage(output: Path, text: str) -> Path:
    staging = staging_folder(output)
    staging.mkdir()
    (staging / "index.html").write_text(text)
    return staging


@pytest.mark.parametrize("helped", [True, False])
def test_each_site_takes_the_place_of_the_one_before(
    helped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not helped:
        monkeypatch.setattr(switch, "exchange", lambda first, second: False)
    output = tmp_path / "_site"
    for text in ("first", "second", "third"):
        put_in_place(stage(output, text), output)
        remove_stale(output)
        assert (output / "index.html").read_text() == text
        assert true_output(output) == output
    assert len(list(tmp_path.iterdir())) == (1 if helped else 2)


def test_a_folder_becomes_a_link_where_nothing_can_be_exchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "_site"
    output.mkdir()
    (output / "index.html").write_text("made elsewhere")
    monkeypatch.setattr(switch, "exchange", lambda first, second: False)
    put_in_place(stage(output, "new"), output)
    assert (output / "index.html").read_text() == "new"
    remove_stale(output)
    assert (output / "index.html").read_text() == "new"


def test_a_site_that_was_moved_away_comes_back(tmp_path: Path) -> None:
    """A build was killed between moving the old site away and putting the new one in place."""
    output = tmp_path / "_site"
    before = tmp_path / "._site.before"
    before.mkdir()
    (before / "index.html").write_text("old")
    stage(output, "half")
    remove_stale(output)
    assert (output / "index.html").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["_site"]


def test_the_owners_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "www").mkdir()
    (tmp_path / "_site").symlink_to("www")
    assert true_output(tmp_path / "_site") == (tmp_path / "www").resolve()
