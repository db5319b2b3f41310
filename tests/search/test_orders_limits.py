"""The search over orders: symmetry, limits, bounds from groups, interruption."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from rpttheory.certify import Rigour
from rpttheory.search import order_bounds, order_tree, orders
from rpttheory.search.nested import certified_lower, nested_problem, pooled_slopes, set_sums, tails
from rpttheory.search.order_tree import Node, OrderSearch, interchangeable
from rpttheory.search.program import Program

from .order_problems import TOL, FloatArray, cost_at, instance, make_program, solve


def test_interchangeable_blocks_are_seen() -> None:
    L = np.ones((5, 5)) + np.eye(5)
    kinds = interchangeable(nested_problem(make_program(L, (1, 2, 1, 1), [0.2, 0.2, 0.2, 0.4])))
    assert kinds == [0, 1, 0, 3]
    L[0, 1] = L[1, 0] = 0.5
    assert interchangeable(nested_problem(make_program(L, (1, 2, 1, 1), [0.2] * 4))) == [0, 1, 2, 2]


def test_identical_blocks_do_not_multiply_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_program(np.ones((7, 7)) + np.eye(7), (1,) * 7, np.ones(7))
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
    problem = Program(problem.smoothness, problem.blocks, problem.costs, 0.5)
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
    nested = nested_problem(make_program(np.array([[1.0, 2.0], [2.0, 1.0]]), (1, 1), [1.0, 1.0], overhead=1.0))
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
