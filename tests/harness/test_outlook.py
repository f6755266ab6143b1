"""What an exam can distinguish: kept in the seal as plain values, and said in sentences."""

from __future__ import annotations

from pathlib import Path

from sitegen.harness.opening import sound_exam
from sitegen.harness.outlook import outlook_lines, outlook_value, want_lines
from sitegen.harness.yaml_text import yaml_text
from sitegen.read.strict_yaml import parse_yaml
from tests.sites import make_protocol


def value(root: Path, ordinary: int, negative: int) -> dict[str, object]:
    make_protocol(root, ordinary=ordinary, negative=negative)
    sound = sound_exam(root, "demo.v1")
    made = outlook_value(sound.document.protocol, sound.pack)
    assert sound.document.protocol.seal.outlook == made
    return made


def test_the_outlook_survives_the_seal(tmp_path: Path) -> None:
    made = value(tmp_path, 40, 12)
    assert parse_yaml(yaml_text({"outlook": made}).encode(), "x.yaml")["outlook"] == made
    assert made["resolution"] == 0.025
    assert all(0 <= low <= high <= 1 for _, _, low, high in made["success"])  # type: ignore[attr-defined]


def test_the_sentences_state_n_and_every_interval(tmp_path: Path) -> None:
    lines = outlook_lines(value(tmp_path, 40, 12))
    assert "n = 40" in lines[0]
    assert lines[2].startswith("of the 12 negative controls")
    assert not any("founding floor" in line for line in lines)
    assert outlook_lines({}) == []


def test_a_small_exam_is_said_to_be_one(tmp_path: Path) -> None:
    assert outlook_lines(value(tmp_path, 3, 1))[-1].startswith("below the founding floor")


def test_how_many_tasks_a_difference_takes_is_said(tmp_path: Path) -> None:
    lines = want_lines((0.80, 0.87), 40)
    assert len(lines) == 2
    assert all(line.startswith("0.8 against 0.87") for line in lines)
