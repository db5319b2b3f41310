"""Fractions, written apart from the library so that they can contradict it; eigenvalues are judged
as in soundness.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from soundness.reals import Top, inside

from rpttheory import Blocks, Bracket, Claim, Rigour, Verdict

Matrix = list[list[Fraction]]
Outcomes = Sequence[tuple[Fraction, Sequence[bool]]]


def matrix_of(array: Any) -> Matrix:
    """The floats of an array as the fractions they are."""
    return [
        [Fraction(value) for value in row] for row in np.asarray(array, dtype=np.float64).tolist()
    ]


def vector_of(array: Any) -> list[Fraction]:
    return [Fraction(value) for value in np.asarray(array, dtype=np.float64).tolist()]


def times(matrix: Matrix, x: Sequence[Fraction]) -> list[Fraction]:
    return [dot(row, x) for row in matrix]


def dot(x: Iterable[Fraction], y: Iterable[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))


def block_of(matrix: Matrix, rows: slice) -> Matrix:
    return [row[rows] for row in matrix[rows]]


def expand(per_block: Sequence[Fraction], blocks: Blocks) -> list[Fraction]:
    return [per_block[k] for k in blocks.labels.tolist()]


def assert_encloses(
    bracket: Bracket, matrix: Matrix, weights: Sequence[Fraction] | None = None
) -> None:
    """The largest eigenvalue of the pencil (matrix, Diag(weights)) lies in the bracket."""
    assert bracket.rigour is not Rigour.NUMERICAL
    assert isinstance(bracket.low, Fraction) and isinstance(bracket.high, Fraction)
    assert inside(bracket.low, bracket.high, Top(matrix, weights))


def enumerated_clc(
    matrix: Matrix, outcomes: Outcomes, p: Sequence[Fraction], blocks: Blocks
) -> Matrix:
    """E[CLC] as the average of the matrices C L C."""
    d = len(matrix)
    label = blocks.labels.tolist()
    mean = [[Fraction(0)] * d for _ in range(d)]
    for probability, active in outcomes:
        diagonal = [1 / p[k] if active[k] else Fraction(0) for k in label]
        kept = [i for i in range(d) if diagonal[i]]
        for i in kept:
            for j in kept:
                mean[i][j] += probability * diagonal[i] * matrix[i][j] * diagonal[j]
    return mean


def pair_probability(outcomes: Outcomes, k: int, m: int) -> Fraction:
    return sum(
        (probability for probability, active in outcomes if active[k] and active[m]), Fraction(0)
    )


def near_tie(left: Bracket, right: Bracket, bits: int = 100) -> bool:
    """Whether the enclosures leave no more room than a tie of irrational numbers would."""
    ends = [left.low, left.high, right.low, right.high]
    return max(ends) - min(ends) <= max(map(abs, ends)) / 2**bits


def assert_true(claims: Iterable[Claim]) -> None:
    """A true statement, looked at in exact arithmetic, is proved unless it is a tie of irrational
    numbers.
    """
    for claim in claims:
        assert claim.verdict is not Verdict.REFUTED, claim
        if claim.verdict is Verdict.UNDECIDED:
            assert near_tie(claim.left, claim.right), claim


def assert_not_refuted(claims: Iterable[Claim]) -> None:
    for claim in claims:
        assert claim.verdict is not Verdict.REFUTED, claim


def assert_proved(claims: Iterable[Claim]) -> None:
    for claim in claims:
        assert claim.verdict is Verdict.PROVED, claim
