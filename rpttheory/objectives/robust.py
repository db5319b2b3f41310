"""Robust regression with a loss that flattens out: smooth and not convex."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..numbers.exact_array import FloatArray
from .linear import LinearModel


@dataclass(frozen=True, eq=False, init=False)
class Robust(LinearModel):
    """f(x) = (1/n) sum_i log(1 + (a_i'x - b_i)^2) + lam |x|^2, the Cauchy loss.

    With phi(r) = log(1 + r^2): phi'(r) = 2 r / (1 + r^2) and phi''(r) = 2 (1 - r^2) / (1 + r^2)^2,
    which lies between -1/4 (at r^2 = 3) and 2 (at r = 0). So f(x + h) <= f(x) + <f'(x), h> + h'Lh /
    2 with L = (2/n) A'A + 2 lam I, and -L is a lower bound on the second derivative as well. f is
    never negative: 0 is a lower bound on f*.

    Parameters
    ----------
    A : (n, d) array
    b : (n,) array
    lam : float
        Not negative, 0 by default.
    """

    def __init__(self, A: ArrayLike, b: ArrayLike, lam: float = 0.0) -> None:
        super().__init__(A, b, lam)

    @property
    def curvature(self) -> float:
        return 2.0

    def losses(self, z: FloatArray) -> FloatArray:
        return np.asarray(np.log1p((z - self.b) ** 2))

    def slopes(self, z: FloatArray, out: FloatArray) -> FloatArray:
        np.subtract(z, self.b, out)
        return np.divide(2 * out, 1 + out * out, out)

    @property
    def strong_convexity(self) -> float | None:
        """None: f is not convex (nor is it known to be, even where lam is large)."""
        return None

    @property
    def minimizer(self) -> FloatArray | None:
        return None
