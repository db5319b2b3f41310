"""Budgets, targets, records, costs, divergence, and what is refused."""

import itertools
import json
import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator

from rpttheory import Blocks, InvalidInput, diagonal, lambda_max, weighted_smoothness
from rpttheory.methods import (
    RPT,
    Accelerated,
    CyclicBlockDescent,
    Every,
    Geometric,
    GradientDescent,
    Method,
    ProgressiveTraining,
    RandomBlockDescent,
    Record,
    Sketched,
    run,
)
from rpttheory.objectives import Quadratic
from rpttheory.problem.blocks import BlockOrder
from rpttheory.problem.sampling import NestedSampling

from .problems import BLOCKS, DENSE, DIAGONAL, LOGISTIC, ROBUST, X0, D

P = [0.25, 1.0, 0.5]
TOP = lambda_max(DENSE.smoothness).upper


def go(method: Method | None = None, **options: Any) -> Any:
    return run(method or GradientDescent(), DENSE, BLOCKS, **({"x0": X0, "steps": 50} | options))


# -- when it ends ------------------------------------------------------------------------------------


def test_steps() -> None:
    result = go(steps=50)
    assert (result.steps, result.cost, result.status) == (50, 50.0, "budget")
    assert "budget spent after 50 steps" in result.message and go(steps=0).steps == 0
    np.testing.assert_array_equal(go(steps=0).x, X0)
    # The first of both budgets ends the run.
    assert go(steps=5, cost_budget=10.0).steps == 5 and go(steps=20, cost_budget=10.0).steps == 10


def test_a_long_run_has_the_short_one_as_its_beginning() -> None:
    for steps in (1, 1023, 1024, 1025, 2500):
        short, long = go(RPT(P), steps=steps, record=1), go(RPT(P), steps=3000, record=1)
        np.testing.assert_array_equal(short.trace.gap, long.trace.gap[: steps + 1])
        np.testing.assert_array_equal(short.trace.cost, long.trace.cost[: steps + 1])


@pytest.mark.parametrize("budget", [10.0, 7.3])
def test_cost_budgets_are_never_exceeded_and_used_up(budget: float) -> None:
    result = go(RPT(P), steps=None, cost_budget=budget, record=1)
    assert result.status == "budget" and result.cost <= budget * (1 + 1e-12)
    longer = go(RPT(P), steps=result.steps + 1)
    assert longer.cost > budget and go(steps=None, cost_budget=budget).steps == int(budget)


def test_target_is_relative_to_the_initial_gap() -> None:
    result = go(steps=100_000, target=1e-6, record=1)
    gaps = result.trace.gap
    assert result.status == "converged" and gaps[-1] <= 1e-6 * gaps[0] < gaps[-2]
    assert "fell to 1e-06" in result.message
    sparse = go(steps=100_000, target=1e-6)
    assert result.steps <= sparse.steps <= 1.02 * result.steps + 1


def test_a_target_met_by_the_last_step_counts() -> None:
    exact = go(steps=100_000, target=1e-6, record=1).steps
    assert go(steps=exact, target=1e-6, record=10**6).status == "converged"
    assert go(steps=exact - 1, target=1e-6, record=1).status == "budget"


def test_starting_at_the_minimum() -> None:
    result = go(x0=DENSE.minimiser, target=0.5, record=1)
    assert (result.status, result.steps) in [("converged", 0), ("budget", 50)]
    assert run(RPT(P), DIAGONAL, BLOCKS, x0=np.zeros(D), steps=10, target=0.1).steps == 0


# -- what is recorded --------------------------------------------------------------------------------


def test_records_are_what_they_say() -> None:
    seen: list[Record] = []
    result = go(RPT(P), steps=40, record=1, callback=seen.append)
    assert seen == result.trace.records()
    for t in (0, 1, 7, 40):
        x = go(RPT(P), steps=t).x
        row = seen[t]
        assert row.iteration == t
        assert row.gap == pytest.approx(DENSE.value(x) - (DENSE.minimum or 0.0), rel=1e-9)
        assert row.distance2 == pytest.approx(float(((x - DENSE.minimiser) ** 2).sum()), rel=1e-12)
        assert row.gradient2 == pytest.approx(float((DENSE.gradient(x) ** 2).sum()), rel=1e-12)
    assert (np.diff(result.trace.seconds) >= 0).all()


