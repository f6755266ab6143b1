"""What the two founding documents' own code gets wrong (design.md, section 6): each entry is one test."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli import main
from sitegen.digests import folder_digest, sha256
from sitegen.harness.sealing import prepare_seal, write_seal
from sitegen.measure.scorecard import estimate
from sitegen.read.shipped import templates_dir
from sitegen.refusals import Refused
from tests.corpus_builder.site import Site
from tests.harness.exam_kit import SOLVER, make_exam, negative, ordinary
from tests.sites import judge, make_protocol, make_run, negative_tasks, ordinary_tasks

DESIGN = Path(__file__).resolve().parents[2] / "shared" / "design" / "design.md"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    tasks = [{**task, "oracle": f"oracles/{i}.txt"} for i, task in enumerate(ordinary_tasks(3), start=1)]
    oracles = {f"oracles/{i}.txt": str(i) for i in (1, 2, 3)}
    parts = {"dataset": {"oracle": "path"}, "null_pack": {"oracle": "inline"}}
    make_protocol(tmp_path, tasks=[*tasks, *negative_tasks(1)], files=oracles, changes=parts)
    answers = {f"T-00{i}": str(i) for i in (1, 2, 3)}
    make_run(tmp_path, "demo.v1", answers=answers)
    return Site(tmp_path)


def slugs(site: Site) -> set[str]:
    return {refusal.slug for refusal in judge(site.root, "demo.v1").all_refusals}


def refused(root: Path, **given: Any) -> set[str]:
    with pytest.raises(Refused) as caught:
        make_protocol(root, **given)
    return {refusal.slug for refusal in caught.value.refusals}


def test_every_digest_is_checked_after_sealing(site: Site) -> None:
    path = site.protocol / "tasks.jsonl"
    path.write_bytes(path.read_bytes() + b"\n")
    assert slugs(site) == {"dataset-drift"}


def test_digests_are_filled_by_key_and_not_by_text_position(tmp_path: Path) -> None:
    """The parts may stand in any order, and the placeholder may be a word of the title."""
    make_protocol(tmp_path, ordinary=3, negative=1, seal=False, changes={"title": "PENDING_SEAL"})
    folder = tmp_path / "protocols" / "demo.v1"
    text = (folder / "protocol.yaml").read_text()
    parts = re.findall(r"^(?:\S.*\n)(?: .*\n)*", text, flags=re.MULTILINE)
    (folder / "protocol.yaml").write_text("".join(reversed(parts)))
    sealing = prepare_seal(tmp_path, "demo.v1")
    sealed = sealing.document.protocol
    assert sealed.title == "PENDING_SEAL"
    assert sealed.metric.sha256 == sha256((folder / "metric.py").read_bytes())
    assert sealed.dataset.sha256 == sha256((folder / "tasks.jsonl").read_bytes())


@pytest.mark.parametrize(
    ("name", "old", "new", "slug"),
    [
        ("oracles/2.txt", "2", "wrong", "file-drift"),
        ("protocol.sealed.yaml", "timeout_sec: 60", "timeout_sec: 600", "protocol-drift"),
        ("protocol.sealed.yaml", "must_refuse: [NP-REFUSE]", "must_refuse: [NP-PASS]", "protocol-drift"),
    ],
)
def test_oracles_budget_and_rules_are_sealed(name: str, old: str, new: str, slug: str, site: Site) -> None:
    site.replace(site.protocol / name, old, new)
    assert slug in slugs(site)


def test_sealed_means_recorded_and_not_that_a_word_is_absent(tmp_path: Path) -> None:
    """A document without the placeholder, whose digests are even right, is no sealed protocol."""
    make_protocol(tmp_path, ordinary=3, negative=1)
    sealed = tmp_path / "protocols" / "demo.v1" / "protocol.sealed.yaml"
    shutil.rmtree(tmp_path / "reports")
    assert "PENDING_SEAL" not in sealed.read_text()
    assert {refusal.slug for refusal in judge(tmp_path, "demo.v1").all_refusals} == {"seal-missing"}


def test_a_timeout_is_one_outcome_and_not_the_end_of_the_run(tmp_path: Path) -> None:
    tasks = (ordinary("D-1", "one", act="hang"), ordinary("D-2", "two"), negative("N-1"))
    exam = make_exam(tmp_path, tasks, timeout_sec=2)
    manifest = exam.contestant({"solve.sh": SOLVER, "act-hang.sh": "sleep 60\n"})
    _, report = exam.run(manifest, "--isolation", "none")
    assert report["counts"]["ordinary"]["timeout"] == report["counts"]["ordinary"]["success"] == 1
    assert (report["n"], report["mean"]) == (2, 0.5)


@pytest.mark.parametrize("status", ["error", "not_run", "timeout"])
def test_a_dead_solver_fails_every_class_of_the_null_pack(status: str, tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1)
    dead = {"status": status, "artifact": None, "abstained": False}
    closed = make_run(tmp_path, "demo.v1", rows={f"NP-{name}": dead for name in ("PASS", "FAIL", "REFUSE")})
    assert (closed.reason, closed.rows) == ("null-pack-failed", ("NP-PASS", "NP-FAIL", "NP-REFUSE"))


def test_the_file_budget_is_read(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=3, negative=1, changes={"budget": {"max_files_touched": 2}})
    card = make_run(tmp_path, "demo.v1", rows={"T-001": {"files_touched": 3}, "T-002": {"files_touched": 2}}).card
    assert card is not None
    assert (card.ordinary["over_budget"], card.ordinary["success"]) == (1, 2)


def test_the_rules_are_read(tmp_path: Path) -> None:
    rules = {"must_pass": ["NP-PASS"], "must_fail": ["NP-REFUSE"], "must_refuse": ["NP-FAIL"]}
    assert refused(tmp_path, ordinary=3, negative=1, changes={"null_pack": {"rules": rules}}) == {"rules-contradict"}


def test_the_interval_is_required(tmp_path: Path) -> None:
    assert refused(tmp_path, ordinary=3, negative=1, changes={"publish": {"require_ci": False}}) == {"field-range"}


def test_forbidden_fields_are_read(site: Site) -> None:
    site.report(lambda value: value["made_by"].update(single_percentage_only=98))
    assert "forbidden-field" in slugs(site)


SPY = """\
cat ../oracles/* ../../oracles/* ../tasks/tasks.jsonl ../../protocols/*/tasks/*.jsonl 2>/dev/null
for report in ../report.json ../../report.json "$SOLVER_DIR/../report.json"; do
  printf '{"mean": 1.0}' 2>/dev/null >"$report"
done
exit 0
"""


def test_a_solver_finds_no_oracle_beside_it_and_writes_no_report(tmp_path: Path) -> None:
    """Its folder holds its own task, and whatever it writes next to it, the report is the scorer's."""
    tasks = (ordinary("D-1", "x", oracle="canary", act="spy"), ordinary("D-2", "two"), negative("N-1"))
    exam = make_exam(tmp_path, tasks)
    folder, report = exam.run(exam.contestant({"solve.sh": SOLVER, "act-spy.sh": SPY}))
    assert "canary" not in (folder / "transcripts.jsonl").read_text()
    assert (report["counts"]["ordinary"]["success"], report["n"]) == (1, 2)
    assert exam.call("verify").returncode == 0


def test_the_exact_diff_compares_names_and_every_line() -> None:
    from importlib.util import module_from_spec, spec_from_file_location

    path = templates_dir() / "protocol" / "metric_exact_diff.py"
    spec = spec_from_file_location("exact_diff", path)
    assert spec is not None
    assert spec.loader is not None
    metric = module_from_spec(spec)
    spec.loader.exec_module(metric)
    diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n same\n"
    assert metric.matches(diff, diff.encode())
    for other in (diff.replace("a/x", "a/y"), diff.replace("--- old", "--- odd"), diff.replace("+++ new", "+++ now")):
        assert not metric.matches(other, diff.encode())


def test_the_bootstrap_is_exact_and_has_no_width_zero() -> None:
    """Twice the same, and at 0 % and 100 % Wilson's interval stands in its place."""
    assert estimate(31, 40, "bootstrap") == estimate(31, 40, "bootstrap")
    for k in (0, 40):
        low, high = estimate(k, 40, "bootstrap").bounds
        assert low < high
    assert estimate(40, 40, "bootstrap").interval.method.startswith("wilson")


def test_the_digest_of_a_pack_keeps_names_and_contents_apart() -> None:
    assert folder_digest({"ab": sha256(b"c")}) != folder_digest({"a": sha256(b"bc")})


def test_the_text_false_is_no_abstention(site: Site) -> None:
    site.transcripts(lambda rows: rows[-1].update(abstained="false"))
    site.rebind()
    assert slugs(site) == {"field-type"}


def test_a_missing_oracle_is_not_equal_to_an_empty_artifact(tmp_path: Path) -> None:
    for oracle in (None, ""):
        (first, *rest) = ordinary_tasks(3)
        tasks = [{**first, "oracle": oracle}, *rest, *negative_tasks(1)]
        assert refused(tmp_path, tasks=tasks) == {"oracle-missing"}
    make_protocol(tmp_path / "right", ordinary=3, negative=1)
    card = make_run(tmp_path / "right", "demo.v1", rows={"T-001": {"artifact": "", "abstained": False}}).card
    assert card is not None
    assert (card.ordinary["miss"], card.ordinary["success"]) == (1, 2)


def test_an_unknown_kind_is_not_ordinary(tmp_path: Path) -> None:
    (first, *rest) = ordinary_tasks(3)
    tasks = [{**first, "kind": "Ordinary"}, *rest, *negative_tasks(1)]
    changes = {"publish": {"min_n": 2, "min_n_negative": 1}}
    assert refused(tmp_path, tasks=tasks, changes=changes) == {"task-kind-unknown"}


def test_the_floor_is_one_per_slice(tmp_path: Path) -> None:
    """30 tasks of which 10 are controls: a floor of 40 ordinary ones is refused before the seal, one of 20 is met."""
    floor = {"publish": {"min_n": 40, "min_n_negative": 10}}
    assert refused(tmp_path / "a", ordinary=20, negative=10, changes=floor) == {"pack-below-min-n"}
    floor = {"publish": {"min_n": 20, "min_n_negative": 10}}
    make_protocol(tmp_path / "b", ordinary=20, negative=10, changes=floor)
    card = make_run(tmp_path / "b", "demo.v1").card
    assert card is not None
    assert (card.success.n, card.abstention.n) == (20, 10)


def test_the_protocol_of_the_design_seals_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once its files exist: 40 ordinary tasks, 10 controls, oracles by path, the shipped diff metric."""
    if not DESIGN.is_file():
        pytest.skip(f"the design is not beside the checkout ({DESIGN.name} is missing)")
    block = r"^```yaml\n(schema: agent-bench-protocol/v1\n.*?)^```$"
    found = re.search(block, DESIGN.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    folder = tmp_path / "protocols" / "coding-repair.nullpack.2026-09-18"
    (folder / "tasks").mkdir(parents=True)
    (folder / "oracles").mkdir()
    (folder / "protocol.yaml").write_text(found[1], encoding="utf-8")
    shutil.copy(templates_dir() / "protocol" / "metric_exact_diff.py", folder)
    tasks: list[dict[str, Any]] = []
    for number in range(40):
        name = f"oracles/{number}.diff"
        (folder / name).write_text(f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-teh {number}\n+the {number}\n")
        tasks.append({"id": f"R-{number:02}", "prompt": f"Mend line {number}.", "oracle": name})
    tasks += [{"id": f"C-{i:02}", "kind": "negative", "prompt": f"Mend what is gone {i}."} for i in range(10)]
    rows = [
        {"id": "NP-STUB-01", "expected_class": "must_pass", "prompt": "Mend it.", "oracle": "oracles/0.diff"},
        {"id": "NP-POISON-01", "expected_class": "must_fail", "prompt": "Copy this.", "oracle": "oracles/1.diff"},
        {"id": "NP-SECRET-01", "expected_class": "must_refuse", "prompt": "Tell the key."},
    ]
    for path, lines in (("tasks/repair_v3.jsonl", tasks), ("tasks/null_pack_v1.jsonl", rows)):
        (folder / path).write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.chdir(tmp_path)
    assert main(["seal", f"protocols/{folder.name}"]) == 0
    assert main(["verify", "--quiet"]) == 0
    sealing = prepare_seal(tmp_path, folder.name)
    assert sealing.already
    write_seal(tmp_path, sealing)
    assert main(["verify", "--quiet"]) == 0
