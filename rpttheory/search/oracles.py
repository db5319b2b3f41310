"""Two independent cross-checks of the optimum of c(P), for small problems.

`solve_conic` hands the program as it stands to a general solver through cvxpy. `solve_exhaustive`
knows nothing of the hidden convexity: it minimizes c(P) as the paper states it, over permutations
and 1 = p_1 >= ... >= p_B > 0. They find their points by nothing that the other methods use. Like
all others these points are only proposed, and `bounds` proves what they are worth.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ..errors import InvalidInput
from ..numbers.exact_array import FloatArray
from .block_sdp import BlockSDP, power_of_two
from .bounds import BoundTracker

# The solver keeps several copies of a dense matrix whose side is the number of entries of one
# triangle of L: 1.6 GB at this dimension, 26 GB at twice that.
LARGEST_CONIC_DIMENSION = 100
LARGEST_COUNT = 6
# c(P) has kinks where eigenvalues cross. The largest one is smoothed, less and less, and at the end
# not at all.
_SMOOTHINGS = (3e-2, 3e-3, 3e-4, 3e-5, 3e-6)
# log(p_i / p_{i+1}) stays below this: a factor of 1e26 makes even a costly block negligible.
_LARGEST_DROP = 60.0


def solve_conic(tracker: BoundTracker) -> None:
    """Solve min c_0 m + <c, q> with Diag(q) - L positive semidefinite, and propose q and a factor
    of the dual.
    """
    program = tracker.program
    d = program.blocks.dimension
    if d > LARGEST_CONIC_DIMENSION:
        raise InvalidInput(
            f"'conic' is for d at most {LARGEST_CONIC_DIMENSION}",
            f"d = {d}",
            "'interior-point', 'low-rank' or 'auto'",
            argument="method",
        )
    matrix = program.entries("'conic'")
    unit = power_of_two(matrix)
    tracker.propose_gradient_descent()
    # A tenth of the tolerance, but no less than the solver can deliver.
    gap = min(1e-8, max(0.1 * tracker.tol, 1e-11))
    q, Y = _solve_scaled(program, matrix / unit, gap)
    if q is None or not np.isfinite(q).all():
        return
    V = None
    if Y is not None and np.isfinite(Y).all():
        values, vectors = np.linalg.eigh((Y + Y.T) / 2)
        # The bound does not change with the scale of V, and rounding is covered best where V is of
        # order 1.
        V = vectors * np.sqrt(np.maximum(values, 0.0) / max(float(values[-1]), 1e-300))
    tracker.propose(q * unit, V)


def _solve_scaled(
    program: BlockSDP, matrix: FloatArray, gap: float
) -> tuple[FloatArray | None, FloatArray | None]:
    """Return q and the dual matrix as the solver left them; None where it gave up."""
    import cvxpy

    cp: Any = cvxpy
    blocks = program.blocks
    q = cp.Variable(blocks.count)
    inequality = cp.diag(np.eye(blocks.count)[blocks.labels] @ q) - matrix >> 0
    constraints = [inequality]
    if program.order is not None:
        ranked = q[list(program.order.rank_to_block)]
        constraints += [ranked[i] >= ranked[i + 1] for i in range(blocks.count - 1)]
    cost = program.costs @ q + program.overhead * cp.max(q)
    model = cp.Problem(cp.Minimize(cost / program.total_cost), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the bounds show how inaccurate an answer is
        try:
            model.solve(solver="CLARABEL", tol_gap_abs=gap, tol_gap_rel=gap, tol_feas=gap)
        except cp.error.SolverError:
            return None, None
    return q.value, inequality.dual_value


def solve_exhaustive(tracker: BoundTracker, rng: np.random.Generator) -> None:
    """Propose the best probabilities over all orders (or the forced one), and the trivial dual
    point.

    That point is the top eigenvector of each block with squared length c_k, for the bound sum_k c_k
    L_k. So the bracket stays open and the status is "stalled".
    """
    program = tracker.program
    blocks = program.blocks
    if blocks.count > LARGEST_COUNT and program.order is None:
        raise InvalidInput(
            f"'exhaustive' tries every order, of at most {LARGEST_COUNT} blocks",
            f"{blocks.count} blocks",
            "'interior-point', 'low-rank' or 'auto'",
            argument="method",
        )
    matrix = program.entries("'exhaustive'")
    V = np.zeros((blocks.dimension, blocks.count))
    for k, rows in enumerate(blocks.slices):
        V[rows, k] = np.sqrt(program.costs[k]) * np.linalg.eigh(matrix[rows, rows])[1][:, -1]
    tracker.propose(np.ones(blocks.count), V)
    if not matrix.any() or blocks.count == 1:
        return
    orders: Iterable[tuple[int, ...]] = permutations(range(blocks.count))
    if program.order is not None:
        orders = [program.order.rank_to_block]
    searches = []
    for order in orders:
        search = _AlongOrder(program, matrix / np.abs(matrix).max(), np.array(order))
        searches.append((*search.descend(rng), search))
        tracker.report()
    _, drops, search = min(searches, key=lambda result: result[0])
    tracker.propose(np.exp(search.log_p(drops)))
    # A search without derivatives is not stopped by the kinks.
    polished = minimize(
        lambda y: search.log_cost(np.abs(y)),
        drops,
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 400 * drops.size},
    )
    tracker.propose(np.exp(search.log_p(np.abs(polished.x))))


class _AlongOrder:
    """log c(P) along an order, as a function of the drops y_i = log(p_i / p_{i+1}) >= 0."""

    def __init__(self, program: BlockSDP, matrix: FloatArray, order: NDArray[np.intp]) -> None:
        self.program = program
        self.matrix = matrix
        self.order = order
        self.costs = program.costs / program.total_cost
        self.overhead = program.overhead / program.total_cost

    def log_p(self, y: FloatArray) -> FloatArray:
        """The logarithms of the probabilities."""
        log_p = np.empty(self.order.size)
        log_p[self.order] = -np.append(0.0, np.cumsum(np.minimum(y, _LARGEST_DROP)))
        return log_p

    def _scaled(self, log_p: FloatArray) -> FloatArray:
        """P^-1/2 L P^-1/2."""
        root = np.exp(-0.5 * log_p)[self.program.blocks.labels]
        return self.matrix * root[:, None] * root[None, :]

    def log_cost(self, y: FloatArray) -> float:
        """log c(P), up to a constant."""
        log_p = self.log_p(y)
        top = float(np.linalg.eigvalsh(self._scaled(log_p))[-1])
        return float(np.log(max(top, 1e-300)) + np.log(self.overhead + self.costs @ np.exp(log_p)))

    def descend(self, rng: np.random.Generator) -> tuple[float, FloatArray]:
        """Return the least cost that a few local searches reach, and its drops."""
        results = []
        for y in (np.full(self.order.size - 1, 0.2), rng.exponential(1.0, self.order.size - 1)):
            for smoothing in _SMOOTHINGS:
                y = minimize(
                    self.smoothed,
                    y,
                    (smoothing,),
                    jac=True,
                    method="L-BFGS-B",
                    bounds=[(0.0, _LARGEST_DROP)] * y.size,
                    options={"gtol": 1e-9, "ftol": 1e-14},
                ).x
            results.append((self.log_cost(y), y))
        return min(results, key=lambda result: result[0])

    def smoothed(self, y: FloatArray, smoothing: float) -> tuple[float, FloatArray]:
        """log c(P) with the largest eigenvalue as a power mean, (sum_i lambda_i^(1/s))^s, and the
        gradient.
        """
        log_p = self.log_p(y)
        values, vectors = np.linalg.eigh(self._scaled(log_p))
        powers = np.maximum(values / values[-1], 0.0) ** (1 / smoothing)
        # d log lambda_i / d log p_k = -||x_i restricted to block k||^2.
        starts = self.program.blocks.starts
        shares = np.add.reduceat(vectors**2, starts, axis=0) @ (powers / powers.sum())
        paid = self.costs * np.exp(log_p)
        cost = self.overhead + paid.sum()
        value = np.log(values[-1]) + smoothing * np.log(powers.sum()) + np.log(cost)
        # log p of rank i is minus the sum of the drops before it.
        by_rank = (paid / cost - shares)[self.order]
        return float(value), -np.cumsum(by_rank[::-1])[::-1][1:]
