"""The action's steps and the hook do what they say: their own shell lines are run here, in the order they stand in."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.sites import make_protocol, make_run

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".github" / "actions" / "sitegen"
ACTION = yaml.safe_load((FOLDER / "action.yml").read_bytes())
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_bytes())


class Job:
    """Runs the action's shell steps as a forge would: inputs in the environment, stop at the first that fails."""

    def __init__(self, workspace: Path, temporary: Path, **inputs: str) -> None:
        self.workspace, self.temporary = workspace, temporary
        self.inputs = {name: given["default"] for name, given in ACTION["inputs"].items()} | inputs
        self.output = ""
        self.failed = ""

    @property
    def summary(self) -> str:
        path = self.temporary / "summary.md"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def run(self) -> Job:
        """Every step but the installation, which the environment of the tests has done, and the comment."""
        for step in ACTION["runs"]["steps"]:
            skipped = "run" not in step or step["name"] in ("Install", "Comment")
            if not skipped and (not self.failed or step.get("if", "").startswith("always()")):
                self._step(step)
        return self

    def _step(self, step: dict[str, Any]) -> None:
        env = {name: self._value(text) for name, text in step.get("env", {}).items()}
        env |= {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_ACTION_PATH": str(FOLDER),
            "GITHUB_STEP_SUMMARY": str(self.temporary / "summary.md"),
            "RUNNER_TEMP": str(self.temporary),
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        ran = subprocess.run(
            command,
            cwd=self.workspace,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
        )
        self.output += ran.stdout
        if ran.returncode and not self.failed:
            self.failed = step["name"]

    def _value(self, text: str) -> str:
        return re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: self.inputs[match[1]], text)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    make_protocol(root, "demo.v1")
    make_run(root, "demo.v1", "alpha", wrong=("T-001",))
    (tmp_path / "temporary").mkdir()
    return root


def test_a_sound_site_is_built_and_its_scorecards_are_told(site: Path, tmp_path: Path) -> None:
    job = Job(site, tmp_path / "temporary").run()
    assert job.failed == "", job.output
    assert (site / "_site" / "index.html").is_file()
    (row,) = [line for line in job.summary.splitlines() if "`alpha-1.0`" in line]
    assert "19/20" in row, "task success"
    assert "10/10" in row, "abstention accuracy"
    assert row.count("95% CI") == 4
    assert "| demo.v1 | | sealed |" in job.summary, "the state of the site stands below"


def test_a_fault_stops_the_job_and_no_figure_is_told(site: Path, tmp_path: Path) -> None:
    tasks = site / "protocols" / "demo.v1" / "tasks.jsonl"
    tasks.write_bytes(tasks.read_bytes().replace(b"Say 1.", b"Say 2."))
    job = Job(site, tmp_path / "temporary").run()
    assert job.failed == "Verify"
    assert not (site / "_site").exists()
    assert re.search(r"^::error file=protocols/demo\.v1/", job.output, re.MULTILINE)
    assert "`dataset-drift`" in job.summary
    assert not re.search(r"\d+/\d+", job.summary)


def test_settings_that_are_refused_are_told_by_their_kind(site: Path) -> None:
    (site / "sitegen.toml").write_text("title = [", encoding="utf-8")
    command = [sys.executable, str(FOLDER / "summary.py"), str(site)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (ran.returncode, ran.stderr) == (0, "")
    said = "Nothing would be published: 1 fault, of these kinds: "
    assert ran.stdout.splitlines() == ["## Scorecards", "", said, "`site-malformed`", ""]


def test_the_inputs_reach_the_commands(site: Path, tmp_path: Path) -> None:
    first = Job(site.parent, tmp_path / "temporary", root="work", output="published").run()
    assert first.failed == "", first.output
    again = Job(site.parent, tmp_path / "temporary", root="work", output="next", previous="published").run()
    assert again.failed == "", again.output
    assert (site.parent / "next" / "index.html").is_file()


def test_an_input_is_never_part_of_a_script() -> None:
    """An expression inside a script is an injection: values go through the environment."""
    assert [step["name"] for step in ACTION["runs"]["steps"] if "${{" in step.get("run", "")] == []


def test_a_route_cannot_forge_a_cell(site: Path, tmp_path: Path) -> None:
    make_run(site, "demo.v1", "beta", route="x` | 1.000 (20/20) | <img src=x> @everyone")
    job = Job(site, tmp_path / "temporary").run()
    table = [line for line in job.summary.splitlines() if line.startswith("| `2")]
    assert len({line.count(" | ") for line in table}) == 1
    (row,) = [line for line in table if "everyone" in line]
    assert re.search(r"`x' ¦ [^`]*@everyone`", row)


def test_the_hook_refuses_what_a_build_would_refuse(site: Path) -> None:
    command = [Path(sys.executable).parent / HOOK["entry"].split()[0], *HOOK["entry"].split()[1:]]
    assert HOOK["pass_filenames"] is False
    assert subprocess.run(command, cwd=site, capture_output=True, check=False, timeout=300).returncode == 0
    (site / "protocols" / "demo.v1" / "stray.txt").write_text("x", encoding="utf-8")
    assert subprocess.run(command, cwd=site, capture_output=True, check=False, timeout=300).returncode == 1


@pytest.mark.parametrize("path", ["protocols/demo.v1/tasks.jsonl", "reports/demo.v1/ledger/0.json", "sitegen.toml"])
def test_the_hook_looks_when_a_record_changed(path: str) -> None:
    assert re.search(HOOK["files"], path)


@pytest.mark.parametrize("path", ["README.md", "contestants/a/solve.sh", "docs/protocols/x.md"])
def test_the_hook_is_quiet_otherwise(path: str) -> None:
    assert not re.search(HOOK["files"], path)
