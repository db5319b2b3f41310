"""f(x) = (1/n) sum_i phi_i(a_i'x) + lam |x|^2: what ridge, logistic and robust regression share."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidInput
from ..problem.smoothness import Smoothness, gram
from ..reals import FloatArray, as_reals
from ..validation import check_matrix, read_only
from .protocol import Objective, Tracker, as_number


@dataclass(frozen=True, eq=False, init=False)
class LinearModel(Objective):
    """The mean of losses of A x, plus lam |x|^2.

    A gradient block alone costs the product A x and the columns of the block. Along a trajectory A x is kept up to
    date, so that a step costs only the columns of its blocks.
    """

    A: FloatArray
    b: FloatArray
    lam: float

    def __init__(self, A: ArrayLike, b: ArrayLike, lam: float) -> None:
        data = check_matrix(A, "A").near
        labels = as_reals(b, "b").near
        if labels.shape != (data.shape[0],):
            raise InvalidInput(
                f"b must have one number per row of A, {data.shape[0]} in all",
                f"shape {labels.shape}",
                "a label for every row",
            )
        penalty = as_number(lam)
        if not (np.isfinite(penalty) and penalty >= 0):
            raise InvalidInput("lam must be finite and not negative", repr(lam)[:80], "lam=0.1")
        kept = np.asfortranarray(data.copy())
        kept.flags.writeable = False
        object.__setattr__(self, "A", kept)
        object.__setattr__(self, "b", read_only(labels))
        object.__setattr__(self, "lam", penalty)

    @property
    def dimension(self) -> int:
        return int(self.A.shape[1])

    @property
    def count(self) -> int:
        """The number of rows of A, n."""
        return int(self.A.shape[0])

    # -- what a loss fills in ----------------------------------------------------------------------

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

    # -- what follows --------------------------------------------------------------------------------

    def value(self, x: FloatArray) -> float:
        return float(self.losses(self.A @ x).mean()) + self.lam * float(x @ x)

    def block_gradient(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> FloatArray:
        slopes = self.slopes(self.A @ x, np.empty(self.count))
        np.dot(self.A[:, start:stop].T, slopes, out)
        out /= self.count
        out += 2 * self.lam * x[start:stop]
        return out

    @cached_property
    def smoothness(self) -> Smoothness:
        """(curvature / n) A'A + 2 lam I."""
        return gram(self.A, Fraction(self.curvature) / self.count, 2 * Fraction(self.lam))

    def tracker(self, x: FloatArray) -> Tracker:
        return _LinearModelTracker(self, x)


class _LinearModelTracker(Tracker):
    """Keeps z = A x, so that a step costs the columns it touches."""

    objective: LinearModel

    def __init__(self, objective: LinearModel, x: FloatArray) -> None:
        super().__init__(objective, x)
        self._z = np.empty(objective.count)
        self._slopes = np.empty(objective.count)
        self._change = np.empty(objective.count)
        self.refresh()

    @property
    def state(self) -> dict[str, FloatArray]:
        return {"z": self._z}

    def refresh(self) -> None:
        np.dot(self.objective.A, self.x, self._z)

    def gradient(self, start: int, stop: int, out: FloatArray) -> Callable[[], object]:
        objective, z, slopes, x = self.objective, self._z, self._slopes, self.x[start:stop]
        columns, shift = objective.A[:, start:stop].T, 2 * objective.lam
        penalty = np.empty(stop - start)

        def gradient() -> None:
            objective.slopes(z, slopes)
            np.dot(columns, slopes, out)
            np.divide(out, objective.count, out)
            np.multiply(x, shift, penalty)
            np.add(out, penalty, out)

        return gradient

    def moved(self, start: int, stop: int, step: FloatArray) -> Callable[[], object]:
        columns, z, change = self.objective.A[:, start:stop], self._z, self._change

        def moved() -> None:
            np.dot(columns, step, change)
            np.subtract(z, change, z)

        return moved
