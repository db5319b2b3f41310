"""The lists a person types: costs and probabilities."""

import difflib
import math
import re
from fractions import Fraction

import numpy as np

from ..errors import InvalidInput
from ..problem.blocks import Blocks
from ..reals import MOST_CHARACTERS, Reals, parse_reals
from ..validation import check_costs, check_probabilities
from .request import printable

_FRACTION = re.compile(r"[+-]?[0-9]+ */ *[0-9]+")


def parse_numbers(text: str, name: str) -> list[Fraction]:
    """Finite numbers with commas between them, decimals or fractions, exactly as typed.

    Parameters
    ----------
    text : str
        What was typed.
    name : str
        What the numbers are, for messages.

    Examples
    --------
    >>> parse_numbers("10, 2.5,1/3", "costs")
    [Fraction(10, 1), Fraction(5, 2), Fraction(1, 3)]
    """
    numbers = []
    for position, item in enumerate(_items(text, name), start=1):
        number = _number(item)
        if number is None:
            raise InvalidInput(
                f"{name} must be finite numbers with commas between them",
                f"{printable(item)!r} at position {position}",
                "such as 10,2.5,1e-3",
            )
        numbers.append(number)
    return numbers


def _number(item: str) -> Fraction | None:
    try:
        if _FRACTION.fullmatch(item) and len(item) <= MOST_CHARACTERS:
            return Fraction(item.replace(" ", ""))
        near, exact = parse_reals([item])
        if not math.isfinite(near[0]) or (near[0] == 0 and exact[0] != 0):  # its fraction could fill the memory
            return None
        return Fraction(exact[0])
    except (ValueError, ZeroDivisionError):
        return None


def parse_costs(text: str, blocks: Blocks) -> Reals:
    """Positive costs, one per block, exactly as typed.

    Parameters
    ----------
    text : str
        ``size`` (the block sizes over d), ``equal`` (1/B each), or numbers with commas between them.
    blocks : Blocks
        The blocks that are paid for.

    Examples
    --------
    >>> parse_costs("size", Blocks((1, 3))).near, parse_costs("1,4", Blocks((1, 3))).near
    (array([0.25, 0.75]), array([1., 4.]))
    """
    word = text.strip()
    if word == "size":
        return blocks.shares
    near = difflib.get_close_matches(word, ("size", "equal"), n=1) if word != "equal" else []
    if near:
        raise InvalidInput(
            "costs must be finite numbers, 'size' or 'equal'", repr(printable(word)), f"costs={near[0]!r}"
        )
    given = [Fraction(1, blocks.count)] * blocks.count if word == "equal" else parse_numbers(text, "costs")
    return check_costs(np.array(given, dtype=object), blocks.count)


def parse_probabilities(text: str, blocks: Blocks) -> Reals:
    """Probabilities in (0, 1], one per block.

    Examples
    --------
    >>> parse_probabilities("0.5,1", Blocks((1, 3))).near
    array([0.5, 1. ])
    """
    return check_probabilities(np.array(parse_numbers(text, "probabilities"), dtype=object), blocks.count)


def _items(text: str, name: str) -> list[str]:
    items = [item.strip() for item in text.split(",")]
    if "" in items:
        found = "nothing" if not text.strip() else f"nothing at position {items.index('') + 1} of {printable(text)!r}"
        raise InvalidInput(f"{name} must have a number between commas", found, "such as 10,50,250")
    return items
