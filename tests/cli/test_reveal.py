"""`sitegen reveal`: from the command line, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.cli import main
from sitegen.pipeline.build import build_site
from tests.audit.hidden import hidden


def test_it_opens_a_published_site_and_records_that(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hidden(tmp_path / "root", "outcomes")
    build_site(tmp_path / "root", tmp_path / "site")
    protocol = str(tmp_path / "root" / "protocols" / "demo.v1")
    assert main(["reveal", protocol, "--published", str(tmp_path / "site")]) == 0
    assert "22 commitments opened, 1 report verified" in capsys.readouterr().out
    assert main(["reveal", protocol]) == 2
    assert main(["verify", str(tmp_path / "root")]) == 0
