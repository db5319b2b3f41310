"""The comparison of samplings by c_M, against sums over all sets and LAPACK."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from refusals import refuses
from scipy.sparse.linalg import LinearOperator

from rpttheory import Bracket, Problem, Rigor, datasets, optimal_probabilities
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.problem.sampling import OneOfEachGroup, Sampling
from rpttheory.search.samplings import SamplingComparison, compare_samplings

SEEDS = range(20)


def random_problem(rng: np.random.Generator) -> tuple[FloatArray, Problem]:
    """Blocks of one to three coordinates; constants and costs over four decades."""
    sizes = rng.integers(1, 4, rng.integers(1, 6))
    dimension = int(sizes.sum())
    rows = rng.normal(size=(dimension + 1, dimension)) * 10 ** rng.uniform(-2, 2, dimension)
    overhead = float(rng.choice([0.0, 1e-3, 1.0, 100.0]))
    costs = 10 ** rng.uniform(-2, 2, len(sizes))
    L = rows.T @ rows
    return L, Problem(L, sizes.tolist(), costs, overhead=overhead)


def enumerated_cost(
    L: FloatArray, problem: Problem, sampling: Sampling, *, backprop: bool
) -> float:
    """c_M from the definition, with every set of blocks that can be drawn."""
    costs = problem.costs.float64
    second_moment = np.zeros_like(L)
    step_cost = float(problem.overhead)
    for outcome in sampling.support():
        probability = float(outcome.probability)
        scaling = (outcome.active / sampling.probabilities)[problem.blocks.labels]
        second_moment += probability * scaling[:, None] * L * scaling
        paid = outcome.active
        if backprop and outcome.active.any():
            paid = np.arange(costs.size) <= np.flatnonzero(outcome.active)[-1]
        step_cost += probability * float(costs[paid].sum())
    return float(np.linalg.eigvalsh(second_moment)[-1]) * step_cost


@pytest.mark.parametrize("backprop", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_costs_are_those_of_the_definition_and_above_the_bound(seed: int, backprop: bool) -> None:
    rng = np.random.default_rng(seed)
    L, problem = random_problem(rng)
    count = problem.blocks.count
    budget = int(rng.integers(1, count + 1))
    p = np.sort(rng.uniform(0.1, 1, count))[::-1]
    result = compare_samplings(problem, p, budget=budget, backprop=backprop)
    for row in result.rows:
        if row.sampling is None:
            continue
        expected = enumerated_cost(L, problem, row.sampling, backprop=backprop)
        assert row.cost.lower <= expected * (1 + 1e-9)
        assert row.cost.upper >= expected * (1 - 1e-9)
        assert row.cost.width <= 1e-6 * row.cost.upper
        assert row.cost.upper >= result["any"].cost.lower
        if not row.obstacle:
            assert row.cost.upper >= result["any_within_budget"].cost.lower
    assert (result["nested"].obstacle == "") is (budget == count)
    if not backprop:
        assert result["independent"].cost.lower <= 2 * result["any"].cost.upper
        assert result["budget"].sampling is not None
        assert all(
            outcome.active.sum() <= budget for outcome in result["budget"].sampling.support()
        )


def test_bounds_on_a_diagonal_matrix_by_hand() -> None:
    problem = Problem(np.diag([1.0, 5.0, 2.0]), "each", [1, 1, 1], overhead=10)
    plain = compare_samplings(problem, np.ones(3), budget=1)
    assert plain["any"].cost.exact == 10 * 5 + 8
    assert plain["any_within_budget"].cost.exact == 10 * 8 + 8
    deep = compare_samplings(problem, np.ones(3), budget=2, backprop=True)
    assert deep["any"].cost.exact == 10 * 5 + (5 + 5 + 2)
    assert deep["any_within_budget"].cost.exact == 10 * 5 + 12
    assert plain.bound.key == "any_within_budget"


def test_without_overhead_one_block_at_a_time_attains_the_bound() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(9, 8))
    result = compare_samplings(Problem(rows.T @ rows, "4x2"), np.ones(4))
    assert result.best.key == "single"
    assert result.factor.upper <= 1 + 1e-9


def test_nested_sampling_loses_on_the_matrix_of_ones() -> None:
    problem = Problem(np.ones((10, 10)), "each")
    p = optimal_probabilities(problem, objective="c_M").probabilities
    result = compare_samplings(problem, p)
    assert result["nested"].cost.midpoint == pytest.approx(9.1528, abs=1e-3)
    assert result["single"].cost.midpoint == pytest.approx(1, abs=1e-9)


def test_the_power_network() -> None:
    problem = Problem(datasets.load("494_bus").values, "26x19")
    result = compare_samplings(problem, np.ones(26))
    speedup = problem.gradient_descent.midpoint / result["single"].cost.midpoint
    assert speedup == pytest.approx(5.13, abs=0.005)


def test_a_budget_excludes_samplings_that_may_exceed_it() -> None:
    problem = Problem(np.eye(4), "each", overhead=100)
    free = compare_samplings(problem, np.ones(4))
    bounded = compare_samplings(problem, np.ones(4), budget=2)
    assert free.best.key in ("nested", "independent")
    assert bounded.best.key == "budget"
    assert bounded.bound is bounded["any_within_budget"]


@pytest.mark.parametrize("overhead", [0, 2**-13, 3, 2**20])
@pytest.mark.parametrize("curvatures", [(1, 0), (0, 5, 0, 2), (0, 0)])
def test_a_block_without_curvature_costs_nothing_however_dear(
    curvatures: tuple[int, ...], overhead: float
) -> None:
    """Its rows of L are zero, so that any small probability will do."""
    costs = [1 if value else 1e9 for value in curvatures]
    L = np.diag(np.array(curvatures, dtype=float))
    count = len(curvatures)
    problem = Problem(L, "each", costs, overhead=overhead)
    p = np.where(L.diagonal() > 0, 1, 1e-150)
    result = compare_samplings(problem, p, budget=count)
    assert result["any"].cost.upper == overhead * max(curvatures) + sum(curvatures)
    for key in ("single", "independent", "budget", "nested"):
        assert result[key].cost.upper <= 4 * result["any"].cost.upper * (1 + 1e-9)
    if any(curvatures):
        assert result.factor.upper <= 2 * (1 + 1e-9)


@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**-600, 2.0**900])
def test_samplings_do_not_depend_on_the_unit_of_l(unit: float) -> None:
    def independent(L: FloatArray) -> FloatArray:
        problem = Problem(L, "each", [1, 3], overhead=0.1)
        return compare_samplings(problem, np.ones(2))["independent"].sampling.marginals.float64

    L = np.array([[2.0, 1.0], [1.0, 3.0]])
    assert np.allclose(independent(L * unit), independent(L), rtol=1e-9)


def test_products_alone_certify_nothing() -> None:
    rows = np.random.default_rng(5).normal(size=(7, 6))
    L = rows.T @ rows
    operator = LinearOperator((6, 6), matvec=lambda x: L @ x, matmat=lambda x: L @ x, dtype=float)
    result = compare_samplings(Problem(operator, "3x2", overhead=1), np.ones(3), budget=2)
    assert {row.cost.rigor for row in result.rows} == {Rigor.NUMERICAL}
    assert compare_samplings(Problem(L, "3x2"), np.ones(3)).factor.rigor is Rigor.VERIFIED


def test_few_groups_are_drawn_where_a_step_has_no_overhead() -> None:
    """On the matrix of ones a block more in a step saves no steps."""
    free = compare_samplings(Problem(np.ones((6, 6)), "each"), np.ones(6), budget=6)
    assert free["budget"].cost.upper <= free["any"].cost.upper * (1 + 1e-9)
    dear = compare_samplings(Problem(np.eye(6), "each", overhead=100), np.ones(6), budget=3)
    assert isinstance(dear["budget"].sampling, OneOfEachGroup)
    assert len(dear["budget"].sampling.groups) == 3


def test_a_forced_order_is_kept_by_nested_sampling_alone() -> None:
    problem = Problem(np.ones((3, 3)), "each", order=[2, 0, 1])
    assert compare_samplings(problem, np.ones(3)).best.key == "nested"
    assert compare_samplings(problem, np.ones(3), backprop=True).best.key != "nested"


@pytest.mark.parametrize("budget", [0, 4, 1.5])
def test_a_budget_outside_the_number_of_blocks_is_refused(budget: Any) -> None:
    with refuses("budget", found=repr(budget)):
        compare_samplings(Problem(np.eye(3), "each"), np.ones(3), budget=budget)


def test_one_numerical_end_leaves_the_factor_numerical() -> None:
    certified = compare_samplings(Problem(np.diag([1.0, 2.0]), "each"), np.ones(2))
    *samplings, bound = certified.rows
    cost = Bracket(bound.cost.lower, bound.cost.upper, Rigor.NUMERICAL)
    numerical = [replace(row, cost=row.cost * cost / cost) for row in samplings]
    for rows in ((*numerical, bound), (*samplings, replace(bound, cost=cost))):
        assert SamplingComparison(rows).factor.rigor is Rigor.NUMERICAL


def test_the_optimum_of_plain_costs_is_priced_again_for_backpropagation() -> None:
    problem = Problem(np.diag([1.0, 9.0, 4.0]) + 0.3, [1, 1, 1], [0.2, 0.3, 0.5], overhead=0.1)
    best = optimal_probabilities(problem, objective="c_M")
    result = compare_samplings(problem, best.probabilities, backprop=True, nonconvex=best)
    assert best.upper < result["any"].cost.lower, "without depth the blocks cost less"
    assert result["nonconvex"].cost.upper == result["nested"].cost.upper
