"""What a solver gets is the contract's, whatever the exam and the caller's environment hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitegen.harness import assigning
from sitegen.harness.assigning import (
    SEARCH_PATH,
    Conditions,
    check_command,
    choose_isolation,
    environment_of,
    let_through,
)
from sitegen.harness.inputs import fingerprint_of
from sitegen.harness.isolation import Isolation
from sitegen.harness.limits import Caps
from sitegen.harness.opening import OpenRun, open_run
from sitegen.refusals import Misuse, Refused
from tests.harness.exam_kit import PROTOCOL_ID, make_exam, needs_bwrap


def opened(tmp_path: Path, files: dict[str, str] | None = None, **manifest: object) -> OpenRun:
    return open_run(tmp_path, PROTOCOL_ID, make_exam(tmp_path, timeout_sec=2.5).contestant(files, **manifest))


def test_an_assignment_shows_the_opaque_id_and_hides_what_it_must(tmp_path: Path) -> None:
    run = opened(tmp_path)
    conditions = Conditions(
        run=run,
        solver_folder=tmp_path,
        isolation=Isolation(level="none"),
        caps=Caps(),
        fingerprint=fingerprint_of(run),
        env={},
    )
    for task in (*run.pack.null_pack, *run.pack.dataset):
        made = conditions.assignment(task)
        shown = json.loads(made.task_json)
        assert shown.pop("id") == made.opaque_id == run.opaque[task.id] != task.id
        assert shown == task.shown
        assert not {"kind", "oracle", "expected_class"} & set(shown)
        assert (made.timeout_sec, made.wants_diff) == (2.5, False)


def test_the_environment_names_route_and_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IN", "in")
    monkeypatch.setenv("PATH", "/somewhere")
    run = opened(tmp_path, temperature=0.7, decoder={"top_p": 1}, env=["IN", "ROUTE", "OUT"], model="m")
    assert let_through(run.manifest) == {"IN": "in"}
    assert environment_of(run.manifest, 2.5) == {
        "PATH": SEARCH_PATH,
        "IN": "in",
        "LANG": "C.UTF-8",
        "ROUTE": "kit-1",
        "MODEL": "m",
        "TEMPERATURE": "0.7",
        "DECODER": '{"top_p": 1}',
        "RETRY_LIMIT": "1",
        "TOOL_WHITELIST": '["calculator"]',
        "TIMEOUT_SEC": "2.5",
    }


def test_a_path_that_is_let_through_is_the_caller_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/somewhere")
    assert environment_of(opened(tmp_path, env=["PATH"]).manifest, 1)["PATH"] == "/somewhere"


def test_without_bwrap_the_default_is_none_and_asking_for_it_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assigning, "bwrap_fault", lambda: "not here")
    manifest = opened(tmp_path).manifest
    assert choose_isolation(None, False, manifest, tmp_path) == Isolation(level="none")
    with pytest.raises(OSError, match="not here"):
        choose_isolation("bwrap", False, manifest, tmp_path)


def test_with_bwrap_it_is_the_default_and_hides_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assigning, "bwrap_fault", lambda: None)
    (tmp_path / "shown").mkdir()
    monkeypatch.setenv("SHOWN", str(tmp_path / "shown"))
    site = tmp_path / "site"
    manifest = opened(site, env=["SHOWN"]).manifest
    found = choose_isolation(None, True, manifest, site)
    shown = (str(tmp_path / "shown"),)
    assert found == Isolation(level="bwrap", network=True, exposed=shown, hidden=(str(site),))
    assert choose_isolation("none", False, manifest, site) == Isolation(level="none")
    with pytest.raises(Misuse, match="network"):
        choose_isolation("none", True, manifest, site)


@needs_bwrap
def test_bwrap_is_tried_and_not_guessed(tmp_path: Path) -> None:
    assert choose_isolation(None, False, opened(tmp_path).manifest, tmp_path).level == "bwrap"


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"other.sh": ""}, ["bash", "solve.sh"]),
        ({"solve.sh": ""}, ["no-such-program", "solve.sh"]),
        ({"solve.sh": ""}, ["./other"]),
    ],
)
def test_a_command_that_is_not_there_is_refused(tmp_path: Path, files: dict[str, str], command: list[str]) -> None:
    with pytest.raises(Refused, match="solver-missing"):
        check_command(opened(tmp_path, files, command=command).manifest, tmp_path / "contestants" / "kit", "m")


@pytest.mark.parametrize("command", [["bash", "solve.sh"], ["./solve.sh"], ["python3", "-c", "pass"]])
def test_a_command_that_is_there_is_not(tmp_path: Path, command: list[str]) -> None:
    check_command(opened(tmp_path, {"solve.sh": ""}, command=command).manifest, tmp_path / "contestants" / "kit", "m")
