"""Expectations over a sampling: E[CLC], the sketch, and the cost, also by ranks.

The paper's cost uses sigma as rank -> block, whereas `def:PTsketch` uses it as block -> rank.
"""

from fractions import Fraction

import numpy as np
import pytest
from companions import decisions
from hypothesis import given
from hypothesis import strategies as st

from rpttheory import (
    BlockOrder,
    NestedSampling,
    expected_clc,
)
from rpttheory.problem import quantities
from rpttheory.problem.blocks import Reading
from rpttheory.testing.strategies import costs, probabilities

from .problems import Problem, assert_proved, dot, either_samplings, problems, rows_of, vector_of


@pytest.mark.parametrize("reading", ["rank->block", "block->rank"])
@given(data=st.data())
def test_both_readings_of_sigma_give_the_cost_of_their_outcomes(
    reading: Reading, data: st.DataObject
) -> None:
    count = data.draw(st.integers(1, 6))
    by_rank = np.sort(data.draw(probabilities(count)))[::-1]
    prices = data.draw(costs(count, total=False))
    sigma = data.draw(st.permutations(range(1, count + 1)))
    ranks = [s - 1 for s in sigma]
    p = [*vector_of(by_rank), Fraction(0)]
    c = vector_of(prices)
    mean = Fraction(0)
    for i in range(count):
        # Outcome i + 1 updates the blocks whose rank is at most i + 1.
        first = (
            ranks[: i + 1] if reading == "rank->block" else np.flatnonzero(np.less(ranks, i + 1))
        )
        mean += (p[i] - p[i + 1]) * sum(c[k] for k in first)
    order = BlockOrder.from_sigma(sigma, reading)
    assert NestedSampling(order.per_block(by_rank)).expected_cost(prices).exact == mean
    if reading == "rank->block":
        assert order.by_rank(prices).tolist() == [prices[s - 1] for s in sigma]


@given(problems(laws=either_samplings))
def test_every_sampling_costs_the_sum_of_its_marginals(problem: Problem) -> None:
    c = vector_of(problem.costs)
    mean = sum(
        (
            q * sum(a for a, one in zip(c, active, strict=True) if one)
            for q, active in problem.outcomes
        ),
        Fraction(0),
    )
    assert mean == dot(problem.p, c) == problem.sampling.expected_cost(problem.costs).exact
    claims = decisions("text:expectedCost", problem.instance("fast"))
    assert_proved(claims)
    assert [claim.left.exact for claim in claims] == [mean]
    p = problem.sampling.probabilities
    if vector_of(p) == problem.p:
        assert quantities.cost(p, problem.costs).exact == mean


@given(problems(laws=either_samplings))
def test_the_mean_of_clc_is_that_of_the_outcomes(problem: Problem) -> None:
    computed = expected_clc(problem.L, problem.blocks, sampling=problem.sampling)
    assert np.array_equal(computed, computed.T)
    for row, expected in zip(rows_of(computed), problem.clc, strict=True):
        assert all(abs(a - b) <= abs(b) * 6 / 2**53 for a, b in zip(row, expected, strict=True))


@given(problems())
def test_the_library_enumerates_the_same_outcomes(problem: Problem) -> None:
    assert vector_of(problem.sampling.probabilities) == problem.p
    mass: dict[tuple[bool, ...], Fraction] = {}
    support = [(-one.probability, tuple(one.active.tolist())) for one in problem.sampling.support()]
    for probability, active in [*problem.outcomes, *support]:
        mass[active] = mass.get(active, Fraction(0)) + probability
    assert not any(mass.values())
