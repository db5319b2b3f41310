"""f(x) = (1/n) sum_i phi_i(a_i'x) + lam |x|^2, as in ridge, logistic and robust regression."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidInput
from ..numbers.checks import check_matrix, read_only
from ..numbers.exact_array import FloatArray, exact_array
from ..problem.smoothness import Smoothness, gram
from .objective import Action, Objective, ProductCache, as_number


@dataclass(frozen=True, eq=False, init=False)
class LinearModel(Objective):
    """The mean of losses of A x, plus lam |x|^2.

    One gradient block costs the product A x and the columns of the block. A run keeps A x up to
    date, so that a step costs only the columns of its blocks.
    """

    A: FloatArray
    b: FloatArray
    lam: float

    def __init__(self, A: ArrayLike, b: ArrayLike, lam: float) -> None:
        data = check_matrix(A, "A").float64
        labels = exact_array(b, "b").float64
        if labels.shape != (data.shape[0],):
            raise InvalidInput(
                f"must have one number per row of A, {data.shape[0]} in all",
                f"shape {labels.shape}",
                "a label for every row",
                argument="b",
            )
        penalty = as_number(lam)
        if not (np.isfinite(penalty) and penalty >= 0):
            raise InvalidInput(
                "must be finite and not negative",
                repr(lam)[:80],
                argument="lam",
                suggest={"lam": 0.1},
            )
        columns = np.asfortranarray(data.copy())
        columns.flags.writeable = False
        object.__setattr__(self, "A", columns)
        object.__setattr__(self, "b", read_only(labels))
        object.__setattr__(self, "lam", penalty)

    @property
    def dimension(self) -> int:
        return int(self.A.shape[1])

    @property
    def count(self) -> int:
        """The number of rows of A, n."""
        return int(self.A.shape[0])

    @property
    @abstractmethod
    def curvature(self) -> float:
        """The least upper bound of |phi_i''|."""

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
