"""What a seal says of the exam's reach is what the sealed pack gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen.harness.opening import sound_exam
from sitegen.measure import outlook as measured
from sitegen.refusals import Refusal, Refused
from sitegen.verify.outlook import _outlook_of, find_outlook_faults
from tests.corpus_builder.site import Site
from tests.sites import judge, make_protocol, make_run, negative_tasks, ordinary_tasks


def faults(root: Path, change: Callable[[dict[str, Any]], Any]) -> list[Refusal]:
    """What is found of the exam where its seal's outlook was changed by hand, and everything bound again."""
    Site(root).rebind(sealed=lambda value: change(value["seal"]["outlook"]))
    return list(judge(root, "demo.v1").refusals)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_protocol(tmp_path, ordinary=20, negative=10)
    make_run(tmp_path, "demo.v1")
    return tmp_path


def test_what_sealing_states_holds(root: Path) -> None:
    assert faults(root, lambda outlook: None) == []
    assert len(judge(root, "demo.v1").reports) == 1


@pytest.mark.parametrize(
    ("change", "place", "expected", "found"),
    [
        (lambda o: o.update(floor_tasks=1), "/floor_tasks", "6", "1"),
        (lambda o: o.update(contestants=9), "/contestants", "2", "9"),
        (lambda o: o.update(resolution=0.01), "/resolution", "0.05", "0.01"),
        (
            lambda o: o["detectable_below_0.80"].update(unrelated=0.1),
            "/detectable_below_0.80",
            "unrelated: 0.483, related: 0.367",
            "unrelated: 0.1, related: 0.367",
        ),
        (
            lambda o: o["detectable_below_0.80"].update(related=None),
            "/detectable_below_0.80",
            "unrelated: 0.483, related: 0.367",
            "unrelated: 0.483, related: null",
        ),
        (
            lambda o: o["detectable_below_0.80"].pop("related"),
            "/detectable_below_0.80",
            "unrelated: 0.483, related: 0.367",
            "unrelated: 0.483",
        ),
        (lambda o: o.update({"detectable_below_0.80": "all"}), "/detectable_below_0.80", None, "all"),
        (
            lambda o: o["detectable_below_0.80"].update(related="much"),
            "/detectable_below_0.80",
            "unrelated: 0.483, related: 0.367",
            "unrelated: 0.483, related: much",
        ),
        (lambda o: o["success"][0].__setitem__(2, 0.4999), "/success", None, None),
        (lambda o: o["controls"].pop(), "/controls", None, None),
        (lambda o: o.pop("success"), "/success", None, "nothing"),
        (lambda o: o.update(power=0.99), "/power", "no such part", "0.99"),
        (lambda o: o.update({"a/b": [1]}), "/a~1b", "no such part", "[1]"),
    ],
)
def test_each_part_is_computed_again(
    change: Callable[[dict[str, Any]], Any], place: str, expected: str | None, found: str | None, root: Path
) -> None:
    (fault,) = faults(root, change)
    assert (fault.slug, fault.path) == ("seal-incomplete", f"/seal/outlook{place}")
    assert fault.file == "protocols/demo.v1/protocol.sealed.yaml"
    assert expected in (None, fault.expected)
    assert found in (None, fault.found)


def test_a_seal_may_state_none(root: Path) -> None:
    """The format does not ask for it."""
    assert faults(root, lambda outlook: outlook.clear()) == []


def test_a_run_is_not_opened_under_a_false_outlook(root: Path) -> None:
    faults(root, lambda outlook: outlook.update(floor_tasks=1))
    with pytest.raises(Refused, match="seal-incomplete"):
        sound_exam(root, "demo.v1")


def test_the_clusters_count(tmp_path: Path) -> None:
    rows = [*ordinary_tasks(8), *negative_tasks(4)]
    tasks = [{**row, "topic": "abcd"[number % 4]} for number, row in enumerate(rows)]
    make_protocol(tmp_path, tasks=tasks, changes={"dataset": {"cluster": "topic"}})
    make_run(tmp_path, "demo.v1")
    assert faults(tmp_path, lambda outlook: None) == []
    independent = {"effective_tasks": {"correlation 0.1": 8.0, "correlation 0.3": 8.0}}
    (fault,) = faults(tmp_path, lambda outlook: outlook.update(independent))
    assert fault.path == "/seal/outlook/effective_tasks"
    assert fault.expected == "correlation 0.1: 7.3, correlation 0.3: 6.2"


def test_the_sealed_method_counts(tmp_path: Path) -> None:
    make_protocol(tmp_path, ordinary=8, negative=4, changes={"publish": {"ci_method": "clopper-pearson"}})
    make_run(tmp_path, "demo.v1")
    assert faults(tmp_path, lambda outlook: None) == []
    (fault,) = faults(tmp_path, lambda outlook: outlook["controls"][0].__setitem__(3, 0.4899))  # Wilson's
    assert fault.path == "/seal/outlook/controls"


@pytest.mark.parametrize(("ordinary", "difference"), [(20, 0.367), (3, None)])
def test_differences_that_are_stated_rightly_are_not_searched_for(
    ordinary: int, difference: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search takes most of the time of sealing; whether a difference is right is told without it."""
    make_protocol(tmp_path, ordinary=ordinary, negative=1)
    sound = sound_exam(tmp_path, "demo.v1")
    stated = sound.document.protocol.seal.outlook["detectable_below_0.80"]
    assert stated["related"] == difference
    _outlook_of.cache_clear()
    monkeypatch.setattr(measured, "detectable_difference", lambda *_, **__: pytest.fail("it was searched for"))
    assert list(find_outlook_faults(sound.document.protocol, sound.pack, "x")) == []


def test_an_exam_without_a_slice_has_no_outlook(tmp_path: Path) -> None:
    """That a slice is missing is said by another check."""
    import dataclasses

    make_protocol(tmp_path, ordinary=3, negative=1)
    sound = sound_exam(tmp_path, "demo.v1")
    only = dataclasses.replace(sound.pack, dataset=sound.pack.negative)
    assert list(find_outlook_faults(sound.document.protocol, only, "x")) == []
