"""Branch-and-bound over the orders of the blocks, from both ends of the order.

A node (front, middle, back) stands for all orders that begin with `front` and end with `back`. Its
family of sets holds the tails that all of them share and, for the open middle, every subset of it
joined with `back`. The tails of every such order are in the family, so the certified bound of the
family is a bound for all of them.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..reals import FloatArray
from .fixed_order import Point, minimise
from .nested import Nested, certified_lower, tails

Order = tuple[int, ...]

# Beyond this dimension nodes are bounded within a subspace of at most so many columns per block.
_COMPRESSED_DIMENSION = 80
_COLUMNS = 8
# The gap to which the bound of a node is driven when it stays next to the goal.
_NODE_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class Node:
    """All orders that begin with `front` and end with `back`."""

    front: Order
    middle: Order
    back: Order

    def sets(self) -> FloatArray:
        """The family of sets, one column each: the largest first, those of the middle side by side."""
        every = (*self.front, *self.middle, *self.back)
        listed = [every[rank:] for rank in range(len(self.front))]
        for size in range(len(self.middle), 0, -1):
            listed += [(*chosen, *self.back) for chosen in itertools.combinations(self.middle, size)]
        listed += [self.back[rank:] for rank in range(len(self.back))]
        sets = np.zeros((len(every), len(listed)))
        for column, members in enumerate(listed):
            sets[list(members), column] = 1.0
        return sets

    def children(self, point: Point, kinds: Sequence[int]) -> Iterator[Node]:
        """Each block of the middle next in front, or each last before `back`, whichever cuts more.

        Blocks of one kind are interchangeable, so they may be taken to come in ascending order.
        """
        in_front = self._cuts_more_in_front(point)
        seen: set[int] = set()
        for block in self.middle if in_front else reversed(self.middle):
            if kinds[block] not in seen:
                seen.add(kinds[block])
                rest = tuple(other for other in self.middle if other != block)
                yield (
                    Node((*self.front, block), rest, self.back)
                    if in_front
                    else Node(self.front, rest, (block, *self.back))
                )

    def _cuts_more_in_front(self, point: Point) -> bool:
        """Whether choosing the next block in front removes more of the weight that the bound rests on."""
        sets = self.sets()
        middle = slice(len(self.front), len(self.front) + 2 ** len(self.middle) - 1)
        weight = (point.weights * (point.y[: sets.shape[0]] @ sets))[middle]
        inside = sets[list(self.middle), middle]
        proper = inside.sum(axis=0) < len(self.middle)
        return float((inside * proper @ weight).sum()) > float(((1 - inside) @ weight).sum())

    def rounded(self, point: Point) -> Order:
        """The order of the node that the point suggests."""
        return (*self.front, *sorted(self.middle, key=lambda block: float(point.r[block])), *self.back)


def _own_value(order: Order, point: Point) -> float:
    return point.value


@dataclass(eq=False)
class OrderSearch:
    """The best order so far and certified bounds, all in the units of the nested program.

    Parameters
    ----------
    nested : Nested
        No block negligible.
    tol : float
        Relative gap within which an order need not be told from the best one.
    better : callable
        Told of each improvement as (order, point); answers with the cost that counts.
    bounded : callable
        Told of each certified bound of all orders.
    """

    nested: Nested
    tol: float
    better: Callable[[Order, Point], float] = _own_value
    bounded: Callable[[float], object] = bool
    upper: float = math.inf
    order: Order = ()
    point: Point | None = None
    bounds: dict[Order, float] = field(default_factory=dict)
    factorisations: int = 0
    nodes: int = 0

    def __post_init__(self) -> None:
        self._small, self._columns = self.nested, np.eye(0)
        self._bases: list[FloatArray] = []
        if self.nested.matrix.shape[0] > _COMPRESSED_DIMENSION:
            parts = [np.linalg.eigh(self.nested.matrix[rows, rows])[1] for rows in self.nested.blocks.slices]
            self._bases = [part[:, -2:] for part in parts]
            self._small, self._columns = self.nested.compress(self._bases)

    @property
    def goal(self) -> float:
        """A bound at which orders are out of the race."""
        return self.upper * (1 - 0.9 * self.tol)

    def solve(self, order: Order) -> float:
        """A certified bound of one order, which becomes the best one if it is."""
        if order in self.bounds:
            return self.bounds[order]
        sets = tails(order)
        if self._bases and math.isfinite(self.upper):
            bound, _ = self._bound(sets, settle=True)
            if bound >= self.goal:
                self.bounds[order] = bound
                return bound
        point, work = minimise(self.nested, sets, tol=0.1 * self.tol, target=self.goal)
        self.factorisations += work
        bound = certified_lower(self.nested, point.factor, sets, point.y)[0]
        self.bounds[order] = bound
        if point.value < self.upper:
            value = self.better(order, point)
            if value < self.upper:
                self.upper, self.order, self.point = value, order, point
        if self._bases:
            self._widen(point.factor)
        return bound

    def _bound(self, sets: FloatArray, *, settle: bool) -> tuple[float, Point]:
        """A certified bound of all orders with tails among `sets`, from within the subspace."""
        point, work = minimise(self._small, sets, tol=_NODE_TOLERANCE, target=self.goal, settle=settle)
        self.factorisations += work
        factor = self._columns @ point.factor if self._bases else point.factor
        return certified_lower(self.nested, factor, sets, point.y)[0], point

    def _widen(self, factor: FloatArray) -> None:
        """Take the leading directions of a dual factor into the subspace."""
        leading = np.linalg.svd(factor, full_matrices=False)[0][:, :3]
        for k, rows in enumerate(self.nested.blocks.slices):
            joined = np.linalg.qr(np.hstack((leading[rows], self._bases[k])))[0]
            self._bases[k] = joined[:, : min(_COLUMNS, rows.stop - rows.start)]
        self._small, self._columns = self.nested.compress(self._bases)

    def branch_and_bound(self, most_nodes: int) -> tuple[float, bool]:
        """A certified bound of all orders, and whether it was driven to the goal within `most_nodes`."""
        kinds = interchangeable(self.nested)
        closed = math.inf
        heap: list[tuple[float, int, Node, Point]] = []
        pending = [(0.0, Node((), tuple(range(self.nested.blocks.count)), ()))]
        while True:
            for floor, node in pending:
                if len(node.middle) <= 1:
                    closed = min(closed, max(floor, self.solve((*node.front, *node.middle, *node.back))))
                    continue
                self.nodes += 1
                bound, point = self._bound(node.sets(), settle=True)
                bound = max(bound, floor)
                if bound >= self.goal:
                    closed = min(closed, bound)
                    continue
                heapq.heappush(heap, (bound, self.nodes, node, point))
                self.solve(node.rounded(point))
            lowest = min(closed, heap[0][0]) if heap else closed
            self.bounded(lowest)
            if not heap or heap[0][0] >= self.goal or self.nodes >= most_nodes:
                return lowest, not heap or heap[0][0] >= self.goal
            bound, _, node, point = heapq.heappop(heap)
            pending = [(bound, child) for child in node.children(point, kinds)]


def interchangeable(nested: Nested) -> list[int]:
    """For each block the first one with which it can be swapped without changing L or the costs."""
    slices, L, costs = nested.blocks.slices, nested.matrix, nested.costs
    kinds = list(range(len(slices)))
    for k, rows in enumerate(slices):
        for first in sorted(set(kinds[:k])):
            other = slices[first]
            if costs[first] != costs[k] or nested.blocks.sizes[first] != nested.blocks.sizes[k]:
                continue
            swapped = np.arange(L.shape[0])
            swapped[rows], swapped[other] = np.arange(L.shape[0])[other], np.arange(L.shape[0])[rows]
            same_slack = nested.slack is None or np.array_equal(nested.slack[swapped], nested.slack)
            if same_slack and np.array_equal(L[np.ix_(swapped, swapped)], L):
                kinds[k] = first
                break
    return kinds
