"""Exact answers: L block-diagonal (one block and zero included), where every block stands alone.

Then BlockDiag(q) >= L means q_k >= L_k, so the least admissible q is L_k itself, or with a forced
order the running maximum from the end. The dual point is one vector: the blocks' top eigenvectors,
because cross terms meet only zeros of L.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks
from ..problem.smoothness import DiagonalSmoothness
from ..problem.spectral import is_block_diagonal
from .judge import Judge
from .program import Program


def applies(program: Program) -> bool:
    """Whether L is known to be block-diagonal."""
    return program.blocks.count == 1 or is_block_diagonal(program.smoothness, program.blocks)


def solve(judge: Judge) -> None:
    """Propose the optimal q and a dual factor V (d x 1)."""
    program = judge.program
    if not applies(program):
        raise InvalidInput(
            "method 'formula' needs a block-diagonal L",
            "entries between the blocks",
            "'auto', which picks a route",
        )
    constants, vector = _block_tops(program)
    traces = optimal_traces(program, constants)
    judge.propose(
        program.admissible(constants), (np.sqrt(traces)[program.blocks.labels] * vector)[:, None]
    )


def optimal_traces(program: Program, constants: FloatArray) -> FloatArray:
    """Dual feasible block traces that maximise sum_k trace_k L_k."""
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


def without_useless_coordinates(program: Program) -> tuple[Program, NDArray[np.intp]]:
    """The same program for a diagonal L on one coordinate per block, its largest, and where those
    are.

    Diag(q) >= L then asks q_k >= max L_ii over the block and nothing else, so one pass over the
    diagonal is all that its length costs.
    """
    form = program.smoothness
    blocks = program.blocks
    assert isinstance(form, DiagonalSmoothness)
    tops = form.tops(blocks)
    small = DiagonalSmoothness(form.given[tops], counter=form.counter)
    return replace(program, smoothness=small, blocks=Blocks.singletons(blocks.count)), tops


def _block_tops(program: Program) -> tuple[FloatArray, FloatArray]:
    """L_k and unit top eigenvectors of all blocks, side by side in one vector."""
    form = program.smoothness
    blocks = program.blocks
    vector = np.zeros(blocks.dimension)
    if isinstance(form, DiagonalSmoothness):
        small, tops = without_useless_coordinates(program)
        vector[tops] = 1.0
        return small.smoothness.diagonal(), vector
    constants = np.empty(blocks.count)
    for k, rows in enumerate(blocks.slices):
        pair = form.restrict(rows).leading_eigenpair()
        constants[k] = max(pair.value, 0.0)
        vector[rows] = pair.vector / np.linalg.norm(pair.vector)
    return constants, vector
