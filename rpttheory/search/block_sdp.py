"""The semidefinite program of the search: minimize <c, q> over block weights q with
BlockDiag(q_k I) - L positive semidefinite.

c(P) does not change when p is scaled, and with q = L_P p it becomes linear under a linear matrix
inequality; p = q / max q. Two generalizations stay convex. A fixed overhead c_0 paid on every step
adds c_0 max_k q_k. A forced order demands that q falls along it, and the overhead then belongs to
the first block, because every outcome includes it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..errors import InvalidInput
from ..numbers import Bracket, Rigor, arithmetic_problem
from ..numbers.exact_array import FloatArray
from ..problem.blocks import BlockOrder, Blocks
from ..problem.problem import Problem
from ..problem.smoothness import Smoothness


@dataclass(frozen=True, eq=False)
class BlockSDP:
    """The program of a problem, in doubles.

    Costs and overhead that are not doubles are rounded. The cost of every choice of probabilities
    then differs from that of the problem by a factor within `rounding`.
    """

    problem: Problem

    @property
    def smoothness(self) -> Smoothness:
        """L."""
        return self.problem.smoothness

    @property
    def blocks(self) -> Blocks:
        """The blocks of L."""
        return self.problem.blocks

    @property
    def costs(self) -> FloatArray:
        """Costs per block."""
        return self.problem.costs.float64

    @property
    def overhead(self) -> float:
        """The cost c_0 of every step."""
        return float(self.problem.overhead)

    @property
    def order(self) -> BlockOrder | None:
        """The forced order, if there is one."""
        return self.problem.order

    @property
    def rounding(self) -> Bracket:
        """The least and the largest of exact value / double over all costs and the overhead."""
        least, largest = self.problem.costs.rounding()
        ratio = self.problem.overhead / Fraction(self.overhead) if self.overhead > 0 else 1 / least
        return Bracket(min(1 / largest, ratio), max(1 / least, ratio), Rigor.EXACT)

    @property
    def plain(self) -> bool:
        """True if there is neither an overhead nor a forced order."""
        return self.overhead == 0 and self.order is None

    @property
    def separable(self) -> bool:
        """True if L is known to be block-diagonal, so that blocks do not interact."""
        return self.blocks.count == 1 or self.problem.is_block_diagonal

    @property
    def total_cost(self) -> float:
        """The cost of a step that updates everything."""
        return float(self.costs.sum()) + self.overhead

    def entries(self, method: str) -> FloatArray:
        """Return L as a dense array; raise InvalidInput where L is known through products only."""
        explicit = self.smoothness.explicit()
        if explicit is None:
            raise InvalidInput(
                f"must be known by its entries for {method}",
                arithmetic_problem() or "an L known through products",
                "'subspace'",
                argument="L",
            )
        return dense(explicit.matrix)

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
        """Return q, or with a forced order its running maximum from the end, which falls along
        it.
        """
        return q if self.order is None else falling_along(self.order, q)

    def rescale_dual_blocks(self, V: FloatArray) -> FloatArray:
        """Return V with each block rescaled to a trace that dual feasibility allows.

        A solver's traces are right up to its rounding only, which is coarse for blocks of tiny
        cost. With a forced order V is returned as it is: there only sums along the order are
        prescribed.
        """
        if self.order is not None:
            return V
        traces = self.block_traces(V)
        target = self.costs
        if self.overhead > 0 and traces.any():
            surplus = np.maximum(traces / self.trace_excess(traces) - self.costs, 0.0)
            if surplus.sum() > 0:
                target = self.costs + surplus * (self.overhead / surplus.sum())
        with np.errstate(over="ignore"):
            factors = np.sqrt(target / np.where(traces > 0, traces, target))
        # A block too small to scale up proves nothing as it is.
        factors = np.where(np.isfinite(factors), factors, 1.0)
        return np.asarray(V * factors[self.blocks.labels][:, None])

    def block_traces(self, V: FloatArray) -> FloatArray:
        """||V_k||_F^2 for every block."""
        return np.asarray(np.add.reduceat(np.einsum("ij,ij->i", V, V), self.blocks.starts))

    def trace_excess(self, traces: FloatArray) -> float:
        """The least factor by which block traces must shrink to be dual feasible.

        Without extras the traces must not exceed the costs. An overhead lets them exceed by c_0 in
        all: sum_k max(0, traces_k / f - costs_k) <= c_0, and with the first m blocks exceeding
        their costs that reads f >= mass_m / allowance_m. A forced order lets mass move to later
        blocks: only partial sums along it are bounded.
        """
        if self.order is not None:
            sums = np.cumsum(self.order.by_rank(traces))
            return float((sums / np.cumsum(self.order.by_rank(self.linear_costs()))).max())
        if self.overhead == 0:
            return float((traces / self.costs).max())
        descending = np.argsort(-traces / self.costs)
        mass = np.cumsum(traces[descending])
        allowance = np.cumsum(self.costs[descending]) + self.overhead
        return float((mass / allowance).max())


def falling_along(order: BlockOrder, q: FloatArray) -> FloatArray:
    """Return the running maximum of q from the end of the order."""
    return order.per_block(np.maximum.accumulate(order.by_rank(q)[::-1])[::-1])


def dense(matrix: object) -> FloatArray:
    """Return a dense or sparse matrix as a dense array."""
    if isinstance(matrix, np.ndarray):
        return matrix
    return np.asarray(matrix.toarray(), dtype=np.float64)  # type: ignore[attr-defined]


def power_of_two(matrix: FloatArray) -> float:
    """A power of two near the largest entry (1 for the zero matrix), by which division is exact."""
    largest = max(float(matrix.max()), -float(matrix.min()))
    return float(np.ldexp(1.0, min(int(np.frexp(largest)[1]), 1023))) if largest > 0 else 1.0


def make_sdp(problem: Problem) -> BlockSDP:
    """Return the program of a problem; raise InvalidInput where its numbers leave the range of
    doubles or L is not semidefinite.
    """
    form = problem.smoothness
    total = float(problem.costs.float64.sum())
    overhead = float(problem.overhead)
    if overhead > 1e12 * total:
        raise InvalidInput(
            "must not dwarf the costs",
            f"{overhead:g} beside {total:g}",
            "at most 1e12 times",
            argument="overhead",
        )
    with np.errstate(over="ignore"):
        size = form.size_of_entries()
        reach = 4.0 * problem.blocks.dimension * size * (total + overhead)
    # Products alone are multiplied with one another on the way, where entries can be scaled first.
    if not reach < (math.inf if form.explicit() is not None else 1e290):
        raise InvalidInput(
            "times the costs must be within the range of doubles",
            f"numbers to {size:.3g} and costs that add up to {total:.3g}",
            "one of them scaled down",
            argument="L",
        )
    problem.require_semidefinite()
    return BlockSDP(problem)
