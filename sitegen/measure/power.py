"""What an exam of n tasks can distinguish, computed from its size before any run.

Exact powers of McNemar's test over all disagreements, and Connor's formula for the size a wanted difference needs.
`p10` and `p01` are the shares of tasks that only the one or only the other contestant solves. Source: Connor 1987.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, fsum, sqrt
from typing import Literal

from sitegen.measure.binomial import binomial_weights
from sitegen.measure.inputs import Exact, count_of, open_fraction
from sitegen.measure.special import normal_quantile

Test = Literal["exact", "midp"]
ALPHA = 0.05
POWER = 0.8
LARGEST_EXACT = 20_000
"""Tasks up to which an exact size is sought; beyond it Connor's approximation is the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnorSize:
    """The disagreement cells (p10, p01) and the number of tasks they need."""

    cells: tuple[float, float]
    n: int


def min_sweep(alpha: Exact = ALPHA, test: Test = "exact") -> int:
    """The smallest lead that can be distinguished at `alpha`, in tasks, even where the loser wins none."""
    bound = open_fraction(alpha, "alpha")
    lead, p = 1, Fraction(1, 1 if _is_exact(test) else 2)
    while p > bound:
        lead, p = lead + 1, p / 2
    return lead


def disagreement(pa: float, pb: float, phi: float) -> tuple[float, float]:
    """The cells (p10, p01) of two rates whose outcomes correlate by `phi`, as far as the rates allow.

    Raises ValueError for rates outside [0, 1] or a correlation outside [-1, 1].
    """
    if not (0.0 <= pa <= 1.0 and 0.0 <= pb <= 1.0 and -1.0 <= phi <= 1.0):
        raise ValueError(f"rates lie in [0, 1] and phi in [-1, 1], not {pa!r}, {pb!r}, {phi!r}")
    both = pa * pb + phi * sqrt(pa * (1 - pa) * pb * (1 - pb))
    both = min(max(both, 0.0, pa + pb - 1), pa, pb)
    return pa - both, pb - both


def mcnemar_power(n: int, p10: float, p01: float, alpha: Exact = ALPHA, test: Test = "exact") -> float:
    """The probability that McNemar's test on n tasks rejects at `alpha`, two-sided.

    Raises ValueError unless n >= 1, p10 and p01 are shares with p10 + p01 <= 1, and 0 < alpha < 1.
    """
    n = count_of(n, "n", at_least=1)
    critical = _critical(n, open_fraction(alpha, "alpha"), _is_exact(test))
    return _power(n, p10 + p01, _rejections(_first_share(p10, p01), critical))


def detectable_difference(
    n: int,
    p0: float = 0.8,
    phi: float = 0.0,
    alpha: Exact = ALPHA,
    power: float = POWER,
    test: Test = "exact",
) -> float | None:
    """The smallest difference below the rate `p0`, in steps of 0.001, that n tasks detect with `power`.

    None where no difference down to a rate of 0 is enough.
    """
    _wanted_power(power)
    for step in range(1, int(1000 * p0 + 1e-9) + 1):
        cells = disagreement(p0, max(0.0, p0 - step / 1000), phi)
        if mcnemar_power(n, *cells, alpha, test) >= power:
            return step / 1000
    return None


def connor_n(pa: float, pb: float, phi: float = 0.0, alpha: Exact = ALPHA, power: float = POWER) -> ConnorSize:
    """The tasks that tell rates pa and pb apart with `power`, by Connor's normal approximation.

    The exact test needs 5 to 8 % more. Raises ValueError for equal rates.
    """
    cells = disagreement(pa, pb, phi)
    wanted = pa - pb
    if wanted == 0.0:
        raise ValueError("no number of tasks tells equal rates apart")
    apart = sum(cells)
    out = -normal_quantile(float(open_fraction(alpha, "alpha") / 2))
    root = out * sqrt(apart) + normal_quantile(_wanted_power(power)) * sqrt(max(0.0, apart - wanted**2))
    return ConnorSize(cells=cells, n=ceil(root**2 / wanted**2))


