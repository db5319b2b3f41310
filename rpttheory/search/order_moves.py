"""Local search over orders: insertions and swaps, screened by the dual point of the best order.

A dual point bounds every order from below, not only the one it was made for, so most neighbours are
ruled out without solving them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .nested import block_sums, pooled_slopes
from .order_tree import Order, OrderSearch

# Floating-point operations to spend on solving orders, and neighbours to look at.
_OPERATIONS = 2e11
_NEIGHBOURS = 1500


def local_search(search: OrderSearch, rng: np.random.Generator) -> None:
    """Insertions and swaps from the best order, as long as one of the promising ones improves it."""
    solve = 150 * float(search.nested.matrix.shape[0]) ** 3
    limit = len(search.bounds) + min(max(int(_OPERATIONS / solve), 10), 300)
    improved = True
    while improved:
        improved = False
        best = search.order
        for order in _promising(search, rng):
            if len(search.bounds) >= limit:
                return
            search.solve(order)
            if search.order != best:
                improved = True
                break


def _promising(search: OrderSearch, rng: np.random.Generator) -> list[Order]:
    """Neighbours of the best order that its dual point does not rule out, the least bound first."""
    assert search.point is not None
    nested = search.nested
    Y = search.point.factor @ search.point.factor.T
    pairs = block_sums(nested.matrix * Y, nested.blocks.starts) / Y.trace()
    found = []
    for order in set(_neighbours(search.order, rng)) - search.bounds.keys():
        ranked = pairs[np.ix_(order, order)]
        g = np.cumsum(np.cumsum(ranked[::-1, ::-1], axis=0), axis=1).diagonal()[::-1]
        prices = nested.costs[list(order)]
        prices[0] += nested.overhead
        bound = float(np.sqrt(pooled_slopes(np.maximum(g, 0.0), prices)) @ prices) ** 2
        if bound < search.goal:
            found.append((bound, order))
    return [order for _, order in sorted(found)[: 4 * len(search.order)]]


def _neighbours(order: Order, rng: np.random.Generator) -> Iterator[Order]:
    """Every insertion and every swap, or a sample of them where they are many."""
    count = len(order)
    moves = [(i, j, kind) for i in range(count) for j in range(count) for kind in (0, 1) if i != j]
    if len(moves) > _NEIGHBOURS:
        moves = [moves[i] for i in rng.choice(len(moves), _NEIGHBOURS, replace=False)]
    for i, j, kind in moves:
        changed = list(order)
        if kind:
            changed[i], changed[j] = changed[j], changed[i]
        else:
            changed.insert(j, changed.pop(i))
        yield tuple(changed)
