"""The least c_M over orders: against exhaustive search, and where it is known."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from rpttheory.numbers import Rigour
from rpttheory.problem.blocks import BlockOrder
from rpttheory.problem.quantities import second_moment_smoothness
from rpttheory.problem.sampling import NestedSampling
from rpttheory.search import optimal_probabilities, orders
from rpttheory.search.order_bounds import least_over_orders
from rpttheory.search.program import Program

from .order_problems import TOL, FloatArray, cost_at, every_order, instance, make_program, solve


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        *itertools.product(
            ["random", "low rank", "rank one", "graded", "correlated"],
            [(2, 1), (1, 3, 2), (1, 1, 1)],
        ),
        ("correlated", (1, 2, 1, 1)),
    ],
)
def test_brackets_the_exhaustive_optimum(kind: str, sizes: tuple[int, ...]) -> None:
    problem = instance(kind, sizes)
    found = solve(problem)
    values = every_order(problem)
    assert found.method == "branch-and-bound" and found.status == "optimal" and found.order_proved
    assert found.gap <= TOL and found.rigour is Rigour.ROUNDED
    # A lower bound that is too large, for any order, would show here.
    assert found.lower <= min(values.values()) * (1 + 1e-12)
    assert found.upper >= min(values.values()) * (1 - 1e-4)
    assert cost_at(problem, found.probabilities) == pytest.approx(found.upper, rel=1e-9)
    assert (np.diff(found.order.by_rank(found.probabilities)) <= 0).all()


def test_order_matters_and_the_best_is_found() -> None:
    problem = instance("correlated", (2, 2, 2), seed=1)
    values = every_order(problem)
    best = min(values, key=values.__getitem__)
    assert max(values.values()) > 1.05 * values[best]
    found = solve(problem)
    assert found.order.rank_to_block == best
    assert sorted(values.values())[1] > found.upper, (
        "the best order is unique, so a wrong one would be noticed"
    )


@pytest.mark.parametrize("overhead", [0.01, 0.5, 20.0])
def test_overhead_against_exhaustive_search(overhead: float) -> None:
    plain = instance("random", (1, 2, 1), seed=4)
    problem = Program(plain.smoothness, plain.blocks, plain.costs, overhead)
    found = solve(problem)
    least = min(every_order(problem).values())
    assert (
        found.gap <= TOL
        and found.lower <= least * (1 + 1e-12)
        and found.upper >= least * (1 - 1e-4)
    )
    assert found.probabilities.max() == 1


@pytest.mark.parametrize("overhead", [0.0, 0.7])
@pytest.mark.parametrize("order", [(1, 2, 0), (2, 0, 1), (0, 1, 2)])
def test_forced_order(order: tuple[int, ...], overhead: float) -> None:
    """3-cycles, so that the inverse order would be noticed."""
    plain = instance("graded", (1, 1, 2), seed=2)
    problem = Program(plain.smoothness, plain.blocks, plain.costs, overhead, BlockOrder(order))
    found = solve(problem)
    values = every_order(Program(plain.smoothness, plain.blocks, plain.costs, overhead))
    assert found.method == "fixed order" and found.order_proved and found.gap <= TOL
    assert found.order.rank_to_block == order
    assert (np.diff(found.order.by_rank(found.probabilities)) <= 0).all()
    assert found.upper == pytest.approx(values[order], rel=1e-4)
    assert found.lower <= values[order] * (1 + 1e-12)


@settings(max_examples=max(1, settings.default.max_examples // 4))
@given(
    hnp.arrays(float, (4, 4), elements=st.integers(-6, 6)),
    st.sampled_from([(1, 1, 2), (2, 2), (1, 1, 1, 1), (4,), (1, 3)]),
    st.sampled_from([0.0, 0.4]),
    st.integers(0, 2**32 - 1),
)
def test_no_probabilities_beat_the_lower_end(
    A: FloatArray, sizes: tuple[int, ...], overhead: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    costs = 10.0 ** rng.uniform(-2, 0, len(sizes))
    problem = make_program(A.T @ A, sizes, costs, overhead=overhead)
    found = solve(problem)
    assert found.gap <= TOL and found.order_proved
    for spread in (0.01, 0.3, 3.0):
        p = found.probabilities * np.exp(rng.normal(0, spread, len(sizes)))
        assert cost_at(problem, p / p.max()) >= found.lower * (1 - 1e-12)
    sampling = NestedSampling(found.probabilities)
    L_M = second_moment_smoothness(problem.smoothness, problem.blocks, sampling=sampling)
    assert (L_M * problem.expected_cost(found.probabilities)).lower <= found.upper


def test_block_diagonal_is_the_sum_of_the_blocks() -> None:
    L = np.zeros((6, 6))
    # largest eigenvalues 4, 9, 5
    L[:2, :2] = 2.0
    L[2:5, 2:5] = 3.0
    L[5, 5] = 5.0
    found = solve(make_program(L, (2, 3, 1), [0.25, 0.25, 0.5]))
    assert found.method == "formula" and found.order_proved
    assert found.lower <= 5.75 <= found.upper and found.gap < 1e-12
    assert found.order.rank_to_block == (1, 2, 0)


@pytest.mark.parametrize("count", [2, 5, 8, 11])
def test_large_overhead_makes_gradient_descent_optimal(count: int) -> None:
    """L = ones with c_0 >= B^2 c: x = 1 proves p = 1 optimal, at B (c_0 + B c), beyond 8 blocks
    too.
    """
    problem = make_program(
        np.ones((count, count)), (1,) * count, np.ones(count), overhead=4.0 * count**2
    )
    found = solve(problem)
    exact = Fraction(count) * (4 * count**2 + count)
    assert Fraction(found.lower) <= exact <= Fraction(found.upper)
    assert np.array_equal(found.probabilities, np.ones(count))
    if count <= orders.EXACT_BLOCKS:
        assert found.gap <= TOL
    else:
        assert found.lower >= count * 4.0 * count**2


def test_two_equal_coordinates_have_a_known_optimum() -> None:
    """L = ones(2), equal costs: minimise ((1+s) + sqrt((s-1)^2 + 4)) (1 + 1/s) / 2 over s >= 1."""
    found = solve(make_program(np.ones((2, 2)), (1, 1), [1.0, 1.0]), tol=1e-9)
    s = np.linspace(1, 3, 2_000_001)
    values = ((1 + s) + np.sqrt((s - 1) ** 2 + 4)) * (1 + 1 / s) / 2
    assert found.lower <= values.min() * (1 + 1e-14)
    assert found.upper == pytest.approx(values.min(), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_between_the_blocks_alone_and_the_convex_optimum(seed: int) -> None:
    problem = instance("random", (2, 1, 2, 1, 2), seed=seed)
    found = solve(problem)
    explicit = problem.smoothness.explicit()
    assert explicit is not None
    convex = optimal_probabilities(explicit.matrix, problem.blocks, problem.costs)
    alone = float(problem.costs @ problem.smoothness.block_lambda_max(problem.blocks))
    assert alone * (1 - 1e-12) <= found.upper <= convex.upper * (1 + TOL)
    assert found.lower >= alone * (1 - 1e-9) and found.gap <= TOL


def least_exactly(
    w: list[list[Fraction]], prices: list[int], pairs: Any, multipliers: list[Fraction]
) -> Decimal:
    """The bound of `least_over_orders` by all orders, in sixty digits."""
    count = len(prices)
    gained = [Fraction(0)] * count
    for (k, after), multiplier in zip(pairs, multipliers, strict=True):
        gained[k] += multiplier
        gained[after] -= multiplier
    best = Decimal("Infinity")
    with localcontext() as context:
        context.prec = 60
        for order in itertools.permutations(range(count)):
            if any(order.index(k) > order.index(after) for k, after in pairs):
                continue
            bound = Decimal(0)
            total = Fraction(0)
            for place in reversed(range(count)):
                k = order[place]
                y = w[k][k] + gained[k] + 2 * sum(w[k][later] for later in order[place + 1 :])
                share = Fraction(1) if y >= 0 else 1 + y / total if total else Fraction(-1)
                if share < 0:
                    bound = Decimal(0)
                    break
                bound *= (Decimal(share.numerator) / share.denominator).sqrt()
                bound += (Decimal(max(y, Fraction(0)).numerator) * prices[k] / y.denominator).sqrt()
                total = total * share + max(y, Fraction(0))
            best = min(best, bound)
    return best


@pytest.mark.parametrize("seed", range(40))
def test_multipliers_that_cancel_leave_room_for_their_roundings(seed: int) -> None:
    """Where a row of w is zero, what the sum of the multipliers is rounded by is all that y_0
    is.
    """
    a, b = np.random.default_rng(seed).uniform(0.5, 2.0, 2).tolist()
    multipliers = [a, b, math.nextafter(a + b, 0.0)]
    pairs = ((0, 1), (0, 2), (3, 0))
    w = np.diag([0.0, a * (1 + 1e-9), b * (1 + 1e-9), 0.0])
    value, _ = least_over_orders(w.copy(), np.array([1e6, 1.0, 1.0, 1.0]), 0.0, pairs, multipliers)
    exact = [[Fraction(x) for x in row] for row in w.tolist()]
    truth = least_exactly(exact, [10**6, 1, 1, 1], pairs, [Fraction(m) for m in multipliers])
    assert Decimal(value) <= truth
