"""Conic route: the search program as it stands, handed to a general solver through cvxpy.

It is slow and hungry (the solver keeps a dense matrix whose side is the number of entries of one
triangle of L), so it serves as an oracle for small d: it shares nothing with the other routes but
the statement of the program, and its answer is believed no more than theirs.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..machine import available_bytes
from ..numbers.exact_array import FloatArray
from .judge import Judge
from .program import Program

# Copies of the matrix over one triangle that Clarabel holds at its peak; we measured 6.6 to 7.7
# from d = 40 to 80.
_COPIES = 8
# The gap asked of the solver: a tenth of the tolerance, but no less than it can deliver.
_FINEST_GAP = 1e-11


def solve(judge: Judge) -> None:
    """Solve min c_0 m + <c, q> with Diag(q) - L positive semidefinite, and propose q and a factor
    of the dual.
    """
    program = judge.program
    require_room(program.blocks.dimension)
    matrix = _entries(program)
    unit = _power_of_two(matrix)
    q, Y = _solve_scaled(program, matrix / unit, min(1e-8, max(0.1 * judge.tol, _FINEST_GAP)))
    if q is None or not np.isfinite(q).all():
        judge.propose_gradient_descent()
        return
    if Y is None or not np.isfinite(Y).all():
        judge.propose_gradient_descent()
        judge.propose(q * unit)
        return
    values, vectors = np.linalg.eigh((Y + Y.T) / 2)
    # The bound does not change with the scale of V, and rounding is covered best where V is of
    # order 1.
    V = vectors * np.sqrt(np.maximum(values, 0.0) / max(float(values[-1]), 1e-300))
    judge.propose(q * unit, V)


def memory_needed(dimension: int) -> int:
    """Bytes that the general solver takes for a d x d matrix inequality, roughly."""
    triangle = dimension * (dimension + 1) // 2
    return _COPIES * 8 * triangle * triangle


def require_room(dimension: int) -> None:
    """Raise unless the general solver would fit in memory."""
    needed = memory_needed(dimension)
    there = available_bytes()
    if needed > there:
        raise InvalidInput(
            "method 'conic' must fit in memory",
            f"d = {dimension} needs about {needed / 1e9:.3g} GB; {there / 1e9:.3g} GB available",
            "'interior-point' for dense L, 'low-rank' for large or sparse L, or 'auto'",
        )


def _entries(program: Program) -> FloatArray:
    explicit = program.smoothness.explicit()
    if explicit is None:
        raise InvalidInput(
            "method 'conic' needs the entries of L", "an L known through products", "'subspace'"
        )
    matrix = explicit.matrix
    return (
        matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray(), dtype=np.float64)
    )


def _power_of_two(matrix: FloatArray) -> float:
    """A power of two near the largest entry (1 for the zero matrix), by which division is exact."""
    largest = float(np.abs(matrix).max())
    return (
        float(np.ldexp(1.0, min(max(int(np.frexp(largest)[1]), -1021), 1023)))
        if largest > 0
        else 1.0
    )


def _solve_scaled(
    program: Program, matrix: FloatArray, gap: float
) -> tuple[FloatArray | None, FloatArray | None]:
    """q and the dual matrix as the solver left them; None where it gave up."""
    import cvxpy

    cp: Any = cvxpy
    blocks = program.blocks
    costs = program.linear_costs()
    total = float(costs.sum()) + (program.overhead if program.order is None else 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # inaccurate answers are for the judge to find
        q = cp.Variable(blocks.count)
        membership = np.zeros((blocks.dimension, blocks.count))
        membership[np.arange(blocks.dimension), blocks.labels] = 1.0
        inequality = cp.diag(membership @ q) - matrix >> 0
        objective: Any = (costs / total) @ q
        constraints: list[Any] = [inequality]
        if program.order is not None:
            ranked = q[list(program.order.rank_to_block)]
            if blocks.count > 1:
                constraints.append(ranked[:-1] >= ranked[1:])
        elif program.overhead > 0:
            objective = objective + (program.overhead / total) * cp.max(q)
        model = cp.Problem(cp.Minimize(objective), constraints)
        for name, options in _solvers(cp.installed_solvers(), gap):
            try:
                model.solve(solver=name, **options)
            except cp.error.SolverError:
                continue
            if q.value is not None:
                break
    return (
        None if q.value is None else np.asarray(q.value, dtype=np.float64),
        None
        if inequality.dual_value is None
        else np.asarray(inequality.dual_value, dtype=np.float64),
    )


def _solvers(installed: list[str], gap: float) -> list[tuple[str, dict[str, float]]]:
    """The solvers at hand, the more accurate first, with the accuracy to ask for in each one's
    words.
    """
    wishes = [
        ("CLARABEL", {"tol_gap_abs": gap, "tol_gap_rel": gap, "tol_feas": gap}),
        ("SCS", {"eps_abs": gap, "eps_rel": gap}),
    ]
    found = [(name, options) for name, options in wishes if name in installed]
    if not found:
        raise InvalidInput(
            "method 'conic' needs a solver for semidefinite programs",
            f"cvxpy with {', '.join(installed) or 'none'}",
            "pip install clarabel, or the method 'interior-point'",
        )
    return found
