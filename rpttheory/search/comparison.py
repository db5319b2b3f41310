"""Gradient descent, the closed form and the certified optimum side by side on one matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..certify import Bracket
from ..problem.blocks import BlockOrder, BlocksLike
from ..problem.closedform import ClosedForm, closed_form
from ..problem.quantities import block_smoothness, lambda_max, weighted_smoothness
from ..problem.smoothness import SmoothnessLike
from ..reals import Reals
from . import SearchResult, optimal_probabilities
from .judge import Callback
from .optimal import make_problem
from .program import Problem

_NONCONVEX_DIMENSION = 600


@dataclass(frozen=True, eq=False)
class Comparison:
    """What each choice of probabilities costs, relative to nothing but L, the blocks and the costs.

    Attributes
    ----------
    gradient_descent : Bracket
        The cost of p = 1; every constant p costs the same.
    closed_form, closed_form_cost
        The paper's probabilities with their bound, and the exact c(P) at them.
    optimal : SearchResult
        The certified optimum of c(P).
    nonconvex : SearchResult or None
        The certified optimum of c_M, where asked for.
    """

    problem: Problem
    block_L: tuple[Bracket, ...]
    gradient_descent: Bracket
    closed_form: ClosedForm
    closed_form_cost: Bracket
    optimal: SearchResult
    nonconvex: SearchResult | None

    @property
    def speedup(self) -> Bracket:
        """The best possible speed-up of RPT over gradient descent, as a bracket."""
        return self.gradient_descent / self.optimal.bracket

    @property
    def helps(self) -> bool | None:
        """True if the optimum is below gradient descent, False if they agree within a closed gap, else None.

        It is proved only where neither side is NUMERICAL.
        """
        if self.optimal.upper < self.gradient_descent.lower:
            return True
        return False if self.optimal.status == "optimal" else None

    @property
    def settled(self) -> bool:
        """Whether every search reached its tolerance."""
        searches = [self.optimal] if self.nonconvex is None else [self.optimal, self.nonconvex]
        return all(search.status == "optimal" for search in searches)

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values under the schema rpttheory/compare/1."""
        result: dict[str, Any] = {
            "schema": "rpttheory/compare/1",
            "dimension": self.problem.blocks.dimension,
            "blocks": list(self.problem.blocks.sizes),
            "costs": self.problem.costs.tolist(),
            "gradient_descent": {"cost": self.gradient_descent.midpoint, "bracket": self.gradient_descent.to_dict()},
            "closed_form": {
                "cost": self.closed_form_cost.midpoint,
                "bracket": self.closed_form_cost.to_dict(),
                "bound": self.closed_form.bound.midpoint,
                "probabilities": self.closed_form.probabilities.tolist(),
            },
            "optimal": self.optimal.to_dict(),
            "nonconvex": None if self.nonconvex is None else self.nonconvex.to_dict(),
        }
        if self.problem.overhead > 0:
            result["overhead"] = self.problem.overhead
        if self.problem.order is not None:
            result["order"] = list(self.problem.order.rank_to_block)
        return result


def compare(
    L: SmoothnessLike,
    blocks: BlocksLike,
    costs: Any = None,
    *,
    overhead: Any = 0,
    order: BlockOrder | None = None,
    nonconvex: bool = True,
    tol: float = 1e-6,
    rng: np.random.Generator | int | None = None,
    callback: Callback | None = None,
) -> Comparison:
    """Compare gradient descent, the closed form and the certified optimum.

    Parameters are those of `optimal_probabilities`; `nonconvex=False` leaves the search over orders out,
    as does a dimension above 600 or an L known through products only.
    """
    problem = make_problem(L, blocks, costs, overhead=overhead, order=order)
    form, blocks = problem.smoothness, problem.blocks
    prices = Reals(problem.costs) if problem.given is None else problem.given[0]
    closed = closed_form(form, prices, blocks, overhead=overhead, order=order)
    p = closed.probabilities
    options: dict[str, Any] = {"overhead": overhead, "order": order, "tol": tol, "rng": rng, "callback": callback}
    optimal = optimal_probabilities(form, blocks, prices, **options)
    other = None
    # The search over orders factors dense matrices many times: it is for moderate sizes with known entries.
    within_reach = form.dimension <= _NONCONVEX_DIMENSION and form.explicit() is not None
    if nonconvex and within_reach and optimal.status != "interrupted":
        other = optimal_probabilities(form, blocks, prices, regime="nonconvex", **options)
    return Comparison(
        problem=problem,
        block_L=block_smoothness(form, blocks),
        gradient_descent=lambda_max(form) * problem.given_cost(np.ones(blocks.count)),
        closed_form=closed,
        closed_form_cost=weighted_smoothness(form, p, blocks) * problem.given_cost(p),
        optimal=optimal,
        nonconvex=other,
    )
