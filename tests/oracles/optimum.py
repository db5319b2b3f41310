"""The optimum of c(P) by two means that share nothing with the solvers of the package.

`solve_conic` hands the semidefinite program to a general solver through cvxpy. `solve_exhaustive`
knows nothing of the hidden convexity: it minimizes c(P) as the paper states it, over permutations
and 1 = p_1 >= ... >= p_B > 0. Both only propose points, and the tracker proves their bounds.
"""

import warnings
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from rpttheory.numbers.exact_array import FloatArray
from rpttheory.search.block_sdp import BlockSDP, power_of_two
from rpttheory.search.bounds import BoundTracker

# c(P) has kinks where eigenvalues cross. The largest one is smoothed, less and less, and at the end
# not at all.
SMOOTHINGS = (3e-2, 3e-3, 3e-4, 3e-5, 3e-6)
# log(p_i / p_{i+1}) stays below this: a factor of 1e26 makes even a costly block negligible.
LARGEST_DROP = 60.0


def solve_conic(tracker: BoundTracker) -> None:
    """Minimize c_0 max q + <c, q> with Diag(q) - L positive semidefinite; propose q and a factor of
    the dual matrix.
    """
    import cvxpy

    cp: Any = cvxpy
    program = tracker.program
    blocks = program.blocks
    matrix = program.entries("'conic'")
    unit = power_of_two(matrix)
    tracker.propose_gradient_descent()
    q = cp.Variable(blocks.count)
    inequality = cp.diag(np.eye(blocks.count)[blocks.labels] @ q) - matrix / unit >> 0
    constraints = [inequality]
    if program.order is not None:
        ranked = q[list(program.order.rank_to_block)]
        constraints += [ranked[i] >= ranked[i + 1] for i in range(blocks.count - 1)]
    cost = program.costs @ q + program.overhead * cp.max(q)
    # A tenth of the tolerance, but no less than the solver can deliver.
    gap = min(1e-8, max(0.1 * tracker.tol, 1e-11))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the bounds show how inaccurate an answer is
        try:
            cp.Problem(cp.Minimize(cost / program.total_cost), constraints).solve(
                solver="CLARABEL", tol_gap_abs=gap, tol_gap_rel=gap, tol_feas=gap
            )
        except cp.error.SolverError:
            return
    if q.value is not None and inequality.dual_value is not None:
        values, vectors = np.linalg.eigh((inequality.dual_value + inequality.dual_value.T) / 2)
        V = vectors * np.sqrt(np.maximum(values, 0.0) / max(float(values[-1]), 1e-300))
        tracker.propose(q.value * unit, V)


def solve_exhaustive(tracker: BoundTracker, rng: np.random.Generator) -> None:
    """Propose the best probabilities over all orders, or along the forced one; no dual point."""
    program = tracker.program
    count = program.blocks.count
    matrix = program.entries("'exhaustive'")
    tracker.propose(np.ones(count))
    if not matrix.any() or count == 1:
        return
    orders = list(permutations(range(count)))
    if program.order is not None:
        orders = [program.order.rank_to_block]
    searches = []
    for order in orders:
        search = AlongOrder(program, matrix / np.abs(matrix).max(), np.array(order))
        searches.append((*search.descend(rng), search))
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


class AlongOrder:
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
        log_p[self.order] = -np.append(0.0, np.cumsum(np.minimum(y, LARGEST_DROP)))
        return log_p

    def _scaled(self, log_p: FloatArray) -> FloatArray:
        """P^-1/2 L P^-1/2."""
        root = np.exp(-0.5 * log_p)[self.program.blocks.labels]
        return self.matrix * root[:, None] * root[None, :]

    def log_cost(self, y: FloatArray) -> float:
        """log c(P), up to a constant."""
        log_p = self.log_p(y)
        largest = float(np.linalg.eigvalsh(self._scaled(log_p))[-1])
        cost = self.overhead + self.costs @ np.exp(log_p)
        return float(np.log(max(largest, 1e-300)) + np.log(cost))

    def descend(self, rng: np.random.Generator) -> tuple[float, FloatArray]:
        """Return the least cost that a few local searches reach, and its drops."""
        results = []
        for y in (np.full(self.order.size - 1, 0.2), rng.exponential(1.0, self.order.size - 1)):
            for smoothing in SMOOTHINGS:
                y = minimize(
                    self.smoothed,
                    y,
                    (smoothing,),
                    jac=True,
                    method="L-BFGS-B",
                    bounds=[(0.0, LARGEST_DROP)] * y.size,
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
