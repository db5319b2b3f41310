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
    Pairs,
    chord_bound,
    least_over_orders,
    separate_point,
    tail_sets,
)
from .fixed_order_program import (
    FixedOrderProgram,
    Order,
    certified_lower,
    pair_weights,
    squared,
)
from .interior_point import Point, minimize

# Beyond this dimension dual points are sought in a subspace with a limited number of columns.
# All four numbers were chosen by hand and not measured.
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
        pairs = (*self.pairs, (k, after))
        pool = tuple(order for order in self.pool if order.index(k) < order.index(after))
        return Node(pairs, self.factor, np.append(self.multipliers, 0.0), pool)


@dataclass(eq=False)
class OrderSearch:
    """The best order so far and certified bounds, all in the units of the fixed-order program.

    Parameters
    ----------
    program : FixedOrderProgram
        No block negligible.
    tol : float
        Relative gap within which an order need not be told from the best one.
    propose : callable
        Called with an order and its point; returns the proved cost.
    improve_lower : callable
        Called with each certified bound of all orders.
    report : callable
        Called at every step of the work; if it raises, that ends the search.
    """

    program: FixedOrderProgram
    tol: float
    propose: Callable[[Order, Point], float]
    improve_lower: Callable[[float], object]
    report: Callable[[], object]
    upper: float = math.inf
    order: Order = ()
    factor: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    bounds: dict[Order, float] = field(default_factory=dict)
    factorizations: int = 0
    nodes: int = 0
    sets: int = 0  # sets of blocks that the bounds looked at

    @property
    def goal(self) -> float:
        """A bound at which orders are out of the race."""
        return self.upper * (1 - 0.9 * self.tol)

    def solve(self, order: Order) -> float:
        """Return a certified bound of one order, which becomes the best one if it is."""
        if order not in self.bounds:
            point, work = minimize(
                self.program, order, tol=0.1 * self.tol, target=self.goal, report=self.report
            )
            self.factorizations += work
            self.bounds[order] = certified_lower(self.program, point.factor, order)
            value = self.propose(order, point) if point.value < self.upper else math.inf
            if value < self.upper:
                self.upper = value
                self.order = order
                self.factor = point.factor
        return self.bounds[order]

    def _compress(self) -> None:
        """Restrict dual points of large programs to a subspace that holds the best ones of the best
        order and of single blocks.
        """
        leading = np.linalg.svd(self.factor, full_matrices=False)[0][:, :6]
        bases = []
        for rows in self.program.blocks.slices:
            block = self.program.matrix[rows, rows]
            basis = np.eye(block.shape[0])
            if self.program.matrix.shape[0] > _COMPRESSED_DIMENSION:
                alone = np.linalg.eigh(block)[1][:, -2:]
                basis = np.linalg.qr(np.hstack((leading[rows], alone)))[0][:, :_COLUMNS]
            bases.append(basis)
        self._small, self._columns = self.program.compress(bases)

    def root(self) -> Node:
        """All orders. Blocks of one kind are interchangeable, so they may be taken to come in
        ascending order.
        """
        self._compress()
        U, values, _ = np.linalg.svd(self._columns.T @ self.factor, full_matrices=False)
        kinds = interchangeable(self.program)
        groups = [
            [k for k, kind in enumerate(kinds) if kind == first] for first in sorted(set(kinds))
        ]
        pairs = tuple(pair for group in groups for pair in itertools.pairwise(group))
        V = _stirred(U[:, :_RANK] * values[:_RANK])
        admissible = all(self.order.index(k) < self.order.index(after) for k, after in pairs)
        return Node(pairs, V, np.zeros(len(pairs)), (self.order,) if admissible else ())

    def chord_bound(self) -> float:
        """Return a certified bound of all orders, without overhead, for any number of blocks."""
        self._compress()
        V = climb(
            lambda V, none: (*chords(self._small, V), none),
            _stirred(separate_point(self._small)),
            np.zeros(0),
            self.report,
            300,
        )[0]
        w, trace = pair_weights(self.program, self._columns @ V)
        return squared(chord_bound(w, self.program.sure_costs), trace)

    def bound(self, node: Node, target: float) -> tuple[float, Node]:
        """Return a certified bound of all orders of the node, and the node with the dual point that
        proves it.
        """
        program = self.program
        pool = list(node.pool)
        trial = best = node
        bound = 0.0
        smooth = math.inf
        for _ in range(_CLIMBS):
            self.sets += tail_sets(program.blocks.count, node.pairs)
            w, trace = pair_weights(program, self._columns @ trial.factor)
            root, order = least_over_orders(
                w, program.sure_costs, program.overhead, node.pairs, trial.multipliers.tolist()
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
            factor, multipliers = climb(least, trial.factor, trial.multipliers, self.report)
            trial = replace(trial, factor=factor, multipliers=multipliers)
        return bound, replace(best, pool=tuple(pool))

    def branch_and_bound(self, most_nodes: int, most_sets: int) -> bool:
        """Raise the certified bound of all orders, and return whether it reached the goal within
        the limits.
        """
        closed = math.inf
        heap: list[tuple[float, int, Node, tuple[int, int]]] = []
        pending = [(0.0, self.root())]
        while True:
            for inherited, node in pending:
                self.nodes += 1
                bound, node = self.bound(node, self.goal)
                bound = max(bound, inherited)
                if bound < self.goal:
                    alone = self.solve(node.pool[-1])
                    pair = self._undecided(node)
                    if pair is not None:
                        heapq.heappush(heap, (bound, self.nodes, node, pair))
                        continue
                    bound = max(bound, alone)
                closed = min(closed, bound)
            lowest = heap[0][0] if heap else math.inf
            self.improve_lower(min(closed, lowest))
            if lowest >= self.goal:
                return True
            if self.nodes >= most_nodes or self.sets >= most_sets:
                return False
            bound, _, node, pair = heapq.heappop(heap)
            pending = [(bound, node.child(*pair)), (bound, node.child(*reversed(pair)))]

    def _undecided(self, node: Node) -> tuple[int, int] | None:
        """Return the pair, not yet in order, that shares most; None if one order is left."""
        count = self.program.blocks.count
        ordered = np.eye(count, dtype=bool)
        for k, after in node.pairs:
            ordered |= np.outer(ordered[:, k], ordered[after])
        ordered |= ordered.T
        shared = np.where(ordered, -1.0, np.abs(pair_values(self._small, node.factor)))
        return None if ordered.all() else divmod(int(shared.argmax()), count)


def _stirred(V: FloatArray) -> FloatArray:
    """V with a little of every direction, so that a climb can turn to it."""
    noise = np.random.default_rng(0).standard_normal(V.shape)
    return V / np.linalg.norm(V) + 1e-3 / math.sqrt(V.size) * noise


def interchangeable(program: FixedOrderProgram) -> list[int]:
    """For each block the first one with which it can be swapped without changing L or the costs."""
    slices = program.blocks.slices
    sizes = program.blocks.sizes
    costs = program.sure_costs
    slack = np.zeros(program.matrix.shape[0]) if program.slack is None else program.slack
    kinds = list(range(len(slices)))
    for k, first in itertools.combinations(reversed(kinds), 2):
        if sizes[first] == sizes[k] and costs[first] == costs[k] > 0:
            swapped = np.arange(slack.size)
            swapped[slices[k]] = range(slices[first].start, slices[first].stop)
            swapped[slices[first]] = range(slices[k].start, slices[k].stop)
            same_matrix = np.array_equal(program.matrix[np.ix_(swapped, swapped)], program.matrix)
            if same_matrix and np.array_equal(slack[swapped], slack):
                kinds[k] = first
    return kinds
