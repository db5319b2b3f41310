"""Budgets, targets, records, costs, divergence, extreme curvature, and refusals."""

import itertools
import tracemalloc
from typing import Any

import numpy as np
import pytest
from contracts.objectives import (
    BLOCKS,
    DENSE,
    NONCONVEX,
    X0,
    D,
    operator,
)
from refusals import refuses

from rpttheory import (
    Blocks,
    NestedSampling,
    diagonal,
)
from rpttheory.methods import CBCD, GD, NUACDM, PT, RBCD, RPT, Method, Record, SkGD, run
from rpttheory.objectives import Logistic, Objective, Quadratic, Ridge, Robust
from rpttheory.problem import quantities
from rpttheory.problem.blocks import BlockOrder
from rpttheory.problem.sampling import IndependentSampling

P = [0.25, 1.0, 0.5]
TOP = quantities.lmax(DENSE.smoothness).upper
PAIR = Blocks((1, 1))
named = pytest.mark.parametrize(
    "method", [CBCD(), RBCD(), NUACDM()], ids=lambda method: method.name
)


def go(method: Method | None = None, **options: Any) -> Any:
    return run(method or GD(), DENSE, BLOCKS, **({"x0": X0, "steps": 50} | options))


# -- when it ends


def test_steps() -> None:
    result = go(steps=50)
    assert (result.steps, result.cost, result.status) == (50, 50.0, "budget")
    np.testing.assert_array_equal(go(steps=0).x, X0)
    # The first of both budgets ends the run.
    assert go(steps=5, cost_budget=10.0).steps == 5 and go(steps=20, cost_budget=10.0).steps == 10


def test_a_long_run_has_the_short_one_as_its_beginning() -> None:
    long = go(RPT(P), steps=3000, record=1)
    for steps in (1, 1023, 1024, 1025, 2500):
        short = go(RPT(P), steps=steps, record=1)
        np.testing.assert_array_equal(short.trace.gap, long.trace.gap[: steps + 1])
        np.testing.assert_array_equal(short.trace.cost, long.trace.cost[: steps + 1])


@pytest.mark.parametrize("budget", [10.0, 7.3])
def test_cost_budgets_are_never_exceeded_and_used_up(budget: float) -> None:
    result = go(RPT(P), steps=None, cost_budget=budget, record=1)
    assert result.status == "budget" and result.cost <= budget * (1 + 1e-12)
    longer = go(RPT(P), steps=result.steps + 1)
    assert longer.cost > budget and go(steps=None, cost_budget=budget).steps == int(budget)


@pytest.mark.parametrize("length", [1023, 1024, 1025])
def test_a_schedule_ends_the_run(length: int) -> None:
    result = go(PT((0, 0, length)), steps=None)
    assert (result.status, result.steps) == ("budget", length)
    assert result.message != go(PT((0, 0, length)), steps=length - 1).message


def test_target_is_relative_to_the_initial_gap() -> None:
    result = go(steps=100_000, tol=1e-6, record=1)
    gaps = result.trace.gap
    assert result.status == "converged" and gaps[-1] <= 1e-6 * gaps[0] < gaps[-2]
    sparse = go(steps=100_000, tol=1e-6)
    assert result.steps <= sparse.steps <= 1.02 * result.steps + 1
    # The last step counts, even where no record is due.
    assert go(steps=result.steps, tol=1e-6, record=10**6).status == "converged"
    assert go(steps=result.steps - 1, tol=1e-6, record=1).status == "budget"


# -- what is recorded


def test_records_are_what_they_say() -> None:
    rows: list[Record] = []
    result = go(RPT(P), steps=40, record=1, callback=rows.append)
    assert rows == result.trace.records()
    for t in (0, 1, 7, 40):
        x = go(RPT(P), steps=t).x
        assert rows[t].iteration == t
        assert rows[t].gap == pytest.approx(DENSE.value(x) - (DENSE.minimum or 0.0), rel=1e-9)
        assert rows[t].distance2 == pytest.approx(
            float(((x - DENSE.minimizer) ** 2).sum()), rel=1e-12
        )
        assert rows[t].gradient2 == pytest.approx(float((DENSE.gradient(x) ** 2).sum()), rel=1e-12)
    assert (np.diff(result.trace.seconds) >= 0).all()


