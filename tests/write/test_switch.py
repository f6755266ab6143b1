"""Putting a site in place: by exchange, by a link where there is none, and what is left is removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.refusals import Refused
from sitegen.write import switch
from sitegen.write.publish import Publication
from sitegen.write.switch import beside, put_in_place, remove_stale, true_output


def folder(path: Path, text: str) -> Path:
    path.mkdir()
    (path / "page").write_text(text)
    return path


@pytest.fixture
def no_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(switch, "exchange", lambda first, second: False)


def test_folders_are_exchanged(tmp_path: Path) -> None:
    output = folder(tmp_path / "out", "old")
    put_in_place(folder(tmp_path / ".out.staging-1", "new"), output)
    assert (output / "page").read_text() == "new"
    assert not output.is_symlink()
    remove_stale(output)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.usefixtures("no_exchange")
def test_without_exchange_a_link_is_replaced(tmp_path: Path) -> None:
    output = tmp_path / "out"
    for text in ("first", "second", "third"):
        put_in_place(folder(tmp_path / ".out.staging-1", text), output)
        assert output.is_symlink()
        assert (output / "page").read_text() == text
        remove_stale(output)
        assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.usefixtures("no_exchange")
def test_without_exchange_a_folder_becomes_a_link(tmp_path: Path) -> None:
    output = folder(tmp_path / "out", "old")
    put_in_place(folder(tmp_path / ".out.staging-1", "new"), output)
    assert (output / "page").read_text() == "new"


@pytest.mark.usefixtures("no_exchange")
def test_a_folder_that_was_moved_away_by_a_killed_build_is_brought_back(tmp_path: Path) -> None:
    output = tmp_path / "out"
    folder(beside(output, "before"), "old")
    remove_stale(output)
    assert (output / "page").read_text() == "old"


@pytest.mark.usefixtures("no_exchange")
def test_an_interrupt_between_the_two_steps_brings_the_old_site_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = folder(tmp_path / "out", "old")

    def interrupted(staging: Path, output: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(switch, "_link", interrupted)
    with pytest.raises(KeyboardInterrupt):
        put_in_place(folder(tmp_path / ".out.staging-1", "new"), output)
    assert (output / "page").read_text() == "old"


def test_only_our_leavings_of_this_output_are_removed(tmp_path: Path) -> None:
    output = folder(tmp_path / "o[u]t", "old")
    for name in (".o[u]t.staging-7", ".o[u]t.site-3"):
        folder(tmp_path / name, "left")
    others = [".out.staging-7", ".o[u]t.lock", "o[u]t.staging-7", ".o[u]t.notes"]
    for name in others:
        folder(tmp_path / name, "mine")
    remove_stale(output)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*others, "o[u]t"])


def test_the_owners_link_is_followed_and_stays(tmp_path: Path) -> None:
    place = tmp_path / "srv"
    place.mkdir()
    link = tmp_path / "site"
    link.symlink_to(place)
    assert true_output(link) == place
    with Publication(link) as publication:
        publication.add("index.html", b"new")
        publication.publish({})
    assert link.is_symlink()
    assert (place / "index.html").read_bytes() == b"new"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".srv.lock", "site", "srv"]


def test_a_link_that_leads_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "site").symlink_to("site")
    with pytest.raises(Refused, match="output-not-writable"):
        true_output(tmp_path / "site")
    (tmp_path / "srv").symlink_to("nowhere")
    assert true_output(tmp_path / "srv") == tmp_path / "nowhere"
