"""The search over orders: its bounds, symmetry, limits, interruption."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from rpttheory import Problem, optimal_probabilities
from rpttheory.numbers import Rigour
from rpttheory.search import order_bounds, order_tree, orders
from rpttheory.search.nested import certified_lower, nested_problem, pooled_slopes, set_sums, tails
from rpttheory.search.order_bounds import chord_bound, least_over_orders, pair_weights, tail_sets
from rpttheory.search.order_tree import OrderSearch, interchangeable
from rpttheory.search.program import Program

from .order_problems import TOL, FloatArray, cost_at, instance, make_program, solve


def test_interchangeable_blocks_are_seen() -> None:
    L = np.ones((5, 5)) + np.eye(5)
    kinds = interchangeable(nested_problem(make_program(L, (1, 2, 1, 1), [0.2, 0.2, 0.2, 0.4])))
    assert kinds == [0, 1, 0, 3]
    L[0, 1] = L[1, 0] = 0.5
    assert interchangeable(nested_problem(make_program(L, (1, 2, 1, 1), [0.2] * 4))) == [0, 1, 2, 2]


def test_identical_blocks_do_not_multiply_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_program(np.ones((6, 6)) + np.eye(6), (1,) * 6, np.ones(6))
    monkeypatch.setattr(orders, "_NODES", 20)
    found = solve(problem)
    assert found.order_proved and found.gap <= TOL
    monkeypatch.setattr(order_tree, "interchangeable", lambda nested: list(range(6)))
    assert not solve(problem).order_proved, (
        "without symmetry twenty nodes cannot cover 720 equal orders"
    )


@pytest.mark.parametrize("overhead", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(40))
def test_no_order_is_below_its_bound(seed: int, overhead: float) -> None:
    """Over the tails of one order a convex minorant gives the best bound that V has: nothing may
    exceed it.

    Random V and multipliers make debts, also ones that cannot be paid.
    """
    rng = np.random.default_rng([seed, 7])
    count = int(rng.integers(2, 6))
    nested = nested_problem(
        make_program(_gram(rng, count), (1,) * count, rng.uniform(0.1, 1, count))
    )
    nested = replace(nested, overhead=overhead)
    V = rng.normal(size=(count, 2)) * 10.0 ** rng.uniform(-1, 1, (count, 1))
    w = nested.matrix * (V @ V.T)
    orders_ = list(itertools.permutations(range(count)))
    pairs = tuple(
        (k, m) for k, m in itertools.pairwise(orders_[seed % len(orders_)]) if rng.random() < 0.6
    )
    multipliers = [float(x) * float(w.trace()) / count for x in rng.exponential(size=len(pairs))]
    held = [order for order in orders_ if all(order.index(k) < order.index(m) for k, m in pairs)]
    best = {order: _pooled(w, nested.costs, overhead, order) for order in held}
    low, trace = pair_weights(nested, V)
    assert float(np.vdot(V, V)) <= trace and (low <= w).all()
    for used in (multipliers, [0.0] * len(pairs)):
        bound, order = least_over_orders(low, nested.costs, overhead, pairs, used)
        assert order in held and bound <= min(best.values()) * (1 + 1e-12)
        plain = {other: _plain(w, nested.costs, overhead, other, pairs, used) for other in held}
        assert bound == pytest.approx(min(plain.values()), rel=1e-9, abs=1e-9), (
            "and no less than it should be"
        )
    if not overhead:
        assert chord_bound(low, nested.costs) <= min(
            _pooled(w, nested.costs, 0.0, order) for order in orders_
        )
        assert not pairs or tail_sets(count, pairs) < 2**count - 1


def _gram(rng: np.random.Generator, count: int) -> FloatArray:
    A = rng.integers(-9, 10, (count, count)).astype(float)
    return np.asarray(A.T @ A + np.eye(count))


def _by_rank(
    w: FloatArray, costs: FloatArray, overhead: float, order: tuple[int, ...]
) -> tuple[FloatArray, FloatArray]:
    ranked = w[np.ix_(order, order)]
    prices = costs[list(order)].copy()
    prices[0] += overhead
    return ranked.diagonal() + 2 * np.triu(ranked, 1).sum(axis=1), prices


def _pooled(w: FloatArray, costs: FloatArray, overhead: float, order: tuple[int, ...]) -> float:
    y, prices = _by_rank(w, costs, overhead, order)
    return float(np.sqrt(pooled_slopes(np.cumsum(y[::-1])[::-1], prices)) @ prices)


def _plain(
    w: FloatArray,
    costs: FloatArray,
    overhead: float,
    order: tuple[int, ...],
    pairs: object,
    multipliers: list[float],
) -> float:
    """The bound of one order as the module's docstring has it, by a loop from the end."""
    y, prices = _by_rank(w, costs, overhead, order)
    for (k, m), multiplier in zip(pairs, multipliers, strict=True):  # type: ignore[call-overload]
        y[order.index(k)] += multiplier
        y[order.index(m)] -= multiplier
    value = total = 0.0
    for own, price in zip(y[::-1], prices[::-1], strict=True):
        if total + min(own, 0.0) < 0 or (total == 0 and own < 0):
            return 0.0
        value = value + math.sqrt(price * own) if own >= 0 else value * math.sqrt(1 + own / total)
        total += own
    return value


