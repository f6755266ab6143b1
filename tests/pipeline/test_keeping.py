"""A unit is kept when nothing it came from changed, and made anew otherwise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.pipeline import standing
from sitegen.pipeline.build import build_site
from sitegen.pipeline.units import UnitBuilt
from sitegen.refusals import Refused
from tests.sites import make_protocol, make_run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for protocol_id in ("one.v1", "two.v1"):
        make_protocol(tmp_path, protocol_id)
        make_run(tmp_path, protocol_id, "alpha", wrong=("T-001",))
    return tmp_path


def kept(root: Path) -> dict[str, bool]:
    seen: dict[str, bool] = {}

    def watch(unit: UnitBuilt) -> None:
        seen[unit.facts.protocol_id] = unit.kept

    build_site(root, root / "_site", cache=root / "cache", watch=watch)
    return seen


def test_what_did_not_change_is_kept(root: Path) -> None:
    assert kept(root) == {"one.v1": False, "two.v1": False}
    assert kept(root) == {"one.v1": True, "two.v1": True}


def test_one_more_run_makes_only_its_own_protocol_anew(root: Path) -> None:
    kept(root)
    make_run(root, "two.v1", "beta")
    assert kept(root) == {"one.v1": True, "two.v1": False}


def test_after_one_was_made_anew_all_are_kept(root: Path) -> None:
    """The state of a file changes when the old site's link to it goes; what is noted is the state after that."""
    kept(root)
    make_run(root, "two.v1", "beta")
    kept(root)
    assert kept(root) == {"one.v1": True, "two.v1": True}


@pytest.mark.parametrize(
    "settings", ["title = 'Another'\n", "allow_secrets = []\n"], ids=["title", "a setting without effect"]
)
def test_other_settings_make_everything_anew(root: Path, settings: str) -> None:
    kept(root)
    (root / "sitegen.toml").write_text(settings)
    assert kept(root) == {"one.v1": False, "two.v1": False}


def test_a_changed_output_is_made_anew(root: Path) -> None:
    kept(root)
    (root / "_site/protocols/one.v1/index.html").write_text("altered")
    assert kept(root) == {"one.v1": False, "two.v1": True}
    assert "altered" not in (root / "_site/protocols/one.v1/index.html").read_text()


def test_a_preview_may_trust_times_and_a_build_never_does(root: Path) -> None:
    """Bytes that change behind an unchanged size, time and inode are what the hashing of every build is for."""
    report = next(root.glob("reports/one.v1/*alpha*/report.json"))

    def build(trust_stat: bool) -> set[bool]:
        seen: list[UnitBuilt] = []
        build_site(root, root / "_site", cache=root / "cache", trust_stat=trust_stat, watch=seen.append)
        return {unit.kept for unit in seen}

    assert build(True) == {False}
    data = report.read_bytes()
    with pytest.MonkeyPatch.context() as patch:  # a file system that tells of no change
        patch.setattr(standing, "_line", lambda path, status: path)
        build(True)
        assert build(True) == {True}
        report.write_bytes(data.replace(b"success", b"failure", 1))
        assert build(True) == {True}  # not noticed: this is why it is for previews
        with pytest.raises(Refused):
            build(False)
    with pytest.raises(Refused):  # with true times it is noticed here too
        build(True)


def test_a_build_that_keeps_all_loads_nothing_that_makes_pages(root: Path) -> None:
    """Loading all of it takes longer than such a build of a small site."""
    code = (
        "import sys; from pathlib import Path; from sitegen.pipeline.build import build_site; root = Path(sys.argv[1]);"
        "build_site(root, root / '_site', cache=root / 'cache');"
        "print(*(name for name in sys.modules if name.startswith(('sitegen.', 'altair', 'jinja2', 'numpy'))))"
    )
    command = [sys.executable, "-c", code, str(root)]
    first, second = (
        set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()) for _ in range(2)
    )
    makers = {"jinja2", "sitegen.pipeline.making", "sitegen.pipeline.overall", "sitegen.verify.verifier"}
    assert makers <= first
    assert not [name for name in second if name in makers or name.startswith(("sitegen.verify", "sitegen.compare"))]
