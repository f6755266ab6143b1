"""``sitegen.toml``: all settings are optional, none may be misspelt."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.digests import sha256
from sitegen.read.files import Tree
from sitegen.read.settings import Settings, read_settings
from sitegen.refusals import Refused
from tests.read.sources import faults


def read(root: Path, text: str | None) -> object:
    if text is not None:
        (root / "sitegen.toml").write_bytes(text.encode())
    with Tree(root) as tree:
        return read_settings(tree)


def test_without_a_file_there_are_defaults_and_no_digest(tmp_path: Path) -> None:
    assert read(tmp_path, None) == (Settings(), None)


def test_settings_are_read_with_their_digest(tmp_path: Path) -> None:
    text = 'title = "Numbers"\nbase_url = "https://example.org/x/"\n[[links]]\ntext = "a"\nhref = "https://a.example"\n'
    settings, digest = read(tmp_path, text)  # type: ignore[misc]
    assert (settings.title, settings.links[0].text) == ("Numbers", "a")
    assert digest == sha256(text.encode())


def test_a_signer_may_have_a_long_key(tmp_path: Path) -> None:
    """The line of an RSA key of 4096 bits has more than 700 characters."""
    line = f"us@example.org ssh-rsa {'A' * 716}"
    settings, _ = read(tmp_path, f'signers = ["{line}"]')  # type: ignore[misc]
    assert settings.signers == (line,)


@pytest.mark.parametrize(("name", "most"), [("signers", 4000), ("timestamp_authorities", 200)])
def test_a_line_that_is_too_long_is_told_how_long_one_may_be(name: str, most: int, tmp_path: Path) -> None:
    """From one character on: an empty line is none."""
    with pytest.raises(Refused) as caught:
        read(tmp_path, f'{name} = ["{"x" * (most + 1)}"]')
    assert [refusal.expected for refusal in caught.value.refusals] == [f"1 to {most} characters"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('signers = ["us ssh-ed25519 A\\nthem ssh-ed25519 B"]', ("field-range", "/signers/0")),
        ("title = ", ("site-malformed", "")),
        ('titel = "x"', ("field-unknown", "/titel")),
        ("title = 7", ("field-type", "/title")),
        ('title = ""', ("field-range", "/title")),
        ("title = 2026-11-30", ("field-type", "/title")),
        ('base_url = "javascript:alert(1)"', ("link-unsafe", "/base_url")),
        ('base_url = "https://a.example/\\"><script>"', ("link-unsafe", "/base_url")),
        ('[[links]]\ntext = "a"\nhref = "data:text/html,x"', ("link-unsafe", "/links/0/href")),
        ('logo = "logo.exe"', ("field-range", "/logo")),
        ('[accent]\nlight = "red"', ("field-range", "/accent/light")),
        ('allow_secrets = ["x"]', ("digest-form", "/allow_secrets/0")),
        ('strict_privacy = "yes"', ("field-type", "/strict_privacy")),
        pytest.param(f"title = {'9' * 5000}", ("site-malformed", ""), id="an integer that Python does not read"),
        pytest.param(f"title = 0x{'f' * 5000}", ("field-type", "/title"), id="an integer that Python does not write"),
        pytest.param(f"title = {'[' * 5000}", ("site-malformed", ""), id="lists in lists without end"),
        pytest.param(f"accent.light{'.a' * 5000} = 1", ("field-type", "/accent/light"), id="tables in tables"),
        ("title = 1e999", ("field-type", "/title")),
        ('base_url = "https://[bad"', ("link-unsafe", "/base_url")),
        ('repository = "https://:80/"', ("link-unsafe", "/repository")),
        ('[[links]]\ntext = "a"\nhref = "http://[::1"', ("link-unsafe", "/links/0/href")),
        ('history = "ftp://a.example/"', ("field-range", "/history")),
        ("\ufefftitle = 'x'", ("text-encoding", "byte 0")),
    ],
)
def test_a_wrong_setting_is_refused(text: str, fault: tuple[str, str], tmp_path: Path) -> None:
    assert faults(read, tmp_path, text) == [fault]


def test_history_is_a_folder_or_an_address(tmp_path: Path) -> None:
    for history in ("../before", "https://a.example/scores/", "http://[::1]:8000/"):
        settings, _ = read(tmp_path, f'history = "{history}"\nbase_url = "http://[::1]:8000/"')  # type: ignore[misc]
        assert settings.history == history


@pytest.mark.parametrize("logo", ["logo.svg", "pictures/logo.png"])
def test_a_logo_is_a_picture_that_pages_can_show(logo: str, tmp_path: Path) -> None:
    settings, _ = read(tmp_path, f'logo = "{logo}"')  # type: ignore[misc]
    assert settings.logo == logo


def test_a_settings_file_may_not_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_bytes(b"")
    (tmp_path / "sitegen.toml").symlink_to("other.toml")
    assert faults(read, tmp_path, None) == [("path-unsafe", "")]
