"""The best probabilities under one cost model, and what they save of gradient descent's cost under
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..numbers import Bracket
from ..numbers.exact_array import FloatArray
from ..search import SearchResult

# A saving below this share of gradient descent's cost is no reason to change a method.
WORTHWHILE = 0.01


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The optimum (NUMERICAL: from products alone) of one cost model, beside gradient descent under
    the same model.

    Attributes
    ----------
    name : str
        The order, "any order" where costs do not depend on it, or "size share" for the paper's own
        cost model.
    search : SearchResult
        Bracket of the least L_P (c_0 + sum p_k c_k), and probabilities that attain its upper end.
    gradient_descent : Bracket
        The same quantity at p = 1.
    paper_rate : Bracket or None
        The same at the paper's probabilities 1, 0.9, 0.81, ... along the order.
    """

    name: str
    search: SearchResult
    gradient_descent: Bracket
    paper_rate: Bracket | None = None

    @property
    def saving(self) -> float:
        """The share of gradient descent's cost that `probabilities` save, at least."""
        return max(1 - self.search.upper / self.gradient_descent.lower, 0.0)

    @property
    def most(self) -> float:
        """The share that no probabilities can exceed, as far as the bracket tells."""
        return max(1 - self.search.lower / self.gradient_descent.upper, 0.0)

    @property
    def helps(self) -> bool | None:
        """True for a saving of 1 % or more, False where the bracket rules it out, None where it is
        open.
        """
        if self.saving >= WORTHWHILE:
            return True
        return False if self.most < WORTHWHILE else None

    @property
    def probabilities(self) -> FloatArray:
        """Per block; all 1, which is gradient descent, unless others save something."""
        return self.search.probabilities if self.helps else np.ones_like(self.search.probabilities)

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            "name": self.name,
            "helps": self.helps,
            "saving": self.saving,
            "most": self.most,
            "probabilities": self.probabilities.tolist(),
            "gradient_descent": self.gradient_descent.to_dict(),
            "paper_rate": None if self.paper_rate is None else self.paper_rate.to_dict(),
            "search": self.search.to_dict(),
        }
