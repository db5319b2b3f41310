"""Burer and Monteiro's method: maximize <V, L V> over V with block norms ||V_k||_F^2 = c_k, by
products with L alone.

This is the dual of the semidefinite program in factored form. A limited-memory BFGS iteration whose
initial scaling is the fixed-point step V_k <- sqrt(c_k) (L V)_k / ||(L V)_k||_F, which alone
already ascends. At a stationary point q_k = <V_k, (L V)_k> / c_k. Every rotation V R is as good as
V, so rotated columns that have become small can be dropped, from V and from the memory alike. The
iteration works in the precision of V: single precision is enough for all but the last steps.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks

Floats: TypeAlias = NDArray[Any]
Product: TypeAlias = Callable[[Floats], Floats]

# Steps remembered: beside products with a sparse matrix, going through a long memory is what takes
# the time.
LONG_MEMORY = 10
SHORT_MEMORY = 5
# The relative change of the value that rounding alone may cause.
NOISE = {"float64": 1e-15, "float32": 1e-7}


@dataclass(frozen=True)
class Point:
    """V, its product G = L V, <V, L V>, the weights q, the gradient q V - G and its relative
    size.
    """

    V: Floats
    G: Floats
    value: float
    q: FloatArray
    gradient: Floats
    residual: float


class BurerMonteiro:
    """The iteration, one step at a time, so that its caller decides when to stop."""

    def __init__(
        self,
        product: Product,
        blocks: Blocks,
        traces: FloatArray,
        V: Floats,
        memory: int = LONG_MEMORY,
    ) -> None:
        self.product = product
        self.traces = traces
        self.labels = blocks.labels
        self.starts = blocks.starts
        self.pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=memory)
        self.point = self.at(V)

    @property
    def noise(self) -> float:
        """The relative change of the value that rounding alone may cause."""
        return NOISE[self.point.V.dtype.name]

    def restart(self, V: Floats) -> None:
        """Continue from V with an empty memory."""
        self.pairs.clear()
        self.point = self.at(V)

    def transform(self, change: Callable[[Floats], Floats]) -> None:
        """Change V and the memory alike: to another precision, or by a rotation."""
        pairs = [(change(s), change(y)) for s, y, _ in self.pairs]
        self.restart(change(self.point.V))
        for s, y in pairs:
            self._remember(s, y)

    def singular(self) -> tuple[FloatArray, FloatArray]:
        """The singular values of V, largest first, and the rotation that sorts its columns by
        them.
        """
        V = self.point.V
        values, rotation = np.linalg.eigh(np.asarray(V.T @ V, dtype=np.float64))
        return np.sqrt(np.maximum(values[::-1], 0.0)), rotation[:, ::-1]

    def step(self) -> None:
        """One quasi-Newton step, or the fixed-point step where that one does not ascend."""
        point = self.point
        if self.pairs:
            direction = self._direction(point)
            slope = float(np.vdot(direction, point.gradient))
            if slope < 0:
                trial = self.at(point.V + direction)
                if trial.value >= point.value - 1e-4 * slope - self.noise * abs(point.value):
                    return self._accept(trial)
            self.pairs.clear()
        return self._accept(self.at(point.G))

    def at(self, X: Floats) -> Point:
        """The point in these directions, with the prescribed block norms."""
        norms = np.sqrt(self._sums(X, X))
        V = X * self._rows(np.sqrt(self.traces) / np.where(norms > 0, norms, 1.0), X)
        G = self.product(V)
        inner = self._sums(V, G)
        value = float(inner.sum())
        q = inner / self.traces
        gradient = self._rows(q, V) * V - G
        # The gradient itself, not a difference of norms: that one ends near the root of the
        # rounding unit.
        size = math.sqrt(float(self._sums(gradient, gradient) @ self.traces))
        return Point(V, G, value, q, gradient, size / max(value, 1e-300))

    def _sums(self, X: Floats, Y: Floats) -> FloatArray:
        """<X_k, Y_k> for every block."""
        rows = np.einsum("ij,ij->i", X, Y).astype(np.float64)
        return np.asarray(np.add.reduceat(rows, self.starts))

    def _rows(self, per_block: FloatArray, like: Floats) -> Floats:
        return per_block[self.labels].astype(like.dtype)[:, None]

    def _accept(self, new: Point) -> None:
        self._remember(new.V - self.point.V, new.gradient - self.point.gradient)
        self.point = new

    def _remember(self, s: Floats, y: Floats) -> None:
        curvature = float(np.vdot(s, y))
        if curvature > 1e-10 * float(np.linalg.norm(s)) * float(np.linalg.norm(y)):
            self.pairs.append((s, y, 1 / curvature))

    def _direction(self, point: Point) -> Floats:
        """The two-loop recursion, scaled per block by 1 / q_k."""
        d = point.gradient.copy()
        weights = []
        for s, y, rho in reversed(self.pairs):
            weights.append(rho * float(np.vdot(s, d)))
            d -= weights[-1] * y
        scale = self._rows(1 / np.maximum(point.q, 1e-30 * np.abs(point.q).max() + 1e-300), d)
        _, y, rho = self.pairs[-1]
        d *= scale / (rho * float(np.vdot(y, scale * y)))
        for (s, y, rho), weight in zip(self.pairs, reversed(weights), strict=True):
            d += (weight - rho * float(np.vdot(y, d))) * s
        # Tangent to the spheres again: the stored pairs belong to other points.
        return np.asarray(self._rows(self._sums(d, point.V) / self.traces, d) * point.V - d)
