"""Better multipliers than those of the ascent, and the gap they would leave, before anything is
proved.

At the optimum (Diag(q) - L) V = 0. Near it q_k = <V_k, (L V)_k> / c_k leaves an upper bound whose
error is linear in the gradient. The smallest change of q for which P'(Diag(q) - L)P = 0, with P an
orthonormal basis of the range of V, makes it quadratic. Eigenvalues of L compressed to P and a few
of its powers estimate the gap, almost exactly and a little optimistically, at the price of a few
products.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..eigen.eigenpairs import lanczos
from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks
from .burer_monteiro import Point, Product

# The number of equations of the fit grows with the square of the rank, its work with the fourth
# power. Chosen by hand; half or twice as much changed all products by at most 3 percent
# (benchmarks/constants.py).
_LARGEST_RANK = 40
_ROUNDS = 2


@dataclass(frozen=True)
class Multipliers:
    """q, the top eigenvalue of the pencil (L, Diag(q)) on the range of Z, at least 1, and <c, q>
    times it.
    """

    q: FloatArray
    top: float
    cost: float
    Z: FloatArray
    LZ: FloatArray
    vectors: FloatArray
    rank: int

    @property
    def extra_vectors(self) -> FloatArray:
        """The eigenvectors next to those that were fitted."""
        return self.Z @ self.vectors[:, self.rank : _widened(self.rank)]

    def leading(self, rank: int) -> tuple[FloatArray, FloatArray]:
        """The top eigenvectors and their products with L."""
        return self.Z @ self.vectors[:, :rank], self.LZ @ self.vectors[:, :rank]


def _widened(rank: int) -> int:
    """The number of directions to follow: the fitted ones, and others that are almost as good."""
    return rank + 4 + rank // 2


@dataclass(frozen=True)
class MultiplierFit:
    """Multipliers for one matrix, given by its product, and one set of blocks and costs.

    `depth` is the number of powers of the matrix spent on the final estimate of the gap.
    """

    product: Product
    blocks: Blocks
    costs: FloatArray
    depth: int = 3

    def multipliers(self, point: Point, extra_vectors: FloatArray, target: float) -> Multipliers:
        """Fit the point's q to the range of V, and again to better vectors if the cost is within
        `target`.

        Extra vectors, along which the pencil is almost as large, sharpen the estimate.
        """
        q = np.maximum(point.q, 1e-13 * np.minimum(point.q.max(), point.value / self.costs))
        basis, lengths = _whitening(point.V, 1e-10)
        P = point.V @ basis
        LP = point.G @ basis
        plain = self._at(q, *self._krylov(q, P, LP, 1, extra_vectors))
        if lengths.size > _LARGEST_RANK:
            return plain
        # All columns, or those before the widest drop of their lengths: the others may be fading.
        # Without the second choice a graph of 5000 nodes takes 8090 products, not 4800.
        drop = int(np.argmax(lengths[:-1] / lengths[1:])) + 1 if lengths.size > 1 else 1
        best, rank = min(
            ((self._refined(plain, P[:, :m], LP[:, :m], target), m) for m in (drop, lengths.size)),
            key=lambda pair: pair[0].cost,
        )
        for again in (True, False):
            # The space was made for the old q: the residual at the new one decides.
            vectors_at_q = best.leading(_widened(rank))
            best = self._at(best.q, *self._krylov(best.q, *vectors_at_q, self.depth), rank)
            if best.cost > target:
                break
            if again:
                best = self._refined(best, *best.leading(rank), target)
        return min(best, plain, key=lambda each: each.cost)

    def _at(self, q: FloatArray, Z: FloatArray, LZ: FloatArray, rank: int = 0) -> Multipliers:
        whiten, _ = _whitening(np.sqrt(self.blocks.expand(q))[:, None] * Z)
        small = whiten.T @ (Z.T @ LZ) @ whiten
        values, vectors = np.linalg.eigh((small + small.T) / 2)
        top = max(float(values[-1]), 1.0)
        cost = float(self.costs @ q) * top
        return Multipliers(q, top, cost, Z, LZ, whiten @ vectors[:, ::-1], rank)

    def _refined(
        self, start: Multipliers, P: FloatArray, LP: FloatArray, target: float
    ) -> Multipliers:
        """Return the best of a few fits, each to the top vectors of the one before; stop where a
        fit cannot help.
        """
        best = start
        q = start.q
        for _ in range(_ROUNDS):
            try:
                q = self._fitted(q, P, LP)
                if not q.min() > 0:
                    break
                candidate = self._at(q, start.Z, start.LZ, P.shape[1])
            except np.linalg.LinAlgError:
                break
            P, LP = candidate.leading(P.shape[1])
            best = min(best, candidate, key=lambda each: each.cost)
            if best.cost > target:
                break
        return best

    def _fitted(self, q: FloatArray, P: FloatArray, LP: FloatArray) -> FloatArray:
        """q (1 + t) with the least t, such that P'(Diag(q (1 + t)) - L)P = 0 in the sense of least
        squares.
        """
        residual = P.T @ LP - P.T @ (self.blocks.expand(q)[:, None] * P)
        i, j = np.triu_indices(P.shape[1])
        weight = np.where(i == j, 1.0, math.sqrt(2))
        columns = np.ascontiguousarray(P.T)
        equations = columns[i] * columns[j]
        if q.size < P.shape[0]:
            equations = np.add.reduceat(equations, self.blocks.starts, axis=1)
        equations *= weight[:, None] * q
        normal = equations @ equations.T
        normal[np.diag_indices_from(normal)] += 1e-13 * np.trace(normal)
        right = ((residual + residual.T) / 2)[i, j] * weight
        return np.asarray(q * (1 + np.linalg.solve(normal, right) @ equations))

    def _krylov(
        self,
        q: FloatArray,
        P: FloatArray,
        LP: FloatArray,
        depth: int,
        extra_vectors: FloatArray | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Return a basis Z of P, the extra vectors and powers of both under Q^-1 L, orthonormal in
        the metric of Q, and L Z.
        """
        root = np.sqrt(self.blocks.expand(q))[:, None]
        whiten, _ = _whitening(root * P)
        basis = root * (P @ whiten)
        image = LP @ whiten
        last = image / root
        if extra_vectors is not None:
            last = np.hstack((last, root * extra_vectors))
        for _ in range(depth):
            new = orthonormal(last, basis)
            new_image = self.product(new / root)
            last = new_image / root
            basis = np.hstack((basis, new))
            image = np.hstack((image, new_image))
        return basis / root, image

    def missing(
        self, fitted: Multipliers, steps: int, rng: np.random.Generator
    ) -> tuple[float, FloatArray]:
        """lambda_max(Q^-1/2 L Q^-1/2) and its vector on the complement of the fit's space, by
        Lanczos.
        """
        root = np.sqrt(self.blocks.expand(fitted.q))
        space = np.linalg.qr(root[:, None] * fitted.Z)[0]
        if space.shape[1] == root.size:
            return 0.0, fitted.leading(1)[0][:, 0]

        def project(y: FloatArray) -> FloatArray:
            return np.asarray(y - space @ (space.T @ y))

        values, vector, _ = lanczos(
            lambda y: project(self.product(y / root) / root),
            project(rng.standard_normal(root.size)),
            steps,
        )
        return float(values[-1]), vector / root


def _whitening(X: FloatArray, tol: float = 1e-12) -> tuple[FloatArray, FloatArray]:
    """T such that X T has orthonormal columns, as many as X has independent ones, and the singular
    values of X, largest first.
    """
    values, vectors = np.linalg.eigh(X.T @ X)
    independent = values > tol * values[-1]
    lengths = np.sqrt(values[independent])[::-1]
    return vectors[:, independent][:, ::-1] / lengths, lengths


def orthonormal(X: FloatArray, against: FloatArray | None = None) -> FloatArray:
    """An orthonormal basis of the columns of X, orthogonal to `against`, without dependent
    columns.
    """
    for _ in range(2):
        if against is not None:
            sizes = np.linalg.norm(X, axis=0)
            X = X - against @ (against.T @ X)
            X = X[:, np.linalg.norm(X, axis=0) > 1e-10 * sizes]
        basis, triangle = np.linalg.qr(X / np.maximum(np.linalg.norm(X, axis=0), 1e-300))
        X = basis[:, np.abs(triangle.diagonal()) > 1e-8]
    return np.asarray(X)
