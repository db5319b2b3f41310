"""What a search over orders has certified so far: a bracket of the least c_M, and the point behind
it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..errors import InvalidInput
from ..numbers import Rigour
from ..numbers.bracket import round_down
from ..numbers.checks import read_only
from ..numbers.exact_array import FloatArray
from ..problem.blocks import BlockOrder
from ..problem.sampling import NestedSampling
from ..problem.spectral import Effort, second_moment_top, top
from . import formulas
from .certificate import FLOOR
from .fixed_order import Point
from .judge import Callback, Judge
from .nested import NEGLIGIBLE, Nested, nested_problem
from .order_bounds import Order
from .order_tree import OrderSearch
from .program import Program
from .result import SearchResult, Status


@dataclass
class Keeper:
    """The certified bracket so far in original units, and the point behind it."""

    program: Program
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
        judge = Judge(self.program, self.tol, self.callback)
        formulas.solve(judge)
        assert judge.best is not None
        p = judge.best.probabilities
        self.lower = judge.lower
        self.upper = judge.upper
        self.probabilities = p
        self.dual = judge.dual
        self.order = self.program.order or BlockOrder.from_probabilities(p)
        self.rigour = judge.rigour
        self.floored = judge.best.floored
        return "L is block-diagonal, so every block stands alone"

    @cached_property
    def whole(self) -> Nested:
        """The scaled program."""
        return nested_problem(self.program)

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """The blocks without those so small that they belong at the end, at the least
        probability.
        """
        small = self.whole.tops <= NEGLIGIBLE * self.whole.tops.max()
        if small.all():
            raise InvalidInput(
                "must be positive semidefinite",
                "no diagonal block with a positive eigenvalue",
                "A'A",
                argument="L",
            )
        if self.program.order is None:
            return tuple(np.flatnonzero(~small).tolist())
        # A forced order frees only the blocks after the last one that counts.
        ranked = list(self.program.order.rank_to_block)
        while small[ranked[-1]]:
            ranked.pop()
        return tuple(sorted(ranked))

    @cached_property
    def nested(self) -> Nested:
        """The scaled program of the blocks kept."""
        return self.whole.restrict(self.kept)

    def propose(self, order: Order, point: Point) -> float:
        """Certify the probabilities of a point, also with nearly equal ones made equal; their cost
        in scaled units.
        """
        ranked = np.maximum.accumulate(point.r[list(order)])
        steps = np.diff(ranked, prepend=0.0)
        pooled = np.cumsum(np.where(steps < 1e-4 * ranked, 0.0, steps))
        best = math.inf
        for r in (ranked, pooled):
            best = min(best, self._certify(order, r / ranked[0], point.factor))
        return float(Fraction(best) / self.nested.unit)

    def _certify(self, order: Order, ranked: FloatArray, factor: FloatArray) -> float:
        program = self.program
        dropped = [k for k in range(program.blocks.count) if k not in set(self.kept)]
        dropped.sort(key=lambda k: -float(self.whole.tops[k]))
        blocks = [*(self.kept[k] for k in order), *dropped]
        full = BlockOrder(blocks) if program.order is None else program.order
        tops = self.whole.tops[dropped] / self.whole.tops.max()
        p = BlockOrder(blocks).per_block(np.concatenate((ranked[0] / ranked, 1e3 * tops)))
        floor = np.minimum(
            FLOOR, FLOOR * (program.overhead + float(program.costs @ p)) / program.costs
        )
        raised = full.by_rank(np.maximum(p, floor))
        p_final = full.per_block(np.maximum.accumulate(raised[::-1])[::-1])
        effort: Effort = "sharp" if self.tol < 1e-9 else "fast"
        L_M = second_moment_top(program.smoothness, program.blocks, NestedSampling(p_final), effort)
        cost = L_M * program.expected_cost(p_final)
        if cost.upper < self.upper:
            self.upper = cost.upper
            self.probabilities = p_final
            self.order = full
            self.floored = bool((p < floor).any())
            self.rigour = min(cost.rigour, Rigour.ROUNDED)
            self.dual = np.zeros((program.blocks.dimension, factor.shape[1]))
            self.dual[np.isin(program.blocks.labels, self.kept)] = factor
            self._report()
        return cost.upper

    def raise_lower(self, bound: float | Fraction) -> None:
        """Take note of a proved bound in scaled units."""
        value = Fraction(bound) * self.nested.unit
        if value > self.lower:
            self.lower = round_down(value)
            self._report()

    @property
    def closed(self) -> bool:
        """Whether the certified gap is within the tolerance."""
        return (
            math.isfinite(self.upper)
            and self.upper - min(self.lower, self.upper) <= self.tol * self.upper
        )

    def _report(self) -> None:
        if self.callback is not None:
            self.callback(min(self.lower, self.upper), self.upper)

    def result(self, status: Status, why: str, products: int) -> SearchResult:
        """The bracket so far as a result, with gradient descent where nothing better was
        reached.
        """
        program = self.program
        count = self.program.blocks.count
        if self.probabilities is None:
            self.probabilities = np.ones(count)
            self.order = program.order or BlockOrder(range(count))
            cost = top(program.smoothness, None, "fast") * program.expected_cost(self.probabilities)
            self.upper = cost.upper
            self.rigour = min(cost.rigour, Rigour.ROUNDED)
        assert self.order is not None
        if self.search is not None:
            self.factorisations += self.search.factorisations
        if self.rigour > Rigour.NUMERICAL and self.lower > self.upper:
            raise ArithmeticError(
                f"two proofs contradict each other: {self.lower!r} <= c_M <= {self.upper!r}"
            )
        lower = min(self.lower, self.upper)
        if status == "optimal" and not self.closed:
            gap = (self.upper - lower) / self.upper
            unproved = "" if program.order is not None else "the order is not proved optimal, "
            status, why = "stalled", f"{why}; {unproved}the gap is {gap:.1g}"
        if self.floored:
            why += (
                f"; no minimum is attained, and probabilities are kept at {FLOOR:g} of the largest"
                " or less"
            )
        return SearchResult(
            lower=lower,
            upper=self.upper,
            probabilities=read_only(self.probabilities),
            order=self.order,
            dual=read_only(
                np.zeros((program.blocks.dimension, 1)) if self.dual is None else _thin(self.dual)
            ),
            method=self.method,
            rigour=self.rigour,
            products=products,
            factorisations=self.factorisations,
            status=status,
            message=why,
            order_proved=self.closed or program.order is not None,
        )


def _thin(V: FloatArray) -> FloatArray:
    """A factor of the same V V' with no more columns than it needs, where that is cheap to find."""
    if V.shape[1] == 1 or V.shape[0] > 1000:
        return V
    values, vectors = np.linalg.eigh(V @ V.T)
    kept = values > values[-1] * 1e-15
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))
