"""The least c_M over orders: against simplex searches over every order, and where it is known."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from importlib import import_module
from operator import mul
from typing import Any

import numpy as np
import pytest

from rpttheory import BlockOrder, Problem, optimal_probabilities
from rpttheory.errors import OutOfTime
from rpttheory.numbers import Rigor
from rpttheory.runs.progress import Event
from rpttheory.search import SearchResult
from rpttheory.search.block_sdp import BlockSDP
from rpttheory.search.orders.bounds import (
    chord_bound,
    least_over_orders,
    overhead_bound,
    tail_sets,
)
from rpttheory.search.orders.branch_and_bound import interchangeable
from rpttheory.search.orders.fixed_order_program import (
    fixed_order_program,
    pair_weights,
    pooled_slopes,
)

from .problems import (
    c_M_at,
    every_order,
    exactly,
    instance,
    least_along,
    overlap,
    sdp,
)

SEARCH = import_module("rpttheory.search.orders.search")
BRANCHING = import_module("rpttheory.search.orders.branch_and_bound")
TOL = 1e-6


def solve(program: BlockSDP, **options: Any) -> SearchResult:
    """The optimum, with probabilities that cost what the upper end says."""
    options = {"objective": "c_M", "tol": TOL, **options}
    result = optimal_probabilities(program.problem, **options)
    assert result.lower <= result.upper and result.rigor >= Rigor.VERIFIED
    assert result.probabilities.max() == 1 and (result.probabilities > 0).all()
    cost = c_M_at(program, result.probabilities)
    assert cost == pytest.approx(result.upper, rel=1e-9, abs=1e-300)
    assert (np.diff(result.order.by_rank(result.probabilities)) <= 0).all()
    return result


# -- against every order


@pytest.mark.parametrize(
    ("kind", "sizes", "overhead"),
    [
        *itertools.product(
            ["wishart", "low_rank", "laplacian", "graded", "kernel"],
            [(2, 1), (1, 3, 2), (1, 1, 1)],
            [0.0],
        ),
        ("kernel", (1, 2, 1, 1), 0.0),
        *itertools.product(["wishart"], [(1, 2, 1)], [0.01, 0.5, 20.0]),
    ],
)
def test_brackets_the_least_over_every_order(
    kind: str, sizes: tuple[int, ...], overhead: float
) -> None:
    """A lower bound that is too large, for any order, would show here."""
    program = instance(kind, sizes, seed=4, overhead=overhead)
    result = solve(program)
    least = min(every_order(program).values())
    assert result.method == "branch-and-bound" and result.status == "optimal"
    assert result.order_proved and result.gap <= TOL
    assert result.lower <= least * (1 + 1e-12) and result.upper >= least * (1 - 1e-4)


@pytest.mark.parametrize("overhead", [0.0, 0.7])
@pytest.mark.parametrize("order", [(1, 2, 0), (2, 0, 1), (0, 1, 2)])
def test_forced_order(order: tuple[int, ...], overhead: float) -> None:
    """3-cycles, so that the inverse order would be noticed."""
    program = instance("graded", (1, 1, 2), 2, overhead=overhead, order=BlockOrder(order))
    result = solve(program)
    value = least_along(program, order)
    assert result.method == "fixed order" and result.order_proved and result.gap <= TOL
    assert result.order.rank_to_block == order
    assert result.upper == pytest.approx(value, rel=1e-4) and result.lower <= value * (1 + 1e-12)


# -- degenerate and badly scaled


@pytest.mark.parametrize("scale", [(1, 1, 1, 1), (1e-3, 1, 0.03, 1), (1e-13, 1, 1e-6, 1)])
@pytest.mark.parametrize("costs", [(1e-12, 1e-6, 1e-3, 1.0), (1.0, 1e-9, 1e-12, 1e-4)])
def test_costs_and_blocks_of_many_magnitudes(scale: Any, costs: Any) -> None:
    sizes = (1, 2, 1, 2)
    wide = np.repeat(scale, sizes)
    L = instance("wishart", sizes).entries("test") * np.outer(wide, wide)
    result = solve(sdp(L, sizes, costs))
    assert result.gap <= TOL and result.order_proved


@pytest.mark.parametrize("overhead", [0.0, 1.0])
def test_zero_blocks_go_last_at_the_floor(overhead: float) -> None:
    """The floor depends on the cost, the order does not."""
    L = np.zeros((5, 5))
    L[:2, :2] = [[2.0, 1.0], [1.0, 3.0]]
    result = solve(sdp(L, (1, 1, 2, 1), [0.3, 0.4, 100.0, 0.1], overhead=overhead))
    alone = solve(sdp(L[:2, :2], (1, 1), [0.3, 0.4], overhead=overhead))
    assert result.gap <= TOL and set(result.order.rank_to_block[2:]) == {2, 3}
    assert result.probabilities[2:].max() <= 1e-12
    overlap(result, alone)


def test_zero_block_inside_a_forced_order_is_paid_for() -> None:
    """A zero block that must come early has at least the probability of what follows."""
    part = np.array([[2.0, 1.0], [1.0, 3.0]])
    L = np.zeros((3, 3))
    L[np.ix_([0, 2], [0, 2])] = part
    costs = [0.3, 0.3, 0.4]
    result = solve(sdp(L, (1, 1, 1), costs, order=BlockOrder((0, 1, 2))))
    overlap(result, solve(sdp(part, (1, 1), [0.3, 0.7], order=BlockOrder((0, 1)))))
    assert result.gap <= TOL and result.probabilities[1] >= result.probabilities[2]
    last = solve(sdp(L, (1, 1, 1), costs, order=BlockOrder((0, 2, 1))))
    assert last.probabilities[1] <= 1e-12 and last.upper < result.lower


def test_matrices_indefinite_by_rounding_get_a_sound_bracket() -> None:
    """Nothing may rely on exact definiteness, nor the bound for an overhead."""
    A = np.random.default_rng(5).standard_normal((2, 5))
    L = A.T @ A
    L = (L + L.T) / 2 - 1e-15 * np.eye(5)
    assert np.linalg.eigvalsh(L)[0] < 0
    program = sdp(L, (1,) * 5, np.ones(5), overhead=3.0)
    result = solve(program)
    assert result.lower <= c_M_at(program, result.probabilities) * (1 + 1e-12)
    assert result.lower >= 3 * np.linalg.eigvalsh(L)[-1]
    # Eigenvalues 3 and -1: x = (1, 1) / sqrt 2 gives 3 c_0 / (1 + 1).
    wide = fixed_order_program(sdp(np.array([[1.0, 2], [2, 1]]), (1, 1), [1.0, 1.0], overhead=1.0))
    bound = overhead_bound(wide) * wide.unit
    assert float(bound) == pytest.approx(1.5, rel=1e-2) and bound < 1.5


@pytest.mark.parametrize(
    ("L", "costs"),
    [
        ([[1.0, 10, 0], [10, 101, 0], [0, 0, 0]], [1e-130, 1e-150, 1.0]),
        ([[2.0, 1, 0], [1, 2, 0], [0, 0, 0]], [1e-130, 2e-130, 1.0]),
    ],
)
def test_costs_too_small_to_count_prove_nothing(L: list[list[float]], costs: list[float]) -> None:
    """The solver sees them larger than they are; alone, the first two blocks show what can be
    reached.
    """
    result = optimal_probabilities(L, [1, 1, 1], costs, objective="c_M")
    alone = optimal_probabilities(np.array(L)[:2, :2], [1, 1], costs[:2], objective="c_M")
    p = [*alone.probabilities.tolist(), 1e-250]
    assert result.lower <= Problem(L, [1, 1, 1], costs, probabilities=p).c_M.upper


# -- bounds over sets of orders


def least_exactly(
    w: list[list[Fraction]], prices: list[Fraction], pairs: Any, multipliers: list[Fraction]
) -> Decimal:
    """The bound of `least_over_orders` by all orders, in sixty digits."""
    count = len(prices)
    transfer = [Fraction(0)] * count
    for (k, after), multiplier in zip(pairs, multipliers, strict=True):
        transfer[k] += multiplier
        transfer[after] -= multiplier
    best = Decimal("Infinity")
    with localcontext() as context:
        context.prec = 60

        def root(value: Fraction) -> Decimal:
            return (Decimal(value.numerator) / value.denominator).sqrt()

        for order in itertools.permutations(range(count)):
            if any(order.index(k) > order.index(after) for k, after in pairs):
                continue
            bound = Decimal(0)
            total = Fraction(0)
            for place in reversed(range(count)):
                k = order[place]
                y = w[k][k] + transfer[k] + 2 * sum(w[k][later] for later in order[place + 1 :])
                share = Fraction(1) if y >= 0 else 1 + y / total if total else Fraction(-1)
                if share < 0:
                    bound = Decimal(0)
                    break
                bound = bound * root(share) + root(max(y, Fraction(0)) * prices[k])
                total = total * share + max(y, Fraction(0))
            best = min(best, bound)
    return best


@pytest.mark.parametrize("seed", range(40))
def test_no_order_is_below_its_bound(seed: int) -> None:
    """Over the tails of one order a convex minorant gives the best bound that V has: nothing may
    exceed it.

    Random V and multipliers make debts, also ones that cannot be paid.
    """
    rng = np.random.default_rng([seed, 7])
    count = int(rng.integers(2, 6))
    A = rng.integers(-9, 10, (count, count)).astype(float)
    L = A.T @ A + np.eye(count)
    program = fixed_order_program(sdp(L, (1,) * count, rng.uniform(0.1, 1, count)))
    V = rng.normal(size=(count, 2)) * 10.0 ** rng.uniform(-1, 1, (count, 1))
    w = program.matrix * (V @ V.T)
    orders = list(itertools.permutations(range(count)))
    chain = itertools.pairwise(orders[seed % len(orders)])
    pairs = tuple(pair for pair in chain if rng.random() < 0.6)
    multipliers = [float(x) * float(w.trace()) / count for x in rng.exponential(size=len(pairs))]
    admissible = [
        order for order in orders if all(order.index(k) < order.index(m) for k, m in pairs)
    ]

    def pooled(order: tuple[int, ...], overhead: float) -> float:
        ranked = w[np.ix_(order, order)]
        prices = program.costs[list(order)].copy()
        prices[0] += overhead
        y = ranked.diagonal() + 2 * np.triu(ranked, 1).sum(axis=1)
        return float(np.sqrt(pooled_slopes(np.cumsum(y[::-1])[::-1], prices)) @ prices)

    low, trace = pair_weights(program, V)
    exact_V = exactly(V)
    products = [[sum(map(mul, row, column)) for column in exact_V] for row in exact_V]
    assert sum(products[k][k] for k in range(count)) <= trace
    for k, m in itertools.product(range(count), repeat=2):
        assert Fraction(low[k, m]) <= Fraction(program.matrix[k, m]) * products[k][m]
    costs = [Fraction(c) for c in program.costs.tolist()]
    for weights, overhead in itertools.product((multipliers, [0.0] * len(pairs)), (0.0, 0.4)):
        bound, order = least_over_orders(low, program.costs, overhead, pairs, weights)
        assert order in admissible
        assert bound <= min(pooled(order, overhead) for order in admissible) * (1 + 1e-12)
        if overhead == 0:
            truth = least_exactly(exactly(w), costs, pairs, list(map(Fraction, weights)))
            assert bound == pytest.approx(float(truth), rel=1e-9, abs=1e-9)
    assert chord_bound(low, program.costs) <= min(pooled(order, 0.0) for order in orders)
    assert not pairs or tail_sets(count, pairs) < 2**count - 1


@pytest.mark.parametrize("seed", range(40))
def test_multipliers_that_cancel_leave_room_for_their_roundings(seed: int) -> None:
    """If a row of w is zero, y_0 is the rounding error of a sum of multipliers alone."""
    a, b = np.random.default_rng(seed).uniform(0.5, 2.0, 2).tolist()
    multipliers = [a, b, math.nextafter(a + b, 0.0)]
    pairs = ((0, 1), (0, 2), (3, 0))
    w = np.diag([0.0, a * (1 + 1e-9), b * (1 + 1e-9), 0.0])
    prices = [10**6, 1, 1, 1]
    value, _ = least_over_orders(w.copy(), np.array(prices, float), 0.0, pairs, multipliers)
    truth = least_exactly(
        exactly(w), list(map(Fraction, prices)), pairs, list(map(Fraction, multipliers))
    )
    assert Decimal(value) <= truth


# -- symmetry, limits, interruption


def test_interchangeable_blocks_are_seen() -> None:
    L = np.ones((5, 5)) + np.eye(5)
    unequal = fixed_order_program(sdp(L, (1, 2, 1, 1), [0.2, 0.2, 0.2, 0.4]))
    assert interchangeable(unequal) == [0, 1, 0, 3]
    L[0, 1] = L[1, 0] = 0.5
    equal = fixed_order_program(sdp(L, (1, 2, 1, 1), [0.2] * 4))
    assert interchangeable(equal) == [0, 1, 2, 2]


@pytest.mark.parametrize("order", [None, (2, 1, 0)])
def test_every_step_may_end_the_search(order: tuple[int, ...] | None) -> None:
    """The walks to the first point of the search are long for large L."""
    calls = itertools.count()

    def stop(event: Event) -> None:
        if next(calls) == 1:
            raise OutOfTime

    problem = instance("wishart", (1, 2, 1), seed=1).problem
    if order is not None:
        problem = problem.with_order(order)
    result = optimal_probabilities(problem, objective="c_M", progress=stop)
    assert (result.factorizations, result.status) == (0, "interrupted")


def test_an_exhausted_budget_is_honest(monkeypatch: pytest.MonkeyPatch) -> None:
    program = instance("kernel", (2, 1, 1, 2, 1), seed=3)
    exact = solve(program)
    monkeypatch.setattr(SEARCH, "_NODES", 1)
    cut = solve(program)
    assert (cut.method, cut.status) == ("branch-and-bound", "stalled")
    assert not cut.order_proved and cut.gap > TOL
    overlap(cut, exact)


@pytest.mark.parametrize("kind", ["wishart", "graded", "kernel"])
def test_chords_against_the_exact_optimum(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They bound better than single blocks, and soundly."""
    program = instance(kind, (1, 2, 1, 1, 2, 1), seed=5)
    exact = solve(program)
    monkeypatch.setattr(SEARCH, "SETS_BLOCKS", 2)
    local = solve(program)
    alone = float(program.costs @ [float(top) for top in program.problem.block_L])
    assert local.method == "chords" and local.order_proved == (local.gap <= TOL)
    assert alone * (1 + 1e-6) < local.lower <= exact.upper
    assert exact.lower <= local.upper <= exact.upper * 1.03


