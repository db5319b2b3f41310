"""The search program: minimise <c, q> over block weights q with BlockDiag(q_k I) - L positive
semidefinite.

c(P) does not change when p is scaled, and with q = L_P p it becomes linear under a linear matrix
inequality; p = q / max q. Two generalisations stay convex. A fixed overhead c_0 paid on every step
adds c_0 max_k q_k. A forced order demands that q falls along it, and the overhead then belongs to
the first block, because every outcome includes it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..numbers import Bracket, Rigour
from ..numbers.exact_array import ExactArray, FloatArray
from ..problem.blocks import BlockOrder, Blocks, BlocksLike
from ..problem.problem import Problem, as_problem
from ..problem.smoothness import Smoothness, SmoothnessLike


@dataclass(frozen=True, eq=False)
class Program:
    """L, blocks, costs per block, an overhead c_0 per step and perhaps a forced order.

    The search works on doubles. `given` holds costs and overhead as they were given where those
    differ: the cost of every choice of probabilities then differs by a factor within `rounding`.
    """

    smoothness: Smoothness
    blocks: Blocks
    costs: FloatArray
    overhead: float = 0.0
    order: BlockOrder | None = None
    given: tuple[ExactArray, Fraction] | None = None

    @property
    def rounding(self) -> Bracket:
        """The least and the largest of given / double over all costs and the overhead."""
        if self.given is None:
            return Bracket.of_fraction(Fraction(1))
        least, largest = self.given[0].rounding()
        own = self.given[1] / Fraction(self.overhead) if self.overhead > 0 else 1 / largest
        return Bracket(min(1 / largest, own), max(1 / least, own), Rigour.EXACT)

    @property
    def plain(self) -> bool:
        """Whether neither an overhead nor an order is asked for."""
        return self.overhead == 0 and self.order is None

    @property
    def total_cost(self) -> float:
        """The cost of a step that updates everything."""
        return float(self.costs.sum()) + self.overhead

    def linear_costs(self) -> FloatArray:
        """Costs per block with the overhead charged to the first block of a forced order."""
        charged = self.costs.copy()
        if self.order is not None:
            charged[self.order.rank_to_block[0]] += self.overhead
        return charged

    def objective(self, q: FloatArray) -> float:
        """c_0 max q + <c, q>."""
        return float(self.overhead * q.max() + self.costs @ q)

    def expected_cost(self, p: FloatArray) -> Bracket:
        """c_0 + sum p_k c_k, exactly, for probabilities whose largest is 1."""
        terms = [(self.overhead, 1.0), *zip(p.tolist(), self.costs.tolist(), strict=True)]
        ratios = [(*a.as_integer_ratio(), *b.as_integer_ratio()) for a, b in terms]
        # Denominators are powers of two, so the largest is a common one and no greatest divisors
        # need be found.
        common = max(below * under for _, below, _, under in ratios)
        total = sum(
            above * over * (common // (below * under)) for above, below, over, under in ratios
        )
        return Bracket.of_fraction(Fraction(total, common))

    def admissible(self, q: FloatArray) -> FloatArray:
        """q itself, or with a forced order the running maximum from the end, which falls along
        it.
        """
        if self.order is None:
            return q
        ranked = self.order.by_rank(q)
        return self.order.per_block(np.maximum.accumulate(ranked[::-1])[::-1])

    def fitted(self, V: FloatArray) -> FloatArray:
        """V with each block rescaled to a trace that dual feasibility allows.

        A solver's traces are right up to its rounding only, which is coarse for blocks of tiny
        cost. With a forced order V is returned as it is: there only sums along the order are
        prescribed.
        """
        if self.order is not None:
            return V
        traces = np.add.reduceat(np.einsum("ij,ij->i", V, V), self.blocks.starts)
        wanted = self.costs
        if self.overhead > 0 and traces.any():
            surplus = np.maximum(traces / self.trace_excess(traces) - self.costs, 0.0)
            if surplus.sum() > 0:
                wanted = self.costs + surplus * (self.overhead / surplus.sum())
        with np.errstate(over="ignore"):
            factors = np.sqrt(wanted / np.where(traces > 0, traces, wanted))
        factors = np.where(
            np.isfinite(factors), factors, 1.0
        )  # too small to scale up: it proves nothing as it is
        return np.asarray(V * factors[self.blocks.labels][:, None])

    def trace_excess(self, traces: FloatArray) -> float:
        """The least factor by which block traces must shrink to be dual feasible.

        Without extras the traces must not exceed the costs. An overhead lets them exceed by c_0 in
        all. A forced order lets mass move to later blocks: only partial sums along it are bounded.
        """
        if self.order is not None:
            sums = np.cumsum(self.order.by_rank(traces))
            return float((sums / np.cumsum(self.order.by_rank(self.linear_costs()))).max())
        if self.overhead == 0:
            return float((traces / self.costs).max())
        return _shrink_to_fit(traces, self.costs, self.overhead)


def make_program(
    L: SmoothnessLike | Problem, blocks: BlocksLike | None = None, costs: Any = None, **more: Any
) -> Program:
    """The program of a problem, refused where its numbers leave the range of doubles or L is not
    semidefinite.
    """
    problem = as_problem(L, blocks, costs, **more)
    form = problem.smoothness
    blocks = problem.blocks
    prices = problem.costs
    charge = problem.overhead
    c = prices.float64
    if float(charge) > 1e12 * c.sum():
        raise InvalidInput(
            "must not dwarf the costs",
            f"{float(charge):g} beside {c.sum():g}",
            "at most 1e12 times",
            argument="overhead",
        )
    with np.errstate(over="ignore"):
        size = form.size_of_entries()
        reach = 4.0 * blocks.dimension * size * (c.sum() + float(charge))
    # Products alone are multiplied with one another on the way, where entries can be scaled first.
    if not reach < (math.inf if form.explicit() is not None else 1e290):
        found = f"numbers to {size:.3g} and costs that add up to {c.sum():.3g}"
        raise InvalidInput(
            "L times the costs must be within the range of doubles",
            found,
            "one of them scaled down",
        )
    problem.require_semidefinite()
    rounded = prices.exact is not None or float(charge) != charge
    return Program(
        form, blocks, c, float(charge), problem.order, (prices, charge) if rounded else None
    )


def _shrink_to_fit(traces: FloatArray, costs: FloatArray, overhead: float) -> float:
    """The least f with sum_k max(0, traces_k / f - costs_k) <= overhead, found on the sorted
    ratios.
    """
    ratios = traces / costs
    order = np.argsort(-ratios)
    mass = np.cumsum(traces[order])
    paid = np.cumsum(costs[order]) + overhead
    # With the first m blocks exceeding their costs the condition reads f >= mass_m / paid_m.
    return float((mass / paid).max())
