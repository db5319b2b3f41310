"""Two independent cross-checks of the optimum of c(P), for small problems.

`solve_conic` hands the program as it stands to a general solver through cvxpy. `solve_exhaustive`
knows nothing of the hidden convexity: it minimizes c(P) as the paper states it, over permutations
and 1 = p_1 >= ... >= p_B > 0. They find their points by nothing that the other methods use. Like
all others these points are only proposed, and `bounds` proves what they are worth.
"""

from __future__ import annotations

import warnings
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
# The gap asked of the solver: a tenth of the tolerance, but no less than it can deliver.
_FINEST_GAP = 1e-11

LARGEST_COUNT = 6
# c(P) has kinks where eigenvalues cross. The largest one is smoothed, less and less, and at the end
# not at all.
_COARSE = (3e-2, 3e-3)
_FINE = (3e-4, 3e-5, 3e-6)
_RANDOM_STARTS = 2
# log(p_i / p_{i+1}) stays below this: a factor of 1e26 makes even a costly block negligible.
_LARGEST_DROP = 60.0
_PRECISION = {"gtol": 1e-9, "ftol": 1e-14}


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
    gap = min(1e-8, max(0.1 * tracker.tol, _FINEST_GAP))
    tracker.propose_gradient_descent()
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
    costs = program.linear_costs()
    total = float(costs.sum()) + (program.overhead if program.order is None else 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the bounds show how inaccurate an answer is
        q = cp.Variable(blocks.count)
        inequality = cp.diag(np.eye(blocks.count)[blocks.labels] @ q) - matrix >> 0
        objective: Any = (costs / total) @ q
        constraints: list[Any] = [inequality]
        if program.order is not None and blocks.count > 1:
            ranked = q[list(program.order.rank_to_block)]
            constraints.append(ranked[:-1] >= ranked[1:])
        elif program.order is None and program.overhead > 0:
            objective = objective + (program.overhead / total) * cp.max(q)
        model = cp.Problem(cp.Minimize(objective), constraints)
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
    orders = (
        permutations(range(blocks.count))
        if program.order is None
        else iter([program.order.rank_to_block])
    )
    search = _OrderwiseSearch(program, matrix / np.abs(matrix).max())
    results = []
    for order in orders:
        results.append(search.over_order(np.array(order), rng))
        tracker.report()
    _, p, ranks = min(results, key=lambda result: result[0])
    tracker.propose(p)
    tracker.propose(search.polish(p, ranks))


class _OrderwiseSearch:
    """log c(P) and its smoothed forms, as functions of the drops y_i = log(p_i / p_{i+1}) >= 0
    along an order.
    """

    def __init__(self, program: BlockSDP, matrix: FloatArray) -> None:
        self.matrix = matrix
        self.labels = program.blocks.labels
        self.starts = program.blocks.starts
        self.costs = program.costs / program.total_cost
        self.overhead = program.overhead / program.total_cost

    def over_order(
        self, ranks: NDArray[np.intp], rng: np.random.Generator
    ) -> tuple[float, FloatArray, NDArray[np.intp]]:
        """Return the least value of a few local searches along an order, its probabilities, and the
        order.
        """
        drops = ranks.size - 1
        random = [rng.exponential(1.0, drops) for _ in range(_RANDOM_STARTS)]
        starts = [np.full(drops, 0.2), *random]
        rough = [self._descend(start, ranks, _COARSE) for start in starts]
        y = self._descend(min(rough, key=lambda each: self._log_cost(each, ranks)), ranks, _FINE)
        return self._log_cost(y, ranks), np.exp(self._log_p(y, ranks)), ranks

    def polish(self, p: FloatArray, ranks: NDArray[np.intp]) -> FloatArray:
        """Search without derivatives from p, which the kinks do not stop."""
        start = -np.diff(np.log(p[ranks]))
        result = minimize(
            lambda y: self._log_cost(np.abs(y), ranks),
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 400 * start.size},
        )
        return np.exp(self._log_p(np.abs(result.x), ranks))

    def _descend(
        self, y: FloatArray, ranks: NDArray[np.intp], smoothings: tuple[float, ...]
    ) -> FloatArray:
        for smoothing in smoothings:
            y = minimize(
                self._smoothed,
                y,
                (ranks, smoothing),
                jac=True,
                method="L-BFGS-B",
                bounds=[(0.0, _LARGEST_DROP)] * y.size,
                options=_PRECISION,
            ).x
        return y

    def _log_p(self, y: FloatArray, ranks: NDArray[np.intp]) -> FloatArray:
        log_p = np.empty(ranks.size)
        log_p[ranks] = -np.concatenate(([0.0], np.cumsum(np.minimum(y, _LARGEST_DROP))))
        return log_p

    def _scaled(self, log_p: FloatArray) -> FloatArray:
        root = np.exp(-0.5 * log_p)[self.labels]
        return self.matrix * root[:, None] * root[None, :]

    def _log_cost(self, y: FloatArray, ranks: NDArray[np.intp]) -> float:
        log_p = self._log_p(y, ranks)
        top = float(np.linalg.eigvalsh(self._scaled(log_p))[-1])
        return float(np.log(max(top, 1e-300)) + np.log(self.overhead + self.costs @ np.exp(log_p)))

    def _smoothed(
        self, y: FloatArray, ranks: NDArray[np.intp], smoothing: float
    ) -> tuple[float, FloatArray]:
        """The same with the largest eigenvalue as a power mean, (sum_i lambda_i^(1/s))^s, and the
        gradient.
        """
        log_p = self._log_p(y, ranks)
        values, vectors = np.linalg.eigh(self._scaled(log_p))
        powers = np.maximum(values / values[-1], 0.0) ** (1 / smoothing)
        value = np.log(values[-1]) + smoothing * np.log(powers.sum())
        # d log lambda_i / d log p_k = -||x_i restricted to block k||^2.
        shares = np.add.reduceat(vectors**2, self.starts, axis=0) @ (powers / powers.sum())
        paid = self.costs * np.exp(log_p)
        cost = self.overhead + paid.sum()
        by_block = paid / cost - shares
        # log p of rank i is minus the sum of the drops before it.
        gradient = -np.cumsum(by_block[ranks][::-1])[::-1][1:]
        return float(value + np.log(cost)), gradient
