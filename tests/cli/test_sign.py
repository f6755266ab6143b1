"""`sitegen sign`: every new signature is named, and a second call has nothing to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sitegen.cli import main
from tests.audit.keys import make_key
from tests.sites import make_protocol


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen on this machine")
def test_it_signs_what_is_not_signed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_protocol(tmp_path / "root", "demo.v1")
    key = make_key(tmp_path, "key")
    arguments = ["sign", "--root", str(tmp_path / "root"), "--key", str(key)]
    assert main(arguments) == 0
    (path,) = capsys.readouterr().out.split()
    assert (tmp_path / "root" / path).read_bytes().startswith(b"-----BEGIN SSH SIGNATURE-----")
    assert main(arguments) == 0
    assert capsys.readouterr().out == ""
    assert main([*arguments[:-1], str(tmp_path / "nokey")]) == 0  # nothing to sign, so no key is asked for
