"""Each claim's two sides against an independent computation, and false statements that are
refuted.
"""

import json
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from companions import all_decisions, decisions, second_moment
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import aslinearoperator
from soundness.reals import Rows, gram_of, rows_of

from rpttheory.eigen import EntrywiseMatrix
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
from rpttheory.problem.sampling.protocol import Outcome
from rpttheory.problem.smoothness import DenseSmoothness, OperatorSmoothness, diagonal, gram
from rpttheory.statements import Decision
from rpttheory.statements.at_point import gradient_and_value, trial_point

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


def test_claims_as_dictionaries() -> None:
    claim = decisions(
        "lem:key_quantity", Problem(L, BLOCKS, costs=COSTS, sampling=SAMPLINGS["nested"])
    )[0]
    found = claim.to_dict()
    assert found["left"] == {"lower": claim.left.lower, "upper": claim.left.upper}
    assert found["right"] == {"lower": claim.right.lower, "upper": claim.right.upper}
    assert (found["label"], found["part"]) == ("lem:key_quantity", "left")
    assert (found["verdict"], found["rigour"]) == ("PROVED", "ROUNDED")
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert (
        repr(claim)
        == f"<Decision lem:key_quantity: L_M <= L_P: PROVED, {claim.left} and {claim.right}>"
    )


def test_the_weaker_rigour_counts() -> None:
    sure = Bracket.point(1.0)
    vague = Bracket(0.0, 2.0, Rigour.NUMERICAL)
    assert Decision("a", "", "", sure, vague, Verdict.UNDECIDED).rigour is Rigour.NUMERICAL
    assert Decision("a", "", "", vague, sure, Verdict.UNDECIDED).rigour is Rigour.NUMERICAL
    assert Decision("a", "", "", sure, sure, Verdict.PROVED).rigour is Rigour.EXACT


# -- false statements -----------------------------------------------------------------------------


def test_other_claims_are_refuted_on_indefinite_matrices() -> None:
    flip = np.array([[1.0, 4.0], [4.0, 1.0]])
    instance = Problem(flip, Blocks((1, 1)), costs=[0.5, 0.5], probabilities=[1.0, 0.5])
    (product,) = decisions("text:productBound", instance)
    assert product.verdict is Verdict.REFUTED
    point = np.array([1.0, -1.0])
    assert second_moment(instance, point)[0].verdict is Verdict.REFUTED
    assert second_moment(instance, point)[2].verdict is Verdict.REFUTED


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


def test_a_sampling_whose_outcomes_are_not_its_law_is_refuted() -> None:
    """Every block at every step, where the probabilities say half of the time: E[C^2] is 4, not
    2.
    """

    class Wrong(IndependentSampling):
        def support(self) -> Any:
            return [Outcome(Fraction(1), np.array([True, True]))]

    claims = second_moment(
        Problem(np.eye(2), "each", sampling=Wrong([0.5, 0.5])), np.array([1.0, 2.0])
    )
    assert claims[1].verdict is Verdict.REFUTED
    assert (
        claims[1].left.low <= 20 <= claims[1].left.high
        and claims[1].right.low <= 10 <= claims[1].right.high
    )


# -- the second moment ----------------------------------------------------------------------------


def exact_sides(
    matrix: Rows, x: np.ndarray, blocks: Blocks, p: Sequence[float]
) -> tuple[Fraction, Fraction]:
    """||Lx||^2 in the norm of P^-1, and x'Lx, in fractions."""
    point = [Fraction(v) for v in x.tolist()]
    gradient = [
        sum((a * b for a, b in zip(row, point, strict=True)), Fraction(0)) for row in matrix
    ]
    weights = [Fraction(w) for w in blocks.expand(p).tolist()]
    norm = sum((g * g / w for g, w in zip(gradient, weights, strict=True)), Fraction(0))
    return norm, sum((a * b for a, b in zip(gradient, point, strict=True)), Fraction(0))


@pytest.mark.parametrize("size", [1.0, 1e100, 1e-100, 1e-160, 1e-200, 1e-300, 1e160, 1e300])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_gradient_norms_are_enclosed_at_every_size(form: Any, size: float) -> None:
    p = (0.2, 1.0, 0.5)
    instance = Problem(form(L * size), BLOCKS, costs=COSTS, probabilities=p)
    norm, value = exact_sides(rows_of(L * size), X, BLOCKS, p)
    general, equality, upper = second_moment(instance, X)
    for bracket in (general.left, equality.left, equality.right, upper.left):
        assert bracket.low <= norm <= bracket.high and bracket.high - bracket.low <= norm / 10**12
    for bracket in (general.right, upper.right):
        assert bracket.low <= instance.L_P.high * value and instance.L_P.low * value <= bracket.high
        assert bracket.high - bracket.low <= bracket.high / 10**11
    assert {general.verdict, equality.verdict, upper.verdict} == {Verdict.PROVED}


