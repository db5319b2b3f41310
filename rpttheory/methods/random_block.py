"""Randomised block coordinate descent: one block per step."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidInput
from ..objectives import as_number
from ..problem.quantities import block_smoothness
from ..reals import FloatArray
from .method import Engine, IndexArray, Method, Setting
from .schedule import BlockEngine, OneBlock
from .stepsize import block_stepsizes, is_flat, stepsizes_in_words


@dataclass(frozen=True, eq=False)
class RandomBlockDescent(Method):
    """One random block per step, x_k <- x_k - f'_k(x) / L_k with probability proportional to L_k^exponent.

    Nesterov, "Efficiency of coordinate descent methods on huge-scale optimization problems", SIAM J. Optim. 22 (2012).

    Parameters
    ----------
    exponent : float
        1/2 by default; 0 is uniform, 1 is best for the strongly convex bound.
    stepsizes : array, optional
        One per block, 1 / L_k by default.
    unsafe : bool
        Allow stepsizes above 1 / L_k.
    """

    exponent: float = 0.5
    stepsizes: ArrayLike | None = None
    unsafe: bool = False

    @property
    def name(self) -> str:
        return "RBCD"

    def start(self, setting: Setting, x0: FloatArray) -> Engine:
        exponent = as_number(self.exponent)
        if not (math.isfinite(exponent) and exponent >= 0):
            raise InvalidInput("the exponent must be finite and not negative", repr(self.exponent), "exponent=0.5")
        schedule = _SingleBlock(
            block_stepsizes(setting, self.stepsizes, unsafe=self.unsafe), single_block_law(setting, exponent)
        )
        return BlockEngine(setting, x0, schedule, stepsizes_in_words(self.stepsizes, "1/L_k for block k"))


def single_block_law(setting: Setting, exponent: float) -> FloatArray:
    """Probabilities proportional to L_k^exponent; blocks without curvature are never drawn (uniform if all are)."""
    brackets = block_smoothness(setting.objective.smoothness, setting.blocks)
    constants = np.array([0.0 if is_flat(bracket) else bracket.upper for bracket in brackets])
    if not constants.any():
        return np.full(constants.size, 1 / constants.size)
    weights = np.where(constants > 0, (constants / constants.max()) ** exponent, 0.0)
    return np.asarray(weights / weights.sum())


def draw_blocks(probabilities: FloatArray, size: int, rng: np.random.Generator) -> IndexArray:
    """Blocks by inversion of the distribution function, whose last value rounding may leave below 1."""
    thresholds = np.cumsum(probabilities)
    last = int(np.flatnonzero(probabilities)[-1])
    return np.minimum(np.searchsorted(thresholds, rng.random(size), side="right"), last)


class _SingleBlock(OneBlock):
    def __init__(self, stepsizes: FloatArray, probabilities: FloatArray) -> None:
        super().__init__(stepsizes)
        self._probabilities = probabilities

    def draw(self, first: int, rng: np.random.Generator) -> IndexArray:
        return draw_blocks(self._probabilities, self.chunk_size, rng)
