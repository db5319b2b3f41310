"""The lists a person types, in a command or in a program: costs and probabilities."""

import difflib
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..numbers.checks import check_costs, check_probabilities
from ..numbers.exact_array import MOST_CHARACTERS, ExactArray, parse_decimals
from .blocks import Blocks

_FRACTION = re.compile(r"[+-]?[0-9]+ */ *[0-9]+")


def as_costs(given: Any, blocks: Blocks) -> ExactArray:
    """Costs per block: numbers, what `parse_costs` reads, or by default the sizes over d."""
    if isinstance(given, str):
        return parse_costs(given, blocks)
    return check_costs(blocks.shares if given is None else given, blocks.count)


def as_probabilities(given: Any, blocks: Blocks) -> ExactArray:
    """Probabilities per block: numbers, or numbers as text with commas between them."""
    if isinstance(given, str):
        return parse_probabilities(given, blocks)
    return check_probabilities(given, blocks.count)


def parse_numbers(text: str, name: str, example: str = "10,2.5,1e-3") -> list[Fraction]:
    """Finite numbers with commas between them, decimals or fractions, exactly as typed.

    Parameters
    ----------
    text : str
        What was typed.
    name, example : str
        What the numbers are, and some of them, for messages.

    Examples
    --------
    >>> parse_numbers("10, 2.5,1/3", "costs")
    [Fraction(10, 1), Fraction(5, 2), Fraction(1, 3)]
    """
    numbers = []
    for position, item in enumerate(_items(text, name, example), start=1):
        number = _number(item)
        if number is None:
            raise InvalidInput(
                "must be finite numbers with commas between them",
                f"{item[:60]!r} at position {position}",
                f"such as {example}",
                argument=name,
            )
        numbers.append(number)
    return numbers


def _number(item: str) -> Fraction | None:
    try:
        if _FRACTION.fullmatch(item) and len(item) <= MOST_CHARACTERS:
            return Fraction(item.replace(" ", ""))
        near, exact = parse_decimals([item])
        if not math.isfinite(near[0]) or (
            near[0] == 0 and exact[0] != 0
        ):  # its fraction could fill the memory
            return None
        return Fraction(exact[0])
    except (ValueError, ZeroDivisionError):
        return None


def parse_costs(text: str, blocks: Blocks) -> ExactArray:
    """Positive costs, one per block, exactly as typed.

    Parameters
    ----------
    text : str
        ``size`` (the block sizes over d), ``equal`` (1/B each), or numbers with commas between
        them.
    blocks : Blocks
        The blocks that are paid for.

    Examples
    --------
    >>> parse_costs("size", Blocks((1, 3))).float64, parse_costs("1,4", Blocks((1, 3))).float64
    (array([0.25, 0.75]), array([1., 4.]))
    """
    word = text.strip()
    if word == "size":
        return blocks.shares
    near = difflib.get_close_matches(word, ("size", "equal"), n=1) if word != "equal" else []
    if near:
        raise InvalidInput(
            "must be finite numbers, 'size' or 'equal'",
            repr(word),
            argument="costs",
            suggest={"costs": near[0]},
        )
    given = (
        [Fraction(1, blocks.count)] * blocks.count
        if word == "equal"
        else parse_numbers(text, "costs")
    )
    return check_costs(np.array(given, dtype=object), blocks.count)


def parse_probabilities(text: str, blocks: Blocks) -> ExactArray:
    """Probabilities in (0, 1], one per block.

    Examples
    --------
    >>> parse_probabilities("0.5,1", Blocks((1, 3))).float64
    array([0.5, 1. ])
    """
    return check_probabilities(
        np.array(parse_numbers(text, "probabilities", "0.5,1"), dtype=object), blocks.count
    )


def _items(text: str, name: str, example: str) -> list[str]:
    items = [item.strip() for item in text.split(",")]
    if "" in items:
        found = (
            "nothing"
            if not text.strip()
            else f"nothing at position {items.index('') + 1} of {text[:60]!r}"
        )
        raise InvalidInput(
            "must have a number between commas", found, f"such as {example}", argument=name
        )
    return items
