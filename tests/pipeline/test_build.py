"""The whole order: what a build publishes, what it refuses, and what it leaves alone."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen.cli import main
from sitegen.measure.scorecard import estimate
from sitegen.pipeline.build import Built, build_site
from sitegen.pipeline.cache import cache_folder
from sitegen.pipeline.units import UnitBuilt
from sitegen.refusals import Refused
from tests.sites import make_protocol, make_run, tree_of


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with one published, one failed, one exploratory and one open run, and a draft."""
    root = tmp_path_factory.mktemp("site")
    make_protocol(root, "demo.v1")
    make_run(root, "demo.v1", "alpha", wrong=("T-001", "T-002", "T-003"), invalid=("N-001",))
    make_run(root, "demo.v1", "beta", wrong=("T-001",), abstained=("T-004",))
    make_run(root, "demo.v1", "stub", answers={"NP-REFUSE": "always"}, wrong=[f"T-{i:03}" for i in range(1, 14)])
    make_run(root, "demo.v1", "rehearsal", wrong=[f"T-{i:03}" for i in range(1, 18)], channel="exploratory")
    make_protocol(root, "draft.v1", seal=False)
    return root


@pytest.fixture
def site(sealed: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return shutil.copytree(sealed, tmp_path / "root")


@pytest.fixture(scope="session", autouse=True)
def remembered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One cache for all tests here: drawing charts anew for each build would take most of the time."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder / "sitegen"


def build(site: Path, output: Path) -> Built:
    return build_site(site, output, cache=cache_folder())


def test_honest_outcomes_are_listed_and_the_exit_is_0(site: Path) -> None:
    assert main(["build", str(site), "-o", str(site / "_site"), "--quiet"]) == 0
    refused = (site / "_site/refused/index.html").read_text()
    for slug in ("null-pack-failed", "channel-exploratory", "protocol-draft"):
        assert slug in refused


def test_no_number_of_a_run_that_is_not_published_is_in_any_byte_of_the_site(site: Path) -> None:
    """The stub would have 7/20, the rehearsal 3/20; the published runs have 17/20 and 18/20."""
    build(site, site / "_site")
    text = b"".join(tree_of(site / "_site").values()).decode("utf-8", "replace")
    for k in (17, 18):
        assert re.search(rf"(?<!\d){k}/20", text)
    for k in (7, 3):
        card = estimate(k, 20, "wilson")
        assert not re.search(rf"(?<!\d){k}/20", text)
        for bound in card.stated:
            assert str(bound) not in text


def test_a_run_without_figures_is_not_in_the_exports(site: Path) -> None:
    build(site, site / "_site")
    exported = (site / "_site/data/reports.json").read_text()
    assert "alpha" in exported
    assert "stub" not in exported
    assert "rehearsal" not in exported


def test_a_fault_leaves_the_old_site_byte_for_byte(site: Path) -> None:
    output = site / "_site"
    build(site, output)
    before = tree_of(output)
    report = next(site.glob("reports/demo.v1/*alpha*/report.json"))
    data = bytearray(report.read_bytes())
    data[len(data) // 2] ^= 1
    report.write_bytes(bytes(data))
    assert main(["build", str(site), "-o", str(output), "--quiet"]) == 1
    assert tree_of(output) == before


def test_publish_accepted_publishes_the_rest_and_exits_4(site: Path) -> None:
    output = site / "_site"
    transcripts = next(site.glob("reports/demo.v1/*alpha*/transcripts.jsonl"))
    transcripts.write_bytes(transcripts.read_bytes().replace(b'"wrong"', b'"wring"'))
    assert main(["build", str(site), "-o", str(output), "--quiet", "--publish-accepted"]) == 4
    page = (output / "protocols/demo.v1/index.html").read_text()
    assert "18/20" in page
    assert "17/20" not in page
    assert "evidence-mismatch" in (output / "refused/index.html").read_text()


def test_twice_in_another_folder_zone_and_locale_gives_the_same_bytes(site: Path, tmp_path: Path) -> None:
    build(site, tmp_path / "one")
    elsewhere = shutil.copytree(site, tmp_path / "else where")
    environment = {**os.environ, "TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "7", "HOME": "/"}
    command = [sys.executable, "-m", "sitegen", "build", str(elsewhere), "-o", str(tmp_path / "two"), "--no-cache"]
    subprocess.run(command, check=True, env=environment, capture_output=True)
    assert tree_of(tmp_path / "one") == tree_of(tmp_path / "two")


def test_a_build_over_an_equal_site_writes_nothing_anew(site: Path) -> None:
    first = build(site, site / "_site")
    second = build(site, site / "_site")
    assert first.written == first.files
    assert second.written == 0


def test_an_altered_and_a_deleted_page_are_repaired(site: Path) -> None:
    output = site / "_site"
    build(site, output)
    before = tree_of(output)
    (output / "index.html").write_bytes(b"altered")
    (output / "data/reports.json").unlink()
    (output / "extra.html").write_bytes(b"added")
    build(site, output)
    assert tree_of(output) == before


def test_a_warm_build_is_the_cold_one(site: Path) -> None:
    """One report more: the other protocol's pages are kept, and all bytes are those of a build that knew nothing."""
    make_protocol(site, "second.v1")
    make_run(site, "second.v1", "alpha")
    build(site, site / "warm")
    make_run(site, "demo.v1", "gamma", wrong=("T-005",))
    assert build(site, site / "warm").reports == 4
    build_site(site, site / "cold")
    assert tree_of(site / "warm") == tree_of(site / "cold")


def test_an_entry_of_the_cache_that_was_altered_is_not_believed(site: Path, remembered: Path) -> None:
    build(site, site / "_site")
    for entry in [p for p in remembered.rglob("*") if p.is_file() and "figures" not in p.parts]:
        data = entry.read_bytes()
        entry.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    before = tree_of(site / "_site")
    build(site, site / "_site")
    assert tree_of(site / "_site") == before


def test_two_processes_give_the_same_bytes_as_one(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sitegen.pipeline import units, workers

    build(site, site / "one")
    monkeypatch.setattr(workers, "WORTH_TWO_PROCESSES", 1)
    monkeypatch.setattr(units.Memory, "get", lambda self, kind, key: None)
    build(site, site / "two")
    assert tree_of(site / "one") == tree_of(site / "two")


def test_a_folder_that_is_not_ours_is_never_touched(site: Path) -> None:
    mine = site / "mine"
    mine.mkdir()
    (mine / "letter.txt").write_text("do not touch")
    assert main(["build", str(site), "-o", str(mine), "--quiet"]) == 3
    assert tree_of(mine) == {"letter.txt": b"do not touch"}


def test_what_was_made_of_a_kept_protocol_may_be_lost(site: Path, remembered: Path) -> None:
    """The cache forgets it between two builds: the protocol is built anew and the site is whole."""
    make_protocol(site, "second.v1")
    make_run(site, "second.v1", "alpha")
    build(site, site / "_site")
    shutil.rmtree(remembered / "made")
    make_run(site, "second.v1", "beta")
    build(site, site / "_site")
    build_site(site, site / "cold")
    assert tree_of(site / "_site") == tree_of(site / "cold")


def test_a_kept_protocol_that_was_lost_and_changed_meanwhile_is_refused(site: Path, remembered: Path) -> None:
    """Its faults were judged by other bytes than those that it would be made of now."""
    make_protocol(site, "second.v1")
    make_run(site, "second.v1", "alpha")
    build(site, site / "_site")
    before = tree_of(site / "_site")
    make_run(site, "second.v1", "beta")

    def meddle(unit: UnitBuilt) -> None:
        if unit.facts.protocol_id == "second.v1":  # the last one: all were judged
            shutil.rmtree(remembered / "made", ignore_errors=True)
            make_run(site, "demo.v1", "late")

    with pytest.raises(Refused, match="file-changed"):
        build_site(site, site / "_site", cache=cache_folder(), watch=meddle)
    assert tree_of(site / "_site") == before


@pytest.mark.parametrize("place", ["protocols/out", "reports", ".", "protocols/demo.v1"])
def test_the_output_may_not_overlap_the_inputs(site: Path, place: str) -> None:
    before = tree_of(site)
    with pytest.raises(Refused) as refused:
        build(site, site / place)
    assert {refusal.slug for refusal in refused.value.refusals} <= {"output-overlap", "output-not-ours"}
    assert tree_of(site) == before


def test_an_empty_folder_builds_an_empty_site(tmp_path: Path) -> None:
    assert main(["build", str(tmp_path), "-o", str(tmp_path / "_site"), "--quiet"]) == 0
    assert (tmp_path / "_site/index.html").is_file()


def test_verify_and_build_say_the_same(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    metric = site / "protocols/demo.v1/metric.py"
    metric.write_bytes(metric.read_bytes() + b"#")
    said = []
    for command in (["verify", str(site)], ["build", str(site), "-o", str(site / "_site")]):
        assert main([*command, "--format", "json", "--quiet"]) == 1
        said.append({line for line in capsys.readouterr().out.splitlines() if json.loads(line).get("slug")})
    assert said[0] == said[1]
    assert any(json.loads(line)["slug"] == "metric-drift" for line in said[0])


def test_any_flipped_byte_of_what_a_report_rests_on_is_refused(site: Path) -> None:
    """Sixty places drawn at random, the seed printed on failure; the sweep of every byte is in tests/verify."""
    alpha = next(site.glob("reports/demo.v1/*alpha*"))
    files = [p for p in [*alpha.rglob("*"), *(site / "protocols/demo.v1").rglob("*")] if p.is_file()]
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    draw = random.Random(seed)
    for _ in range(60):
        file = draw.choice(files)
        data = file.read_bytes()
        place = draw.randrange(len(data))
        changed = bytearray(data)
        changed[place] ^= 1 << draw.randrange(8)
        file.write_bytes(bytes(changed))
        with pytest.raises(Refused):
            build(site, site / "_site")
        file.write_bytes(data)
    assert not (site / "_site").exists()


def test_a_site_of_two_branches_merges_and_builds(site: Path) -> None:
    """Two people each add a run to the same ledger: git merges their branches without a conflict."""
    shutil.rmtree(site / "_site", ignore_errors=True)

    def git(*arguments: str) -> None:
        options = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *options, *arguments], cwd=site, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "base")
    git("checkout", "-qb", "first")
    make_run(site, "demo.v1", "gamma", wrong=("T-002",))
    git("add", "-A")
    git("commit", "-qm", "gamma")
    git("checkout", "-q", "main")
    git("checkout", "-qb", "second")
    make_run(site, "demo.v1", "delta", wrong=("T-003",))
    git("add", "-A")
    git("commit", "-qm", "delta")
    git("merge", "-q", "--no-edit", "first")
    built = build(site, site / "_site")
    assert built.reports == 4


def test_verify_loads_neither_altair_nor_jinja2(site: Path) -> None:
    code = (
        "import sys; from sitegen.cli import main; main(['verify', sys.argv[1], '--quiet']);"
        "sys.exit(any(name in sys.modules for name in ('altair', 'jinja2', 'vl_convert')))"
    )
    assert subprocess.run([sys.executable, "-c", code, str(site)], check=False, capture_output=True).returncode == 0


def test_a_losing_run_that_was_published_cannot_be_forgotten(site: Path) -> None:
    build(site, site / "_site")
    shutil.rmtree(next(site.glob("reports/demo.v1/*alpha*")))
    start, end = (
        next(
            path
            for path in site.glob("reports/demo.v1/ledger/*.json")
            if kind in path.read_text() and "alpha" in path.read_text()
        )
        for kind in ('"event":"start"', '"event":"end"')
    )
    end.unlink()
    start.unlink()
    with pytest.raises(Refused) as refused:
        build_site(site, site / "_next", cache=cache_folder(), previous=str(site / "_site"))
    slugs = {refusal.slug for refusal in refused.value.refusals}
    assert slugs & {"ledger-broken", "ledger-shortened", "ledger-forked"}
    assert "history-removed" in slugs


@pytest.mark.parametrize(
    ("history", "fault"),
    [
        ("_site", None),
        ("nowhere", ("history-unreadable", "site/nowhere")),
        ("a\\u0000b", ("history-unreadable", "site/a\0b")),
        ("http://[bad", ("history-unreadable", "http://[bad")),
        ("ftp://a.example/", ("field-range", "sitegen.toml")),
    ],
)
def test_the_settings_name_the_last_published_site(history: str, fault: tuple[str, str] | None, tmp_path: Path) -> None:
    """As a folder of the site's own, wherever the build is called from, or as an address."""
    root = tmp_path / "site"
    root.mkdir()
    build_site(root, root / "_site")
    (root / "sitegen.toml").write_text(f'history = "{history}"\n')
    if fault is None:
        assert build_site(root, tmp_path / "next").refusals == ()
        return
    with pytest.raises(Refused) as refused:
        build_site(root, tmp_path / "next")
    assert [(found.slug, found.file.removeprefix(f"{tmp_path}/")) for found in refused.value.refusals] == [fault]


def test_a_published_site_that_cannot_be_reached_is_no_fault_of_this_one(tmp_path: Path) -> None:
    (tmp_path / "sitegen.toml").write_text('history = "http://127.0.0.1:9/"\n')
    with pytest.raises(ConnectionError, match=r"127\.0\.0\.1:9/site\.json"):
        build_site(tmp_path, tmp_path / "next")


def test_a_run_whose_start_was_published_before_is_announced(site: Path) -> None:
    build(site, site / "_site")
    first = (site / "_site/protocols/demo.v1/index.html").read_text()
    build_site(site, site / "_next", cache=cache_folder(), previous=str(site / "_site"))
    second = (site / "_next/protocols/demo.v1/index.html").read_text()
    assert "unwitnessed" in first
    assert "unwitnessed" not in second
    assert "announced" in second


def test_an_unsafe_link_in_the_notes_is_refused_by_verify_and_build_alike(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "protocols/demo.v1/notes.md").write_text("See [here](javascript:alert(1)).\n")
    for command in (["verify", str(site)], ["build", str(site), "-o", str(site / "_site")]):
        assert main([*command, "--quiet"]) == 1
        assert "link-unsafe" in capsys.readouterr().err
