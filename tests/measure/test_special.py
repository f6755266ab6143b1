"""The special functions against scipy, over the whole range they are used in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from sitegen.measure.special import betainc, betainc_inverse, normal_quantile, t_ppf, z_of

parameters = st.floats(-0.3, 6).map(lambda exponent: 10**exponent)


@given(parameters, parameters, st.floats(-5, 5))
def test_betainc_is_scipys(a: float, b: float, deviations: float) -> None:
    mean = a / (a + b)
    spread = (mean * (1 - mean) / (a + b + 1)) ** 0.5
    x = min(max(mean + deviations * spread, 0.0), 1.0)
    assert betainc(a, b, x) == pytest.approx(special.betainc(a, b, x), abs=5e-10)


@pytest.mark.parametrize("size", [1, 2, 10, 1000, 500_000])
def test_betainc_at_a_half_is_a_half(size: int) -> None:
    """Symmetry gives the value without another implementation: I_1/2(a, a) = 1/2, to 1e-12 at any size."""
    assert betainc(size, size, 0.5) == pytest.approx(0.5, abs=1e-12)


@given(st.integers(1, 300), st.integers(1, 300), st.floats(0.001, 0.999))
def test_betainc_reflects(a: int, b: int, x: float) -> None:
    assert betainc(a, b, x) == pytest.approx(1 - betainc(b, a, 1 - x), abs=1e-12)


def test_betainc_at_the_ends() -> None:
    assert (betainc(2, 3, 0.0), betainc(2, 3, 1.0)) == (0.0, 1.0)


@given(
    st.integers(0, 6).flatmap(lambda e: st.integers(1, 10**e)),
    st.integers(0, 6).flatmap(lambda e: st.integers(1, 10**e)),
    st.sampled_from([1e-6, 0.0005, 0.005, 0.025, 0.1, 0.5, 0.9, 0.975, 0.9999]),
)
def test_the_inverse_is_scipys(a: int, b: int, p: float) -> None:
    assert betainc_inverse(a, b, p) == pytest.approx(special.betaincinv(a, b, p), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("df", [1, 2, 3, 4.5, 10, 99, 1000, 1e6])
@pytest.mark.parametrize("q", [0.001, 0.3, 0.5, 0.6, 0.95, 0.975, 0.995, 0.999999])
def test_t_quantiles_are_scipys(q: float, df: float) -> None:
    assert t_ppf(q, df) == pytest.approx(stats.t.ppf(q, df), rel=1e-9, abs=1e-12)


def test_normal_quantiles() -> None:
    assert z_of(0.95) == pytest.approx(1.959963984540054, abs=2e-15)
    assert z_of("0.95") == z_of(0.95)
    assert normal_quantile(0.8) == pytest.approx(stats.norm.ppf(0.8), abs=1e-12)


@pytest.mark.parametrize(("a", "b", "x"), [(0, 1, 0.5), (1, -1, 0.5), (1, 1, -0.1), (1, 1, 1.1), (1, 1, float("nan"))])
def test_betainc_refuses(a: float, b: float, x: float) -> None:
    with pytest.raises(ValueError, match="betainc needs"):
        betainc(a, b, x)


@pytest.mark.parametrize("p", [0.0, 1.0, float("nan")])
def test_quantiles_refuse(p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        normal_quantile(p)
    with pytest.raises(ValueError, match="betainc_inverse needs"):
        betainc_inverse(1, 1, p)
    with pytest.raises(ValueError, match="t_ppf needs"):
        t_ppf(p, 3)
    with pytest.raises(ValueError, match="t_ppf needs"):
        t_ppf(0.9, 0)
