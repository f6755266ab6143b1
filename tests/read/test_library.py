"""What belongs to a protocol's unit, and what does not."""

from __future__ import annotations

from pathlib import Path

from sitegen.read.files import Tree
from sitegen.read.library import gather_unit, read_unit
from tests.sites import make_protocol, make_run


def test_a_folder_that_holds_nothing_but_logs_is_no_run(tmp_path: Path) -> None:
    """A change of branch leaves the ignored logs of the other branch's runs behind."""
    make_protocol(tmp_path)
    logs = tmp_path / "reports/demo.v1/2026-11-30-alpha-abcdef/logs"
    logs.mkdir(parents=True)
    (logs / "sittings").write_text("1")
    with Tree(tmp_path) as tree:
        assert read_unit(tree, "demo.v1").runs == ()


def test_a_units_digests_name_every_file_but_logs(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1")
    named = {
        p.relative_to(tmp_path).as_posix() for top in ("protocols", "reports") for p in (tmp_path / top).rglob("*")
    }
    files = {name for name in named if (tmp_path / name).is_file() and "/logs/" not in name}
    with Tree(tmp_path) as tree:
        assert {path for path, _ in gather_unit(tree, "demo.v1").digests} == files
