"""Numbers and paragraphs as plain text."""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from ..numbers import Bracket
from ..numbers.decimals import decimal_ceiling, decimal_floor

_MOST_DIGITS = 30
# The width of text that is not printed on a terminal.
WIDTH = 80

Paint = Callable[[str], str]


@dataclass(frozen=True)
class Detail:
    """The amount of detail in a report.

    Parameters
    ----------
    digits : int
        Significant digits of a number.
    verbose : bool
        Also show how the numbers were computed.
    """

    digits: int = 6
    verbose: bool = False


BRIEF = Detail()


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Return the text in lines of at most so many characters; no word is broken."""
    if len(text) <= width:
        return [text]
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def number(bracket: Bracket, digits: int = BRIEF.digits) -> str:
    """Return as many digits as both ends share when rounded, or the two ends rounded outward."""
    for shared in range(digits, 2, -1):
        low = f"{bracket.lower:.{shared}g}"
        high = f"{bracket.upper:.{shared}g}"
        if low == high:
            return low
    return f"[{decimal_floor(bracket.exact_lower, 4)}, {decimal_ceiling(bracket.exact_upper, 4)}]"


def sides(left: Bracket, right: Bracket, digits: int = BRIEF.digits) -> tuple[str, str]:
    """Return two numbers as text, with more digits if so few would print different ones alike."""
    texts = number(left, digits), number(right, digits)
    if texts[0] == texts[1]:
        for more in range(digits, _MOST_DIGITS, 3):
            ends = [
                _digits(end, more)
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
