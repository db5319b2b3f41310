"""The judge: exact rationals, no code of the package.

Fraction-free elimination in integers decides if t W - M is positive semidefinite; everything else
is bisection on that, and interval arithmetic on fractions. A real number is a
function from a number of bits to an enclosure about that narrow, or to None where the number does
not exist (a root of something negative).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

from flint import fmpz

Pair = tuple[Fraction, Fraction]
Real = Callable[[int], "Pair | None"]
Rows = list[list[Fraction]]

# Relative widths tried one after the other, in bits; what they leave open is not judged.
PRECISIONS = (64, 200, 450)


def rows_of(matrix: Any) -> Rows:
    """The numbers of an array, or of rows of numbers, as the fractions they are."""
    zero = Fraction(0)
    return [
        [Fraction(x) if x else zero for x in row]
        for row in getattr(matrix, "tolist", lambda: matrix)()
    ]


def times_transpose(left: Rows, right: Rows) -> Rows:
    """left right', by sums of integers over one denominator, which are much faster than sums of
    fractions.
    """
    unit = math.lcm(*(x.denominator for rows in (left, right) for row in rows for x in row))
    a, b = (
        [[x.numerator * (unit // x.denominator) for x in row] for row in rows]
        for rows in (left, right)
    )
    return [[Fraction(sum(map(mul, x, y)), unit * unit) for y in b] for x in a]


def gram_of(data: Any, scale: Any = 1, shift: Any = 0) -> Rows:
    """scale A'A + shift I."""
    columns = [list(column) for column in zip(*rows_of(data), strict=True)]
    factor = Fraction(scale)
    added = Fraction(shift)
    product = times_transpose(columns, columns)
    return [
        [factor * x + (added if i == j else 0) for j, x in enumerate(row)]
        for i, row in enumerate(product)
    ]


def definiteness(rows: list[list[fmpz]]) -> int:
    """+1 positive definite, 0 semidefinite and singular, -1 neither; the lower triangle is read,
    and spent.
    """
    previous = fmpz(1)
    result = 1
    for k, row in enumerate(rows):
        pivot = row[k]
        if pivot < 0:
            return -1
        if pivot == 0:
            if any(below[k] != 0 for below in rows[k + 1 :]):
                return -1
            result = 0
            continue
        for i in range(k + 1, len(rows)):
            below = rows[i]
            factor = below[k]
            for j in range(k + 1, i + 1):
                below[j] = (pivot * below[j] - factor * rows[j][k]) // previous
        previous = pivot
    return result


def semidefinite(matrix: Rows) -> bool:
    """True if a rational symmetric matrix is positive semidefinite."""
    return Top([[-entry for entry in row] for row in matrix]).sign(Fraction(0)) <= 0


def within(error: Rows, slack: Sequence[Fraction]) -> bool:
    """True if -Diag(slack) <= error <= Diag(slack)."""
    return all(
        semidefinite(
            [
                [s * (i == j) + sign * x for j, x in enumerate(row)]
                for i, (s, row) in enumerate(zip(slack, error, strict=True))
            ]
        )
        for sign in (1, -1)
    )


def known_within(matrix: Sequence[Sequence[float]], slack: Sequence[float], truth: Rows) -> bool:
    """True if `truth` differs from a matrix of floats by no more than a diagonal slack."""
    error = [
        [x - Fraction(y) for x, y in zip(*rows, strict=True)]
        for rows in zip(truth, matrix, strict=True)
    ]
    return within(error, [Fraction(s) for s in slack])