@given(
    data=st.lists(st.lists(st.floats(-4, 4), min_size=3, max_size=3), min_size=1, max_size=3),
    x=st.lists(st.integers(-8, 8), min_size=3, max_size=3),
    p=st.lists(st.sampled_from([1.0, 0.3, 1e-3, 1e-12]), min_size=2, max_size=2),
    powers=st.lists(st.integers(-20, 20), min_size=3, max_size=3),
)
def test_gradient_norms_of_data_are_enclosed(
    data: list[list[float]], x: list[int], p: list[float], powers: list[int]
) -> None:
    """A Gram matrix is known only up to its slack, and columns of very different size share it."""
    blocks = Blocks((1, 2))
    rows = np.array(data) * 2.0 ** np.array(powers)
    instance = Problem(gram(rows, 0.3, 0.1), blocks, probabilities=p)
    exact = gram_of(rows, 0.3, 0.1)
    point = np.array(x, dtype=np.float64)
    norm, value = exact_sides(exact, point, blocks, p)
    claim = second_moment(instance, point)[0]
    assert (
        claim.left.low <= norm <= claim.left.high and claim.right.low <= instance.L_P.high * value
    )
    assert instance.L_P.low * value <= claim.right.high and claim.verdict is not Verdict.REFUTED


def nearly_null(matrix: np.ndarray) -> np.ndarray:
    """Whole numbers close to the direction of the smallest eigenvalue, where Lx is all
    cancellation.
    """
    return np.rint(2.0**25 * np.linalg.eigh(matrix)[1][:, 0])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("form", ["dense", "sparse", "gram"])
def test_gradient_norms_are_enclosed_under_cancellation(form: str, seed: int) -> None:
    data = np.random.default_rng(seed).standard_normal((5, 6))
    p = (0.2, 1.0, 0.5)
    product = data.T @ data
    matrix = (product + product.T) / 2
    exact = gram_of(data) if form == "gram" else rows_of(matrix)
    given_form = {"dense": matrix, "sparse": sp.csr_array(matrix), "gram": gram(data)}[form]
    x = nearly_null(matrix)
    instance = Problem(given_form, BLOCKS, costs=COSTS, probabilities=p)
    norm, value = exact_sides(exact, x, BLOCKS, p)
    for claim in second_moment(instance, x):
        assert claim.left.low <= norm <= claim.left.high
        if claim.part != "equality":
            assert (
                claim.right.low <= instance.L_P.high * value
                and instance.L_P.low * value <= claim.right.high
            )


def test_a_gradient_that_vanishes_is_enclosed() -> None:
    """Its computed size is less than its error, and no lower end may be above 0."""
    instance = Problem(
        np.array([[0.1, -0.1], [-0.1, 0.1]]), Blocks((1, 1)), probabilities=[1.0, 0.5]
    )
    for claim in second_moment(instance, np.ones(2)):
        assert claim.left.low <= 0 <= claim.left.high <= 1e-20


class Blurred(DenseSmoothness):
    """A matrix known only up to Diag(slack)."""

    def explicit(self) -> EntrywiseMatrix:
        return EntrywiseMatrix(self.matrix, np.full(self.dimension, 0.25))


@pytest.mark.parametrize("kind", ["plus", "minus", "reflection"])
def test_gradient_norms_allow_for_what_is_unknown_of_l(kind: str) -> None:
    """Three matrices within the slack: shifted either way, and one that turns x wholly into the
    first coordinate.
    """
    p = (0.2, 1.0, 0.5)
    size = float(np.linalg.norm(X))
    normal = X / size - np.eye(6)[0]
    reflection = np.eye(6) - 2 * np.outer(normal, normal) / (normal @ normal)
    unknown = {
        "plus": np.eye(6),
        "minus": -np.eye(6),
        "reflection": (reflection + reflection.T) / 2,
    }[kind] * 0.249
    for x in (X, nearly_null(L)):
        instance = Problem(Blurred(L), BLOCKS, costs=COSTS, probabilities=p)
        matrix = [
            [a + b for a, b in zip(*rows, strict=True)]
            for rows in zip(rows_of(L), rows_of(unknown), strict=True)
        ]
        norm, value = exact_sides(matrix, x, BLOCKS, p)
        claim = second_moment(instance, x)[0]
        assert claim.left.low <= norm <= claim.left.high
        assert (
            claim.right.low <= instance.L_P.high * value
            and instance.L_P.low * value <= claim.right.high
        )


