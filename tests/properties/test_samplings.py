"""Expectations over a sampling: E[CLC], the outcomes, and the cost."""

from fractions import Fraction

import numpy as np
from companions import decisions
from hypothesis import given

from rpttheory import (
    expected_clc,
)
from rpttheory.problem import quantities

from .problems import Problem, assert_proved, dot, either_samplings, problems, rows_of, vector_of


@given(problems(samplings_of=either_samplings))
def test_every_sampling_costs_the_sum_of_its_marginals(problem: Problem) -> None:
    c = vector_of(problem.costs)
    mean = sum(
        (
            q * sum(a for a, is_active in zip(c, active, strict=True) if is_active)
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


@given(problems(samplings_of=either_samplings))
def test_the_mean_of_clc_is_that_of_the_outcomes(problem: Problem) -> None:
    computed = expected_clc(problem.L, problem.blocks, sampling=problem.sampling)
    assert np.array_equal(computed, computed.T)
    for row, expected in zip(rows_of(computed), problem.clc, strict=True):
        assert all(abs(a - b) <= abs(b) * 6 / 2**53 for a, b in zip(row, expected, strict=True))


@given(problems())
def test_the_library_enumerates_the_same_outcomes(problem: Problem) -> None:
    assert vector_of(problem.sampling.probabilities) == problem.p
    mass: dict[tuple[bool, ...], Fraction] = {}
    support = [
        (-outcome.probability, tuple(outcome.active.tolist()))
        for outcome in problem.sampling.support()
    ]
    for probability, active in [*problem.outcomes, *support]:
        mass[active] = mass.get(active, Fraction(0)) + probability
    assert not any(mass.values())
