"""Burer and Monteiro's method: maximize <V, L V> over V with block norms ||V_k||_F^2 = c_k, by
products with L alone.

This is the dual of the semidefinite program in factored form. A limited-memory BFGS iteration whose
initial scaling is the fixed-point step V_k <- sqrt(c_k) (L V)_k / ||(L V)_k||_F, which alone
already ascends. At a stationary point q_k = <V_k, (L V)_k> / c_k. Every rotation V R is as good as
V, so rotated columns that have become small can be dropped, from V and from the memory alike.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks

Product: TypeAlias = Callable[[FloatArray], FloatArray]

# Steps remembered. With a sparse matrix, a long memory takes more time than the products. Chosen
# by hand.
LONG_MEMORY = 10
SHORT_MEMORY = 5
# The relative change of the value that rounding alone may cause, with products in double and in
# single precision: a few units of 2^-53 and of 2^-24.
NOISE = 1e-15
SINGLE_NOISE = 1e-7


@dataclass(frozen=True)
class Point:
    """V, its product G = L V, <V, L V>, the weights q, the gradient q V - G and its relative
    size.
    """

    V: FloatArray
    G: FloatArray
    value: float
    q: FloatArray
    gradient: FloatArray
    residual: float


class BurerMonteiro:
    """The iteration, one step at a time, so that its caller decides when to stop."""

    def __init__(
        self,
        product: Product,
        blocks: Blocks,
        traces: FloatArray,
        V: FloatArray,
        memory: int = LONG_MEMORY,
        noise: float = NOISE,
    ) -> None:
        self.product = product
        self.noise = noise
        self.traces = traces
        self.labels = blocks.labels
        self.starts = blocks.starts
        self.pairs: deque[tuple[FloatArray, FloatArray, float]] = deque(maxlen=memory)
        self.point = self.at(V)

    def restart(self, V: FloatArray) -> None:
        """Continue from V with an empty memory."""
        self.pairs.clear()
        self.point = self.at(V)

    def rotate(self, columns: FloatArray) -> None:
        """Multiply V and the memory alike by columns of a rotation."""
        pairs = [(s @ columns, y @ columns) for s, y, _ in self.pairs]
        self.restart(self.point.V @ columns)
        for s, y in pairs:
            self._remember(s, y)

    def refine(self) -> None:
        """Evaluate the point again, by products that are now in double precision."""
        self.noise = NOISE
        self.point = self.at(self.point.V)

    def singular(self) -> tuple[FloatArray, FloatArray]:
        """The singular values of V, largest first, and the rotation that sorts its columns by
        them.
        """
        values, rotation = np.linalg.eigh(self.point.V.T @ self.point.V)
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

    def at(self, X: FloatArray) -> Point:
        """The point in these directions, with the prescribed block norms."""
        norms = np.sqrt(self._sums(X, X))
        V = X * self._rows(np.sqrt(self.traces) / np.where(norms > 0, norms, 1.0))
        G = self.product(V)
        inner = self._sums(V, G)
        value = float(inner.sum())
        q = inner / self.traces
        gradient = self._rows(q) * V - G
        # The gradient itself, not a difference of norms: that one ends near the root of the
        # rounding unit.
        size = math.sqrt(float(self._sums(gradient, gradient) @ self.traces))
        return Point(V, G, value, q, gradient, size / max(value, 1e-300))

    def _sums(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """<X_k, Y_k> for every block."""
        return np.asarray(np.add.reduceat(np.einsum("ij,ij->i", X, Y), self.starts))

    def _rows(self, per_block: FloatArray) -> FloatArray:
        return per_block[self.labels][:, None]

    def _accept(self, new: Point) -> None:
        self._remember(new.V - self.point.V, new.gradient - self.point.gradient)
        self.point = new

    def _remember(self, s: FloatArray, y: FloatArray) -> None:
        curvature = float(np.vdot(s, y))
        if curvature > 1e-10 * float(np.linalg.norm(s)) * float(np.linalg.norm(y)):
            self.pairs.append((s, y, 1 / curvature))

    def _direction(self, point: Point) -> FloatArray:
        """The two-loop recursion, scaled per block by 1 / q_k."""
        d = point.gradient.copy()
        weights = []
        for s, y, rho in reversed(self.pairs):
            weights.append(rho * float(np.vdot(s, d)))
            d -= weights[-1] * y
        scale = self._rows(1 / np.maximum(point.q, 1e-30 * np.abs(point.q).max() + 1e-300))
        _, y, rho = self.pairs[-1]
        d *= scale / (rho * float(np.vdot(y, scale * y)))
        for (s, y, rho), weight in zip(self.pairs, reversed(weights), strict=True):
            d += (weight - rho * float(np.vdot(y, d))) * s
        # Tangent to the spheres again: the stored pairs belong to other points.
        return np.asarray(self._rows(self._sums(d, point.V) / self.traces) * point.V - d)
