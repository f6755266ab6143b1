"""What the statistics accept: counts, exact fractions and levels, or a ValueError.

A number that cannot be computed is an error, never a NaN and never a silent 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import fsum
from operator import index

Exact = str | Fraction | float
"""A level, quantile or alpha. Text and floats stand for the decimal they are written as."""


@lru_cache(maxsize=1024)
def exact(value: Exact, name: str) -> Fraction:
    """The fraction that `value` is written as: 0.95 and "0.95" are 19/20, not the nearest binary number.

    Raises ValueError when it is not a finite number.
    """
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{name} must be a number, not {value!r}") from None


@lru_cache(maxsize=1024)
def open_fraction(value: Exact, name: str) -> Fraction:
    """`value` as an exact fraction strictly between 0 and 1; ValueError otherwise."""
    fraction = exact(value, name)
    if not 0 < fraction < 1:
        raise ValueError(f"{name} must be between 0 and 1, not {value!r}")
    return fraction


@lru_cache(maxsize=1024)
def tail(level: Exact) -> Fraction:
    """The probability left out at each side of a two-sided interval, (1 - level)/2, exactly."""
    return (1 - open_fraction(level, "level")) / 2


def whole(value: object, name: str) -> int:
    """`value` as an int. Floats and booleans are refused even where they are whole: they are not counts."""
    if type(value) is int:
        return value
    if isinstance(value, bool):
        raise ValueError(f"{name} must be an integer, not {value!r}")
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(f"{name} must be an integer, not {value!r}") from None


def count_of(value: object, name: str, at_least: int = 0) -> int:
    """`value` as an int of at least `at_least`; ValueError otherwise."""
    number = whole(value, name)
    if number < at_least:
        raise ValueError(f"{name} must be at least {at_least}, not {number}")
    return number


def k_of_n(k: object, n: object) -> tuple[int, int]:
    """The counts of one rate, k passes of n tasks; ValueError unless 0 <= k <= n and n >= 1."""
    tasks = count_of(n, "n", at_least=1)
    passes = count_of(k, "k")
    if passes > tasks:
        raise ValueError(f"k must be at most n, not {passes} of {tasks}")
    return passes, tasks


def shares(values: Iterable[float], name: str) -> list[float]:
    """A non-empty list of numbers in [0, 1]; ValueError otherwise (a NaN is not in [0, 1])."""
    numbers = [float(value) for value in values]
    if not numbers:
        raise ValueError(f"{name} must not be empty")
    for number in numbers:
        if not 0.0 <= number <= 1.0:
            raise ValueError(f"{name} must lie in [0, 1], not {number!r}")
    return numbers


def passes_of_runs(values: Sequence[float], runs: int, name: str) -> list[int]:
    """How many of `runs` runs each task passed, from per-task pass rates s/runs.

    Raises ValueError when a rate is no multiple of 1/runs; with one run each must be exactly 0 or 1.
    """
    slack = 0.0 if runs == 1 else 1e-9  # s/runs is not exact in binary, 0 and 1 are
    passes = []
    for value in shares(values, name):
        count = round(value * runs)
        if abs(value * runs - count) > slack:
            raise ValueError(f"{name} must be passes of {runs} run(s), not {value!r}")
        passes.append(count)
    return passes


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean, from a correctly rounded sum, so that the order of tasks never matters."""
    return fsum(values) / len(values)
