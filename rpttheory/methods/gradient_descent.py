"""Gradient descent: every block at every step."""

from dataclasses import dataclass

import numpy as np

from ..problem.quantities import lambda_max
from ..reals import FloatArray
from .method import Engine, IndexArray, Method, Setting
from .schedule import BlockEngine, Schedule, Update
from .stepsize import allowed_stepsize


@dataclass(frozen=True, eq=False)
class GradientDescent(Method):
    """x <- x - gamma f'(x); a step costs the sum of all costs.

    Parameters
    ----------
    stepsize : float, optional
        1 / L_max by default: the theorems on SkGD with all probabilities 1.
    unsafe : bool
        Allow a stepsize above 1 / L_max.
    """

    stepsize: float | None = None
    unsafe: bool = False

    @property
    def name(self) -> str:
        return "GD"

    def start(self, setting: Setting, x0: FloatArray) -> Engine:
        top = lambda_max(setting.objective.smoothness)
        gamma = allowed_stepsize(top, self.stepsize, unsafe=self.unsafe, rule="1/L_max")
        return BlockEngine(setting, x0, _EveryBlock(np.full(setting.blocks.count, gamma.value)), str(gamma))


class _EveryBlock(Schedule):
    def __init__(self, stepsizes: FloatArray) -> None:
        self._stepsizes = stepsizes

    def draw(self, first: int, rng: np.random.Generator) -> IndexArray:
        return np.zeros(self.chunk_size, dtype=np.intp)

    def update(self, outcome: int) -> Update:
        return Update(np.ones(self._stepsizes.size, dtype=np.bool_), self._stepsizes)
