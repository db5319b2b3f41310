"""Numbers that a person writes as text, exactly as written: the only text-to-number code."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from ..errors import InvalidInput

# Longer numbers would make fractions that no computation can carry.
MOST_CHARACTERS = 1200
_FRACTION = re.compile(r"[+-]?[0-9]+ */ *[0-9]+")


def parse_decimals(cells: Sequence[str]) -> tuple[list[float], Sequence[float | Decimal]]:
    """Return decimals as the nearest doubles and as they are written.

    Both are the same list where the doubles are what is written. Raises ValueError if a cell is
    not a number. NaN and infinities are left to `exact_array.from_parsed`.
    """
    nearest = [float(cell) for cell in cells]
    if any(len(cell) > MOST_CHARACTERS or "_" in cell or not cell.isascii() for cell in cells):
        raise ValueError("not a number that every program reads alike")
    try:
        exact = [Decimal(cell.strip()) for cell in cells]
    except InvalidOperation:
        raise ValueError("an exponent that decimals cannot have") from None
    # Decimals and floats compare exactly.
    return nearest, nearest if all(a == b for a, b in zip(exact, nearest, strict=True)) else exact


def is_number(cell: str) -> bool:
    """Return whether `parse_decimals` takes a cell."""
    try:
        parse_decimals([cell])
    except ValueError:
        return False
    return True


def parse_numbers(text: str, name: str, example: str = "10,2.5,1e-3") -> list[Fraction]:
    """Return finite numbers with commas between them, decimals or fractions, exactly as typed.

    Parameters
    ----------
    text : str
        The numbers.
    name : str
        The argument they are for, which an error names.
    example : str
        Numbers to suggest in an error.

    Examples
    --------
    >>> parse_numbers("10, 2.5,1/3", "costs")
    [Fraction(10, 1), Fraction(5, 2), Fraction(1, 3)]
    """
    numbers = []
    for position, item in enumerate(text.split(","), start=1):
        number = _parse_number(item.strip())
        if number is None:
            detail = f"{item.strip()[:60]!r} at position {position} of {text[:60]!r}"
            raise InvalidInput(
                "must be finite and numeric",
                detail if item.strip() else f"nothing at position {position} of {text[:60]!r}",
                f"such as {example}",
                argument=name,
            )
        numbers.append(number)
    return numbers


def _parse_number(item: str) -> Fraction | None:
    try:
        if _FRACTION.fullmatch(item) and len(item) <= MOST_CHARACTERS:
            return Fraction(item.replace(" ", ""))
        (nearest,), (exact,) = parse_decimals([item])
        # The fraction of a number below the doubles could fill the memory.
        if not math.isfinite(nearest) or (nearest == 0 and exact != 0):
            return None
        return Fraction(exact)
    except (ValueError, ZeroDivisionError):
        return None
