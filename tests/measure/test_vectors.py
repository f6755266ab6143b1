"""Every reference vector of an offered function, from the specification's file or from `pytest --vectors PATH`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from sitegen.measure import clusters, intervals, many, order, paired, power, repeated, rounding, special

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "statistics_vectors.json"


def effective_wilson(**given: Any) -> list[float]:
    found = clusters.effective_wilson(**given)
    return [found.low, found.high]


def sign_flip_exact(totals: list[int]) -> dict[str, float]:
    found = paired.sign_flip_exact(totals)
    assert found.p_two_sided == min(1.0, 2 * min(found.p_greater, found.p_less))
    return {"p_two_sided": found.p_two_sided, "p_greater": found.p_greater}


def directional_holm(**given: Any) -> dict[str, object]:
    found = many.directional_holm(**given)
    return {"adjusted": found.adjusted, "rank_ranges": found.rank_ranges}


def connor_n(**given: Any) -> dict[str, object]:
    found = power.connor_n(**given)
    return {"cells": found.cells, "n": found.n}


def censored_quantile(**given: Any) -> dict[str, object]:
    found = order.censored_quantile(**given)
    return {"value": found.value, "at_least": found.at_least}


OFFERED: Mapping[str, Callable[..., object]] = {
    "betainc": special.betainc,
    "bonett_price": paired.bonett_price,
    "bootstrap_exact": intervals.bootstrap_exact,
    "censored_quantile": censored_quantile,
    "clopper_pearson": intervals.clopper_pearson,
    "connor_n": connor_n,
    "detectable_difference": power.detectable_difference,
    "directional_holm": directional_holm,
    "effective_wilson": effective_wilson,
    "holm": many.holm,
    "letters": many.letters,
    "mcnemar_exact": paired.mcnemar_exact,
    "mcnemar_power": power.mcnemar_power,
    "min_sweep": power.min_sweep,
    "order_stat_ci": order.order_stat_ci,
    "paired_diff": paired.paired_diff,
    "pass_at_k": repeated.pass_at_k,
    "pass_hat_k": repeated.pass_hat_k,
    "quantile_aic": order.quantile_aic,
    "round_out": rounding.round_out,
    "sign_flip_exact": sign_flip_exact,
    "t_ppf": special.t_ppf,
    "wilson": intervals.wilson,
}


def vectors_of(config: pytest.Config) -> dict[str, Any] | None:
    """The file's content; None where the specification is not at hand and no other file was asked for."""
    named = config.getoption("vectors")
    path = Path(named) if named else REFERENCE
    if not named and not path.is_file():
        return None
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "vector" in metafunc.fixturenames:
        document = vectors_of(metafunc.config)
        listed = [] if document is None else [v for v in document["vectors"] if v["function"] in OFFERED]
        absent = pytest.mark.skip(f"no reference vectors at {REFERENCE.name}: name a file with --vectors")
        cases = [pytest.param(v, id=v["id"]) for v in listed] or [pytest.param(None, id="absent", marks=absent)]
        metafunc.parametrize("vector", cases)


@pytest.fixture
def document(request: pytest.FixtureRequest) -> dict[str, Any]:
    found = vectors_of(request.config)
    if found is None:
        pytest.skip(f"no reference vectors at {REFERENCE.name}: name a file with --vectors")
    return found


def assert_close(got: Any, expected: Any, tolerance: dict[str, Any], where: str) -> None:
    """Equality of shape and of everything but floats, which may differ by the vector's tolerance."""
    if isinstance(expected, dict):
        assert isinstance(got, dict), where
        assert got.keys() == expected.keys(), where
        for key in expected:
            assert_close(got[key], expected[key], tolerance, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(got) == len(expected), where
        for place, (g, e) in enumerate(zip(got, expected, strict=True)):
            assert_close(g, e, tolerance, f"{where}[{place}]")
    elif not isinstance(expected, float) or "exact" in tolerance:
        assert got == expected, where
    elif "abs" in tolerance:
        assert abs(got - expected) <= tolerance["abs"], where
    else:
        assert abs(got - expected) <= tolerance["rel"] * abs(expected), where


def test_vector(vector: dict[str, Any]) -> None:
    got = OFFERED[vector["function"]](**vector["input"])
    assert_close(got, vector["expected"], vector["tolerance"], vector["id"])


def test_every_offered_function_has_vectors(document: dict[str, Any]) -> None:
    named = {vector["function"] for vector in document["vectors"]}
    assert set(OFFERED) - named == set()


def test_every_vector_of_an_offered_function_is_run(
    document: dict[str, Any], request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> None:
    """The vectors collected by this session are all there are, and those that are left out are counted aloud."""
    counts = Counter(vector["function"] for vector in document["vectors"])
    assert document.get("count", counts.total()) == counts.total()
    collected = {item.callspec.id for item in request.session.items if item.originalname == "test_vector"}
    offered = {vector["id"] for vector in document["vectors"] if vector["function"] in OFFERED}
    assert offered - collected == set(), "vectors not run"
    assert len(offered) == sum(counts[function] for function in OFFERED), "two vectors bear one id"
    missing = {function: count for function, count in sorted(counts.items()) if function not in OFFERED}
    listed = ", ".join(f"{function} {count}" for function, count in missing.items())
    text = f"{sum(missing.values())} of {counts.total()}, of {len(missing)} functions ({listed})"
    print("reference vectors not offered:", text)
    record_property("vectors not offered", text)


@pytest.mark.parametrize(
    ("got", "expected", "tolerance"),
    [
        ([0.1, 0.3], [0.1, 0.2], {"abs": 1e-9}),
        ([0.1], [0.1, 0.2], {"abs": 1e-9}),
        (1.001, 1.0, {"rel": 1e-9}),
        ([1, 4], [1, None], {"exact": True}),
        ({"n": 4, "more": 1}, {"n": 4}, {"abs": 1.0}),
        (0.30000000000000004, 0.3, {"exact": True}),
    ],
)
def test_a_wrong_answer_is_noticed(got: Any, expected: Any, tolerance: dict[str, Any]) -> None:
    """The comparison itself can fail, on every kind of difference."""
    with pytest.raises(AssertionError):
        assert_close(got, expected, tolerance, "here")


def test_letters_of_a_vector_are_checked_against_the_definition(document: dict[str, Any]) -> None:
    """In the file's own graphs two contestants share a letter if and only if they are tied."""
    for vector in (v for v in document["vectors"] if v["function"] == "letters"):
        codes, tied = vector["expected"], {tuple(pair) for pair in vector["input"]["tied"]}
        for i, j in combinations(range(len(codes)), 2):
            assert bool(set(codes[i]) & set(codes[j])) == ((i, j) in tied), vector["id"]
