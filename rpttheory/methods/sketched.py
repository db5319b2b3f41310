"""Sketched gradient descent x <- x - gamma C f'(x), and its special cases RPT and GD."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from ..errors import InvalidInput
from ..numbers.bracket import Bracket
from ..numbers.checks import check_probabilities
from ..problem import quantities
from ..problem.quantities import (
    closed_form,
)
from ..problem.sampling import NestedSampling, Sampling
from .iterate import Step, cache_size
from .method import DRAWS, Method, Setting
from .stepsize import allowed_stepsize

# Sets of blocks drawn at once have at most about this many entries.
_MASK_ENTRIES = 2**20


@dataclass(frozen=True, eq=False)
class SkGD(Method):
    """Sketched gradient descent x <- x - gamma C f'(x), with C = Diag(1/p_k) on the sampled blocks.

    Parameters
    ----------
    sampling : Sampling
        Any distribution over sets of blocks.
    stepsize : float, optional
        By default 1 / L_P where f is convex and 1 / L_M where it is not: the largest that
        `thm:rcdStronglyConvex`, the sharp form of `thm:rcdConvex` and `thm:rcdNonconvex` allow.
    unsafe : bool
        Accept a larger stepsize.

    Examples
    --------
    >>> from rpttheory.methods import run
    >>> from rpttheory.objectives import Quadratic
    >>> from rpttheory import IndependentSampling
    >>> f = Quadratic([[4.0, 1.0], [1.0, 2.0]])
    >>> method = SkGD(IndependentSampling([1.0, 0.5]))
    >>> run(method, f, [1, 1], x0=[1.0, 1.0], steps=1000, tol=1e-6).status
    'converged'
    """

    sampling: Sampling
    stepsize: float | None = None
    unsafe: bool = False

    name = "SkGD"

    def steps(self, setting: Setting, rng: Generator) -> Iterator[Step]:
        if not hasattr(self.sampling, "probabilities"):
            raise InvalidInput(
                "must be a Sampling",
                repr(self.sampling)[:80],
                "NestedSampling([0.5, 1.0])",
                argument="sampling",
            )
        check_probabilities(self.sampling.marginals, setting.blocks.count)
        constant, rule = _sketch_constant(setting, self.sampling)
        gamma, theory = allowed_stepsize(constant, self.stepsize, unsafe=self.unsafe, rule=rule)
        return self._draw(gamma, theory, rng)

    def _draw(self, gamma: float, theory: str, rng: Generator) -> Iterator[Step]:
        stepsizes = gamma / self.sampling.probabilities
        count = stepsizes.size

        @lru_cache(cache_size(count))
        def step(mask: bytes) -> Step:
            return Step(np.frombuffer(mask, dtype=np.bool_), stepsizes, theory)

        size = max(1, min(DRAWS, _MASK_ENTRIES // count))
        while True:
            masks = np.ascontiguousarray(self.sampling.draw(rng, size))
            yield from map(step, masks.view(f"V{count}").ravel().tolist())


def _sketch_constant(setting: Setting, sampling: Sampling) -> tuple[Bracket, str]:
    """The constant whose inverse bounds the stepsize, and the rule."""
    L = setting.objective.smoothness
    mu = setting.objective.strong_convexity
    if mu is None:
        L_M = quantities.L_M(L, setting.blocks, sampling=sampling)
        return L_M, "1/L_M (thm:rcdNonconvex)"
    L_P = quantities.L_P(L, setting.blocks, sampling.marginals)
    return L_P, "1/L_P (thm:rcdStronglyConvex)" if mu else "1/L_P (thm:rcdConvex, sharp)"


@dataclass(frozen=True, eq=False)
class RPT(Method):
    """Randomized Progressive Training: SkGD with the nested sampling.

    Paper: alg:rpt

    Parameters
    ----------
    probabilities : array, optional
        One per block; blocks are admitted in descending order of probability. By default the closed
        form of `lem:upperBound` for the costs of the run.
    stepsize : float, optional
        1 / L_P by default (1 / L_M where f is not convex), as for `SkGD`.
    unsafe : bool
        Accept a larger stepsize.

    Examples
    --------
    >>> from rpttheory.methods import run
    >>> from rpttheory.objectives import Quadratic
    >>> f = Quadratic([[4.0, 1.0], [1.0, 2.0]])
    >>> run(RPT(), f, [1, 1], x0=[1.0, 1.0], steps=1000, tol=1e-6).status
    'converged'
    """

    probabilities: ArrayLike | None = None
    stepsize: float | None = None
    unsafe: bool = False

    name = "RPT"

    def steps(self, setting: Setting, rng: Generator) -> Iterator[Step]:
        p = self.probabilities
        if p is None:
            L = setting.objective.smoothness
            p = closed_form(L, setting.blocks, setting.costs).probabilities
        sampling = NestedSampling(check_probabilities(p, setting.blocks.count))
        return SkGD(sampling, self.stepsize, self.unsafe).steps(setting, rng)


@dataclass(frozen=True, eq=False)
class GD(Method):
    """Gradient descent: x <- x - gamma f'(x). A step costs the sum of all costs.

    Parameters
    ----------
    stepsize : float, optional
        1 / L_max by default: the theorems on SkGD with all probabilities 1.
    unsafe : bool
        Accept a larger stepsize.

    Examples
    --------
    >>> from rpttheory.methods import run
    >>> from rpttheory.objectives import Quadratic
    >>> f = Quadratic([[4.0, 1.0], [1.0, 2.0]])
    >>> run(GD(), f, [1, 1], x0=[1.0, 1.0], steps=1000, tol=1e-6).status
    'converged'
    """

    stepsize: float | None = None
    unsafe: bool = False

    name = "GD"

    def steps(self, setting: Setting, rng: Generator) -> Iterator[Step]:
        lmax = quantities.lmax(setting.objective.smoothness)
        gamma, theory = allowed_stepsize(lmax, self.stepsize, unsafe=self.unsafe, rule="1/L_max")
        every_block = np.ones(setting.blocks.count, dtype=np.bool_)
        return repeat(Step(every_block, np.full(every_block.size, gamma), theory))
