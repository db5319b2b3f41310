"""Accelerated block coordinate descent with non-uniform sampling."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput
from ..numbers.exact_array import FloatArray
from ..objectives.objective import Action, as_nonnegative
from .block_descent import draw_blocks, power_probabilities, single_block_step
from .iterate import Iterate, Step
from .method import Method, Setting
from .stepsize import block_stepsizes, require_range


@dataclass(frozen=True, eq=False)
class NUACDM(Method):
    """NU_ACDM: one block per step, p_k proportional to sqrt(L_k), two coupled sequences.

    With S = sum_k sqrt(L_k) and tau = 2 / (1 + sqrt(4 S^2 / mu + 1)), after T steps E[f(y_T) - f*]
    is at most (1 - tau)^T (f(x_0) - f* + mu |x_0 - x*|^2 / 2) where mu > 0, and 2 S^2 |x_0 - x*|^2
    / (T + 1)^2 where mu = 0.

    Allen-Zhu, Qu, Richtarik and Yuan, "Even faster accelerated coordinate descent using non-uniform
    sampling", ICML 2016. A step computes one block of the gradient and costs c_k. The two sequences
    take a few operations on all d coordinates more, which the cost leaves out.

    Parameters
    ----------
    mu : float, optional
        The strong convexity to use; by default that of the objective, 0 for the merely convex
        variant.

    Examples
    --------
    >>> from rpttheory.methods import run
    >>> from rpttheory.objectives import Quadratic
    >>> f = Quadratic([[4.0, 1.0], [1.0, 2.0]])
    >>> run(NUACDM(), f, [1, 1], x0=[1.0, 1.0], steps=1000, tol=1e-6).status
    'converged'
    """

    mu: float | None = None

    name = "NU-ACDM"

    def steps(self, setting: Setting, rng: np.random.Generator) -> Iterator[Step]:
        S, mu = self._constants(setting)
        theory = f"sampling by sqrt(L_k), S^2 = {S**2:.6g}, mu = {mu:.6g}"
        step = single_block_step(block_stepsizes(setting.block_L), theory)
        return map(step, draw_blocks(power_probabilities(setting, 0.5), rng))

    def iterate(self, setting: Setting, x0: FloatArray) -> Iterate:
        return CoupledIterate(setting, x0, *self._constants(setting))

    def _constants(self, setting: Setting) -> tuple[float, float]:
        """S and mu, (1, 0) if no block has curvature that floats can hold."""
        largest = setting.objective.strong_convexity
        if largest is None:
            what = "NU-ACDM needs a convex function"
            raise InvalidInput(what, type(setting.objective).__name__, "RPT or GD instead")
        mu = largest if self.mu is None else as_nonnegative(self.mu, "mu", largest)
        if mu > largest * (1 + 1e-9):
            rule = f"must not exceed that of the function, {largest!r}"
            raise InvalidInput(rule, repr(mu), argument="mu", suggest={"mu": None})
        inverses = block_stepsizes(setting.block_L)
        curved = inverses > 0
        if not curved.any():
            return 1.0, 0.0
        S = float((1 / np.sqrt(inverses[curved])).sum())
        require_range(S * S, "S^2 = (sum_k sqrt(L_k))^2")
        return S, mu


def coupling(S: float, mu: float, k: int) -> tuple[float, float]:
    """Return tau and eta of step k (counting from 0), which are constant where mu > 0."""
    if mu > 0:
        # tau = 2 / (1 + sqrt(4 S^2 / mu + 1)) with r^2 = mu / S^2, written so that nothing
        # overflows.
        r = math.sqrt(mu) / S
        tau = 2 * r / (r + math.hypot(2.0, r))
        return tau, 1 / (tau * S**2)
    return 2 / (k + 2), (k + 2) / (2 * S**2)


class CoupledIterate(Iterate):
    """The sequences y and z, coupled by x = tau z + (1 - tau) y."""

    def __init__(self, setting: Setting, x0: FloatArray, S: float, mu: float) -> None:
        super().__init__(setting.blocks)
        self._setting = setting
        self._p = power_probabilities(setting, 0.5)
        self._S = S
        self._mu = mu
        self._y = x0
        self._z = x0.copy()
        self._x = np.empty_like(x0)
        self._count = 0

    def point(self) -> FloatArray:
        """y, to which the theorem applies."""
        return self._y

    def refresh(self) -> None:
        """Nothing is cached."""

    def compile(self, step: Step) -> Action:
        block = int(np.argmax(step.active))
        rows = self._setting.blocks.slices[block]
        x = self._x
        y = self._y
        z = self._z
        y_block = y[rows]
        z_block = z[rows]
        g = np.empty_like(y_block)
        scratch = np.empty_like(g)
        gradient = self._setting.objective.gradient_action(x, rows.start, rows.stop, g)
        inverse = float(step.stepsizes[block])
        p = float(self._p[block])
        mu = self._mu

        def action() -> None:
            tau, eta = coupling(self._S, mu, self._count)
            # Differences leave coordinates alone on which y and z agree.
            np.subtract(z, y, x)
            np.multiply(x, tau, x)
            np.add(x, y, x)
            gradient()
            np.copyto(y, x)
            np.multiply(g, inverse, scratch)
            np.subtract(y_block, scratch, y_block)
            if mu > 0:
                np.subtract(x, z, x)
                np.multiply(x, eta * mu / (1 + eta * mu), x)
                np.add(z, x, z)
            np.multiply(g, eta / (p * (1 + eta * mu)), scratch)
            np.subtract(z_block, scratch, z_block)
            self._count += 1

        return action
