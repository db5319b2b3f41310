"""Dense interior-point method: B variables, one Cholesky factorization and one inverse per step.

The gradient needs the traces of the diagonal blocks of S^-1, the Hessian the squared Frobenius
norms of all its blocks.
"""

from __future__ import annotations

import numpy as np

from ..numbers.exact_array import FloatArray
from ..problem.eigen_brackets import Effort
from .block_sdp import BlockSDP, power_of_two
from .bounds import BoundTracker, generic_vector
from .central_path import CentralPath, cone_of


def solve(tracker: BoundTracker) -> None:
    """Follow the central path until the gap is a third of the tolerance, then propose both
    points.
    """
    program = tracker.program
    matrix = program.entries("'interior-point'")
    unit = power_of_two(matrix)
    inequality = BlockInequality(program, matrix / unit)
    top = float(np.abs(inequality.matrix).sum(axis=1).max())
    path = CentralPath(inequality, *cone_of(program, top if top > 0 else 1.0))
    try:
        path.follow(tracker.tol, lambda low, high: tracker.report(low * unit, high * unit))
    finally:
        # Also on Ctrl-C: the path's point is feasible at any time.
        tracker.factorizations += path.factorizations
        dual = path.dual
        q = path.q * unit
        if not tracker.try_to_close(q, dual):
            effort: Effort = "sharp" if tracker.tol < 1e-8 else "fast"
            tracker.propose(q, dual, vector=generic_vector(dual), effort=effort)


class BlockInequality:
    """S(q) = BlockDiag(q_k I) - L."""

    def __init__(self, program: BlockSDP, matrix: FloatArray) -> None:
        self.matrix = matrix
        self.blocks = program.blocks
        self.size = int(matrix.shape[0])

    def shifted(self, q: FloatArray) -> FloatArray:
        """S(q), freshly allocated."""
        S = -self.matrix
        S[np.diag_indices_from(S)] += self.blocks.expand(q)
        return S

    def derivatives(self, inverse: FloatArray) -> tuple[FloatArray, FloatArray]:
        """tr((S^-1)_kk) and ||(S^-1)_kl||_F^2."""
        starts = self.blocks.starts
        squares = np.add.reduceat(
            np.add.reduceat(inverse * inverse, starts, axis=0), starts, axis=1
        )
        return np.add.reduceat(inverse.diagonal(), starts), squares

    def pulled(self, inverse: FloatArray, dq: FloatArray) -> FloatArray:
        """S^-1 Diag(dq) S^-1."""
        return np.asarray((inverse * self.blocks.expand(dq)[None, :]) @ inverse)
