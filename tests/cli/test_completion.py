"""The completion scripts are taken by their shells and offer what the commands offer."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from sitegen.cli import COMMANDS, main
from sitegen.refusals import KINDS


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def offered(text: str, *typed: str) -> list[str]:
    """What bash offers for the last of the words typed."""
    words = " ".join(f"'{word}'" for word in typed)
    ask = f"{text}\nCOMP_WORDS=({words})\nCOMP_CWORD={len(typed) - 1}\n_sitegen\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
    ran = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True, timeout=60)
    return ran.stdout.split()


def test_bash_offers_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert offered(script("bash", capsys), "sitegen", "") == list(COMMANDS)


def test_bash_offers_the_options_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    text = script("bash", capsys)
    assert offered(text, "sitegen", "build", "--pub") == ["--publish-accepted"]
    assert offered(text, "sitegen", "seal", "--pub") == []


def test_bash_offers_the_refusals_to_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(offered(script("bash", capsys), "sitegen", "explain", "")) >= set(KINDS)


def test_bash_leaves_paths_to_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert offered(script("bash", capsys), "sitegen", "build", "prot") == []


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_every_command_stands_in_the_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = script(shell, capsys)
    assert all(command in text for command in COMMANDS)
    assert "--publish-accepted" in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_parse_it(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")
    ran = subprocess.run(
        [shell, "-n"], input=script(shell, capsys), capture_output=True, text=True, check=False, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
