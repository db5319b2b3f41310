"""Orders of blocks, and families of probabilities and of stage lengths, as the paper's network
experiment uses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..methods import PT
from ..numbers.checks import read_only
from ..numbers.exact_array import FloatArray
from ..problem.blocks import BlockOrder

GivenOrder = (
    BlockOrder | Sequence[int] | NDArray[np.integer] | Literal["input-first", "output-first"]
)


def exponential(count: int, rate: float, *, order: GivenOrder | None = None) -> FloatArray:
    """1, rate, rate^2, ... along the order: the paper's exponentially decaying probabilities.

    Parameters
    ----------
    count : int
        Number of blocks, B.
    rate : float
        In (0, 1].
    order : BlockOrder, list of int, "input-first" or "output-first", optional
        Which block comes first; the order of the blocks, which is input-first, by default.

    Examples
    --------
    >>> exponential(3, 0.5, order=BlockOrder((2, 0, 1)))
    array([0.5 , 0.25, 1.  ])
    """
    _check_count(count)
    if not _is_probability(rate):
        raise InvalidInput(
            "must lie in (0, 1]", repr(rate), "0.9, the paper's choice", argument="rate"
        )
    return _per_block(float(rate) ** np.arange(count), order)


def linear(count: int, p_last: float, *, order: GivenOrder | None = None) -> FloatArray:
    """Evenly spaced probabilities from 1 down to `p_last` along the order.

    Examples
    --------
    >>> linear(3, 0.5)
    array([1.  , 0.75, 0.5 ])
    """
    _check_count(count)
    if not _is_probability(p_last):
        raise InvalidInput("must lie in (0, 1]", repr(p_last), "0.5", argument="p_last")
    return _per_block(np.linspace(1.0, p_last, count), order)


def progfed_schedule(count: int, total: int) -> tuple[int, ...]:
    """ProgFed's stage lengths for `count` blocks and `total` steps: T/(2B) each, and the rest to
    the last.

    Examples
    --------
    >>> progfed_schedule(4, 80)
    (10, 10, 10, 50)
    """
    return tuple(PT.progfed(total, count).lengths)


def as_order(order: GivenOrder, count: int) -> BlockOrder:
    """An order of `count` blocks, given as such, by name, or as a list of their numbers."""
    if isinstance(order, BlockOrder):
        known = order
    elif isinstance(order, str) and order in ("input-first", "output-first"):
        known = BlockOrder(range(count) if order == "input-first" else range(count)[::-1])
    elif isinstance(order, (Sequence, np.ndarray)) and not isinstance(order, str):
        known = BlockOrder(order)
    else:
        raise InvalidInput(
            "must list blocks by number",
            repr(order)[:80],
            "'input-first', 'output-first', or such as [2, 0, 1]",
            argument="order",
        )
    if len(known.rank_to_block) != count:
        raise InvalidInput(
            f"must list all {count} blocks",
            f"{len(known.rank_to_block)} of them",
            "every block once, from 0",
            argument="order",
        )
    return known


def _is_probability(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and bool(0 < value <= 1)


def _check_count(count: int) -> None:
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise InvalidInput(
            "the number of blocks must be a whole number of at least 1",
            repr(count),
            "len(labels.names)",
        )


def _per_block(ranked: NDArray[np.floating[Any]], order: GivenOrder | None) -> FloatArray:
    values = np.asarray(ranked, dtype=np.float64)
    return read_only(values if order is None else as_order(order, values.size).per_block(values))
