"""A family's page: what changed, what may be compared, each exam by itself; never a difference of headline rates."""

from __future__ import annotations

import html
import re
from pathlib import Path

from sitegen.digests import sha256
from sitegen.pipeline.build import build_site
from tests.compare.test_common_tasks import COMMON, NEW, RETIRED, clustered_exams, exams, ids
from tests.sites import make_protocol, make_run


def page_text(root: Path) -> str:
    build_site(root, root / "_site")
    page = (root / "_site/families/demo/index.html").read_text(encoding="utf-8")
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


def test_the_mandatory_example_on_a_page(tmp_path: Path) -> None:
    """33/40 and 37/50 stand in tables of their own; only the common tasks are compared, and the agent gained there."""
    exams(tmp_path)
    make_run(tmp_path, "demo.v1", wrong=[*ids(COMMON)[:6], *ids(RETIRED)[:1]])
    make_run(tmp_path, "demo.v2", wrong=[*ids(COMMON)[:3], *ids(NEW)[:10]])
    text = page_text(tmp_path)
    assert "50 ordinary, 10 negative: 20 added, 10 removed, 0 changed, 40 same changed" in text
    assert "demo.v1 → demo.v2: re-run" in text
    assert "Common tasks only: 30 of 40 and 50 (success), 10 of 10 and 10 (abstention)." in text
    assert "It says nothing about tasks outside these 40." in text
    # both 24, better under the earlier 0, better under the later 3, neither 3, n 30, and new less old
    assert "task success 24 0 3 3 30 +0.100" in text
    assert "abstention accuracy 10 0 0 0 10 0.000" in text  # no difference has no sign
    assert "not distinguishable at n = 30" in text
    changes, exams_apart = text.split("Different exams")
    assert "33/40" not in changes
    assert "33/40" in exams_apart
    assert "37/50" in exams_apart
    assert "0.085" not in text  # the difference of the headline rates is nowhere
    assert "8.5" not in text


def test_what_may_not_be_compared_is_said_with_its_reason(tmp_path: Path) -> None:
    exams(tmp_path, changes={"publish": {"min_n": 30}, "budget": {"timeout_sec": 5}})
    make_run(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v2")
    text = page_text(tmp_path)
    assert "not even on common tasks. The budgets differ." in text
    assert "Common tasks only" not in text


def test_common_tasks_in_one_cluster_are_said_not_to_be_compared(tmp_path: Path) -> None:
    clustered_exams(tmp_path, common=4)
    make_run(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v2")
    text = page_text(tmp_path)
    assert "not even on common tasks. The common ordinary tasks are all in one cluster" in text
    assert "Common tasks only" not in text


def test_common_tasks_are_headed_as_such(tmp_path: Path) -> None:
    exams(tmp_path)
    make_run(tmp_path, "demo.v1")
    make_run(tmp_path, "demo.v2")
    page_text(tmp_path)
    page = (tmp_path / "_site/families/demo/index.html").read_text(encoding="utf-8")
    assert page.index("<h4>Common tasks only</h4>") < page.index("plain common") < page.index("Different exams")


def test_runs_under_other_conditions_stand_in_tables_of_their_own(tmp_path: Path) -> None:
    """As on the protocol's page: they are never tested against each other."""
    make_protocol(tmp_path, "demo.v1")
    make_protocol(tmp_path, "demo.v2", ordinary=25)
    make_run(tmp_path, "demo.v1", "alpha")
    make_run(tmp_path, "demo.v1", "beta", wrong=("T-001",), retry_limit=2)
    make_run(tmp_path, "demo.v1", "gamma", wrong=("T-001", "T-002"))
    text = page_text(tmp_path)
    assert "Under demo.v1 alone: 2 runs under the same conditions (retry limit: 0 ; tool whitelist: none )" in text
    assert "Under demo.v1 alone: 1 run under the same conditions (retry limit: 2 ; tool whitelist: none )" in text
    page = (tmp_path / "_site/families/demo/index.html").read_text(encoding="utf-8")
    tables = page.split('<table class="comparison">')[1:]
    assert [[name for name in ("alpha", "beta", "gamma") if f"{name}-1.0" in table] for table in tables] == [
        ["alpha", "gamma"],
        ["beta"],
    ]


def test_the_digest_of_a_metric_leads_to_its_bytes_where_they_are_published(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    make_protocol(tmp_path, "demo.v2", ordinary=25, changes={"publish": {"evidence": "digests"}})
    page_text(tmp_path)
    page = (tmp_path / "_site/families/demo/index.html").read_text(encoding="utf-8")
    linked = re.findall(r'href="\.\./\.\./(evidence/[^"]*)" data-sha256="([0-9a-f]{64})"><code>', page)
    assert [path for path, _ in linked] == ["evidence/demo.v1/metric.py"]
    assert sha256((tmp_path / "_site/evidence/demo.v1/metric.py").read_bytes()) == linked[0][1]


def test_a_version_that_is_refused_is_named_and_the_page_stays(tmp_path: Path) -> None:
    make_protocol(tmp_path, "demo.v1")
    make_protocol(tmp_path, "demo.v2", ordinary=25, changes={"follows": "demo.v1"})
    make_run(tmp_path, "demo.v2")
    (tmp_path / "protocols/demo.v1/tasks.jsonl").write_text("", encoding="utf-8")
    build_site(tmp_path, tmp_path / "_site", publish_accepted=True)
    text = (tmp_path / "_site/families/demo/index.html").read_text(encoding="utf-8")
    assert "1 version, latest first" in text
    assert 'Refused, and not shown here: <a href="../../protocols/demo.v1/index.html">' in text
    assert (tmp_path / "_site/protocols/demo.v1/index.html").is_file()


def test_a_protocol_that_stands_alone_has_no_family_page(tmp_path: Path) -> None:
    make_protocol(tmp_path)
    make_run(tmp_path, "demo.v1")
    build_site(tmp_path, tmp_path / "_site")
    assert not (tmp_path / "_site/families").exists()
