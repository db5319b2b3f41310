"""Better multipliers than a climb's own, and what gap they would leave, before anything is proved.

At the optimum (Diag(q) - L) V = 0. Near it q_k = <V_k, (L V)_k> / c_k leaves an upper bound whose
error is linear in the gradient. Moving q least so that P'(Diag(q) - L)P = 0 on an orthonormal basis
P of the range of V makes it quadratic. Eigenvalues of L compressed to P and a few of its powers
tell the gap, almost exactly and a little too kindly, at the price of a few products.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh

from ..eigen.eigenpairs import lanczos
from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks
from .climb import Point

# The number of equations of the fit grows with the square of the rank, its work with the fourth
# power.
_LARGEST_RANK = 40
_ROUNDS = 2

Product = Callable[[FloatArray], FloatArray]


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
    def beside(self) -> FloatArray:
        """The eigenvectors next to those that the fit was made for."""
        return self.Z @ self.vectors[:, self.rank : _wider(self.rank)]

    def leading(self, rank: int) -> tuple[FloatArray, FloatArray]:
        """The top eigenvectors and their products with L."""
        return self.Z @ self.vectors[:, :rank], self.LZ @ self.vectors[:, :rank]


def _wider(rank: int) -> int:
    """How many directions are followed: the fitted ones, and those beside them that are almost as
    good.
    """
    return rank + 4 + rank // 2


class Fit:
    """Multipliers for one matrix, given by its product, and one set of blocks and costs.

    `depth` says how many powers of the matrix are spent on the last word about their gap.
    """

    def __init__(self, product: Product, blocks: Blocks, costs: FloatArray, depth: int = 3) -> None:
        self.product = product
        self.blocks = blocks
        self.costs = costs
        self.depth = depth

    def multipliers(self, point: Point, beside: FloatArray, enough: float) -> Multipliers:
        """The point's q fitted to the range of V, and again to better vectors if the cost is within
        `enough`.

        Directions `beside` that range, in which the pencil is almost as large, sharpen the
        estimate.
        """
        q = np.maximum(point.q, 1e-13 * np.minimum(point.q.max(), point.value / self.costs))
        values, vectors = np.linalg.eigh(point.V.T @ point.V)
        kept = values > 1e-10 * values[-1]
        lengths = np.sqrt(values[kept])[::-1]
        turn = vectors[:, kept][:, ::-1] / lengths
        P = point.V @ turn
        LP = point.G @ turn
        plain = self._at(q, *self._krylov(q, P, LP, 1, beside))
        if lengths.size > _LARGEST_RANK:
            return plain
        # All columns, or those before the widest drop of their lengths: the rest may be on its way
        # out.
        drop = int(np.argmax(lengths[:-1] / lengths[1:])) + 1 if lengths.size > 1 else 1
        ranks = sorted({drop, lengths.size})
        best, rank = min(
            ((self._refined(plain, P[:, :m], LP[:, :m], enough), m) for m in ranks),
            key=lambda pair: pair[0].cost,
        )
        for again in (True, False):
            # The space was made for the old q: the residual at the new one has the last word.
            best = self._at(
                best.q, *self._krylov(best.q, *best.leading(_wider(rank)), self.depth), rank
            )
            if best.cost > enough:
                break
            if again:
                best = self._refined(best, *best.leading(rank), enough)
        return min(best, plain, key=lambda found: found.cost)

    def _at(self, q: FloatArray, Z: FloatArray, LZ: FloatArray, rank: int = 0) -> Multipliers:
        turn = _whitening(np.sqrt(self.blocks.expand(q))[:, None] * Z)
        small = turn.T @ (Z.T @ LZ) @ turn
        values, vectors = np.linalg.eigh((small + small.T) / 2)
        top = max(float(values[-1]), 1.0)
        return Multipliers(
            q, top, float(self.costs @ q) * top, Z, LZ, turn @ vectors[:, ::-1], rank
        )

    def _refined(
        self, start: Multipliers, P: FloatArray, LP: FloatArray, enough: float
    ) -> Multipliers:
        """The best of a few fits, each to the top vectors of the one before; of one where that is
        hopeless.
        """
        best = start
        q = start.q
        for _ in range(_ROUNDS):
            try:
                q = self._fitted(q, P, LP)
                if not q.min() > 0:
                    break
                found = self._at(q, start.Z, start.LZ, P.shape[1])
            except np.linalg.LinAlgError:
                break
            P, LP = found.leading(P.shape[1])
            best = min(best, found, key=lambda each: each.cost)
            if best.cost > enough:
                break
        return best

    def _fitted(self, q: FloatArray, P: FloatArray, LP: FloatArray) -> FloatArray:
        """q (1 + t) with the least t, such that P'(Diag(q (1 + t)) - L)P = 0 in the sense of least
        squares.
        """
        rest = P.T @ LP - P.T @ (self.blocks.expand(q)[:, None] * P)
        i, j = np.triu_indices(P.shape[1])
        weight = np.where(i == j, 1.0, math.sqrt(2))
        columns = np.ascontiguousarray(P.T)
        equations = columns[i] * columns[j]
        if q.size < P.shape[0]:
            equations = np.add.reduceat(equations, self.blocks.starts, axis=1)
        equations *= weight[:, None] * q
        normal = equations @ equations.T
        normal[np.diag_indices_from(normal)] += 1e-13 * np.trace(normal)
        return np.asarray(
            q * (1 + np.linalg.solve(normal, ((rest + rest.T) / 2)[i, j] * weight) @ equations)
        )

    def _krylov(
        self,
        q: FloatArray,
        P: FloatArray,
        LP: FloatArray,
        depth: int,
        beside: FloatArray | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """A basis Z of P, what is beside it and powers of both under Q^-1 L, orthonormal in the
        metric of Q; L Z.
        """
        root = np.sqrt(self.blocks.expand(q))[:, None]
        turn = _whitening(root * P)
        basis = root * (P @ turn)
        image = LP @ turn
        last = image
        for _ in range(depth):
            new = orthonormal(
                last / root if beside is None else np.hstack((last / root, root * beside)), basis
            )
            last = self.product(new / root)
            beside = None
            basis = np.hstack((basis, new))
            image = np.hstack((image, last))
        return basis / root, image

    def missing(
        self, found: Multipliers, steps: int, rng: np.random.Generator
    ) -> tuple[float, FloatArray]:
        """lambda_max(Q^-1/2 L Q^-1/2) and its vector, among those that the fit knows nothing of, by
        Lanczos.
        """
        root = np.sqrt(self.blocks.expand(found.q))
        known = np.linalg.qr(root[:, None] * found.Z)[0]
        if known.shape[1] == root.size:
            return 0.0, found.leading(1)[0][:, 0]

        def rest(y: FloatArray) -> FloatArray:
            return np.asarray(y - known @ (known.T @ y))

        values, vector, _ = lanczos(
            lambda y: rest(self.product(y / root) / root),
            rest(rng.standard_normal(root.size)),
            steps,
        )
        return float(values[-1]), vector / root


def _whitening(X: FloatArray) -> FloatArray:
    """T such that X T has orthonormal columns, as many as X has independent ones."""
    values, vectors = np.linalg.eigh(X.T @ X)
    kept = values > 1e-12 * values[-1]
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


def violations(
    product: Product, Q: FloatArray, start: FloatArray, *, wanted: int, tol: float
) -> tuple[float, FloatArray]:
    """lambda_max(Q^-1/2 L Q^-1/2) by Lanczos, and the vectors along which Diag(Q) - L is most
    negative.
    """
    d = Q.size
    root = 1 / np.sqrt(np.maximum(Q, 1e-300))

    def apply(y: FloatArray) -> FloatArray:
        return root * product(root * y.ravel())

    operator = LinearOperator((d, d), matvec=apply, dtype=np.float64)
    wanted = min(wanted, d - 2)
    try:
        values, vectors = eigsh(
            operator, wanted, which="LA", tol=tol, v0=start / root, ncv=min(d, 4 * wanted + 20)
        )
    except ArpackNoConvergence as stuck:
        values = stuck.eigenvalues
        vectors = stuck.eigenvectors
    except ArpackError:
        values = np.empty(0)
        vectors = np.empty((d, 0))
    if vectors.shape[1] == 0:
        guess = start / root / np.linalg.norm(start / root)
        values = np.array([float(guess @ apply(guess))])
        vectors = guess[:, None]
    return float(values.max()), np.asarray(root[:, None] * vectors)


def orthonormal(X: FloatArray, against: FloatArray | None = None) -> FloatArray:
    """An orthonormal basis of the columns of X, orthogonal to `against`; what depends on others is
    left out.
    """
    for _ in range(2):
        if against is not None:
            sizes = np.linalg.norm(X, axis=0)
            X = X - against @ (against.T @ X)
            X = X[:, np.linalg.norm(X, axis=0) > 1e-10 * sizes]
        basis, triangle = np.linalg.qr(X / np.maximum(np.linalg.norm(X, axis=0), 1e-300))
        X = basis[:, np.abs(triangle.diagonal()) > 1e-8]
    return np.asarray(X)
