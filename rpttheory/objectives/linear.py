"""f(x) = (1/n) sum_i phi_i(a_i'x) + lam |x|^2: ridge, logistic and robust regression."""

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike
from scipy.special import expit

from ..errors import InvalidInput
from ..numbers.checks import check_matrix, read_only
from ..numbers.exact_array import FloatArray
from ..problem.smoothness import Smoothness, gram
from .objective import Action, Objective, ProductCache, as_nonnegative, check_point
from .quadratic import Quadratic

_NEWTON_STEPS = 200


@dataclass(frozen=True, eq=False, init=False)
class LinearModel(Objective):
    """The mean of losses of A x, plus lam |x|^2.

    One gradient block costs the product A x and the columns of the block. A run keeps A x up to
    date, so that a step costs only the columns of its blocks.

    A subclass defines `losses`, `slopes`, and `curvature`, the least upper bound of |phi_i''|.

    Attributes
    ----------
    A : (n, d) array
    b : (n,) array
    lam : float
    curvature : float
    """

    A: FloatArray
    b: FloatArray
    lam: float

    curvature: ClassVar[float]

    def __init__(self, A: ArrayLike, b: ArrayLike, lam: float) -> None:
        columns = np.asfortranarray(check_matrix(A, "A").float64.copy())
        columns.flags.writeable = False
        object.__setattr__(self, "A", columns)
        object.__setattr__(self, "b", read_only(check_point(b, self.count, "b")))
        object.__setattr__(self, "lam", as_nonnegative(lam, "lam", 0.1))

    @property
    def dimension(self) -> int:
        return int(self.A.shape[1])

    @property
    def count(self) -> int:
        """The number of rows of A, n."""
        return int(self.A.shape[0])

    @abstractmethod
    def losses(self, z: FloatArray) -> FloatArray:
        """phi_i(z_i)."""

    @abstractmethod
    def slopes(self, z: FloatArray, out: FloatArray) -> FloatArray:
        """Write phi_i'(z_i) into `out`."""

    def value(self, x: FloatArray) -> float:
        return float(self.losses(self.A @ x).mean()) + self.lam * float(x @ x)

    def block_gradient(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> FloatArray:
        _CachedProduct(self, x).gradient_action(start, stop, out)()
        return out

    @cached_property
    def smoothness(self) -> Smoothness:
        """(curvature / n) A'A + 2 lam I."""
        return gram(self.A, Fraction(self.curvature) / self.count, 2 * Fraction(self.lam))

    def product_cache(self, x: FloatArray) -> ProductCache | None:
        return _CachedProduct(self, x)


class _CachedProduct(ProductCache):
    """z = A x, so that a step costs the columns that it touches."""

    def __init__(self, model: LinearModel, x: FloatArray) -> None:
        self._model = model
        self._x = x
        self._z = model.A @ x
        self._slopes = np.empty(model.count)
        self._change = np.empty(model.count)

    def refresh(self) -> None:
        np.dot(self._model.A, self._x, self._z)

    def gradient_action(self, start: int, stop: int, out: FloatArray) -> Action:
        model = self._model
        z = self._z
        slopes = self._slopes
        x = self._x[start:stop]
        columns = model.A[:, start:stop].T
        penalty = np.empty(stop - start)

        def gradient() -> None:
            model.slopes(z, slopes)
            np.dot(columns, slopes, out)
            np.divide(out, model.count, out)
            np.multiply(x, 2 * model.lam, penalty)
            np.add(out, penalty, out)

        return gradient

    def update_action(self, start: int, stop: int, step: FloatArray) -> Action:
        columns = self._model.A[:, start:stop]
        z = self._z
        change = self._change

        def update() -> None:
            np.dot(columns, step, change)
            np.subtract(z, change, z)

        return update


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

    curvature = 2.0

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


@dataclass(frozen=True, eq=False, init=False)
class Logistic(LinearModel):
    """f(x) = (1/n) sum_i log(1 + exp(-y_i a_i'x)) + lam |x|^2.

    The second derivative of log(1 + exp(-t)) is at most 1/4, so L = A'A / (4n) + 2 lam I. The
    minimizer comes from a damped Newton method. It is None without a penalty, where the infimum may
    not be attained, and with a penalty so small that the second derivative is singular to working
    precision.

    Parameters
    ----------
    A : (n, d) array
    y : (n,) array
        Labels -1 and 1.
    lam : float
        Not negative; mu = 2 lam.

    Examples
    --------
    >>> f = Logistic([[1.0, 0.0], [0.0, 2.0]], [1, -1], 0.5)
    >>> f.value(np.zeros(2)), f.strong_convexity
    (0.6931471805599453, 1.0)
    """

    curvature = 0.25

    def __init__(self, A: ArrayLike, y: ArrayLike, lam: float) -> None:
        super().__init__(A, y, lam)
        wrong = np.abs(self.b) != 1
        if wrong.any():
            row = int(np.argmax(wrong))
            remedy = "2 * y - 1 for labels 0 and 1"
            raise InvalidInput(
                "must be -1 or 1", f"{self.b[row]:g} in row {row}", remedy, argument="labels"
            )

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
        probabilities = expit(self.A @ x)
        H = (self.A.T * (probabilities * (1 - probabilities))) @ self.A / self.count
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


@dataclass(frozen=True, eq=False, init=False)
class Robust(LinearModel):
    """f(x) = (1/n) sum_i log(1 + (a_i'x - b_i)^2) + lam |x|^2, the Cauchy loss: not convex.

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

    Examples
    --------
    >>> f = Robust([[1.0, 0.0], [0.0, 2.0]], [1.0, 0.0])
    >>> print(f.strong_convexity, f.value(np.array([1.0, 0.0])))
    None 0.0
    """

    curvature = 2.0

    def __init__(self, A: ArrayLike, b: ArrayLike, lam: float = 0.0) -> None:
        super().__init__(A, b, lam)

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
