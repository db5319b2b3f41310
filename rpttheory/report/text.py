"""Plain aligned text: it reads the same in a terminal, a pipe and a file."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from ..certify import Bracket

# Blocks listed one by one; beyond, the first and the last few.
_LISTED_BLOCKS = 12
_MOST_DIGITS = 30


def table(rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()) -> list[str]:
    """Rows padded to columns two spaces apart; columns in `right` are aligned to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def number(bracket: Bracket) -> str:
    """As many digits as both ends share, at most ten; or the two ends."""
    for digits in range(10, 2, -1):
        low, high = f"{bracket.lower:.{digits}g}", f"{bracket.upper:.{digits}g}"
        if low == high:
            return low
    return f"[{bracket.lower:.4g}, {bracket.upper:.4g}]"


def sides(left: Bracket, right: Bracket) -> tuple[str, str]:
    """Two numbers, with more digits where ten would show two different ones alike."""
    shown = number(left), number(right)
    if shown[0] == shown[1]:
        for digits in range(15, _MOST_DIGITS, 5):
            ends = [_digits(end, digits) for end in (left.low, left.high, right.low, right.high)]
            if ends[0] == ends[1] != ends[2] == ends[3]:
                return ends[0], ends[2]
    return shown


def _digits(end: Fraction | float, digits: int) -> str:
    if not isinstance(end, Fraction):
        return str(end)
    with localcontext(prec=digits):
        return f"{(Decimal(end.numerator) / Decimal(end.denominator)).normalize():g}"


def shown_blocks(count: int) -> list[int | None]:
    """The blocks a table lists: all, or the first and the last few with None for the gap."""
    if count <= _LISTED_BLOCKS:
        return list(range(count))
    return [*range(_LISTED_BLOCKS - 3), None, *range(count - 2, count)]