@pytest.mark.parametrize("dimension", [1, 2, 3, 6])
def test_the_default_point_sees_every_coordinate(dimension: int) -> None:
    """At x = 0 the lemmas would say 0 <= 0, and where a coordinate of x is 0 they would not see its
    row.
    """
    for k in range(dimension):
        instance = Problem(diagonal(np.eye(dimension)[k]), Blocks.singletons(dimension))
        for claim in second_moment(instance):
            assert claim.left.low > 0 and claim.right.low > 0


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


# -- the gradient and the value, against every matrix that the entries allow


def encloses(bracket: Bracket, value: Fraction, width: float) -> bool:
    return bool(
        bracket.low
        <= value
        <= bracket.high
        <= bracket.low + abs(value) * Fraction(width) + Fraction(width)
    )


@pytest.mark.parametrize("unit", [1.0, 2.0**-700, 2.0**600])
def testgradient_and_value_pay_for_every_rounding(unit: float, staircase: Any) -> None:
    d = 200
    matrix, x = staircase(d)
    instance: Any = SimpleNamespace(
        smoothness=DenseSmoothness(matrix * unit), effort="fast", blocks=Blocks((1, d - 1))
    )
    v = [Fraction(a) for a in x.tolist()]
    row = [Fraction(a) * Fraction(unit) for a in matrix[0].tolist()]
    first = sum(a * b for a, b in zip(row, v, strict=True))
    size = Fraction(unit)
    (top, rest), value = gradient_and_value(instance, x)
    assert encloses(top * (1 / size**2), (first / size) ** 2, 1e-12)
    assert encloses(rest * (1 / size**2), sum((a / size) ** 2 for a in row[1:]), 1e-12)
    assert encloses(value * (1 / size), 2 * first / size - 1, 1e-12)


@pytest.mark.parametrize("unit", [1.0, 2.0**-700, 2.0**600])
def testgradient_and_value_of_a_black_box_are_numerical_and_close(unit: float) -> None:
    matrix = np.diag([1.0, 2.0, 4.0]) + 1
    x = np.array([2.0, -3.0, 6.0])
    form = OperatorSmoothness(3, lambda y: unit * (matrix @ y))
    instance: Any = SimpleNamespace(smoothness=form, effort="fast", blocks=Blocks((1, 2)))
    (first, rest), value = gradient_and_value(instance, x)
    assert {first.rigour, rest.rigour, value.rigour} == {Rigour.NUMERICAL}
    gradient = matrix @ x
    size = Fraction(unit)
    assert float(first.low / size**2) == pytest.approx(gradient[0] ** 2, rel=1e-12)
    assert float(rest.high / size**2) == pytest.approx(gradient[1:] @ gradient[1:], rel=1e-12)
    assert float(value.low / size) == pytest.approx(x @ gradient, rel=1e-12)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("unit", [1.0, 2.0**500])
def testgradient_and_value_pay_for_the_slack(sign: int, unit: float) -> None:
    """Within the slack L may turn x into a multiple of the first unit vector: E = s H, H x = |x|
    e_1.
    """
    # of length 7
    x = np.array([2.0, 3.0, 6.0])
    slack = 2.0**-8 * unit
    matrix = np.diag([1.0, 2.0, 4.0]) * unit
    instance: Any = SimpleNamespace(
        smoothness=DenseSmoothness(matrix, np.full(3, slack)), effort="fast", blocks=Blocks((1, 2))
    )
    (first, _), value = gradient_and_value(instance, x)
    size = Fraction(unit)
    for least in (0, 1, 49 * 16):
        reached = 2 + sign * Fraction(7 * least, 49 * 16 * 256)
        assert first.low <= (reached * size) ** 2 <= first.high
    assert value.low <= (4 + 18 + 144 + sign * Fraction(49, 256)) * size <= value.high
    assert value.high - value.low <= size * Fraction(2 * 50, 256)
    assert (first.high - first.low) / size**2 <= Fraction(4 * 2 * 8, 256)
