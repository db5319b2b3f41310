"""Cyclic block coordinate descent."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidInput
from ..problem.blocks import BlockOrder
from ..reals import FloatArray
from .method import Engine, IndexArray, Method, Setting, check_instance
from .schedule import BlockEngine, OneBlock
from .stepsize import block_stepsizes, stepsizes_in_words


@dataclass(frozen=True, eq=False)
class CyclicBlockDescent(Method):
    """CBCD: x_k <- x_k - f'_k(x) / L_k for k in turn; a step is one block and costs c_k.

    Beck and Tetruashvili, "On the convergence of block coordinate descent type methods", SIAM J. Optim. 23 (2013).

    Parameters
    ----------
    order : BlockOrder, optional
        The order within a cycle; by default that of the blocks.
    stepsizes : array, optional
        One per block, 1 / L_k by default.
    unsafe : bool
        Allow stepsizes above 1 / L_k.
    """

    order: BlockOrder | None = None
    stepsizes: ArrayLike | None = None
    unsafe: bool = False

    @property
    def name(self) -> str:
        return "CBCD"

    def start(self, setting: Setting, x0: FloatArray) -> Engine:
        count = setting.blocks.count
        order = tuple(range(count))
        if self.order is not None:
            order = check_instance(self.order, BlockOrder, "order").rank_to_block
        if len(order) != count:
            raise InvalidInput(
                f"the order must list all {count} blocks", f"{len(order)} blocks", "BlockOrder(range(B))"
            )
        schedule = _Cyclic(block_stepsizes(setting, self.stepsizes, unsafe=self.unsafe), np.array(order))
        return BlockEngine(setting, x0, schedule, stepsizes_in_words(self.stepsizes, "1/L_k for block k"))


class _Cyclic(OneBlock):
    def __init__(self, stepsizes: FloatArray, order: IndexArray) -> None:
        super().__init__(stepsizes)
        self._order = order

    def draw(self, first: int, rng: np.random.Generator) -> IndexArray:
        return self._order[np.arange(first, first + self.chunk_size) % self._order.size]
