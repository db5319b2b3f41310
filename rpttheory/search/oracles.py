"""Two independent cross-checks of the optimum of c(P), for small problems.

`solve_conic` hands the program as it stands to a general solver through cvxpy. `solve_exhaustive`
asks the same solver for every order of the blocks in turn, with q forced to fall along it. Like all
other methods they only propose points, and `bounds` proves what these are worth.
"""

from __future__ import annotations

import warnings
from itertools import permutations
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..numbers.exact_array import FloatArray
from ..problem.blocks import BlockOrder
from .block_sdp import BlockSDP, power_of_two
from .bounds import BoundTracker

# The solver keeps several copies of a dense matrix whose side is the number of entries of one
# triangle of L: 1.6 GB at this dimension, 26 GB at twice that.
LARGEST_CONIC_DIMENSION = 100
# 720 orders take about half a minute.
LARGEST_COUNT = 6


def solve_conic(tracker: BoundTracker) -> None:
    """Solve min c_0 m + <c, q> with Diag(q) - L positive semidefinite, and propose q and a factor
    of the dual.
    """
    program = tracker.program
    d = program.blocks.dimension
    if d > LARGEST_CONIC_DIMENSION:
        _refuse(f"'conic' is for d at most {LARGEST_CONIC_DIMENSION}", f"d = {d}")
    matrix = program.entries("'conic'")
    tracker.propose_gradient_descent()
    q, Y = _solve(program, matrix, tracker.tol, program.order)
    if q is None or not np.isfinite(q).all():
        return
    V = None
    if Y is not None and np.isfinite(Y).all():
        values, vectors = np.linalg.eigh((Y + Y.T) / 2)
        # The bound does not change with the scale of V, and rounding is covered best where V is of
        # order 1.
        V = vectors * np.sqrt(np.maximum(values, 0.0) / max(float(values[-1]), 1e-300))
    tracker.propose(q, V)


def solve_exhaustive(tracker: BoundTracker) -> None:
    """Propose the best probabilities along every order (or the forced one), and the trivial dual
    point.

    That point is the top eigenvector of each block with squared length c_k, for the bound sum_k c_k
    L_k. So the bracket stays open and the status is "stalled".
    """
    program = tracker.program
    blocks = program.blocks
    if blocks.count > LARGEST_COUNT and program.order is None:
        rule = f"'exhaustive' tries every order, of at most {LARGEST_COUNT} blocks"
        _refuse(rule, f"{blocks.count} blocks")
    matrix = program.entries("'exhaustive'")
    V = np.zeros((blocks.dimension, blocks.count))
    for k, rows in enumerate(blocks.slices):
        V[rows, k] = np.sqrt(program.costs[k]) * np.linalg.eigh(matrix[rows, rows])[1][:, -1]
    tracker.propose(np.ones(blocks.count), V)
    orders = [program.order]
    if program.order is None:
        orders = [BlockOrder(ranks) for ranks in permutations(range(blocks.count))]
    for order in orders:
        q, _ = _solve(program, matrix, tracker.tol, order)
        if q is not None and np.isfinite(q).all():
            tracker.propose(q)


def _refuse(rule: str, value: str) -> None:
    remedy = "'interior-point', 'low-rank' or 'auto'"
    raise InvalidInput(rule, value, remedy, argument="method")


def _solve(
    program: BlockSDP, matrix: FloatArray, tol: float, order: BlockOrder | None
) -> tuple[FloatArray | None, FloatArray | None]:
    """Return q, which falls along an order if there is one, and the dual matrix; None where the
    solver gave up.
    """
    import cvxpy

    cp: Any = cvxpy
    blocks = program.blocks
    unit = power_of_two(matrix)
    q = cp.Variable(blocks.count)
    inequality = cp.diag(np.eye(blocks.count)[blocks.labels] @ q) - matrix / unit >> 0
    constraints = [inequality]
    if order is not None:
        ranks = list(order.rank_to_block)
        constraints.append(q[ranks[:-1]] >= q[ranks[1:]])
    cost = program.costs @ q + program.overhead * cp.max(q)
    model = cp.Problem(cp.Minimize(cost / program.total_cost), constraints)
    # A tenth of the tolerance, but no less than the solver can deliver.
    gap = min(1e-8, max(0.1 * tol, 1e-11))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the bounds show how inaccurate an answer is
        try:
            model.solve(solver="CLARABEL", tol_gap_abs=gap, tol_gap_rel=gap, tol_feas=gap)
        except cp.error.SolverError:
            return None, None
    return None if q.value is None else q.value * unit, inequality.dual_value
