"""The closed-form probabilities: proportional to sqrt(L_k / c_k), and attaining their bound."""

import itertools
import math
import random
import subprocess
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rpttheory.errors import InvalidInput
from rpttheory.numbers import Bracket, Rigour
from rpttheory.numbers.exact_array import ExactArray
from rpttheory.problem.blocks import BlockOrder, Blocks
from rpttheory.problem.closedform import PROBABILITY_FLOOR, ClosedForm, closed_form_from
from rpttheory.problem.quantities import closed_form
from rpttheory.problem.smoothness import diagonal, gram
from rpttheory.problem.spectral import nonnegative


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
            for e in (Fraction(bracket.low), Fraction(bracket.high))
        )
        return bool(low - room <= value <= high + room)


def test_by_hand() -> None:
    """L_k / c_k = 4, 1, 16: p = 1/2, 1/4, 1, a 3-cycle of importance; bound (2 + 2 + 8)^2."""
    found = of_constants([4.0, 2.0, 32.0], [1.0, 2.0, 2.0])
    assert found.probabilities.tolist() == [0.5, 0.25, 1.0] and found.order.rank_to_block == (
        2,
        0,
        1,
    )
    assert found.bound.exact == 144 and [row["rank"] for row in found.records()] == [2, 3, 1]


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
    found = of_constants(constants, costs)
    p = [Fraction(q) for q in found.probabilities.tolist()]
    assert max(p) == 1
    squares = [
        q * q * Fraction(c) / Fraction(a) for q, a, c in zip(p, constants, costs, strict=True)
    ]
    assert max(squares) <= min(squares) * (1 + Fraction(1, 10**14))
    assert holds(found.bound, bound_50(constants, costs))
    assert found.bound.high - found.bound.low <= found.bound.high / 10**15
    assert list(found.order.by_rank(found.probabilities)) == sorted(
        found.probabilities, reverse=True
    )


@given(
    values=st.lists(
        st.tuples(st.floats(1.0, 1e3), st.floats(1.0, 1e3), st.integers(-6, 6)),
        min_size=2,
        max_size=5,
    ),
    factors=st.lists(st.floats(0.5, 1.0), min_size=5, max_size=5),
)
def test_attains_the_bound_and_no_other_point_falls_below_it(
    values: list[tuple[float, float, int]], factors: list[float]
) -> None:
    constants = [a for a, _, _ in values]
    costs = [c * 10.0**e for _, c, e in values]
    found = of_constants(constants, costs)

    def product(p: list[Fraction]) -> Fraction:
        pairs = sum((Fraction(a) / q for a, q in zip(constants, p, strict=True)), Fraction(0))
        return pairs * sum((Fraction(c) * q for c, q in zip(costs, p, strict=True)), Fraction(0))

    p = [Fraction(q) for q in found.probabilities.tolist()]
    assert found.bound.low <= product(p) <= found.bound.high * (1 + Fraction(1, 10**14))
    other = [q * Fraction(f) for q, f in zip(p, factors, strict=False)]
    assert found.bound.low <= product(other)


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
    found = closed_form(np.diag(constants), blocks, costs, overhead=overhead, order=order)

    def product(p: list[float]) -> Fraction:
        paid = overhead + sum(Fraction(c) * Fraction(q) for c, q in zip(costs, p, strict=True))
        return sum(Fraction(a) / Fraction(q) for a, q in zip(constants, p, strict=True)) * paid

    p = found.probabilities
    assert p.max() == 1.0 and (np.diff(found.order.by_rank(p)) <= 0).all()
    assert found.bound.low <= product(p.tolist()) <= found.bound.high * (1 + Fraction(1, 10**14))
    rng = np.random.default_rng(seed)
    for _ in range(8):
        if order is None:  # p = 1 is where an overhead draws all blocks to
            other = np.minimum(p * rng.uniform(0.5, 2, p.size), 1.0)
        else:
            other = order.per_block(
                np.minimum.accumulate(order.by_rank(p) * rng.uniform(0.5, 1, p.size))
            )
        assert found.bound.low <= product((other / (other.max() if overhead else 1)).tolist())


@pytest.mark.parametrize("zeros", [1, 2])
def test_blocks_of_zeros_get_the_floor(zeros: int) -> None:
    values = np.array([0.0] * zeros + [4.0, 1.0])
    for L in (
        np.diag(values),
        sp.csr_array(np.diag(values)),
        diagonal(values),
        gram(np.diag(np.sqrt(values))),
    ):
        found = closed_form(L, Blocks.singletons(zeros + 2), np.ones(zeros + 2))
        np.testing.assert_allclose(
            found.probabilities, [PROBABILITY_FLOOR] * zeros + [1.0, 0.5], rtol=1e-14
        )
        assert found.order.rank_to_block == (zeros, zeros + 1, *range(zeros))
        assert found.bound.low <= 9 <= found.bound.high and found.bound.width <= 1e-12


