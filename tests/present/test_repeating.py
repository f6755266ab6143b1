"""Repeated runs on a protocol's page: all of them, as one contestant, with the whole scorecard."""

from __future__ import annotations

import html
import re
from fractions import Fraction
from pathlib import Path

from sitegen.compare.groups import contestants_of
from sitegen.compare.repeated import repeated_runs
from sitegen.measure.clusters import effective_wilson
from sitegen.pipeline.build import build_site
from sitegen.present.page import Page
from sitegen.present.page_check import find_page_faults
from sitegen.present.repeating import RepeatedView, _tasks, repeated_view
from tests.sites import judge, make_protocol, make_run


def made(root: Path, *wrong: list[str]) -> RepeatedView:
    make_protocol(root)
    for tasks in wrong:
        make_run(root, "demo.v1", wrong=tasks, invalid=["N-001"])
    (contestant,) = contestants_of(judge(root, "demo.v1").reports)
    found = repeated_runs(contestant)
    assert found is not None
    return repeated_view(found)


def test_every_rate_of_the_scorecard_is_over_all_runs(tmp_path: Path) -> None:
    view = made(tmp_path, ["T-001", "T-002"], ["T-001"], ["T-001"])
    rates = dict(view.rates)
    assert list(rates) == ["success", "abstention", "invalid", "false"]
    assert (rates["success"].passes, rates["success"].text) == (56, "0.933")
    assert (rates["invalid"].passes, rates["invalid"].text) == (3, "0.100")
    expected = effective_wilson([0.0, 2 / 3] + [1.0] * 18, None, 3)
    assert f"{expected.n_eff:.1f} independent tasks" in rates["success"].worth
    assert "standard deviation" in rates["success"].noise
    assert rates["invalid"].noise == "no task changed from run to run"
    assert (view.runs, view.tasks, view.controls, view.null_pack) == (3, 20, 10, "3/3, 3/3, 3/3")


def test_pass_hat_k_is_shown_up_to_the_number_of_runs_and_no_further(tmp_path: Path) -> None:
    view = made(tmp_path, ["T-001", "T-002"], ["T-001"])
    assert view.ks == (2,)
    cells = {line.name: [(cell.text, cell.passes, cell.tasks) for cell in line.cells] for line in view.of_runs}
    assert cells["task success, all of k runs (pass^k)"] == [("0.900", "18", 20)]
    assert cells["task success, any of k runs (pass@k)"] == [("0.950", "19", 20)]
    assert cells["abstention accuracy, all of k runs (pass^k)"] == [("0.900", "9", 10)]


def test_of_fewer_runs_than_were_made_a_task_counts_by_its_share_and_never_all_or_none(tmp_path: Path) -> None:
    """T-001 passes in one of three runs: in none of the three pairs of runs both, in two of them any."""
    view = made(tmp_path, ["T-001"], ["T-001"], [])
    cells = {line.name: [(cell.text, cell.passes) for cell in line.cells] for line in view.of_runs}
    assert view.ks == (2, 3)
    assert cells["task success, all of k runs (pass^k)"] == [("0.950", "19"), ("0.950", "19")]
    assert cells["task success, any of k runs (pass@k)"] == [("0.983", "19.7"), ("1.000", "20")]
    assert _tasks(Fraction(299_999, 10_000), 30) == "29.9"
    assert _tasks(Fraction(1, 10_000), 30) == "0.1"


def test_the_block_stands_on_the_page_and_the_page_holds(tmp_path: Path) -> None:
    view = made(tmp_path, ["T-001", "T-002"], ["T-001"])
    build_site(tmp_path, tmp_path / "_site")
    page = tmp_path / "_site/protocols/demo.v1/index.html"
    assert find_page_faults(Page(path="protocols/demo.v1/index.html", data=page.read_bytes())) == []
    text = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page.read_text(encoding="utf-8"))))
    assert "Both runs of alpha-1.0 together: none is left out and the best is not chosen" in text
    assert "0.925 37/40" in text
    assert "wilson-eff over 20 tasks × 2 runs" in text
    assert "0.900 18/20" in text
    (whole, of_runs) = (
        part.split("</table>")[0] for part in page.read_text().split('<table class="plain repeated">')[1:]
    )
    assert whole.count('class="bar"') == 4
    assert of_runs.count('class="bar"') == 4
    for run_id in view.run_ids:
        assert f'href="#run-{run_id}"' in page.read_text(encoding="utf-8")
