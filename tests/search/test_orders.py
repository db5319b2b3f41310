"""The least c_M over orders: against exhaustive search, known optima and adversarial inputs."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse.linalg import aslinearoperator

from rpttheory.blocks import BlockOrder, Blocks
from rpttheory.certify import Rigour
from rpttheory.errors import InvalidInput
from rpttheory.quantities import second_moment_smoothness
from rpttheory.sampling import NestedSampling
from rpttheory.search import SearchResult, optimal_probabilities, order_bounds, order_tree, orders
from rpttheory.search.nested import certified_lower, nested_problem, pooled_slopes, set_sums, tails
from rpttheory.search.order_tree import Node, OrderSearch, interchangeable
from rpttheory.search.orders import optimal_order
from rpttheory.search.problem import Problem
from rpttheory.smoothness import as_smoothness, gram

FloatArray = NDArray[np.float64]
TOL = 1e-6


def make_problem(L: FloatArray, sizes: tuple[int, ...], costs: FloatArray, **extra: object) -> Problem:
    return Problem(as_smoothness(L), Blocks(sizes), np.asarray(costs, dtype=float), **extra)  # type: ignore[arg-type]


def solve(problem: Problem, tol: float = TOL, **extra: object) -> SearchResult:
    return optimal_order(problem, tol=tol, rng=np.random.default_rng(0), **extra)  # type: ignore[arg-type]


def cost_at(problem: Problem, p: FloatArray) -> float:
    """c_M from its definition, for probabilities whose largest is 1."""
    explicit = problem.smoothness.explicit()
    assert explicit is not None
    wide = np.repeat(p, problem.blocks.sizes)
    moment = np.asarray(explicit.matrix) / np.maximum(wide[:, None], wide[None, :])
    return float(np.linalg.eigvalsh(moment)[-1] * (problem.overhead + problem.costs @ p))


def every_order(problem: Problem) -> dict[tuple[int, ...], float]:
    """The least cost along every order, by simplex searches over the steps of log p."""
    found = {}
    for order in itertools.permutations(range(problem.blocks.count)):

        def cost(steps: FloatArray, order: tuple[int, ...] = order) -> float:
            p = np.empty(len(order))
            p[list(order)] = np.exp(-np.cumsum(np.append(0.0, np.abs(steps))))
            return cost_at(problem, p)

        best = np.full(len(order) - 1, 0.5)
        for start in (best, 4 * best):
            x = start
            for _ in range(2):
                x = minimize(cost, x, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9, "maxiter": 250}).x
            best = min(best, x, key=cost)
        found[order] = cost(best)
    return found


def instance(kind: str, sizes: tuple[int, ...], seed: int = 0) -> Problem:
    rng = np.random.default_rng([seed, len(sizes)])
    d = sum(sizes)
    A = rng.integers(-9, 10, (d, d)).astype(float)
    if kind == "low rank":
        A = A[:2]
    elif kind == "rank one":
        A = A[:1]
    elif kind == "graded":
        A = A * np.repeat(2.0 ** np.arange(len(sizes)), sizes)
    elif kind == "correlated":
        A = A + 12 * rng.integers(-9, 10, (d, 1))
    costs = rng.uniform(0.1, 1, len(sizes))
    return make_problem(A.T @ A, sizes, costs / costs.sum())


# -- against exhaustive search -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["random", "low rank", "rank one", "graded", "correlated"])
@pytest.mark.parametrize("sizes", [(2, 1), (1, 3, 2), (1, 1, 1), (1, 2, 1, 1)])
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
    assert sorted(values.values())[1] > found.upper, "the best order is unique, so a wrong one would be noticed"


@pytest.mark.parametrize("overhead", [0.01, 0.5, 20.0])
def test_overhead_against_exhaustive_search(overhead: float) -> None:
    plain = instance("random", (1, 2, 1), seed=4)
    problem = Problem(plain.smoothness, plain.blocks, plain.costs, overhead)
    found = solve(problem)
    least = min(every_order(problem).values())
    assert found.gap <= TOL
    assert found.lower <= least * (1 + 1e-12) and found.upper >= least * (1 - 1e-4)
    assert found.probabilities.max() == 1


@pytest.mark.parametrize("overhead", [0.0, 0.7])
@pytest.mark.parametrize("order", [(1, 2, 0), (2, 0, 1), (0, 1, 2)])
def test_forced_order(order: tuple[int, ...], overhead: float) -> None:
    """3-cycles, so that the inverse order would be noticed."""
    plain = instance("graded", (1, 1, 2), seed=2)
    problem = Problem(plain.smoothness, plain.blocks, plain.costs, overhead, BlockOrder(order))
    found = solve(problem)
    values = every_order(Problem(plain.smoothness, plain.blocks, plain.costs, overhead))
    assert found.method == "fixed order" and found.order_proved and found.gap <= TOL
    assert found.order.rank_to_block == order
    assert (np.diff(found.order.by_rank(found.probabilities)) <= 0).all()
    assert found.upper == pytest.approx(values[order], rel=1e-4)
    assert found.lower <= values[order] * (1 + 1e-12)


@settings(max_examples=40)
@given(
    hnp.arrays(float, (4, 4), elements=st.integers(-6, 6)),
    st.sampled_from([(1, 1, 2), (2, 2), (1, 1, 1, 1), (4,), (1, 3)]),
    st.sampled_from([0.0, 0.4]),
    st.integers(0, 2**32 - 1),
)
def test_no_probabilities_beat_the_lower_end(A: FloatArray, sizes: tuple[int, ...], overhead: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    costs = 10.0 ** rng.uniform(-2, 0, len(sizes))
    problem = make_problem(A.T @ A, sizes, costs, overhead=overhead)
    found = solve(problem)
    assert found.gap <= TOL and found.order_proved
    for spread in (0.01, 0.3, 3.0):
        p = found.probabilities * np.exp(rng.normal(0, spread, len(sizes)))
        assert cost_at(problem, p / p.max()) >= found.lower * (1 - 1e-12)
    sampling = NestedSampling(found.probabilities)
    L_M = second_moment_smoothness(problem.smoothness, sampling, problem.blocks)
    assert (L_M * problem.expected_cost(found.probabilities)).lower <= found.upper


# -- optima that are known ---------------------------------------------------------------------------


def test_block_diagonal_is_the_sum_of_the_blocks() -> None:
    L = np.zeros((6, 6))
    L[:2, :2], L[2:5, 2:5], L[5, 5] = 2.0, 3.0, 5.0  # largest eigenvalues 4, 9, 5
    found = solve(make_problem(L, (2, 3, 1), [0.25, 0.25, 0.5]))
    assert found.method == "formula" and found.order_proved
    assert found.lower <= 5.75 <= found.upper and found.gap < 1e-12
    assert found.order.rank_to_block == (1, 2, 0)


def test_weak_coupling_is_close_to_the_sum_of_the_blocks() -> None:
    L = np.diag([1.0, 5.0, 3.0, 2.0]) + 2.0**-40
    found = solve(make_problem(L, (1, 1, 1, 1), [0.25] * 4))
    assert found.method == "branch-and-bound"
    assert found.order.rank_to_block == (1, 2, 3, 0)
    assert found.lower <= 2.75 * (1 + 1e-9) and found.upper >= 2.75 and found.gap <= TOL


@pytest.mark.parametrize("count", [2, 5, 8, 11])
def test_large_overhead_makes_gradient_descent_optimal(count: int) -> None:
    """L = ones with c_0 >= B^2 c: x = 1 proves p = 1 optimal, at B (c_0 + B c), beyond 8 blocks too."""
    problem = make_problem(np.ones((count, count)), (1,) * count, np.ones(count), overhead=4.0 * count**2)
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
    found = solve(make_problem(np.ones((2, 2)), (1, 1), [1.0, 1.0]), tol=1e-9)
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


# -- degenerate and badly scaled ---------------------------------------------------------------------


@pytest.mark.parametrize("power", [500, -500])
def test_powers_of_two_change_nothing(power: int) -> None:
    problem = instance("random", (2, 1, 2))
    explicit = problem.smoothness.explicit()
    assert explicit is not None
    plain = solve(problem)
    scaled = solve(make_problem(np.ldexp(explicit.matrix, power), (2, 1, 2), problem.costs))
    assert scaled.order == plain.order
    assert math.ldexp(scaled.lower, -power) == pytest.approx(plain.lower, rel=1e-12)
    assert math.ldexp(scaled.upper, -power) == pytest.approx(plain.upper, rel=1e-12)
    dear = solve(make_problem(explicit.matrix, (2, 1, 2), np.ldexp(problem.costs, power)))
    assert math.ldexp(dear.lower, -power) == pytest.approx(plain.lower, rel=1e-12)


@pytest.mark.parametrize("costs", [(1e-12, 1e-6, 1e-3, 1.0), (1.0, 1e-9, 1e-12, 1e-4)])
def test_costs_over_twelve_orders_of_magnitude(costs: tuple[float, ...]) -> None:
    plain = instance("random", (1, 2, 1, 2))
    problem = Problem(plain.smoothness, plain.blocks, np.array(costs))
    found = solve(problem)
    assert found.gap <= TOL and found.order_proved
    assert cost_at(problem, found.probabilities) == pytest.approx(found.upper, rel=1e-9)


@pytest.mark.parametrize("grade", [1e-3, 1e-9, 1e-13])
def test_graded_blocks(grade: float) -> None:
    plain = instance("random", (2, 2, 2))
    explicit = plain.smoothness.explicit()
    assert explicit is not None
    scale = np.repeat([grade, 1.0, math.sqrt(grade)], 2)
    found = solve(make_problem(explicit.matrix * np.outer(scale, scale), (2, 2, 2), plain.costs))
    assert found.gap <= TOL and found.order.rank_to_block == (1, 2, 0)


@pytest.mark.parametrize("overhead", [0.0, 1.0])
def test_zero_block_goes_last_at_the_floor(overhead: float) -> None:
    plain = instance("random", (1, 2, 2))
    explicit = plain.smoothness.explicit()
    assert explicit is not None
    L = explicit.matrix.copy()
    L[1:3], L[:, 1:3] = 0, 0
    found = solve(make_problem(L, (1, 2, 2), plain.costs, overhead=overhead))
    kept = [0, 3, 4]
    alone = solve(make_problem(L[np.ix_(kept, kept)], (1, 2), plain.costs[[0, 2]], overhead=overhead))
    assert found.gap <= TOL and "no minimum is attained" in found.message
    assert found.order.rank_to_block[-1] == 1 and 0 < found.probabilities[1] <= 1e-12
    assert found.lower <= alone.upper and alone.lower <= found.upper


def test_two_zero_blocks_of_different_cost_keep_the_order() -> None:
    """The floor depends on the cost, the order does not."""
    L = np.zeros((4, 4))
    L[:2, :2] = [[2.0, 1.0], [1.0, 3.0]]
    found = solve(make_problem(L, (1, 1, 1, 1), [1.0, 1.0, 100.0, 0.1]))
    assert found.gap <= TOL and (np.diff(found.order.by_rank(found.probabilities)) <= 0).all()


def test_zero_block_inside_a_forced_order_is_paid_for() -> None:
    """A zero block that must come early has at least the probability of what follows."""
    L = np.zeros((3, 3))
    L[np.ix_([0, 2], [0, 2])] = [[2.0, 1.0], [1.0, 3.0]]
    problem = make_problem(L, (1, 1, 1), [0.3, 0.3, 0.4], order=BlockOrder((0, 1, 2)))
    found = solve(problem)
    merged = solve(make_problem(np.array([[2.0, 1.0], [1.0, 3.0]]), (1, 1), [0.3, 0.7], order=BlockOrder((0, 1))))
    assert found.gap <= TOL and found.lower <= merged.upper and merged.lower <= found.upper
    assert found.probabilities[1] >= found.probabilities[2]
    last = solve(make_problem(L, (1, 1, 1), [0.3, 0.3, 0.4], order=BlockOrder((0, 2, 1))))
    assert last.probabilities[1] <= 1e-12 and last.upper < found.lower


@pytest.mark.parametrize("L", [np.zeros((3, 3)), np.ones((3, 3))])
def test_one_block(L: FloatArray) -> None:
    found = solve(make_problem(L, (3,), [2.0]))
    assert found.order_proved and found.order.rank_to_block == (0,)
    assert found.lower <= 2 * L.sum() / 3 <= found.upper and found.gap < 1e-12


def test_zero_matrix_costs_nothing() -> None:
    found = solve(make_problem(np.zeros((3, 3)), (1, 2), [0.5, 0.5]))
    assert found.lower == found.upper == 0 and found.order_proved


def test_gram_form_and_operator() -> None:
    A = np.random.default_rng(3).integers(-5, 6, (4, 6)).astype(float)
    blocks, costs = Blocks((2, 2, 2)), np.array([0.2, 0.3, 0.5])
    dense = solve(make_problem(A.T @ A, (2, 2, 2), costs))
    formed = solve(Problem(gram(A), blocks, costs))
    assert formed.gap <= TOL and formed.lower <= dense.upper and dense.lower <= formed.upper
    with pytest.raises(InvalidInput, match="entries of L"):
        solve(Problem(as_smoothness(aslinearoperator(A.T @ A)), blocks, costs))
    with pytest.raises(InvalidInput, match="positive semidefinite"):
        solve(make_problem(np.array([[0.0, 1.0], [1.0, 0.0]]), (1, 1), [1.0, 1.0]))


def test_rounding_indefinite_input_gets_a_sound_bracket() -> None:
    """Not quite positive semidefinite, with an overhead: nothing may rely on exact definiteness."""
    A = np.random.default_rng(5).standard_normal((2, 9))
    L = A.T @ A
    L = (L + L.T) / 2 - 1e-15 * np.eye(9)
    assert np.linalg.eigvalsh(L)[0] < 0
    problem = make_problem(L, (1,) * 9, np.ones(9), overhead=3.0)
    found = solve(problem)
    assert 0 < found.lower <= cost_at(problem, found.probabilities) * (1 + 1e-12)
    assert found.lower >= 3 * np.linalg.eigvalsh(L)[-1]


# -- symmetry, limits, interruption ------------------------------------------------------------------


def test_interchangeable_blocks_are_seen() -> None:
    L = np.ones((5, 5)) + np.eye(5)
    kinds = interchangeable(nested_problem(make_problem(L, (1, 2, 1, 1), [0.2, 0.2, 0.2, 0.4])))
    assert kinds == [0, 1, 0, 3]
    L[0, 1] = L[1, 0] = 0.5
    assert interchangeable(nested_problem(make_problem(L, (1, 2, 1, 1), [0.2] * 4))) == [0, 1, 2, 2]


def test_identical_blocks_do_not_multiply_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem(np.ones((7, 7)) + np.eye(7), (1,) * 7, np.ones(7))
    monkeypatch.setattr(orders, "_NODES", 40)
    found = solve(problem)
    assert found.order_proved and found.gap <= TOL
    monkeypatch.setattr(order_tree, "interchangeable", lambda nested: list(range(7)))
    assert not solve(problem).order_proved, "without symmetry forty nodes cannot cover 5040 equal orders"


def test_nodes_cover_every_order() -> None:
    """Each order has all its tails in the family of some child, whichever side is branched on."""
    node = Node((3,), (0, 1, 4), (2,))
    for middle in itertools.permutations((0, 1, 4)):
        order = (3, *middle, 2)
        assert {order[i:] for i in range(5)} <= {_ordered(column, order) for column in node.sets().T}
    search = OrderSearch(nested_problem(instance("random", (1, 1, 1, 1, 1))), TOL)
    _, point = search._bound(node.sets(), settle=False)
    for tilt in (0.0, 1.0):
        weights = np.where(node.sets()[0] == tilt, 1e6, 1e-6) * point.weights
        children = list(node.children(type(point)(weights, *list(vars(point).values())[1:]), range(5)))
        assert len(children) == 3
        for middle in itertools.permutations((0, 1, 4)):
            order = (3, *middle, 2)
            held = [
                {order[i:] for i in range(5)} <= {_ordered(column, order) for column in child.sets().T}
                for child in children
            ]
            assert sum(held) == 1


def _ordered(column: FloatArray, order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(block for block in order if column[block])


def test_exhausted_budget_is_honest(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = instance("correlated", (2, 1, 1, 2, 1), seed=3)
    exact = solve(problem)
    monkeypatch.setattr(orders, "_NODES", 3)
    cut = solve(problem)
    assert cut.method == "local search" and not cut.order_proved and cut.status == "stalled"
    assert "not proved" in cut.message and cut.gap > TOL
    assert cut.lower <= exact.upper and cut.upper >= exact.lower


@pytest.mark.parametrize("kind", ["random", "graded", "correlated"])
def test_local_search_against_the_exact_optimum(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = instance(kind, (1, 2, 1, 1, 2, 1), seed=5)
    exact = solve(problem)
    monkeypatch.setattr(orders, "EXACT_BLOCKS", 2)
    monkeypatch.setattr(order_bounds, "_GROUP", 3)
    local = solve(problem)
    alone = float(problem.costs @ problem.smoothness.block_lambda_max(problem.blocks))
    assert local.method == "local search" and local.rigour is Rigour.ROUNDED
    assert alone * (1 + 1e-6) < local.lower <= exact.upper, "groups bound better than single blocks, and soundly"
    assert exact.lower <= local.upper <= exact.upper * 1.02
    assert local.order_proved == (local.gap <= TOL)


def test_many_blocks_with_an_overhead() -> None:
    problem = instance("random", (1,) * 12)
    problem = Problem(problem.smoothness, problem.blocks, problem.costs, 0.5)
    found = solve(problem)
    assert found.method == "local search" and not found.order_proved
    assert 0 < found.lower < found.upper
    assert found.upper == pytest.approx(cost_at(problem, found.probabilities), rel=1e-9)
    rng = np.random.default_rng(1)
    for _ in range(200):
        p = np.minimum(1.0, found.probabilities * np.exp(rng.normal(0, 0.5, 12)))
        assert cost_at(problem, p / p.max()) >= found.lower


def test_large_dimension_is_bounded_in_a_subspace(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = instance("random", (6, 5, 4, 5), seed=6)
    exact = solve(problem)
    monkeypatch.setattr(order_tree, "_COMPRESSED_DIMENSION", 5)
    monkeypatch.setattr(order_tree, "_COLUMNS", 3)
    small = solve(problem)
    assert small.order_proved and small.gap <= TOL
    assert small.lower <= exact.upper and exact.lower <= small.upper
    nested = nested_problem(problem)
    search = OrderSearch(nested, TOL)
    bound = search.solve((0, 1, 2, 3))
    within, _ = search._bound(tails((0, 1, 2, 3)), settle=False)
    assert 0.99 * bound <= within <= search.upper, "the subspace holds the dual point of the order just solved"


def test_groups_are_a_partition() -> None:
    nested = nested_problem(instance("correlated", (1,) * 9))
    for largest in (1, 2, 4, 9):
        groups = order_bounds.coupled_groups(nested, largest)
        assert sorted(itertools.chain(*groups)) == list(range(9)) and max(map(len, groups)) <= largest
    assert groups == [list(range(9))]


def test_overhead_bound_pays_for_indefiniteness() -> None:
    """L = [[1, 2], [2, 1]] has eigenvalues 3 and -1: x = (1, 1) / sqrt 2 gives 3 c_0 / (1 + 1)."""
    nested = nested_problem(make_problem(np.array([[1.0, 2.0], [2.0, 1.0]]), (1, 1), [1.0, 1.0], overhead=1.0))
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
    nested, order = nested_problem(problem), found.order.rank_to_block
    Y = found.dual @ found.dual.T
    starts = problem.blocks.starts
    pairs = np.add.reduceat(np.add.reduceat(nested.matrix * Y, starts, axis=0), starts, axis=1)
    y = found.order.per_block(pooled_slopes(set_sums(pairs, tails(order)), nested.costs[list(order)])) * nested.costs
    bound = certified_lower(nested, found.dual, tails(order), y)[0] * float(nested.unit)
    assert bound == pytest.approx(found.upper, rel=TOL)
