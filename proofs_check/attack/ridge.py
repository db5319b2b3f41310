"""Functions whose worst cases are rational: sums of one-dimensional pieces h(a'x), with h piecewise
quadratic.

f(x) = sum_j h(a_j'x) + mu |x|^2 / 2 with |h''| <= 1 is (A'A + mu I)-smooth, its least value is f(0)
= 0, and in fractions its values and gradients are fractions. `huber` is convex, t^2/2 up to the
threshold and straight beyond; `tent` bends down after the threshold and is constant after twice
that, so it is not convex. A row without a threshold gives a quadratic, a row with threshold 0
counts in L and not in f.

The formulas are written for arrays of floats and of fractions alike.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
Shape = Literal["huber", "tent"]


@dataclass(frozen=True, eq=False)
class Ridges:
    """A stack of n such functions.

    Attributes
    ----------
    rows : array of shape (n, r, d)
        The a_j.
    thresholds : array of shape (n, r)
        At least 0, infinite for none.
    mu : array of shape (n,)
    shape : {"huber", "tent"}
    """

    rows: Numbers
    thresholds: Numbers
    mu: Numbers
    shape: Shape = "huber"

    def value(self, x: Numbers) -> Numbers:
        """f at points of shape (n, s, d)."""
        bent, beyond = self._pieces(np.abs(self._along(x)))
        pieces = bent * bent / 2 + bent * beyond
        if self.shape == "tent":
            pieces = pieces - beyond * beyond / 2
        return np.asarray(pieces.sum(axis=2) + self.mu[:, None] * (x * x).sum(axis=2) / 2)

    def gradient(self, x: Numbers) -> Numbers:
        """The gradient at points of shape (n, s, d)."""
        at = self._along(x)
        bent, beyond = self._pieces(np.abs(at))
        slope = bent - beyond if self.shape == "tent" else bent
        return np.asarray((slope * np.sign(at)) @ self.rows + self.mu[:, None, None] * x)

    def _along(self, x: Numbers) -> Numbers:
        return np.asarray(x @ self.rows.swapaxes(1, 2))

    def _pieces(self, size: Numbers) -> tuple[Numbers, Numbers]:
        """How much of |t| lies up to the threshold and how much beyond, where the tent ends at
        twice the threshold.
        """
        bent = np.minimum(size, self.thresholds[:, None, :])
        end = np.minimum(size, self.thresholds[:, None, :] * 2) if self.shape == "tent" else size
        return bent, np.asarray(end - bent)