@pytest.mark.parametrize("costs", [[1.0, 1.0, 1.0], [1e-12, 1.0, 1e-6]])
def test_the_zero_matrix(costs: list[float]) -> None:
    nothing = np.zeros((4, 4))
    for L in (nothing, sp.csr_array(nothing), diagonal(np.zeros(4)), gram(np.zeros((1, 4)))):
        found = closed_form(L, Blocks((1, 2, 1)), costs)
        assert (found.probabilities > 0).all() and (found.probabilities <= 1).all()
        assert found.bound.low <= 0 <= found.bound.high and found.bound.width <= 1e-150
    for overhead in (0, 3):
        found = closed_form(nothing, Blocks((1, 2, 1)), costs, overhead=overhead)
        assert found.probabilities.tolist() == [1.0, 1.0, 1.0]


def test_small_quotients_are_raised_to_the_floor() -> None:
    found = of_constants([1.0, 1.0, 1.0], [1.0, 1e20, 1e30])
    assert found.probabilities.tolist() == pytest.approx([1.0, 1e-10, 1e-12])
    assert found.order.rank_to_block == (0, 1, 2)


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
    found = of_constants(constants, costs)
    assert (found.probabilities > 0).all() and found.probabilities.max() == 1.0
    quotients = [Fraction(a) / Fraction(c) for a, c in zip(constants, costs, strict=True)]
    assert found.probabilities[int(np.argmax(quotients))] == 1.0
    assert holds(found.bound, bound_50(constants, costs))


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_order_follows_the_quotient(order: tuple[int, ...]) -> None:
    constants = [0.0] * 3
    for rank, block in enumerate(order):
        constants[block] = [9.0, 4.0, 1.0][rank]
    assert of_constants(constants, [1.0] * 3).order.rank_to_block == order


def test_ties_keep_the_order_of_the_blocks() -> None:
    assert of_constants([4.0, 9.0, 4.0, 9.0], [1.0] * 4).order.rank_to_block == (1, 3, 0, 2)
    assert of_constants([1.0] * 5, [2.0] * 5).order.rank_to_block == (0, 1, 2, 3, 4)
    assert of_constants([1.0] * 5, [2.0] * 5).probabilities.tolist() == [1.0] * 5


def test_probabilities_are_read_only() -> None:
    found = of_constants([4.0, 1.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="read-only"):
        found.probabilities[0] = 0.5


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
        assert (bound.low, bound.high) == (-math.inf, math.inf)


def test_the_bound_keeps_the_rigour_of_the_constants() -> None:
    constants = [Bracket(1.0, 2.0, Rigour.NUMERICAL), Bracket.point(1.0)]
    assert closed_form_from(constants, ExactArray(np.ones(2))).bound.rigour is Rigour.NUMERICAL


@pytest.mark.parametrize(
    ("given_bracket", "low", "high"),
    [
        (Bracket(-1e-9, 2.0), 0, 2),
        (Bracket(-2.0, -1e-9), 0, 0),
        (Bracket(0.0, 1.0), 0, 1),
        (Bracket(0.5, 1.0), Fraction(1, 2), 1),
    ],
)
def test_nonnegative(given_bracket: Bracket, low: Fraction, high: Fraction) -> None:
    found = nonnegative(given_bracket)
    assert (found.low, found.high, found.rigour) == (low, high, given_bracket.rigour)


def test_from_a_matrix() -> None:
    half = np.random.default_rng(1).standard_normal((5, 5))
    L = half @ half.T
    blocks = Blocks((2, 3))
    costs = [0.4, 0.6]
    L = (L + L.T) / 2
    constants = [float(np.linalg.eigvalsh(L[rows, rows])[-1]) for rows in blocks.slices]
    found = closed_form(L, blocks, costs)
    quotients = np.sqrt(np.array(constants) / costs)
    np.testing.assert_allclose(found.probabilities, quotients / quotients.max(), rtol=1e-12)
    assert found.bound.midpoint == pytest.approx(
        float(np.sqrt(np.array(constants) * costs).sum() ** 2), rel=1e-12
    )


@pytest.mark.parametrize("costs", [[1.0], [1.0, 0.0], [1.0, -1.0], [1.0, np.nan]])
def test_costs_are_checked(costs: list[float]) -> None:
    with pytest.raises(InvalidInput, match="costs"):
        closed_form(np.eye(2), Blocks((1, 1)), costs)


def test_the_public_name_is_the_function_whatever_was_imported_first() -> None:
    """The module has the same name, and importing it sets that name on the package."""
    code = "import rpttheory, rpttheory.statements.verify; print(callable(rpttheory.closed_form))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