def test_a_node_is_split_in_two() -> None:
    search = OrderSearch(nested_problem(instance("random", (1, 1, 1, 1))), TOL)
    search.solve((2, 0, 3, 1))
    node = search.root()
    known = []
    while (pair := search._doubtful(node)) is not None:
        known.append(pair)
        node = replace(node.child(*pair), pool=((2, 0, 3, 1),))
    # Six pairs, less those that follow from others, decide four blocks.
    assert 3 <= len(known) <= 6 and tail_sets(4, node.pairs) == 4


def test_exhausted_budget_is_honest(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = instance("correlated", (2, 1, 1, 2, 1), seed=3)
    exact = solve(problem)
    monkeypatch.setattr(orders, "_NODES", 3)
    cut = solve(problem)
    assert cut.method == "branch-and-bound" and not cut.order_proved and cut.status == "stalled"
    assert "not proved" in cut.message and cut.gap > TOL
    assert cut.lower <= exact.upper and cut.upper >= exact.lower


@pytest.mark.parametrize("kind", ["random", "graded", "correlated"])
def test_chords_against_the_exact_optimum(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = instance(kind, (1, 2, 1, 1, 2, 1), seed=5)
    exact = solve(problem)
    monkeypatch.setattr(orders, "SETS_BLOCKS", 2)
    local = solve(problem)
    alone = float(problem.costs @ problem.smoothness.block_lambda_max(problem.blocks))
    assert local.method == "chords" and local.rigour is Rigour.ROUNDED
    assert alone * (1 + 1e-6) < local.lower <= exact.upper, (
        "chords bound better than single blocks, and soundly"
    )
    assert exact.lower <= local.upper <= exact.upper * 1.03 and local.order_proved == (
        local.gap <= TOL
    )


def test_many_blocks_with_an_overhead() -> None:
    problem = instance("random", (1,) * 22)
    problem = Program(problem.smoothness, problem.blocks, problem.costs, 0.5)
    found = solve(problem)
    assert found.method == "chords" and not found.order_proved and 0 < found.lower < found.upper
    assert found.upper == pytest.approx(cost_at(problem, found.probabilities), rel=1e-9)
    rng = np.random.default_rng(1)
    for _ in range(200):
        p = np.minimum(1.0, found.probabilities * np.exp(rng.normal(0, 0.5, 22)))
        assert cost_at(problem, p / p.max()) >= found.lower


def test_large_dimension_is_bounded_in_a_subspace(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = instance("random", (6, 5, 4, 5), seed=6)
    exact = solve(problem)
    monkeypatch.setattr(order_tree, "_COMPRESSED_DIMENSION", 5)
    monkeypatch.setattr(order_tree, "_COLUMNS", 3)
    small = solve(problem)
    assert small.order_proved and small.gap <= TOL
    assert small.lower <= exact.upper and exact.lower <= small.upper


def test_overhead_bound_pays_for_indefiniteness() -> None:
    """L = [[1, 2], [2, 1]] has eigenvalues 3 and -1: x = (1, 1) / sqrt 2 gives 3 c_0 / (1 + 1)."""
    nested = nested_problem(
        make_program(np.array([[1.0, 2.0], [2.0, 1.0]]), (1, 1), [1.0, 1.0], overhead=1.0)
    )
    bound = order_bounds.overhead_bound(nested) * nested.unit
    assert float(bound) == pytest.approx(1.5, rel=1e-2) and bound < 1.5


def test_progress_narrows_and_ctrl_c_keeps_the_bracket() -> None:
    problem = instance("correlated", (2, 1, 2, 1), seed=2)
    seen: list[tuple[float, float]] = []
    found = solve(problem, callback=lambda low, high: seen.append((low, high)))
    assert [low for low, _ in seen] == sorted(low for low, _ in seen)
    assert [high for _, high in seen] == sorted((high for _, high in seen), reverse=True)
    assert seen[-1] == (found.lower, found.upper)
    for stop in range(1, len(seen) + 1):
        calls = iter(range(1, stop + 1))

        def interrupt(low: float, high: float, calls: object = calls, stop: int = stop) -> None:
            if next(calls) == stop:  # type: ignore[call-overload]
                raise KeyboardInterrupt

        cut = solve(problem, callback=interrupt)
        assert cut.status == "interrupted"
        assert cut.lower <= found.upper and found.lower <= cut.upper < math.inf
        assert cut.dual.shape[0] == 6 and cut.probabilities.max() == 1


def test_dual_of_the_result_proves_its_order() -> None:
    problem = instance("random", (2, 1, 2), seed=8)
    found = solve(problem)
    nested = nested_problem(problem)
    order = found.order.rank_to_block
    Y = found.dual @ found.dual.T
    starts = problem.blocks.starts
    pairs = np.add.reduceat(np.add.reduceat(nested.matrix * Y, starts, axis=0), starts, axis=1)
    y = (
        found.order.per_block(
            pooled_slopes(set_sums(pairs, tails(order)), nested.costs[list(order)])
        )
        * nested.costs
    )
    bound = certified_lower(nested, found.dual, tails(order), y)[0] * float(nested.unit)
    assert bound == pytest.approx(found.upper, rel=TOL)


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
    found = optimal_probabilities(L, [1, 1, 1], costs, regime="nonconvex")
    alone = optimal_probabilities(np.array(L)[:2, :2], [1, 1], costs[:2], regime="nonconvex")
    reached = Problem(
        L, [1, 1, 1], costs, probabilities=[*alone.probabilities.tolist(), 1e-250]
    ).c_M
    assert found.lower <= reached.upper
