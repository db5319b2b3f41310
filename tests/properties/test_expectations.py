"""E[CLC], and the cost: sum_i (p_i - p_{i+1}) (c_{sigma_1} + ... + c_{sigma_i}) = sum_i p_i
c_{sigma_i}, p by rank.

This uses sigma as rank -> block, whereas `def:PTsketch` uses it as block -> rank. Only 3-cycles and
longer ones tell the two apart.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from companions import counterexample, decisions
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rpttheory import BlockOrder, NestedSampling, expected_clc, expected_cost
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.problem.blocks import Reading
from rpttheory.statements.quantities import enumerated_marginals
from rpttheory.testing.strategies import probabilities

from .exact import assert_proved, dot, matrix_of, pair_probability, vector_of
from .laws import either_laws
from .problems import Problem, costs, problems

BOTH: list[Reading] = ["rank->block", "block->rank"]


@dataclass(frozen=True)
class Ranked:
    """The paper's data: p_1 >= ... >= p_B by rank, costs per block, and sigma (counting from 1)."""

    p: FloatArray
    costs: FloatArray
    sigma: tuple[int, ...]

    def printed(self) -> Fraction:
        """The paper's double sum, as printed."""
        p = [*vector_of(self.p), Fraction(0)]
        c = vector_of(self.costs)
        return sum(
            (
                (p[i] - p[i + 1]) * sum(c[self.sigma[j] - 1] for j in range(i + 1))
                for i in range(len(c))
            ),
            Fraction(0),
        )

    def without_sigma(self) -> Fraction:
        """The sum of the sentence that defines cost_t: c_1 + ... + c_i for outcome i."""
        return Ranked(self.p, self.costs, tuple(range(1, self.p.size + 1))).printed()

    def enumerated(self, reading: Reading) -> Fraction:
        """The mean cost of the outcomes of `def:PTsketch` with sigma read in one of the two
        ways.
        """
        ranks = [s - 1 for s in self.sigma]
        p = [*vector_of(self.p), Fraction(0)]
        c = vector_of(self.costs)
        mean = Fraction(0)
        for i in range(len(c)):
            # Outcome i + 1 updates the blocks whose rank is at most i + 1.
            updated = (
                ranks[: i + 1]
                if reading == "rank->block"
                else [k for k in range(len(c)) if ranks[k] <= i]
            )
            mean += (p[i] - p[i + 1]) * sum((c[k] for k in updated), Fraction(0))
        return mean

    def library(self, reading: Reading) -> Fraction:
        """The same from the library: probabilities per block, then a nested sampling."""
        per_block = BlockOrder.from_sigma(self.sigma, reading).per_block(self.p)
        found = NestedSampling(per_block).expected_cost(self.costs).exact
        assert found is not None
        return found


@st.composite
def ranked(draw: DrawFn, least: int = 1) -> Ranked:
    count = draw(st.integers(least, 6))
    p = np.sort(draw(probabilities(count)))[::-1]
    return Ranked(p, draw(costs(count)), tuple(draw(st.permutations(range(1, count + 1)))))


@given(ranked())
def test_abel_summation(example: Ranked) -> None:
    p = vector_of(example.p)
    c = vector_of(example.costs)
    single = dot(p, (c[s - 1] for s in example.sigma))
    assert example.printed() == single == example.enumerated("rank->block")
    per_block = BlockOrder.from_sigma(example.sigma, "rank->block").per_block(example.p)
    assert dot(enumerated_marginals(NestedSampling(per_block)), c) == single


@given(ranked())
def test_the_library_reads_sigma_both_ways_as_the_definitions_do(example: Ranked) -> None:
    for reading in BOTH:
        assert example.library(reading) == example.enumerated(reading)
    order = BlockOrder.from_sigma(example.sigma, "rank->block")
    assert order.by_rank(example.costs).tolist() == [example.costs[s - 1] for s in example.sigma]


