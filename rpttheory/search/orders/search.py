"""The least c_M over probabilities and over the orders of the blocks.

For one order the program is convex (`interior_point`). Branch-and-bound covers all orders, to the
end or as far as its limits allow. Beyond some twenty blocks a few good orders are tried, and all
orders bounded at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ...numbers import Rigor
from ...numbers.bracket import round_down
from ...numbers.exact_array import FloatArray
from ...problem.blocks import BlockOrder
from ...problem.eigen_brackets import Effort
from .. import interior_point as dense_method
from ..bounds import BoundTracker, LowerBound, upper_bound_c_M
from .bounds import overhead_bound, separate_bound
from .branch_and_bound import OrderSearch
from .fixed_order_program import NEGLIGIBLE, Order, fixed_order_program
from .interior_point import Point

# Largest number of blocks for which branch-and-bound usually ends with a proof, and for which its
# first bounds are affordable; limits on its nodes, and on the sets of blocks that bounds consider.
# Chosen by hand, not measured.
EXACT_BLOCKS = 12
SETS_BLOCKS = 20
_NODES = 3000
_SETS = 100_000_000


def solve(tracker: BoundTracker) -> None:
    """Minimize c_M = L_M (c_0 + sum p_k c_k) over probabilities and orders.

    The entries of L must be known. The bracket holds for the minimum over all orders, or for the
    forced one.
    """
    search = _SearchOverOrders(tracker)
    try:
        tracker.message = search.run()
    finally:
        tracker.factorizations += search.search.factorizations


class _SearchOverOrders:
    """The border between the tracker, in the units of the problem, and the scaled program.

    The scaled program leaves out the blocks so small that they belong at the end of every order, at
    the least probability.
    """

    def __init__(self, tracker: BoundTracker) -> None:
        self.tracker = tracker
        self.sdp = tracker.program
        self.whole = fixed_order_program(self.sdp)
        self.blocks = self._blocks_that_count()
        self.program = self.whole.restrict(self.blocks)
        self.search = OrderSearch(
            self.program, tracker.tol, self.propose, self.improve_lower, tracker.report
        )
        if self.sdp.order is not None:
            tracker.method = "fixed order"
        elif len(self.blocks) > SETS_BLOCKS:
            tracker.method = "chords"

    def _blocks_that_count(self) -> tuple[int, ...]:
        negligible = self.whole.tops <= NEGLIGIBLE * self.whole.tops.max()
        if self.sdp.order is None:
            return tuple(np.flatnonzero(~negligible).tolist())
        # A forced order frees only the blocks after the last one that counts.
        ranked = list(self.sdp.order.rank_to_block)
        while negligible[ranked[-1]]:
            ranked.pop()
        return tuple(sorted(ranked))

    def run(self) -> str:
        """Search, and return a sentence on what was covered."""
        forced = self.sdp.order
        if forced is not None:
            ranks = [block for block in forced.rank_to_block if block in self.blocks]
            self.improve_lower(self.search.solve(tuple(self.blocks.index(k) for k in ranks)))
            return "the order is forced, and for one order the program is convex"
        overhead = overhead_bound(self.program)
        self.improve_lower(overhead + Fraction(separate_bound(self.program)))
        for order in self._starts():
            self.search.solve(order)
        count = len(self.blocks)
        if count > SETS_BLOCKS:
            self.improve_lower(overhead + Fraction(self.search.chord_bound()))
            return f"{count} blocks have too many orders to cover"
        complete = self.search.branch_and_bound(_NODES, _SETS)
        covered = "cover" if complete else "did not cover"
        return (
            f"bounds of {self.search.nodes} sets of orders {covered} all orders of {count} blocks"
        )

    def _starts(self) -> Iterator[Order]:
        """Yield promising orders: the order of the optimum of c(P), of the closed form, by L_k, and
        as given.
        """
        tracker = BoundTracker(self.sdp, 1e-3, lambda event: self.tracker.report())
        dense_method.solve(tracker)
        self.tracker.factorizations += tracker.factorizations
        assert tracker.best is not None
        for score in (
            tracker.best.probabilities[list(self.blocks)],
            self.program.tops / self.program.costs,
            self.program.tops,
            np.arange(len(self.blocks), 0.0, -1.0),
        ):
            yield tuple(np.argsort(-score, kind="stable").tolist())

    def improve_lower(self, bound: float | Fraction) -> None:
        """Pass on a proved bound in scaled units."""
        value = round_down(Fraction(bound) * self.program.unit)
        if value > self.tracker.lower:
            self.tracker.improve_lower(LowerBound(value, Rigor.VERIFIED))
        # Also without progress, since a time limit ends the search here.
        self.tracker.report()

    def propose(self, order: Order, point: Point) -> float:
        """Bound c_M at the probabilities of a point, and with nearly equal ones made equal; return
        the lesser cost in scaled units.
        """
        ranked = np.maximum.accumulate(point.r[list(order)])
        steps = np.diff(ranked, prepend=0.0)
        pooled = np.cumsum(np.where(steps < 1e-4 * ranked, 0.0, steps))
        costs = [self._cost_at(order, r / ranked[0], point.factor) for r in (ranked, pooled)]
        return float(Fraction(min(costs)) / self.program.unit)

    def _cost_at(self, order: Order, ranked: FloatArray, factor: FloatArray) -> float:
        tops = self.whole.tops
        dropped = [k for k in range(self.sdp.blocks.count) if k not in self.blocks]
        dropped.sort(key=lambda k: -float(tops[k]))
        ranks = BlockOrder([*(self.blocks[k] for k in order), *dropped])
        p = ranks.per_block(np.concatenate((ranked[0] / ranked, 1e3 * tops[dropped] / tops.max())))
        dual = np.zeros((self.sdp.blocks.dimension, factor.shape[1]))
        dual[np.isin(self.sdp.blocks.labels, self.blocks)] = factor
        effort: Effort = "sharp" if self.tracker.tol < 1e-9 else "fast"
        bound = upper_bound_c_M(self.sdp, p, self.sdp.order or ranks, dual, effort)
        if bound.value < self.tracker.upper:
            self.tracker.improve_upper(bound)
            self.tracker.report()
        return bound.value
