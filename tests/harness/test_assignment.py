"""What goes to a supervisor and comes back can be sent, and shows no inputs where it is printed."""

from __future__ import annotations

import pickle
from pathlib import Path

from sitegen.harness.assignment import Conduct
from tests.harness.assignments import assignment


def test_both_survive_being_sent(tmp_path: Path) -> None:
    sent = assignment(tmp_path / "solver", "exit\n", files={"a": b"\xff"})
    assert pickle.loads(pickle.dumps(sent)) == sent
    conduct = Conduct(opaque_id="t-0", exit_code=0, stop=None, seconds=0.5, stdout=b"secret", stderr=b"")
    assert pickle.loads(pickle.dumps(conduct)) == conduct


def test_neither_shows_what_was_asked_or_answered(tmp_path: Path) -> None:
    sent = assignment(tmp_path / "solver", "exit\n", files={"secret": b"secret"})
    conduct = Conduct(opaque_id="t-0", exit_code=0, stop=None, seconds=0.5, stdout=b"secret", stderr=b"secret")
    assert "secret" not in repr(sent) + repr(conduct)
