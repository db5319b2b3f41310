"""The point that a method changes in place, and the update x_k <- x_k - s_k f'_k(x)."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from ..numbers.exact_array import FloatArray
from ..objectives import Action, Objective
from ..problem.blocks import Blocks
from ..problem.sampling import BoolArray


def cache_size(block_count: int) -> int:
    """The number of steps to keep for another use: their masks fill at most 16 MB."""
    return max(16, min(4096, 2**24 // block_count))


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a method.

    Attributes
    ----------
    active : array of bool
        The blocks that the step visits and pays for.
    stepsizes : array
        One per block. An active block with stepsize 0 stays where it is; entries of other blocks
        are ignored.
    theory : str
        The stepsize and the statement that allows it.
    """

    active: BoolArray
    stepsizes: FloatArray
    theory: str = ""


class Iterate(ABC):
    """A point that steps change in place; each step is compiled once into calls on slices."""

    def __init__(self, blocks: Blocks) -> None:
        self.action = lru_cache(cache_size(blocks.count))(self.compile)

    @abstractmethod
    def compile(self, step: Step) -> Action:
        """Return a function that makes the step, with all slices cut beforehand."""

    @abstractmethod
    def point(self) -> FloatArray:
        """The current iterate, not to be changed by the caller."""

    @abstractmethod
    def refresh(self) -> None:
        """Compute cached products anew, so that rounding errors do not accumulate."""


class PlainIterate(Iterate):
    """x with the update x_k <- x_k - s_k f'_k(x) for active k, all gradients taken at the old x.

    A step computes the gradient of its active blocks only and touches nothing else.
    """

    def __init__(self, objective: Objective, blocks: Blocks, x0: FloatArray) -> None:
        super().__init__(blocks)
        self._objective = objective
        self._blocks = blocks
        self._x = x0
        self._step = np.empty_like(x0)
        self._cache = objective.product_cache(x0)
        # If f'(x) = h x, stepsize and h are multiplied once and for all.
        h = objective.diagonal
        self._h = h if h is not None and not objective.gradient(np.zeros_like(x0)).any() else None
        # Most methods have one vector of stepsizes, progressive training one per stage.
        self._stepsizes: FloatArray | None = None
        self._scale = x0

    def point(self) -> FloatArray:
        return self._x

    def refresh(self) -> None:
        if self._cache is not None:
            self._cache.refresh()

    def compile(self, step: Step) -> Action:
        if step.stepsizes is not self._stepsizes:
            self._stepsizes = step.stepsizes
            self._scale = np.repeat(step.stepsizes, self._blocks.sizes)
            if self._h is not None:
                self._scale *= self._h
        evaluations: list[Action] = []
        updates: list[Action] = []
        for start, stop in contiguous_runs(self._blocks, step.active & (step.stepsizes > 0)):
            x = self._x[start:stop]
            scale = self._scale[start:stop]
            change = self._step[start:stop]
            updates.append(partial(np.subtract, x, change, x))
            if self._h is not None:
                evaluations.append(partial(np.multiply, scale, x, change))
                continue
            if self._cache is None:
                evaluations.append(self._objective.gradient_action(self._x, start, stop, change))
            else:
                evaluations.append(self._cache.gradient_action(start, stop, change))
                updates.append(self._cache.update_action(start, stop, change))
            evaluations.append(partial(np.multiply, change, scale, change))
        return _in_sequence(evaluations + updates)


def contiguous_runs(blocks: Blocks, active: BoolArray) -> list[tuple[int, int]]:
    """The coordinates of the active blocks as ranges (start, stop), neighbors merged."""
    padded = np.concatenate(([False], active, [False]))
    edges = np.flatnonzero(np.diff(padded.astype(np.int8)))
    bounds = np.append(blocks.starts, blocks.dimension)
    return [(int(bounds[first]), int(bounds[last])) for first, last in edges.reshape(-1, 2)]


def _in_sequence(actions: list[Action]) -> Action:
    """Return one function that calls all."""

    def every() -> None:
        for action in actions:
            action()

    return every
