"""Every statement on problems of every kind: it holds for each reader, no verdict contradicts the
exact one, and those listed in `SHARP` have no room.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from certificates.documents import accepted
from companions import BELOW, all_decisions, counterexample, decisions
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rpttheory import (
    Blocks,
    Bracket,
    IndependentSampling,
    InvalidInput,
    NestedSampling,
    SingleBlockSampling,
    Verdict,
    closed_form,
    verify,
)
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.problem import quantities
from rpttheory.problem.sampling import OneOfEachGroup, Sampling
from rpttheory.statements import AT_A_POINT, STATEMENTS, Decision
from rpttheory.statements.batch import Batch, ratios
from rpttheory.testing.strategies import (
    MATRICES,
    dyadic,
    partitions,
    psd_matrices,
    samplings,
    vectors,
)

from .problems import (
    Problem,
    RationalProblem,
    assert_encloses,
    assert_not_refuted,
    assert_proved,
    balanced,
    either_samplings,
    equal_products,
    problems,
    rational_problems,
    vector_of,
)

# 1 - 2^-k and 1 + 2^-k.
NUDGES = st.tuples(st.sampled_from([-1, 1]), st.integers(25, 60)).map(
    lambda pair: 1 + Fraction(pair[0], 2 ** pair[1])
)
ALWAYS_PROVED = {"lem:upperBound", "text:expectedCost"}


def truth(left: Bracket, right: Bracket) -> Verdict:
    """left <= right by the ends alone."""
    if left.exact_upper <= right.exact_lower:
        return Verdict.PROVED
    return Verdict.REFUTED if left.exact_lower > right.exact_upper else Verdict.UNDECIDED


def contradicts(verdict: Verdict, exact: Verdict) -> bool:
    return {verdict, exact} == {Verdict.PROVED, Verdict.REFUTED}


def assert_holds_exactly(claim: Decision) -> None:
    """A true statement is proved in exact arithmetic unless it is a tie of irrational numbers."""
    assert_not_refuted([claim])
    if claim.label in ALWAYS_PROVED:
        assert_proved([claim])
    elif claim.verdict is Verdict.UNDECIDED:
        # The corollary ties up to the rounding of the probabilities.
        bits = 45 if claim.label == "text:corollary" else 100
        assert claim.left.exact_upper <= claim.right.exact_lower * (1 + Fraction(1, 2**bits))


def close_to_ties(blocks: Blocks) -> st.SearchStrategy[FloatArray]:
    """Any matrix, often with eigenvalues that agree to many digits or with decoupled blocks."""
    return psd_matrices(blocks) | MATRICES["clustered"](blocks) | MATRICES["decoupled"](blocks)


@given(problems(matrices=close_to_ties), st.lists(NUDGES, min_size=8, max_size=8))
def test_every_statement_holds_and_moved_a_little_no_verdict_contradicts_the_exact_one(
    problem: Problem, nudges: list[Fraction]
) -> None:
    exact = all_decisions(problem.instance())
    assert {claim.label for claim in exact} >= ALWAYS_PROVED
    for claim in exact:
        assert_holds_exactly(claim)
    for effort in ("fast", "sharp"):
        for rough, sharp in zip(all_decisions(problem.instance(effort)), exact, strict=True):
            assert rough.statement == sharp.statement
            assert_not_refuted([rough])
            for factor in nudges:
                # In both directions: one of them is usually false.
                forth = rough.left <= factor * rough.right
                assert not contradicts(forth, truth(sharp.left, factor * sharp.right)), rough
                back = factor * rough.right <= rough.left
                assert not contradicts(back, truth(factor * sharp.right, sharp.left)), rough


@given(problems(samplings_of=lambda count: samplings(count, kind="nested")), st.data())
def test_every_statement_holds_in_a_batch(problem: Problem, data: st.DataObject) -> None:
    x = data.draw(vectors(problem.blocks.dimension))
    p = problem.sampling.probabilities
    batch = Batch(problem.blocks, problem.L[None], p[None], problem.costs[None], x[None])
    for statement in STATEMENTS:
        if statement.sampling:
            continue
        (ratio,) = ratios(statement.claim, batch)
        assert not ratio > 1 + 1e-6, statement


def is_close(decision: Decision) -> bool:
    """Return whether the sides agree to 160 bits without being equal; witnesses have 180."""
    ends = [
        Fraction(end)
        for side in (decision.left, decision.right)
        for end in (side.exact_lower, side.exact_upper)
    ]
    return 0 < max(ends) - min(ends) <= max(map(abs, ends)) / 2**160


@given(problems(largest=3))
def test_every_verdict_has_a_certificate(tmp_path_factory: Any, problem: Problem) -> None:
    result = verify(problem.instance("fast"))
    folder: Path = tmp_path_factory.getbasetemp()
    try:
        document = result.certificate()
    except InvalidInput:
        assert any(map(is_close, result.claims))
    else:
        assert accepted(folder, document)


@given(problems(samplings_of=either_samplings, matrices=close_to_ties))
def test_every_statement_holds_where_no_float_is_the_marginal(problem: Problem) -> None:
    assert_not_refuted(all_decisions(problem.instance()))
    assert_not_refuted(all_decisions(problem.instance("fast")))


@given(
    problems(
        samplings_of=either_samplings,
        matrices=lambda blocks: psd_matrices(blocks) | MATRICES["dominant"](blocks),
    )
)
def test_brackets_hold_the_eigenvalues_of_the_enumerated_matrices(problem: Problem) -> None:
    L = problem.L
    blocks = problem.blocks
    sampling = problem.sampling
    for effort in ("fast", "sharp", "exact"):
        instance = problem.instance(effort)
        # The functions themselves, too, without the short cuts that an instance takes.
        for bracket in (instance.lmax, quantities.lmax(L, effort=effort)):
            assert_encloses(bracket, problem.exact)
        assert_encloses(instance.L_P, problem.exact, problem.weights)
        if vector_of(sampling.probabilities) == problem.p:
            p = sampling.probabilities
            L_P = quantities.L_P(L, blocks, p, effort=effort)
            assert_encloses(L_P, problem.exact, problem.weights)
        L_M = quantities.L_M(L, blocks, sampling=sampling, effort=effort)
        for bracket in (instance.L_M, L_M):
            assert_encloses(bracket, problem.clc)
        for constants in (instance.block_L, quantities.block_L(L, blocks, effort=effort)):
            for rows, bracket in zip(blocks.slices, constants, strict=True):
                assert_encloses(bracket, [row[rows] for row in problem.exact[rows]])


# Where statements have no room.
SHARP: dict[str, st.SearchStrategy[Any]] = {
    "lem:key_quantity/left": problems(matrices=MATRICES["rank one"], least=2),
    "lem:key_quantity/right": problems(least=2),
    "lem:twoBounds/lower": problems(least=3),
    "lem:twoBounds/upper": problems(least=3),
    "text:productBound": problems(matrices=MATRICES["rank one"], least=2),
    "lem:upperBound": rational_problems(),
    "text:corollary": problems(matrices=MATRICES["scalar"]),
    "our:sandwich/lower": balanced(),
    "our:sandwich/factor": equal_products(least=3),
    "our:LPgeqL": problems(least=2),
    "our:anySampling/matrix": problems(least=2),
    "our:anySampling/blocks": problems(least=2),
    "our:anySampling/cost": problems(least=2),
    "our:anySampling/overhead": problems(least=2),
    "our:blockBudget/lower": problems(least=2),
    "our:blockBudget/groups": problems(least=2, samplings_of=partial(samplings, kind="groups")),
    "our:singleBlockOptimal": problems(least=2, samplings_of=partial(samplings, kind="single")),
    "our:independentFactor": problems(least=2, samplings_of=partial(samplings, kind="independent")),
    "text:expectedCost": problems(),
}


def test_no_statement_of_the_table_is_left_out() -> None:
    """Those about a point are in test_at_point.py."""
    listed = {
        statement.name
        for statement in STATEMENTS
        if statement.in_verify and not statement.claim.names() & AT_A_POINT
    }
    assert set(SHARP) == listed and set(ATTAINED) <= listed


@pytest.mark.parametrize("name", SHARP)
def test_no_statement_has_room(name: str) -> None:
    def refutes(problem: Problem) -> bool:
        (claim,) = decisions(name, problem.instance())
        return (claim.left <= BELOW * claim.right) is Verdict.REFUTED

    counterexample(SHARP[name], refutes)


@st.composite
def tied_on_the_right(draw: DrawFn) -> Problem:
    """L = w w' with w in a block of least probability: L_P = lambda_max / p_min."""
    blocks = draw(partitions(least=2))
    rows = blocks.slices[draw(st.integers(0, blocks.count - 1))]
    w = np.zeros(blocks.dimension)
    w[rows] = draw(vectors(rows.stop - rows.start))
    p = np.array(draw(st.lists(dyadic(-20), min_size=blocks.count, max_size=blocks.count)))
    p[blocks.labels[rows.start]] = p.min() / 2
    return Problem(np.outer(w, w), blocks, NestedSampling(p), np.ones(blocks.count))


