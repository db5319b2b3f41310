"""L_P, the expected cost and c(P) depend on the marginals alone; L_M and c_M depend on the joint
law.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from companions import ABOVE, counterexample
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from soundness.reals import Top

from rpttheory import (
    Blocks,
    Bracket,
    SingleBlockSampling,
    Verdict,
    second_moment_complexity,
    weighted_smoothness,
)
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.testing.strategies import dyadic, partitions, psd_matrices, rank_one, shares

from .exact import assert_encloses, dot, expand, vector_of
from .laws import Law, explicit_law, independent_law, nested_law
from .problems import Problem, costs


def coupled_law(p: FloatArray, mirrored: list[bool]) -> Law:
    """One uniform U for all blocks: block k is updated if U < p_k, or if U >= 1 - p_k where
    `mirrored`.

    The marginals are p, and the pairs are anywhere between as much and as little overlap as
    possible.
    """
    exact = vector_of(p)
    inside = [
        (1 - q, Fraction(1)) if other else (Fraction(0), q)
        for q, other in zip(exact, mirrored, strict=True)
    ]
    ends = sorted({Fraction(0), Fraction(1), *(end for pair in inside for end in pair)})
    pieces = list(pairwise(ends))
    sets = [tuple(low <= a and b <= high for low, high in inside) for a, b in pieces]
    return explicit_law(sets, [b - a for a, b in pieces])


@dataclass(frozen=True)
class Family:
    """One L, one set of costs, and several laws with the same marginals."""

    L: FloatArray
    blocks: Blocks
    costs: FloatArray
    laws: tuple[Law, ...]

    def problems(self) -> list[Problem]:
        return [Problem(self.L, self.blocks, law, self.costs) for law in self.laws]


def single_law(p: FloatArray) -> Law:
    """One block per step, for marginals that add up to exactly 1."""
    exact = tuple(vector_of(p))
    return Law(
        SingleBlockSampling(p),
        exact,
        [(q, tuple(m == k for m in range(p.size))) for k, q in enumerate(exact)],
    )


@st.composite
def families(
    draw: DrawFn,
    kind: Callable[[Blocks], st.SearchStrategy[FloatArray]] = psd_matrices,
    least: int = 1,
) -> Family:
    """Nested, independent, coupled in two ways; and single-block where the marginals add up to
    1.
    """
    blocks = draw(partitions(least=least, largest=5))
    count = blocks.count
    mirrored = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    laws = []
    if draw(st.booleans()):
        p = np.array(
            draw(st.lists(dyadic(), min_size=count, max_size=count))
        )  # so that 1 - p is a float too
    else:
        p = np.array([float(q) for q in draw(shares(count))])
        laws.append(single_law(p))
    laws += [
        nested_law(p),
        independent_law(p),
        coupled_law(p, mirrored),
        coupled_law(p, [not m for m in mirrored]),
    ]
    return Family(draw(kind(blocks)), blocks, draw(costs(count)), tuple(laws))


@given(families())
def test_all_laws_have_the_same_marginals_constant_and_cost(family: Family) -> None:
    marginals = set()
    constants = set()
    prices = set()
    complexities = set()
    for problem in family.problems():
        instance = problem.instance()
        marginals.add(problem.law.p)
        constants.add((instance.L_P.low, instance.L_P.high))
        prices.add(instance.cost.exact)
        complexities.add((instance.c_P.low, instance.c_P.high))
        assert tuple(vector_of(problem.law.sampling.probabilities)) == problem.law.p
    assert len(marginals) == len(constants) == len(prices) == len(complexities) == 1
    assert prices == {dot(family.laws[0].p, vector_of(family.costs))}


@given(families())
def test_the_constant_bounds_the_second_moment_of_every_law(family: Family) -> None:
    # L_P is one number, and every E[CLC] with these marginals lies below L_P I.
    p = family.laws[0].sampling.probabilities
    L_P = weighted_smoothness(family.L, family.blocks, probabilities=p, effort="exact")
    for problem in family.problems():
        assert_encloses(L_P, problem.exact, expand(problem.law.p, family.blocks))
        assert Top(problem.clc).sign(L_P.high) <= 0
        assert_encloses(problem.instance().L_M, problem.clc)


def second_moments(family: Family) -> list[Bracket]:
    return [problem.instance().L_M for problem in family.problems()]


def test_the_second_moment_depends_on_the_joint_law() -> None:
    def refutes(family: Family) -> bool:
        values = second_moments(family)
        return any((a <= ABOVE * b) is Verdict.REFUTED for a in values for b in values)

    family = counterexample(families(rank_one, 2), refutes)
    complexities = [
        second_moment_complexity(
            family.L, family.blocks, family.costs, sampling=law.sampling, effort="exact"
        )
        for law in family.laws
    ]
    assert any((a <= ABOVE * b) is Verdict.REFUTED for a in complexities for b in complexities)


def test_by_hand() -> None:
    # L = J, p = (1/2, 1/2): E[CLC] is 2 J, J + I, 2 I for the nested, the independent and the
    # single-block sampling.
    p = np.array([0.5, 0.5])
    values = []
    for law in (nested_law(p), independent_law(p), single_law(p), coupled_law(p, [False, True])):
        instance = Problem(np.ones((2, 2)), Blocks((1, 1)), law, np.ones(2)).instance()
        assert (instance.L_P.exact, instance.cost.exact) == (4, 1)
        values.append(instance.L_M.exact)
    assert values == [4, 3, 2, 2]
