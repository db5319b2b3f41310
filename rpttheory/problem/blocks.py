"""Blocks of coordinates, and the order in which the PT-sketch admits them.

`BlockOrder` is the only place that knows the paper's permutation sigma. The paper reads it in two
inverse ways: `def:PTsketch` and the matrix P use it as block -> rank, the expected cost and
`lem:upperBound` use it as rank -> block. They agree only for involutions. Everywhere else in this
package probabilities, costs and smoothness constants are stored per block.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput
from ..numbers.exact_array import ExactArray, FloatArray, exact_array

Reading = Literal["block->rank", "rank->block"]


@dataclass(frozen=True)
class Blocks:
    """A partition of d coordinates into blocks, consecutive unless made by `from_labels`.

    Parameters
    ----------
    sizes : sequence of int
        Block sizes d_1, ..., d_B, all positive.

    Attributes
    ----------
    names : tuple of str
        Names of the blocks; empty if they have only numbers.
    arrangement : tuple of int
        The coordinates block by block; empty if blocks are consecutive.

    Examples
    --------
    >>> blocks = Blocks((1, 2))
    >>> blocks.expand([0.5, 1.0])
    array([0.5, 1. , 1. ])
    """

    sizes: tuple[int, ...]
    names: tuple[str, ...] = ()
    arrangement: tuple[int, ...] = ()

    def __init__(self, sizes: Sequence[int] | NDArray[np.integer]) -> None:
        checked = list(sizes) if isinstance(sizes, Sequence) or np.ndim(sizes) else []
        if not checked:
            raise InvalidInput(
                "must be a list of sizes",
                repr(sizes)[:80],
                "one size per block, such as 2,3",
                argument="blocks",
            )
        for position, size in enumerate(checked):
            is_whole = isinstance(size, (int, np.integer)) and not isinstance(size, bool)
            if not is_whole or size < 1:
                raise InvalidInput(
                    "must be whole numbers, at least 1",
                    f"{size!r} at position {position}",
                    "sizes such as 2,3, without empty blocks",
                    argument="blocks",
                )
        object.__setattr__(self, "sizes", tuple(map(int, checked)))

    @classmethod
    def from_labels(cls, labels: Sequence[Hashable] | NDArray[np.generic]) -> Blocks:
        """Return blocks of the coordinates with the same label, in the order in which labels first
        appear.

        Parameters
        ----------
        labels : sequence
            One label per coordinate: names, numbers or other hashable values.

        Examples
        --------
        >>> blocks = Blocks.from_labels(["a", "b", "a"])
        >>> blocks.sizes, blocks.names, blocks.arrangement
        ((2, 1), ('a', 'b'), (0, 2, 1))
        """
        members: dict[Hashable, list[int]] = {}
        if not isinstance(labels, Iterable) or (
            isinstance(labels, np.ndarray) and labels.ndim != 1
        ):
            raise InvalidInput(
                "must be a list", repr(labels)[:80], "one label per coordinate", argument="labels"
            )
        for place, label in enumerate(
            labels.tolist() if isinstance(labels, np.ndarray) else labels
        ):
            if _is_missing(label):
                raise InvalidInput(
                    "must be names or numbers",
                    f"{label!r} at position {place}"[:80],
                    "one each",
                    argument="labels",
                )
            members.setdefault(label, []).append(place)
        if not members:
            raise InvalidInput(
                "must not be empty", "no label", "one label per coordinate", argument="labels"
            )
        blocks = cls([len(places) for places in members.values()])
        arrangement = tuple(place for places in members.values() for place in places)
        object.__setattr__(blocks, "names", tuple(map(str, members)))
        if arrangement != tuple(range(len(arrangement))):
            object.__setattr__(blocks, "arrangement", arrangement)
        return blocks

    def consecutive(self) -> Blocks:
        """Return blocks of the same sizes and names for coordinates in the order of the blocks."""
        blocks = Blocks(self.sizes)
        object.__setattr__(blocks, "names", self.names)
        return blocks

    def name(self, block: int) -> str:
        """Return the name of a block, or its number if it has none."""
        return self.names[block] if self.names else str(block)

    @classmethod
    def singletons(cls, dimension: int) -> Blocks:
        """Return one block per coordinate."""
        return cls([1] * dimension)

    @property
    def count(self) -> int:
        """Number of blocks, B."""
        return len(self.sizes)

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def dimension(self) -> int:
        """Number of coordinates, d."""
        return sum(self.sizes)

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """The coordinates of each block."""
        assert not self.arrangement, "the coordinates must be put in order first"
        ends = np.cumsum(self.sizes).tolist()
        return tuple(slice(end - size, end) for end, size in zip(ends, self.sizes, strict=True))

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """The first coordinate of each block, as `numpy.add.reduceat` takes them."""
        assert not self.arrangement, "the coordinates must be put in order first"
        starts = np.cumsum([0, *self.sizes[:-1]])
        starts.flags.writeable = False
        return starts

    @cached_property
    def labels(self) -> NDArray[np.intp]:
        """The block of each coordinate."""
        labels = np.repeat(np.arange(self.count), self.sizes)
        if self.arrangement:
            labels[list(self.arrangement)] = labels.copy()
        labels.flags.writeable = False
        return labels

    @cached_property
    def shares(self) -> ExactArray:
        """Block sizes over d: the default costs."""
        sizes, which = np.unique(self.sizes, return_inverse=True)
        shares = [Fraction(size, self.dimension) for size in sizes.tolist()]
        return exact_array(np.array(shares, dtype=object), "shares")[which]

    def expand(self, per_block: ArrayLike) -> FloatArray:
        """Repeat each block's value over the block's coordinates."""
        return _one_per_block(per_block, self.count)[self.labels]

    def restrict(self, x: FloatArray, block: int) -> FloatArray:
        """Return the part of x (or of its rows) that belongs to one block."""
        return x[self.slices[block]]

    def require_dimension(self, dimension: int) -> None:
        """Raise unless the sizes add up to `dimension`."""
        if self.dimension != dimension and self.names:
            raise InvalidInput(
                f"must have one label for each coordinate of L, {dimension} in all",
                f"{self.dimension} labels",
                f"{dimension} labels",
                argument="labels",
            )
        if self.dimension != dimension:
            raise wrong_total(self.count, self.dimension, dimension)


BlocksLike: TypeAlias = "Blocks | str | Sequence[int] | NDArray[np.integer]"


def _is_missing(label: object) -> bool:
    """Return whether a label is None, masked, NaN or another value that differs from itself or
    cannot be compared.
    """
    if label is None or label is np.ma.masked or not isinstance(label, Hashable):
        return True
    try:
        return bool(label != label)
    except (TypeError, ValueError, ArithmeticError):  # NA of pandas, a signaling NaN
        return True


def wrong_total(blocks: int, total: int, dimension: int) -> InvalidInput:
    """Return the error for sizes that do not add up to the dimension."""
    return InvalidInput(
        f"must add up to the dimension of L, {dimension}",
        f"{blocks} block(s) that add up to {total}",
        f"sizes that add up to {dimension}, or each",
        argument="blocks",
    )


@dataclass(frozen=True)
class BlockOrder:
    """The order in which a nested sampling admits blocks.

    Attributes
    ----------
    rank_to_block : tuple of int
        `rank_to_block[i]` is the block admitted i-th, both counting from 0.

    Examples
    --------
    The two readings of one sigma, a 3-cycle, are different orders:

    >>> BlockOrder.from_sigma((2, 3, 1), "rank->block").rank_to_block
    (1, 2, 0)
    >>> BlockOrder.from_sigma((2, 3, 1), "block->rank").rank_to_block
    (2, 0, 1)
    """

    rank_to_block: tuple[int, ...]

    def __init__(self, rank_to_block: Sequence[int] | NDArray[np.integer]) -> None:
        is_list = isinstance(rank_to_block, Sequence) or np.ndim(rank_to_block) > 0
        blocks = list(rank_to_block) if is_list else []
        whole = all(isinstance(block, (int, np.integer)) for block in blocks)
        if not blocks or not whole or sorted(blocks) != list(range(len(blocks))):
            raise InvalidInput(
                "must list every block exactly once, by number counting from 0",
                repr(blocks or rank_to_block)[:80],
                "a permutation such as 2,0,1",
                argument="order",
            )
        object.__setattr__(self, "rank_to_block", tuple(map(int, blocks)))

    @classmethod
    def from_probabilities(cls, probabilities: ArrayLike) -> BlockOrder:
        """Return the order of the nested sampling: descending p, ties in the order of blocks."""
        values = np.asarray(probabilities, dtype=np.float64)
        if values.ndim != 1 or np.isnan(values).any():
            raise InvalidInput(
                "an order needs one number per block",
                repr(probabilities)[:80],
                "numbers without NaN",
            )
        return cls(np.argsort(-values, kind="stable"))

    @classmethod
    def from_sigma(cls, sigma: Sequence[int], reading: Reading) -> BlockOrder:
        """Translate the paper's sigma (counting from 1) under the given reading."""
        order = cls([int(entry) - 1 for entry in sigma])
        return cls([index - 1 for index in order.sigma(reading)])

    def sigma(self, reading: Reading) -> tuple[int, ...]:
        """Return the paper's sigma (counting from 1) under the given reading."""
        if reading not in ("rank->block", "block->rank"):
            raise InvalidInput(
                "unknown reading of sigma", repr(reading), "'rank->block' or 'block->rank'"
            )
        indices = self.rank_to_block if reading == "rank->block" else self.block_to_rank
        return tuple(index + 1 for index in indices)

    @property
    def block_to_rank(self) -> tuple[int, ...]:
        """The rank at which each block is admitted."""
        ranks = [0] * len(self.rank_to_block)
        for rank, block in enumerate(self.rank_to_block):
            ranks[block] = rank
        return tuple(ranks)

    def per_block(self, ranked: ArrayLike) -> FloatArray:
        """Turn values listed by rank (p_1 >= p_2 >= ...) into values per block."""
        return _one_per_block(ranked, len(self.rank_to_block))[list(self.block_to_rank)]

    def by_rank(self, per_block: ArrayLike) -> FloatArray:
        """Turn values per block into values listed by rank."""
        return _one_per_block(per_block, len(self.rank_to_block))[list(self.rank_to_block)]


def _one_per_block(values: ArrayLike, count: int) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (count,):
        raise InvalidInput(
            "there must be one number per block", f"shape {array.shape}", f"{count} numbers"
        )
    return array
