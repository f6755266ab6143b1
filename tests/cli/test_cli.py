"""The command line's frame: one error boundary, exit codes with meanings, streams that may be closed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import sitegen
from sitegen import cli
from sitegen.cli import COMMANDS, main
from sitegen.refusals import Misuse, Refusal, Refused

ROOT = Path(__file__).resolve().parents[2]


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    from sitegen.cli import explain

    def run(*given: Any) -> int:
        raise error

    monkeypatch.setattr(explain, "run", run)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Refused([Refusal(slug="dataset-drift", file="x")]), 1),
        (Refused([Refusal(slug="output-busy", file="x")]), 3),
        (Misuse("there is no such thing"), 2),
        (OSError(28, "No space left on device"), 3),
        (BrokenPipeError(), 3),
        (KeyboardInterrupt(), 3),
        (RuntimeError("a bug"), 3),
        (RecursionError(), 3),
    ],
)
def test_each_kind_of_trouble_has_its_code(error: BaseException, code: int, monkeypatch: Any, capsys: Any) -> None:
    raising(monkeypatch, error)
    assert main(["explain"]) == code
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("error", [MemoryError(), SystemError("error return without exception set")])
def test_a_want_of_memory_is_told_once(error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """And not by the interpreter too, of what it could not tidy up."""
    from sitegen.cli import explain

    class Untidy:
        def __del__(self) -> None:
            raise MemoryError

    def run(arguments: object, console: object) -> int:
        Untidy()
        raise error

    monkeypatch.setattr(explain, "run", run)
    hook = sys.unraisablehook
    assert main(["explain"]) == 3
    assert capsys.readouterr().err == "sitegen explain: there is not enough memory\n"
    assert sys.unraisablehook is hook


def test_a_library_that_cannot_be_loaded_is_no_bug(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    raising(monkeypatch, ImportError("a.so: failed to map segment from shared object"))
    assert main(["explain"]) == 3
    assert capsys.readouterr().err == "sitegen explain: a.so: failed to map segment from shared object\n"


def test_a_bug_is_one_line_and_no_traceback(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """With what it takes to report it, and foreign text in it escaped."""
    raising(monkeypatch, RuntimeError("bad \x1b[31m\nvalue"))
    assert main(["explain", "--format", "json"]) == 3
    said = json.loads(capsys.readouterr().out)
    assert said["slug"] == "internal-error"
    assert "RuntimeError: bad \\x1b[31m\\nvalue (test_cli.py:" in said["found"]
    monkeypatch.setenv("SITEGEN_TRACEBACK", "1")
    main(["explain"])
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 2),
        (["--help"], 0),
        (["--version"], 0),
        (["nonsense"], 2),
        (["--nonsense"], 2),
        (["--", "verify"], 2),
        (["verify", "--help"], 0),
        (["verify", "--nonsense"], 2),
        (["verify", "--format", "yaml"], 2),
        (["seal"], 2),
        (["score", "protocols/x", "--transcripts", "y"], 2),
        (["score", "protocols/x", "--transcripts", "y", "--run", "a", "--manifest", "b"], 2),
    ],
)
def test_wrong_usage_is_told_from_help(arguments: list[str], code: int, capsys: Any) -> None:
    assert main(arguments) == code


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    shown = capsys.readouterr().out
    assert all(name in shown for name in COMMANDS)
    main(["--version"])
    assert capsys.readouterr().out == f"sitegen {sitegen.__version__}\n"


def process(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    return subprocess.run(command, env=environment, text=True, check=False, timeout=60, **options)


def run(arguments: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    return process([sys.executable, "-m", "sitegen", *arguments], **options)


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    """`sitegen explain | head -1`, and the same for what is said on standard error."""
    reader, writer = os.pipe()
    os.close(reader)
    ran = run(["explain"], stdout=writer, stderr=subprocess.PIPE)
    assert (ran.returncode, ran.stderr) == (3, "")
    ran = run(["seal", "protocols/nowhere"], stdout=subprocess.PIPE, stderr=writer)
    os.close(writer)
    assert ran.returncode in (2, 3)


def test_a_full_disk_behind_standard_output_is_said() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "w") as full:
        ran = run(["explain"], stdout=full, stderr=subprocess.PIPE)
    assert ran.returncode == 3
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("streams", [">&-", "2>&-", ">&- 2>&-"])
def test_streams_that_were_closed_before_the_start_take_nothing(streams: str, tmp_path: Path) -> None:
    command = f'"{sys.executable}" -m sitegen verify --format json {streams}'
    ran = process(["bash", "-c", command], cwd=tmp_path, capture_output=True)
    assert ran.returncode == 0
    assert ran.stdout == ""
    assert "Traceback" not in ran.stderr


def test_a_terminal_that_knows_ascii_only_is_no_traceback() -> None:
    for arguments in (["explain", "run-open"], ["explain"], ["end", "--help"]):
        ran = run(arguments, capture_output=True, env={"PYTHONIOENCODING": "ascii"})
        assert (ran.returncode, ran.stderr) == (0, "")
        assert ran.stdout.isascii()
    shown = run(["explain", "run-open"], capture_output=True, env={"PYTHONIOENCODING": "ascii"}).stdout
    assert r"`sitegen end RUN_ID --reason \u2026`" in shown


def test_verifying_needs_neither_charts_nor_templates(tmp_path: Path) -> None:
    """What makes a page is not loaded by a command that makes none."""
    code = (
        "import sys; from sitegen.cli import main; main(['verify']);"
        "names = ('altair', 'jinja2', 'markdown', 'vl_convert', 'dask', 'rich');"
        "print([name for name in names if name in sys.modules])"
    )
    ran = process([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_the_boundary_is_the_only_one() -> None:
    """No command catches what the boundary is there for."""
    sources = Path(cli.__file__).parent.glob("*.py")
    catching = [path.name for path in sources if "except Exception" in path.read_text(encoding="utf-8")]
    assert catching == ["__init__.py"]
