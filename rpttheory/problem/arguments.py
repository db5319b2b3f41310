"""Parse blocks, orders, costs and probabilities, from a program or from the command line."""

import difflib
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from ..errors import InvalidInput
from ..numbers.checks import check_costs, check_probabilities
from ..numbers.exact_array import ExactArray, Numbers
from ..numbers.parse import parse_numbers
from .blocks import BlockOrder, Blocks, BlocksLike, wrong_total

OrderLike: TypeAlias = BlockOrder | Sequence[int] | str

_SIZES = re.compile(r"(?:([0-9]+) *[xX] *)?([0-9]+)")
_MOST_DIGITS = 18


def as_blocks(values: BlocksLike, dimension: int, *, scattered: bool = False) -> Blocks:
    """Return the blocks of a matrix with `dimension` coordinates.

    Parameters
    ----------
    values : Blocks, sequence of int or str
        Sizes that add up to the dimension. In text there are commas between them, ``20x50`` means
        20 blocks of size 50, and ``each`` one block per coordinate.
    dimension : int
        The number of coordinates.
    scattered : bool
        True if the caller accepts blocks that are not consecutive.

    Examples
    --------
    >>> as_blocks([1, 2], 3).sizes, as_blocks("10,3x5", 25).sizes, as_blocks("each", 3).sizes
    ((1, 2), (10, 5, 5, 5), (1, 1, 1))
    """
    if isinstance(values, str):
        values = _parse_sizes(values, dimension)
    blocks = values if isinstance(values, Blocks) else Blocks(values)
    blocks.require_dimension(dimension)
    if blocks.arrangement and not scattered:
        raise InvalidInput(
            "must be consecutive here",
            "labels in mixed order",
            "coordinates sorted by label",
            argument="blocks",
        )
    return blocks


def as_order(values: OrderLike, count: int) -> BlockOrder:
    """Return an order of `count` blocks, from a BlockOrder, from block numbers or from text.

    Examples
    --------
    >>> as_order("2,0,1", 3).rank_to_block
    (2, 0, 1)
    """
    if isinstance(values, str):
        numbers: list[Any] = parse_numbers(values, "order", "2,0,1")
        values = [int(number) if number == int(number) else number for number in numbers]
    order = values if isinstance(values, BlockOrder) else BlockOrder(values)
    if len(order.rank_to_block) != count:
        raise InvalidInput(
            f"must list all {count} blocks",
            f"{len(order.rank_to_block)} of them",
            "every block once, counting from 0",
            argument="order",
        )
    return order


def as_costs(values: Numbers | None, blocks: Blocks) -> ExactArray:
    """Return positive costs, one per block, exactly as given.

    Parameters
    ----------
    values : sequence of numbers, str or None
        Text is ``size`` (the block sizes over d, as is None), ``equal`` (1/B each), or numbers with
        commas between them.
    blocks : Blocks
        The blocks that are paid for.

    Examples
    --------
    >>> as_costs("size", Blocks((1, 3))).float64, as_costs("1,4", Blocks((1, 3))).float64
    (array([0.25, 0.75]), array([1., 4.]))
    """
    if isinstance(values, str):
        word = values.strip()
        close = difflib.get_close_matches(word, ("size", "equal"), n=1)
        if close and word != close[0]:
            raise InvalidInput(
                "must be finite numbers, 'size' or 'equal'",
                repr(word),
                argument="costs",
                suggest={"costs": close[0]},
            )
        if word == "equal":
            values = [Fraction(1, blocks.count)] * blocks.count
        else:
            values = (
                None
                if word == "size"
                else parse_numbers(values, "costs", "1,2.5,4 or size or equal")
            )
    return check_costs(blocks.shares if values is None else _as_objects(values), blocks.count)


def as_probabilities(values: Numbers, blocks: Blocks) -> ExactArray:
    """Return probabilities in (0, 1], one per block, from numbers or from text with commas.

    Examples
    --------
    >>> as_probabilities("0.5,1", Blocks((1, 3))).float64
    array([0.5, 1. ])
    """
    if isinstance(values, str):
        values = _as_objects(parse_numbers(values, "probabilities", "0.5,1"))
    return check_probabilities(values, blocks.count)


def _as_objects(values: Any) -> Any:
    """Return a list of fractions as an array of objects, and anything else as it is."""
    is_list = isinstance(values, list) and all(isinstance(value, Fraction) for value in values)
    return np.array(values, dtype=object) if is_list else values


def _parse_sizes(text: str, dimension: int) -> list[int]:
    if text.strip() == "each":
        return [1] * dimension
    items = [item.strip() for item in text.split(",")]
    runs = [_run(item, position) for position, item in enumerate(items, start=1)]
    blocks = sum(count for count, _ in runs)
    total = sum(count * size for count, size in runs)
    if total != dimension:  # before the list is made: 999999999x1 must not allocate
        raise wrong_total(blocks, total, dimension)
    return [size for count, size in runs for _ in range(count)]


def _run(item: str, position: int) -> tuple[int, int]:
    """Return the number of blocks and the size that one item stands for."""
    position_text = f"{item[:60]!r} at position {position}"
    match = _SIZES.fullmatch(item)
    if match is None:
        position_text = position_text if item else f"nothing at position {position}"
        remedy = "10,50,250 or 20x50 (20 blocks of size 50) or each"
        raise InvalidInput(
            "must be whole numbers separated by commas",
            position_text,
            remedy,
            argument="blocks",
        )
    if max(len(digits) for digits in match.groups(default="1")) > _MOST_DIGITS:
        raise InvalidInput("must have fewer digits", position_text, "10,50", argument="blocks")
    count, size = (int(digits) for digits in match.groups(default="1"))
    if count < 1 or size < 1:
        raise InvalidInput(
            "must be at least 1", position_text, "leave empty blocks out", argument="blocks"
        )
    return count, size
