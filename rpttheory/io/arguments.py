"""The lists a person types: block sizes, costs and probabilities."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from ..blocks import Blocks
from ..errors import InvalidInput
from ..validation import check_costs, check_probabilities
from .request import printable

FloatArray = NDArray[np.float64]

EACH = "each"
_SIZES = re.compile(r"(?:([0-9]+) *[xX] *)?([0-9]+)")
_MOST_DIGITS = 18
_KEEP = 1e-12


def parse_numbers(text: str, name: str) -> list[float]:
    """Finite numbers with commas between them.

    Parameters
    ----------
    text : str
        What was typed.
    name : str
        What the numbers are, for messages.

    Examples
    --------
    >>> parse_numbers("10, 2.5,1e-3", "costs")
    [10.0, 2.5, 0.001]
    """
    numbers = []
    for position, item in enumerate(_items(text, name), start=1):
        try:
            number = math.nan if "_" in item or not item.isascii() else float(item)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InvalidInput(
                f"{name} must be finite numbers with commas between them",
                f"{printable(item)!r} at position {position}",
                "such as 10,2.5,1e-3",
            )
        numbers.append(number)
    return numbers


def parse_blocks(text: str, dimension: int) -> Blocks:
    """Block sizes that add up to the dimension.

    Parameters
    ----------
    text : str
        Sizes with commas between them; ``20x50`` means 20 blocks of size 50; ``each`` means one block per coordinate.
    dimension : int
        The number of coordinates.

    Examples
    --------
    >>> parse_blocks("10,3x5", 25).sizes
    (10, 5, 5, 5)
    >>> parse_blocks("each", 3).sizes
    (1, 1, 1)
    """
    if text.strip() == EACH:
        return Blocks.singletons(dimension)
    runs = [_run(item, position) for position, item in enumerate(_items(text, "block sizes"), start=1)]
    blocks, total = sum(count for count, _ in runs), sum(count * size for count, size in runs)
    if total != dimension:  # told before the list is made: 999999999x1 must not allocate
        raise InvalidInput(
            f"block sizes must add up to the dimension of L, {dimension}",
            f"{blocks} block(s) that add up to {total}",
            f"sizes that add up to {dimension}",
        )
    return Blocks([size for count, size in runs for _ in range(count)])


def parse_costs(text: str, blocks: Blocks) -> FloatArray:
    """Positive costs, one per block, that add up to 1.

    Parameters
    ----------
    text : str
        ``size`` (the block sizes), ``equal``, or numbers with commas between them.
    blocks : Blocks
        The blocks that are paid for.

    Returns
    -------
    ndarray
        The costs divided by their sum, or exactly as given if they add up to 1 within 1e-12: who types
        1/3 to sixteen digits means those digits.

    Examples
    --------
    >>> parse_costs("size", Blocks((1, 3)))
    array([0.25, 0.75])
    """
    word = text.strip()
    if word == "size":
        given: list[float] = [float(size) for size in blocks.sizes]
    elif word == "equal":
        given = [1.0] * blocks.count
    else:
        given = parse_numbers(text, "costs")
    costs = check_costs(given, blocks.count)
    try:
        total = math.fsum(costs)
    except OverflowError:
        total = math.inf
    if abs(total - 1) <= _KEEP:
        return costs
    with np.errstate(over="ignore", under="ignore"):
        shares = costs / total
    if not (np.isfinite(shares).all() and (shares > 0).all()):
        raise InvalidInput(
            "costs must have representable shares of their sum",
            f"between {costs.min():g} and {costs.max():g}",
            "costs that span fewer orders of magnitude",
        )
    return check_costs(shares, blocks.count)


def parse_probabilities(text: str, blocks: Blocks) -> FloatArray:
    """Probabilities in (0, 1], one per block.

    Examples
    --------
    >>> parse_probabilities("0.5,1", Blocks((1, 3)))
    array([0.5, 1. ])
    """
    return check_probabilities(parse_numbers(text, "probabilities"), blocks.count)


def _items(text: str, name: str) -> list[str]:
    items = [item.strip() for item in text.split(",")]
    if "" in items:
        found = "nothing" if not text.strip() else f"nothing at position {items.index('') + 1} of {printable(text)!r}"
        raise InvalidInput(f"{name} must have a number between commas", found, "such as 10,50,250")
    return items


def _run(item: str, position: int) -> tuple[int, int]:
    """How many blocks of which size one item means."""
    match = _SIZES.fullmatch(item)
    if match is None:
        raise InvalidInput(
            "block sizes must be whole numbers",
            f"{printable(item)!r} at position {position}",
            "10,50,250 or 20x50 (20 blocks of size 50) or each",
        )
    if max(len(digits) for digits in match.groups(default="1")) > _MOST_DIGITS:
        raise InvalidInput(
            "block sizes must be of sensible length", f"{printable(item)!r} at position {position}", "10,50"
        )
    count, size = (int(digits) for digits in match.groups(default="1"))
    if count < 1 or size < 1:
        raise InvalidInput(
            "block sizes must be at least 1", f"{printable(item)!r} at position {position}", "leave empty blocks out"
        )
    return count, size
