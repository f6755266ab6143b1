"""Seven models' real outputs: the pairwise decisions against an independent computation by scipy and statsmodels."""

from __future__ import annotations

import json
from itertools import combinations, permutations
from pathlib import Path

import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from sitegen.compare.groups import ContestantGroup, RateName, analyse, contestants_of, grouped
from sitegen.compare.reports import PairedReports, compare_reports
from sitegen.harness.opening import open_run
from sitegen.read.files import Tree
from sitegen.read.transcript import read_transcripts
from sitegen.verify.verified import VerifiedUnit
from tests.sites import close_opened, judge, make_contestant, make_protocol

PACK = Path(__file__).resolve().parents[3] / "shared/data/bfcl-pack"
ALPHA = 0.05

pytestmark = pytest.mark.skipif(not PACK.is_dir(), reason=f"no {PACK}: the models' real outputs are not here")


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def unit(tmp_path_factory: pytest.TempPathFactory) -> VerifiedUnit:
    root = tmp_path_factory.mktemp("models")
    changes = {"budget": {"timeout_sec": 3600, "max_files_touched": 8}}
    tasks, null_rows = lines(PACK / "tasks.jsonl"), lines(PACK / "null_pack.jsonl")
    make_protocol(root, "function-calling.v3", tasks=tasks, null_rows=null_rows, changes=changes)
    for path in sorted((PACK / "transcripts").glob("*.jsonl")):
        opened = open_run(root, "function-calling.v3", make_contestant(root, path.stem, route=path.stem))
        with Tree(path.parent) as tree:
            close_opened(opened, read_transcripts(tree.read(path.name)))
    return judge(root, "function-calling.v3")


@pytest.fixture(scope="module")
def group(unit: VerifiedUnit) -> ContestantGroup:
    (found,) = grouped(contestants_of(unit.reports), ("retry_limit", "tool_whitelist"))
    return found


def test_the_counts_are_the_expected_ones_and_the_seventh_model_has_none(unit: VerifiedUnit) -> None:
    expected = json.loads((PACK / "expected.json").read_text(encoding="utf-8"))
    published = {report.report.route: report for report in unit.reports}
    assert published.keys() == {name for name, counts in expected.items() if counts["null_pack"] == "pass"}
    assert len(published) == 6
    assert [[refusal.slug for refusal in run.refusals] for run in unit.refused] == [["null-pack-failed"]]
    for name, report in published.items():
        found = {"ordinary": report.card.ordinary, "negative": report.card.negative}
        plain = {slice_: {k: v for k, v in counts.items() if v} for slice_, counts in found.items()}
        assert plain == expected[name]["counts"]


@pytest.mark.parametrize("rate", ["success", "abstention"])
def test_who_is_ahead_of_whom_agrees_with_scipy_and_statsmodels(group: ContestantGroup, rate: RateName) -> None:
    """All 30 one-sided exact binomial tests of scipy, adjusted by statsmodels' Holm: the same 30 decisions and p."""
    passes = {contestant.run_id: contestant.passes(rate) for contestant in group.contestants}
    claims = list(permutations(passes, 2))
    p = []
    for i, j in claims:
        wins = sum(x > y for x, y in zip(passes[i], passes[j], strict=True))
        losses = sum(x < y for x, y in zip(passes[i], passes[j], strict=True))
        p.append(stats.binomtest(wins, wins + losses, alternative="greater").pvalue if wins + losses else 1.0)
    rejected, adjusted, _, _ = multipletests(p, alpha=ALPHA, method="holm")
    analysis = analyse(group, rate)
    place = {run_id: at for at, run_id in enumerate(analysis.ids)}
    for (i, j), decided, value in zip(claims, rejected, adjusted, strict=True):
        assert analysis.family.ahead[place[i]][place[j]] == bool(decided)
        assert analysis.family.adjusted[place[i]][place[j]] == pytest.approx(min(1.0, value), rel=1e-9)
    for i, j in combinations(passes, 2):
        told = analysis.family.ahead[place[i]][place[j]] or analysis.family.ahead[place[j]][place[i]]
        assert analysis.letters is not None
        assert bool(set(analysis.letters[place[i]]) & set(analysis.letters[place[j]])) != told
    assert any(map(any, analysis.family.ahead))
    assert sum(map(sum, analysis.family.ahead)) < 15  # not all pairs can be told apart


def test_each_two_reports_agree_with_statsmodels_mcnemar(unit: VerifiedUnit) -> None:
    assert unit.protocol is not None
    for first, second in combinations(unit.reports, 2):
        found = compare_reports(unit.protocol, first, second)
        assert isinstance(found, PairedReports)
        for part in found.slices:
            table = [[part.n11, part.b], [part.c, part.n00]]
            assert part.n == sum(map(sum, table)) == {"success": 600, "abstention": 240}[part.name]
            assert part.p == pytest.approx(mcnemar(table, exact=True).pvalue, rel=1e-9)
