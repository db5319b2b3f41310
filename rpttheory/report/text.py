"""Numbers and paragraphs as plain text."""

import textwrap
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

from ..numbers import Bracket
from ..numbers.decimals import decimal_ceiling, decimal_floor

_MOST_DIGITS = 30

Paint = Callable[[str], str]


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Return the text in lines of at most so many characters; no word is broken."""
    if len(text) <= width:
        return [text]
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def number(bracket: Bracket, most: int = 10) -> str:
    """Return as many digits as both ends share when rounded, or the two ends rounded outward."""
    for digits in range(most, 2, -1):
        low = f"{bracket.lower:.{digits}g}"
        high = f"{bracket.upper:.{digits}g}"
        if low == high:
            return low
    return f"[{decimal_floor(bracket.exact_lower, 4)}, {decimal_ceiling(bracket.exact_upper, 4)}]"


def sides(left: Bracket, right: Bracket) -> tuple[str, str]:
    """Return two numbers as text, with more digits if ten would print different ones alike."""
    texts = number(left), number(right)
    if texts[0] == texts[1]:
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
    return texts


def _digits(end: Fraction | float, digits: int) -> str:
    if not isinstance(end, Fraction):
        return str(end)
    with localcontext(prec=digits):
        return f"{(Decimal(end.numerator) / Decimal(end.denominator)).normalize():g}"
