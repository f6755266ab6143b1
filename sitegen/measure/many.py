"""Several contestants: who is ahead of whom, rank ranges, and letters for those that are not told apart.

One family of one-sided exact tests, adjusted by Holm: under any dependence the chance of even one false "ahead" in the
whole table is at most alpha. Sources: Holm 1979; Piepho 2004; Mogstad, Romano, Shaikh & Wilhelm 2024.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from sitegen.measure.inputs import Exact, count_of, open_fraction, shares
from sitegen.measure.paired import ahead_exact
from sitegen.measure.power import ALPHA

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectionalHolm:
    """Adjusted one-sided p-values (row ahead of column, 1 on the diagonal) and what follows from them.

    `ahead[i][j]` says that i is ahead of j; `rank_ranges[i]` are the best and the worst rank that i may have.
    """

    adjusted: Matrix
    ahead: tuple[tuple[bool, ...], ...]
    rank_ranges: tuple[tuple[int, int], ...]


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in input order. Raises ValueError for an empty list or a p outside [0, 1]."""
    values = shares(p, "p-values")
    adjusted = [0.0] * len(values)
    running = 0.0
    for rank, at in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        running = max(running, (len(values) - rank) * values[at])
        adjusted[at] = min(1.0, running)
    return adjusted


def directional_holm(wins: Sequence[Sequence[int]], alpha: Exact = ALPHA) -> DirectionalHolm:
    """Who is ahead of whom, from W[i][j] = tasks that i passes and j fails.

    For two contestants this is McNemar's exact test. Raises ValueError for a matrix that is not square.
    """
    size = len(wins)
    if not size or any(len(row) != size for row in wins):
        raise ValueError("wins must be a square matrix")
    places = range(size)
    return holm_ahead([[1.0 if i == j else ahead_exact(wins[i][j], wins[j][i]) for j in places] for i in places], alpha)


def holm_ahead(one_sided: Sequence[Sequence[float]], alpha: Exact = ALPHA) -> DirectionalHolm:
    """The same from the one-sided p-values themselves, row ahead of column; the diagonal is not read."""
    bound = float(open_fraction(alpha, "alpha"))
    size = len(one_sided)
    claims = [(i, j) for i in range(size) for j in range(size) if i != j]
    adjusted = [[1.0] * size for _ in range(size)]
    if claims:
        for (i, j), p in zip(claims, holm([one_sided[i][j] for i, j in claims]), strict=True):
            adjusted[i][j] = p
    ahead = [[p <= bound for p in row] for row in adjusted]
    ranges = [(1 + sum(row[j] for row in ahead), size - sum(ahead[j])) for j in range(size)]
    return DirectionalHolm(
        adjusted=tuple(map(tuple, adjusted)), ahead=tuple(map(tuple, ahead)), rank_ranges=tuple(ranges)
    )


def letters(m: int, tied: Iterable[tuple[int, int]]) -> tuple[str, ...] | None:
    """Letters for contestants 0 … m - 1 in table order: two share one if and only if they are tied.

    `tied` holds the pairs of which neither is ahead. The letters are the maximal cliques of that relation in
    lexicographic order; None where there are more than 26. Raises ValueError for a pair outside the table.
    """
    neighbours = [0] * count_of(m, "m", at_least=1)
    for i, j in tied:
        if not (0 <= i < m and 0 <= j < m and i != j):
            raise ValueError(f"({i}, {j}) is no pair of {m} contestants")
        neighbours[i] |= 1 << j
        neighbours[j] |= 1 << i
    cliques = _maximal_cliques(neighbours)
    if cliques is None:
        return None
    groups = sorted([i for i in range(m) if clique >> i & 1] for clique in cliques)
    named = list(zip(ascii_lowercase, groups, strict=False))
    return tuple("".join(letter for letter, group in named if i in group) for i in range(m))


def _maximal_cliques(neighbours: Sequence[int]) -> list[int] | None:
    """All maximal cliques of a graph, as bit sets, adding one vertex after the other.

    Their number never falls when a vertex is added, so the search ends as soon as there are more than the letters: a
    graph with exponentially many costs no more than one with few. None in that case.
    """
    cliques: list[int] = []
    for vertex, near in enumerate(neighbours):
        grown = {clique & near | 1 << vertex for clique in cliques} or {1 << vertex}
        maximal = [one for one in grown if not any(one != other and one & ~other == 0 for other in grown)]
        cliques = [clique for clique in cliques if clique & ~near] + maximal
        if len(cliques) > len(ascii_lowercase):
            return None
    return cliques
