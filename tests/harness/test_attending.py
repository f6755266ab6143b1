"""A process is attended to until it and all that it started are gone, within its limits."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

SCRIPT = """
import json, os, subprocess, sys
from sitegen.harness.attending import attend
from sitegen.harness.descendants import adopt_orphans, descendants
from sitegen.harness.limits import Caps
adopt_orphans()
script, timeout, caps, abort = json.loads(sys.argv[1])
process = subprocess.Popen(
    ["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
)
reading, writing = os.pipe()
if abort:
    os.close(writing)
ended = attend(process, timeout, Caps(**caps), reading)
print(json.dumps([ended.exit_code, ended.stop, ended.seconds, len(ended.stdout), ended.stdout[:20].decode(),
                  ended.stderr[-20:].decode(), len(descendants())]))
"""


def attended(script: str, timeout: float = 20, abort: bool = False, **caps: int) -> dict[str, Any]:
    argument = json.dumps([script, timeout, caps, abort])
    command = [sys.executable, "-c", SCRIPT, argument]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=90)
    names = ("code", "stop", "seconds", "size", "out", "err", "left")
    found = dict(zip(names, json.loads(done.stdout), strict=True))
    assert found.pop("left") == 0
    return found


def test_an_ordinary_end() -> None:
    found = attended("printf out; printf err >&2; exit 3")
    assert (found["code"], found["stop"], found["out"], found["err"]) == (3, None, "out", "err")


@pytest.mark.parametrize(("signal", "code"), [("SEGV", 139), ("KILL", 137), ("TERM", 143)])
def test_a_signal_is_said_as_a_shell_says_it(signal: str, code: int) -> None:
    assert attended(f"kill -{signal} $$")["code"] == code


def test_it_ends_at_the_deadline_with_what_was_said_so_far() -> None:
    found = attended("printf out; sleep 60", timeout=0.5)
    assert (found["code"], found["stop"], found["out"]) == (None, "timeout", "out")
    assert 0.5 <= found["seconds"] < 5


def test_a_child_that_holds_the_output_open_does_not_hold_up_the_end() -> None:
    found = attended("(setsid sleep 60 &) ; printf out")
    assert (found["code"], found["out"]) == (0, "out")
    assert found["seconds"] < 10


def test_output_over_the_cap_stops_it() -> None:
    found = attended("yes", output=100_000)
    assert (found["stop"], found["seconds"] < 10) == ("output", True)
    assert 100_000 < found["size"] < 300_000


def test_output_over_the_cap_at_the_very_end_counts_too() -> None:
    assert attended("head -c 60000 /dev/zero", output=50_000)["stop"] == "output"


def test_complaints_without_end_are_cut_and_stop_nothing() -> None:
    found = attended("head -c 20M /dev/zero >&2; printf last >&2", output=50_000)
    assert (found["code"], found["stop"], found["err"][-4:]) == (0, None, "last")


def test_too_many_processes_stop_it() -> None:
    assert attended("for i in $(seq 30); do sleep 60 & done; wait", processes=20)["stop"] == "processes"


def test_too_much_memory_of_all_together_stops_it() -> None:
    hog = "python3 -c 'import time; block = bytearray(80 << 20); time.sleep(60)'"
    assert attended(f"{hog} & {hog} & wait", memory=120 << 20)["stop"] == "memory"


def test_nobody_waiting_any_more_stops_it() -> None:
    assert attended("sleep 60", abort=True)["stop"] == "aborted"
