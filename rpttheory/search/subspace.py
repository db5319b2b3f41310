"""Subspace method: the search program compressed to the span of a few vectors, by products with L
alone.

Only W'(Diag(q) - L)W >= 0 is asked for a basis W. That is a small program, which the central path
solves with any overhead or order, and whose dual point is dual feasible for the whole program. Its
q violates the whole inequality along some eigenvectors; these join the basis.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from ..eigen.eigenpairs import magnitude
from ..numbers.exact_array import FloatArray
from .block_sdp import BlockSDP
from .bounds import BoundTracker, generic_vector
from .burer_monteiro import BurerMonteiro, Product
from .central_path import CentralPath, cone_of
from .multipliers import orthonormal

# Rounds, vectors that a round adds, and the largest basis. Chosen by hand: half or twice as much
# changed all products on 44 families of matrices by at most 16 percent, and those of one family by
# less than a factor of two (benchmarks/constants.py).
_ROUNDS = 60
_NEW_VECTORS = 6
_LARGEST_BASIS = 400
# Up to this dimension the basis is the whole space at once. Chosen by hand, not measured.
_WHOLE_SPACE = 40


def solve(tracker: BoundTracker, rng: np.random.Generator) -> None:
    """Enlarge the basis until the certified gap is within the tolerance."""
    program = tracker.program
    form = program.smoothness
    total = program.total_cost
    traces = (program.costs + program.overhead * program.costs / program.costs.sum()) / total
    d = program.blocks.dimension
    count = program.blocks.count
    random = rng.standard_normal((d, min(d, math.isqrt(2 * count) + 2)))
    # Norms of huge or tiny products would overflow; the ascent sees them over a power of two.
    size = magnitude(form.matmat(random[:, :1]))
    ascent = BurerMonteiro(lambda X: form.matmat(X) / size, program.blocks, traces, random)
    for _ in range(12):
        ascent.step()
    start = ascent.point
    unit = size * float(np.ldexp(1.0, int(np.frexp(start.value)[1]))) if start.value > 0 else 1.0
    if d <= _WHOLE_SPACE or count + start.V.shape[1] + _NEW_VECTORS >= d:
        W = np.eye(d)
    else:
        # One vector per block keeps the small program bounded: it makes q_k at least a Rayleigh
        # quotient.
        separate = np.zeros((d, count))
        separate[np.arange(d), program.blocks.labels] = start.V @ rng.standard_normal(
            start.V.shape[1]
        )
        W = orthonormal(np.hstack((separate, start.V)))
    LW = form.matmat(W) / unit
    gap = 1.0
    q = np.full(program.blocks.count, start.q.max() * size)
    V = start.V
    try:
        for _ in range(_ROUNDS):
            inequality = CompressedInequality(program, W, LW)
            path = CentralPath(inequality, *cone_of(program, inequality.top()))
            # Enough below the current gap to matter, and central enough to be a good place to cut.
            whole = W.shape[1] == d
            path.follow(
                tracker.tol if whole else max(0.1 * gap, 0.2 * tracker.tol),
                lambda low, high: tracker.report(
                    max(tracker.lower, low * unit), min(tracker.upper, high * unit)
                ),
            )
            q = path.q * unit
            V = W @ path.dual
            if whole:
                return
            Q = program.blocks.expand(q)
            top, vectors = violations(form.matmat, Q, generic_vector(V))
            tracker.propose(V=V)
            gap = max(1 - tracker.lower / (program.objective(program.admissible(q)) * top), 0.0)
            if gap <= tracker.tol and tracker.try_to_close(q, V):
                return
            if W.shape[1] + _NEW_VECTORS > min(_LARGEST_BASIS, program.blocks.dimension):
                return
            new = orthonormal(vectors, against=W)
            W = np.hstack((W, new))
            LW = np.hstack((LW, form.matmat(new) / unit))
    finally:
        # Also on Ctrl-C: the current point has a certificate, if not a tight one.
        if not tracker.satisfied:
            tracker.propose(q, V)


class CompressedInequality:
    """S(q) = sum_k q_k W_k'W_k - W'LW."""

    def __init__(self, program: BlockSDP, W: FloatArray, LW: FloatArray) -> None:
        self.size = int(W.shape[1])
        self.grams = np.stack([W[rows].T @ W[rows] for rows in program.blocks.slices])
        compressed = W.T @ LW
        self.matrix = (compressed + compressed.T) / 2

    def top(self) -> float:
        """q_k = top for all k is feasible: W has orthonormal columns."""
        top = float(np.linalg.eigvalsh(self.matrix)[-1])
        return top if top > 0 else 1.0

    def shifted(self, q: FloatArray) -> FloatArray:
        """S(q), freshly allocated."""
        return np.asarray(np.tensordot(q, self.grams, axes=1) - self.matrix)

    def derivatives(self, inverse: FloatArray) -> tuple[FloatArray, FloatArray]:
        """<S^-1, G_k> and <S^-1 G_k S^-1, G_l>."""
        count = self.grams.shape[0]
        flat = self.grams.reshape(count, -1)
        pulled = (inverse @ self.grams @ inverse).reshape(count, -1)
        return flat @ inverse.ravel(), pulled @ flat.T

    def pulled(self, inverse: FloatArray, dq: FloatArray) -> FloatArray:
        """S^-1 (sum_k dq_k G_k) S^-1."""
        return np.asarray(inverse @ np.tensordot(dq, self.grams, axes=1) @ inverse)


def violations(product: Product, Q: FloatArray, start: FloatArray) -> tuple[float, FloatArray]:
    """lambda_max(Q^-1/2 L Q^-1/2) by Lanczos, and the vectors along which Diag(Q) - L is most
    negative.
    """
    d = Q.size
    root = 1 / np.sqrt(np.maximum(Q, 1e-300))

    def apply(y: FloatArray) -> FloatArray:
        return root * product(root * y.ravel())

    operator = LinearOperator((d, d), matvec=apply, dtype=np.float64)
    count = min(_NEW_VECTORS, d - 2)
    guess = start / root / np.linalg.norm(start / root)
    try:
        values, vectors = eigsh(
            operator, count, which="LA", tol=1e-4, v0=guess, ncv=min(d, 4 * count + 20)
        )
    except ArpackError as stuck:
        values = getattr(stuck, "eigenvalues", np.empty(0))
        vectors = getattr(stuck, "eigenvectors", np.empty((d, 0)))
    if values.size == 0:
        values = np.array([float(guess @ apply(guess))])
        vectors = guess[:, None]
    return float(values.max()), np.asarray(root[:, None] * vectors)
