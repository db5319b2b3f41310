"""The result of a search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..numbers import Bracket, Rigor
from ..numbers.decimals import decimal_ceiling, decimal_floor
from ..numbers.exact_array import FloatArray
from ..problem.blocks import BlockOrder
from ..problem.closedform import PerBlock
from ..report import BRIEF, Detail, Document

Status = Literal["optimal", "stalled", "interrupted"]


@dataclass(frozen=True, eq=False, repr=False)
class SearchResult(PerBlock):
    """A certified bracket of the optimum, and probabilities that attain its upper end.

    Attributes
    ----------
    lower, upper : float
        The optimum lies between; `upper` is a proved upper bound on the cost at `probabilities`.
    probabilities : ndarray
        Per block, the largest 1.
    order : BlockOrder
        The order in which the nested sampling admits the blocks.
    dual : ndarray
        A factor V (d x r) of the dual point behind `lower`.
    method : str
        The route that found it, and `message` why it was chosen.
    rigor : Rigor
        NUMERICAL when L is known through products only: the bracket is then an estimate.
    products, factorizations : int
        Products of L with single vectors, and factorizations of d x d matrices.
    status : str
        "optimal" (gap within tol), "stalled" (not), "interrupted" (by the user or
        the time limit; `message` says which).
    order_proved : bool
        True if no other order can do better than the bracket says; always true for c(P).

    Examples
    --------
    >>> from rpttheory import optimal_probabilities
    >>> result = optimal_probabilities([[9.0, 0.0], [0.0, 1.0]], [1, 1])
    >>> f"{result.bracket:.6f}", result.status
    ('5.000000', 'optimal')
    """

    lower: float
    upper: float
    probabilities: FloatArray
    order: BlockOrder
    dual: FloatArray
    method: str
    rigor: Rigor
    products: int
    factorizations: int
    status: Status
    message: str
    order_proved: bool = True

    @property
    def gap(self) -> float:
        """(upper - lower) / upper; 0 where both are 0."""
        if self.upper == self.lower:
            return 0.0
        return (self.upper - self.lower) / self.upper if math.isfinite(self.upper) else math.inf

    @property
    def bracket(self) -> Bracket:
        """The optimum as a Bracket."""
        return Bracket(self.lower, self.upper, self.rigor)

    @property
    def work(self) -> str:
        """The work of the search in words."""
        return f"{self.products} products, {self.factorizations} factorizations"

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values (the dual factor is left out: it is as large as L's side)."""
        return {
            "lower": self.lower,
            "upper": self.upper,
            "gap": self.gap,
            "probabilities": self.probabilities.tolist(),
            "order": list(self.order.rank_to_block),
            "order_proved": self.order_proved,
            "method": self.method,
            "rigor": self.rigor.name,
            "products": self.products,
            "factorizations": self.factorizations,
            "status": self.status,
            "message": self.message,
        }

    def __repr__(self) -> str:
        return f"<SearchResult: optimum {self.bracket}, {self.status}>"

    def render(
        self, title: str = "", notes: Sequence[str] = (), detail: Detail = BRIEF
    ) -> Document:
        """The bracket, how it was found, and probabilities per block."""
        about = [
            (
                "optimum",
                (
                    f"[{decimal_floor(self.lower, 12)}, {decimal_ceiling(self.upper, 12)}]"
                    f" {self.rigor.name}"
                ),
            ),
            ("gap", f"{self.gap:.2g}"),
            ("method", self.method),
            ("status", f"{self.status}: {self.message}"),
        ]
        if detail.verbose:
            about.insert(-1, ("work", self.work))
        lines = [f"  note: {note}" for note in notes]
        lines = [title, *lines] if title else lines
        lines += [f"{name:>10s}: {value}" for name, value in about]
        return [*lines, "", self.per_block()]