def test_the_geometric_grid() -> None:
    iterations = go(steps=3000).trace.iteration.tolist()
    assert iterations[:52] == list(range(52)) and iterations[-1] == 3000
    assert all(b - a <= max(1, 0.02 * a + 1) for a, b in itertools.pairwise(iterations))
    assert len(iterations) <= 60 + 50 * np.log(3000 / 50)
    assert go(steps=3000, record=0.5).trace.iteration.tolist()[:8] == [0, 1, 2, 3, 5, 8, 12, 18]
    # Or every k steps.
    assert go(steps=25, record=10).trace.iteration.tolist() == [0, 10, 20, 25]
    assert go(steps=20, record=Every(10)).trace.iteration.tolist() == [0, 10, 20]
    assert go(steps=5, record=np.int64(5)).trace.iteration.tolist() == [0, 5]
    assert len(go(steps=3000, record=Geometric(0.1)).trace) < len(go(steps=3000, record=0.05).trace)
    # Which does not change the trajectory.
    np.testing.assert_array_equal(go(RPT(P), steps=2000, record=1).x, go(RPT(P), steps=2000, record=999).x)


def test_unknown_minimum_is_nan_in_the_trace_and_none_in_json() -> None:
    trace = run(RPT(P), ROBUST, BLOCKS, x0=X0, steps=30).trace
    assert np.isnan(trace.gap).all() and np.isnan(trace.distance2).all()
    assert np.isfinite(trace.gradient2).all() and set(trace.to_dict()["gap"]) == {None}


def test_results_print_and_travel() -> None:
    result = go(RPT(P), steps=300)
    text = str(result).splitlines()
    assert text[0].startswith("RPT: budget, ")
    assert text[3].split() == ["iteration", "cost", "seconds", "gap", "distance2", "gradient2"]
    assert len({len(line) for line in text[3:]}) == 1 and 10 <= len(text) <= 16
    stored = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert stored["trace"]["gap"] == result.trace.gap.tolist() and stored["steps"] == 300
    with pytest.raises(ValueError, match="read-only"):
        result.trace.gap[0] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        result.x[0] = 0.0


# -- costs -------------------------------------------------------------------------------------------


def test_costs_are_taken_as_given() -> None:
    free, scaled = go(RPT(P), costs=[1.0, 2.0, 5.0]), go(RPT(P), costs=[10.0, 20.0, 50.0])
    assert 10 * free.cost == pytest.approx(scaled.cost, rel=1e-12)
    assert (go(costs=[1.0, 2.0, 5.0]).cost, go().cost) == (400.0, 50.0)
    with pytest.raises(InvalidInput, match="add up to a double"):
        go(costs=[1e308, 1e308, 1e308])


def test_costs_by_block() -> None:
    # Admission order of P: block 1, then 2, then 0.
    result = go(RPT(P), steps=4000, costs=[1.0, 2.0, 5.0], record=1)
    steps = np.diff(result.trace.cost)
    values, counts = np.unique(steps.round(9), return_counts=True)
    np.testing.assert_allclose(values, [2.0, 7.0, 8.0])
    # 4000 draws: five standard deviations are at most 160.
    np.testing.assert_allclose(counts, [2000, 1000, 1000], atol=160)


@pytest.mark.parametrize("method", [CyclicBlockDescent(), RandomBlockDescent(), Accelerated()], ids=lambda m: m.name)
def test_a_visited_block_costs_its_share_even_where_it_stays(method: Method) -> None:
    # steps is a safety net: without it a run whose steps cost nothing would never end.
    f = Quadratic(diagonal([0.0, 0.0]), [1.0, 1.0])
    result = run(method, f, Blocks((1, 1)), x0=[1.0, 1.0], cost_budget=5.0, steps=100)
    assert (result.steps, result.cost) == (10, 5.0)


