"""The central path of a convex cost under one linear matrix inequality and linear inequalities.

Newton's method on f(z) / mu - logdet(S(z)) - sum log(rows z) along falling mu, with S(z) given by
an `Inequality` and f and the rows by a `Cone`. For c(P) the cost is linear, and the rows express an
overhead (q_k <= m, with m a last variable) or a forced order (q falls along it). For c_M along one
order the cost is a sum of reciprocals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lapack

from ..numbers.exact_array import FloatArray
from .block_sdp import BlockSDP

# The most Newton steps of a path; chosen by hand, not measured.
_LARGEST_STEPS = 300

Cost = Callable[[FloatArray], tuple[float, FloatArray, FloatArray | float]]


class Inequality(Protocol):
    """S(z) = sum_k z_k F_k - H, to be positive definite."""

    size: int

    def shifted(self, z: FloatArray) -> FloatArray:
        """S(z), freshly allocated."""
        ...

    def derivatives(self, inverse: FloatArray) -> tuple[FloatArray, FloatArray]:
        """<S^-1, F_k> and <S^-1 F_k S^-1, F_l>."""
        ...

    def pulled(self, inverse: FloatArray, dz: FloatArray) -> FloatArray:
        """S^-1 (sum_k dz_k F_k) S^-1."""
        ...


@dataclass(frozen=True)
class Cone:
    """The cost with its gradient and Hessian, rows that must stay positive, and the number of
    variables that enter S.
    """

    cost: Cost
    rows: FloatArray
    count: int


def cone_of(program: BlockSDP, top: float) -> tuple[Cone, FloatArray]:
    """Return the cone of a program, and a point well inside when S is positive definite for all
    q_k >= top.
    """
    count = program.blocks.count
    start = np.full(count, 1.5 * top)
    rows = np.zeros((0, count))
    weights = program.linear_costs()
    if program.order is not None:
        rows = np.eye(count)[list(program.order.rank_to_block)]
        rows = rows[:-1] - rows[1:]
        start = program.order.per_block(top * np.linspace(3.0, 1.5, count))
    elif program.overhead > 0:
        rows = np.hstack((-np.eye(count), np.ones((count, 1))))
        weights = np.append(weights, program.overhead)
        start = np.append(start, 3 * top)
    return Cone(lambda z: (float(weights @ z), weights, 0.0), rows, count), start


class CentralPath:
    """One walk along the path. Its point is strictly feasible at any time, also when
    interrupted.
    """

    def __init__(self, inequality: Inequality, cone: Cone, start: FloatArray) -> None:
        self.inequality = inequality
        self.cone = cone
        self.z = start
        self.slacks = inequality.size + cone.rows.shape[0]
        self.mu = cone.cost(start)[0] / self.slacks
        self.factorizations = 0
        self._factored: tuple[FloatArray, FloatArray] | None = None
        self._near_path: tuple[float, FloatArray, FloatArray] | None = None

    @property
    def q(self) -> FloatArray:
        """The variables that enter S."""
        return self.z[: self.cone.count].copy()

    @property
    def dual(self) -> FloatArray:
        """A factor V of the dual point mu (S^-1 - S^-1 (sum dz_k F_k) S^-1), whose traces fit
        exactly.
        """
        if self._near_path is None:
            self._near_path = self.mu, self._barrier()[0], np.zeros(self.cone.count)
        mu, inverse, dz = self._near_path
        Y = mu * (inverse - self.inequality.pulled(inverse, dz))
        values, vectors = np.linalg.eigh((Y + Y.T) / 2)
        positive = values > values[-1] * 1e-15
        return np.asarray(vectors[:, positive] * np.sqrt(values[positive]))

    def follow(self, tol: float, estimate: Callable[[float, float], object]) -> None:
        """Walk until the gap is a third of tol, relative, until rounding ends the path, or until
        `estimate`, called with a lower and an upper bound near the path, returns True.
        """
        for _ in range(_LARGEST_STEPS):
            inverse, gradient, hessian = self._barrier()
            value, slope, curvature = self.cone.cost(self.z)
            try:
                step, decrement = _newton(hessian + curvature / self.mu, slope / self.mu - gradient)
                if decrement < 0.5:
                    gap = self.mu * self.slacks
                    self._near_path = self.mu, inverse, step[: self.cone.count]
                    if estimate(value - gap, value) is True:
                        return
                    if gap <= 0.3 * tol * value and decrement < 0.2:
                        return
                    if gap > 0.3 * tol * value:
                        # Close to the path: as long a reduction as the decrement allows.
                        self.mu *= 0.12 if decrement < 0.1 else 0.3
                        step, decrement = _newton(
                            hessian + curvature / self.mu, slope / self.mu - gradient
                        )
            except LinAlgError:
                return
            length = 1.0
            while not self._feasible(self.z + length * step):
                length *= 0.6
                if length < 1e-10:
                    return
            # Only a short step is sure to stay clear of the boundary; others stop a little before
            # it, where they can.
            if decrement >= 1 and self._feasible(self.z + 0.9 * length * step):
                length *= 0.9
            self.z = self.z + length * step

    def _feasible(self, z: FloatArray) -> bool:
        """Return whether z is strictly inside, and store the factor for `_barrier`."""
        if not (self.cone.rows @ z > 0).all():
            return False
        factor, info = lapack.dpotrf(
            self.inequality.shifted(z[: self.cone.count]), lower=1, overwrite_a=1
        )
        self.factorizations += 1
        self._factored = (z.copy(), factor) if info == 0 else None
        return bool(info == 0)

    def _barrier(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """S^-1, and gradient and Hessian of the barrier at the current point."""
        if self._factored is None or not np.array_equal(self._factored[0], self.z):
            inside = self._feasible(self.z)
            assert inside and self._factored is not None, "steps end strictly inside"
        inverse, _ = lapack.dpotri(self._factored[1], lower=1, overwrite_c=1)
        self._factored = None
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        slack = self.cone.rows @ self.z
        scaled = self.cone.rows / slack[:, None]
        gradient = scaled.sum(axis=0)
        hessian = scaled.T @ scaled
        count = self.cone.count
        derivatives = self.inequality.derivatives(inverse)
        gradient[:count] += derivatives[0]
        hessian[:count, :count] += derivatives[1]
        return inverse, gradient, hessian


def _newton(hessian: FloatArray, gradient: FloatArray) -> tuple[FloatArray, float]:
    """The Newton step and its decrement, with the Hessian scaled to a unit diagonal."""
    scale = 1 / np.sqrt(hessian.diagonal())
    factor = cho_factor(hessian * scale[:, None] * scale[None, :], lower=True)
    step = -scale * cho_solve(factor, scale * gradient)
    return step, float(np.sqrt(max(-(gradient @ step), 0.0)))