def test_when_records_are_made() -> None:
    iterations = go(steps=3000).trace.iteration.tolist()
    assert iterations[:52] == list(range(52)) and iterations[-1] == 3000
    assert all(b - a <= max(1, 0.02 * a + 1) for a, b in itertools.pairwise(iterations))
    assert len(iterations) <= 60 + 50 * np.log(3000 / 50)
    assert go(steps=3000, record=0.5).trace.iteration.tolist()[:8] == [0, 1, 2, 3, 5, 8, 12, 18]
    # Or every k steps.
    assert go(steps=25, record=10).trace.iteration.tolist() == [0, 10, 20, 25]
    assert go(steps=20, record=np.int64(10)).trace.iteration.tolist() == [0, 10, 20]
    # Which does not change the trajectory.
    np.testing.assert_array_equal(
        go(RPT(P), steps=2000, record=1).x, go(RPT(P), steps=2000, record=999).x
    )


def test_unknown_minimum_is_nan_in_the_trace_and_none_in_json() -> None:
    trace = run(RPT(P), NONCONVEX["robust"], BLOCKS, x0=X0, steps=30).trace
    assert np.isnan(trace.gap).all() and np.isnan(trace.distance2).all()
    assert np.isfinite(trace.gradient2).all() and set(trace.to_dict()["gap"]) == {None}


def test_generators_and_seeds() -> None:
    result = go(RPT(P), rng=3)
    np.testing.assert_array_equal(result.x, go(RPT(P), rng=np.random.default_rng(3)).x)
    assert not np.array_equal(result.x, go(RPT(P), rng=4).x)
    np.testing.assert_array_equal(go(RPT(P)).x, go(RPT(P), rng=0).x)


# -- costs


def test_costs_are_not_normalized() -> None:
    assert go(costs=[1.0, 2.0, 5.0]).cost == 400.0
    # Admission order of P: block 1, then 2, then 0.
    result = go(RPT(P), steps=4000, costs=[1.0, 2.0, 5.0], record=1)
    values, counts = np.unique(np.diff(result.trace.cost).round(9), return_counts=True)
    np.testing.assert_allclose(values, [2.0, 7.0, 8.0])
    # 4000 draws: five standard deviations are at most 160.
    np.testing.assert_allclose(counts, [2000, 1000, 1000], atol=160)


@named
def test_a_visited_block_costs_its_share_even_where_it_stays(method: Method) -> None:
    # `steps` is a safety net: without it a run whose steps cost nothing would never end.
    f = Quadratic(diagonal([0.0, 0.0]), [1.0, 1.0])
    result = run(method, f, PAIR, x0=[1.0, 1.0], cost_budget=5.0, steps=100)
    assert (result.steps, result.cost) == (10, 5.0)


# -- divergence and the range of floats


@pytest.mark.parametrize(
    "method",
    [
        GD(2.5 / TOP, unsafe=True),
        RPT(P, 100 / TOP, unsafe=True),
    ],
    ids=lambda method: method.name,
)
def test_divergence_is_noticed(method: Method) -> None:
    result = go(method, steps=10**6, tol=1e-6)
    assert result.status == "diverged" and result.steps < 10_000
    assert result.theory in result.message


def test_overflow_to_nan_is_divergence() -> None:
    # The first record after the start comes long after the floats have overflowed.
    result = go(GD(1e3, unsafe=True), steps=5000, record=5000)
    assert result.status == "diverged" and not np.isfinite(result.trace.gradient2[-1])
    assert None in result.trace.to_dict()["gradient2"]