def test_a_cycle_pays_for_flat_blocks() -> None:
    f = Quadratic(diagonal([0.0, 0.0, 9.0, 4.0, 3.0, 0.5]))
    result = run(CyclicBlockDescent(), f, BLOCKS, x0=X0, steps=4, costs=[5.0, 2.0, 1.0], record=1)
    np.testing.assert_allclose(np.diff(result.trace.cost), [5.0, 2.0, 1.0, 5.0])


def test_generators_and_seeds() -> None:
    a, b = go(RPT(P), rng=3), go(RPT(P), rng=np.random.default_rng(3))
    np.testing.assert_array_equal(a.x, b.x)
    assert not np.array_equal(a.x, go(RPT(P), rng=4).x)
    np.testing.assert_array_equal(go(RPT(P)).x, go(RPT(P), rng=0).x)


# -- what goes wrong ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method",
    [
        GradientDescent(2.5 / TOP, unsafe=True),
        RPT(P, 100 / TOP, unsafe=True),
        CyclicBlockDescent(stepsizes=[100.0, 100.0, 100.0], unsafe=True),
        RandomBlockDescent(stepsizes=[100.0, 100.0, 100.0], unsafe=True),
        ProgressiveTraining((0, 0, 10**6), [1.0, 1.0, 100.0], unsafe=True),
    ],
    ids=lambda method: method.name,
)
def test_divergence_is_noticed_and_explained(method: Method) -> None:
    result = go(method, steps=10**6, target=1e-6)
    assert result.status == "diverged" and result.steps < 10_000
    assert "squared gradient went from" in result.message and "stepsize" in result.message


def test_divergence_is_noticed_when_the_squared_gradient_has_grown_by_20_orders() -> None:
    trace = go(GradientDescent(2.5 / TOP, unsafe=True), steps=10**6, record=1).trace
    growth = trace.gradient2 / trace.gradient2[0]
    assert growth[-2] <= 1e20 < growth[-1]


def test_overflow_to_nan_is_divergence() -> None:
    # The first record after the start comes long after the floats have overflowed.
    result = go(GradientDescent(1e3, unsafe=True), steps=5000, record=5000)
    assert result.status == "diverged" and not np.isfinite(result.trace.gradient2[-1])
    assert None in result.trace.to_dict()["gradient2"]


def test_divergence_of_a_matrix_known_by_its_products() -> None:
    H = np.diag([3.0] * D)
    f = Quadratic(LinearOperator((D, D), matvec=lambda x: H @ x, matmat=lambda X: H @ X, dtype=np.float64))
    # Records after 80 steps (finite), after 230 (an infinite product of finite numbers) and after 5000 (nan).
    for record in (80, 230, 5000):
        result = run(GradientDescent(10.0, unsafe=True), f, BLOCKS, x0=X0, steps=5000, record=record)
        assert result.status == "diverged"
    # The products of a run are counted like all others: one per step, and one per record.
    before = f.smoothness.products
    run(GradientDescent(0.1), f, BLOCKS, x0=X0, steps=100, record=100)
    assert f.smoothness.products - before >= 102


def test_a_convergent_run_is_not_called_divergent() -> None:
    # The squared gradient starts tiny (a start near the minimum along the flat direction) and may grow a lot.
    f = Quadratic(np.array([[1.0, 0.999], [0.999, 1.0]]))
    result = run(CyclicBlockDescent(), f, Blocks((1, 1)), x0=[1.0, -1.0], steps=10**6, target=1e-8)
    assert result.status == "converged"


