"""Two contestants on the same tasks of one sealed protocol: an exact decision and an interval of the difference.

b counts the tasks that only the first solved, c those that only the second solved. The test decides; the interval is
printed beside it. Sources: McNemar 1947; Bonett & Price 2012; Fagerland, Lydersen & Laake 2014.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, sqrt

from sitegen.measure.clusters import cluster_sums, shrunk_variance
from sitegen.measure.inputs import Exact, count_of, mean, passes_of_runs, shares, whole
from sitegen.measure.intervals import LEVEL
from sitegen.measure.special import betainc, z_of

_INTEGERS_UP_TO = 2000  # disagreements; above, the beta function is as good and far faster
_NO_VARIANCE = 1e-15


@dataclass(frozen=True, slots=True, kw_only=True)
class SignFlip:
    """Three p-values of one sum of signed totals: both sides, the sum at least as large, at least as small."""

    p_two_sided: float
    p_greater: float
    p_less: float


def mcnemar_exact(b: int, c: int) -> float:
    """The chance that fair coin flips split b + c disagreements at least this unevenly; 1 where there are none."""
    at_most, _ = _fair_split(count_of(b, "b"), count_of(c, "c"))
    return min(1.0, 2 * at_most)


def ahead_exact(wins: int, losses: int) -> float:
    """The one-sided form: the chance of at least `wins` heads in wins + losses fair flips; 1 where there are none."""
    at_most, above = _fair_split(count_of(wins, "wins"), count_of(losses, "losses"))
    return at_most if wins >= losses else above


@lru_cache(maxsize=65536)
def _fair_split(b: int, c: int) -> tuple[float, float]:
    """With m = min(b, c) and X ~ Bin(b + c, 1/2): P(X <= m), and P(X >= m)."""
    flips, m = b + c, min(b, c)
    if flips > _INTEGERS_UP_TO:
        at_least = 1.0 if m == 0 else betainc(m, flips - m + 1, 0.5)
        return betainc(flips - m, m + 1, 0.5), at_least
    term = total = 1
    for i in range(m):
        term = term * (flips - i) // (i + 1)
        total += term
    return total / 2**flips, (2**flips - total + term) / 2**flips


def sign_flip_exact(totals: Sequence[int]) -> SignFlip:
    """The exact test for clusters and repeated runs: signs of the clusters' integer totals flipped independently.

    `totals` are the clusters' passes of the first less those of the second. With one task and one run a cluster this is
    McNemar's exact test. Raises ValueError for an empty list or totals that are not integers.
    """
    numbers = [whole(total, "a total") for total in totals]
    if not numbers:
        raise ValueError("totals must not be empty")
    sizes = [abs(number) for number in numbers if number]
    observed = sum(numbers)
    tail, at = _sign_counts(sizes, (sum(sizes) - abs(observed)) // 2)
    patterns = 2 ** len(sizes)
    outer, inner = tail / patterns, (patterns - tail + at) / patterns
    greater, less = (outer, inner) if observed >= 0 else (inner, outer)
    return SignFlip(p_two_sided=min(1.0, 2 * outer), p_greater=greater, p_less=less)


def _sign_counts(sizes: Sequence[int], limit: int) -> tuple[int, int]:
    """How many subsets of `sizes` sum to at most `limit`, and how many to exactly that.

    The counts by sum are the digits of one large integer: adding a size is then one shift and one addition.
    """
    width = len(sizes) + 1  # bits of a digit; no count exceeds 2^len(sizes)
    kept = (1 << (width * (limit + 1))) - 1
    counts = 1
    for size in sizes:
        counts = (counts + (counts << (width * size))) & kept
    digit = (1 << width) - 1
    return (counts % digit if sizes else 1), counts >> (width * limit)  # modulo B - 1 sums the digits in base B


def bonett_price(b: int, c: int, n: int, level: Exact = LEVEL) -> tuple[float, float]:
    """Bonett and Price's interval of the difference of two paired rates, (b - c)/n; (low, high) in [-1, 1].

    Raises ValueError unless b, c >= 0, n >= 1 and b + c <= n.
    """
    b, c, n = count_of(b, "b"), count_of(c, "c"), count_of(n, "n", at_least=1)
    if b + c > n:
        raise ValueError(f"b + c must be at most n, not {b} + {c} of {n}")
    return _adjusted((b - c) / (n + 2), (b + c + 2) / (n + 2), n, level)


def paired_diff(
    a: Sequence[float],
    b: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    runs: int | None = 1,
    level: Exact = LEVEL,
) -> tuple[float, float]:
    """The interval of mean(a) - mean(b) over the same tasks, for clusters or repeated runs; (low, high) in [-1, 1].

    `a` and `b` are per-task pass rates s/runs, or with `runs=None` graded scores. Single runs without clusters give
    `bonett_price`. Raises ValueError for unequal lengths and whatever `effective_wilson` refuses.
    """
    first, second = _rates(a, runs), _rates(b, runs)
    if len(first) != len(second):
        raise ValueError(f"paired rates must have the same tasks, not {len(first)} and {len(second)}")
    groups = cluster_sums([x - y for x, y in zip(first, second, strict=True)], clusters)
    difference = fsum(groups.sums) / groups.count
    disagreement = mean([x * (1 - y) + y * (1 - x) for x, y in zip(first, second, strict=True)])
    base = disagreement - difference**2
    independent = groups.effective_groups
    size = independent
    if base > _NO_VARIANCE:
        support = len(first) * disagreement * (runs or 1)
        variance = shrunk_variance(groups.mean_variance(difference), base / independent, support)
        size = max(base / variance, independent)
        size = size if runs is None else min(size, float(len(first) * runs))
    return _adjusted(difference * size / (size + 2), (disagreement * size + 2) / (size + 2), size, level)


def _adjusted(centre: float, disagreement: float, n: float, level: Exact) -> tuple[float, float]:
    """The interval around a difference that was adjusted by one task for each side."""
    half = z_of(level) * sqrt((disagreement - centre * centre) / (n + 2))
    return max(-1.0, centre - half), min(1.0, centre + half)


def _rates(values: Sequence[float], runs: int | None) -> list[float]:
    if runs is None:
        return shares(values, "scores")
    runs = count_of(runs, "runs", at_least=1)
    return [passes / runs for passes in passes_of_runs(values, runs, "pass rates")]
