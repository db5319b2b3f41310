"""Ridge regression: f(x) = |Ax - b|^2 / n + lam |x|^2."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..numbers.checks import read_only
from ..numbers.exact_array import FloatArray
from .linear import LinearModel
from .objective import Action, ProductCache
from .quadratic import Quadratic


@dataclass(frozen=True, eq=False, init=False)
class Ridge(LinearModel):
    """f(x) = |Ax - b|^2 / n + lam |x|^2, as in the paper's second experiment.

    With at most as many columns as rows, gradients come from the Hessian H = (2/n) A'A + 2 lam I,
    formed once: a block of k coordinates costs k d. With more columns they come from the residual:
    it costs k n.

    Parameters
    ----------
    A : (n, d) array
    b : (n,) array
    lam : float
        Not negative; mu is at least 2 lam.

    Examples
    --------
    >>> f = Ridge([[1.0, 0.0], [0.0, 2.0]], [1.0, 2.0], 0.0)
    >>> print(f.minimizer, f.minimum)
    [1. 1.] 0.0
    """

    @property
    def curvature(self) -> float:
        return 2.0

    def losses(self, z: FloatArray) -> FloatArray:
        return np.asarray((z - self.b) ** 2)

    def slopes(self, z: FloatArray, out: FloatArray) -> FloatArray:
        np.subtract(z, self.b, out)
        return np.multiply(out, 2.0, out)

    @cached_property
    def hessian(self) -> Quadratic | None:
        """The same function up to a constant, as a quadratic; None with more columns than rows."""
        if self.dimension > self.count:
            return None
        matrix = (2 / self.count) * (self.A.T @ self.A)
        matrix[np.diag_indices(self.dimension)] += 2 * self.lam
        return Quadratic((matrix + matrix.T) / 2, (2 / self.count) * (self.A.T @ self.b))

    def block_gradient(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> FloatArray:
        if self.hessian is None:
            return super().block_gradient(x, start, stop, out)
        return self.hessian.block_gradient(x, start, stop, out)

    def gradient_action(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> Action:
        if self.hessian is None:
            return super().gradient_action(x, start, stop, out)
        return self.hessian.gradient_action(x, start, stop, out)

    def product_cache(self, x: FloatArray) -> ProductCache | None:
        return super().product_cache(x) if self.hessian is None else None

    @cached_property
    def strong_convexity(self) -> float | None:
        """The least eigenvalue of the Hessian, numerically and not below 2 lam."""
        mu = None if self.hessian is None else self.hessian.strong_convexity
        return max(2 * self.lam, mu or 0.0)

    @cached_property
    def minimizer(self) -> FloatArray:
        if self.lam == 0:
            return read_only(np.asarray(np.linalg.lstsq(self.A, self.b, rcond=None)[0]))
        if self.hessian is not None and self.hessian.minimizer is not None:
            return self.hessian.minimizer
        # (A'A + n lam I)^-1 A' = A' (AA' + n lam I)^-1, which is n x n.
        outer = self.A @ self.A.T
        outer[np.diag_indices(self.count)] += self.count * self.lam
        return read_only(np.asarray(self.A.T @ np.linalg.solve(outer, self.b)))

    def gap(self, x: FloatArray, gradient: FloatArray, difference: FloatArray) -> float:
        """(x - x*)'f'(x) / 2, which loses no digits near the minimum."""
        return 0.5 * float(difference @ gradient)
