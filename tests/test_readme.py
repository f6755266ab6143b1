"""The README is true: its commands run, its usage is what the program prints, its links and its picture are there."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import sitegen
from tests.documents import BIN, blocks, run_blocks
from tests.screenshot import HEIGHT, PICTURE, WIDTH

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = blocks(TEXT, "sh")
MAKE, *TOUR = SHELL
USAGE = re.compile(r"^<!-- usage: (.+) -->\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def toured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder in which every command of the tour was run, and what they said."""
    folder = tmp_path_factory.mktemp("tour")
    said = run_blocks(TOUR, folder)
    return folder / "demo", said


def test_the_tour_ends_in_a_page_with_a_number(toured: tuple[Path, str]) -> None:
    site, _ = toured
    page = (site / "_site" / "protocols" / "lookup.v1" / "index.html").read_text(encoding="utf-8")
    assert re.search(r'data-k="\d+" data-n="30"', page)


def test_the_tour_shows_a_refusal(toured: tuple[Path, str]) -> None:
    _, said = toured
    assert re.search(r"^refused dataset-drift +protocols/lookup\.v1", said, re.MULTILINE)


def test_the_python_block_runs_on_the_toured_site(
    toured: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site, _ = toured
    monkeypatch.chdir(site)
    for block in blocks(TEXT, "python"):
        exec(compile(block, "README.md", "exec"), {"sitegen": sitegen})
    assert re.search(r"^sed-first-line \d+ 30 ", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize("command", [line.split("#")[0].strip() for line in MAKE.splitlines()])
def test_make_knows_the_two_commands(command: str) -> None:
    """They are not run from inside a test run: what `make test` runs is this."""
    ran = subprocess.run(
        [*command.split(), "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(("command", "shown"), USAGE.findall(TEXT))
def test_usage_is_what_the_program_prints(command: str, shown: str) -> None:
    program, *arguments = command.split()
    env = {**os.environ, "COLUMNS": "100"}
    ran = subprocess.run([BIN / program, *arguments], env=env, capture_output=True, text=True, check=True, timeout=60)
    assert shown == ran.stdout, "run: python -m tests.test_readme"


def test_there_is_a_usage_to_compare() -> None:
    assert USAGE.search(TEXT)


def test_every_link_leads_somewhere() -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", TEXT)
    assert targets
    assert [target for target in targets if "://" not in target and not (ROOT / target).is_file()] == []


def test_the_first_screen_says_what_it_is_shows_it_and_names_the_two_commands() -> None:
    first = TEXT.splitlines()[:20]
    assert first[2].startswith("A static report site generator")
    assert any(line.startswith("![") for line in first)
    assert "\n".join(first).count("make ") >= 2


def test_the_picture_is_the_one_that_make_screenshot_takes() -> None:
    data = PICTURE.read_bytes()
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">II", data[16:24]) == (WIDTH, HEIGHT)
    assert f"({PICTURE.relative_to(ROOT).as_posix()})" in TEXT
    assert "-m tests.screenshot" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_no_result_stands_in_the_readme() -> None:
    """Numbers belong to pages, where they stand with everything that belongs to them."""
    prose = re.sub(r"^```.*?^```$", "", TEXT, flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"\d+\s?%|\b\d+/\d+\b|\b0\.\d{2,}|\d\s?(?:ms|kB|MB|GB|times)\b", prose) == []


def _rewrite() -> None:
    """Write every usage block anew."""

    def anew(match: re.Match[str]) -> str:
        program, *arguments = match[1].split()
        env = {**os.environ, "COLUMNS": "100"}
        ran = subprocess.run([BIN / program, *arguments], env=env, capture_output=True, text=True, check=True)
        return f"<!-- usage: {match[1]} -->\n```text\n{ran.stdout}```"

    (ROOT / "README.md").write_text(USAGE.sub(anew, TEXT), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(_rewrite())
