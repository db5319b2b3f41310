"""The two numbers that decide: no solver's word is trusted, only these.

Upper: c(P) at stated probabilities, with a rigorous L_P. Lower: for any V and any feasible q,
<L, V V'> <= sum_k ||V_k||_F^2 q_k, so the objective is at least <V, L V> over the factor by which
the block traces of V exceed what dual feasibility allows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..eigen.pencil import UNIT
from ..numbers import Rigour
from ..numbers.bracket import round_down
from ..numbers.exact_array import ExactArray, FloatArray
from ..problem.spectral import Effort, weighted_top
from .program import Program

# Probabilities below this share of the largest are raised: where q_k tends to 0 no minimum is
# attained.
FLOOR = 1e-12


@dataclass(frozen=True)
class Upper:
    """Probabilities and a proved bound on their cost."""

    probabilities: FloatArray
    value: float
    rigour: Rigour
    floored: bool


def probabilities_from(program: Program, q: FloatArray) -> tuple[FloatArray, bool]:
    """p = q / max q, admissible, and raised where q_k is so small that its cost cannot matter."""
    q = program.admissible(np.maximum(q, 0.0))
    largest = float(q.max())
    if largest <= 0:
        return np.ones(q.size), False
    p = q / largest
    # The floor's cost stays below 1e-12 of the whole even where one block's cost dwarfs the others.
    floor = np.minimum(FLOOR, FLOOR * (program.overhead + float(program.costs @ p)) / program.costs)
    floored = bool((p < floor).any())
    return program.admissible(np.maximum(p, floor)), floored


def upper_bound(
    program: Program, q: FloatArray, *, vector: FloatArray | None = None, effort: Effort = "fast"
) -> Upper:
    """The cost of the probabilities that belong to q."""
    p, floored = probabilities_from(program, q)
    L_P = weighted_top(program.smoothness, program.blocks, ExactArray(p), effort, vector=vector)
    cost = L_P * program.expected_cost(p)
    return Upper(p, cost.upper, cost.rigour, floored)


def lower_bound(program: Program, V: FloatArray) -> tuple[float, Rigour]:
    """A proved lower bound on the optimum from a dual factor V, at least 0."""
    value, rigour = program.smoothness.quadratic_form_below(V)
    traces = np.add.reduceat(np.einsum("ij,ij->i", V, V), program.blocks.starts) + 2.0**-1000
    terms = V.shape[0] + V.shape[1] + 8
    # Cumulative sums and quotients inside trace_excess are covered by doubling the room.
    excess = program.trace_excess(traces) * (1 + 2 * terms * UNIT * (1 + 2.0**-20))
    if not (math.isfinite(value) and math.isfinite(excess) and excess > 0 and value > 0):
        return 0.0, rigour
    return max(round_down(Fraction(value) / Fraction(excess)), 0.0), rigour
