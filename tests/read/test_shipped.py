"""Files that travel with sitegen, and the metrics that it trusts by digest."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.digests import sha256
from sitegen.read import shipped
from sitegen.read.shipped import shipped_metric, shipped_metrics, templates_dir


def test_the_templates_are_found() -> None:
    assert (templates_dir() / "protocol" / "metric_exact_bytes.py").is_file()


def test_a_broken_installation_is_said_to_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "__file__", str(tmp_path / "sitegen" / "read" / "shipped.py"))
    with pytest.raises(FileNotFoundError, match="templates"):
        templates_dir.__wrapped__()


def test_a_shipped_metric_is_known_by_its_bytes() -> None:
    assert sorted(shipped_metrics().values()) == ["metric_exact_bytes.py", "metric_exact_diff.py"]
    for digest, name in shipped_metrics().items():
        assert digest == sha256((templates_dir() / "protocol" / name).read_bytes())


def test_only_a_shipped_metric_is_run() -> None:
    assert shipped_metric("0" * 64) is None
    exact = next(digest for digest, name in shipped_metrics().items() if name == "metric_exact_bytes.py")
    matches = shipped_metric(exact)
    assert matches is not None
    assert matches("a", b"a")
    assert not matches("a\n", b"a")
