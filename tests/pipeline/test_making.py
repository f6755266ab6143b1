"""What is made of a unit: nothing that may never be out, and nothing remembered that its key does not name."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.cli import main
from sitegen.pipeline.build import build_site
from sitegen.pipeline.units import UnitBuilt
from sitegen.refusals import Refused
from tests.sites import make_protocol, make_run, tree_of


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    make_protocol(root, "demo.v1")
    make_run(root, "demo.v1", "alpha", wrong=("T-001",))
    return root


def test_a_key_in_the_evidence_stops_the_build_and_is_not_shown(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    make_run(site, "demo.v1", "leaky", answers={"T-001": key}, unasked=True)
    for options in ([], ["--publish-accepted"]):
        assert main(["build", str(site), "-o", str(site / "_site"), *options]) in (1, 4)
        said = capsys.readouterr()
        assert "evidence-secret" in said.err
        assert key not in said.err + said.out
        assert not any(key.encode() in data for data in tree_of(site / "_site").values())


def test_an_override_that_shows_a_rate_alone_is_refused(site: Path) -> None:
    """The owner's templates may change the look; what a page keeps is checked on every page of such a build."""
    from sitegen.read.shipped import templates_dir

    own = site / "templates/site"
    own.mkdir(parents=True)
    shipped = (templates_dir() / "site/home.html").read_text()
    (own / "home.html").write_text(shipped.replace("{% endblock %}", "<p>closing words</p>{% endblock %}", 1))
    build_site(site, site / "_site")
    assert "closing words" in (site / "_site/index.html").read_text()
    alone = '<p data-run="x"><span data-k="1" data-n="2" data-low="0" data-high="1">0.500</span></p>{% endblock %}'
    (own / "home.html").write_text(shipped.replace("{% endblock %}", alone, 1))
    with pytest.raises(Refused, match="page-shape"):
        build_site(site, site / "_site")
    assert "closing words" in (site / "_site/index.html").read_text()


def test_what_was_made_counts_its_files(site: Path) -> None:
    units: list[UnitBuilt] = []
    build_site(site, site / "_site", watch=units.append)
    (unit,) = units
    of_it = [path for path in tree_of(site / "_site") if path.startswith(("protocols/", "evidence/", "data/demo.v1"))]
    assert unit.published
    assert unit.count == unit.written == len(of_it)
    assert set(unit.facts.reports) == {path.parent.name for path in site.glob("reports/demo.v1/*/report.json")}


def test_what_cannot_be_read_is_not_remembered(site: Path, tmp_path: Path) -> None:
    make_protocol(site, "other.v1", seal=False)
    (site / "reports/other.v1").symlink_to(site / "reports/demo.v1")
    for _ in range(2):
        units: list[UnitBuilt] = []
        build_site(site, site / "_site", cache=tmp_path / "cache", publish_accepted=True, watch=units.append)
        assert [(unit.facts.protocol_id, unit.key != "") for unit in units] == [("demo.v1", True), ("other.v1", False)]
    assert units[0].kept
    assert not units[1].kept
