"""Rates: exact arithmetic of the right-hand sides, and the theorems themselves on exact second-moment recursions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rpttheory.errors import InvalidInput
from rpttheory.rates import (
    Rate,
    convex,
    convex_sharp,
    generic_convex,
    generic_nonconvex,
    nonconvex,
    strongly_convex,
)
from rpttheory.rates.arithmetic import power, power_end, root

FloatArray = NDArray[np.float64]
ORDINARY = st.floats(1e-3, 1e3)
ANY = st.floats(1e-100, 1e100)


def _sqrt_ceiling(square: Fraction) -> float:
    """The smallest float whose square is at least `square`."""
    value = math.sqrt(square)
    while Fraction(value) ** 2 >= square:
        value = math.nextafter(value, 0.0)
    while Fraction(value) ** 2 < square:
        value = math.nextafter(value, math.inf)
    return value


def _ceiling(value: Fraction) -> float:
    """The smallest float that is at least `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


# -- right-hand sides, written out once more from the statements ---------------------------------


@given(
    L_P=ORDINARY, share=st.floats(0.01, 1), R2=ORDINARY, delta=ORDINARY, T=st.integers(0, 60), step=st.floats(0.01, 1)
)
def test_bounds_are_the_printed_right_hand_sides_rounded_up(
    L_P: float, share: float, R2: float, delta: float, T: int, step: float
) -> None:
    F = Fraction
    mu = L_P * share
    start: dict[str, Any] = {"squared_distance": R2, "gap": delta}
    assert strongly_convex(L_P, mu).bound(T, **start) == _ceiling((1 - F(mu) / F(L_P)) ** T * F(R2))
    assert convex(L_P).bound(T, **start) == _ceiling(2 * F(L_P) * F(R2) / (T + 1))
    assert convex_sharp(L_P).bound(T, **start) == _ceiling(F(L_P) * F(R2) / (2 * (T + 1)))
    assert nonconvex(L_P).bound(T, **start) == _ceiling(2 * F(L_P) * F(delta) / (T + 1))
    n = T + 1
    assert generic_convex(mu, L_P).bound(n, **start) == _ceiling((2 * F(delta) + 4 * F(L_P) * F(R2)) / n)
    squared = 4 * (1 + F(1, n)) ** (2 * n) * F(delta) ** 2 * F(mu) * F(L_P) / n
    assert generic_nonconvex(mu, L_P).bound(n, **start) == _sqrt_ceiling(squared)

    gamma = step / (5 * L_P)
    g = F(gamma)
    assert strongly_convex(L_P, mu).bound(T, stepsize=gamma, **start) == _ceiling((1 - g * F(mu)) ** T * F(R2))
    assert convex(L_P).bound(T, stepsize=gamma, **start) == _ceiling(F(R2) / (g * (T + 1)))
    assert convex_sharp(L_P).bound(T, stepsize=gamma, **start) == _ceiling(F(R2) / (2 * g * (T + 1)))
    assert nonconvex(L_P).bound(T, stepsize=gamma, **start) == _ceiling(2 * F(delta) / (g * (T + 1)))
    assert generic_convex(mu, L_P).bound(n, stepsize=gamma, **start) == _ceiling((2 * g * F(delta) + F(R2)) / (g * n))
    small = gamma / 8
    exact = 2 * (1 + F(mu) * F(small) ** 2 * F(L_P)) ** n * F(delta) / (F(small) * n)
    assert generic_nonconvex(mu, L_P).bound(n, stepsize=small, **start) == _ceiling(exact)


def test_largest_stepsizes() -> None:
    assert strongly_convex(4.0, 1.0).stepsize() == 0.25
    assert convex(4.0).stepsize() == 0.125
    assert convex_sharp(4.0).stepsize() == 0.25
    assert nonconvex(4.0).stepsize(7) == 0.25
    assert generic_convex(4.0, 4.0).stepsize() == 1 / 16
    assert generic_convex(16.0, 4.0).stepsize() == 1 / 32
    assert generic_nonconvex(2.0, 8.0).stepsize(4) == 1 / 8


@given(L=ORDINARY, A=ORDINARY, T=st.integers(1, 10**30))
def test_the_largest_stepsize_is_rounded_down_to_the_next_float(L: float, A: float, T: int) -> None:
    gamma = generic_nonconvex(L, A).stepsize(T)
    above = math.nextafter(gamma, math.inf)
    assert (
        Fraction(L) * Fraction(A) * Fraction(gamma) ** 2 * T <= 1 < Fraction(L) * Fraction(A) * Fraction(above) ** 2 * T
    )
    gamma = nonconvex(L).stepsize()
    assert Fraction(gamma) * Fraction(L) <= 1 < Fraction(math.nextafter(gamma, math.inf)) * Fraction(L)


@given(L_P=ORDINARY, T=st.integers(0, 100))
def test_a_stepsize_above_the_largest_by_rounding_alone_is_taken_as_the_largest(L_P: float, T: int) -> None:
    for rate, typed in (
        (convex(L_P), 1 / (2 * L_P)),
        (convex_sharp(L_P), 1 / L_P),
        (strongly_convex(L_P, L_P), 1 / L_P),
    ):
        plain = rate.bound(T, squared_distance=1.0)
        assert plain <= rate.bound(T, squared_distance=1.0, stepsize=typed) <= plain * (1 + 1e-13) + 1e-13
        with pytest.raises(InvalidInput, match="must not exceed"):
            rate.bound(T, squared_distance=1.0, stepsize=typed * (1 + 1e-15))


# -- the number of iterations --------------------------------------------------------------------


def _all(L_P: float, share: float) -> list[Rate]:
    small = L_P * share
    return [
        strongly_convex(L_P, small),
        convex(L_P),
        convex_sharp(L_P),
        nonconvex(L_P),
        generic_convex(small, L_P),
        generic_nonconvex(small, L_P),
    ]


@given(
    index=st.integers(0, 5),
    L_P=ANY,
    share=st.floats(1e-12, 1),
    eps=ANY,
    R2=ANY,
    delta=ANY,
    step=st.none() | st.floats(1e-3, 1),
)
def test_iterations_is_the_smallest_sufficient_number(
    index: int, L_P: float, share: float, eps: float, R2: float, delta: float, step: float | None
) -> None:
    rate = _all(L_P, share)[index]
    start: dict[str, Any] = {"squared_distance": R2, "gap": delta}
    if step is not None and index != 5:
        start["stepsize"] = rate.stepsize() * step
    T = rate.iterations(eps, **start)
    assert T >= rate.first
    assert rate.bound(T, **start) <= eps
    assert T == rate.first or rate.bound(T - 1, **start) > eps


@given(
    L_P=st.floats(0.5, 4),
    share=st.floats(0.05, 1),
    eps=st.floats(0.05, 4),
    R2=st.floats(0, 1),
    delta=st.floats(0, 1),
    step=st.none() | st.floats(0.3, 1),
)
def test_iterations_agrees_with_counting(
    L_P: float, share: float, eps: float, R2: float, delta: float, step: float | None
) -> None:
    F = Fraction
    mu = L_P * share
    start: dict[str, Any] = {"squared_distance": R2, "gap": delta}

    def count(first: int, formula: Callable[[int, Fraction], Fraction], g: Fraction, target: Fraction) -> int:
        return next(T for T in itertools.count(first) if formula(T, g) <= target)

    formulas: dict[str, Callable[[int, Fraction], Fraction]] = {
        "thm:rcdStronglyConvex": lambda T, g: (1 - g * F(mu)) ** T * F(R2),
        "thm:rcdConvex": lambda T, g: F(R2) / g / (T + 1),
        "convex, sharp": lambda T, g: F(R2) / g / (T + 1) / 2,
        "thm:rcdNonconvex": lambda T, g: 2 * F(delta) / g / (T + 1),
        "thm:oldConvex": lambda T, g: (2 * g * F(delta) + F(R2)) / g / T,
    }
    divisors = {"thm:rcdConvex": 2, "thm:oldConvex": 4}
    for rate in _all(L_P, share)[:5]:
        g = 1 / (divisors.get(rate.label, 1) * F(L_P))
        if step is not None:
            start["stepsize"] = rate.stepsize() * step
            g = F(start["stepsize"])
        assert rate.iterations(eps, **start) == count(rate.first, formulas[rate.label], g, F(eps))

    def squared(T: int, g: Fraction) -> Fraction:
        return 4 * (1 + F(1, T)) ** (2 * T) * F(delta) ** 2 * F(mu) * F(L_P) / T

    generic, coarse = generic_nonconvex(mu, L_P), max(eps, 1.5)
    assert generic.iterations(coarse, gap=delta) == count(1, squared, F(1), F(coarse) ** 2)


@pytest.mark.parametrize(
    ("rate", "start", "eps", "T"),
    [
        (strongly_convex(2.0, 1.0), {"squared_distance": 1.0}, 2.0**-40, 40),
        (strongly_convex(2.0, 1.0), {"squared_distance": 1.0}, 2.0**-1000, 1000),
        (strongly_convex(3.0, 2.0), {"squared_distance": 3.0**33}, 1.0, 33),
        (strongly_convex(4.0, 1.0), {"squared_distance": 4.0**26}, 3.0**26, 26),
        (convex(1.0), {"squared_distance": 3.0}, 0.5, 11),
        (convex_sharp(2.0), {"squared_distance": 3.0}, 0.5, 5),
        (nonconvex(0.5), {"gap": 7.0}, 1.0, 6),
        (generic_convex(1.0, 1.0), {"gap": 1.0, "squared_distance": 1.0}, 0.5, 12),
        (generic_nonconvex(1.0, 1.0), {"gap": 1.0}, 4.0, 1),
        (generic_nonconvex(2.0, 1.0), {"gap": 1.0}, 4.5, 2),
    ],
)
def test_ties_are_decided_exactly(rate: Rate, start: dict[str, Any], eps: float, T: int) -> None:
    assert rate.bound(T, **start) == eps
    assert rate.iterations(eps, **start) == T
    assert rate.iterations(math.nextafter(eps, math.inf), **start) == T
    assert rate.iterations(math.nextafter(eps, 0.0), **start) == T + 1


@pytest.mark.parametrize(
    ("rate", "start", "eps"),
    [
        (strongly_convex(1.0, 1e-18), {"squared_distance": 1.0}, 1e-9),
        (strongly_convex(1e150, 1e-150), {"squared_distance": 1e300}, 1e-300),
        (strongly_convex(1e200, 1e200), {"squared_distance": 1e300}, 1e-300),
        (strongly_convex(1.0, 0.999999), {"squared_distance": 1e308}, 5e-324),
        (convex(1e300), {"squared_distance": 1e300}, 1e-300),
        (generic_nonconvex(1e60, 1e60), {"gap": 1e60}, 1e-60),
        (generic_nonconvex(1.0, 1.0), {"gap": 1.0, "stepsize": 1e-9}, 1e-8),
    ],
)
def test_huge_numbers_of_iterations_are_exact_too(rate: Rate, start: dict[str, Any], eps: float) -> None:
    T = rate.iterations(eps, **start)
    assert rate.bound(T, **start) <= eps < rate.bound(T - 1, **start)
    assert T > 10**8 or "Strongly" in rate.label


def test_nothing_to_do_takes_no_iterations() -> None:
    assert strongly_convex(1.0, 0.5).iterations(1.0, squared_distance=1.0) == 0
    assert convex(1.0).iterations(0.1, squared_distance=0.0) == 0
    assert nonconvex(1.0).iterations(0.1, gap=0.0) == 0
    assert generic_convex(1.0, 1.0).iterations(0.1, gap=0.0, squared_distance=0.0) == 1
    assert generic_nonconvex(1.0, 1.0).iterations(0.1, gap=0.0) == 1
    assert strongly_convex(1.0, 1.0).iterations(1e-300, squared_distance=1.0) == 1
    assert strongly_convex(1.0, 1.0).bound(1, squared_distance=1.0) == 0.0


def test_a_bound_that_underflows_or_overflows_stays_a_bound() -> None:
    rate = strongly_convex(1.0, 0.5)
    assert rate.bound(10**400, squared_distance=1.0) == 5e-324
    assert convex(1e300).bound(0, squared_distance=1e300) == math.inf
    assert convex(1.0).bound(10**400, squared_distance=1.0) == 5e-324
    assert convex_sharp(5e-324).bound(0, squared_distance=1.0, stepsize=2.0**1000) == 2.0**-1001


@given(L_P=ORDINARY, eps=ORDINARY, R2=ORDINARY, delta=ORDINARY)
def test_printed_counts(L_P: float, eps: float, R2: float, delta: float) -> None:
    start: dict[str, Any] = {"squared_distance": R2, "gap": delta}
    F = Fraction
    enough = 2 * F(L_P) * F(R2) / F(eps)
    T = convex(L_P).printed_iterations(eps, **start)
    assert T is not None
    assert T == 0 or T < enough
    assert T + 1 >= enough
    assert T == convex(L_P).iterations(eps, **start)
    T = nonconvex(L_P).printed_iterations(eps, **start)
    assert T == max(0, math.ceil(2 * F(L_P) * F(delta) / F(eps)) - 1) == nonconvex(L_P).iterations(eps, **start)
    generic = generic_nonconvex(L_P, 2 * L_P)
    T = generic.printed_iterations(eps, **start)
    assert T == max(1, math.ceil(288 * F(delta) ** 2 * F(L_P) ** 2 / F(eps) ** 2))
    # Sufficient indeed, and wasteful by a factor between 144 / (4 e^2) = 4.87 and 144 / 16 = 9.
    assert generic.bound(T, **start) <= eps
    assert T == 1 or 4.8 * (generic.iterations(eps, **start) - 1) <= T
    assert T <= 9 * generic.iterations(eps, **start)
    for other in (strongly_convex(L_P, L_P), convex_sharp(L_P), generic_convex(L_P, L_P)):
        assert other.printed_iterations(eps, **start) is None


@given(value=st.fractions(Fraction(1, 10**9), 10**9), bits=st.integers(2, 200))
def test_roots_are_enclosed_to_the_precision_asked_for(value: Fraction, bits: int) -> None:
    low, high = root(value, bits)
    assert low**2 <= value <= high**2
    assert high - low <= 2 * high / 2**bits
    assert root(value**2, bits) == (value, value)


@given(base=st.fractions(0, 2), exponent=st.integers(0, 300), extra=st.integers(1, 200))
def test_powers_are_enclosed_to_the_precision_asked_for(base: Fraction, exponent: int, extra: int) -> None:
    bits = 2 * exponent.bit_length() + extra
    assert power(base, exponent, bits) == (base**exponent, base**exponent)
    low, high = (power_end(base + 1, exponent, bits, sign) for sign in (1, -1))
    assert low <= (base + 1) ** exponent <= high <= low * (1 + Fraction(exponent * 8, 2**bits))


def test_a_negligible_power_is_not_called_zero() -> None:
    low, high = power(Fraction(1, 3), 10**7, 128)
    assert 0 == low < high < Fraction(1, 2**3999)


# -- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, None, "x"])
def test_constants_must_be_positive_and_finite(bad: Any) -> None:
    for make in (convex, convex_sharp, nonconvex, lambda v: strongly_convex(v, 1.0), lambda v: strongly_convex(1.0, v)):
        with pytest.raises(InvalidInput):
            make(bad)
    for pair in (generic_convex, generic_nonconvex):
        with pytest.raises(InvalidInput):
            pair(bad, 1.0)
        with pytest.raises(InvalidInput):
            pair(1.0, bad)
    with pytest.raises(InvalidInput, match="eps"):
        convex(1.0).iterations(bad, squared_distance=1.0)
    if bad is not None:
        with pytest.raises(InvalidInput, match="stepsize"):
            convex(1.0).bound(1, squared_distance=1.0, stepsize=bad)
        with pytest.raises(InvalidInput, match="stepsize"):
            generic_nonconvex(1.0, 1.0).bound(1, gap=1.0, stepsize=bad)
    if bad != 0.0:
        with pytest.raises(InvalidInput, match="squared_distance"):
            convex(1.0).bound(1, squared_distance=bad)


@pytest.mark.parametrize("T", [-1, 1.5, "3", None, True])
def test_T_must_be_a_count(T: Any) -> None:
    with pytest.raises(InvalidInput, match="T must be a whole number"):
        convex(1.0).bound(T, squared_distance=1.0)


def test_more_refusals() -> None:
    with pytest.raises(InvalidInput, match="mu must not exceed L_P"):
        strongly_convex(1.0, math.nextafter(1.0, 2.0))
    with pytest.raises(InvalidInput, match="needs gap"):
        nonconvex(1.0).bound(1, squared_distance=1.0)
    with pytest.raises(InvalidInput, match="needs squared_distance"):
        convex(1.0).iterations(1.0, gap=1.0)
    with pytest.raises(InvalidInput, match="at least 1"):
        generic_convex(1.0, 1.0).bound(0, squared_distance=1.0, gap=1.0)
    with pytest.raises(InvalidInput, match="depends on T"):
        generic_nonconvex(1.0, 1.0).stepsize()


def test_the_generic_nonconvex_stepsize_limits_T() -> None:
    rate = generic_nonconvex(1.0, 1.0)
    assert rate.bound(4, gap=1.0, stepsize=0.5) == rate.bound(4, gap=1.0)
    with pytest.raises(InvalidInput, match="T = 5"):
        rate.bound(5, gap=1.0, stepsize=0.5)
    with pytest.raises(InvalidInput, match="T = 1"):
        rate.iterations(1.0, gap=1.0, stepsize=1.5)
    best = rate.bound(4, gap=1.0, stepsize=0.5)
    assert rate.iterations(best, gap=1.0, stepsize=0.5) == 4
    with pytest.raises(InvalidInput, match="does not reach"):
        rate.iterations(math.nextafter(best, 0.0), gap=1.0, stepsize=0.5)


def test_numpy_scalars_are_numbers() -> None:
    assert convex(np.float64(4.0)).bound(np.int64(7), squared_distance=np.float64(1.0)) == 1.0


# -- comparisons ---------------------------------------------------------------------------------


@given(L_P=ORDINARY, R2=ORDINARY, T=st.integers(0, 10**6))
def test_the_sharp_bound_is_a_quarter_of_the_papers_at_its_best_stepsize(L_P: float, R2: float, T: int) -> None:
    assert 4 * convex_sharp(L_P).bound(T, squared_distance=R2) == convex(L_P).bound(T, squared_distance=R2)
    gamma = convex(L_P).stepsize()
    sharp, paper = (rate.bound(T, squared_distance=R2, stepsize=gamma) for rate in (convex_sharp(L_P), convex(L_P)))
    assert 2 * sharp == paper


@given(L=ORDINARY, ratio=st.floats(1, 100), R2=ORDINARY, delta=ORDINARY, more=st.integers(0, 10**6))
def test_the_generic_bounds_are_worse(L: float, ratio: float, R2: float, delta: float, more: int) -> None:
    L_P = L * ratio
    start: dict[str, Any] = {"squared_distance": R2, "gap": delta}
    for T in (1, 1 + more):
        assert generic_convex(L, L_P).bound(T, **start) > convex(L_P).bound(T - 1, **start)
    # From T = L_P / L on, also at the stepsize that minimises the generic bound.
    T = math.ceil(ratio * (1 + 1e-9)) + more
    generic = generic_nonconvex(L, L_P)
    best = 1 / math.sqrt(L * L_P * (2 * T - 1)) * (1 - 1e-12)
    for bound in (generic.bound(T, **start), generic.bound(T, stepsize=best, **start)):
        assert bound > nonconvex(L_P).bound(T - 1, **start)


def test_for_few_steps_the_generic_nonconvex_bound_can_be_better() -> None:
    assert generic_nonconvex(1.0, 100.0).bound(2, gap=1.0) < nonconvex(100.0).bound(1, gap=1.0)


def test_the_generic_nonconvex_bound_decays_like_the_root_of_T() -> None:
    rate = generic_nonconvex(1.0, 1.0)
    assert rate.bound(4 * 10**6, gap=1.0) == pytest.approx(rate.bound(10**6, gap=1.0) / 2, rel=1e-6)
    assert nonconvex(1.0).bound(4 * 10**6 - 1, gap=1.0) == nonconvex(1.0).bound(10**6 - 1, gap=1.0) / 4


@given(L=ORDINARY, A=ORDINARY, T=st.integers(2, 1000))
def test_the_largest_generic_nonconvex_stepsize_is_not_the_best(L: float, A: float, T: int) -> None:
    rate = generic_nonconvex(L, A)
    best = 1 / math.sqrt(L * A * (2 * T - 1))
    least = rate.bound(T, gap=1.0, stepsize=best)
    assert least < rate.bound(T, gap=1.0)
    assert least <= rate.bound(T, gap=1.0, stepsize=best * 0.99)
    assert least <= rate.bound(T, gap=1.0, stepsize=best * 1.01)


# -- the theorems on quadratics, where every expectation is exact --------------------------------


@dataclass(frozen=True)
class Quadratic:
    """f(x) = x'Hx / 2, a sketch given by all its outcomes (probability, diagonal of C), its P, and a start."""

    H: FloatArray
    outcomes: list[tuple[float, FloatArray]]
    p: FloatArray
    x0: FloatArray

    @property
    def L_P(self) -> float:
        root = np.sqrt(self.p)
        return float(np.linalg.eigvalsh(self.H / np.outer(root, root))[-1]) * (1 + 1e-12)

    @property
    def L_M(self) -> float:
        moment = sum(weight * np.outer(c, c) for weight, c in self.outcomes) * self.H
        return float(np.linalg.eigvalsh(moment)[-1]) * (1 + 1e-12)

    @property
    def gap(self) -> float:
        return float(self.x0 @ self.H @ self.x0) / 2

    @property
    def squared_distance(self) -> float:
        """To the nearest minimiser: the part of x0 in the range of H."""
        values, vectors = np.linalg.eigh(self.H)
        return float(np.sum((vectors[:, values > 1e-9 * values[-1]].T @ self.x0) ** 2))

    def scale(self, power: int) -> float:
        """tr(H)^power ||x0||^2: what rounding errors are to be compared with."""
        return float(np.trace(self.H) ** power * (self.x0 @ self.x0))

    def moments(self, gamma: float, T: int) -> list[FloatArray]:
        """E[z_t z_t'] for t = 0..T, where z_t stacks x_t and x_0 + ... + x_t."""
        d = len(self.x0)
        start = np.concatenate([self.x0, self.x0])
        steps = []
        for weight, c in self.outcomes:
            one = np.eye(d) - gamma * c[:, None] * self.H
            steps.append((weight, np.block([[one, np.zeros((d, d))], [one, np.eye(d)]])))
        found = [np.outer(start, start)]
        for _ in range(T):
            found.append(sum(weight * step @ found[-1] @ step.T for weight, step in steps))
        return found

    def mean_squared_distance(self, moment: FloatArray) -> float:
        d = len(self.x0)
        return float(np.trace(moment[:d, :d]))

    def mean_value(self, moment: FloatArray) -> float:
        d = len(self.x0)
        return float(np.sum(self.H * moment[:d, :d])) / 2

    def mean_value_of_average(self, moment: FloatArray, count: int) -> float:
        d = len(self.x0)
        return float(np.sum(self.H * moment[d:, d:])) / 2 / count**2

    def mean_squared_gradient(self, moment: FloatArray) -> float:
        d = len(self.x0)
        return float(np.sum((self.H @ self.H) * moment[:d, :d]))


def _sketch(kind: str, sizes: list[int], p: list[float]) -> tuple[list[tuple[float, FloatArray]], FloatArray]:
    B = len(sizes)
    if kind == "single":
        p = [value / sum(p) for value in p]
    if kind == "nested":
        order = sorted(range(B), key=lambda k: -p[k])
        levels = [1.0, *(p[k] for k in order), 0.0]
        active = [(levels[i] - levels[i + 1], set(order[:i])) for i in range(B + 1)]
    elif kind == "independent":
        active = []
        for pattern in itertools.product((0, 1), repeat=B):
            weight = math.prod(q if on else 1 - q for q, on in zip(p, pattern, strict=True))
            active.append((weight, {k for k in range(B) if pattern[k]}))
    else:
        active = [(p[k], {k}) for k in range(B)]
    outcomes = [
        (weight, np.repeat([1 / p[k] if k in blocks else 0.0 for k in range(B)], sizes)) for weight, blocks in active
    ]
    return outcomes, np.repeat(p, sizes)


@st.composite
def quadratics(draw: st.DrawFn, *, shifts: tuple[float, ...]) -> Quadratic:
    B = draw(st.integers(1, 3))
    sizes = draw(st.lists(st.integers(1, 2), min_size=B, max_size=B))
    d = sum(sizes)
    rows = draw(st.integers(1, d))
    entries = draw(st.lists(st.integers(-3, 3), min_size=rows * d, max_size=rows * d))
    A = np.array(entries, dtype=np.float64).reshape(rows, d)
    A[0, 0] += 4 if A[0, 0] >= 0 else -4
    p = draw(st.lists(st.sampled_from([1.0, 0.9, 0.5, 0.3, 0.1, 0.01]), min_size=B, max_size=B))
    outcomes, marginals = _sketch(draw(st.sampled_from(["nested", "independent", "single"])), sizes, p)
    x0 = np.array(draw(st.lists(st.integers(-4, 4), min_size=d, max_size=d)), dtype=np.float64)
    return Quadratic(A.T @ A + draw(st.sampled_from(shifts)) * np.eye(d), outcomes, marginals, x0)


STEPS = st.sampled_from([1.0, 0.999, 0.6, 0.2, 0.01])
TIMES = st.integers(0, 25)
DEFINITE = quadratics(shifts=(0.01, 0.1, 1.0, 30.0))
SEMIDEFINITE = quadratics(shifts=(0.0, 0.0, 0.1, 30.0))


def _holds(left: float, right: float, scale: float) -> bool:
    """left <= right up to the rounding of the float recursion."""
    return left <= right * (1 + 1e-9) + 1e-12 * scale


@given(problem=DEFINITE, share=STEPS, T=TIMES)
def test_strongly_convex_theorem_on_exact_moments(problem: Quadratic, share: float, T: int) -> None:
    rate = strongly_convex(problem.L_P, float(np.linalg.eigvalsh(problem.H)[0]) * (1 - 1e-9))
    gamma = rate.stepsize() * share
    R2 = problem.scale(0)
    for t, moment in enumerate(problem.moments(gamma, T)):
        assert _holds(problem.mean_squared_distance(moment), rate.bound(t, squared_distance=R2, stepsize=gamma), R2)


@given(problem=SEMIDEFINITE, share=STEPS, T=TIMES)
def test_convex_theorems_on_exact_moments(problem: Quadratic, share: float, T: int) -> None:
    start: dict[str, Any] = {"squared_distance": problem.squared_distance, "gap": problem.gap}
    L = float(np.linalg.eigvalsh(problem.H)[-1]) * (1 + 1e-12)
    for rate in (convex_sharp(problem.L_P), convex(problem.L_P), generic_convex(L, problem.L_P)):
        gamma = rate.stepsize() * share
        for t, moment in enumerate(problem.moments(gamma, T)):
            left = problem.mean_value_of_average(moment, t + 1)
            assert _holds(left, rate.bound(t + rate.first, stepsize=gamma, **start), problem.scale(1))


@given(problem=SEMIDEFINITE, share=STEPS, T=TIMES)
def test_nonconvex_theorem_on_exact_moments_with_L_P_and_L_M(problem: Quadratic, share: float, T: int) -> None:
    for smoothness in (problem.L_P, problem.L_M):
        rate = nonconvex(smoothness)
        gamma = rate.stepsize() * share
        gradients = [problem.mean_squared_gradient(moment) for moment in problem.moments(gamma, T)]
        for t in range(T + 1):
            # The proof bounds the mean over t, which is no less than the minimum.
            left = sum(gradients[: t + 1]) / (t + 1)
            assert _holds(left, rate.bound(t, gap=problem.gap, stepsize=gamma), problem.scale(2))


@given(problem=SEMIDEFINITE, share=STEPS, T=st.integers(1, 25))
def test_generic_nonconvex_theorem_on_exact_moments(problem: Quadratic, share: float, T: int) -> None:
    rate = generic_nonconvex(float(np.linalg.eigvalsh(problem.H)[-1]) * (1 + 1e-12), problem.L_P)
    gamma = rate.stepsize(T) * share
    gradients = [problem.mean_squared_gradient(moment) for moment in problem.moments(gamma, T - 1)]
    assert _holds(min(gradients), rate.bound(T, gap=problem.gap, stepsize=gamma), problem.scale(2))


def _three_blocks(kind: str) -> Quadratic:
    A = np.array([[2.0, -1.0, 0.5], [0.0, 1.0, 3.0], [1.0, 1.0, 0.0]])
    outcomes, marginals = _sketch(kind, [1, 1, 1], [0.5, 1.0, 0.2])
    return Quadratic(A.T @ A, outcomes, marginals, np.array([1.0, -2.0, 0.5]))


@pytest.mark.parametrize("kind", ["nested", "independent", "single"])
def test_the_moments_are_those_of_all_paths(kind: str) -> None:
    problem, gamma, T = _three_blocks(kind), 0.02, 3
    assert sum(weight for weight, _ in problem.outcomes) == pytest.approx(1)
    np.testing.assert_allclose(sum(weight * c for weight, c in problem.outcomes), np.ones(3))
    distance = value = average = gradient = 0.0
    for path in itertools.product(problem.outcomes, repeat=T):
        x, total, weight = problem.x0, problem.x0, 1.0
        for probability, c in path:
            x = x - gamma * c * (problem.H @ x)
            total, weight = total + x, weight * probability
        distance += weight * float(x @ x)
        value += weight * float(x @ problem.H @ x) / 2
        average += weight * float(total @ problem.H @ total) / 2 / (T + 1) ** 2
        gradient += weight * float(np.sum((problem.H @ x) ** 2))
    moment = problem.moments(gamma, T)[-1]
    assert problem.mean_squared_distance(moment) == pytest.approx(distance)
    assert problem.mean_value(moment) == pytest.approx(value)
    assert problem.mean_value_of_average(moment, T + 1) == pytest.approx(average)
    assert problem.mean_squared_gradient(moment) == pytest.approx(gradient)


def test_with_every_block_always_updated_the_rates_are_those_of_gradient_descent() -> None:
    full = _three_blocks("nested")
    outcomes, marginals = _sketch("nested", [1, 1, 1], [1.0, 1.0, 1.0])
    problem = Quadratic(full.H, outcomes, marginals, full.x0)
    values = np.linalg.eigvalsh(problem.H)
    L, mu = float(values[-1]), float(values[0])
    assert problem.L_P == pytest.approx(L)
    assert problem.L_M == pytest.approx(L)
    x, gamma, T = problem.x0, 1 / L, 10
    for moment in problem.moments(gamma, T):
        np.testing.assert_allclose(moment[:3, :3], np.outer(x, x), atol=1e-12)
        x = x - gamma * problem.H @ x
    R2, delta = float(problem.x0 @ problem.x0), problem.gap
    assert strongly_convex(L, mu).bound(T, squared_distance=R2) == pytest.approx((1 - mu / L) ** T * R2)
    assert convex_sharp(L).bound(T, squared_distance=R2) == pytest.approx(L * R2 / (2 * (T + 1)))
    assert nonconvex(L).bound(T, gap=delta) == pytest.approx(2 * L * delta / (T + 1))


# -- where the statements are attained, so that nothing stronger is true -------------------------


@pytest.mark.parametrize("p", [Fraction(1), Fraction(1, 2), Fraction(1, 8)])
@pytest.mark.parametrize("T", [0, 1, 7])
def test_strongly_convex_theorem_is_attained_when_L_is_a_multiple_of_the_identity(p: Fraction, T: int) -> None:
    mu = Fraction(2)
    gamma = p / mu
    second_moment = (p * (1 - gamma * mu / p) ** 2 + (1 - p)) ** T
    rate = strongly_convex(float(mu / p), float(mu))
    assert second_moment == Fraction(rate.bound(T, squared_distance=1.0))
    if T and p < 1:
        assert second_moment > (1 - Fraction(1001, 1000) * gamma * mu) ** T


@pytest.mark.parametrize("L", [Fraction(1), Fraction(4)])
@pytest.mark.parametrize("T", [0, 1, 3, 15])
def test_sharp_convex_bound_is_attained_by_a_huber_function(L: Fraction, T: int) -> None:
    # f(x) = L x^2 / 2 up to |x| = 1 / (T + 1), linear beyond; the one coordinate is always updated, so L_P = L.
    width = Fraction(1, T + 1)

    def value(x: Fraction) -> Fraction:
        return L * x**2 / 2 if abs(x) <= width else L * width * (abs(x) - width / 2)

    def slope(x: Fraction) -> Fraction:
        return L * max(-width, min(width, x))

    iterates = [Fraction(1)]
    for _ in range(T):
        iterates.append(iterates[-1] - slope(iterates[-1]) / L)
    attained = value(sum(iterates, Fraction(0)) / (T + 1))
    bound = Fraction(convex_sharp(float(L)).bound(T, squared_distance=1.0))
    assert attained == bound
    assert attained > Fraction(999, 1000) * bound
    # The paper's bound is never less than 4 times that.
    assert Fraction(convex(float(L)).bound(T, squared_distance=1.0)) == 4 * attained


def test_nonconvex_bound_is_attained_at_the_start() -> None:
    L = 4.0
    x = 3.0
    assert (L * x) ** 2 == nonconvex(L).bound(0, gap=L * x * x / 2)


@pytest.mark.parametrize("kind", ["nested", "independent", "single"])
def test_nonconvex_one_step_decrease_is_attained(kind: str) -> None:
    problem = _three_blocks(kind)
    moment = sum(weight * np.outer(c, c) for weight, c in problem.outcomes) * problem.H
    top = np.linalg.eigh(moment)[1][:, -1]
    problem = Quadratic(problem.H, problem.outcomes, problem.p, np.linalg.solve(problem.H, top))
    gamma = 1 / problem.L_M
    before, after = problem.moments(gamma, 1)
    decrease = problem.mean_value(before) - problem.mean_value(after)
    claimed = gamma / 2 * problem.mean_squared_gradient(before)
    assert decrease == pytest.approx(claimed)
    assert decrease < 1.001 * claimed


def test_nonconvex_theorem_does_not_hold_with_a_smaller_constant_than_L_M() -> None:
    # One coordinate, L = 1, p = 1/4, L_M = 4: from stepsize 2/L_M on nothing decreases.
    outcomes, marginals = _sketch("nested", [1], [0.25])
    problem = Quadratic(np.eye(1), outcomes, marginals, np.ones(1))
    assert problem.L_M == pytest.approx(4.0)
    rate = nonconvex(1.0)
    gradients = [problem.mean_squared_gradient(moment) for moment in problem.moments(rate.stepsize(), 10)]
    assert min(gradients) > rate.bound(10, gap=problem.gap)


def test_a_longer_stepsize_breaks_the_strongly_convex_theorem() -> None:
    outcomes, marginals = _sketch("nested", [1], [0.25])
    problem = Quadratic(np.eye(1), outcomes, marginals, np.ones(1))
    gamma = 0.25 * 1.01
    after = problem.mean_squared_distance(problem.moments(gamma, 1)[1])
    assert after > 1 - gamma
