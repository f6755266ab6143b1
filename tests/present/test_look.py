"""The look: overrides, accents, assets named by their content."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.present.look import NO_RELATIONS, Look, Relations, accent_rules
from sitegen.read.settings import Accent, Settings
from sitegen.refusals import Refused


def test_an_override_replaces_the_template_of_its_name_and_changes_the_digest(tmp_path: Path, look: Look) -> None:
    (tmp_path / "404.html").write_text("<!doctype html><p>Ours: {{ site.title }}</p>")
    (tmp_path / "unknown.html").write_text("never used")
    own = Look.open(Settings(title="A & B"), tmp_path, None, NO_RELATIONS)
    assert own.overridden
    assert not look.overridden
    assert own.digest != look.digest
    assert own.render("404.html", "404.html") == b"<!doctype html><p>Ours: A &amp; B</p>"
    assert "unknown.html" not in own.templates


def test_all_templates_that_are_not_utf_8_are_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "404.html").write_bytes("<p>Grüße</p>".encode("latin-1"))
    (tmp_path / "home.html").write_bytes(b"\xff\xfe<\x00")
    (tmp_path / "unknown.html").write_bytes(b"\xff never used")
    with pytest.raises(Refused) as caught:
        Look.open(Settings(), tmp_path, None, NO_RELATIONS)
    assert [(fault.slug, fault.file, fault.path) for fault in caught.value.refusals] == [
        ("text-encoding", "templates/site/404.html", "byte 5"),
        ("text-encoding", "templates/site/home.html", "byte 0"),
    ]


def test_a_link_is_no_template(tmp_path: Path) -> None:
    (tmp_path / "404.html").symlink_to("/etc/hostname")
    assert not Look.open(Settings(), tmp_path, None, NO_RELATIONS).overridden


def test_accents_go_into_the_style_sheet_and_into_its_address(look: Look) -> None:
    settings = Settings(accent=Accent(light="#123456", dark="#abcdef"))
    rules = accent_rules(settings)
    assert b"#123456" in rules
    assert b"#abcdef" in rules
    own = Look.open(settings, None, None, NO_RELATIONS)
    assert own.asset_folder != look.asset_folder
    assert own.assets[f"{own.asset_folder}/site.css"].endswith(rules)
    assert accent_rules(Settings()) == b""


def test_a_logo_is_an_asset() -> None:
    own = Look.open(Settings(logo="logo.svg"), None, None, NO_RELATIONS, b"<svg/>")
    assert own.logo is not None
    assert own.assets[own.logo] == b"<svg/>"


def test_relations() -> None:
    relations = Relations(family_of={"a.1": "a", "a.2": "a", "b.1": "b"}, follows={"a.2": "a.1"})
    assert relations.family_size("a.1") == 2
    assert relations.family_size("b.1") == 1
    assert list(relations.followers("a.1")) == ["a.2"]


def test_a_look_that_makes_no_page_loads_no_jinja() -> None:
    script = (
        "import sys; from sitegen.present.look import NO_RELATIONS, Look; from sitegen.read.settings import Settings;"
        " Look.open(Settings(), None, None, NO_RELATIONS); sys.exit('jinja2' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
