"""Plain aligned text: it reads the same in a terminal, a pipe and a file."""

import textwrap
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import zip_longest

from ..numbers import Bracket
from ..numbers.decimals import decimal_ceiling, decimal_floor

_MOST_DIGITS = 30
# A column that is fitted to a terminal keeps at least this much of its text beside the others.
_LEAST_COLUMN = 12

Paint = Callable[[str], str]
Cells = Sequence[Sequence[str]]


def table(
    rows: Cells,
    *,
    right: frozenset[int] = frozenset(),
    width: int | None = None,
    paint: Paint = str,
) -> list[str]:
    """Rows padded to columns two spaces apart; columns in `right` are aligned to the right.

    Parameters
    ----------
    width : int, optional
        Characters a line may have: cells are then wrapped between words, and columns that still
        find no room follow below, after the first column again. Nothing is left out.
    paint : callable, optional
        What a cell becomes once it has its place, such as the same in colour.
    """
    widths = fitted(rows, right, width)
    if len(widths) < len(rows[0]):
        kept = [[row[0], *row[len(widths) :]] for row in rows]
        beyond = frozenset({0} & right) | {
            1 + index - len(widths) for index in right if index >= len(widths)
        }
        first = table([row[: len(widths)] for row in rows], right=right, width=width, paint=paint)
        return [*first, "", *table(kept, right=beyond, width=width, paint=paint)]
    lines = []
    for row in rows:
        wrapped = [wrap(cell, room) for cell, room in zip(row, widths, strict=True)]
        for parts in zip_longest(*wrapped, fillvalue=""):
            cells = [
                " " * (room - len(part)) + paint(part)
                if column in right
                else paint(part) + " " * (room - len(part))
                for column, (part, room) in enumerate(zip(parts, widths, strict=True))
            ]
            lines.append(("  " + "  ".join(cells)).rstrip())
    return lines


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """The text in lines of at most so many characters where its words allow it, as it is where it
    is short enough.
    """
    if len(text) <= width:
        return [text]
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def fitted(rows: Cells, right: frozenset[int], width: int | None) -> list[int]:
    """The widths of the columns, or of the first few where all of them do not fit."""
    natural = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if width is None or sum(natural) + 2 * len(natural) <= width:
        return natural
    least = []
    for column, (head, *cells) in enumerate(zip(*rows, strict=True)):
        whole = cells if column in right else [word for cell in cells for word in cell.split()]
        longest = max(map(len, [*head.split(), *whole]), default=0)
        least.append(max(longest, min(natural[column], 0 if column in right else _LEAST_COLUMN)))
    count = len(least)
    while count > 2 and sum(least[:count]) + 2 * count > width:
        count -= 1
    widths = least[:count]
    for _ in range(width - 2 * count - sum(widths)):
        column = max(range(count), key=lambda index: natural[index] - widths[index])
        widths[column] = min(widths[column] + 1, natural[column])
    return widths


def number(bracket: Bracket, most: int = 10) -> str:
    """Return as many digits as both ends round to alike, at most `most`; or the two ends, rounded
    outwards.
    """
    for digits in range(most, 2, -1):
        low = f"{bracket.lower:.{digits}g}"
        high = f"{bracket.upper:.{digits}g}"
        if low == high:
            return low
    return f"[{decimal_floor(bracket.low, 4)}, {decimal_ceiling(bracket.high, 4)}]"


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
