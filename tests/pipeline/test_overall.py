"""The pages over all protocols: they are of the same templates as all others, and name every page there is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.pipeline.build import build_site
from sitegen.pipeline.units import UnitBuilt
from sitegen.refusals import Refused
from tests.sites import make_protocol, make_run, tree_of


def test_they_tell_of_every_protocol_and_run(tmp_path: Path) -> None:
    for protocol_id in ("one.v1", "two.v1"):
        make_protocol(tmp_path, protocol_id)
        make_run(tmp_path, protocol_id, "alpha", wrong=("T-001",))
    (tmp_path / "sitegen.toml").write_text("base_url = 'https://example.org/'\n")
    built = build_site(tmp_path, tmp_path / "_site")
    files = tree_of(tmp_path / "_site")
    pages = {path for path in files if path.endswith("index.html") and path.startswith("protocols/")}
    assert len(pages) == 4
    assert all(f"/{path.removesuffix('index.html')}</loc>".encode() in files["sitemap.xml"] for path in pages)
    assert len(json.loads(files["data/reports.json"])["reports"]) == built.reports == 2
    assert sorted(json.loads(files["data/claims.json"])["protocols"]) == ["one.v1", "two.v1"]


MEDDLING: dict[str, Callable[[Path], object]] = {
    "edited": lambda own: (own / "404.html").write_bytes(b"{# another #}"),
    "removed": lambda own: (own / "404.html").unlink(missing_ok=True),
    "added": lambda own: (own / "home.html").write_bytes(b"{# another #}"),
}


@pytest.mark.parametrize("meddle", MEDDLING.values(), ids=MEDDLING)
def test_a_template_that_changes_during_a_build_is_refused(tmp_path: Path, meddle: Callable[[Path], object]) -> None:
    """A site is not published as that of templates which its pages were not made of."""
    root, output = tmp_path / "root", tmp_path / "out"
    make_protocol(root, "draft.v1", seal=False)
    own = root / "templates" / "site"
    own.mkdir(parents=True)
    (own / "404.html").write_text("{% extends 'base.html' %}{% block main %}<h1>Ours</h1>{% endblock %}")
    build_site(root, output)
    before = tree_of(output)
    make_protocol(root, "draft.v2", seal=False)

    def watch(unit: UnitBuilt) -> None:
        meddle(own)

    with pytest.raises(Refused) as refused:
        build_site(root, output, watch=watch)
    assert [refusal.slug for refusal in refused.value.refusals] == ["asset-drift"]
    assert tree_of(output) == before