def test_divergence_of_a_matrix_known_by_its_products() -> None:
    f = Quadratic(operator(np.diag([3.0] * D)))
    # Records after 80 steps (finite), after 230 (an infinite product of finite numbers), after 5000
    # (nan).
    for record in (80, 230, 5000):
        result = run(GD(10.0, unsafe=True), f, BLOCKS, x0=X0, steps=5000, record=record)
        assert result.status == "diverged"
    # The products of a run are counted: one per step, and one per record.
    before = f.smoothness.products
    run(GD(0.1), f, BLOCKS, x0=X0, steps=100, record=100)
    assert f.smoothness.products - before >= 102


EVERY_METHOD: list[Method] = [
    GD(),
    RPT(),
    RPT([0.5, 1e-3]),
    SkGD(IndependentSampling([0.5, 0.5])),
    PT((3, 50)),
    CBCD(),
    RBCD(),
    NUACDM(),
]
CONSTANT: dict[str, Objective] = {
    "ridge": Ridge(np.zeros((3, 2)), [1.0, 2.0, 3.0], 0.0),
    "logistic": Logistic(np.zeros((3, 2)), [1.0, 1.0, -1.0], 0.0),
    "robust": Robust(np.zeros((3, 2)), [1.0, 2.0, 3.0]),
    "dense": Quadratic(np.zeros((2, 2))),
    "diagonal": Quadratic(diagonal([1e-310, 5e-324])),
}


@pytest.mark.parametrize("f", list(CONSTANT.values()), ids=list(CONSTANT))
@pytest.mark.parametrize("blocks", [PAIR, Blocks((2,))], ids=["two blocks", "one block"])
def test_a_constant_function_stays_where_it_is(f: Objective, blocks: Blocks) -> None:
    # Brackets of a zero have an upper end such as 8e-320, whose inverse is no stepsize.
    methods = EVERY_METHOD if blocks is PAIR else [GD(), RPT(), CBCD(), RBCD(), NUACDM()]
    for method in methods:
        if isinstance(method, NUACDM) and f.strong_convexity is None:
            continue
        result = run(method, f, blocks, x0=[1.0, -2.0], steps=50)
        assert result.status == "budget", result.message
        np.testing.assert_array_equal(result.x, [1.0, -2.0])


@pytest.mark.parametrize("size", [1e300, 1.7e308])
@pytest.mark.parametrize("method", EVERY_METHOD, ids=range(len(EVERY_METHOD)))
def test_curvature_near_the_largest_float_is_refused(method: Method, size: float) -> None:
    for A in (diagonal([size, size]), np.array([[size, size / 4], [size / 4, size]])):
        with refuses():
            run(method, Quadratic(A), PAIR, x0=[1.0, 1.0], steps=5)


def test_a_gradient_whose_square_overflows_at_the_start() -> None:
    with refuses(found="inf"):
        run(GD(), Quadratic(diagonal([1e200, 1.0])), PAIR, x0=[1.0, 1.0], steps=5)


def test_little_strong_convexity_does_not_overflow() -> None:
    f = Quadratic(diagonal([1e10, 1e-300]))
    result = run(NUACDM(), f, PAIR, x0=[1.0, 1.0], steps=200)
    assert result.status == "budget" and result.trace.gap[-1] < 0.1 * result.trace.gap[0]


# -- stepsizes


L_P = quantities.L_P(DENSE.smoothness, BLOCKS, P).upper
STEPSIZES: dict[str, Any] = {
    "GD": (lambda s, u=False: GD(s, unsafe=u), 1 / TOP),
    "RPT": (lambda s, u=False: RPT(P, s, unsafe=u), 1 / L_P),
    "SkGD": (lambda s, u=False: SkGD(NestedSampling(P), s, unsafe=u), 1 / L_P),
}
every_rule = pytest.mark.parametrize(
    ("make", "largest"), list(STEPSIZES.values()), ids=list(STEPSIZES)
)


@every_rule
def test_stepsizes_above_the_allowed_one(make: Any, largest: float) -> None:
    assert (
        go(make(largest)).status == "budget" and go(make(largest * (1 + 1e-12))).status == "budget"
    )
    with refuses("stepsize", found=repr(1.01 * largest)):
        go(make(1.01 * largest))
    assert go(make(1.01 * largest, True)).status == "budget"


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf, "x", True])
@every_rule
def test_stepsizes_that_are_no_stepsizes(make: Any, largest: float, bad: Any) -> None:
    for unsafe in (False, True):
        with refuses("stepsize", found=repr(bad)):
            go(make(bad, unsafe))


