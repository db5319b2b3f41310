"""The program of c_M for one order of the blocks, and its certificate.

With r_k = 1 / p_k ascending along an order, E[CLC] = sum_T z_T L[T]: the sets T are the tails of
the order (a block and all later ones), L[T] is L restricted to T, and the weights z_T >= 0 are the
steps of r, so that r_k = sum of z_T over the T that contain k. The expected cost is sum_k c_k /
r_k, and an overhead c_0 adds c_0 / z_(all blocks). Hence c_M is the least sum_k c_k / r_k with
sum_T z_T L[T] <= I, a convex program in z.

`interior_point` finds z. Nothing it says is believed: `certified_lower` proves the bound. For any V
with g_T = <L[T], V V'> and any y >= 0 with sum_{k in T} y_k <= g_T for all tails T,

    lambda_max(M) tr(V V') >= <M, V V'> = sum_T z_T g_T >= sum_k y_k r_k,

and by Cauchy and Schwarz sum_k y_k r_k times sum_k c_k / r_k is at least (sum_k sqrt(y_k c_k))^2.
Lowering a g_T only shrinks the choice of y, so proved lower ends of the g_T may stand for them. The
best y for given g are the slopes of the greatest convex minorant of g_T over the cost of T: pool
adjacent violators.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from ...eigen.pencil import UNIT
from ...numbers import arithmetic_problem
from ...numbers.exact_array import FloatArray
from ...problem.blocks import Blocks
from ..block_sdp import BlockSDP

IndexArray = NDArray[np.intp]
Order = tuple[int, ...]

# Blocks this much smaller than the largest belong at the end of every order, at the smallest
# probability. Far below the rounding errors of the others.
NEGLIGIBLE = 1e-24
# Far below everything that matters, far above what underflow can do; not sensitive.
TINY = 2.0**-900
# Costs below this share of the largest prove nothing; the solver sees them as this much.
_LEAST_PRICE = 2.0**-400


@dataclass(frozen=True, eq=False)
class FixedOrderProgram:
    """L and costs scaled by powers of two, which changes no digit; `unit` undoes it.

    `overhead` is paid on every step, and so with the first block of an order.
    """

    matrix: FloatArray
    slack: FloatArray | None
    blocks: Blocks
    costs: FloatArray
    overhead: float
    unit: Fraction

    @cached_property
    def tops(self) -> FloatArray:
        """L_k, numerically."""
        values = [
            float(np.linalg.eigvalsh(self.matrix[rows, rows])[-1]) for rows in self.blocks.slices
        ]
        return np.maximum(values, 0.0)

    @cached_property
    def sure_costs(self) -> FloatArray:
        """The costs that bounds may count on: none where the solver sees more than is paid."""
        return np.where(self.costs > _LEAST_PRICE, self.costs, 0.0)

    def prices(self, order: Order, *, sure: bool = False) -> FloatArray:
        """Costs by rank, with the overhead charged to the first block; `sure` as `sure_costs`."""
        ranked = (self.sure_costs if sure else self.costs)[list(order)]
        ranked[0] += self.overhead
        return ranked

    def restrict(self, members: Sequence[int]) -> FixedOrderProgram:
        """The same program for some of the blocks, listed in ascending order."""
        rows = np.flatnonzero(np.isin(self.blocks.labels, members))
        return FixedOrderProgram(
            np.ascontiguousarray(self.matrix[np.ix_(rows, rows)]),
            None if self.slack is None else self.slack[rows],
            Blocks([self.blocks.sizes[k] for k in members]),
            self.costs[list(members)],
            self.overhead,
            self.unit,
        )

    def compress(self, bases: Sequence[FloatArray]) -> tuple[FixedOrderProgram, FloatArray]:
        """L within the span of a few columns per block, and the columns side by side.

        A dual factor of the compressed program times those columns is one of the program itself.
        """
        columns = np.asarray(block_diag(*bases))
        blocks = Blocks([basis.shape[1] for basis in bases])
        small = symmetric(columns.T @ self.matrix @ columns)
        return FixedOrderProgram(small, None, blocks, self.costs, self.overhead, self.unit), columns


def fixed_order_program(sdp: BlockSDP) -> FixedOrderProgram:
    """The entries of L and the costs, each scaled so that the largest is near 1."""
    matrix = sdp.entries("the search over orders")
    explicit = sdp.smoothness.explicit()
    slack = None if explicit is None else explicit.slack
    largest = max(float(matrix.max()), -float(matrix.min()))
    power = int(np.frexp(largest)[1]) if largest > 0 else 0
    price = int(np.frexp(max(float(sdp.costs.max()), sdp.overhead))[1])
    return FixedOrderProgram(
        np.ldexp(matrix, -power),
        None if slack is None else np.nextafter(np.ldexp(slack, -power), np.inf),
        sdp.blocks,
        np.maximum(np.ldexp(sdp.costs, -price), _LEAST_PRICE),
        math.ldexp(sdp.overhead, -price),
        Fraction(2) ** (power + price),
    )


def block_sums(values: FloatArray, starts: IndexArray) -> FloatArray:
    """The sums over all blocks of a matrix."""
    return np.asarray(np.add.reduceat(np.add.reduceat(values, starts, axis=0), starts, axis=1))


def tail_sums(ranked: FloatArray) -> FloatArray:
    """The sums of ranked[i:, j:] for all i and j."""
    return np.asarray(np.cumsum(np.cumsum(ranked[::-1, ::-1], axis=0), axis=1)[::-1, ::-1])


def pair_weights(program: FixedOrderProgram, V: FloatArray) -> tuple[FloatArray, float]:
    """Return proved lower ends of w_kl = <L_kl, (V V')_kl>, and an upper end of tr(V V').

    Where nothing can be proved the trace is infinite.
    """
    nothing = np.zeros((program.blocks.count,) * 2), math.inf
    if arithmetic_problem(program.matrix.shape[0]):
        return nothing
    starts = program.blocks.starts
    size = np.abs(V)
    gram = V @ V.T
    room = (2 * V.shape[0] + V.shape[1] + 16) * UNIT * (1 + 2.0**-20)
    error = room * block_sums(np.abs(program.matrix) * (size @ size.T), starts)
    if program.slack is not None:
        error[np.diag_indices_from(error)] += (1 + 2.0**-20) * np.add.reduceat(
            program.slack * gram.diagonal(), starts
        )
    trace = math.fsum(np.einsum("ij,ij->i", V, V).tolist()) * (1 + room) + TINY
    w = block_sums(program.matrix * gram, starts) - error * (1 + 2.0**-20) - TINY
    # A moderate trace keeps what underflow lost, in L or in the sums, below TINY.
    return (w, trace) if np.isfinite(w).all() and trace < 2.0**100 else nothing


def certified_lower(program: FixedOrderProgram, V: FloatArray, order: Order) -> float:
    """Return a proved lower bound on the least c_M along an order.

    Where some g_T cannot be proved non-negative there is no bound, and the result is 0.
    """
    count = len(order)
    w, trace = pair_weights(program, V)
    ranked = w[np.ix_(order, order)]
    # Each entry takes part in at most 2 B additions of the tail sums.
    margin = 4 * (count + 4) * UNIT * tail_sums(np.abs(ranked)).diagonal()
    g = tail_sums(ranked).diagonal() - margin
    if not (g >= 0).all():
        return 0.0
    g = np.where(g > TINY, g, 0.0)
    prices = program.prices(order)
    y = pooled_slopes(g, prices) * prices
    # A sum of B numbers errs by less than B units relative: leave that much below g_T.
    sums = np.cumsum(y[::-1])[::-1]
    target = g * (1 - 4 * (count + 4) * UNIT)
    y *= min(np.divide(target, sums, out=np.ones(count), where=sums > 0).min(), 1.0)
    if (np.cumsum(y[::-1])[::-1] > g * (1 - 2 * (count + 4) * UNIT)).any():
        return 0.0
    products = y * program.prices(order, sure=True)
    return squared(math.fsum(np.sqrt(np.where(products > TINY, products, 0.0)).tolist()), trace)


def squared(root: float, trace: float) -> float:
    """The bound of c_M from one of sqrt(tr(V V') c_M)."""
    return max(root * root / trace * (1 - 16 * UNIT), 0.0)


def symmetric(matrix: FloatArray) -> FloatArray:
    """The symmetric part."""
    return np.asarray((matrix + matrix.T) / 2)


def pooled_slopes(g: FloatArray, prices: FloatArray) -> FloatArray:
    """For tails with g_1, g_2, ... and prices by rank: y_k / c_k that maximizes sum sqrt(y_k c_k).

    The slopes of the greatest convex minorant of the points (cost of T, g_T) and the origin.
    """
    from scipy.optimize import isotonic_regression

    steps = -np.diff(g, append=0.0)
    return np.asarray(
        np.maximum(isotonic_regression(steps / prices, weights=prices, increasing=False).x, 0.0)
    )
