"""Decisions in rational arithmetic (T3), which settle ties such as the all-ones matrix at t = n.

A symmetric matrix is positive semidefinite exactly when its characteristic polynomial, all of whose
roots are real, has no negative root; Descartes' rule counts the roots of such a polynomial exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ..numbers.bracket import Bracket
from ..numbers.exact_array import ExactArray
from ..numbers.verdict import Rigor

# Beyond this size the characteristic polynomial takes minutes rather than a second.
EXACT_DIMENSION = 60
# Matrices whose common denominator has more bits than this are left alone for the same reason.
_EXACT_ENTRY_BITS = 6_000
# Relative width, in bits, of a bracket from rational arithmetic: some 40 digits, more than anyone
# prints, and fractions with denominators up to 2^70 are recognized.
_EXACT_WIDTH = 140

RationalMatrix = list[list[Fraction]]


def rational(matrix: ExactArray) -> RationalMatrix:
    """Return the rows of entries as fractions."""
    entries = matrix.fractions()
    d = matrix.shape[1]
    return [entries[start : start + d] for start in range(0, len(entries), d)]


def rational_gram(data: ExactArray, scale: Fraction, shift: Fraction) -> RationalMatrix:
    """Return scale A'A + shift I without any rounding."""
    from flint import fmpz_mat

    rows, d = data.shape
    ratios = data.ratios()
    common = math.lcm(*{below for _, below in ratios})
    gram = fmpz_mat(rows, d, [above * (common // below) for above, below in ratios])
    gram = gram.transpose() * gram
    unit = scale / common**2
    return [[unit * int(gram[i, j]) + (shift if i == j else 0) for j in range(d)] for i in range(d)]


def definiteness(matrix: RationalMatrix) -> int | None:
    """Return 1 for positive definite, 0 for singular positive semidefinite, -1 for neither, and
    None where the numbers are too large.
    """
    negated = [[-value for value in row] for row in matrix]
    roots = _distinct_roots(negated, [Fraction(1)] * len(matrix))
    if roots is None:
        return None
    if _roots_above(roots, Fraction(0)):
        return -1
    return 0 if _value(roots, Fraction(0)) == 0 else 1


def bracket_exactly(matrix: RationalMatrix, weights: Sequence[Fraction], guess: Bracket) -> Bracket:
    """Return lambda_max of the pencil (matrix, Diag(weights)) to 40 digits, or exactly if rational.

    Parameters
    ----------
    matrix : list of lists of Fraction
        The symmetric matrix L.
    weights : sequence of Fraction
        The positive diagonal of W.
    guess : Bracket
        A rigorous bracket, which is returned where the numbers grow too large.
    """
    low = guess.exact_lower
    high = guess.exact_upper
    if not (isinstance(low, Fraction) and isinstance(high, Fraction)):
        return guess
    if len(weights) > EXACT_DIMENSION:
        return guess
    roots = _distinct_roots(matrix, weights)
    if roots is None:
        return guess
    if _roots_above(roots, high) or not (_roots_above(roots, low) or _value(roots, low) == 0):
        # Bisection would walk to an end and call it a root.
        raise ArithmeticError(
            f"the largest root is not in the bracket that was proved to hold it: {guess}"
        )
    single = _only_other_root(roots)
    if single is not None and low <= single <= high and _roots_above(roots, single) == 0:
        return Bracket.of_fraction(single)
    if low <= 0 <= high:
        # Zero first: no relative width around it is small enough.
        positive = _roots_above(roots, Fraction(0)) > 0
        if not positive and _value(roots, Fraction(0)) == 0:
            return Bracket.of_fraction(Fraction(0))
        low, high = (Fraction(0), high) if positive else (low, Fraction(0))
    isolated = False
    while high - low > max(abs(low), abs(high)) / 2**_EXACT_WIDTH:
        middle = _short((low + high) / 2, high - low)
        if isolated:  # the sign says what counting roots would, in less time
            value = _value(roots, middle)
            if value == 0:
                low = high = middle
                break
            is_below = bool(value < 0)
        else:
            above = _roots_above(roots, middle)
            is_below = above > 0
            isolated = above == 1
        low, high = (middle, high) if is_below else (low, middle)
    candidate = simplest_between(low, high)
    above = _roots_above(roots, candidate)
    if above == 0 and _value(roots, candidate) == 0:
        return Bracket.of_fraction(candidate)
    # The root is not that fraction. The bracket ends there, so that a simple fraction just beside
    # the root, such as a float, is distinguished from it.
    low, high = (candidate, high) if above else (low, candidate)
    return Bracket(low, high, Rigor.EXACT, root=RootOf(roots) if isolated else None)


@dataclass(frozen=True)
class RootOf:
    """The only root of a square-free real-rooted polynomial in some bracket."""

    polynomial: Any

    def scaled(self, factor: Fraction) -> RootOf:
        """Return this number times a positive fraction, a root of the polynomial in x / factor."""
        from flint import fmpq, fmpq_poly

        return RootOf(self.polynomial(fmpq_poly([0, fmpq(factor.denominator, factor.numerator)])))

    def meets(self, other: RootOf, low: Fraction, high: Fraction) -> bool:
        """Return whether this number and another, both in (low, high], are one and the same."""
        # Ends may have been rounded outwards since: each number must still be alone in the
        # interval. Then the two are one where the polynomials share a root in it.
        shared = self.polynomial.gcd(other.polynomial)
        return all(
            _roots_above(polynomial, low) - _roots_above(polynomial, high) == 1
            for polynomial in (self.polynomial, other.polynomial, shared)
        )

    def equals(self, value: Fraction, low: Fraction, high: Fraction) -> bool:
        """Return whether the only root in (low, high] is that fraction."""
        alone = _roots_above(self.polynomial, low) - _roots_above(self.polynomial, high) == 1
        return alone and low < value <= high and bool(_value(self.polynomial, value) == 0)


def _distinct_roots(matrix: RationalMatrix, weights: Sequence[Fraction]) -> Any:
    """Return the square-free characteristic polynomial of W^-1 L with leading coefficient 1.

    None where the common denominator of its entries is too large.
    """
    from flint import fmpq, fmpq_mat

    common = math.lcm(*(value.denominator for row in matrix for value in row))
    common_weight = math.lcm(*(w.numerator for w in weights))
    if max(common, common_weight).bit_length() > _EXACT_ENTRY_BITS:
        return None
    d = len(weights)
    rows = [
        [
            fmpq(value.numerator, value.denominator) / fmpq(w.numerator, w.denominator)
            for value in row
        ]
        for row, w in zip(matrix, weights, strict=True)
    ]
    polynomial = fmpq_mat(d, d, [value for row in rows for value in row]).charpoly()
    return polynomial / polynomial.gcd(polynomial.derivative())


def _only_other_root(polynomial: Any) -> Fraction | None:
    """Return the only root besides zero, which is a fraction, as for L of rank one; else None."""
    coefficients = polynomial.coeffs()
    if len(coefficients) == 3 and coefficients[0] == 0:
        root = -coefficients[1] / coefficients[2]
    elif len(coefficients) == 2:
        root = -coefficients[0] / coefficients[1]
    else:
        return None
    return Fraction(int(root.p), int(root.q))


def _value(polynomial: Any, at: Fraction) -> Any:
    from flint import fmpq

    return polynomial(fmpq(at.numerator, at.denominator))


def _roots_above(polynomial: Any, at: Fraction) -> int:
    """Count the roots of a real-rooted polynomial above `at` (Descartes' rule, exact for these)."""
    from flint import fmpq, fmpq_poly

    shifted = polynomial(fmpq_poly([fmpq(at.numerator, at.denominator), 1]))
    signs = [1 if c > 0 else -1 for c in shifted.coeffs() if c != 0]
    return sum(a != b for a, b in pairwise(signs))


def _short(value: Fraction, room: Fraction) -> Fraction:
    """Return a fraction with a small denominator within room/4 of the value."""
    bits = max(0, room.denominator.bit_length() - room.numerator.bit_length() + 3)
    return Fraction(round(value * 2**bits), 2**bits)


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction with the smallest denominator in [low, high] (Stern-Brocot tree)."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest_between(-high, -low)
    floor = math.floor(low)
    if floor == low:
        return Fraction(floor)
    if floor + 1 <= high:
        return Fraction(floor + 1)
    return floor + 1 / simplest_between(1 / (high - floor), 1 / (low - floor))
