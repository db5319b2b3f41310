"""Accelerated block coordinate descent with non-uniform sampling."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput
from ..numbers.exact_array import FloatArray
from ..objectives import Action, as_nonnegative
from .block_descent import draw_blocks, power_probabilities, single_block_step
from .iterate import Iterate, Step
from .method import Method, Setting
from .stepsize import block_stepsizes, require_range

# The common factor of the difference y - z is multiplied into it before the factor underflows.
_SMALL = 2.0**-300


@dataclass(frozen=True, eq=False)
class NUACDM(Method):
    """NU_ACDM: one block per step, p_k proportional to sqrt(L_k), two coupled sequences.

    With S = sum_k sqrt(L_k) and tau = 2 / (1 + sqrt(4 S^2 / mu + 1)), after T steps E[f(y_T) - f*]
    is at most (1 - tau)^T (f(x_0) - f* + mu |x_0 - x*|^2 / 2) where mu > 0, and 2 S^2 |x_0 - x*|^2
    / (T + 1)^2 where mu = 0.

    Allen-Zhu, Qu, Richtarik and Yuan, "Even faster accelerated coordinate descent using non-uniform
    sampling", ICML 2016. A step touches one block and costs c_k, except where a block of the
    gradient needs all of x: forming x then costs d more.

    Parameters
    ----------
    mu : float, optional
        The strong convexity to use; by default that of the objective, 0 for the merely convex
        variant.
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


@dataclass(frozen=True)
class Coupling:
    """The parameters of x = tau z + (1 - tau) y and of the mirror step for z.

    If no block is updated, the difference e = y - z shrinks by `shrink`, and y = a + `lead` e with
    the same a.
    """

    tau: float
    eta: float
    mu: float

    @property
    def shrink(self) -> float:
        return (1 - self.tau) / (1 + self.eta * self.mu)

    @property
    def lead(self) -> float:
        return self.tau * (1 + self.eta * self.mu) / (self.tau + self.eta * self.mu)

    def coefficients(self, inverse: float, p: float) -> tuple[float, float, float, float]:
        """Numbers (r, s, t, u): x = a + r e; e shrinks by s; a and e lose t and u times f'_k(x).

        `inverse` is 1 / L_k and `p` the probability of the block.
        """
        mirror = self.eta / (p * (1 + self.eta * self.mu))
        of_a = (1 - self.lead) * inverse + self.lead * mirror
        return self.lead - self.tau, self.shrink, of_a, inverse - mirror


def coupling(S: float, mu: float, k: int) -> Coupling:
    """The parameters of step k (counting from 0), which are constant where mu > 0."""
    if mu > 0:
        # tau = 2 / (1 + sqrt(4 S^2 / mu + 1)) with r^2 = mu / S^2, written so that nothing
        # overflows.
        r = math.sqrt(mu) / S
        tau = 2 * r / (r + math.hypot(2.0, r))
        return Coupling(tau, 1 / (tau * S**2), mu)
    return Coupling(2 / (k + 2), (k + 2) / (2 * S**2), 0.0)


class CoupledIterate(Iterate):
    """y and z, stored as y = a + lead e and y - z = e = factor w: a step changes one block."""

    def __init__(self, setting: Setting, x0: FloatArray, S: float, mu: float) -> None:
        super().__init__(setting.blocks)
        self._setting = setting
        self._p = power_probabilities(setting, 0.5)
        self._S = S
        self._mu = mu
        self.a = x0
        self.w = np.zeros_like(x0)
        self.factor = 1.0
        self.count = 0
        self._x = np.empty_like(x0)
        self._g = np.empty_like(x0)

    def point(self) -> FloatArray:
        """y, to which the theorem applies."""
        # y comes from the coupling of the last step; where mu = 0, lead is 1 at every step.
        lead = coupling(self._S, self._mu, max(self.count - 1, 0)).lead
        return np.asarray(self.a + lead * self.factor * self.w)

    def refresh(self) -> None:
        """Multiply a small common factor into the difference."""
        if self.factor < _SMALL:
            self.w *= self.factor
            self.factor = 1.0

    def compile(self, step: Step) -> Action:
        block = int(np.argmax(step.active))
        rows = self._setting.blocks.slices[block]
        objective = self._setting.objective
        g = self._g[rows]
        gradient = objective.gradient_action(self._x, rows.start, rows.stop, g)
        # A diagonal Hessian needs x on the block alone.
        visible = slice(None) if objective.diagonal is None else rows
        x = self._x[visible]
        visible_a = self.a[visible]
        visible_w = self.w[visible]
        a = self.a[rows]
        w = self.w[rows]
        scratch = np.empty_like(g)
        inverse = float(step.stepsizes[block])
        p = float(self._p[block])
        constant = coupling(self._S, self._mu, 0).coefficients(inverse, p) if self._mu else None

        def action() -> None:
            coefficients = constant or coupling(self._S, 0.0, self.count).coefficients(inverse, p)
            ahead, shrink, of_a, of_e = coefficients
            factor = self.factor
            np.multiply(visible_w, ahead * factor, x)
            np.add(visible_a, x, x)
            gradient()
            # Before the first step y = z: there is no difference to shrink.
            if self.count:
                factor *= shrink
            np.multiply(g, of_a, scratch)
            np.subtract(a, scratch, a)
            np.multiply(g, of_e / factor, scratch)
            np.subtract(w, scratch, w)
            self.factor = factor
            self.count += 1
            if factor < _SMALL:
                self.refresh()

        return action
