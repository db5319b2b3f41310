"""The statement of the program: costs, extras, dual feasibility, and what it refuses."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from scipy.optimize import linprog
from scipy.sparse.linalg import aslinearoperator

from rpttheory import BlockOrder, Problem, optimal_probabilities
from rpttheory.search.block_sdp import BlockSDP, make_sdp

from .problems import sdp

positive = st.floats(1e-6, 1e6)


@st.composite
def programs(draw: st.DrawFn, amounts: st.SearchStrategy[float] = positive) -> BlockSDP:
    count = draw(st.integers(1, 5))
    costs = draw(st.lists(amounts, min_size=count, max_size=count))
    order = BlockOrder(draw(st.permutations(range(count)))) if draw(st.booleans()) else None
    overhead = draw(amounts) if draw(st.booleans()) else 0.0
    return sdp(np.eye(count), [1] * count, costs, overhead=overhead, order=order)


def numbers(data: st.DataObject, count: int, values: st.SearchStrategy[Any]) -> np.ndarray:
    return np.array(data.draw(st.lists(values, min_size=count, max_size=count)), dtype=float)


@given(programs(st.integers(1, 50).map(float)), st.data())
def test_trace_excess_is_the_worst_case_over_all_admissible_q(
    program: BlockSDP, data: st.DataObject
) -> None:
    """The least f with <traces, q> <= f objective(q) for all q >= 0, by a linear program."""
    count = program.blocks.count
    traces = numbers(data, count, st.integers(0, 50))
    # Variables q and m >= max q, with the objective held at 1.
    unit = np.eye(count + 1)
    rows = [unit[k] - unit[count] for k in range(count)]
    if program.order is not None:
        ranks = program.order.rank_to_block
        rows += [unit[later] - unit[earlier] for earlier, later in pairwise(ranks)]
    worst = linprog(
        -np.append(traces, 0.0),
        A_ub=np.array(rows),
        b_ub=np.zeros(len(rows)),
        A_eq=np.append(program.costs, program.overhead)[None, :],
        b_eq=[1.0],
    )
    assert worst.status == 0
    assert program.trace_excess(traces) == pytest.approx(-worst.fun, rel=1e-9, abs=1e-9)


@given(programs(), st.data())
def test_rescaled_blocks_are_dual_feasible(program: BlockSDP, data: st.DataObject) -> None:
    V = numbers(data, program.blocks.count, positive)[:, None]
    rescaled = program.rescale_dual_blocks(V)
    if program.order is None:
        assert program.trace_excess(program.block_traces(rescaled)) <= 1 + 1e-9
    else:
        assert (rescaled == V).all()
    assert program.trace_excess(program.linear_costs()) <= 1 + 1e-14


@given(programs(), st.data())
def test_admissible_points_are_the_least_ones_above(program: BlockSDP, data: st.DataObject) -> None:
    q = numbers(data, program.blocks.count, st.floats(0, 1e9))
    raised = program.admissible(q)
    if program.order is None:
        assert (raised == q).all()
    else:
        along = program.order.by_rank(raised)
        later = program.order.by_rank(q)
        assert all(along[i] == later[i:].max() for i in range(q.size))


@given(programs(), st.data())
def test_expected_cost_is_exact(program: BlockSDP, data: st.DataObject) -> None:
    p = np.append(1.0, numbers(data, program.blocks.count - 1, st.floats(1e-9, 1)))
    terms = zip(p.tolist(), program.costs.tolist(), strict=True)
    truth = Fraction(program.overhead) + sum(Fraction(a) * Fraction(b) for a, b in terms)
    assert program.expected_cost(p).exact == truth
    assert program.objective(p) == pytest.approx(float(truth))


@pytest.mark.parametrize("overhead", [0, Fraction(1, 10), 1 + Fraction(1, 2**53)])
def test_rounding_covers_every_cost(overhead: Fraction | int) -> None:
    costs = [Fraction(1, 3), Fraction(2, 3)]
    program = sdp(np.eye(2), [1, 1], costs, overhead=overhead)
    exact = [*costs, *([overhead] if overhead else [])]
    doubles = [*program.costs.tolist(), *([program.overhead] if overhead else [])]
    ratios = [a / Fraction(b) for a, b in zip(exact, doubles, strict=True)]
    assert (program.rounding.exact_lower, program.rounding.exact_upper) == (
        min(ratios),
        max(ratios),
    )
    assert sdp(np.eye(2), [1, 1], [0.5, 1], overhead=2).rounding.exact == 1


def test_an_optimum_beyond_the_range_of_doubles_is_refused() -> None:
    L = np.array([[4.0, 1.0], [1.0, 3.0]]) * 1e307
    with refuses("L"):
        make_sdp(Problem(L, [1, 1], [40, 50]))
    result = optimal_probabilities(L / 1000, [1, 1], [40, 50])
    assert result.status == "optimal" and np.isfinite(result.upper)
    with refuses("L"):
        make_sdp(Problem(aslinearoperator(L / 1e9), [1, 1], [4e5, 1], order=[1, 0]))
    with refuses("overhead"):
        make_sdp(Problem(np.eye(2), [1, 1], [1, 1], overhead=1e13))
