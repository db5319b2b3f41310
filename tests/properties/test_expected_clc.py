"""E[CLC] is L o (p_kl / (p_k p_l)) blockwise, for every sampling: the matrix of which L_M is the largest eigenvalue."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rpttheory import expected_clc

from .exact import matrix_of, pair_probability
from .laws import any_explicit_laws, laws
from .problems import Problem, problems


@given(problems(laws=lambda count: st.one_of(laws(count), any_explicit_laws(count))))
def test_the_mean_of_clc_is_a_hadamard_product(problem: Problem) -> None:
    p, label, outcomes = problem.law.p, problem.blocks.labels.tolist(), problem.law.outcomes
    ratio = [[pair_probability(outcomes, k, m) / (p[k] * p[m]) for m in range(len(p))] for k in range(len(p))]
    hadamard = [
        [value * ratio[label[i]][label[j]] for j, value in enumerate(row)] for i, row in enumerate(problem.exact)
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
