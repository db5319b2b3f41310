"""Each claim's two sides against an independent computation, and false statements that are
refuted.
"""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from companions import all_decisions, decisions, second_moment
from scipy.sparse.linalg import aslinearoperator

from rpttheory.numbers import Bracket, Rigour, Verdict
from rpttheory.problem.blocks import Blocks
from rpttheory.problem.problem import Problem
from rpttheory.problem.sampling import (
    ExplicitSampling,
    IndependentSampling,
    NestedSampling,
    Sampling,
    SingleBlockSampling,
)
from rpttheory.problem.smoothness import gram
from rpttheory.statements import Decision
from rpttheory.statements.at_point import trial_point

BLOCKS = Blocks((2, 1, 3))
COSTS = (0.5, 0.125, 0.375)
HALF = np.random.default_rng(7).standard_normal((6, 6))
L = (HALF.T @ HALF + (HALF.T @ HALF).T) / 2
X = trial_point(6)

SAMPLINGS: dict[str, Sampling] = {
    "nested": NestedSampling([0.2, 1.0, 0.5]),
    "nested-idle": NestedSampling([0.3, 0.1, 0.6]),
    "independent": IndependentSampling([0.2, 0.9, 0.5]),
    "single": SingleBlockSampling([0.25, 0.125, 0.625]),
    "explicit": ExplicitSampling([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1.0, 2.0, 4.0]),
}
every_sampling = pytest.mark.parametrize("sampling", SAMPLINGS.values(), ids=SAMPLINGS.keys())


def top(matrix: np.ndarray) -> float:
    return float(np.linalg.eigvalsh(matrix)[-1])


def by_numpy(sampling: Sampling) -> dict[tuple[str, str], tuple[float, float]]:
    """Every claim's sides in floats, with the sketch enumerated outcome by outcome."""
    p = sampling.probabilities
    c = np.array(COSTS)
    moment = np.zeros((6, 6))
    second = 0.0
    paid = 0.0
    g = L @ X
    for outcome in sampling.support():
        sketch = BLOCKS.expand(outcome.active / p)
        moment += float(outcome.probability) * sketch[:, None] * L * sketch[None, :]
        second += float(outcome.probability) * float(((sketch * g) ** 2).sum())
        paid += float(outcome.probability) * float(c[outcome.active].sum())
    root = BLOCKS.expand(p) ** -0.5
    l_p = top(L * np.outer(root, root))
    l_max = top(L)
    constants = np.array([top(L[rows, rows]) for rows in BLOCKS.slices])
    norm = float((g * g / BLOCKS.expand(p)).sum())
    cost = float(p @ c)
    closed = float(np.sqrt(constants * c).sum()) ** 2
    product = float((constants / p).sum()) * cost
    q = np.sqrt(constants / c)
    q_root = BLOCKS.expand(q) ** -0.5
    best = min(top(L * np.outer(q_root, q_root)) * float(q @ c), l_max)
    return {
        ("lem:key_quantity", "left"): (top(moment), l_p),
        ("lem:key_quantity", "right"): (l_p, l_max / p.min()),
        ("lem:generalizedSmoothness", ""): (norm, l_p * float(X @ g)),
        ("lem:secondMoment", "equality"): (second, norm),
        ("lem:secondMoment", "upper"): (second, l_p * float(X @ g)),
        ("text:expectedCost", ""): (paid, cost),
        ("lem:twoBounds", "lower"): (constants.max(), l_max),
        ("lem:twoBounds", "upper"): (l_max, constants.sum()),
        ("text:productBound", ""): (l_p * cost, product),
        ("lem:upperBound", ""): (closed, product),
        ("text:corollary", ""): (best, min(l_max, closed)),
        ("our:sandwich", "lower"): (float(constants @ c), l_p * cost),
        ("our:sandwich", "factor"): (closed, 3 * float(constants @ c)),
        ("our:LPgeqL", ""): (l_max, l_p),
    }


# -- both sides -----------------------------------------------------------------------------------


@every_sampling
@pytest.mark.parametrize("form", [L, sp.csr_array(L), gram(HALF)], ids=["dense", "sparse", "gram"])
def test_both_sides_of_every_claim_which_is_proved_away_from_ties(
    form: Any, sampling: Sampling
) -> None:
    expected = by_numpy(sampling)
    claims = all_decisions(Problem(form, BLOCKS, costs=COSTS, sampling=sampling))
    assert [(claim.label, claim.part) for claim in claims] == list(expected)
    for claim in claims:
        left, right = expected[claim.label, claim.part]
        assert claim.right.midpoint == pytest.approx(right, rel=1e-11), (claim.label, claim.part)
        if claim.label == "text:corollary":
            assert claim.left.upper == pytest.approx(left, rel=1e-11)
            assert claim.left.lower == pytest.approx(
                expected["our:sandwich", "lower"][0], rel=1e-11
            )
        else:
            assert claim.left.midpoint == pytest.approx(left, rel=1e-11), (claim.label, claim.part)
        assert claim.statement and claim.rigour >= Rigour.ROUNDED
        assert claim.verdict is Verdict.PROVED, claim


