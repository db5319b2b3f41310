"""Branch-and-bound over the orders of the blocks, pair by pair: which of two blocks comes first.

A node stands for all orders in which certain blocks precede others. For a dual point, V and a
multiplier for each such pair, its bound is the least over those orders (`bounds`), which is
concave in V V' and the multipliers. They climb on the orders that were least so far, until no new
one appears.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from ...numbers.exact_array import FloatArray
from .ascent import PooledOrders, chords, climb, pair_values
from .bounds import (
    Order,
    Pairs,
    chord_bound,
    least_over_orders,
    pair_weights,
    separate_point,
    squared,
    tail_sets,
)
from .fixed_order_program import FixedOrderProgram, certified_lower, tails
from .interior_point import Point, minimize

# Beyond this dimension dual points are sought in a subspace of at most so many columns per block.
_COMPRESSED_DIMENSION = 80
_COLUMNS = 8
# The rank of a dual point, and how often it may climb at one node.
_RANK = 12
_CLIMBS = 40


@dataclass(frozen=True, eq=False)
class Node:
    """All orders with k before l for each of the pairs (k, l); a dual point, and orders that were
    least there.
    """

    pairs: Pairs
    factor: FloatArray
    multipliers: FloatArray
    pool: tuple[Order, ...] = ()

    def child(self, k: int, after: int) -> Node:
        """The orders of the node in which one block precedes another."""
        return Node(
            (*self.pairs, (k, after)), self.factor, np.append(self.multipliers, 0.0), self.pool
        )

    def held(self) -> list[Order]:
        """The orders of the pool that belong to the node."""
        return [
            order
            for order in self.pool
            if all(order.index(k) < order.index(m) for k, m in self.pairs)
        ]


def _own_value(order: Order, point: Point) -> float:
    return point.value


@dataclass(eq=False)
class OrderSearch:
    """The best order so far and certified bounds, all in the units of the fixed-order program.

    Parameters
    ----------
    program : FixedOrderProgram
        No block negligible.
    tol : float
        Relative gap within which an order need not be told from the best one.
    better : callable
        Told of each improvement as (order, point); answers with the cost that counts.
    bounded : callable
        Told of each certified bound of all orders.
    """

    program: FixedOrderProgram
    tol: float
    better: Callable[[Order, Point], float] = _own_value
    bounded: Callable[[float], object] = bool
    upper: float = math.inf
    order: Order = ()
    point: Point | None = None
    bounds: dict[Order, float] = field(default_factory=dict)
    factorizations: int = 0
    nodes: int = 0
    sets: int = 0  # sets of blocks that the bounds looked at

    def __post_init__(self) -> None:
        self._small = self.program
        self._columns = np.eye(0)
        self._bases: list[FloatArray] = []
        if self.program.matrix.shape[0] > _COMPRESSED_DIMENSION:
            parts = [
                np.linalg.eigh(self.program.matrix[rows, rows])[1]
                for rows in self.program.blocks.slices
            ]
            self._bases = [part[:, -2:] for part in parts]
            self._small, self._columns = self.program.compress(self._bases)

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
            point, work = minimize(self._small, sets, tol=1e-4, target=self.goal, settle=True)
            self.factorizations += work
            bound = certified_lower(self.program, self._columns @ point.factor, sets, point.y)[0]
            if bound >= self.goal:
                self.bounds[order] = bound
                return bound
        point, work = minimize(self.program, sets, tol=0.1 * self.tol, target=self.goal)
        self.factorizations += work
        bound = certified_lower(self.program, point.factor, sets, point.y)[0]
        self.bounds[order] = bound
        if point.value < self.upper:
            value = self.better(order, point)
            if value < self.upper:
                self.upper = value
                self.order = order
                self.point = point
        return bound

    def _directions(self) -> FloatArray:
        """The dual point of the best order, in the subspace, which from here on holds its
        directions.
        """
        assert self.point is not None
        factor = self.point.factor
        if not self._bases:
            return factor
        leading = np.linalg.svd(factor, full_matrices=False)[0][:, :6]
        for k, rows in enumerate(self.program.blocks.slices):
            joined = np.linalg.qr(np.hstack((leading[rows], self._bases[k])))[0]
            self._bases[k] = joined[:, : min(_COLUMNS, rows.stop - rows.start)]
        self._small, self._columns = self.program.compress(self._bases)
        return np.asarray(self._columns.T @ factor)

    def root(self) -> Node:
        """All orders. Blocks of one kind are interchangeable, so they may be taken to come in
        ascending order.
        """
        U, values, _ = np.linalg.svd(self._directions(), full_matrices=False)
        kinds = interchangeable(self.program)
        alike = [
            [k for k, kind in enumerate(kinds) if kind == first] for first in sorted(set(kinds))
        ]
        pairs = tuple(pair for group in alike for pair in itertools.pairwise(group))
        return Node(
            pairs, _stirred(U[:, :_RANK] * values[:_RANK]), np.zeros(len(pairs)), (self.order,)
        )

    def chord_bound(self) -> float:
        """A certified bound of all orders, without overhead, for any number of blocks."""

        def objective(V: FloatArray, none: FloatArray) -> tuple[float, FloatArray, FloatArray]:
            return *chords(self._small, V), none

        self._directions()
        V = climb(objective, _stirred(separate_point(self._small)), np.zeros(0), 300)[0]
        w, trace = pair_weights(self.program, self._columns @ V if self._bases else V)
        return squared(chord_bound(w, self.program.sure_costs), trace)

    def bound(self, node: Node, target: float) -> tuple[float, Node]:
        """A certified bound of all orders of the node, and the node with the dual point that proves
        it.
        """
        pool = node.held()
        trial = best = replace(node, pool=())
        bound = 0.0
        smooth = math.inf
        for _ in range(_CLIMBS):
            self.sets += tail_sets(self.program.blocks.count, node.pairs)
            w, trace = pair_weights(
                self.program, self._columns @ trial.factor if self._bases else trial.factor
            )
            root, order = least_over_orders(
                w,
                self.program.sure_costs,
                self.program.overhead,
                node.pairs,
                trial.multipliers.tolist(),
            )
            if squared(root, trace) > bound:
                bound = squared(root, trace)
                best = trial
            if bound >= target:
                break
            smooth = min(
                smooth * (0.3 if order in pool else 1.0), 0.02 * (root or math.sqrt(target))
            )
            if smooth <= 0.3 * min(self.tol, 1e-4) * root:
                break
            if order not in pool:
                pool.append(order)
            least = partial(PooledOrders(self._small, pool, node.pairs).least, smooth=smooth)
            factor, multipliers = climb(least, trial.factor, trial.multipliers)
            trial = replace(trial, factor=factor, multipliers=multipliers)
        return bound, replace(best, pool=tuple(pool))

    def branch_and_bound(self, most_nodes: int, most_sets: int) -> tuple[float, bool]:
        """A certified bound of all orders, and whether it was driven to the goal within the
        limits.
        """
        closed = math.inf
        heap: list[tuple[float, int, Node, tuple[int, int]]] = []
        pending = [(0.0, self.root())]
        while True:
            for floor, node in pending:
                self.nodes += 1
                bound, node = self.bound(node, self.goal)
                bound = max(bound, floor)
                if bound < self.goal:
                    alone = self.solve(node.pool[-1])
                    pair = self._doubtful(node)
                    if pair is not None:
                        heapq.heappush(heap, (bound, self.nodes, node, pair))
                        continue
                    bound = max(bound, alone)
                closed = min(closed, bound)
            lowest = min(closed, heap[0][0]) if heap else closed
            self.bounded(lowest)
            if (
                not heap
                or heap[0][0] >= self.goal
                or self.nodes >= most_nodes
                or self.sets >= most_sets
            ):
                return lowest, not heap or heap[0][0] >= self.goal
            bound, _, node, pair = heapq.heappop(heap)
            pending = [(bound, node.child(*pair)), (bound, node.child(*reversed(pair)))]

    def _doubtful(self, node: Node) -> tuple[int, int] | None:
        """The pair, not yet in order, that shares most where the least orders differ; None if one
        order is left.
        """
        count = self.program.blocks.count
        known = np.eye(count, dtype=bool)
        for k, after in node.pairs:
            known |= np.outer(known[:, k], known[after])
        pooled = PooledOrders(self._small, node.pool, node.pairs)
        values = pooled.values(pooled.y(node.factor, node.multipliers))
        weights = np.exp((values.min() - values) / (1e-3 * abs(values.min())))
        first = np.einsum("o,okl->kl", weights / weights.sum(), pooled.later - np.eye(count))
        shared = np.abs(pair_values(self._small, node.factor))
        known |= known.T
        score = np.where(known, -1.0, np.nan_to_num(shared * (1e-6 + np.minimum(first, first.T))))
        return None if known.all() else divmod(int(score.argmax()), count)


def _stirred(V: FloatArray) -> FloatArray:
    """V with a little of every direction, so that a climb can turn to it."""
    noise = np.random.default_rng(0).standard_normal(V.shape)
    return V / np.linalg.norm(V) + 1e-3 / math.sqrt(V.size) * noise


def interchangeable(program: FixedOrderProgram) -> list[int]:
    """For each block the first one with which it can be swapped without changing L or the costs."""
    slices = program.blocks.slices
    L = program.matrix
    costs = program.sure_costs
    kinds = list(range(len(slices)))
    for k, rows in enumerate(slices):
        for first in sorted(set(kinds[:k])):
            other = slices[first]
            if (
                costs[first] != costs[k]
                or costs[k] == 0
                or program.blocks.sizes[first] != program.blocks.sizes[k]
            ):
                continue
            swapped = np.arange(L.shape[0])
            swapped[rows], swapped[other] = (
                np.arange(L.shape[0])[other],
                np.arange(L.shape[0])[rows],
            )
            same_slack = program.slack is None or np.array_equal(
                program.slack[swapped], program.slack
            )
            if same_slack and np.array_equal(L[np.ix_(swapped, swapped)], L):
                kinds[k] = first
                break
    return kinds