STEPSIZE_CASES = {
    "GD": (lambda s, u=False: GradientDescent(s, unsafe=u), 1 / TOP, "1/L_max"),
    "RPT": (
        lambda s, u=False: RPT(P, s, unsafe=u),
        1 / weighted_smoothness(DENSE.smoothness, BLOCKS, probabilities=P).upper,
        "1/L_P",
    ),
    "SkGD": (
        lambda s, u=False: Sketched(NestedSampling(P), s, unsafe=u),
        1 / weighted_smoothness(DENSE.smoothness, BLOCKS, probabilities=P).upper,
        "thm:rcdStronglyConvex",
    ),
    "PT": (lambda s, u=False: ProgressiveTraining((0, 0, 9), [s, s, s], unsafe=u), 1 / TOP, "first 3 block"),
    "CBCD": (
        lambda s, u=False: CyclicBlockDescent(stepsizes=[s, s, s], unsafe=u),
        1 / max(np.linalg.eigvalsh(DENSE.smoothness.diagonal_block(rows))[-1] for rows in BLOCKS.slices),
        "1/L_k of block",
    ),
}


@pytest.mark.parametrize("case", list(STEPSIZE_CASES.values()), ids=list(STEPSIZE_CASES))
def test_stepsizes_above_the_allowed_one(case: Any) -> None:
    make, allowed, rule = case
    assert go(make(allowed)).status == "budget" and go(make(allowed * (1 + 1e-12))).status == "budget"
    with pytest.raises(InvalidInput, match="must not exceed") as caught:
        go(make(1.01 * allowed))
    assert rule in str(caught.value)
    assert "1.01 times as large" in caught.value.found and "unsafe=True" in caught.value.remedy
    assert go(make(1.01 * allowed, True)).status == "budget"


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf, "x", True])
@pytest.mark.parametrize("case", list(STEPSIZE_CASES.values()), ids=list(STEPSIZE_CASES))
def test_stepsizes_that_are_no_stepsizes(case: Any, bad: Any) -> None:
    for unsafe in (False, True):
        with pytest.raises(InvalidInput, match="stepsize must be positive and finite"):
            go(case[0](bad, unsafe))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": None}, "a run needs an end"),
        ({"steps": None, "target": 1e-6}, "a run needs an end"),
        ({"steps": -1}, "steps must be a whole number"),
        ({"steps": 1.5}, "steps must be a whole number"),
        ({"steps": True}, "steps must be a whole number"),
        ({"cost_budget": 0.0}, "cost_budget must be positive"),
        ({"cost_budget": np.inf}, "cost_budget must be positive and finite"),
        ({"target": 0.0}, "target must be positive"),
        ({"target": np.nan}, "target must be positive and"),
        ({"x0": [1.0]}, "x0 must have one number per coordinate"),
        ({"x0": [np.nan] * D}, "x0 must be finite"),
        ({"costs": [1.0, 2.0]}, "costs must have one number per block"),
        ({"costs": [1.0, 2.0, 0.0]}, "costs must be positive"),
        ({"record": 0}, "whole number of steps apart"),
        ({"record": True}, "a whole number of steps apart"),
        ({"record": 0.0}, "growth between records"),
        ({"record": np.nan}, "the growth between records"),
        ({"record": "often"}, "record must be a number or a Grid"),
        ({"rng": -1}, "rng must be a seed"),
        ({"rng": "x"}, "rng must be a seed (.*) or a Generator"),
        ({"method": RPT([0.5, 0.5])}, "probabilities must have one number per block"),
        ({"method": RPT([0.5, 0.5, 0.0])}, "probabilities must lie in"),
        ({"method": CyclicBlockDescent(BlockOrder((0, 1)))}, "order must list all 3 blocks"),
        ({"method": CyclicBlockDescent(stepsizes=[0.1])}, "one stepsize per block"),
        ({"method": RandomBlockDescent(-1.0)}, "exponent must be finite and not negative"),
        ({"method": ProgressiveTraining((1, 2))}, "lengths must be 3 whole numbers"),
        ({"method": ProgressiveTraining((0, 0, 0))}, "lengths must be 3 whole numbers, not all zero"),
        ({"method": ProgressiveTraining((1, 1, -1))}, "lengths must be 3 whole"),
        ({"method": ProgressiveTraining((1, 1, 1), [0.1])}, "stepsizes must have one entry per block"),
        ({"method": Accelerated(-1.0)}, "mu must lie between 0"),
        ({"method": Accelerated(1e3)}, "mu must lie between 0 and"),
        ({"method": Accelerated("a")}, "mu must lie between 0 and that"),  # type: ignore[arg-type]
        ({"method": RandomBlockDescent("a")}, "exponent must be"),  # type: ignore[arg-type]
        ({"method": ProgressiveTraining(5)}, "lengths must be 3"),  # type: ignore[arg-type]
        ({"method": CyclicBlockDescent((0, 1, 2))}, "order must be of type"),  # type: ignore[arg-type]
        ({"method": ProgressiveTraining((1, 1, 1), order=(0, 1, 2))}, "order must be of"),  # type: ignore[arg-type]
        ({"method": Sketched([0.5, 0.5, 0.5])}, "sampling must be a Sampling"),  # type: ignore[arg-type]
        ({"method": GradientDescent}, "method must be of type Method"),
        ({"cost_budget": "a"}, "cost_budget must be positive"),
        ({"cost_budget": "5"}, "cost_budget must be positive and"),
        ({"target": "x"}, "target must be positive"),
        ({"target": [0.1]}, "target must be positive and finite"),
        ({"checkpoint_seconds": "x"}, "checkpoint_seconds must be a number"),
        ({"costs": [1e308, 1e308, 5e-324]}, "costs must add up to a double"),
    ],
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        go(**options)


