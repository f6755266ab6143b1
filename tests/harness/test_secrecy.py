"""Keys in what would be published are found by the site's own settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.digests import sha256
from sitegen.harness.secrecy import find_published_secrets
from sitegen.read.files import Tree
from sitegen.refusals import Refused
from tests.read.sources import large, source

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
MAIL = "write to somebody@mail.org"


def found(root: Path, *texts: str) -> list[tuple[str, str, str]]:
    with Tree(root) as site:
        refusals = find_published_secrets(site, [source(text, f"{at}.txt") for at, text in enumerate(texts)])
    assert not any(KEY in str(refusal) for refusal in refusals)
    return [(refusal.slug, refusal.file, refusal.path) for refusal in refusals]


def test_a_key_is_named_by_its_place_in_every_file(tmp_path: Path) -> None:
    assert found(tmp_path, f"a\n{KEY}\n", "plain", f"{KEY} {MAIL}") == [
        ("evidence-secret", "0.txt", "line 2"),
        ("evidence-secret", "2.txt", "line 1"),
    ]


def test_what_the_owner_reviewed_is_none_and_what_is_private_may_be_one(tmp_path: Path) -> None:
    (tmp_path / "sitegen.toml").write_text(f'strict_privacy = true\nallow_secrets = ["{sha256(KEY.encode())}"]\n')
    assert found(tmp_path, KEY, MAIL) == [("evidence-secret", "1.txt", "line 1")]


def test_settings_that_cannot_be_used_leave_the_question_open(tmp_path: Path) -> None:
    (tmp_path / "sitegen.toml").write_text("title = \n")
    with pytest.raises(Refused, match="site-malformed"):
        found(tmp_path, "plain")


def test_a_large_file_is_looked_at_a_piece_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sitegen.read import source as reading

    monkeypatch.setattr(reading, "LARGE", 0)
    file = large(tmp_path, f"a\nb {KEY}\n".encode())
    with Tree(tmp_path) as site:
        (refusal,) = find_published_secrets(site, [file])
    assert (refusal.file, refusal.path) == ("run/transcripts.jsonl", "line 2")
