"""What a search returns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..certify import Bracket, Rigour
from ..problem.blocks import BlockOrder

FloatArray = NDArray[np.float64]
Status = Literal["optimal", "stalled", "interrupted"]


@dataclass(frozen=True, eq=False)
class SearchResult:
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
    rigour : Rigour
        NUMERICAL when L is known through products only: the bracket is then an estimate.
    products, factorisations : int
        Products of L with single vectors, and factorisations of d x d matrices.
    status : str
        "optimal" (gap within tol), "stalled" (not), "interrupted" (stopped by the user).
    order_proved : bool
        Whether no other order can do better than the bracket says; always true in the convex regime.
    """

    lower: float
    upper: float
    probabilities: FloatArray
    order: BlockOrder
    dual: FloatArray
    method: str
    rigour: Rigour
    products: int
    factorisations: int
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
        return Bracket(self.lower, self.upper, self.rigour)

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
            "rigour": self.rigour.name,
            "products": self.products,
            "factorisations": self.factorisations,
            "status": self.status,
            "message": self.message,
        }

    def __str__(self) -> str:
        rows = [
            ("optimum", f"[{self.lower:.12g}, {self.upper:.12g}] {self.rigour.name}"),
            ("gap", f"{self.gap:.2g}"),
            ("probabilities", np.array2string(self.probabilities, precision=6, threshold=12)),
            (
                "order",
                " ".join(map(str, self.order.rank_to_block[:12])) + (" ..." if len(self.probabilities) > 12 else ""),
            ),
            ("method", self.method),
            ("cost", f"{self.products} products, {self.factorisations} factorisations"),
            ("status", f"{self.status}: {self.message}"),
        ]
        return "\n".join(f"{name:>14s}: {value}" for name, value in rows)