def test_more_bad_input() -> None:
    with pytest.raises(InvalidInput, match="add up to the dimension"):
        run(GradientDescent(), DENSE, Blocks((1, 2)), x0=X0, steps=1)
    with pytest.raises(InvalidInput, match="a target needs a known minimum"):
        run(GradientDescent(), ROBUST, BLOCKS, x0=X0, steps=1, target=0.1)
    with pytest.raises(InvalidInput, match="needs a convex function"):
        run(Accelerated(), ROBUST, BLOCKS, x0=X0, steps=1)
    with pytest.raises(InvalidInput, match="at least one step and one block"):
        ProgressiveTraining.progfed(0, 3)
    for count in (1.5, "a", 0, True):
        with pytest.raises(InvalidInput, match="at least one step and one block"):
            ProgressiveTraining.progfed(2, count)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="blocks must be a list of sizes"):
        run(GradientDescent(), DENSE, 6, x0=X0, steps=1)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="objective must be of type Objective"):
        run(GradientDescent(), np.eye(D), BLOCKS, x0=X0, steps=1)  # type: ignore[arg-type]


# -- memory ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [RPT([1.0, 0.5, 0.25]), GradientDescent(), CyclicBlockDescent(), Accelerated()])
def test_a_step_allocates_nothing_that_grows_with_d(method: Method) -> None:
    blocks = Blocks((10, 500, 40_000))
    f = Quadratic(diagonal(blocks.expand([100.0, 10.0, 1.0])))
    x0 = np.ones(blocks.dimension)
    peaks = []

    def look(record: Record) -> None:
        # Everything is compiled by the first of these, and 500 steps follow it.
        peaks.append(tracemalloc.get_traced_memory()[1] - tracemalloc.get_traced_memory()[0])
        tracemalloc.reset_peak()

    tracemalloc.start()
    try:
        run(method, f, blocks, x0=x0, steps=1000, record=250, callback=look)
    finally:
        tracemalloc.stop()
    vector = 8 * blocks.dimension
    # The accelerated method forms its iterate for a record: one vector and its temporaries.
    assert min(peaks[2:]) < (4 if isinstance(method, Accelerated) else 0.5) * vector


def test_the_logistic_run_keeps_its_products_up_to_date() -> None:
    result = run(CyclicBlockDescent(), LOGISTIC, BLOCKS, x0=X0, steps=5000, target=1e-12)
    assert result.status == "converged"