class Top:
    """The largest t at which t Diag(weights) - matrix is singular, as a real number that can be
    compared exactly.
    """

    def __init__(self, matrix: Rows, weights: Sequence[Fraction] | None = None) -> None:
        w = [Fraction(1)] * len(matrix) if weights is None else list(weights)
        parts = _components(matrix)
        singles = [matrix[part[0]][part[0]] / w[part[0]] for part in parts if len(part) == 1]
        self._single = max(singles, default=None)
        self._pencils = [_integers(matrix, w, part) for part in parts if len(part) > 1]
        self.exact = None if self._pencils else self._single
        self._ends: Pair | None = None

    def sign(self, t: Fraction) -> int:
        """The sign of this number minus t."""
        if self.exact is not None:
            return (self.exact > t) - (self.exact < t)
        result = -1
        if self._single is not None:
            result = (self._single > t) - (self._single < t)
        top = fmpz(t.numerator)
        bottom = fmpz(-t.denominator)
        for diagonal, lower in self._pencils:
            if result > 0:
                break
            shifted = [[bottom * entry for entry in row] for row in lower]
            for row, weight in zip(shifted, diagonal, strict=True):
                row[-1] += top * weight
            result = max(result, -definiteness(shifted))
        return result

    def __call__(self, bits: int) -> Pair:
        """Ends of a binary interval of relative width 2^-bits, or the number itself if it is the
        simplest in there.
        """
        if self.exact is None and self._ends is None:
            self._ends = self._start()
        refined = False
        while self.exact is None:
            low, high = self._ends or self._start()
            if (high - low) * 2**bits <= min(abs(low), abs(high)):
                break
            middle = (low + high) / 2
            sign = self.sign(middle)
            if sign == 0:
                self.exact = middle
            self._ends = (middle, high) if sign > 0 else (low, middle)
            refined = True
        if self.exact is None and self._ends is not None:
            if refined:
                candidate = simplest_between(*self._ends)
                self.exact = candidate if self.sign(candidate) == 0 else None
            if self.exact is None:
                return self._ends
        assert self.exact is not None
        return self.exact, self.exact

    def _start(self) -> Pair:
        """Two powers of two, or their negatives, next to the number on either side."""
        sign = self.sign(Fraction(0))
        if sign == 0:
            self.exact = Fraction(0)
            return self.exact, self.exact

        def beyond(exponent: int) -> bool:
            """True if the number is farther from zero than 2^exponent."""
            return self.sign(sign * Fraction(2) ** exponent) == sign

        below = 0
        step = 1
        while not beyond(below):
            below -= step
            step *= 2
        above = below + 1
        step = 1
        while beyond(above):
            below = above
            above += step
            step *= 2
        while above - below > 1:
            middle = (above + below) // 2
            below, above = (middle, above) if beyond(middle) else (below, middle)
        far = sign * Fraction(2) ** above
        if self.sign(far) == 0:
            self.exact = far
        return min(far, far / 2), max(far, far / 2)


class Multiple:
    """A positive multiple of a Top."""

    def __init__(self, top: Top | Multiple, factor: Fraction) -> None:
        self.top = top
        self.factor = factor

    def sign(self, t: Fraction) -> int:
        return self.top.sign(t / self.factor)

    def __call__(self, bits: int) -> Pair:
        low, high = self.top(bits)
        return low * self.factor, high * self.factor


def rational(value: Fraction | int) -> Real:
    pair = (Fraction(value), Fraction(value))
    return lambda bits: pair


def of_ends(function: Callable[..., Pair | None], *terms: Real) -> Real:
    """The number whose ends follow from those of the terms; it does not exist if one of them
    does not.
    """

    def enclose(bits: int) -> Pair | None:
        pairs = [term(bits) for term in terms]
        return None if None in pairs else function(*pairs)

    return enclose


def negative(of: Real) -> Real:
    return of_ends(lambda pair: (-pair[1], -pair[0]), of)


def total(terms: Sequence[Real]) -> Real:
    return of_ends(lambda *pairs: tuple(map(sum, zip(*pairs, strict=True))), *terms)


def largest(terms: Sequence[Real]) -> Real:
    if len(terms) == 1:
        return terms[0]
    return of_ends(lambda *pairs: tuple(map(max, zip(*pairs, strict=True))), *terms)


def smallest(terms: Sequence[Real]) -> Real:
    if len(terms) == 1:
        return terms[0]
    return of_ends(lambda *pairs: tuple(map(min, zip(*pairs, strict=True))), *terms)


def _hull(ends: list[Fraction]) -> Pair:
    return min(ends), max(ends)


def product(left: Real, right: Real) -> Real:
    return of_ends(lambda a, b: _hull([x * y for x in a for y in b]), left, right)


def power(base: Real, n: int) -> Real:
    """An integer power; the extremes are at the ends, or at 0 between them."""

    return base if n == 1 else _through_zero(lambda x: x**n, base)


def absolute(of: Real) -> Real:
    return _through_zero(abs, of)


def _through_zero(function: Callable[[Fraction], Fraction], of: Real) -> Real:
    """A function that is monotone on both sides of 0."""

    def ends(pair: Pair) -> Pair:
        points = (*pair, Fraction(0)) if pair[0] < 0 < pair[1] else pair
        return _hull([function(x) for x in points])

    return of_ends(ends, of)


def reciprocal(of: Real) -> Real:
    def ends(pair: Pair) -> Pair | None:
        if pair[0] == pair[1] == 0:
            return None
        if pair[0] <= 0 <= pair[1]:
            huge = Fraction(2) ** 100_000  # not known to be finite at this precision
            return -huge, huge
        return 1 / pair[1], 1 / pair[0]

    return of_ends(ends, of)


def root(of: Real) -> Real:
    def enclose(bits: int) -> Pair | None:
        pair = of(bits)
        if pair is None or pair[1] < 0:
            return None
        return root_down(max(pair[0], Fraction(0)), bits), root_up(pair[1], bits)

    return enclose


