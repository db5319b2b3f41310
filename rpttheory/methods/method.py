"""A method is an iterator of steps: which blocks are active, and with which stepsizes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..numbers.bracket import Bracket
from ..numbers.exact_array import FloatArray
from ..objectives import Objective
from ..problem import quantities
from ..problem.arguments import as_order
from ..problem.blocks import BlockOrder, Blocks
from ..problem.sampling import BoolArray
from .iterate import Iterate, PlainIterate, Step

# Random numbers are drawn for this many steps at once.
DRAWS = 1024


@dataclass(frozen=True, eq=False)
class Setting:
    """The problem that a method runs on.

    Attributes
    ----------
    objective : Objective
    blocks : Blocks
    costs : array
        One per block.
    total_cost : float
        The cost of a step that updates every block: the sum of the costs, rounded once.
    """

    objective: Objective
    blocks: Blocks
    costs: FloatArray
    total_cost: float

    @cached_property
    def block_L(self) -> tuple[Bracket, ...]:
        """The block constants L_k."""
        return quantities.block_L(self.objective.smoothness, self.blocks)

    def cost(self, active: BoolArray) -> float:
        """The cost of a step on these blocks."""
        return self.total_cost if active.all() else float(self.costs[active].sum())

    def order(self, requested: BlockOrder | Sequence[int] | None) -> BlockOrder:
        """The requested order of the blocks, by default that in which they are numbered."""
        count = self.blocks.count
        return as_order(range(count) if requested is None else requested, count)


class Method(ABC):
    """A method with its options.

    A subclass defines `name` and `steps`.

    Examples
    --------
    Gradient descent whose stepsizes are drawn at random:

    >>> from rpttheory import diagonal
    >>> from rpttheory.methods import run
    >>> from rpttheory.objectives import Quadratic
    >>> class RandomStepsizes(Method):
    ...     name = "random stepsizes"
    ...
    ...     def steps(self, setting, rng):
    ...         every_block = np.ones(setting.blocks.count, dtype=bool)
    ...         while True:
    ...             yield Step(every_block, np.full(setting.blocks.count, rng.uniform(0, 0.1)))
    >>> f = Quadratic(diagonal([9.0, 4.0]))
    >>> run(RandomStepsizes(), f, [1, 1], x0=[1.0, 1.0], steps=1000, tol=1e-6).status
    'converged'
    """

    name: ClassVar[str]

    @property
    def length(self) -> int | None:
        """The number of steps after which the method ends, None if it does not end."""
        return None

    @abstractmethod
    def steps(self, setting: Setting, rng: np.random.Generator) -> Iterator[Step]:
        """The steps in order; `Step` objects that recur are compiled only once."""

    def iterate(self, setting: Setting, x0: FloatArray) -> Iterate:
        """The sequences of points that the steps change; it may keep x0 and change it."""
        return PlainIterate(setting.objective, setting.blocks, x0)
