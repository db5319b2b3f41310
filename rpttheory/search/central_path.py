"""The central path of min <w, z> under one linear matrix inequality and linear inequalities.

Newton's method on <w, z> / mu - logdet(S(z)) - sum log(rows z) along falling mu, with S(z) given by
an `Inequality`: the full one (Diag(q) - L) or a compression of it. The extra rows express an
overhead (q_k <= m, with m a last variable) or a forced order (q falls along it).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lapack

from ..numbers.exact_array import FloatArray
from .block_sdp import BlockSDP

_LARGEST_STEPS = 300


class Inequality(Protocol):
    """S(q) = sum_k q_k F_k - H, to be positive definite."""

    size: int

    def shifted(self, q: FloatArray) -> FloatArray:
        """S(q), freshly allocated."""
        ...

    def derivatives(self, inverse: FloatArray) -> tuple[FloatArray, FloatArray]:
        """<S^-1, F_k> and <S^-1 F_k S^-1, F_l>."""
        ...

    def pulled(self, inverse: FloatArray, dq: FloatArray) -> FloatArray:
        """S^-1 (sum_k dq_k F_k) S^-1."""
        ...


@dataclass(frozen=True)
class Cone:
    """The linear side of the program: costs of the variables and rows that must stay positive."""

    weights: FloatArray
    rows: FloatArray
    count: int

    def start(self, top: float) -> FloatArray:
        """A point well inside when S is positive definite for all q_k >= top."""
        z = np.full(self.weights.size, 1.5 * top)
        if self.weights.size > self.count:
            z[-1] = 3 * top
        elif self.rows.shape[0]:
            ranks = [int(np.argmax(self.rows[0])), *(int(np.argmin(row)) for row in self.rows)]
            z[ranks] = top * np.linspace(3.0, 1.5, self.count)
        return z


def cone_of(program: BlockSDP) -> Cone:
    """Costs and rows of a program."""
    count = program.blocks.count
    if program.order is not None:
        ranks = program.order.rank_to_block
        rows = np.zeros((count - 1, count))
        for i in range(count - 1):
            rows[i, ranks[i]] = 1.0
            rows[i, ranks[i + 1]] = -1.0
        return Cone(program.linear_costs(), rows, count)
    if program.overhead > 0:
        rows = np.hstack((-np.eye(count), np.ones((count, 1))))
        return Cone(np.append(program.costs, program.overhead), rows, count)
    return Cone(program.costs.copy(), np.zeros((0, count)), count)


class CentralPath:
    """One walk along the path. Its point is strictly feasible at any time, also when
    interrupted.
    """

    def __init__(self, inequality: Inequality, cone: Cone, start: FloatArray) -> None:
        self.inequality = inequality
        self.cone = cone
        self.z = start
        self.slacks = inequality.size + cone.rows.shape[0]
        self.mu = float(cone.weights @ start) / self.slacks
        self.factorizations = 0
        self._kept: tuple[FloatArray, FloatArray] | None = None
        self._dual = np.zeros((inequality.size, 0))

    @property
    def q(self) -> FloatArray:
        """The primal point."""
        return self.z[: self.cone.count].copy()

    @property
    def dual(self) -> FloatArray:
        """A factor Z of the dual point mu (S^-1 - S^-1 (sum dq_k F_k) S^-1), whose traces fit
        exactly.
        """
        if self._dual.shape[1] == 0:
            inverse, *_ = self._evaluate()
            self._keep_dual(inverse, np.zeros(self.cone.count))
        return self._dual

    def follow(self, tol: float, estimate: Callable[[float, float], None] | None = None) -> None:
        """Walk until the gap is a third of tol, relative, or until rounding ends the path."""
        weights = self.cone.weights
        for _ in range(_LARGEST_STEPS):
            inverse, gradient, hessian = self._evaluate()
            try:
                step, decrement = _newton(hessian, weights / self.mu - gradient)
            except LinAlgError:
                return
            if decrement < 0.5:
                value = float(weights @ self.z)
                self._keep_dual(inverse, step[: self.cone.count])
                if estimate is not None:
                    estimate(value - self.mu * self.slacks, value)
                if self.mu * self.slacks <= 0.3 * tol * value and decrement < 0.2:
                    return
                if self.mu * self.slacks > 0.3 * tol * value:
                    # Close to the path: as long a reduction as the decrement allows.
                    self.mu *= 0.12 if decrement < 0.1 else 0.3
                    step, decrement = _newton(hessian, weights / self.mu - gradient)
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
        """Whether z is strictly inside; the factor is kept for `_evaluate`."""
        if not (self.cone.rows @ z > 0).all():
            return False
        factor, info = lapack.dpotrf(
            self.inequality.shifted(z[: self.cone.count]), lower=1, overwrite_a=1
        )
        self.factorizations += 1
        self._kept = (z.copy(), factor) if info == 0 else None
        return bool(info == 0)

    def _evaluate(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """S^-1, and gradient and Hessian of the barrier at the current point."""
        if self._kept is None or not np.array_equal(self._kept[0], self.z):
            inside = self._feasible(self.z)
            assert inside and self._kept is not None, "steps end strictly inside"
        inverse, _ = lapack.dpotri(self._kept[1], lower=1, overwrite_c=1)
        self._kept = None
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        count = self.cone.count
        size = self.z.size
        gradient = np.zeros(size)
        hessian = np.zeros((size, size))
        gradient[:count], hessian[:count, :count] = self.inequality.derivatives(inverse)
        slack = self.cone.rows @ self.z
        gradient += self.cone.rows.T @ (1 / slack)
        scaled = self.cone.rows / slack[:, None]
        hessian += scaled.T @ scaled
        return inverse, gradient, hessian

    def _keep_dual(self, inverse: FloatArray, dq: FloatArray) -> None:
        Y = self.mu * (inverse - self.inequality.pulled(inverse, dq))
        values, vectors = np.linalg.eigh((Y + Y.T) / 2)
        kept = values > values[-1] * 1e-15
        self._dual = np.asarray(vectors[:, kept] * np.sqrt(values[kept]))


def _newton(hessian: FloatArray, gradient: FloatArray) -> tuple[FloatArray, float]:
    """The Newton step and its decrement, with the Hessian scaled to a unit diagonal."""
    scale = 1 / np.sqrt(hessian.diagonal())
    factor = cho_factor(hessian * scale[:, None] * scale[None, :], lower=True)
    step = -scale * cho_solve(factor, scale * gradient)
    return step, float(np.sqrt(max(-(gradient @ step), 0.0)))
