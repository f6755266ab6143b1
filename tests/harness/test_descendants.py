"""Whoever descends from this process is found and killed, wherever it went."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sitegen.harness.descendants import count_tasks

SCRIPT = """
import os, subprocess, sys, time
from sitegen.harness.descendants import adopt_orphans, descendants, kill_descendants, resident_bytes
adopt_orphans()
shell = '''
sleep 86398 &
setsid sleep 86398 &
(setsid setsid sleep 86398 &)
(trap "" TERM; exec setsid sleep 86398) &
exit 0
'''
process = subprocess.Popen(["bash", "-c", shell], start_new_session=True)
process.wait()
deadline = time.monotonic() + 20
def sleepers():
    # without what has ended and was not waited for
    return sum(open(f"/proc/{pid}/comm").read() == "sleep\\n" for pid in descendants())
while time.monotonic() < deadline:
    try:
        if sleepers() == 4:
            break
    except OSError:  # one of those on the way ended meanwhile
        pass
    time.sleep(0.01)
pids = descendants()
print(sleepers(), resident_bytes(pids) > 0)
kill_descendants()
print(len(descendants()), [pid for pid in pids if os.path.exists(f"/proc/{pid}")])
kill_descendants()
"""


def test_orphans_in_sessions_of_their_own_are_found_and_killed() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("4 True\n0 []\n", "")


DYING = """
import subprocess, sys
from sitegen.harness import descendants
looked = []
descendants.descendants = lambda: looked.append("looked") or []
descendants.time.sleep = lambda seconds: process.wait()  # it ended by the time that this process wakes
process = subprocess.Popen(["sleep", "0.2"])
descendants.kill_descendants()
print(process.returncode, looked)
"""


def test_what_is_on_its_way_out_is_not_looked_for() -> None:
    done = subprocess.run([sys.executable, "-c", DYING], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("0 []\n", "")


def test_the_tasks_of_the_machine_are_counted_where_the_system_tells() -> None:
    assert (count_tasks() >= 1) == Path("/proc/loadavg").exists()
