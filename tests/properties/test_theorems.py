"""Each theorem against exact expectations on quadratics, at every t, without rounding.

Left-hand sides come from the recursion for second moments in fractions: E|x_t - x*|^2 = tr S_t; E
f(x_bar_t) for the mean x_bar_t of the iterates; the mean of E f(x_s) over s <= t, which is at least
that; and the mean of E|f'(x_s)|^2 over s <= t, which is at least E[min_s |f'(x_s)|^2]. Right-hand
sides come from `rates`, rounded up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import pytest
from companions import BELOW, counterexample
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.quadratics import ExactQuadratic, quadratics, trace, weighted

from rpttheory import lmax
from rpttheory.theorems import (
    Rate,
    convex,
    convex_sharp,
    generic_convex,
    generic_nonconvex,
    nonconvex,
    strongly_convex,
    strongly_convex_sharp,
)

STEPS = range(6)
few = settings(max_examples=max(1, settings.default.max_examples // 2))


def distances(problem: ExactQuadratic, gamma: Fraction) -> list[Fraction]:
    return [trace(moments.iterate) for moments in problem.moments(gamma)]


def averages(problem: ExactQuadratic, gamma: Fraction) -> list[Fraction]:
    return [weighted(problem.H, moments.average) / 2 for moments in problem.moments(gamma)]


def values(problem: ExactQuadratic, gamma: Fraction) -> list[Fraction]:
    terms = (weighted(problem.H, moments.iterate) / 2 for moments in problem.moments(gamma))
    return [total / (t + 1) for t, total in enumerate(accumulate(terms))]


def gradients(problem: ExactQuadratic, gamma: Fraction) -> list[Fraction]:
    H2 = problem.H @ problem.H
    terms = (weighted(H2, moments.iterate) for moments in problem.moments(gamma))
    return [total / (t + 1) for t, total in enumerate(accumulate(terms))]


@dataclass(frozen=True)
class Theorem:
    """A rate, the largest stepsize 1 / (factor * constant), its left-hand side, and where it is
    tight.
    """

    rate: Callable[[ExactQuadratic], Rate]
    left: Callable[[ExactQuadratic, Fraction], list[Fraction]]
    constant: str = "L_P"
    factor: int = 1
    least_mu: int = 0
    tight: tuple[int, ...] = ()

    def sides(self, problem: ExactQuadratic) -> list[tuple[Fraction, Fraction]]:
        gamma, told = problem.stepsize(self.factor * getattr(problem, self.constant))
        start = {"squared_distance": problem.squared_distance, "gap": problem.gap}
        rate = self.rate(problem)
        right = [Fraction(rate.bound(t, stepsize=told, **start).upper) for t in STEPS]
        return list(zip(self.left(problem, gamma), right, strict=True))


def sharp(problem: ExactQuadratic) -> Rate:
    return strongly_convex_sharp(problem.L_P, problem.mu, problem.sampling.probabilities)


THEOREMS = {
    "strongly convex": Theorem(
        lambda problem: strongly_convex(problem.L_P, problem.mu),
        distances,
        least_mu=1,
        tight=(1, 2, 3, 4, 5),
    ),
    "strongly convex, sharp": Theorem(sharp, distances, least_mu=1),
    "convex": Theorem(lambda problem: convex(problem.L_P), averages, factor=2),
    "convex, sharp": Theorem(lambda problem: convex_sharp(problem.L_P), values, tight=(0,)),
    "nonconvex": Theorem(lambda problem: nonconvex(problem.L_P), gradients, tight=(0,)),
    "nonconvex with L_M": Theorem(
        lambda problem: nonconvex(problem.L_M), gradients, constant="L_M", tight=(0,)
    ),
}


@pytest.mark.parametrize("name", THEOREMS)
@few
@given(data=st.data())
def test_theorems_hold(name: str, data: st.DataObject) -> None:
    theorem = THEOREMS[name]
    problem = data.draw(quadratics(least_mu=theorem.least_mu))
    assert all(left <= right for left, right in theorem.sides(problem))


@pytest.mark.parametrize("name", [name for name, theorem in THEOREMS.items() if theorem.tight])
def test_theorems_have_no_room(name: str) -> None:
    theorem = THEOREMS[name]

    def refutes(problem: ExactQuadratic) -> bool:
        sides = theorem.sides(problem)
        return any(left > BELOW * right > 0 for left, right in (sides[t] for t in theorem.tight))

    counterexample(quadratics(least_mu=theorem.least_mu), refutes)


@few
@given(quadratics())
def test_generic_theorems(problem: ExactQuadratic) -> None:
    # Their T counts iterates, not steps.
    L = lmax(problem.H, effort="exact").upper
    start = {"squared_distance": problem.squared_distance, "gap": problem.gap}
    rate = generic_convex(L, problem.L_P)
    gamma = rate.stepsize().lower * problem.shrink
    for t, left in enumerate(averages(problem, Fraction(gamma))):
        assert left <= Fraction(rate.bound(t + 1, stepsize=gamma, **start).upper)
    other = generic_nonconvex(L, problem.L_P)
    gamma = other.stepsize(6).lower * problem.shrink
    least = min(
        weighted(problem.H @ problem.H, moments.iterate)
        for moments in problem.moments(Fraction(gamma))
    )
    assert least <= Fraction(other.bound(6, stepsize=gamma, **start).upper)