@st.composite
def equal_probabilities(draw: DrawFn) -> Problem:
    """Any L, where the eigenvalues are irrational and the ties are of algebraic numbers."""
    blocks = draw(partitions())
    sampling = NestedSampling(np.full(blocks.count, draw(dyadic())))
    return Problem(draw(psd_matrices(blocks)), blocks, sampling, np.ones(blocks.count))


def every_block(count: int) -> st.SearchStrategy[Sampling]:
    """Gradient descent."""
    return st.just(NestedSampling(np.ones(count)))


@st.composite
def equal_blocks(draw: DrawFn, sampling_of: Callable[[Any], Sampling]) -> Problem:
    """Multiples of the identity with equal probabilities that add up to 1."""
    count = draw(st.sampled_from([1, 2, 4]))
    blocks = Blocks(draw(st.lists(st.integers(1, 2), min_size=count, max_size=count)))
    p = np.full(count, 1 / count)
    L = draw(st.integers(1, 9)) * np.eye(blocks.dimension)
    return Problem(L, blocks, sampling_of(p), np.ones(count))


# Where statements are equalities that exact arithmetic knows.
ATTAINED: dict[str, st.SearchStrategy[Any]] = {
    "lem:key_quantity/left": problems(matrices=MATRICES["block-diagonal"]) | equal_probabilities(),
    "lem:key_quantity/right": tied_on_the_right() | equal_probabilities(),
    "lem:twoBounds/lower": problems(matrices=MATRICES["block-diagonal"]),
    "lem:twoBounds/upper": problems(matrices=MATRICES["tight"]),
    "our:sandwich/lower": balanced(),
    "our:sandwich/factor": equal_products(),
    "lem:upperBound": rational_problems(),
    "text:productBound": rational_problems(coupled=True),
    "our:anySampling/matrix": problems(samplings_of=every_block),
    "our:anySampling/blocks": (
        problems(matrices=MATRICES["block-diagonal"])
        | problems(samplings_of=partial(samplings, kind="single"))
    ),
    "our:anySampling/cost": balanced(),
    "our:anySampling/overhead": problems(matrices=MATRICES["scalar"], samplings_of=every_block),
    "our:blockBudget/lower": equal_blocks(SingleBlockSampling),
    "our:blockBudget/groups": equal_blocks(lambda p: OneOfEachGroup([range(len(p))], p)),
    "our:singleBlockOptimal": problems(samplings_of=partial(samplings, kind="single")),
    "our:independentFactor": equal_blocks(IndependentSampling),
}


@pytest.mark.parametrize("name", ATTAINED)
@given(data=st.data())
def test_equalities_are_proved(name: str, data: st.DataObject) -> None:
    (claim,) = decisions(name, data.draw(ATTAINED[name]).instance())
    assert_proved([claim])
    assert (claim.left >= claim.right) is Verdict.PROVED


@given(rational_problems())
def test_the_bounds_of_the_optimum_in_fractions(problem: RationalProblem) -> None:
    instance = problem.instance()
    assert (instance.one_block_cost.exact, instance.closed.exact) == (problem.lower, problem.bound)
    bound = closed_form(problem.L, problem.blocks, problem.costs).bound
    assert bound.exact_lower <= problem.bound <= bound.exact_upper
    # The optimum is the bound where blocks are coupled, and sum c_k L_k where they are not.
    (claim,) = decisions("text:corollary", instance)
    optimum = problem.bound if problem.coupled else problem.lower
    assert problem.lower <= claim.left.exact_lower <= optimum <= claim.left.exact_upper
    if problem.coupled:
        assert instance.c_P.exact == problem.bound
