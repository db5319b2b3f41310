"""Least c_M over probabilities for one order, by a primal-dual interior-point method.

The method works on dense L with one variable per tail of the order (`fixed_order_program`). Its
answers are proposals: the bounds that count come from `fixed_order_program.certified_lower`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lapack

from ...numbers.exact_array import FloatArray
from .fixed_order_program import (
    FixedOrderProgram,
    block_sums,
    lower_to_fit,
    pooled_slopes,
    set_sums,
    symmetric,
)

_MOST_STEPS = 150


@dataclass(frozen=True, eq=False)
class Point:
    """Where the method stopped: r per block, its cost, a dual factor V with multipliers y, the
    bound they suggest.
    """

    weights: FloatArray
    r: FloatArray
    value: float
    factor: FloatArray
    y: FloatArray
    estimate: float


def minimize(
    program: FixedOrderProgram,
    sets: FloatArray,
    *,
    tol: float,
    target: float = math.inf,
    settle: bool = False,
) -> tuple[Point, int]:
    """Primal-dual steps to a relative gap `tol`, and the number of factorizations they took.

    Stops early once the bound reaches `target`, and with `settle` also once the cost is clearly
    below it.
    """
    method = _PrimalDual(program, sets)
    state: _State | None = method.start()
    best: Point | None = None
    for _ in range(_MOST_STEPS):
        if state is None:
            break
        point = method.point(state)
        if best is not None and best.estimate > point.estimate:
            point = replace(best, weights=point.weights, r=point.r, value=point.value)
        best = point
        if best.estimate >= target or (settle and best.value < 0.999 * target):
            break
        if best.value - best.estimate <= tol * best.value:
            break
        state = method.step(state)
    assert best is not None
    return best, method.factorizations


@dataclass(frozen=True, eq=False)
class _State:
    """Weights z, S = I - M(z) and its inverse Z; their multipliers s and X, with a Cholesky factor
    of X.
    """

    z: FloatArray
    S: FloatArray
    Z: FloatArray
    s: FloatArray
    X: FloatArray
    factor: FloatArray
    y: FloatArray


class _PrimalDual:
    """Minimizes sum c / r subject to S = I - sum_T z_T L[T] >= 0 and z >= 0.

    Each step solves the linearized conditions  grad + <L[T], X> = s_T,  X S = mu I,  s z = mu  (in
    the symmetrization of Helmberg, Kojima and Monteiro), first with mu = 0 to see how far mu may
    fall, then again with that mu and the second-order terms of the first solution.
    """

    def __init__(self, program: FixedOrderProgram, sets: FloatArray) -> None:
        self.program = program
        self.sets = sets
        self.rows = program.rows(sets)
        self.labels = program.blocks.labels
        # Along an order the derivative by r_k is a hook: row and column k of L from rank k onwards.
        self.by_rank = np.argsort(sets.sum(axis=1))
        rank = np.argsort(self.by_rank)[self.labels]
        self.half = program.matrix * (0.5 + 0.5 * np.sign(rank[:, None] - rank[None, :]))
        self.factorizations = 0

    def moment(self, z: FloatArray) -> FloatArray:
        """sum_T z_T L[T]."""
        ratio = (self.sets * z) @ self.sets.T
        return np.asarray(self.program.matrix * ratio[self.labels[:, None], self.labels[None, :]])

    def adjoint(self, Y: FloatArray) -> FloatArray:
        """<L[T], Y> for every T."""
        return set_sums(block_sums(self.program.matrix * Y, self.program.blocks.starts), self.sets)

    def start(self) -> _State:
        """Each set as heavy as its largest block allows, scaled to half of what the matrix
        allows.
        """
        tops = np.maximum(self.program.tops, 1e-300)
        z = 1 / (self.sets * tops[:, None]).max(axis=0)
        z = z / max(float(np.linalg.eigvalsh(self.moment(z))[-1]), 1e-300)
        factor = None
        while factor is None:
            z = z / 2
            S = np.eye(self.labels.size) - self.moment(z)
            factor = self._cholesky(S)
        Z = _inverse(factor)
        r = self.rows @ z
        mu = float((self.program.prices / r).sum()) / (z.size + self.labels.size)
        kept = self._cholesky(mu * Z)
        assert kept is not None
        g = np.maximum(self.adjoint(mu * Z), 0.0)
        y = 0.5 * lower_to_fit(self.program.prices / (r * r), self.rows, g)
        return _State(z, S, Z, g - y @ self.rows, mu * Z, kept, y)

    def _cholesky(self, matrix: FloatArray) -> FloatArray | None:
        self.factorizations += 1
        factor, info = lapack.dpotrf(matrix, lower=1, clean=1)
        return factor if info == 0 else None

    def step(self, now: _State) -> _State | None:
        """A predictor and a corrector; None where rounding leaves no room for them."""
        z = now.z
        S = now.S
        Z = now.Z
        s = now.s
        X = now.X
        y = now.y
        r = self.rows @ z
        hessian = self._chain(X, Z)
        hessian += (self.rows * (2 * y / r)[:, None]).T @ self.rows
        hessian[np.diag_indices_from(hessian)] += s / z
        scale = 1 / np.sqrt(hessian.diagonal())
        hessian *= scale[:, None] * scale[None, :]
        hessian[np.diag_indices_from(hessian)] += 1e-15
        try:
            solver = cho_factor(hessian, lower=True)
        except (LinAlgError, ValueError):
            return None
        wish = y + y * np.log(self.program.prices / (r * r * y))

        def direction(center: float, twist: FloatArray, bend: FloatArray) -> tuple[FloatArray, ...]:
            """Steps of z, S, s, X and y to mu = center, with second-order terms."""
            right = wish @ self.rows - self.adjoint(center * Z + twist) + center / z - bend
            dz = scale * cho_solve(solver, scale * right)
            M = self.moment(dz)
            ds = center / z - s - s / z * dz - bend
            dX = symmetric(X @ M @ Z) - X + center * Z + twist
            return dz, -M, ds, dX, wish - y - 2 * y * (self.rows @ dz) / r

        dz, dS, ds, dX, dy = direction(0.0, np.zeros_like(Z), np.zeros_like(z))
        a = self._length(z, dz, S, dS)[0]
        b = self._length(np.append(s, y), np.append(ds, dy), X, dX)[0]
        mu = float(z @ s) + float(np.vdot(X, S))
        left = float((z + a * dz) @ (s + b * ds)) + float(np.vdot(X + b * dX, S + a * dS))
        center = min(max((left / mu) ** 2, 1e-4), 0.5) * mu / (z.size + self.labels.size)
        dz, dS, ds, dX, dy = direction(center, symmetric(-dX @ dS @ Z), dz * ds / z)
        a, factor_S = self._length(z, dz, S, dS)
        b, factor_X = self._length(np.append(s, y), np.append(ds, dy), X, dX)
        if factor_S is None or factor_X is None or a < 1e-8:
            return None
        Z = _inverse(factor_S)
        return _State(z + a * dz, S + a * dS, Z, s + b * ds, X + b * dX, factor_X, y + b * dy)

    def _length(
        self, z: FloatArray, dz: FloatArray, S: FloatArray, dS: FloatArray
    ) -> tuple[float, FloatArray | None]:
        """How far z and S may go and stay positive, with the Cholesky factor of S there."""
        falling = dz < 0
        length = min(1.0, 0.98 * float((-z[falling] / dz[falling]).min(initial=np.inf)))
        factor = self._cholesky(S + length * dS)
        if factor is not None:
            return length, factor
        while length > 1e-9:
            length *= 0.75
            if self._cholesky(S + length * dS) is not None:
                # That may be next to the boundary; stay a little inside.
                length *= 0.9
                return length, self._cholesky(S + length * dS)
        return 0.0, None

    def _chain(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """tr(L[T] X L[U] Z) for the tails T and U of one order, from the hooks."""
        first = self.half.T @ X
        second = self.half.T @ Z
        mixed = (
            first * second.T + first.T * second + (first @ self.half) * Z + (second @ self.half) * X
        )
        hooks = block_sums(mixed, self.program.blocks.starts)[self.by_rank][:, self.by_rank]
        sums = np.cumsum(np.cumsum(hooks[::-1, ::-1], axis=0), axis=1)[::-1, ::-1]
        return symmetric(sums)

    def point(self, state: _State) -> Point:
        """The weights scaled to lambda_max(M) = 1 at most, and multipliers that fit X."""
        g = np.maximum(self.adjoint(state.X), 0.0)
        prices = self.program.prices
        r = self.rows @ state.z
        ranked = self.program.costs[self.by_rank]
        ranked[0] += self.program.overhead
        slopes = np.empty(ranked.size)
        slopes[self.by_rank] = pooled_slopes(g, ranked)
        y = prices * np.append(slopes, slopes[self.by_rank[0]])[: prices.size]
        estimate = float(np.sqrt(y * prices).sum()) ** 2 / float(state.X.trace())
        return Point(
            state.z, r[: self.sets.shape[0]], float((prices / r).sum()), state.factor, y, estimate
        )


def _inverse(factor: FloatArray) -> FloatArray:
    half, _ = lapack.dtrtri(factor, lower=1)
    return np.asarray(half.T @ half)