def exact_n(p10: float, p01: float, alpha: Exact = ALPHA, power: float = POWER) -> int | None:
    """The smallest number of tasks at which McNemar's exact test reaches `power`; None above `LARGEST_EXACT`."""
    _wanted_power(power)
    bound, share, apart = open_fraction(alpha, "alpha"), _first_share(p10, p01), p10 + p01
    high = 64
    rejections = _rejections(share, _critical(high, bound, True))
    while _power(high, apart, rejections) < power:
        if high == LARGEST_EXACT:
            return None
        high = min(2 * high, LARGEST_EXACT)
        rejections = _rejections(share, _critical(high, bound, True))
    low = 0  # power rises with n but for ripples, so step down from where bisection lands
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(middle, apart, rejections) >= power else (middle, high)
    while high > 1 and _power(high - 1, apart, rejections) >= power:
        high -= 1
    return high


def _power(n: int, apart: float, rejections: Sequence[float]) -> float:
    """Averages the chance of rejection over the number of disagreements, Bin(n, apart)."""
    first, weights = binomial_weights(n, min(Fraction(apart), Fraction(1)))
    return min(1.0, max(0.0, fsum(w * rejections[first + i] for i, w in enumerate(weights))))


def _first_share(p10: float, p01: float) -> float:
    """Of the disagreements, the share that the first wins (1/2 where there are none)."""
    if not (p10 >= 0.0 and p01 >= 0.0 and p10 + p01 <= 1.0 + 1e-12):
        raise ValueError(f"p10 and p01 must be shares of one whole, not {p10!r} and {p01!r}")
    return p10 / (p10 + p01) if p10 + p01 > 0.0 else 0.5


def _rejections(share: float, critical: Sequence[int]) -> list[float]:
    """For N = 0, 1, … disagreements, the chance that the test rejects when the first wins each with `share`."""
    sides = zip(_lower_tails(share, critical), _lower_tails(1 - share, critical), strict=True)
    return [fewer + more for fewer, more in sides]


def _lower_tails(share: float, critical: Sequence[int]) -> list[float]:
    """P(Bin(N, share) <= critical[N]) for N = 0, 1, …, each from the one before it.

    One more flip moves a share of the weight at the edge out of the tail; where the edge moves up by one, the weight
    there comes in.
    """
    tails = []
    edge, weight, total = -1, 0.0, 0.0
    for flips, m in enumerate(critical):
        if edge < 0:
            weight = total = (1 - share) ** flips if m == 0 else 0.0
        else:
            total -= share * weight
            if m == edge:
                weight *= flips / (flips - m) * (1 - share)
            else:
                weight *= flips / m * share
                total += weight
        edge = m
        tails.append(total)
    return tails


@lru_cache(maxsize=64)
def _critical(n: int, alpha: Fraction, exact: bool) -> tuple[int, ...]:
    """For N = 0 … n disagreements, the largest smaller count at which the test rejects at `alpha`; -1 if none.

    In integers throughout: `tail` is the sum of C(N, i) over i <= edge, and `term` its last summand.
    """
    edge, tail, term = -1, 0, 0
    edges = []
    for flips in range(n + 1):
        following = term * (flips - edge) // (edge + 1) if edge >= 0 else 1
        doubled = 2 * (tail + following) - (0 if exact else following)
        if doubled * alpha.denominator <= alpha.numerator << flips:
            edge, tail, term = edge + 1, tail + following, following
        edges.append(edge)
        tail, term = 2 * tail - term, term * (flips + 1) // (flips + 1 - edge)
    return tuple(edges)


def _is_exact(test: Test) -> bool:
    if test not in ("exact", "midp"):
        raise ValueError(f"unknown test {test!r}; known: exact, midp")
    return test == "exact"


def _wanted_power(power: float) -> float:
    return float(open_fraction(power, "power"))
