"""The nonconvex regime: the least c_M over probabilities and over the orders of the blocks.

For one order the problem is convex (`fixed_order`). Up to a few blocks branch-and-bound covers all
orders (`order_tree`). Beyond, a local search finds a good order, and the optima of groups of blocks
bound every order from below: E[CLC] of a group is a principal submatrix of E[CLC], so with
lambda_max = 1 each group pays at least its own optimum, and the groups' costs add up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..blocks import BlockOrder
from ..certify import Explicit, Rigour, bracket_top
from ..certify.bracket import round_down
from ..errors import InvalidInput
from ..quantities import Effort, lambda_max, second_moment_smoothness
from ..sampling import NestedSampling
from ..validation import read_only
from . import formulas, interior_point
from .certificate import FLOOR
from .fixed_order import Point
from .judge import Callback, Judge
from .nested import NEGLIGIBLE, Nested, block_sums, certified_lower, nested_problem
from .order_moves import local_search
from .order_tree import Order, OrderSearch
from .problem import FloatArray, Problem
from .result import SearchResult, Status

# Up to this many blocks all orders are covered.
EXACT_BLOCKS = 8
_NODES = 3000
# Groups whose optima bound a large problem from below.
_GROUP = 5
_GROUP_NODES = 100
_GROUP_TOLERANCE = 1e-4


def optimal_order(
    problem: Problem, *, tol: float, rng: np.random.Generator, callback: Callback | None = None
) -> SearchResult:
    """Minimise c_M = L_M (c_0 + sum p_k c_k) over probabilities and orders, with a certified bracket.

    Parameters
    ----------
    problem : Problem
        L must be positive semidefinite, and its entries known unless it is block-diagonal.
    tol : float
        Relative gap at which to stop.
    rng : Generator
        For the samples of the local search.
    callback : callable, optional
        Called with (lower, upper) as the bracket narrows. On Ctrl-C, or if it raises
        KeyboardInterrupt, the best certified bracket so far is returned.

    Returns
    -------
    SearchResult
        The bracket holds for the minimum over all orders (or for the forced one). `order_proved` says
        that it is narrower than `tol`, so no order does better by more.
    """
    before = problem.smoothness.products
    keeper = _Keeper(problem, tol, callback)
    status: Status = "optimal"
    try:
        why = keeper.formula() if formulas.applies(problem) else _search(keeper, rng)
    except KeyboardInterrupt:
        status, why = "interrupted", "stopped before the gap was reached"
    return keeper.result(status, why, problem.smoothness.products - before)


def _search(keeper: _Keeper, rng: np.random.Generator) -> str:
    nested = keeper.nested
    search = OrderSearch(nested, keeper.tol, keeper.propose, keeper.raise_lower)
    keeper.search = search
    forced = keeper.problem.order
    if forced is not None:
        keeper.method = "fixed order"
        place = {block: index for index, block in enumerate(keeper.kept)}
        keeper.raise_lower(search.solve(tuple(place[block] for block in forced.rank_to_block if block in place)))
        return "the order is forced, and for one order the problem is convex"
    overhead = _overhead_bound(nested)
    keeper.raise_lower(overhead + Fraction(_separate_bound(nested)))
    for order in _starts(keeper):
        search.solve(order)
    count = nested.blocks.count
    if count <= EXACT_BLOCKS:
        keeper.method = "branch-and-bound"
        _, complete = search.branch_and_bound(_NODES)
        if complete:
            return f"all orders of {count} blocks are covered by bounds of {search.nodes} sets of orders"
        why = f"bounds of {search.nodes} sets of orders did not cover all orders of {count} blocks"
    else:
        why = f"{count} blocks have too many orders to cover"
    keeper.method = "local search"
    local_search(search, rng)
    if count > EXACT_BLOCKS:
        keeper.raise_lower(overhead + _group_bound(nested))
    return why


def _starts(keeper: _Keeper) -> Iterator[Order]:
    """Orders worth trying first: the convex optimum's, the closed form's, by L_k, and as given."""
    nested, kept = keeper.nested, list(keeper.kept)
    judge = Judge(keeper.problem, 1e-3)
    interior_point.solve(judge)
    keeper.factorisations += judge.factorisations
    assert judge.best is not None
    for score in (
        judge.best.probabilities[kept],
        nested.tops / nested.costs,
        nested.tops,
        np.arange(len(kept), 0.0, -1.0),
    ):
        yield tuple(np.argsort(-score, kind="stable").tolist())


# -- bounds for every order --------------------------------------------------------------------------


def _separate_bound(nested: Nested) -> float:
    """sum_k c_k L_k: each block on its own is a group."""
    plain = nested.restrict(range(nested.blocks.count), overhead=False)
    V = np.zeros((nested.matrix.shape[0], nested.blocks.count))
    for k, rows in enumerate(nested.blocks.slices):
        V[rows, k] = math.sqrt(nested.costs[k] * nested.tops[k]) * np.linalg.eigh(nested.matrix[rows, rows])[1][:, -1]
    # V V' is block-diagonal, so g_T is a sum over the blocks of T and single blocks are enough.
    return certified_lower(plain, V, np.eye(nested.blocks.count), nested.costs * nested.tops**2)[0]


def _overhead_bound(nested: Nested) -> Fraction:
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


def _group_bound(nested: Nested) -> Fraction:
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


# -- what is certified so far ------------------------------------------------------------------------


@dataclass
class _Keeper:
    """The certified bracket so far in original units, and the point behind it."""

    problem: Problem
    tol: float
    callback: Callback | None
    method: str = "branch-and-bound"
    lower: float = 0.0
    upper: float = math.inf
    probabilities: FloatArray | None = None
    order: BlockOrder | None = None
    dual: FloatArray | None = None
    rigour: Rigour = Rigour.EXACT
    floored: bool = False
    factorisations: int = 0
    search: OrderSearch | None = None

    def formula(self) -> str:
        """The answer where L is block-diagonal: there E[CLC] = P^-1/2 L P^-1/2 and c_M = c(P)."""
        self.method = "formula"
        judge = Judge(self.problem, self.tol, self.callback)
        formulas.solve(judge)
        assert judge.best is not None
        p = judge.best.probabilities
        self.lower, self.upper, self.probabilities, self.dual = judge.lower, judge.upper, p, judge.dual
        self.order = self.problem.order or BlockOrder.from_probabilities(p)
        self.rigour, self.floored = judge.rigour, judge.best.floored
        return "L is block-diagonal, so every block stands alone"

    @cached_property
    def whole(self) -> Nested:
        """The scaled problem."""
        return nested_problem(self.problem)

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """The blocks without those so small that they belong at the end, at the least probability."""
        small = self.whole.tops <= NEGLIGIBLE * self.whole.tops.max()
        if small.all():
            raise InvalidInput("L must be positive semidefinite", "no diagonal block with a positive eigenvalue", "A'A")
        if self.problem.order is None:
            return tuple(np.flatnonzero(~small).tolist())
        # A forced order frees only the blocks after the last one that counts.
        ranked = list(self.problem.order.rank_to_block)
        while small[ranked[-1]]:
            ranked.pop()
        return tuple(sorted(ranked))

    @cached_property
    def nested(self) -> Nested:
        """The scaled problem of the blocks kept."""
        return self.whole.restrict(self.kept)

    def propose(self, order: Order, point: Point) -> float:
        """Certify the probabilities of a point, also with nearly equal ones made equal; their cost in scaled units."""
        ranked = np.maximum.accumulate(point.r[list(order)])
        steps = np.diff(ranked, prepend=0.0)
        pooled = np.cumsum(np.where(steps < 1e-4 * ranked, 0.0, steps))
        best = math.inf
        for r in (ranked, pooled):
            best = min(best, self._certify(order, r / ranked[0], point.factor))
        return float(Fraction(best) / self.nested.unit)

    def _certify(self, order: Order, ranked: FloatArray, factor: FloatArray) -> float:
        problem = self.problem
        dropped = [k for k in range(problem.blocks.count) if k not in set(self.kept)]
        dropped.sort(key=lambda k: -float(self.whole.tops[k]))
        blocks = [*(self.kept[k] for k in order), *dropped]
        full = BlockOrder(blocks) if problem.order is None else problem.order
        tops = self.whole.tops[dropped] / self.whole.tops.max()
        p = BlockOrder(blocks).per_block(np.concatenate((ranked[0] / ranked, 1e3 * tops)))
        floor = np.minimum(FLOOR, FLOOR * (problem.overhead + float(problem.costs @ p)) / problem.costs)
        raised = full.by_rank(np.maximum(p, floor))
        p_final = full.per_block(np.maximum.accumulate(raised[::-1])[::-1])
        effort: Effort = "sharp" if self.tol < 1e-9 else "fast"
        L_M = second_moment_smoothness(problem.smoothness, NestedSampling(p_final), problem.blocks, effort=effort)
        cost = L_M * problem.expected_cost(p_final)
        if cost.upper < self.upper:
            self.upper, self.probabilities, self.order = cost.upper, p_final, full
            self.floored, self.rigour = bool((p < floor).any()), min(cost.rigour, Rigour.ROUNDED)
            self.dual = np.zeros((problem.blocks.dimension, factor.shape[1]))
            self.dual[np.isin(problem.blocks.labels, self.kept)] = factor
            self._report()
        return cost.upper

    def raise_lower(self, bound: float | Fraction) -> None:
        """Take note of a proved bound in scaled units."""
        value = Fraction(bound) * self.nested.unit
        if value > self.lower:
            self.lower = round_down(value)
            self._report()

    def _report(self) -> None:
        if self.callback is not None:
            self.callback(min(self.lower, self.upper), self.upper)

    def result(self, status: Status, why: str, products: int) -> SearchResult:
        """The bracket so far as a result, with gradient descent where nothing better was reached."""
        problem, count = self.problem, self.problem.blocks.count
        if self.probabilities is None:
            self.probabilities, self.order = np.ones(count), problem.order or BlockOrder(range(count))
            top = lambda_max(problem.smoothness) * problem.expected_cost(self.probabilities)
            self.upper, self.rigour = top.upper, min(top.rigour, Rigour.ROUNDED)
        assert self.order is not None
        if self.search is not None:
            self.factorisations += self.search.factorisations
        lower = min(self.lower, self.upper)
        closed = self.upper - lower <= self.tol * self.upper
        if status == "optimal" and not closed:
            gap = (self.upper - lower) / self.upper
            unproved = "" if problem.order is not None else "the order is not proved optimal, "
            status, why = "stalled", f"{why}; {unproved}the gap is {gap:.1g}"
        if self.floored:
            why += f"; no minimum is attained, and probabilities are kept at {FLOOR:g} of the largest or less"
        return SearchResult(
            lower=lower,
            upper=self.upper,
            probabilities=read_only(self.probabilities),
            order=self.order,
            dual=read_only(np.zeros((problem.blocks.dimension, 1)) if self.dual is None else _thin(self.dual)),
            method=self.method,
            rigour=self.rigour,
            products=products,
            factorisations=self.factorisations,
            status=status,
            message=why,
            order_proved=closed or problem.order is not None,
        )


def _thin(V: FloatArray) -> FloatArray:
    """A factor of the same V V' with no more columns than it needs, where that is cheap to find."""
    if V.shape[1] == 1 or V.shape[0] > 1000:
        return V
    values, vectors = np.linalg.eigh(V @ V.T)
    kept = values > values[-1] * 1e-15
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))
