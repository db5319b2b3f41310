"""Two-sided enclosures of real numbers, with exactly directed rounding.

The ends are fractions and scalar arithmetic on them is exact, rounded outwards only to keep long
fractions short. So it depends neither on the processor's rounding mode nor on subnormals, and a
bracket can be narrower than the distance between two floats.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import zip_longest
from numbers import Number
from typing import Any, Protocol, TypeAlias

import numpy as np

from .arithmetic_guard import arithmetic_is_sound
from .decimals import (
    decimal_ceiling,
    decimal_floor,
    decimal_text,
    exact_decimal,
    truncated_decimal,
)
from .powers import square_root
from .verdict import Rigor, Verdict

# -inf and inf stand for an end of which nothing is known; every finite end is a Fraction.
End: TypeAlias = "Fraction | float"

# Exact numbers of more bits, and ends of intervals of more than the second, are rounded outwards.
# A quotient of two doubles has at most 4,200 bits, so sums and products of a few of them stay
# exact. Ends need far more than the 53 bits of a double and few enough to be fast: 512 is a guess.
_POINT_BITS = 20_000
_END_BITS = 512
_ROOT_BITS = _END_BITS // 2
# Sums of more exact quotients are rounded: their common denominator grows with every term.
_EXACT_TERMS = 200


def round_down(value: Fraction) -> float:
    """Return the largest float that is at most `value` (-inf if there is none)."""
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
    """Return the smallest float that is at least `value` (inf if there is none)."""
    return -round_down(-value) + 0.0  # never -0.0


def scaled_down(value: float, exponent: int) -> float:
    """Return the largest float that is at most value 2^exponent."""
    if abs(math.frexp(value)[1] + exponent) < 1000:
        return math.ldexp(value, exponent)  # exactly
    return round_down(Fraction(value) * Fraction(2) ** exponent)


def _size(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def _shortened(end: End, sign: int) -> End:
    """Return the end itself, or if it is long a short fraction just below it (sign 1) or just above
    it (sign -1).
    """
    if not isinstance(end, Fraction) or _size(end) <= _END_BITS:
        return end
    shift = _END_BITS // 2 - (end.numerator.bit_length() - end.denominator.bit_length())
    numerator = sign * end.numerator << max(shift, 0)
    return sign * (numerator // (end.denominator << max(-shift, 0))) * Fraction(2) ** -shift


def _as_end(value: End) -> End:
    """Return a fraction or an infinity; NaN stays for the caller to refuse."""
    if type(value) is Fraction:
        return value
    return Fraction(value) if math.isfinite(value) else float(value)


class Root(Protocol):
    """An algebraic number, the only root of its polynomial above `low` and up to `high` of its
    bracket.
    """

    def scaled(self, factor: Fraction) -> Root:
        """Return this number times a positive fraction."""
        ...

    def meets(self, other: Any, low: Fraction, high: Fraction) -> bool:
        """Return whether this number and another, both in (low, high], are one and the same."""
        ...

    def equals(self, value: Fraction, low: Fraction, high: Fraction) -> bool:
        """Return whether this number, in (low, high], is that fraction."""
        ...


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Bracket:
    """A real number known to lie in [lower, upper], and how well that is known.

    Comparisons, `==` among them, return a `Verdict`: `a <= b` is PROVED only when
    `a.upper <= b.lower`.

    A bracket prints as m(e) where its digits agree up to the last ones: with u the unit of the last
    digit of m, [m - e u, m + e u] encloses the bracket. Otherwise it prints as its two ends,
    rounded outwards. An exact number prints in full, or truncated before "...". Numbers that prove
    nothing come after "about".

    Parameters
    ----------
    lower, upper : float or Fraction
        The ends; infinite where nothing is known.
    rigor : Rigor
        How the ends were obtained; never above NUMERICAL in a thread whose arithmetic is not sound.
    root : Root, optional
        The polynomial root that the number is, where that is known: it decides ties that no ends
        can.

    Attributes
    ----------
    lower, upper : float
        The ends, rounded outwards.
    exact_lower, exact_upper : Fraction or float
        The ends themselves; floats only where infinite.

    Examples
    --------
    >>> third = Bracket.of_fraction(Fraction(1, 3))
    >>> third + third + third == 1
    <Verdict.PROVED: 'PROVED'>
    >>> print(Bracket(1.0, 3.0) <= Bracket(2.0, 4.0))
    UNDECIDED
    >>> third, Bracket(4.69428, 4.69431), Bracket(1.0, 3.0)
    (1/3, 4.69429(2), [1, 3])
    """

    exact_lower: End
    exact_upper: End
    rigor: Rigor
    root: Root | None

    def __init__(
        self, lower: End, upper: End, rigor: Rigor = Rigor.VERIFIED, *, root: Root | None = None
    ) -> None:
        low = _as_end(lower)
        high = _as_end(upper)
        if low == high and isinstance(low, Fraction):
            high = low
        elif not low < high:
            raise ValueError(
                f"a Bracket needs lower <= upper, not both infinite alike\n  found: [{lower!r},"
                f" {upper!r}]"
            )
        if low is not high or _size(low) > _POINT_BITS:  # type: ignore[arg-type]
            low = _shortened(low, 1)
            high = _shortened(high, -1)
        object.__setattr__(self, "exact_lower", low)
        object.__setattr__(self, "exact_upper", high)
        # The one door to a rigorous number: arithmetic that is not sound proves nothing.
        object.__setattr__(self, "rigor", rigor if arithmetic_is_sound() else Rigor.NUMERICAL)
        object.__setattr__(self, "root", root)

    @classmethod
    def point(cls, value: float) -> Bracket:
        """Return a float taken as exact."""
        if not math.isfinite(value):
            raise ValueError(f"a number must be finite to be exact\n  found: {value!r}")
        return cls(value, value, Rigor.EXACT)

    @classmethod
    def of_fraction(cls, value: Fraction) -> Bracket:
        """Return a fraction taken as exact."""
        return cls(value, value, Rigor.EXACT)

    @classmethod
    def everything(cls) -> Bracket:
        """Return the whole line: nothing is known."""
        return cls(-math.inf, math.inf)

    @classmethod
    def sum(cls, terms: Iterable[Bracket]) -> Bracket:
        """Return the sum; of one term, that term itself."""
        terms = list(terms)
        if len(terms) == 1:
            return terms[0]
        exact = all(term.exact is not None for term in terms)
        low = _sum([term.exact_lower for term in terms], 1, exact)
        high = _sum([term.exact_upper for term in terms], -1, exact)
        return cls(low, high, min((term.rigor for term in terms), default=Rigor.EXACT))

    @classmethod
    def largest(cls, terms: Iterable[Bracket]) -> Bracket:
        """Return the maximum: a term itself if it is proved to be at least all others."""
        return _extreme(list(terms), max, operator.ge)

    @classmethod
    def smallest(cls, terms: Iterable[Bracket]) -> Bracket:
        """Return the minimum: a term itself if it is proved to be at most all others."""
        return _extreme(list(terms), min, operator.le)

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
        second = _as_bracket(other)
        # Keeping the object itself lets ties between equal quantities be seen as ties.
        for factor, product in ((second, self), (self, second)):
            if factor.exact == 1 and factor.rigor >= product.rigor:
                return product
        return self._combine(second, operator.mul)

    __rmul__ = __mul__

    def __truediv__(self, other: Bracket | float | Fraction) -> Bracket:
        second = _as_bracket(other)
        if second.exact == 1 and second.rigor >= self.rigor:
            return self
        if second.exact_lower <= 0 <= second.exact_upper:
            return Bracket(-math.inf, math.inf, min(self.rigor, second.rigor))
        return self._combine(second, operator.truediv)

    def _combine(self, other: Bracket, operation: Callable[[Any, Any], Any]) -> Bracket:
        rigor = min(self.rigor, other.rigor)
        pairs = [(a, b) for a in self._ends() for b in other._ends()]
        if len(pairs) == 4 and self.exact_lower > 0 and other.exact_lower > 0:
            # Two corners of positive intervals are enough, and take half the time.
            pairs = pairs[::3] if operation is operator.mul else pairs[1:3]
        if not all(isinstance(end, Fraction) for pair in pairs for end in pair):
            # Only the sign is kept: an infinite end may come from a quotient that has no value, and
            # zero times that is not zero.
            positive = self.exact_lower >= 0 and other.exact_lower >= 0
            return Bracket(0 if positive else -math.inf, math.inf, rigor)
        root = None
        if self.root is not None and other.exact is not None and other.exact > 0:
            root = self.root.scaled(operation(Fraction(1), other.exact))
        elif other.root is not None and self.exact is not None and self.exact > 0:
            root = other.root.scaled(self.exact) if operation is operator.mul else None
        corners = [operation(a, b) for a, b in pairs]
        return Bracket(min(corners), max(corners), rigor, root=root)

    def _ends(self) -> tuple[End, ...]:
        """Return both ends, or an exact number once."""
        low = self.exact_lower
        return (low,) if low is self.exact_upper else (low, self.exact_upper)

    def __rtruediv__(self, other: float | Fraction) -> Bracket:
        return _as_bracket(other) / self

    def squared(self) -> Bracket:
        """Return the square, which is never below zero; a product of two brackets could not know
        that.
        """
        sizes: list[End] = [max(end, -end) for end in (self.exact_lower, self.exact_upper)]
        least: End = Fraction(0) if self.exact_lower <= 0 <= self.exact_upper else min(sizes)
        return Bracket(least * least, max(sizes) * max(sizes), self.rigor)

    def sqrt(self) -> Bracket:
        """Return the square root; where the bracket reaches below zero its lower end is 0."""
        if self.exact_upper < 0:
            raise ValueError(
                f"square root of a negative number\n  found: [{self.lower!r}, {self.upper!r}]"
            )
        lower_roots, upper_roots = (
            square_root(end, _ROOT_BITS) if isinstance(end, Fraction) else (end, end)
            for end in (max(self.exact_lower, Fraction(0)), self.exact_upper)
        )
        return Bracket(lower_roots[0], upper_roots[1], self.rigor)

    # -- decisions -------------------------------------------------------------------------------

    def __le__(self, other: Bracket | float | Fraction) -> Verdict:
        return _decide(self, _as_bracket(other), strict=False)

    def __ge__(self, other: Bracket | float | Fraction) -> Verdict:
        return _decide(_as_bracket(other), self, strict=False)

    def __lt__(self, other: Bracket | float | Fraction) -> Verdict:
        return _decide(self, _as_bracket(other), strict=True)

    def __gt__(self, other: Bracket | float | Fraction) -> Verdict:
        return _decide(_as_bracket(other), self, strict=True)

    def __eq__(self, other: Bracket | float | Fraction) -> Verdict:  # type: ignore[override]
        """Decide whether the numbers are equal, from the ends or from what they are roots of."""
        if not isinstance(other, (Bracket, Number)):
            return NotImplemented
        verdicts = {self <= other, self >= other}
        if Verdict.REFUTED in verdicts:
            return Verdict.REFUTED
        return Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts else Verdict.PROVED

    def __ne__(self, other: Bracket | float | Fraction) -> Verdict:  # type: ignore[override]
        verdict = self.__eq__(other)
        return verdict if verdict is NotImplemented else verdict.negated

    __hash__ = object.__hash__

    # -- reading ---------------------------------------------------------------------------------

    @cached_property
    def lower(self) -> float:
        """The lower end as a float, rounded down."""
        end = self.exact_lower
        return round_down(end) if isinstance(end, Fraction) else end

    @cached_property
    def upper(self) -> float:
        """The upper end as a float, rounded up."""
        end = self.exact_upper
        return round_up(end) if isinstance(end, Fraction) else end

    @property
    def exact(self) -> Fraction | None:
        """The number itself where the ends coincide."""
        end = self.exact_lower
        return end if end is self.exact_upper and isinstance(end, Fraction) else None

    def __contains__(self, value: Any) -> bool:
        # Fractions and floats compare exactly, NaN and infinities included.
        number = value if isinstance(value, float) else Fraction(value)
        return bool(self.exact_lower <= number <= self.exact_upper)

    @property
    def midpoint(self) -> float:
        """A float between the ends, or nearest to them; the finite end if only one is, else 0."""
        ends = [e for e in (self.exact_lower, self.exact_upper) if isinstance(e, Fraction)]
        return round_down(sum(ends, Fraction(0)) / max(len(ends), 1))

    @property
    def width(self) -> float:
        """The distance of the ends, rounded up."""
        if isinstance(self.exact_lower, Fraction) and isinstance(self.exact_upper, Fraction):
            return round_up(self.exact_upper - self.exact_lower)
        return math.inf

    def to_dict(self) -> dict[str, float | None]:
        """Return the ends, with null where nothing is known."""
        return {
            "lower": self.lower if math.isfinite(self.lower) else None,
            "upper": self.upper if math.isfinite(self.upper) else None,
        }

    def __float__(self) -> float:
        return self.midpoint

    def __format__(self, spec: str) -> str:
        """Return the digits that are known, or the midpoint under a format of floats."""
        return format(self.midpoint, spec) if spec else str(self)

    def __repr__(self) -> str:
        text = _known_digits(self.exact_lower, self.exact_upper)
        return text if self.rigor is not Rigor.NUMERICAL else f"about {text}"

    def _repr_html_(self) -> str:
        ends = f"[{decimal_floor(self.exact_lower, 17)}, {decimal_ceiling(self.exact_upper, 17)}]"
        return f'<span title="{ends}, {self.rigor}">{self}</span>'

    def _repr_latex_(self) -> str:
        text = re.sub(r"e([+-][0-9]+)", lambda e: rf" \times 10^{{{int(e[1])}}}", str(self))
        for plain, latex in (("about", r"\approx"), ("inf", r"\infty"), ("...", r"\ldots")):
            text = text.replace(plain, latex)
        return f"${text}$"


def _known_digits(low: End, high: End) -> str:
    """Return m(e) with every number of the bracket within e units of the last digit of m, or the
    two ends.

    An exact number is written out, or truncated before "..."; the two ends are rounded outwards.
    """
    ends = f"[{decimal_floor(low, 6)}, {decimal_ceiling(high, 6)}]"
    if not (isinstance(low, Fraction) and isinstance(high, Fraction)):
        return ends
    if low == high:
        terminating = exact_decimal(low)
        if terminating is not None:
            return terminating
        short = low.denominator < 1000 and abs(low) < 10**15
        return str(low) if short else f"{truncated_decimal(low)}..."
    width = high - low
    if width > max(abs(low), abs(high)) / 100:
        return ends
    # Two digits of uncertainty at most, so that the last digit shown is worth reading.
    places = math.ceil(
        (width.numerator.bit_length() - width.denominator.bit_length()) * math.log10(2)
    )
    while width < 2 * Fraction(10) ** places:
        places -= 1
    unit = Fraction(10) ** places
    middle = round((low + high) / 2 / unit)
    error = math.ceil(max(high / unit - middle, middle - low / unit))
    return decimal_text(Decimal(f"{middle}e{places}"), f"({error})")


def _as_bracket(value: Bracket | float | Fraction) -> Bracket:
    if isinstance(value, Bracket):
        return value
    if isinstance(value, (int, np.integer)):
        return Bracket.of_fraction(Fraction(int(value)))
    if isinstance(value, (Fraction, Decimal)):
        return Bracket.of_fraction(Fraction(value))
    return Bracket.point(float(value))


def _extreme(terms: list[Bracket], choose: Any, dominates: Callable[[Any, Any], Any]) -> Bracket:
    best: Bracket = choose(terms, key=lambda term: (term.exact_lower, term.exact_upper))
    rigor = min(term.rigor for term in terms)
    if best.rigor is rigor and all(
        term is best or dominates(best, term) is Verdict.PROVED for term in terms
    ):
        return best
    low = choose(term.exact_lower for term in terms)
    high = choose(term.exact_upper for term in terms)
    return Bracket(low, high, rigor)


def _sum(ends: list[End], sign: int, exact: bool) -> End:
    """Return the sum of lower ends (sign 1) or of upper ends (sign -1), rounded outwards whenever
    it grows long (quotients have no common denominator).
    """
    values = [end for end in ends if isinstance(end, Fraction)]
    if len(values) < len(ends):
        return -sign * math.inf
    if all(value.denominator & (value.denominator - 1) == 0 for value in values):
        # Over the largest power of two no greatest common divisors need be found on the way.
        common = max((value.denominator for value in values), default=1)
        return Fraction(
            sum(value.numerator * (common // value.denominator) for value in values), common
        )
    if exact and len(values) <= _EXACT_TERMS:
        return sum(values, Fraction(0))
    partial: list[Any] = [_shortened(value, sign) for value in values]
    # Halving the list keeps the partial sums few, so that shortening costs almost nothing.
    while len(partial) > 1:
        pairs = zip_longest(partial[::2], partial[1::2], fillvalue=Fraction(0))
        partial = [_shortened(a + b, sign) for a, b in pairs]
    return Fraction(partial[0])


def _decide(left: Bracket, right: Bracket, *, strict: bool) -> Verdict:
    """Decide left <= right (or <) from the enclosures alone; NUMERICAL ends decide nothing."""
    if min(left.rigor, right.rigor) is Rigor.NUMERICAL:
        return Verdict.UNDECIDED
    if left is right or _same_root(left, right):
        return Verdict.REFUTED if strict else Verdict.PROVED
    below = operator.lt if strict else operator.le
    if below(left.exact_upper, right.exact_lower):
        return Verdict.PROVED
    # The opposite of < is >=, and that of <= is >.
    if not below(left.exact_lower, right.exact_upper):
        return Verdict.REFUTED
    return Verdict.UNDECIDED


def _same_root(left: Bracket, right: Bracket) -> bool:
    if left.root is None:
        left, right = right, left
    low = max(left.exact_lower, right.exact_lower)
    high = min(left.exact_upper, right.exact_upper)
    if left.root is None or not (isinstance(low, Fraction) and isinstance(high, Fraction)):
        return False
    if right.root is not None:
        return low <= high and left.root.meets(right.root, low, high)
    low, high = left.exact_lower, left.exact_upper
    if right.exact is None or not (isinstance(low, Fraction) and isinstance(high, Fraction)):
        return False
    return left.root.equals(right.exact, low, high)