# -- refusals


ROBUST = NONCONVEX["robust"]
# The argument that is refused, and values of it that are.
REFUSED: dict[str, list[Any]] = {
    "steps": [-1, 1.5, True],
    "cost_budget": [0.0, np.inf, "5"],
    "tol": [0.0, np.nan, [0.1]],
    "x0": [[1.0], [np.nan] * D],
    "costs": [[1.0, 2.0], [1.0, 2.0, 0.0], [1.7e308, 1.7e308, 1.0]],
    "record": [0, True, 0.0, np.nan, "often"],
    "rng": [-1, "x"],
    "blocks": [Blocks((1, 2)), 6],
    "objective": [np.eye(D)],
    "method": [GD],
}
# Methods with options that do not fit, and the option.
MISFITS: list[tuple[Method, str]] = [
    (RPT([0.5, 0.5]), "probabilities"),
    (RPT([0.5, 0.5, 0.0]), "probabilities"),
    (CBCD(BlockOrder((0, 1))), "order"),
    (RBCD(-1.0), "exponent"),
    (RBCD("a"), "exponent"),  # type: ignore[arg-type]
    (PT((1, 2)), "lengths"),
    (PT((0, 0, 0)), "lengths"),
    (PT((1, 1, -1)), "lengths"),
    (PT(5), "lengths"),  # type: ignore[arg-type]
    (PT((1, 1, 1), order=BlockOrder((0, 1))), "order"),
    (NUACDM(-1.0), "mu"),
    (NUACDM(1e3), "mu"),
    (NUACDM(np.inf), "mu"),
    (SkGD([0.5, 0.5, 0.5]), "sampling"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in REFUSED.items() for value in values]
)
def test_refused_arguments(name: str, value: Any) -> None:
    arguments = {"method": GD(), "objective": DENSE, "blocks": BLOCKS, "x0": X0, "steps": 50}
    with refuses(name):
        run(**(arguments | {name: value}))


@pytest.mark.parametrize(("method", "argument"), MISFITS)
def test_refused_options_of_methods(method: Method, argument: str) -> None:
    with refuses(argument):
        go(method)


def test_runs_that_cannot_end_or_be_judged() -> None:
    for options in ({"steps": None}, {"steps": None, "tol": 1e-6}):
        with refuses():
            go(**options)
    for method, tol in ((GD(), 0.1), (NUACDM(), None)):
        with refuses(found="Robust"):
            run(method, ROBUST, BLOCKS, x0=X0, steps=5, tol=tol)


@pytest.mark.parametrize(("total", "count"), [(0, 3), (2, 1.5), (2, "a"), (2, 0), (2, True)])
def test_progfed_refuses_what_is_no_number_of_steps_or_blocks(total: Any, count: Any) -> None:
    with refuses(found=repr(count)):
        PT.progfed(total, count)


# -- memory


@pytest.mark.parametrize(
    "method", [RPT([1.0, 0.5, 0.25]), GD(), CBCD(), NUACDM()], ids=lambda m: m.name
)
def test_a_step_allocates_nothing_that_grows_with_d(method: Method) -> None:
    blocks = Blocks((10, 500, 40_000))
    f = Quadratic(diagonal(blocks.expand([100.0, 10.0, 1.0])))
    peaks = []

    def look(record: Record) -> None:
        # Every step is compiled before the first of these, and 500 steps follow it.
        current, peak = tracemalloc.get_traced_memory()
        peaks.append(peak - current)
        tracemalloc.reset_peak()

    tracemalloc.start()
    try:
        run(method, f, blocks, x0=np.ones(blocks.dimension), steps=1000, record=250, callback=look)
    finally:
        tracemalloc.stop()
    assert min(peaks[2:]) < 4 * blocks.dimension
