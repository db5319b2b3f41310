"""Exact answers: L block-diagonal (one block and zero included), where blocks do not interact.

Then BlockDiag(q) >= L means q_k >= L_k, so the least admissible q is L_k itself, or with a forced
order the running maximum from the end. The dual point is one vector: the leading eigenvectors of
the blocks, because cross terms meet only zeros of L.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks
from ..problem.problem import Problem
from ..problem.smoothness import DiagonalSmoothness
from .block_sdp import BlockSDP
from .bounds import BoundTracker


def solve(tracker: BoundTracker) -> None:
    """Propose the optimal q and a dual factor V (d x 1)."""
    program = tracker.program
    if not program.separable:
        raise InvalidInput(
            "must be block-diagonal for 'formula'",
            "entries between the blocks",
            "'auto', which picks a method",
            argument="L",
        )
    form = program.smoothness
    blocks = program.blocks
    vector = np.zeros(blocks.dimension)
    if isinstance(form, DiagonalSmoothness):
        tops = form.tops(blocks)
        constants = form.diagonal()[tops]
        vector[tops] = 1.0
    else:
        constants = np.empty(blocks.count)
        for k, rows in enumerate(blocks.slices):
            pair = form.restrict(rows).leading_eigenpair()
            constants[k] = max(pair.value, 0.0)
            vector[rows] = pair.vector / np.linalg.norm(pair.vector)
    V = (np.sqrt(optimal_traces(program, constants))[blocks.labels] * vector)[:, None]
    tracker.propose(program.admissible(constants), V)


def optimal_traces(program: BlockSDP, constants: FloatArray) -> FloatArray:
    """Dual feasible block traces that maximize sum_k trace_k L_k."""
    traces = program.linear_costs()
    if program.order is not None:
        ranks = program.order.rank_to_block
        moved = np.zeros_like(traces)
        # Mass may move to later blocks only: each block's goes to the best block at or after it.
        best = ranks[-1]
        for block in reversed(ranks):
            best = block if constants[block] >= constants[best] else best
            moved[best] += traces[block]
        return moved
    if program.overhead > 0:
        traces[int(np.argmax(constants))] += program.overhead
    return traces


def one_coordinate_per_block(problem: Problem) -> tuple[Problem, NDArray[np.intp]]:
    """The problem of a diagonal L on the largest coordinate of each block, and their indices.

    Diag(q) >= L then asks q_k >= max L_ii over the block and nothing else, so one pass over the
    diagonal is all that its length costs.
    """
    form = problem.smoothness
    assert isinstance(form, DiagonalSmoothness)
    tops = form.tops(problem.blocks)
    small = DiagonalSmoothness(form.entries[tops], counter=form.counter)
    blocks = Blocks.singletons(problem.blocks.count)
    reduced = Problem(small, blocks, problem.costs, order=problem.order, overhead=problem.overhead)
    return reduced, tops
