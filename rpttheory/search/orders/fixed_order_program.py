"""The nonconvex regime's program for one order of the blocks, and its certificate.

With r_k = 1 / p_k ascending along an order, E[CLC] = sum_T z_T L[T]: the sets T are the tails of
the order (a block and all later ones), L[T] is L restricted to T, and the weights z_T >= 0 are the
steps of r, so that r_k = sum of z_T over the T that contain k. The expected cost is sum_k c_k /
r_k, and an overhead c_0 adds c_0 / z_(all blocks). Hence c_M is the least sum_k c_k / r_k with
sum_T z_T L[T] <= I, a convex program in z.

`interior_point` finds z. Nothing it says is believed: `certified_lower` proves the bound. For any V
with g_T = <L[T], V V'> and any y >= 0 with sum_{k in T} y_k <= g_T for all T of the family,

    lambda_max(M) tr(V V') >= <M, V V'> = sum_T z_T g_T >= sum_k y_k r_k,

and by Cauchy and Schwarz sum_k y_k r_k times sum_k c_k / r_k is at least (sum_k sqrt(y_k c_k))^2.
Lowering a g_T only shrinks the choice of y, so proved lower ends of the g_T may stand for them.
With the tails of one order, the best y for given g are the slopes of the greatest convex minorant
of g_T over the cost of T: pool adjacent violators.
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
from scipy.optimize import isotonic_regression

from ...eigen.pencil import UNIT
from ...numbers import arithmetic_problem
from ...numbers.exact_array import FloatArray
from ...problem.blocks import Blocks
from ..block_sdp import BlockSDP

IndexArray = NDArray[np.intp]

# Blocks this much smaller than the largest belong at the end of every order, at the smallest
# probability.
NEGLIGIBLE = 1e-24
# Far below everything that matters, far above what underflow can do.
TINY = 2.0**-900
# Costs below this share of the largest prove nothing; the solver sees them as this much.
_LEAST_PRICE = 2.0**-400


@dataclass(frozen=True, eq=False)
class FixedOrderProgram:
    """L and costs scaled by powers of two, which changes no digit; `unit` undoes it.

    `overhead` is paid on every step; the last entry of `prices` is the overhead where there is one.
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

    @cached_property
    def prices(self) -> FloatArray:
        """Costs per block, then the overhead if there is one."""
        return np.append(self.costs, self.overhead) if self.overhead > 0 else self.costs

    def rows(self, sets: FloatArray) -> FloatArray:
        """Which sets pay for each price: those that hold the block, and for the overhead the
        whole.
        """
        return np.vstack((sets, sets.all(axis=0))) if self.overhead > 0 else sets

    def restrict(self, kept: Sequence[int]) -> FixedOrderProgram:
        """The same program for some of the blocks, listed in ascending order."""
        chosen = np.flatnonzero(np.isin(self.blocks.labels, kept))
        return FixedOrderProgram(
            np.ascontiguousarray(self.matrix[np.ix_(chosen, chosen)]),
            None if self.slack is None else self.slack[chosen],
            Blocks([self.blocks.sizes[k] for k in kept]),
            self.costs[list(kept)],
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


def tails(order: tuple[int, ...] | list[int]) -> FloatArray:
    """The sets of one order, from the whole to the last block: one column each."""
    sets = np.zeros((len(order), len(order)))
    for rank, block in enumerate(order):
        sets[block, : rank + 1] = 1.0
    return sets


def block_sums(values: FloatArray, starts: IndexArray) -> FloatArray:
    """The sums over all blocks of a matrix."""
    return np.asarray(np.add.reduceat(np.add.reduceat(values, starts, axis=0), starts, axis=1))


def pair_sums(
    program: FixedOrderProgram, V: FloatArray, terms: int = 0
) -> tuple[FloatArray, FloatArray, float]:
    """Return w_kl = <L_kl, (V V')_kl>, a bound of their errors, and an upper end of tr(V V').

    The errors include those of sums over blocks with so many further terms.
    """
    starts = program.blocks.starts
    size = np.abs(V)
    gram = V @ V.T
    room = (2 * V.shape[0] + V.shape[1] + terms + 16) * UNIT * (1 + 2.0**-20)
    error = room * block_sums(np.abs(program.matrix) * (size @ size.T), starts)
    if program.slack is not None:
        error[np.diag_indices_from(error)] += (1 + 2.0**-20) * np.add.reduceat(
            program.slack * gram.diagonal(), starts
        )
    trace = math.fsum(np.einsum("ij,ij->i", V, V).tolist()) * (1 + room) + TINY
    return block_sums(program.matrix * gram, starts), error, trace


def certified_lower(
    program: FixedOrderProgram, V: FloatArray, sets: FloatArray, y: FloatArray
) -> tuple[float, FloatArray]:
    """A proved lower bound for every order whose tails are among `sets`, and the y >= 0 that proves
    it.

    The y given is lowered where rounding or a poor solver broke y(T) <= g_T. Where some g_T cannot
    be proved non-negative there is no bound and the answer is 0.
    """
    if arithmetic_problem(program.matrix.shape[0]):
        return 0.0, np.zeros_like(y)
    rows = program.rows(sets)
    # A price that no set pays (an overhead without the whole set) proves nothing.
    y = np.where(rows.any(axis=1), y, 0.0)
    w, error, trace = pair_sums(program, V, 2 * sets.shape[0])
    g = set_sums(w, sets) - set_sums(error, sets) * (1 + 2.0**-20) - TINY
    g = np.nextafter(g, -np.inf)
    # A moderate trace keeps what underflow lost, in L or in the sums, below TINY.
    if not (np.isfinite(g).all() and trace < 2.0**100 and (g >= 0).all()):
        return 0.0, np.zeros_like(y)
    # A sum of K numbers errs by less than K units relative: leave that much below g_T.
    g = np.where(g > TINY, g, 0.0)
    fitted = lower_to_fit(y, rows, g * (1 - 4 * (y.size + 4) * UNIT))
    if (fitted @ rows > g * (1 - 2 * (y.size + 4) * UNIT)).any():
        return 0.0, np.zeros_like(y)
    products = fitted * np.where(program.prices > _LEAST_PRICE, program.prices, 0.0)
    root = math.fsum(np.sqrt(np.where(products > TINY, products, 0.0)).tolist())
    return max(root * root / trace * (1 - 16 * UNIT), 0.0), fitted


def symmetric(matrix: FloatArray) -> FloatArray:
    """The symmetric part."""
    return np.asarray((matrix + matrix.T) / 2)


def set_sums(pairs: FloatArray, sets: FloatArray) -> FloatArray:
    """sum over k, l in T of pairs[k, l], for every T."""
    return np.asarray(np.einsum("kt,kt->t", sets, pairs @ sets))


def lower_to_fit(y: FloatArray, rows: FloatArray, g: FloatArray) -> FloatArray:
    """y with y(T) <= g_T for all T: raised together while there is room, then lowered where there
    is not.
    """
    sums = y @ rows
    if not (sums > 0).any():
        return np.zeros_like(y)
    ratios = np.divide(g, sums, out=np.full_like(g, np.inf), where=sums > 0)
    y = y * max(float(ratios.min()), 1.0)
    for _ in range(4 * y.size):
        sums = y @ rows
        ratios = np.divide(g, sums, out=np.full_like(g, np.inf), where=sums > 0)
        worst = int(ratios.argmin())
        if ratios[worst] >= 1:
            return y
        # Lowering y anywhere keeps every condition that already holds.
        y = np.where(rows[:, worst] > 0, y * (ratios[worst] * (1 - 4 * UNIT)), y)
    return y * min(float(ratios.min()), 1.0)


def pooled_slopes(g: FloatArray, prices: FloatArray) -> FloatArray:
    """For tails with g_1, g_2, ... and prices by rank: y_k / c_k that maximizes sum sqrt(y_k c_k).

    The slopes of the greatest convex minorant of the points (cost of T, g_T) and the origin.
    """
    steps = -np.diff(g, append=0.0)
    return np.asarray(
        np.maximum(isotonic_regression(steps / prices, weights=prices, increasing=False).x, 0.0)
    )
