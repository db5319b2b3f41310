"""The two bounds that decide, and the best of each so far. No solver is trusted, only these.

Upper: c(P) or c_M at stated probabilities, with a rigorous L_P or L_M. Lower: for any V and any
feasible q, <L, V V'> <= sum_k ||V_k||_F^2 q_k, so the objective is at least <V, L V> over the
factor by which the block traces of V exceed what dual feasibility allows. Lower bounds of c_M come
from `orders`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from ..eigen import prove_psd
from ..eigen.pencil import UNIT
from ..numbers import Bracket, Rigor, Verdict
from ..numbers.bracket import round_down
from ..numbers.checks import read_only
from ..numbers.exact_array import ExactArray, FloatArray
from ..problem.blocks import BlockOrder
from ..problem.eigen_brackets import Effort, lambda_max, lambda_max_of_clc
from ..problem.sampling import NestedSampling
from ..runs.progress import Event, ProgressCallback, no_progress
from .block_sdp import BlockSDP, falling_along
from .result import SearchResult, Status

Objective = Literal["c_P", "c_M"]

# Probabilities below this share of the largest are raised, since those of blocks with L_k = 0 tend
# to 0 and no minimum is attained. They cost at most 1e-12 of the whole, see `raise_to_floor`.
FLOOR = 1e-12


@dataclass(frozen=True, eq=False)
class UpperBound:
    """Probabilities and a proved bound on their cost.

    `factor` is the dual factor of the program along `order`, for c_M.
    """

    probabilities: FloatArray
    value: float
    rigor: Rigor
    floored: bool = False
    order: BlockOrder | None = None
    factor: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class LowerBound:
    """A proved lower bound on the optimum, and the dual factor behind it, for c(P)."""

    value: float
    rigor: Rigor
    factor: FloatArray | None = None


@dataclass
class BoundTracker:
    """The best proved bounds so far, and the work spent on them.

    Solvers propose points; nothing else they say is believed. Each bound is one object together
    with its point, replaced in one assignment, so that an interruption finds them consistent.

    Parameters
    ----------
    program : BlockSDP
    tol : float
        Relative gap at which `satisfied` holds.
    progress : callable
        Called with an `Event` that has the bracket; never again once it has raised.
    objective : {"c_P", "c_M"}
        The cost that the bounds are about.
    method, message : str
        The method of the search, and why it was chosen or how far it came.
    """

    program: BlockSDP
    tol: float
    progress: ProgressCallback = no_progress
    objective: Objective = "c_P"
    method: str = ""
    message: str = ""
    best: UpperBound | None = None
    proof: LowerBound | None = None
    factorizations: int = 0

    def __post_init__(self) -> None:
        self.products_before = self.program.smoothness.products

    @property
    def lower(self) -> float:
        """The best lower bound, 0 before there is one."""
        return 0.0 if self.proof is None else self.proof.value

    @property
    def upper(self) -> float:
        """The best upper bound, infinite before there is one."""
        return math.inf if self.best is None else self.best.value

    @property
    def gap(self) -> float:
        """(upper - lower) / upper of the proved bounds."""
        if self.upper == 0:
            return 0.0
        return (self.upper - self.lower) / self.upper if math.isfinite(self.upper) else math.inf

    @property
    def products(self) -> int:
        """Products of L with single vectors so far."""
        return self.program.smoothness.products - self.products_before

    @property
    def satisfied(self) -> bool:
        """True if the proved gap is within the tolerance."""
        return self.gap <= self.tol

    @property
    def rigor(self) -> Rigor:
        """The weaker rigor of the two bounds."""
        bounds = [bound for bound in (self.best, self.proof) if bound is not None]
        return min(bound.rigor for bound in bounds)

    def improve_lower(self, bound: LowerBound) -> None:
        """Keep a lower bound if it is better than the one so far."""
        if self.proof is None or bound.value > self.proof.value:
            self.proof = bound

    def improve_upper(self, bound: UpperBound) -> None:
        """Keep an upper bound if it is better than the one so far."""
        if self.best is None or bound.value < self.best.value:
            self.best = bound

    def propose(
        self,
        q: FloatArray | None = None,
        V: FloatArray | None = None,
        *,
        vector: FloatArray | None = None,
        effort: Effort = "fast",
    ) -> None:
        """Bound c(P) at a primal point, a dual point or both. `vector` may help to bound L_P.

        Where L is block-diagonal, or p = 1, c_M = c(P), and the bounds hold for both.
        """
        if V is not None:
            assert self.objective == "c_P" or self.program.separable
            self.improve_lower(lower_bound(self.program, self.program.rescale_dual_blocks(V)))
        if q is not None:
            self.improve_upper(upper_bound(self.program, q, vector=vector, effort=effort))
        self.report()

    def try_to_close(self, q: FloatArray, V: FloatArray) -> bool:
        """Return whether one factorization proves the gap closed at q and V, which is cheaper than
        measuring it.

        Where L has no entries to factor this is an ordinary proposal.
        """
        explicit = self.program.smoothness.explicit()
        if explicit is None:
            self.propose(q, V, vector=generic_vector(V))
            return self.satisfied
        self.propose(V=V)
        p, floored = probabilities_from(self.program, q)
        cost = self.program.expected_cost(p)
        target = self.lower / (1 - 0.95 * self.tol)
        level = (Bracket.point(target) / cost).lower
        self.factorizations += 1
        weights = self.program.blocks.expand(p)
        fine = self.tol < 1e-8
        if prove_psd(explicit, weights, level, sharp=fine, quick=not fine) is Verdict.PROVED:
            value = (Bracket.point(level) * cost).upper
            self.improve_upper(UpperBound(p, value, Rigor.VERIFIED, floored))
        self.report()
        return self.satisfied

    def report(self, lower: float | None = None, upper: float | None = None) -> None:
        """Report the bounds, or those of a solver; never again once `progress` has raised."""
        progress = self.progress
        self.progress = no_progress
        low = min(self.lower, self.upper) if lower is None else lower
        high = self.upper if upper is None else upper
        progress(Event(self.method, bracket=(low, high)))
        self.progress = progress

    def propose_gradient_descent(self) -> None:
        """Propose p = 1, and for c(P) the top eigenvector spread over the blocks."""
        program = self.program
        if self.objective == "c_M":
            return self.propose(np.ones(program.blocks.count))
        x = program.smoothness.leading_eigenpair().vector
        norms = np.sqrt(np.add.reduceat(x * x, program.blocks.starts))
        scale = np.sqrt(program.costs) / np.where(norms > 0, norms, 1.0)
        V = (scale[program.blocks.labels] * x)[:, None]
        return self.propose(np.ones(program.blocks.count), V, vector=x)

    def result(self, status: Status = "optimal") -> SearchResult:
        """Return the bracket so far, with gradient descent where no point was proposed.

        "optimal" becomes "stalled" where the gap is not closed.
        """
        self.progress = no_progress
        if self.best is None:
            self.propose_gradient_descent()
        best = self.best
        assert best is not None
        if self.rigor > Rigor.NUMERICAL and 0 <= self.upper < self.lower:
            raise ArithmeticError(
                f"two proofs contradict each other: {self.lower!r} <= optimum <= {self.upper!r}"
            )
        message = self.message
        if status == "optimal" and not self.satisfied:
            status = "stalled"
            message = f"the gap stopped at {self.gap:.1g}; {message}"
        if best.floored:
            if any(top.upper == 0 for top in self.program.problem.block_L):
                message += "; no minimum is attained where L_k = 0"
            message += f"; probabilities below {FLOOR:g} of the largest are raised to about that"
        p = best.probabilities
        factor = best.factor if self.proof is None or best.factor is not None else self.proof.factor
        if factor is None:
            factor = np.zeros((self.program.blocks.dimension, 1))
        return SearchResult(
            # Products alone carry rounding that no bound covers, and an L below zero by rounding
            # has a negative upper end.
            lower=min(self.lower, self.upper),
            upper=self.upper,
            probabilities=read_only(p),
            order=self.program.order or best.order or BlockOrder.from_probabilities(p),
            dual=read_only(factor),
            method=self.method,
            rigor=self.rigor,
            products=self.products,
            factorizations=self.factorizations,
            status=status,
            message=message,
            order_proved=(
                self.objective == "c_P" or self.program.order is not None or self.satisfied
            ),
        )


def raise_to_floor(
    program: BlockSDP, p: FloatArray, order: BlockOrder | None
) -> tuple[FloatArray, bool]:
    """Raise probabilities so small that their cost cannot matter, and return whether any was.

    They fall along the order if there is one. The floor's cost stays below 1e-12 of the whole even
    where one block's cost dwarfs the others.
    """
    cost = program.overhead + float(program.costs @ p)
    floor = np.minimum(FLOOR, FLOOR * cost / program.costs)
    raised = np.maximum(p, floor)
    return raised if order is None else falling_along(order, raised), bool((p < floor).any())


def probabilities_from(program: BlockSDP, q: FloatArray) -> tuple[FloatArray, bool]:
    """p = q / max q, admissible and raised to the floor, and whether any was raised."""
    q = program.admissible(np.maximum(q, 0.0))
    largest = float(q.max())
    if largest <= 0:
        return np.ones(q.size), False
    return raise_to_floor(program, q / largest, program.order)


def upper_bound(
    program: BlockSDP, q: FloatArray, *, vector: FloatArray | None = None, effort: Effort = "fast"
) -> UpperBound:
    """c(P) at the probabilities that belong to q."""
    p, floored = probabilities_from(program, q)
    weights = ExactArray(program.blocks.expand(p))
    L_P = lambda_max(program.smoothness, weights, effort, vector)
    cost = L_P * program.expected_cost(p)
    return UpperBound(p, cost.upper, cost.rigor, floored)


def upper_bound_c_M(
    program: BlockSDP, p: FloatArray, order: BlockOrder, factor: FloatArray, effort: Effort
) -> UpperBound:
    """c_M of nested sampling at probabilities that fall along an order."""
    p, floored = raise_to_floor(program, p, order)
    L_M = lambda_max_of_clc(program.smoothness, program.blocks, NestedSampling(p), effort)
    cost = L_M * program.expected_cost(p)
    return UpperBound(p, cost.upper, cost.rigor, floored, order, factor)


def lower_bound(program: BlockSDP, V: FloatArray) -> LowerBound:
    """A proved lower bound on the optimum of c(P) from a dual factor V, at least 0."""
    value, rigor = program.smoothness.quadratic_form_below(V)
    traces = program.block_traces(V) + 2.0**-1000
    terms = V.shape[0] + V.shape[1] + 8
    # Cumulative sums and quotients inside trace_excess are covered by doubling the room.
    excess = program.trace_excess(traces) * (1 + 2 * terms * UNIT * (1 + 2.0**-20))
    if not (math.isfinite(value) and math.isfinite(excess) and excess > 0 and value > 0):
        return LowerBound(0.0, rigor, V)
    return LowerBound(max(round_down(Fraction(value) / Fraction(excess)), 0.0), rigor, V)


def generic_vector(V: FloatArray) -> FloatArray:
    """A generic vector in the range of V: columns of a good dual factor are top vectors of the
    pencil.
    """
    return np.asarray(V @ np.random.default_rng(7).standard_normal(V.shape[1]))
