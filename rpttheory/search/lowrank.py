"""Low-rank route: maximise <V, L V> over V with block norms ||V_k||_F^2 = c_k, by products with L alone.

The dual of the search program in the factored form of Burer and Monteiro. In the normalised variable
U_k = V_k / sqrt(c_k) every block lives on a sphere; the search is a limited-memory BFGS iteration
whose initial scaling is the fixed-point step U_k <- (L V)_k / ||(L V)_k||_F, which alone already
climbs. At a stationary point q_k = <V_k, (L V)_k> / c_k. Spurious stationary points exist in theory,
so a certificate decides.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput
from ..reals import FloatArray
from .judge import Judge
from .program import Program

_MEMORY = 10
_LARGEST_STEPS = 5000
# Certificates cost a factorisation or a Lanczos run: one each time the gradient has fallen this much.
_CHECK_RATIO = 3.0


def solve(judge: Judge, rng: np.random.Generator) -> None:
    """Climb until the certified gap is within the tolerance, or no progress is left."""
    program = judge.program
    if not program.plain:
        raise InvalidInput(
            "method 'low-rank' knows neither an overhead nor a forced order",
            "one of them was given",
            "'interior-point' or 'subspace'",
        )
    # Costs in any unit: the iteration sees them over a power of four, whose root is exact.
    unit = 4.0 ** round(math.log(float(program.costs.sum()), 4))
    climb = LowRank(program.smoothness.matmat, program, program.costs / unit, rng)
    root = math.sqrt(unit)
    next_check, since_gain = math.sqrt(judge.tol) * 0.03, 0
    value = climb.state.value
    try:
        for _ in range(_LARGEST_STEPS):
            climb.step()
            since_gain = since_gain + 1 if climb.state.value <= value * (1 + 1e-14) else 0
            value = max(value, climb.state.value)
            if climb.state.residual <= next_check:
                if judge.try_to_close(climb.state.q, root * climb.V):
                    return
                next_check = climb.state.residual / _CHECK_RATIO
            elif since_gain >= 8:
                return
            else:
                judge.estimate(max(unit * climb.state.value, judge.lower), judge.upper)
    finally:
        # Also on Ctrl-C: the point at hand has a certificate, if not a tight one.
        if not judge.satisfied:
            judge.callback = None
            judge.propose(climb.state.q, root * climb.V)


@dataclass
class LowRankState:
    """The current point: unit blocks U, products G = L V, weights q, relative size of the gradient."""

    U: FloatArray
    G: FloatArray
    value: float
    q: FloatArray
    residual: float


class LowRank:
    """The iteration, one step at a time, so that its caller decides when to stop."""

    def __init__(
        self,
        product: Callable[[FloatArray], FloatArray],
        program: Program,
        traces: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        self.product = product
        self.labels = program.blocks.labels
        self.starts = program.blocks.starts
        self.traces = traces
        self.root = np.sqrt(traces)[self.labels][:, None]
        rank = min(program.blocks.dimension, math.isqrt(2 * program.blocks.count) + 2)
        self._restart(rng.standard_normal((program.blocks.dimension, rank)))

    def _restart(self, X: FloatArray) -> None:
        self.pairs: deque[tuple[FloatArray, FloatArray, float]] = deque(maxlen=_MEMORY)
        self.state = self._at(self._normalise(X))
        self._gradient = self._riemannian(self.state)

    def _sums(self, entries: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(entries, self.starts))

    def _normalise(self, X: FloatArray) -> FloatArray:
        norms = np.sqrt(self._sums(np.einsum("ij,ij->i", X, X)))
        norms[norms == 0] = 1.0
        return X / norms[self.labels][:, None]

    def _at(self, U: FloatArray) -> LowRankState:
        G = self.product(self.root * U)
        inner = self._sums(np.einsum("ij,ij->i", U, G))  # <U_k, G_k> = sqrt(c_k) q_k
        norms = self._sums(np.einsum("ij,ij->i", G, G))
        roots = np.sqrt(self.traces)
        value = float(roots @ inner)
        residual = math.sqrt(max(float((norms - inner * inner).clip(0) @ self.traces), 0.0)) / max(value, 1e-300)
        return LowRankState(U, G, value, inner / roots, residual)

    def _riemannian(self, state: LowRankState) -> FloatArray:
        """Minus the gradient of <V, L V> / 2 in U, tangent to the spheres."""
        inner = (state.q * np.sqrt(self.traces))[self.labels][:, None]
        return -self.root * (state.G - inner * state.U)

    @property
    def V(self) -> FloatArray:
        """The dual factor with ||V_k||_F^2 = c_k."""
        return self.root * self.state.U

    def step(self) -> None:
        """One quasi-Newton step, or the fixed-point step where that one does not climb."""
        state, g = self.state, self._gradient
        direction = self._direction(g)
        slope = float(np.vdot(direction, g))
        if slope < 0 and self.pairs:
            trial = self._at(self._normalise(state.U + direction))
            if trial.value >= state.value - 1e-4 * slope - 1e-15 * abs(state.value):
                self._accept(trial)
                return
            self.pairs.clear()
        self._accept(self._at(self._normalise(state.G)))

    def _accept(self, new: LowRankState) -> None:
        s = new.U - self.state.U
        g = self._riemannian(new)
        y = g - self._gradient
        curvature = float(np.vdot(s, y))
        if curvature > 1e-10 * float(np.linalg.norm(s)) * float(np.linalg.norm(y)):
            self.pairs.append((s, y, 1 / curvature))
        self.state, self._gradient = new, g

    def _direction(self, g: FloatArray) -> FloatArray:
        """The two-loop recursion, scaled per block by 1 / (c_k q_k)."""
        d = g.copy()
        weights = []
        for s, y, rho in reversed(self.pairs):
            a = rho * float(np.vdot(s, d))
            weights.append(a)
            d -= a * y
        scale = 1 / np.maximum(self.state.q * self.traces, 1e-300)
        d *= scale[self.labels][:, None]
        if self.pairs:
            s, y, rho = self.pairs[-1]
            scaled = float(np.vdot(y, scale[self.labels][:, None] * y))
            d *= 1 / (rho * scaled)
        for (s, y, rho), a in zip(self.pairs, reversed(weights), strict=True):
            d += (a - rho * float(np.vdot(y, d))) * s
        # Tangent to the spheres again: the stored pairs belong to other points.
        along = self._sums(np.einsum("ij,ij->i", d, self.state.U))
        return np.asarray(along[self.labels][:, None] * self.state.U - d)
