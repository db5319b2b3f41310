"""An inequality to attack: its two sides in floats for the search, and its decision in rigorous
arithmetic.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rpttheory import Verdict
from rpttheory.numbers.exact_array import FloatArray

from .space import Space

# Right-hand sides below this count as this much: a ratio of rounding errors says nothing.
_NOTHING = 1e-9


@dataclass(frozen=True)
class Inequality:
    """left <= right on every instance of a space.

    Attributes
    ----------
    label, part : str
        The statement's label in the ledger, and which of its inequalities this is.
    text : str
        left <= right, in words a theorist reads.
    tight : bool
        Whether left / right comes as near to 1 as wanted within the space.
    reason : str
        What attains it; or why nothing does.
    sides : callable
        A stack of problems to arrays (left, right) of floats.
    decide : callable
        An instance of the space to a verdict on left <= right, with every rounding accounted for.
    """

    label: str
    text: str
    reason: str
    space: Space
    sides: Callable[[Any], tuple[FloatArray, FloatArray]]
    decide: Callable[[Any], Verdict]
    part: str = ""
    tight: bool = True

    @property
    def name(self) -> str:
        """The label, with the part where there are several."""
        return f"{self.label}/{self.part}" if self.part else self.label

    def ratios(self, stack: Any) -> FloatArray:
        """left / right for each problem; -inf where a side is not a number."""
        left, right = self.sides(stack)
        usable = np.isfinite(left) & np.isfinite(right)
        return np.where(
            usable,
            np.where(usable, left, 0.0) / np.maximum(np.where(usable, right, 1.0), _NOTHING),
            -np.inf,
        )
