"""Coordinate descent with one block per step: cyclic (CBCD) and random (RBCD)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import cycle

import numpy as np

from ..numbers.exact_array import FloatArray
from ..objectives.objective import as_nonnegative
from ..problem.blocks import BlockOrder
from .iterate import Step, cache_size
from .method import DRAWS, Method, Setting
from .stepsize import block_stepsizes, is_flat


@dataclass(frozen=True, eq=False)
class CBCD(Method):
    """Cyclic block coordinate descent: x_k <- x_k - f'_k(x) / L_k for one k after the other.

    A step updates one block and costs c_k. Beck and Tetruashvili, "On the convergence of block
    coordinate descent type methods", SIAM J. Optim. 23 (2013).

    Parameters
    ----------
    order : BlockOrder or sequence of int, optional
        The order within a cycle; by default that of the blocks.

    Examples
    --------
    >>> from rpttheory.methods import run
    >>> from rpttheory.objectives import Quadratic
    >>> f = Quadratic([[4.0, 1.0], [1.0, 2.0]])
    >>> run(CBCD(), f, [1, 1], x0=[1.0, 1.0], steps=1000, tol=1e-6).status
    'converged'
    """

    order: BlockOrder | Sequence[int] | None = None

    name = "CBCD"

    def steps(self, setting: Setting, rng: np.random.Generator) -> Iterator[Step]:
        order = setting.order(self.order).rank_to_block
        return map(_block_step(setting), cycle(order))


@dataclass(frozen=True, eq=False)
class RBCD(Method):
    """Randomized block coordinate descent: one block per step, p_k proportional to L_k^exponent.

    Nesterov, "Efficiency of coordinate descent methods on huge-scale optimization problems", SIAM
    J. Optim. 22 (2012).

    Parameters
    ----------
    exponent : float
        1/2 by default; 0 is uniform, 1 is best for the strongly convex bound.

    Examples
    --------
    >>> from rpttheory.methods import run
    >>> from rpttheory.objectives import Quadratic
    >>> f = Quadratic([[4.0, 1.0], [1.0, 2.0]])
    >>> run(RBCD(), f, [1, 1], x0=[1.0, 1.0], steps=1000, tol=1e-6).status
    'converged'
    """

    exponent: float = 0.5

    name = "RBCD"

    def steps(self, setting: Setting, rng: np.random.Generator) -> Iterator[Step]:
        p = power_probabilities(setting, as_nonnegative(self.exponent, "exponent", 0.5))
        return map(_block_step(setting), draw_blocks(p, rng))


def _block_step(setting: Setting) -> Callable[[int], Step]:
    return single_block_step(block_stepsizes(setting.block_L), "stepsize 1/L_k for block k")


def single_block_step(stepsizes: FloatArray, theory: str) -> Callable[[int], Step]:
    """Return a function from a block to the step that updates this block alone."""
    blocks = np.arange(stepsizes.size)

    @lru_cache(cache_size(stepsizes.size))
    def step(block: int) -> Step:
        return Step(blocks == block, stepsizes, theory)

    return step


def power_probabilities(setting: Setting, exponent: float) -> FloatArray:
    """Probabilities proportional to L_k^exponent: 0 for flat blocks, unless all are flat."""
    constants = np.array([0.0 if is_flat(L_k) else L_k.upper for L_k in setting.block_L])
    if not constants.any():
        return np.full(constants.size, 1 / constants.size)
    weights = np.where(constants > 0, (constants / constants.max()) ** exponent, 0.0)
    return np.asarray(weights / weights.sum())


def draw_blocks(probabilities: FloatArray, rng: np.random.Generator) -> Iterator[int]:
    """Draw blocks by inversion of the distribution function."""
    thresholds = np.cumsum(probabilities)
    # Rounding may leave the last threshold below 1.
    last = int(np.flatnonzero(probabilities)[-1])
    while True:
        blocks = np.searchsorted(thresholds, rng.random(DRAWS), side="right")
        yield from np.minimum(blocks, last).tolist()