def test_many_blocks_with_an_overhead() -> None:
    program = instance("wishart", (1,) * 22, overhead=0.5)
    result = solve(program)
    assert result.method == "chords" and not result.order_proved and 0 < result.lower
    rng = np.random.default_rng(1)
    for _ in range(200):
        p = np.minimum(1.0, result.probabilities * np.exp(rng.normal(0, 0.5, 22)))
        assert c_M_at(program, p / p.max()) >= result.lower


def test_large_dimensions_are_bounded_in_a_subspace(monkeypatch: pytest.MonkeyPatch) -> None:
    program = instance("wishart", (6, 5, 4, 5), seed=6)
    exact = solve(program)
    monkeypatch.setattr(BRANCHING, "_COMPRESSED_DIMENSION", 5)
    monkeypatch.setattr(BRANCHING, "_COLUMNS", 3)
    small = solve(program)
    assert small.order_proved and small.gap <= TOL
    overlap(small, exact)


def test_progress_narrows_to_the_result() -> None:
    events: list[Event] = []
    program = instance("kernel", (2, 1, 2, 1), seed=2)
    result = solve(program, progress=events.append)
    brackets = [event.bracket for event in events if event.bracket is not None]
    lowers, uppers = zip(*brackets, strict=True)
    assert list(lowers) == sorted(lowers) and list(uppers) == sorted(uppers, reverse=True)
    assert brackets[-1] == (result.lower, result.upper)
