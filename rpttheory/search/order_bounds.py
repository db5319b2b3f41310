"""Bounds on c_M from below that hold for every order of the blocks.

E[CLC] of a group of blocks is a principal submatrix of E[CLC], so with lambda_max = 1 each group pays
at least its own optimum, and the groups' costs add up.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from ..certify import Explicit, bracket_top
from .nested import Nested, block_sums, certified_lower
from .order_tree import OrderSearch

# Groups whose optima bound a large program from below.
_GROUP = 5
_GROUP_NODES = 100
_GROUP_TOLERANCE = 1e-4


def separate_bound(nested: Nested) -> float:
    """sum_k c_k L_k: each block on its own is a group."""
    plain = nested.restrict(range(nested.blocks.count), overhead=False)
    V = np.zeros((nested.matrix.shape[0], nested.blocks.count))
    for k, rows in enumerate(nested.blocks.slices):
        V[rows, k] = math.sqrt(nested.costs[k] * nested.tops[k]) * np.linalg.eigh(nested.matrix[rows, rows])[1][:, -1]
    # V V' is block-diagonal, so g_T is a sum over the blocks of T and single blocks are enough.
    return certified_lower(plain, V, np.eye(nested.blocks.count), nested.costs * nested.tops**2)[0]


def overhead_bound(nested: Nested) -> Fraction:
    """What the overhead alone costs at least, c_0 lambda_max(L), besides what the blocks pay.

    Where lambda_max(M) = 1, M = sum_T z_T L[T] >= r_1 L gives r_1 <= 1 / lambda_max(L). That needs L
    positive semidefinite; if only L >= -e I, x'Mx >= r_1 x'Lx - e sum_k r_k |x_k|^2 and r_k <= 1 / L_k.
    """
    if nested.overhead <= 0:
        return Fraction(0)
    vectors = np.linalg.eigh(nested.matrix)[1]
    x = vectors[:, -1]
    top = bracket_top(Explicit(nested.matrix, nested.slack), None, x).lower
    below = bracket_top(Explicit(-nested.matrix, nested.slack), None, vectors[:, 0]).upper
    loss = Fraction(0)
    for rows in nested.blocks.slices if below > 0 else ():
        part = Explicit(nested.matrix[rows, rows], None if nested.slack is None else nested.slack[rows])
        least = bracket_top(part, None, np.linalg.eigh(nested.matrix[rows, rows])[1][:, -1]).lower
        if least <= 0:
            return Fraction(0)
        # A thousandth covers the rounding of |x_k|^2.
        loss += Fraction(below) * Fraction(1.001 * float(x[rows] @ x[rows])) / Fraction(least)
    return Fraction(nested.overhead) * Fraction(max(top, 0.0)) / (1 + loss)


def group_bound(nested: Nested) -> Fraction:
    """The sum of the optima of groups of blocks that are strongly coupled inside, without overhead."""
    total = Fraction(0)
    for group in coupled_groups(nested, _GROUP):
        search = OrderSearch(nested.restrict(group, overhead=False), _GROUP_TOLERANCE)
        scores = search.nested.tops / search.nested.costs
        search.solve(tuple(np.argsort(-scores, kind="stable").tolist()))
        total += Fraction(search.branch_and_bound(_GROUP_NODES)[0])
    return total


def coupled_groups(nested: Nested, largest: int) -> list[list[int]]:
    """Blocks joined pair by pair, the strongest coupling first, into groups of limited size."""
    count = nested.blocks.count
    coupling = np.sqrt(block_sums(nested.matrix**2, nested.blocks.starts))
    coupling *= np.sqrt(nested.costs[:, None] * nested.costs[None, :])
    group = {k: [k] for k in range(count)}
    first, second = np.triu_indices(count, 1)
    for pair in np.argsort(-coupling[first, second], kind="stable").tolist():
        a, b = group[int(first[pair])], group[int(second[pair])]
        if a is not b and len(a) + len(b) <= largest:
            a += b
            group.update(dict.fromkeys(b, a))
    return [sorted(members) for k, members in group.items() if min(members) == k]
