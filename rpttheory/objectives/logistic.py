"""Logistic regression: f(x) = (1/n) sum_i log(1 + exp(-y_i a_i'x)) + lam |x|^2."""

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike
from scipy.special import expit

from ..errors import InvalidInput
from ..numbers.checks import read_only
from ..numbers.exact_array import FloatArray
from .linear import LinearModel

_NEWTON_STEPS = 200


@dataclass(frozen=True, eq=False, init=False)
class Logistic(LinearModel):
    """f(x) = (1/n) sum_i log(1 + exp(-y_i a_i'x)) + lam |x|^2.

    The second derivative of log(1 + exp(-t)) is at most 1/4, so L = A'A / (4n) + 2 lam I. The
    minimizer comes from a damped Newton method; without a penalty the infimum may not be attained,
    and then none is given, nor where the penalty is so small that the second derivative is singular
    to working precision.

    Parameters
    ----------
    A : (n, d) array
    y : (n,) array
        Labels -1 and 1.
    lam : float
        Not negative; mu = 2 lam.
    """

    def __init__(self, A: ArrayLike, y: ArrayLike, lam: float) -> None:
        super().__init__(A, y, lam)
        wrong = np.abs(self.b) != 1
        if wrong.any():
            at = int(np.argmax(wrong))
            remedy = "2 * y - 1 for labels 0 and 1"
            raise InvalidInput(
                "must be -1 or 1", f"{self.b[at]:g} in row {at}", remedy, argument="labels"
            )

    @property
    def curvature(self) -> float:
        return 0.25

    def losses(self, z: FloatArray) -> FloatArray:
        return np.asarray(np.logaddexp(0.0, -self.b * z))

    def slopes(self, z: FloatArray, out: FloatArray) -> FloatArray:
        np.multiply(z, self.b, out)
        np.negative(out, out)
        expit(out, out)
        np.multiply(out, self.b, out)
        return np.negative(out, out)

    @property
    def strong_convexity(self) -> float | None:
        return 2 * self.lam

    @cached_property
    def minimizer(self) -> FloatArray | None:
        """By Newton's method, each step halved until f falls, to the accuracy of the gradient."""
        if self.lam == 0:
            return None
        x = np.zeros(self.dimension)
        value = self.value(x)
        for _ in range(_NEWTON_STEPS):
            g = self.gradient(x)
            direction = _solve(self.hessian(x), g)
            if direction is None:
                return None
            decrement = float(g @ direction)
            length = 1.0
            trial = x - direction
            while length > 1e-10 and self.value(trial) > value - 1e-4 * length * decrement:
                length /= 2
                trial = x - length * direction
            # Where f no longer falls beyond rounding, one full step still improves the gradient.
            if decrement <= 1e-15 * abs(value) or length <= 1e-10:
                last = x - direction
                better = np.abs(self.gradient(last)).max() < np.abs(g).max()
                return read_only(last if better else x)
            x = trial
            value = self.value(x)
        return None

    def hessian(self, x: FloatArray) -> FloatArray:
        """The second derivative at x, at most L."""
        chance = expit(self.A @ x)
        H = (self.A.T * (chance * (1 - chance))) @ self.A / self.count
        H[np.diag_indices(self.dimension)] += 2 * self.lam
        return np.asarray(H)


def _solve(H: FloatArray, g: FloatArray) -> FloatArray | None:
    """H^-1 g, None where H is singular to working precision."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", scipy.linalg.LinAlgWarning)
        try:
            return np.asarray(scipy.linalg.solve(H, g, assume_a="pos"))
        except (scipy.linalg.LinAlgError, scipy.linalg.LinAlgWarning):
            return None