@given(problems(laws=either_laws))
def test_every_law_costs_the_sum_of_its_marginals(problem: Problem) -> None:
    c = vector_of(problem.costs)
    mean = sum(
        (
            q * sum((c[k] for k in range(len(c)) if active[k]), Fraction(0))
            for q, active in problem.law.outcomes
        ),
        Fraction(0),
    )
    assert (
        mean == dot(problem.law.p, c)
        and problem.law.sampling.expected_cost(problem.costs).exact == mean
    )
    claims = decisions("text:expectedCost", problem.instance("fast"))
    assert_proved(claims)
    assert [claim.left.exact for claim in claims] == [mean]
    if vector_of(problem.law.sampling.probabilities) == list(problem.law.p):
        assert expected_cost(problem.law.sampling.probabilities, problem.costs).exact == mean


def test_the_other_reading_of_sigma_gives_another_cost() -> None:
    def refutes(example: Ranked) -> bool:
        return example.printed() != example.enumerated("block->rank")

    example = counterexample(ranked(3), refutes)
    assert example.library("rank->block") == example.printed() != example.library("block->rank")


@pytest.mark.parametrize("sigma", list(permutations((1, 2, 3))))
def test_only_three_cycles_tell_the_readings_apart(sigma: tuple[int, ...]) -> None:
    example = Ranked(np.array([1.0, 0.5, 0.25]), np.array([1.0, 4.0, 16.0]), sigma)
    cycle = sigma in ((2, 3, 1), (3, 1, 2))
    assert (example.enumerated("rank->block") != example.enumerated("block->rank")) is cycle
    assert (example.library("rank->block") != example.library("block->rank")) is cycle


def test_by_hand_for_a_three_cycle() -> None:
    # sigma = (2, 3, 1): blocks 2, 3, 1 have p = 1, 1/2, 1/4 in one reading, blocks 3, 1, 2 in the
    # other.
    example = Ranked(np.array([1.0, 0.5, 0.25]), np.array([1.0, 4.0, 16.0]), (2, 3, 1))
    assert example.library("rank->block") == 4 + 8 + Fraction(1, 4)
    assert example.library("block->rank") == 16 + Fraction(1, 2) + 1
    assert example.without_sigma() == 1 + 2 + 4


@given(problems(laws=either_laws))
def test_the_mean_of_clc_is_a_hadamard_product(problem: Problem) -> None:
    p = problem.law.p
    label = problem.blocks.labels.tolist()
    outcomes = problem.law.outcomes
    ratio = [
        [pair_probability(outcomes, k, m) / (p[k] * p[m]) for m in range(len(p))]
        for k in range(len(p))
    ]
    hadamard = [
        [value * ratio[label[i]][label[j]] for j, value in enumerate(row)]
        for i, row in enumerate(problem.exact)
    ]
    assert problem.clc == hadamard
    computed = expected_clc(problem.L, problem.blocks, sampling=problem.law.sampling)
    assert np.array_equal(computed, computed.T)
    for found, wanted in zip(matrix_of(computed), hadamard, strict=True):
        assert all(abs(a - b) <= abs(b) * 6 / 2**53 for a, b in zip(found, wanted, strict=True))


@given(problems())
def test_the_sketch_is_unbiased_and_the_library_enumerates_the_same_law(problem: Problem) -> None:
    law = problem.law
    for k, marginal in enumerate(law.p):
        assert sum((q / marginal for q, active in law.outcomes if active[k]), Fraction(0)) == 1
        assert Fraction(float(law.sampling.probabilities[k])) == marginal
    mass: dict[tuple[bool, ...], Fraction] = {}
    for sign, outcomes in (
        (1, law.outcomes),
        (-1, [(o.probability, o.active.tolist()) for o in law.sampling.support()]),
    ):
        for probability, active in outcomes:
            mass[tuple(active)] = mass.get(tuple(active), Fraction(0)) + sign * probability
    assert not any(mass.values())
