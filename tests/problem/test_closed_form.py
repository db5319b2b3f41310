"""The closed-form probabilities: proportional to sqrt(L_k / c_k), and attaining their bound."""

import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rpttheory.numbers import Bracket, Rigor
from rpttheory.numbers.exact_array import ExactArray
from rpttheory.problem.blocks import BlockOrder, Blocks
from rpttheory.problem.closedform import PROBABILITY_FLOOR, ClosedForm, closed_form_from
from rpttheory.problem.quantities import closed_form
from rpttheory.problem.smoothness import diagonal, gram


def of_constants(constants: list[float], costs: list[float]) -> ClosedForm:
    return closed_form_from(
        [Bracket.point(value) for value in constants], ExactArray(np.array(costs))
    )


def bound_50(constants: list[float], costs: list[float]) -> mpmath.mpf:
    with mpmath.workdps(50):
        return (
            sum(
                mpmath.sqrt(mpmath.mpf(a) * mpmath.mpf(c))
                for a, c in zip(constants, costs, strict=True)
            )
            ** 2
        )


def holds(bracket: Bracket, value: mpmath.mpf) -> bool:
    with mpmath.workdps(50):
        room = abs(value) * mpmath.mpf(10) ** -45
        low, high = (
            mpmath.mpf(e.numerator) / e.denominator
            for e in (Fraction(bracket.exact_lower), Fraction(bracket.exact_upper))
        )
        return bool(low - room <= value <= high + room)


@given(
    values=st.lists(
        st.tuples(
            st.floats(1.0, 10.0), st.integers(-3, 3), st.floats(1.0, 10.0), st.integers(-6, 6)
        ),
        min_size=1,
        max_size=6,
    )
)
def test_proportional_to_the_root_of_the_quotient(
    values: list[tuple[float, int, float, int]],
) -> None:
    """Costs span 12 orders of magnitude; nothing here reaches the floor."""
    constants = [a * 10.0**e for a, e, _, _ in values]
    costs = [c * 10.0**e for _, _, c, e in values]
    result = of_constants(constants, costs)
    p = [Fraction(q) for q in result.probabilities.tolist()]
    assert max(p) == 1
    squares = [
        q * q * Fraction(c) / Fraction(a) for q, a, c in zip(p, constants, costs, strict=True)
    ]
    assert max(squares) <= min(squares) * (1 + Fraction(1, 10**14))
    assert holds(result.bound, bound_50(constants, costs))
    assert result.bound.exact_upper - result.bound.exact_lower <= result.bound.exact_upper / 10**15
    assert list(result.order.by_rank(result.probabilities)) == sorted(
        result.probabilities, reverse=True
    )


@given(
    values=st.lists(st.tuples(st.integers(1, 99), st.integers(1, 99)), min_size=1, max_size=5),
    overhead=st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(40)]),
    forced=st.randoms(use_true_random=False) | st.none(),
    seed=st.integers(0, 2**32 - 1),
)
def test_pooled_probabilities_attain_the_least_bound_along_their_order(
    values: list[tuple[int, int]], overhead: Fraction, forced: random.Random | None, seed: int
) -> None:
    constants = [a / 16 for a, _ in values]
    costs = [c / 8 for _, c in values]
    blocks = Blocks.singletons(len(values))
    order = None if forced is None else BlockOrder(forced.sample(range(len(values)), len(values)))
    result = closed_form(np.diag(constants), blocks, costs, overhead=overhead, order=order)

    def product(p: list[float]) -> Fraction:
        paid = overhead + sum(Fraction(c) * Fraction(q) for c, q in zip(costs, p, strict=True))
        return sum(Fraction(a) / Fraction(q) for a, q in zip(constants, p, strict=True)) * paid

    p = result.probabilities
    assert p.max() == 1.0 and (np.diff(result.order.by_rank(p)) <= 0).all()
    assert (
        result.bound.exact_lower
        <= product(p.tolist())
        <= result.bound.exact_upper * (1 + Fraction(1, 10**14))
    )
    rng = np.random.default_rng(seed)
    for _ in range(8):
        if order is None:  # p = 1 is where an overhead draws all blocks to
            perturbed = np.minimum(p * rng.uniform(0.5, 2, p.size), 1.0)
        else:
            perturbed = order.per_block(
                np.minimum.accumulate(order.by_rank(p) * rng.uniform(0.5, 1, p.size))
            )
        assert result.bound.exact_lower <= product(
            (perturbed / (perturbed.max() if overhead else 1)).tolist()
        )


@pytest.mark.parametrize("zeros", [1, 2])
def test_blocks_of_zeros_get_the_floor(zeros: int) -> None:
    values = np.array([0.0] * zeros + [4.0, 1.0])
    for L in (
        np.diag(values),
        sp.csr_array(np.diag(values)),
        diagonal(values),
        gram(np.diag(np.sqrt(values))),
    ):
        result = closed_form(L, Blocks.singletons(zeros + 2), np.ones(zeros + 2))
        np.testing.assert_allclose(
            result.probabilities, [PROBABILITY_FLOOR] * zeros + [1.0, 0.5], rtol=1e-14
        )
        assert result.order.rank_to_block == (zeros, zeros + 1, *range(zeros))
        assert (
            result.bound.exact_lower <= 9 <= result.bound.exact_upper
            and result.bound.width <= 1e-12
        )


@pytest.mark.parametrize(
    ("constants", "costs"),
    [
        ([1.0, 1.0], [1e-300, 1e300]),
        ([0.0, 1.0], [1e-300, 1e300]),
        ([1e-300, 1e300], [1e300, 1e-300]),
        ([1.0, 2.0], [5e-324, 1.0]),
        ([1e308, 1e-308], [1.0, 1.0]),
    ],
)
def test_extreme_costs_and_constants_give_probabilities(
    constants: list[float], costs: list[float]
) -> None:
    result = of_constants(constants, costs)
    assert (result.probabilities > 0).all() and result.probabilities.max() == 1.0
    quotients = [Fraction(a) / Fraction(c) for a, c in zip(constants, costs, strict=True)]
    assert result.probabilities[int(np.argmax(quotients))] == 1.0
    assert holds(result.bound, bound_50(constants, costs))


def test_one_block_needs_no_root() -> None:
    constant = Bracket(2.0, 2.5)
    bound = closed_form_from([constant], ExactArray(np.array([1.0]))).bound
    assert bound is constant, "so that a tie with lambda_max is seen as one"
    assert closed_form_from(
        [Bracket.point(3.0)], ExactArray(np.array([0.1]))
    ).bound.exact == 3 * Fraction(0.1)


def test_there_is_no_root_of_a_constant_that_may_be_negative() -> None:
    for L in (Bracket.point(-1e-11), Bracket(-1e-11, 1e-11)):
        bound = closed_form_from([Bracket.point(1.0), L], ExactArray(np.ones(2))).bound
        assert (bound.exact_lower, bound.exact_upper) == (-math.inf, math.inf)


def test_the_bound_keeps_the_rigor_of_the_constants() -> None:
    constants = [Bracket(1.0, 2.0, Rigor.NUMERICAL), Bracket.point(1.0)]
    assert closed_form_from(constants, ExactArray(np.ones(2))).bound.rigor is Rigor.NUMERICAL
