"""Which blocks are active at a step: drawn at random (RPT), or by stages (progressive training).

Both are functions of a key and of the step's number alone, so the transformation, which masks a
full gradient, and the compiled steps, which never compute the rest, see the same sets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput
from ..numbers.checks import check_probabilities, read_only
from ..numbers.exact_array import FloatArray
from ..problem.blocks import BlockOrder
from ..problem.sampling import NestedSampling
from .schedules import GivenOrder, as_order

# Random bits per draw: a block of probability p is active for exactly round(2^64 p) of the 2^64
# values.
_BITS = 64


class Draw(ABC):
    """A rule for the active set; sets are nested along `order`."""

    order: BlockOrder
    factors: FloatArray

    @abstractmethod
    def active(self, key: jax.Array, step: jax.Array) -> jax.Array:
        """One bool per block, for a key of this step alone and the number of the step."""

    @abstractmethod
    def outcomes(self) -> list[NDArray[np.bool_]]:
        """The sets that can occur."""


@dataclass(frozen=True, eq=False, init=False)
class Randomized(Draw):
    """RPT's nested draw: block k is active where p_k exceeds one uniform number, with factor 1/p_k.

    Parameters
    ----------
    probabilities : array
        One per block, in (0, 1].
    order : BlockOrder, list of int, "input-first" or "output-first", optional
        Raise unless the probabilities fall (or stay) along it; by default the order they have.

    Paper: def:PTsketch
    """

    probabilities: FloatArray
    order: BlockOrder
    factors: FloatArray

    def __init__(self, probabilities: ArrayLike, *, order: GivenOrder | None = None) -> None:
        p = check_probabilities(probabilities).float64
        if (p < 2.0**-60).any():
            at = int(np.argmin(p))
            raise InvalidInput(
                "must be at least 2^-60",
                f"{p[at]:g} for block {at}",
                "leave the block out of training",
                argument="probabilities",
            )
        object.__setattr__(self, "probabilities", p)
        object.__setattr__(self, "order", _checked_order(p, order))
        object.__setattr__(self, "factors", read_only(1.0 / p))

    def active(self, key: jax.Array, step: jax.Array) -> jax.Array:
        # A float32 uniform number knows 2^24 values, too few for small p: two words of random bits
        # do.
        high, low = jax.random.bits(key, (2,), jnp.uint32)
        last = [round(Fraction(p) * 2**_BITS) - 1 for p in self.probabilities.tolist()]
        top = jnp.array([value >> 32 for value in last], jnp.uint32)
        rest = jnp.array([value & 0xFFFFFFFF for value in last], jnp.uint32)
        active: jax.Array = (high < top) | ((high == top) & (low <= rest))
        return active

    def outcomes(self) -> list[NDArray[np.bool_]]:
        return [outcome.active for outcome in NestedSampling(self.probabilities).support()]


@dataclass(frozen=True, eq=False, init=False)
class Progressive(Draw):
    """Progressive training: lengths[b] steps on the first b + 1 blocks of the order, the last stage
    without end.

    Paper: alg:MAIN-COMPACT
    """

    lengths: tuple[int, ...]
    order: BlockOrder
    factors: FloatArray

    def __init__(self, lengths: Any, *, order: GivenOrder | None = None) -> None:
        given = list(lengths) if isinstance(lengths, (Sequence, np.ndarray)) else []
        whole = all(
            isinstance(T, (int, np.integer)) and not isinstance(T, bool) and T >= 0 for T in given
        )
        if not given or not whole:
            raise InvalidInput(
                "lengths must be whole numbers, one per block",
                repr(lengths)[:80],
                "progfed_schedule(B, total)",
            )
        object.__setattr__(self, "lengths", tuple(int(T) for T in given))
        natural = BlockOrder(range(len(given)))
        object.__setattr__(self, "order", natural if order is None else as_order(order, len(given)))
        object.__setattr__(self, "factors", read_only(np.ones(len(given))))

    def active(self, key: jax.Array, step: jax.Array) -> jax.Array:
        ends = jnp.array(
            [min(end, np.iinfo(np.int32).max) for end in accumulate(self.lengths[:-1])], jnp.int32
        )
        stage = jnp.sum(ends <= step)
        return jnp.asarray(self.order.block_to_rank) <= stage

    def outcomes(self) -> list[NDArray[np.bool_]]:
        ranks = np.array(self.order.block_to_rank)
        stages = [b for b, T in enumerate(self.lengths) if T or b == len(self.lengths) - 1]
        return [ranks <= stage for stage in stages]


def as_draw(schedule: Draw | ArrayLike, count: int, order: GivenOrder | None) -> Draw:
    """A rule as it is, or probabilities per block as `Randomized`; checked to be for `count`
    blocks.
    """
    if isinstance(schedule, Draw):
        if schedule.factors.size != count:
            raise InvalidInput(
                f"the schedule must be for {count} blocks",
                f"{schedule.factors.size}",
                "one entry per block",
            )
        if order is not None and as_order(order, count) != schedule.order:
            raise InvalidInput(
                "order is part of the schedule", "another order beside it", "one of the two"
            )
        return schedule
    return Randomized(check_probabilities(schedule, count).float64, order=order)


def _checked_order(p: FloatArray, order: GivenOrder | None) -> BlockOrder:
    if order is None:
        return BlockOrder.from_probabilities(p)
    known = as_order(order, p.size)
    ranked = known.by_rank(p)
    if (np.diff(ranked) > 0).any():
        at = int(np.argmax(np.diff(ranked) > 0))
        first, second = known.rank_to_block[at : at + 2]
        raise InvalidInput(
            "must not rise along the order",
            f"{ranked[at]:g} for block {first}, then {ranked[at + 1]:g} for block {second}",
            "probabilities that fall along it, or another order",
            argument="probabilities",
        )
    return known
