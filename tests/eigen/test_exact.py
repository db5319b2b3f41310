"""T3: rational arithmetic, including the ties that no bracket of floats can decide."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import fmpq, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st
from soundness.reals import gram_of
from soundness.tops import ExactTop, symmetric

from rpttheory.eigen.exact import (
    EXACT_DIMENSION,
    RootOf,
    bracket_exactly,
    definiteness,
    rational,
    rational_gram,
    simplest_between,
)
from rpttheory.numbers import Bracket, Verdict
from rpttheory.numbers.exact_array import ExactArray
from rpttheory.problem import quantities
from rpttheory.problem.blocks import Blocks
from rpttheory.problem.sampling import NestedSampling

Array = np.ndarray[Any, np.dtype[np.float64]]


def test_definiteness_against_the_judge() -> None:
    rng = np.random.default_rng(1)
    signs = []
    for index in range(300):
        d = int(rng.integers(1, 8))
        a = rng.integers(-3, 4, (d, max(1, d - index % 3))) / rng.choice([1, 2, 1024])
        entries = rational(ExactArray(symmetric(a @ a.T - (index % 4 == 3) * 0.25 * np.eye(d))))
        answer = definiteness(entries)
        assert answer == ExactTop([[-v for v in row] for row in entries]).sign(0)
        signs.append(answer)
    assert {signs.count(sign) > 20 for sign in (-1, 0, 1)} == {True}


@pytest.mark.parametrize("n", [1, 2, 3, 7, 30, 60])
def test_definiteness_at_a_tie(n: int) -> None:
    """n I - J is singular, one unit in the last place decides."""
    for level, sign in ((float(n), 0), (math.nextafter(n, 0), -1), (math.nextafter(n, n + 1), 1)):
        entries = rational(ExactArray(-np.ones((n, n))))
        for i in range(n):
            entries[i][i] += Fraction(level)
        assert definiteness(entries) == sign


def test_what_would_take_too_long_is_left_alone() -> None:
    """Long denominators of entries or of weights, and large matrices."""
    long = Fraction(1, 3**5000)
    unit = Fraction(1)
    assert definiteness([[long]]) is None
    guess = Bracket(0.0, 1.0)
    d = EXACT_DIMENSION + 1
    for entries, weights in (
        ([[long]], [unit]),
        ([[unit]], [1 / long]),
        (rational(ExactArray(np.eye(d))), [unit] * d),
    ):
        assert bracket_exactly(entries, weights, guess) is guess


@pytest.mark.parametrize("ends", [(3, 4), (2, 3), (3, 3), (-50, 1e6), (0, 3.5)])
def test_guesses_that_touch_the_truth(ends: tuple[float, float]) -> None:
    """The truth at either end of the guess, or the guess a single point."""
    entries = rational(ExactArray(np.ones((3, 3))))
    assert bracket_exactly(entries, [Fraction(1)] * 3, Bracket(*ends)).exact == 3


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1.0, 1e150])
def test_gram_entries_are_exact(size: float) -> None:
    rng = np.random.default_rng(3)
    for n, d in ((1, 1), (4, 3), (2, 5)):
        data = np.rint(rng.standard_normal((n, d)) * 8) * size
        data[0, 0] = 0.0
        assert rational_gram(ExactArray(data), Fraction(1 / 3), Fraction(0.1)) == gram_of(
            data, 1 / 3, 0.1
        )


def test_brackets_hold_the_truth_in_exact_arithmetic() -> None:
    rng = np.random.default_rng(4)
    for index in range(60):
        d = int(rng.integers(1, 8))
        a = symmetric(rng.standard_normal((d, d)))
        matrix = (a, np.round(a), a * 1e-300, a * 10.0 ** symmetric(rng.uniform(-30, 30, (d, d))))[
            index % 4
        ]
        p = rng.uniform(0.01, 1, d)
        bracket = quantities.L_P(matrix, Blocks.singletons(d), p, effort="exact")
        judge = ExactTop(matrix, p)
        assert judge.contains(bracket.exact_lower, bracket.exact_upper)
        assert (
            bracket.exact is not None
            or bracket.exact_upper - bracket.exact_lower <= abs(bracket.exact_upper) / 2**100
        )


def exactly(matrix: Any) -> Bracket:
    return quantities.lmax(np.asarray(matrix, dtype=float), effort="exact")


def test_verdicts_on_pairs_of_matrices() -> None:
    """Many pairs share their top eigenvalue (similar matrices, added rows); 50 digits tell
    which.
    """
    rng = np.random.default_rng(5)
    values: list[tuple[Bracket, Any]] = []
    for _ in range(8):
        a = symmetric(rng.integers(-1, 3, (3, 3)).astype(float))
        order = rng.permutation(3)
        for matrix in (
            a,
            a[np.ix_(order, order)],
            np.block([[a, np.zeros((3, 1))], [np.zeros((1, 3)), -np.ones((1, 1))]]),
        ):
            with mpmath.workdps(60):
                top = max(mpmath.eigsy(mpmath.matrix(matrix.tolist()), eigvals_only=True))
            values.append((exactly(matrix), top))
    ties = 0
    for a, top in values:
        for b, second in values:
            tie = abs(top - second) < mpmath.mpf(10) ** -40
            ties += tie
            assert (a <= b) is (Verdict.PROVED if tie or top < second else Verdict.REFUTED)
            assert (a < b) is (Verdict.PROVED if not tie and top < second else Verdict.REFUTED)
    assert len(values) < ties < len(values) ** 2


def pair_of_close_roots(gap: int, size: float) -> Array:
    """size, size + 2^-gap size and size - 2^-gap size."""
    matrix = size * np.eye(3)
    matrix[1, 2] = matrix[2, 1] = size * 2.0**-gap
    return matrix


@pytest.mark.parametrize("size", [1.0, 0.75, 1e-200, 1e250])
@pytest.mark.parametrize("gap", [20, 60, 139, 145, 300])
def test_roots_closer_than_the_bracket_is_wide(gap: int, size: float) -> None:
    """The shared eigenvalue `size` is in both brackets, but the top eigenvalues differ."""
    larger = pair_of_close_roots(gap, size)
    smaller = pair_of_close_roots(gap + 1, size)
    a = exactly(larger)
    b = exactly(smaller)
    assert ExactTop(larger).contains(a.exact_lower, a.exact_upper) and ExactTop(smaller).contains(
        b.exact_lower, b.exact_upper
    )
    assert (a <= b) is not Verdict.PROVED and (b < a) is not Verdict.REFUTED
    assert (a == b) is not Verdict.PROVED


numbers = st.fractions(min_value=-50, max_value=50, max_denominator=400)


some_roots = st.sets(st.integers(-4, 4), min_size=1, max_size=4)


@given(
    some_roots,
    some_roots,
    st.integers(-5, 5),
    st.integers(0, 6),
    st.fractions(min_value=Fraction(1, 9), max_value=9),
)
def test_two_roots_meet_where_each_is_alone_and_both_are_one(
    first: set[int], second: set[int], low: int, width: int, factor: Fraction
) -> None:
    """A second root in the interval leaves open which of the two is meant, as with 1, 2 and 2, 5 on
    (0, 3].
    """
    left, right = (
        RootOf(math.prod((fmpq_poly([-r, 1]) for r in roots), start=fmpq_poly([1])))
        for roots in (first, second)
    )
    inside = [{r for r in roots if low < r <= low + width} for roots in (first, second)]
    expected = inside[0] == inside[1] and len(inside[0]) == 1
    assert left.meets(right, Fraction(low), Fraction(low + width)) is expected
    assert (
        left.scaled(factor).meets(right.scaled(factor), low * factor, (low + width) * factor)
        is expected
    )
    for value in (*first, *second, Fraction(1, 3)):
        assert left.equals(Fraction(value), Fraction(low), Fraction(low + width)) is (
            inside[0] == {value}
        )


def test_a_fraction_and_a_root_that_is_that_fraction_are_equal() -> None:
    """(a + b) / p has a long denominator for p = 1/8; E[CLC] gives it at once."""
    a = float.fromhex("0x1.5555555559bb3p-2")
    b = 1e-12
    received = np.array([[a, b], [b, a]]), [1, 1]
    L_P = quantities.L_P(*received, [0.125, 0.125], effort="exact")
    L_M = quantities.L_M(*received, sampling=NestedSampling([0.125, 0.125]), effort="exact")
    exact = L_M.exact
    assert exact == 8 * (Fraction(a) + Fraction(b))
    width = exact / 2**90
    factor = fmpq_poly([-fmpq(exact.numerator, exact.denominator), 1])
    # Whether L_P is guessed depends on how near its bracket came; this one never is.
    for root in (L_P, Bracket(exact - width, exact + width, root=RootOf(factor))):
        assert (L_M == root) is (root <= L_M) is Verdict.PROVED and (L_M < root) is Verdict.REFUTED
        assert (root == exact * (1 + Fraction(1, 2**160))) is not Verdict.PROVED


@given(numbers, numbers)
def test_the_simplest_fraction(first: Fraction, second: Fraction) -> None:
    low = min(first, second)
    high = max(first, second)
    result = simplest_between(low, high)
    assert low <= result <= high
    smaller = range(1, result.denominator)
    assert not any(math.ceil(low * q) <= math.floor(high * q) for q in smaller)
