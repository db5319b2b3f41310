"""Piecewise quadratic functions, whose values and gradients at fractions are fractions.

f(x) = sum_j h(a_j'x) + mu |x|^2 / 2 with |h''| <= 1 is (A'A + mu I)-smooth, and its least value is
f(0) = 0. `huber` is convex: t^2/2 up to the threshold, and straight beyond. `tent` bends down after
the threshold and is constant after twice the threshold, so it is not convex. A row with an infinite
threshold gives a quadratic; a row with threshold 0 counts in L and not in f.

The formulas are written for arrays of floats and of fractions alike.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

# Floats, or fractions.
Numbers = NDArray[Any]
Shape = Literal["huber", "tent"]


@dataclass(frozen=True, eq=False)
class Piecewise:
    """n such functions.

    Attributes
    ----------
    rows : array of shape (n, r, d)
        The a_j.
    thresholds : array of shape (n, r)
        At least 0.
    mu : array of shape (n,)
    shape : {"huber", "tent"}
    """

    rows: Numbers
    thresholds: Numbers
    mu: Numbers
    shape: Shape = "huber"

    def value(self, x: Numbers) -> Numbers:
        """Return f at points of shape (n, s, d)."""
        inner, outer = self._split(np.abs(self._products(x)))
        pieces = inner * inner / 2 + inner * outer
        if self.shape == "tent":
            pieces = pieces - outer * outer / 2
        return np.asarray(pieces.sum(axis=2) + self.mu[:, None] * (x * x).sum(axis=2) / 2)

    def gradient(self, x: Numbers) -> Numbers:
        """Return the gradient at points of shape (n, s, d)."""
        products = self._products(x)
        inner, outer = self._split(np.abs(products))
        slope = inner - outer if self.shape == "tent" else inner
        return np.asarray((slope * np.sign(products)) @ self.rows + self.mu[:, None, None] * x)

    def _products(self, x: Numbers) -> Numbers:
        return np.asarray(x @ self.rows.swapaxes(1, 2))

    def _split(self, size: Numbers) -> tuple[Numbers, Numbers]:
        """Return the part of |t| up to the threshold and the part beyond, where a tent ends."""
        limits = self.thresholds[:, None, :]
        inner = np.minimum(size, limits)
        end = np.minimum(size, limits * 2) if self.shape == "tent" else size
        return inner, np.asarray(end - inner)
