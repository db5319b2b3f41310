"""Bounds on c_M from below that hold for every order of the blocks, or for all in which some blocks
precede others.

For any V and w_kl = <L_kl, (V V')_kl>, tr(V V') lambda_max(M) >= <M, V V'> = sum_kl min(r_k, r_l)
w_kl, since the blocks of M = E[CLC] are min(r_k, r_l) L_kl. Along an order, where r ascends, that
is sum_k y_k r_k with y_k = w_kk + 2 sum of w_kl over the later blocks l. If all y_k >= 0, Cauchy
and Schwarz give tr(V V') c_M >= (sum_k sqrt(c_k y_k))^2. A y_k < 0 is a debt that the later blocks
S pay in proportion: as their r are no smaller, shrinking every y of S by the factor 1 + y_k / y(S)
takes at least as much from the sum as the debt does. Where they have less than the debt there is no
bound.

y_k depends on the set of later blocks alone, so dynamic programming over sets gives the least of
sum_k sqrt(c_k y_k) over all orders (`least_over_orders`). If k is known to precede l then r_k <=
r_l, and any multiplier >= 0 may be moved from y_l to y_k; for a single order that makes the best
bound the order's optimum. Where the sets are too many, each root is replaced by its chord
(`chord_bound`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...eigen import EntrywiseMatrix, bracket_lambda_max
from ...eigen.pencil import UNIT
from ...numbers.exact_array import FloatArray
from .fixed_order_program import TINY, FixedOrderProgram, Order, pair_weights, squared

IntArray = NDArray[Any]
Pairs = tuple[tuple[int, int], ...]


def least_over_orders(
    w: FloatArray,
    prices: FloatArray,
    overhead: float = 0.0,
    pairs: Pairs = (),
    multipliers: Sequence[float] = (),
) -> tuple[float, Order]:
    """The least bound of sqrt(tr(V V') c_M) over the orders in which each pair (k, l) has k before
    l, and one with it.

    The overhead is paid with the first block. Rounding is accounted for.
    """
    count = prices.size
    w = np.minimum(w, w.T)
    transfer = np.zeros(count)
    spread = 0.0
    for (k, after), multiplier in zip(pairs, multipliers, strict=True):
        transfer[k] += multiplier
        transfer[after] -= multiplier
        spread += multiplier
    # Taken off at the start, this covers what the sums of y could err by, in whatever order they
    # are formed.
    margin = 8 * (count + 4) * UNIT * np.abs(w).sum(axis=1) + 4 * (len(pairs) + 4) * UNIT * spread
    w[np.diag_indices(count)] += transfer - margin
    half = count // 2
    low = [_sums(2 * w[k, :half] * (np.arange(half) != k)) + w[k, k] for k in range(count)]
    high = [_sums(2 * w[k, half:] * (np.arange(half, count) != k)) for k in range(count)]
    f = np.full(1 << count, np.inf)
    sums = np.full(1 << count, np.inf)
    choice = np.zeros(1 << count, dtype=np.int8)
    f[0] = sums[0] = 0.0
    for size, (sets, steps) in enumerate(_layers(count, pairs), start=1):
        roots = np.sqrt(prices + (overhead if size == count else 0.0))
        best = np.full(sets.size, np.inf)
        totals = np.full(sets.size, np.inf)
        by = np.zeros(sets.size, dtype=np.int8)
        for k, (places, before) in enumerate(steps):
            if places.size:
                y = low[k][before & (1 << half) - 1] + high[k][before >> half]
                bound, total = _with(f[before], sums[before], y, roots[k])
                better = bound < best[places]
                best[places[better]] = bound[better]
                by[places[better]] = k
                totals[places] = np.minimum(totals[places], total)
        f[sets] = best
        sums[sets] = totals
        choice[sets] = by
    order = list[int]()
    remaining = (1 << count) - 1
    while remaining:
        order.append(int(choice[remaining]))
        remaining ^= 1 << order[-1]
    return max(float(f[-1]), 0.0) * (1 - 8 * (count + 8) * UNIT), tuple(order)


def _with(
    f: FloatArray, total: FloatArray, y: FloatArray, root: float
) -> tuple[FloatArray, FloatArray]:
    """The bound and the sum of the y after one more block in front, whose y may be a debt."""
    if y.min() >= 0:
        return f + root * np.sqrt(y), (total + y) * (1 - 4 * UNIT)
    # Eight units are more than the share was rounded by. A debt beyond what there is leaves no
    # bound for the order.
    share = 1 + np.minimum(y, 0.0) / np.maximum(total, TINY) - 8 * UNIT
    solvent = share > 0
    share = np.where(solvent, np.minimum(share, 1.0), 1.0)
    credit = np.maximum(y, 0.0)
    return (
        np.where(
            solvent, np.where(y >= 0, f + root * np.sqrt(credit), f * np.sqrt(share)), -np.inf
        ),
        np.where(solvent, np.where(y >= 0, total + credit, total * share) * (1 - 4 * UNIT), 0.0),
    )


@lru_cache(maxsize=4)
def _layers(count: int, pairs: Pairs) -> list[tuple[IntArray, list[tuple[IntArray, IntArray]]]]:
    """The sets that may stand last, by size; for each block k the places of those it may begin, and
    these without k.
    """
    every = np.arange(1 << count, dtype=np.int32)
    admissible = np.ones(every.size, dtype=bool)
    for k, after in pairs:
        admissible &= (every >> k & 1 == 0) | (every >> after & 1 == 1)
    sizes = np.bitwise_count(every)
    layers = []
    for size in range(1, count + 1):
        sets = every[admissible & (sizes == size)]
        steps = []
        for k in range(count):
            places = np.flatnonzero(
                (sets >> k & 1).astype(bool) & admissible[sets & ~np.int32(1 << k)]
            )
            steps.append((places, sets[places] ^ np.int32(1 << k)))
        layers.append((sets, steps))
    return layers


def tail_sets(count: int, pairs: Pairs) -> int:
    """Return the number of sets of blocks that may stand last in an order with those pairs."""
    return sum(sets.size for sets, _ in _layers(count, pairs))


def _sums(values: FloatArray) -> FloatArray:
    """The sum over every subset."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums, sums + value))
    return sums


def chord_bound(w: FloatArray, prices: FloatArray) -> float:
    """A bound of sqrt(tr(V V') c_M) for every order, without overhead, in a time of count^2.

    A negative w_kl is shared by both blocks, since 2 min(r_k, r_l) <= r_k + r_l; a positive one
    goes to the earlier. Then y_k lies between `low` and `high`, where the root is above its chord,
    and a pair gives at least what the flatter chord makes of it.
    """
    count = prices.size
    w = np.minimum(w, w.T)
    shared = w - np.diag(w.diagonal())
    low = (
        w.diagonal()
        + np.minimum(shared, 0.0).sum(axis=1)
        - 4 * (count + 4) * UNIT * np.abs(w).sum(axis=1)
    )
    if not (low >= 0).all():
        return 0.0
    gains = np.maximum(shared, 0.0)
    high = (low + 2 * gains.sum(axis=1)) * (1 + 4 * (count + 4) * UNIT) + TINY
    slopes = np.sqrt(prices) / (np.sqrt(high) + np.sqrt(low))
    parts = np.append(np.sqrt(prices * low), (gains * np.minimum.outer(slopes, slopes)).ravel())
    return math.fsum(parts.tolist()) * (1 - 4 * (count + 16) * UNIT)


def separate_point(program: FixedOrderProgram) -> FloatArray:
    """The V whose bound is sum_k c_k L_k: blocks that share nothing."""
    V = np.zeros((program.matrix.shape[0], program.blocks.count))
    for k, rows in enumerate(program.blocks.slices):
        V[rows, k] = (
            math.sqrt(program.costs[k] * program.tops[k])
            * np.linalg.eigh(program.matrix[rows, rows])[1][:, -1]
        )
    return V


def separate_bound(program: FixedOrderProgram) -> float:
    """sum_k c_k L_k."""
    w, trace = pair_weights(program, separate_point(program))
    return squared(chord_bound(np.diag(np.maximum(w.diagonal(), 0.0)), program.sure_costs), trace)


def overhead_bound(program: FixedOrderProgram) -> Fraction:
    """A lower bound on the cost of the overhead, c_0 lambda_max(L), on top of that of the blocks.

    Where lambda_max(M) = 1, M = sum_T z_T L[T] >= r_1 L gives r_1 <= 1 / lambda_max(L). That needs
    L positive semidefinite; if only L >= -e I, x'Mx >= r_1 x'Lx - e sum_k r_k |x_k|^2 and r_k <= 1
    / L_k.
    """
    if program.overhead <= 0:
        return Fraction(0)
    L = program.matrix
    vectors = np.linalg.eigh(L)[1]
    x = vectors[:, -1]
    top = bracket_lambda_max(EntrywiseMatrix(L, program.slack), None, x).lower
    below = bracket_lambda_max(EntrywiseMatrix(-L, program.slack), None, vectors[:, 0]).upper
    loss = Fraction(0)
    for rows in program.blocks.slices if below > 0 else ():
        slack = None if program.slack is None else program.slack[rows]
        vector = np.linalg.eigh(L[rows, rows])[1][:, -1]
        least = bracket_lambda_max(EntrywiseMatrix(L[rows, rows], slack), None, vector).lower
        if least <= 0:
            return Fraction(0)
        # A thousandth covers the rounding of |x_k|^2.
        loss += Fraction(below) * Fraction(1.001 * float(x[rows] @ x[rows])) / Fraction(least)
    return Fraction(program.overhead) * Fraction(max(top, 0.0)) / (1 + loss)
