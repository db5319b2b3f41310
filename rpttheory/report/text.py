"""Plain aligned text: it reads the same in a terminal, a pipe and a file."""

import textwrap
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

from ..numbers import Bracket
from ..numbers.decimals import decimal_ceiling, decimal_floor

_MOST_DIGITS = 30

Paint = Callable[[str], str]


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """The text in lines of at most so many characters where its words allow it, as it is where it
    is short enough.
    """
    if len(text) <= width:
        return [text]
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def number(bracket: Bracket, most: int = 10) -> str:
    """Return as many digits as both ends round to alike, at most `most`; or the two ends, rounded
    outwards.
    """
    for digits in range(most, 2, -1):
        low = f"{bracket.lower:.{digits}g}"
        high = f"{bracket.upper:.{digits}g}"
        if low == high:
            return low
    return f"[{decimal_floor(bracket.exact_lower, 4)}, {decimal_ceiling(bracket.exact_upper, 4)}]"


def sides(left: Bracket, right: Bracket) -> tuple[str, str]:
    """Two numbers, with more digits where ten would show two different ones alike."""
    shown = number(left), number(right)
    if shown[0] == shown[1]:
        for digits in range(15, _MOST_DIGITS, 5):
            ends = [
                _digits(end, digits)
                for end in (
                    left.exact_lower,
                    left.exact_upper,
                    right.exact_lower,
                    right.exact_upper,
                )
            ]
            if ends[0] == ends[1] != ends[2] == ends[3]:
                return ends[0], ends[2]
    return shown


def _digits(end: Fraction | float, digits: int) -> str:
    if not isinstance(end, Fraction):
        return str(end)
    with localcontext(prec=digits):
        return f"{(Decimal(end.numerator) / Decimal(end.denominator)).normalize():g}"
