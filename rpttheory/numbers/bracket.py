"""Two-sided enclosures of real numbers, with exactly directed rounding.

The ends are fractions and scalar arithmetic on them is exact, rounded outwards only to keep long
fractions short. So it depends neither on the processor's rounding mode nor on subnormals, and a
bracket can be narrower than the distance between two floats.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np

from .arithmetic_guard import arithmetic_is_sound
from .decimals import decimal_ceiling, decimal_floor, exact_decimal, truncated_decimal
from .powers import square_root
from .verdict import Rigor, Verdict

# -inf and inf stand for an end of which nothing is known; every finite end is a Fraction.
End: TypeAlias = "Fraction | float"

# A number known exactly is kept so up to this many bits, an end of an interval up to the second.
_POINT_BITS = 20_000
_END_BITS = 512
_ROOT_BITS = _END_BITS // 2


def round_down(value: Fraction) -> float:
    """The largest float that is at most `value` (-inf if there is none)."""
    try:
        nearest = float(value)
    except OverflowError:
        return math.nextafter(math.inf, 0.0) if value > 0 else -math.inf
    n, m = nearest.as_integer_ratio()
    return (
        nearest
        if n * value.denominator <= value.numerator * m
        else math.nextafter(nearest, -math.inf)
    )


def round_up(value: Fraction) -> float:
    """The smallest float that is at least `value` (inf if there is none)."""
    return -round_down(-value) + 0.0  # never -0.0


def scaled_down(value: float, exponent: int) -> float:
    """The largest float that is at most value 2^exponent."""
    if abs(math.frexp(value)[1] + exponent) < 1000:
        return math.ldexp(value, exponent)  # exactly
    return round_down(Fraction(value) * Fraction(2) ** exponent)


def _compared(a: End, b: End) -> float:
    """Below, at or above 0 as a is to b, and nan where both are the same infinity or either is nan.

    `Fraction` asks first what kind of number it is compared with, which takes longer than the
    comparison.
    """
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        left = a.numerator * b.denominator
        right = b.numerator * a.denominator
        return (left > right) - (left < right)
    return (0.0 if isinstance(a, Fraction) else a) - (0.0 if isinstance(b, Fraction) else b)


def _negative(end: End) -> bool:
    return (end.numerator if isinstance(end, Fraction) else end) < 0


def _size(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def _shorten_down(value: End) -> End:
    """The end itself, or if it is long a fraction just below it with a short numerator."""
    if not isinstance(value, Fraction) or _size(value) <= _END_BITS or value == 0:
        return value
    shift = _END_BITS // 2 - (value.numerator.bit_length() - value.denominator.bit_length())
    if shift >= 0:
        return Fraction((value.numerator << shift) // value.denominator, 1 << shift)
    return Fraction((value.numerator // (value.denominator << -shift)) << -shift)


def _shorten_up(value: End) -> End:
    return (
        value
        if not isinstance(value, Fraction) or _size(value) <= _END_BITS
        else -_shorten_down(-value)
    )


def _end(value: End) -> End:
    """A fraction, or an infinity; what is neither is for the caller to refuse."""
    if type(value) is Fraction:
        return value
    return Fraction(value) if math.isfinite(value) else float(value)


class Root(Protocol):
    """An algebraic number, the only root of its polynomial above `low` and up to `high` of its
    bracket.
    """

    def scaled(self, factor: Fraction) -> Root:
        """This number times a positive fraction."""
        ...

    def meets(self, other: Any, low: Fraction, high: Fraction) -> bool:
        """Whether this number and another, both in (low, high], are one and the same."""
        ...

    def equals(self, value: Fraction, low: Fraction, high: Fraction) -> bool:
        """Whether this number, in (low, high], is that fraction."""
        ...


@dataclass(frozen=True, init=False)
class Bracket:
    """A real number known to lie in [lower, upper], and how well that is known.

    Comparisons return a `Verdict`: `a <= b` is PROVED only when `a.upper <= b.lower`.

    Parameters
    ----------
    lower, upper : float or Fraction
        The ends; infinite where nothing is known. The attributes of these names are floats, rounded
        outwards; `exact_lower` and `exact_upper` are the ends themselves.
    rigor : Rigor
        How the ends were obtained; never above NUMERICAL in a thread whose arithmetic is not sound.
    root : Root, optional
        What the number is a root of, where that is known: it decides ties that no ends can.

    Examples
    --------
    >>> third = Bracket.of_fraction(Fraction(1, 3))
    >>> print(third + third + third <= Bracket.point(1.0))
    PROVED
    >>> print(Bracket(1.0, 3.0) <= Bracket(2.0, 4.0))
    UNDECIDED
    >>> print(third, Bracket(4.69428, 4.69431), Bracket(1.0, 3.0))
    1/3 4.69429(2) [1, 3]
    """

    exact_lower: End
    exact_upper: End
    rigor: Rigor
    root: Root | None = field(compare=False, repr=False)

    def __init__(
        self, lower: End, upper: End, rigor: Rigor = Rigor.VERIFIED, *, root: Root | None = None
    ) -> None:
        low = _end(lower)
        high = _end(upper)
        order = 0 if low is high and isinstance(low, Fraction) else _compared(low, high)
        if order > 0 or order != order:
            raise ValueError(
                f"a Bracket needs lower <= upper, not both infinite alike\n  found: [{lower!r},"
                f" {upper!r}]"
            )
        if order == 0:
            high = low
        if low is not high or (isinstance(low, Fraction) and _size(low) > _POINT_BITS):
            low = _shorten_down(low)
            high = _shorten_up(high)
        object.__setattr__(self, "exact_lower", low)
        object.__setattr__(self, "exact_upper", high)
        # The one door to a rigorous number: arithmetic that is not sound proves nothing.
        object.__setattr__(self, "rigor", rigor if arithmetic_is_sound() else Rigor.NUMERICAL)
        object.__setattr__(self, "root", root)

    @classmethod
    def point(cls, value: float) -> Bracket:
        """A float taken as exact."""
        if not math.isfinite(value):
            raise ValueError(f"a number must be finite to be exact\n  found: {value!r}")
        return cls(value, value, Rigor.EXACT)

    @classmethod
    def of_fraction(cls, value: Fraction) -> Bracket:
        """A fraction taken as exact."""
        return cls(value, value, Rigor.EXACT)

    @classmethod
    def everything(cls) -> Bracket:
        """The whole line: nothing is known."""
        return cls(-math.inf, math.inf)

    @classmethod
    def sum(cls, terms: Iterable[Bracket]) -> Bracket:
        """The sum; of one term, that term itself."""
        kept = list(terms)
        if len(kept) == 1:
            return kept[0]
        ends: list[End] = []
        exact = all(term.exact is not None for term in kept)
        for values in ([term.exact_lower for term in kept], [-term.exact_upper for term in kept]):
            finite = [value for value in values if isinstance(value, Fraction)]
            ends.append(_sum_down(finite, exact) if len(finite) == len(values) else -math.inf)
        return cls(ends[0], -ends[1], min((term.rigor for term in kept), default=Rigor.EXACT))

    @classmethod
    def largest(cls, terms: Iterable[Bracket]) -> Bracket:
        """The maximum; a term that is at least all others is returned itself."""
        kept = list(terms)
        best = max(kept, key=lambda term: (term.exact_lower, term.exact_upper))
        rigor = min(term.rigor for term in kept)
        if best.rigor is rigor and all(
            t is best or t.exact_upper <= best.exact_lower or _same_root(t, best) for t in kept
        ):
            return best
        return cls(best.exact_lower, max(term.exact_upper for term in kept), rigor)

    @classmethod
    def smallest(cls, terms: Iterable[Bracket]) -> Bracket:
        """The minimum; a term that is at most all others is returned itself."""
        kept = list(terms)
        best = min(kept, key=lambda term: (term.exact_upper, term.exact_lower))
        rigor = min(term.rigor for term in kept)
        if best.rigor is rigor and all(
            term is best or term.exact_lower >= best.exact_upper for term in kept
        ):
            return best
        return cls(min(term.exact_lower for term in kept), best.exact_upper, rigor)

    # -- arithmetic ------------------------------------------------------------------------------

    def __add__(self, other: Bracket | float | Fraction) -> Bracket:
        return Bracket.sum((self, _as_bracket(other)))

    __radd__ = __add__

    def __neg__(self) -> Bracket:
        return Bracket(-self.exact_upper, -self.exact_lower, self.rigor)

    def __sub__(self, other: Bracket | float | Fraction) -> Bracket:
        return self + (-_as_bracket(other))

    def __rsub__(self, other: float | Fraction) -> Bracket:
        return _as_bracket(other) - self

    def __mul__(self, other: Bracket | float | Fraction) -> Bracket:
        other = _as_bracket(other)
        # Keeping the object itself lets ties between equal quantities be seen as ties.
        if other.is_one and other.rigor >= self.rigor:
            return self
        if self.is_one and self.rigor >= other.rigor:
            return other
        return self._combine(other, operator.mul)

    __rmul__ = __mul__

    def __truediv__(self, other: Bracket | float | Fraction) -> Bracket:
        other = _as_bracket(other)
        if other.is_one and other.rigor >= self.rigor:
            return self
        if not (_negative(-other.exact_lower) or _negative(other.exact_upper)):
            return Bracket(-math.inf, math.inf, min(self.rigor, other.rigor))
        return self._combine(other, operator.truediv)

    def __rtruediv__(self, other: float | Fraction) -> Bracket:
        return _as_bracket(other) / self

    def squared(self) -> Bracket:
        """The square: never below zero, which a product of two unrelated brackets could not
        know.
        """
        sizes: list[End] = [max(end, -end) for end in (self.exact_lower, self.exact_upper)]
        least: End = Fraction(0) if self.exact_lower <= 0 <= self.exact_upper else min(sizes)
        most = max(sizes)
        return Bracket(least * least, most * most, self.rigor)

    def sqrt(self) -> Bracket:
        """The square root; where the bracket reaches below zero its lower end is 0."""
        if self.exact_upper < 0:
            raise ValueError(
                f"square root of a negative number\n  found: [{self.lower!r}, {self.upper!r}]"
            )
        low = (
            square_root(self.exact_lower, _ROOT_BITS)[0]
            if isinstance(self.exact_lower, Fraction) and self.exact_lower > 0
            else Fraction(0)
        )
        high = (
            square_root(self.exact_upper, _ROOT_BITS)[1]
            if isinstance(self.exact_upper, Fraction)
            else math.inf
        )
        return Bracket(low, high, self.rigor)

    def _combine(self, other: Bracket, op: Callable[[Any, Any], Fraction]) -> Bracket:
        rigor = min(self.rigor, other.rigor)
        exact = self.exact
        factor = other.exact
        if exact is not None and factor is not None:
            value = op(exact, factor)
            return Bracket(value, value, rigor)
        pairs = [
            (a, b)
            for a in (self.exact_lower, self.exact_upper)
            for b in (other.exact_lower, other.exact_upper)
        ]
        positive = not (_negative(self.exact_lower) or _negative(other.exact_lower))
        if positive:
            pairs = [pairs[0], pairs[3]] if op is operator.mul else pairs[1:3]
        values = [op(a, b) for a, b in pairs if isinstance(a, Fraction) and isinstance(b, Fraction)]
        if len(values) < len(pairs):
            # With an infinite end only the sign of the result is kept.
            return Bracket(0 if positive else -math.inf, math.inf, rigor)
        root = None
        if factor is not None and self.root is not None and factor > 0:
            root = self.root.scaled(op(Fraction(1), factor))
        elif exact is not None and other.root is not None and exact > 0 and op is operator.mul:
            root = other.root.scaled(exact)
        ends = values if positive else sorted(values)
        return Bracket(ends[0], ends[-1], rigor, root=root)

    # -- decisions -------------------------------------------------------------------------------

    def __le__(self, other: Bracket | float | Fraction) -> Verdict:
        return _decide(self, _as_bracket(other), strict=False)

    def __ge__(self, other: Bracket | float | Fraction) -> Verdict:
        return _decide(_as_bracket(other), self, strict=False)

    def __lt__(self, other: Bracket | float | Fraction) -> Verdict:
        return _decide(self, _as_bracket(other), strict=True)

    def __gt__(self, other: Bracket | float | Fraction) -> Verdict:
        return _decide(_as_bracket(other), self, strict=True)

    def equals(self, other: Bracket | float | Fraction) -> Verdict:
        """Whether the two numbers are equal: PROVED only where both are known exactly."""
        other = _as_bracket(other)
        above = self <= other
        below = self >= other
        if Verdict.REFUTED in (above, below):
            return Verdict.REFUTED
        return Verdict.PROVED if above is below is Verdict.PROVED else Verdict.UNDECIDED

    # -- reading ---------------------------------------------------------------------------------

    @cached_property
    def lower(self) -> float:
        """The lower end as a float, rounded down."""
        return (
            round_down(self.exact_lower)
            if isinstance(self.exact_lower, Fraction)
            else self.exact_lower
        )

    @cached_property
    def upper(self) -> float:
        """The upper end as a float, rounded up."""
        return (
            round_up(self.exact_upper)
            if isinstance(self.exact_upper, Fraction)
            else self.exact_upper
        )

    @property
    def exact(self) -> Fraction | None:
        """The number itself where the ends coincide."""
        return (
            self.exact_lower
            if self.exact_lower is self.exact_upper and isinstance(self.exact_lower, Fraction)
            else None
        )

    @property
    def is_one(self) -> bool:
        """Whether the number is 1."""
        return self.exact_lower is self.exact_upper and self.exact_lower.as_integer_ratio() == (
            1,
            1,
        )

    def __contains__(self, value: Any) -> bool:
        try:
            number = Fraction(value)
        except (TypeError, ValueError, OverflowError):
            return bool(self.lower <= value <= self.upper)
        return bool(self.exact_lower <= number <= self.exact_upper)

    @property
    def midpoint(self) -> float:
        """A float between the ends, or nearest to them; the finite end if only one is, else 0."""
        if isinstance(self.exact_lower, Fraction) and isinstance(self.exact_upper, Fraction):
            return round_down((self.exact_lower + self.exact_upper) / 2)
        return next(
            (
                round_down(end)
                for end in (self.exact_lower, self.exact_upper)
                if isinstance(end, Fraction)
            ),
            0.0,
        )

    @property
    def width(self) -> float:
        """The distance of the ends, rounded up."""
        if isinstance(self.exact_lower, Fraction) and isinstance(self.exact_upper, Fraction):
            return round_up(self.exact_upper - self.exact_lower)
        return math.inf

    def to_dict(self) -> dict[str, float | None]:
        """The ends, with null where nothing is known."""
        return {
            "lower": self.lower if math.isfinite(self.lower) else None,
            "upper": self.upper if math.isfinite(self.upper) else None,
        }

    def __float__(self) -> float:
        return self.midpoint

    def __format__(self, spec: str) -> str:
        """The digits that are known, or the midpoint under a format of floats."""
        return format(self.midpoint, spec) if spec else str(self)

    def __str__(self) -> str:
        """The digits that are known, the last of them within the number in brackets; or the two
        ends.
        """
        text = _known_digits(self.exact_lower, self.exact_upper)
        return text if self.rigor is not Rigor.NUMERICAL else f"about {text}"


def _known_digits(low: End, high: End) -> str:
    """Return m(e) with every number of the bracket within e units of the last digit of m, or the
    two ends.

    An exact number is written out, or truncated before "..."; the two ends are rounded outwards.
    """
    if not (isinstance(low, Fraction) and isinstance(high, Fraction)):
        return f"[{decimal_floor(low, 6)}, {decimal_ceiling(high, 6)}]"
    if low == high:
        terminating = exact_decimal(low)
        if terminating is not None:
            return terminating
        short = low.denominator < 1000 and abs(low) < 10**15
        return str(low) if short else f"{truncated_decimal(low)}..."
    if high - low > max(abs(low), abs(high)) / 100:
        return f"[{decimal_floor(low, 6)}, {decimal_ceiling(high, 6)}]"
    # Two digits of uncertainty at most, so that the last digit shown is worth reading.
    width = high - low
    places = math.ceil(
        (width.numerator.bit_length() - width.denominator.bit_length()) * math.log10(2)
    )
    while width < 2 * Fraction(10) ** places:
        places -= 1
    unit = Fraction(10) ** places
    middle = round((low + high) / 2 / unit)
    off = math.ceil(max(high / unit - middle, middle - low / unit))
    digits = str(abs(middle))
    if places <= 0 and -5 <= places + len(digits) - 1 <= 15:
        with localcontext(prec=len(digits)):
            return f"{Decimal(middle).scaleb(places):f}({off})"
    mantissa = f"{digits[0]}.{digits[1:]}" if len(digits) > 1 else digits
    return f"{'-' if middle < 0 else ''}{mantissa}({off})e{places + len(digits) - 1:+03d}"


def _as_bracket(value: Bracket | float | Fraction) -> Bracket:
    if isinstance(value, Bracket):
        return value
    if isinstance(value, Fraction):
        return Bracket.of_fraction(value)
    if isinstance(value, (int, np.integer)):
        return Bracket.of_fraction(Fraction(int(value)))
    return Bracket.point(float(value))


def _sum_down(values: list[Fraction], exact: bool) -> End:
    """The sum, shortened downwards whenever it grows long (quotients have no common
    denominator).
    """
    if all(value.denominator & (value.denominator - 1) == 0 for value in values):
        # Over the largest power of two no greatest common divisors need be found on the way.
        common = max((value.denominator for value in values), default=1)
        return Fraction(
            sum(value.numerator * (common // value.denominator) for value in values), common
        )
    if exact and len(values) <= 200:
        return sum(values, Fraction(0))
    shortened = [_shorten_down(value) for value in values]
    # Halving the list keeps the partial sums few, so that shortening costs almost nothing.
    while len(shortened) > 1:
        pairs = zip(
            shortened[::2],
            [*shortened[1::2], Fraction(0)][: (len(shortened) + 1) // 2],
            strict=True,
        )
        shortened = [_shorten_down(a + b) for a, b in pairs]
    return shortened[0]


def _decide(left: Bracket, right: Bracket, *, strict: bool) -> Verdict:
    """Decide left <= right (or <) from the enclosures alone; NUMERICAL ends decide nothing."""
    if min(left.rigor, right.rigor) is Rigor.NUMERICAL:
        return Verdict.UNDECIDED
    if left is right or _same_root(left, right):
        return Verdict.REFUTED if strict else Verdict.PROVED
    if left.exact_upper < right.exact_lower or (
        not strict and left.exact_upper == right.exact_lower
    ):
        return Verdict.PROVED
    if left.exact_lower > right.exact_upper or (strict and left.exact_lower == right.exact_upper):
        return Verdict.REFUTED
    return Verdict.UNDECIDED


def _same_root(left: Bracket, right: Bracket) -> bool:
    if left.root is None:
        left, right = right, left
    low = max(left.exact_lower, right.exact_lower)
    high = min(left.exact_upper, right.exact_upper)
    if left.root is None or not (
        isinstance(low, Fraction) and isinstance(high, Fraction) and low <= high
    ):
        return False
    if right.root is not None:
        return left.root.meets(right.root, low, high)
    if right.exact is None or not (
        isinstance(left.exact_lower, Fraction) and isinstance(left.exact_upper, Fraction)
    ):
        return False
    return left.root.equals(right.exact, left.exact_lower, left.exact_upper)