def test_a_black_box_decides_nothing_but_the_cost() -> None:
    for claim in all_decisions(Problem(aslinearoperator(L), BLOCKS, costs=COSTS)):
        exact = claim.label == "text:expectedCost"
        # The coefficients of the two sums are equal, whatever g is.
        proved = exact or claim.part == "equality"
        assert claim.verdict is (Verdict.PROVED if proved else Verdict.UNDECIDED), (
            claim.label,
            claim.part,
        )
        assert claim.rigour is (Rigour.EXACT if exact else Rigour.NUMERICAL)


def test_the_weaker_rigour_counts() -> None:
    sure = Bracket.point(1.0)
    vague = Bracket(0.0, 2.0, Rigour.NUMERICAL)
    assert Decision("a", "", "", sure, vague, Verdict.UNDECIDED).rigour is Rigour.NUMERICAL
    assert Decision("a", "", "", vague, sure, Verdict.UNDECIDED).rigour is Rigour.NUMERICAL
    assert Decision("a", "", "", sure, sure, Verdict.PROVED).rigour is Rigour.EXACT


# -- the expected cost ----------------------------------------------------------------------------


def test_supports_too_large_to_enumerate_are_left_out() -> None:
    many = Blocks.singletons(30)
    independent = Problem(np.eye(30), many, sampling=IndependentSampling([0.5] * 30))
    assert decisions("text:expectedCost", independent) == ()
    assert [claim.label for claim in second_moment(independent)] == ["lem:generalizedSmoothness"]
    nested = Problem(np.eye(30), many, probabilities=np.linspace(0.1, 1, 30))
    assert (
        decisions("text:expectedCost", nested)[0].verdict is Verdict.PROVED
        and len(second_moment(nested)) == 3
    )
    most = Problem(np.eye(12), "each", sampling=IndependentSampling([0.5] * 12))
    assert len(second_moment(most)) == 3, "4096 outcomes are enumerated"


# -- the upper bound and its minimum --------------------------------------------------------------


@pytest.mark.parametrize("form", [L, sp.csr_array(L), gram(HALF)], ids=["dense", "sparse", "gram"])
def test_the_minimum_is_proved_where_the_brackets_overlap(form: Any) -> None:
    """At the closed form the two sides differ by less than their brackets are wide, also where all
    is small.
    """
    for instance in (
        Problem(form, BLOCKS, costs=COSTS),
        Problem(L * 2.0**-20, BLOCKS, costs=COSTS),
    ):
        minimum = decisions("lem:upperBound", instance)[0]
        assert (
            minimum.left <= minimum.right
        ) is Verdict.UNDECIDED and minimum.verdict is Verdict.PROVED


def test_the_minimum_stays_undecided_where_a_constant_may_be_negative() -> None:
    """Then there is no root of it, and no variance that would decide."""
    tiny = Problem(np.diag([1.0, -1e-11]), Blocks((1, 1)), costs=[0.5, 0.5])
    (minimum,) = decisions("lem:upperBound", tiny)
    assert minimum.verdict is Verdict.UNDECIDED
    products = Problem(aslinearoperator(L), BLOCKS, costs=COSTS)
    assert decisions("lem:upperBound", products)[0].verdict is Verdict.UNDECIDED, (
        "nor where products alone are known"
    )


# -- the corollary and the sandwich ---------------------------------------------------------------


def test_the_corollary_takes_the_better_of_both() -> None:
    """Weak coupling: the closed form wins; one strong direction across all blocks: gradient descent
    wins.
    """
    apart = Problem(np.diag([9.0, 1.0, 1.0]), Blocks((1, 1, 1)), costs=[0.2, 0.4, 0.4])
    claim = decisions("text:corollary", apart)[0]
    assert claim.right is apart.closed
    assert (claim.left.low, claim.left.high) == (apart.one_block_cost.low, apart.c_rounded.high)
    assert claim.verdict is Verdict.PROVED
    together = Problem(
        np.ones((3, 3)) + np.diag([1.0, 2.0, 3.0]), Blocks((1, 1, 1)), costs=[0.25, 0.25, 0.5]
    )
    claim = decisions("text:corollary", together)[0]
    assert claim.right is together.gradient_descent
    assert (
        claim.left.high == together.gradient_descent.high
        or claim.left.high == together.c_rounded.high
    )
    assert claim.verdict is Verdict.PROVED