def square_of_sum_of_roots(terms: Sequence[Real]) -> Real:
    """(sum sqrt(x))^2 as sum x + 2 sum sqrt(x y), which is exact more often; no value if some x is
    negative.
    """

    def enclose(bits: int) -> Pair | None:
        pairs = [term(bits) for term in terms]
        if any(pair is None or pair[1] < 0 for pair in pairs):
            return None
        lows = [max(pair[0], Fraction(0)) for pair in pairs]
        highs = [pair[1] for pair in pairs]
        low = sum(lows, Fraction(0))
        high = sum(highs, Fraction(0))
        for i in range(len(pairs)):
            low += 2 * sum((root_down(lows[i] * lows[j], bits) for j in range(i)), Fraction(0))
            high += 2 * sum((root_up(highs[i] * highs[j], bits) for j in range(i)), Fraction(0))
        return low, high

    return enclose


def root_down(value: Fraction, bits: int) -> Fraction:
    """A fraction at most sqrt(value), exact for squares."""
    top = math.isqrt(value.numerator)
    bottom = math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    shift = 2 * max(
        0, bits + 4 + (value.denominator.bit_length() - value.numerator.bit_length()) // 2
    )
    return Fraction(math.isqrt((value.numerator << shift) // value.denominator), 1 << (shift // 2))


def root_up(value: Fraction, bits: int) -> Fraction:
    low = root_down(value, bits)
    return low if low * low == value else low * (1 + Fraction(1, 1 << bits))


def inside(low: Fraction | float, high: Fraction | float, number: Real) -> bool | None:
    """True if low <= number <= high; None if that stays open or there is no such number."""
    if isinstance(number, (Top, Multiple)):
        above = low == -math.inf or number.sign(Fraction(low)) >= 0
        return above and (high == math.inf or number.sign(Fraction(high)) <= 0)
    for bits in PRECISIONS:
        pair = number(bits)
        if pair is None:
            return None
        if low <= pair[0] and pair[1] <= high:
            return True
        if pair[1] < low or pair[0] > high:
            return False
    return None


def order(left: Real, right: Real) -> int | None:
    """The sign of left - right; None where the two cannot be told apart and are not known to be
    equal.

    Raises
    ------
    ArithmeticError
        If one of them does not exist.
    """
    for bits in PRECISIONS:
        a = left(bits)
        b = right(bits)
        if a is None or b is None:
            raise ArithmeticError("no such number")
        if a[0] > b[1]:
            return 1
        if a[1] < b[0]:
            return -1
        if a[0] == a[1] == b[0] == b[1]:
            return 0
        for number, enclosure, direction in ((left, b, 1), (right, a, -1)):
            if isinstance(number, (Top, Multiple)) and enclosure[0] == enclosure[1]:
                return direction * number.sign(enclosure[0])
    return None


def holds(sign: int, relation: str) -> bool:
    """True if `left relation right`, where sign is that of left - right."""
    return {"<=": sign <= 0, "<": sign < 0, ">=": sign >= 0, ">": sign > 0, "==": sign == 0}[
        relation
    ]


# -- arithmetic


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator in [low, high], by continued fractions."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest_between(-high, -low)
    # p / q of the continued fraction so far, and of the one before.
    p = 1
    q = 0
    before_p = 0
    before_q = 1
    while True:
        floor = low.numerator // low.denominator
        last = floor == low or floor + 1 <= high
        digit = floor if floor == low or not last else floor + 1
        p, before_p = digit * p + before_p, p
        q, before_q = digit * q + before_q, q
        if last:
            return Fraction(p, q)
        low, high = 1 / (high - floor), 1 / (low - floor)


def _components(matrix: Rows) -> list[list[int]]:
    """The connected components of the graph of nonzero entries."""
    visited: set[int] = set()
    parts = []
    for start in range(len(matrix)):
        if start in visited:
            continue
        part = []
        queue = [start]
        visited.add(start)
        while queue:
            i = queue.pop()
            part.append(i)
            new = [j for j, entry in enumerate(matrix[i]) if entry and j not in visited]
            visited.update(new)
            queue += new
        parts.append(sorted(part))
    return parts


def _integers(
    matrix: Rows, weights: Sequence[Fraction], part: list[int]
) -> tuple[list[fmpz], list[list[fmpz]]]:
    """Weights and the lower triangle of one component, times a common denominator."""
    used = [matrix[i][j] for i in part for j in part if j <= i] + [weights[i] for i in part]
    common = math.lcm(*(entry.denominator for entry in used))

    def whole(entry: Fraction) -> fmpz:
        return fmpz(entry.numerator * (common // entry.denominator))

    return [whole(weights[i]) for i in part], [
        [whole(matrix[i][j]) for j in part if j <= i] for i in part
    ]
