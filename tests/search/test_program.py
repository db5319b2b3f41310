"""The statement of the search problem: costs, extras, dual feasibility, and what it refuses."""

from fractions import Fraction
from itertools import chain, combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse.linalg import aslinearoperator

from rpttheory.errors import InvalidInput
from rpttheory.problem.blocks import BlockOrder, Blocks
from rpttheory.search.optimal import optimal_probabilities
from rpttheory.search.program import Program, make_program

positive = st.floats(1e-6, 1e6)


@st.composite
def problems(
    draw: st.DrawFn, extras: tuple[tuple[str, ...], ...], amounts: st.SearchStrategy = positive
) -> Program:
    count = draw(st.integers(1, 5))
    costs = draw(st.lists(amounts, min_size=count, max_size=count))
    chosen = draw(st.sampled_from(extras))
    return make_program(
        np.eye(count),
        Blocks.singletons(count),
        costs,
        overhead=draw(amounts) if "overhead" in chosen else 0.0,
        order=BlockOrder(draw(st.permutations(range(count)))) if "order" in chosen else None,
    )


ANY = ((), ("overhead",), ("order",), ("overhead", "order"))


@given(problems(ANY, st.integers(1, 50).map(float)), st.data())
def test_trace_excess_is_the_worst_case_over_all_admissible_q(
    problem: Program, data: st.DataObject
) -> None:
    """The least f with <traces, q> <= f objective(q) for all q >= 0 is a linear program; a solver
    knows it too.
    """
    count = problem.blocks.count
    traces = np.array(
        data.draw(st.lists(st.integers(0, 50), min_size=count, max_size=count)), dtype=float
    )
    # Variables q and m >= max q, with the objective held at 1.
    unit = np.eye(count + 1)
    rows = [unit[k] - unit[count] for k in range(count)]
    if problem.order is not None:
        ranks = problem.order.rank_to_block
        rows += [unit[later] - unit[earlier] for earlier, later in pairwise(ranks)]
    weights = np.append(problem.costs, problem.overhead)
    worst = linprog(
        -np.append(traces, 0.0),
        A_ub=np.array(rows),
        b_ub=np.zeros(len(rows)),
        A_eq=weights[None, :],
        b_eq=[1.0],
    )
    assert worst.status == 0
    assert problem.trace_excess(traces) == pytest.approx(-worst.fun, rel=1e-9, abs=1e-9)


@given(problems((("overhead",),)), st.data())
def test_trace_excess_with_an_overhead_by_subsets(problem: Program, data: st.DataObject) -> None:
    """Any set of blocks may exceed its costs by c_0 in all: every subset in fractions."""
    count = problem.blocks.count
    traces = data.draw(st.lists(st.floats(0, 1e6), min_size=count, max_size=count))
    subsets = chain.from_iterable(combinations(range(count), size) for size in range(1, count + 1))
    c = [Fraction(value) for value in problem.costs.tolist()]
    worst = max(
        sum(Fraction(traces[k]) for k in subset)
        / (sum(c[k] for k in subset) + Fraction(problem.overhead))
        for subset in subsets
    )
    assert problem.trace_excess(np.array(traces)) == pytest.approx(float(worst), rel=1e-12)


@given(problems(ANY))
def test_the_costs_themselves_are_dual_feasible_and_no_more(problem: Program) -> None:
    assert problem.trace_excess(problem.costs) <= 1
    assert problem.trace_excess(problem.linear_costs()) <= 1 + 1e-14
    if problem.plain:
        assert problem.trace_excess(problem.costs) == 1


@given(problems(ANY), st.data())
def test_admissible_points_are_the_least_ones_above(problem: Program, data: st.DataObject) -> None:
    count = problem.blocks.count
    q = np.array(data.draw(st.lists(st.floats(0, 1e9), min_size=count, max_size=count)))
    raised = problem.admissible(q)
    assert (raised >= q).all()
    if problem.order is None:
        assert (raised == q).all()
        return
    along = problem.order.by_rank(raised)
    assert (np.diff(along) <= 0).all()
    # Least: each value is attained by q at the block itself or at one admitted later.
    later = problem.order.by_rank(q)
    assert all(along[i] == later[i:].max() for i in range(count))


@given(problems(ANY), st.data())
def test_expected_cost_is_exact(problem: Program, data: st.DataObject) -> None:
    count = problem.blocks.count
    p = np.array(
        [1.0, *data.draw(st.lists(st.floats(1e-9, 1), min_size=count - 1, max_size=count - 1))]
    )
    truth = Fraction(problem.overhead) + sum(
        Fraction(a) * Fraction(b) for a, b in zip(p.tolist(), problem.costs.tolist(), strict=True)
    )
    assert problem.expected_cost(p).exact == truth and problem.objective(p) == pytest.approx(
        float(truth)
    )


def test_an_overhead_is_charged_to_the_first_block_of_a_forced_order() -> None:
    """A 3-cycle, so that rank -> block and block -> rank differ."""
    problem = make_program(
        np.eye(3), Blocks((1, 1, 1)), [1.0, 2.0, 4.0], overhead=8.0, order=BlockOrder((1, 2, 0))
    )
    assert problem.linear_costs().tolist() == [1.0, 10.0, 4.0] and problem.total_cost == 15.0
    assert not problem.plain
    # Mass may move to later blocks only: block 0 is the last of the order, block 1 the first.
    assert problem.trace_excess(np.array([15.0, 0.0, 0.0])) == 1.0
    assert problem.trace_excess(np.array([0.0, 15.0, 0.0])) == 1.5
    assert problem.admissible(np.array([3.0, 1.0, 2.0])).tolist() == [3.0, 3.0, 3.0]
    assert problem.admissible(np.array([1.0, 2.0, 3.0])).tolist() == [1.0, 3.0, 3.0]


def test_costs_default_to_block_sizes() -> None:
    problem = make_program(np.eye(4), Blocks((1, 3)))
    assert problem.costs.tolist() == [0.25, 0.75] and problem.plain and problem.total_cost == 1.0


BAD: dict[str, list[Any]] = {
    "overhead": [-1.0, float("nan"), float("inf"), "1"],
    "order": [BlockOrder((0,)), BlockOrder((0, 1, 2))],
    "costs": [[1.0], [1.0, 0.0], [1.0, -1.0], [1.0, float("nan")], "many"],
}


@pytest.mark.parametrize("named", BAD)
def test_bad_problems_are_refused(named: str) -> None:
    for value in BAD[named]:
        with pytest.raises(InvalidInput) as caught:
            make_program(np.eye(2), Blocks((1, 1)), **{named: value})
        assert named in caught.value.what and caught.value.found and caught.value.remedy


def test_blocks_must_fit() -> None:
    with pytest.raises(InvalidInput, match="add up"):
        make_program(np.eye(3), Blocks((1, 1)))


def test_an_optimum_beyond_the_largest_double_is_refused() -> None:
    L = np.array([[4.0, 1.0], [1.0, 3.0]]) * 1e307
    with pytest.raises(InvalidInput, match="range of doubles"):
        optimal_probabilities(L, [1, 1], [40, 50])
    found = optimal_probabilities(L / 1000, [1, 1], [40, 50])
    assert found.status == "optimal" and np.isfinite(found.upper)
    with pytest.raises(InvalidInput, match="range of doubles"):
        optimal_probabilities(aslinearoperator(L / 1e9), [1, 1], [4e5, 1], order=BlockOrder([1, 0]))
