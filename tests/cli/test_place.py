"""What an argument names: a root, a protocol, a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.cli.place import protocol_of, root_of, run_of, text_of
from sitegen.refusals import Misuse


@pytest.mark.parametrize(
    ("argument", "place"),
    [
        ("protocols/demo.v1", (Path(), "demo.v1")),
        ("protocols/demo.v1/", (Path(), "demo.v1")),
        ("./protocols/demo.v1", (Path(), "demo.v1")),
        ("site/protocols/demo.v1", (Path("site"), "demo.v1")),
        ("/srv/site/protocols/demo.v1", (Path("/srv/site"), "demo.v1")),
        ("demo.v1", (Path(), "demo.v1")),
        ("demo.v1/", (Path(), "demo.v1")),
    ],
)
def test_a_protocol_is_named_by_its_folder_or_its_id(argument: str, place: tuple[Path, str]) -> None:
    assert protocol_of(argument) == place


@pytest.mark.parametrize("argument", ["", ".", "..", "protocols/..", "reports/demo.v1", "a/b", "/"])
def test_anything_else_is_misuse(argument: str) -> None:
    with pytest.raises(Misuse):
        protocol_of(argument)


def test_a_run_is_named_by_its_id_its_folder_or_its_report() -> None:
    for argument in ("run-1", "reports/demo.v1/run-1", "reports/demo.v1/run-1/", "reports/demo.v1/run-1/report.json"):
        assert run_of(argument) == "run-1"


def test_a_root_is_a_folder(tmp_path: Path) -> None:
    assert root_of(None) == Path()
    assert root_of(str(tmp_path)) == tmp_path
    with pytest.raises(Misuse):
        root_of(str(tmp_path / "nowhere"))


@pytest.mark.parametrize("argument", ["", "/", ".", "..", "reports/demo.v1/.."])
def test_what_can_be_no_run_is_misuse(argument: str) -> None:
    with pytest.raises(Misuse):
        run_of(argument)


def test_a_text_is_in_utf_8() -> None:
    assert text_of("é\u202e", "--route") == "é\u202e"
    with pytest.raises(Misuse, match=r"--route .* UTF-8"):
        text_of("\udcff", "--route")
