"""Several contestants: the family, rank ranges and letters."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from sitegen.measure.many import directional_holm, holm, holm_ahead, letters
from sitegen.measure.paired import ahead_exact, mcnemar_exact


def graphs(most: int) -> st.SearchStrategy[tuple[int, list[tuple[int, int]]]]:
    return st.integers(1, most).flatmap(
        lambda m: st.tuples(
            st.just(m),
            st.lists(st.sampled_from(list(combinations(range(m), 2)) or [(0, 0)]), unique=True).map(
                lambda pairs: [(i, j) for i, j in pairs if i != j]
            ),
        )
    )


wins = st.integers(2, 6).flatmap(
    lambda m: st.lists(st.lists(st.integers(0, 30), min_size=m, max_size=m), min_size=m, max_size=m)
)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_is_statsmodels(p: list[float]) -> None:
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)


@given(st.integers(0, 60), st.integers(0, 60))
def test_two_contestants_are_mcnemar(b: int, c: int) -> None:
    found = directional_holm([[0, b], [c, 0]])
    p = mcnemar_exact(b, c)
    assert min(found.adjusted[0][1], found.adjusted[1][0]) == pytest.approx(p, abs=1e-12)
    assert (found.ahead[0][1], found.ahead[1][0]) == (p <= 0.05 and b > c, p <= 0.05 and c > b)


@given(wins)
def test_the_family_is_every_direction_of_every_pair(matrix: list[list[int]]) -> None:
    size = len(matrix)
    claims = [(i, j) for i in range(size) for j in range(size) if i != j]
    adjusted = multipletests([ahead_exact(matrix[i][j], matrix[j][i]) for i, j in claims], method="holm")[1]
    found = directional_holm(matrix)
    assert [found.adjusted[i][j] for i, j in claims] == pytest.approx(list(adjusted), abs=1e-12)
    assert all(found.adjusted[i][i] == 1.0 and not found.ahead[i][i] for i in range(size))
    for j, (best, worst) in enumerate(found.rank_ranges):
        assert best == 1 + sum(found.ahead[i][j] for i in range(size))
        assert worst == size - sum(found.ahead[j])
        assert 1 <= best <= worst <= size


def test_alpha_decides() -> None:
    matrix = [[0, 9], [1, 0]]
    assert directional_holm(matrix, "0.05").ahead[0][1]
    assert not directional_holm(matrix, "0.01").ahead[0][1]


def test_one_contestant_has_no_rival() -> None:
    found = holm_ahead([[1.0]])
    assert (found.adjusted, found.rank_ranges) == (((1.0,),), ((1, 1),))


@given(graphs(9))
def test_contestants_share_a_letter_if_and_only_if_tied(graph: tuple[int, list[tuple[int, int]]]) -> None:
    m, tied = graph
    codes = letters(m, tied)
    if codes is None:
        return
    assert all(code and list(code) == sorted(set(code)) for code in codes)
    for i, j in combinations(range(m), 2):
        assert bool(set(codes[i]) & set(codes[j])) == ((i, j) in tied)


@given(graphs(8))
def test_letters_are_the_maximal_cliques_in_order(graph: tuple[int, list[tuple[int, int]]]) -> None:
    """Against every subset of the contestants."""
    m, tied = graph
    cliques = [
        group
        for size in range(1, m + 1)
        for group in combinations(range(m), size)
        if all(pair in tied for pair in combinations(group, 2))
    ]
    maximal = sorted(c for c in cliques if not any(set(c) < set(other) for other in cliques))
    expected = ["".join("abcdefghijklmnopqrstuvwxyz"[n] for n, c in enumerate(maximal) if i in c) for i in range(m)]
    assert letters(m, tied) == tuple(expected)


def test_the_alphabet_ends_at_z() -> None:
    assert letters(26, []) == tuple("abcdefghijklmnopqrstuvwxyz")
    assert letters(27, []) is None


def test_exponentially_many_cliques_are_given_up_at_once() -> None:
    """Sixty contestants, each tied with all but two: 3^20 maximal cliques."""
    tied = [(i, j) for i, j in combinations(range(60), 2) if i // 3 != j // 3]
    assert letters(60, tied) is None
    assert letters(60, list(combinations(range(60), 2))) == ("a",) * 60


@pytest.mark.parametrize("p", [[], [0.5, 1.5], [-0.1], [float("nan")]])
def test_holm_refuses(p: list[float]) -> None:
    with pytest.raises(ValueError, match="p-values must"):
        holm(p)


@pytest.mark.parametrize("matrix", [[], [[0, 1]], [[0, 1], [1]]])
def test_a_table_that_is_not_square_is_refused(matrix: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="square"):
        directional_holm(matrix)


def test_the_family_refuses_what_the_pair_refuses() -> None:
    with pytest.raises(ValueError, match="wins must be at least 0"):
        directional_holm([[0, -1], [2, 0]])
    with pytest.raises(ValueError, match="alpha"):
        directional_holm([[0, 1], [2, 0]], 0)


@pytest.mark.parametrize(("m", "tied"), [(0, []), (2, [(0, 2)]), (2, [(1, 1)]), (2, [(-1, 0)])])
def test_letters_refuse(m: int, tied: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match=r"no pair|m must be"):
        letters(m, tied)
