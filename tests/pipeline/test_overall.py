"""The pages over all protocols: they are of the same templates as all others, and name every page there is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.pipeline.auditing import audit_site
from sitegen.pipeline.build import build_site
from sitegen.pipeline.units import UnitBuilt
from sitegen.refusals import Refused
from tests.corpus_builder.base import KEY
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


def test_what_none_of_the_protocols_tells_of_is_listed_too(tmp_path: Path) -> None:
    """A file that belongs nowhere, a protocol that is gone, and one that is held back whole for a key in it."""
    root, output = tmp_path / "root", tmp_path / "_site"

    def listed() -> tuple[str, list[str]]:
        built = build_site(root, output, cache=tmp_path / "cache", previous=str(before), publish_accepted=True)
        files = tree_of(output)
        page, claims = files["refused/index.html"].decode(), json.loads(files["data/claims.json"])
        assert built.files == len(files)
        return page.partition('id="reasons"')[0], [refusal["slug"] for refusal in claims.get("refusals", ())]

    for protocol_id in ("gone.v1", "kept.v1"):
        make_protocol(root, protocol_id)
    before = tmp_path / "before"
    build_site(root, before)
    make_protocol(root, "secret.v1", files={"notes.md": f"Log in with {KEY}.\n"})
    page, claimed = listed()
    assert "The site as a whole" in page
    assert "evidence/secret.v1/notes.md" in page
    assert KEY not in page
    assert claimed == ["evidence-secret"]
    shutil.rmtree(root / "protocols" / "gone.v1")
    shutil.rmtree(root / "reports" / "gone.v1")
    assert sorted(listed()[1]) == ["evidence-secret", "history-removed"]
    (root / "protocols" / "stray.txt").write_text("x")
    page, claimed = listed()
    assert sorted(claimed) == ["evidence-secret", "file-unlisted", "history-removed"]
    assert "protocols/stray.txt" in page
    unchecked = {fault.file for fault in audit_site(str(output)).faults}
    assert unchecked == {"evidence/secret.v1", "protocols/secret.v1"}
    (root / "protocols" / "secret.v1" / "notes.md").unlink()
    assert sorted(listed()[1]) == ["file-unlisted", "history-removed"]
    assert audit_site(str(output)).faults == ()


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
