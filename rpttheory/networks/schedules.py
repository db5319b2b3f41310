"""Families of probabilities and of stage lengths, as the paper's network experiment uses them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..blocks import BlockOrder
from ..errors import InvalidInput
from ..methods import ProgressiveTraining
from ..validation import FloatArray, read_only


def exponential(count: int, rate: float, *, order: BlockOrder | None = None) -> FloatArray:
    """1, rate, rate^2, ... along the order: the paper's exponentially decaying probabilities.

    Parameters
    ----------
    count : int
        Number of blocks, B.
    rate : float
        In (0, 1].
    order : BlockOrder, optional
        Which block comes first; the order of the blocks by default.

    Examples
    --------
    >>> exponential(3, 0.5, order=BlockOrder((2, 0, 1)))
    array([0.5 , 0.25, 1.  ])
    """
    _check_count(count)
    if not (math.isfinite(rate) and 0 < rate <= 1):
        raise InvalidInput("rate must lie in (0, 1]", repr(rate), "0.9, the paper's choice")
    return _per_block(float(rate) ** np.arange(count), order)


def linear(count: int, p_last: float, *, order: BlockOrder | None = None) -> FloatArray:
    """Evenly spaced probabilities from 1 down to `p_last` along the order.

    Examples
    --------
    >>> linear(3, 0.5)
    array([1.  , 0.75, 0.5 ])
    """
    _check_count(count)
    if not (math.isfinite(p_last) and 0 < p_last <= 1):
        raise InvalidInput("p_last must lie in (0, 1]", repr(p_last), "0.5")
    return _per_block(np.linspace(1.0, p_last, count), order)


def progfed_schedule(count: int, total: int) -> tuple[int, ...]:
    """ProgFed's stage lengths for `count` blocks and `total` steps: T/(2B) each, and the rest to the last.

    Examples
    --------
    >>> progfed_schedule(4, 80)
    (10, 10, 10, 50)
    """
    return tuple(ProgressiveTraining.progfed(total, count).lengths)


def _check_count(count: int) -> None:
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise InvalidInput(
            "the number of blocks must be a whole number of at least 1", repr(count), "len(labels.names)"
        )


def _per_block(ranked: NDArray[np.floating[Any]], order: BlockOrder | None) -> FloatArray:
    return read_only(np.asarray(ranked, dtype=np.float64) if order is None else order.per_block(ranked))
