"""Gradient descent, the closed form and the certified optimum side by side on one matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..certify import Bracket, Rigour
from ..errors import InvalidInput
from ..problem.blocks import BlocksLike
from ..problem.problem import Problem, as_problem
from ..problem.smoothness import SmoothnessLike
from ..report import Document, Shown
from . import comparison_report
from .certified import certificate
from .judge import Callback
from .optimal import optimal_probabilities
from .result import SearchResult

_NONCONVEX_DIMENSION = 600


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """What each choice of probabilities costs, relative to nothing but L, the blocks and the costs.

    Attributes
    ----------
    problem : Problem
        Its `gradient_descent` is the cost of p = 1 (every constant p costs the same), its `closed_form` the paper's
        probabilities with their bound, and its `c_closed` the exact c(P) at them.
    optimal : SearchResult
        The certified optimum of c(P).
    nonconvex : SearchResult or None
        The certified optimum of c_M, where asked for.
    """

    problem: Problem
    optimal: SearchResult
    nonconvex: SearchResult | None

    def __repr__(self) -> str:
        return (
            f"<Comparison: optimum {self.optimal.bracket} against {self.problem.gradient_descent} of gradient descent>"
        )

    def document(self, title: str = "", notes: Sequence[str] = ()) -> Document:
        """Costs, probabilities per block, and what they mean in plain words."""
        return comparison_report.document(self, title, notes)

    def records(self) -> list[dict[str, Any]]:
        """One row per block."""
        problem = self.problem
        columns = {
            "closed form": problem.closed_form.probabilities,
            "optimal": self.optimal.probabilities,
            **({} if self.nonconvex is None else {"nonconvex": self.nonconvex.probabilities}),
        }
        return [
            {
                "block": problem.blocks.name(k),
                "size": size,
                "cost": float(problem.costs.near[k]),
                "L_k": float(problem.block_L[k]),
                **{name: float(p[k]) for name, p in columns.items()},
            }
            for k, size in enumerate(problem.blocks.sizes)
        ]

    def plot(self, ax: Any = None, *, title: str = "") -> Any:
        """Draw the probabilities per block on matplotlib axes, new ones by default, and return the axes."""
        return comparison_report.plot(self, ax, title)

    def certificate(self) -> dict[str, Any]:
        """The bracket of the optimum of c(P) with all that proves it, for `rpttheory.checker`."""
        found = self.optimal
        if found.rigour is Rigour.NUMERICAL:
            raise InvalidInput("an optimum must be proved to be certified", "NUMERICAL", "L with entries")
        ends = [
            [relation, "optimum", str(Fraction(end))] for relation, end in ((">=", found.lower), ("<=", found.upper))
        ]
        return certificate(self.problem, [(end, "PROVED") for end in ends], found)

    @property
    def speedup(self) -> Bracket:
        """The best possible speed-up of RPT over gradient descent, as a bracket."""
        return self.problem.gradient_descent / self.optimal.bracket

    @property
    def helps(self) -> bool | None:
        """True if the optimum is below gradient descent, False if they agree within a closed gap, else None.

        It is proved only where neither side is NUMERICAL.
        """
        if self.optimal.upper < self.problem.gradient_descent.lower:
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
            "costs": self.problem.costs.near.tolist(),
            "gradient_descent": {
                "cost": self.problem.gradient_descent.midpoint,
                "bracket": self.problem.gradient_descent.to_dict(),
            },
            "closed_form": {
                "cost": self.problem.c_closed.midpoint,
                "bracket": self.problem.c_closed.to_dict(),
                "bound": self.problem.closed_form.bound.midpoint,
                "probabilities": self.problem.closed_form.probabilities.tolist(),
            },
            "optimal": self.optimal.to_dict(),
            "nonconvex": None if self.nonconvex is None else self.nonconvex.to_dict(),
        }
        if self.problem.overhead > 0:
            result["overhead"] = float(self.problem.overhead)
        if self.problem.order is not None:
            result["order"] = list(self.problem.order.rank_to_block)
        return result


def compare(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Any = None,
    *,
    overhead: Any = 0,
    order: Any = None,
    nonconvex: bool = True,
    tol: float = 1e-6,
    rng: np.random.Generator | int | None = None,
    callback: Callback | None = None,
) -> Comparison:
    """Compare gradient descent, the closed form and the certified optimum.

    Parameters are those of `optimal_probabilities`; `nonconvex=False` leaves the search over orders out,
    as does a dimension above 600 or an L known through products only.

    Examples
    --------
    >>> result = compare([[9.0, 1.0], [1.0, 2.0]], [1, 1], nonconvex=False)
    >>> result.helps, f"{result.speedup:.3f}"
    (True, '1.406')
    """
    problem = as_problem(L, blocks, costs, overhead=overhead, order=order)
    options: dict[str, Any] = {"tol": tol, "rng": rng, "callback": callback}
    optimal = optimal_probabilities(problem, **options)
    other = None
    # The search over orders factors dense matrices many times: it is for moderate sizes with known entries.
    within_reach = problem.blocks.dimension <= _NONCONVEX_DIMENSION and problem.smoothness.explicit() is not None
    if nonconvex and within_reach and optimal.status != "interrupted":
        other = optimal_probabilities(problem, regime="nonconvex", **options)
    return Comparison(problem, optimal, other)
