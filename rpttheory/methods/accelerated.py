"""Accelerated block coordinate descent with non-uniform sampling."""

import math
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput
from ..objectives import Tracker, as_number
from ..reals import FloatArray
from .method import Action, Chunk, Engine, Method, Setting
from .random_block import draw_blocks, single_block_law
from .stepsize import block_stepsizes, require_range

# The common factor of the difference is folded back into it before it leaves the range of floats.
_SMALL = 2.0**-300


@dataclass(frozen=True, eq=False)
class Accelerated(Method):
    """NU_ACDM: one random block per step, p_k proportional to sqrt(L_k), with linear coupling of two sequences.

    With S = sum_k sqrt(L_k) and tau = 2 / (1 + sqrt(4 S^2 / mu + 1)), after T steps E[f(y_T) - f*] is at most
    (1 - tau)^T (f(x_0) - f* + mu |x_0 - x*|^2 / 2) where mu > 0, and 2 S^2 |x_0 - x*|^2 / (T + 1)^2 where mu = 0.

    Allen-Zhu, Qu, Richtarik and Yuan, "Even faster accelerated coordinate descent using non-uniform sampling",
    ICML 2016. A step touches one block and costs c_k: both sequences are kept as a + c e, where a stays and e shrinks
    by a known factor while no block is updated. Where a block of the gradient needs all of x, forming x costs d more.

    Parameters
    ----------
    mu : float, optional
        The strong convexity to count on; by default that of the objective, 0 for the merely convex variant.
    """

    mu: float | None = None

    @property
    def name(self) -> str:
        return "NU-ACDM"

    def start(self, setting: Setting, x0: FloatArray) -> Engine:
        known = setting.objective.strong_convexity
        if known is None:
            raise InvalidInput(
                "the accelerated method needs a convex function", type(setting.objective).__name__, "RPT or GD instead"
            )
        mu = known if self.mu is None else as_number(self.mu)
        if not (math.isfinite(mu) and 0 <= mu) or (mu > known * (1 + 1e-9)):
            raise InvalidInput(
                "mu must lie between 0 and that of the function", f"{self.mu!r} with {known!r}", "mu=None"
            )
        return _AcceleratedEngine(setting, x0, mu)


@dataclass(frozen=True)
class Coupling:
    """The numbers of one step: x = tau z + (1 - tau) y, then y = x - f'_k / L_k and z as the mirror step says.

    The difference e = y - z shrinks by `shrink` where no block is updated, and y = a + `lead` e with a constant there.
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

    def numbers(self, inverse: float, p: float) -> tuple[float, float, float, float]:
        """x = a + (first) e; then e shrinks by the second, and a and e lose the third and fourth times f'_k(x).

        `inverse` is 1 / L_k and `p` the probability of the block.
        """
        mirror = self.eta / (p * (1 + self.eta * self.mu))
        return self.lead - self.tau, self.shrink, (1 - self.lead) * inverse + self.lead * mirror, inverse - mirror


def coupling(S: float, mu: float, k: int) -> Coupling:
    """The parameters of step k (counting from 0); constant where mu > 0."""
    if mu > 0:
        # 2 / (1 + sqrt(4 S^2 / mu + 1)) with r^2 = mu / S^2: nothing here overflows.
        r = math.sqrt(mu) / S
        tau = 2 * r / (r + math.hypot(2.0, r))
        return Coupling(tau, 1 / (tau * S**2), mu)
    return Coupling(2 / (k + 2), (k + 2) / (2 * S**2), 0.0)


class _AcceleratedEngine(Engine):
    def __init__(self, setting: Setting, x0: FloatArray, mu: float) -> None:
        self._setting = setting
        self._inverses = block_stepsizes(setting, None, unsafe=False)
        self._p = single_block_law(setting, 0.5)
        active = self._inverses > 0
        self._S = float((1 / np.sqrt(self._inverses[active])).sum()) if active.any() else 1.0
        require_range(self._S * self._S, "S^2 = (sum_k sqrt(L_k))^2")
        # Where no block has curvature that floats can hold, there is no strong convexity to speak of.
        self._mu = mu = mu if active.any() else 0.0
        self._a = x0
        self._w = np.zeros_like(x0)
        self._scalars = np.array([1.0, 0.0])  # e = factor w, and the number of steps made
        self._x = np.empty_like(x0)
        self._g = np.empty_like(x0)
        tracker = setting.objective.tracker(self._x)
        # x moves everywhere at every step, so that keeping A x up to date would cost as much as forming it.
        self._tracker = Tracker(setting.objective, self._x) if tracker.state else tracker
        self._actions: dict[int, Action] = {}
        self.theory = f"sampling by sqrt(L_k), S^2 = {self._S**2:.6g}, mu = {mu:.6g}"

    @property
    def state(self) -> dict[str, FloatArray]:
        return {"a": self._a, "w": self._w, "scalars": self._scalars}

    def point(self) -> FloatArray:
        """y, about which the theorem speaks."""
        factor, k = self._scalars
        # After k steps the coupling of step k - 1 is the one that made y; where mu = 0, y = a + e throughout.
        return np.asarray(self._a + self._coupling(max(int(k) - 1, 0)).lead * factor * self._w)

    def _coupling(self, k: int) -> Coupling:
        return coupling(self._S, self._mu, k)

    def refresh(self) -> None:
        """Fold the common factor back where it has become small."""
        if self._scalars[0] < _SMALL:
            self._w *= self._scalars[0]
            self._scalars[0] = 1.0

    def chunk(self, first: int, rng: np.random.Generator) -> Chunk:
        drawn = draw_blocks(self._p, self.chunk_size, rng)
        numbers = drawn.tolist()
        for block in set(numbers) - self._actions.keys():
            self._actions[block] = self._compile(block)
        return Chunk([self._actions[block] for block in numbers], self._setting.costs[drawn])

    def _compile(self, block: int) -> Action:
        rows = self._setting.blocks.slices[block]
        gradient = self._tracker.gradient(rows.start, rows.stop, self._g[rows])
        seen = rows if self._setting.objective.separable else slice(None)
        a, w, g, x = self._a[rows], self._w[rows], self._g[rows], self._x[seen]
        every_a, every_w, scratch = self._a[seen], self._w[seen], np.empty(rows.stop - rows.start)
        scalars, refresh = self._scalars, self.refresh
        inverse, p = float(self._inverses[block]), float(self._p[block])
        fixed = self._coupling(0).numbers(inverse, p) if self._mu > 0 else None
        coupling = self._coupling

        def action() -> None:
            factor, k = scalars.tolist()
            ahead, shrink, of_a, of_e = fixed or coupling(int(k)).numbers(inverse, p)
            np.multiply(every_w, ahead * factor, x)
            np.add(every_a, x, x)
            gradient()
            # Before the first step y = z: there is no difference to shrink (and shrink is 0 where mu = 0).
            factor = factor * shrink if k else factor
            np.multiply(g, of_a, scratch)
            np.subtract(a, scratch, a)
            np.multiply(g, of_e / factor, scratch)
            np.subtract(w, scratch, w)
            scalars[0], scalars[1] = factor, k + 1
            if factor < _SMALL:
                refresh()

        return action
