"""Small problems for the methods, and a function that counts what is asked of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from rpttheory import Blocks, IndependentSampling, diagonal
from rpttheory.methods import (
    RPT,
    Accelerated,
    CyclicBlockDescent,
    GradientDescent,
    Method,
    ProgressiveTraining,
    RandomBlockDescent,
    Sketched,
)
from rpttheory.objectives import Logistic, Objective, Quadratic, Ridge, Robust, Tracker

FloatArray = NDArray[np.float64]
BLOCKS = Blocks((2, 1, 3))
D = BLOCKS.dimension


def data(rows: int = 9, seed: int = 0) -> FloatArray:
    return np.random.default_rng(seed).standard_normal((rows, D)) * np.array([0.5, 0.5, 2.0, 1.0, 1.0, 1.0])


def hessian() -> FloatArray:
    A = data()
    H = A.T @ A / 9 + 0.1 * np.eye(D)
    return (H + H.T) / 2


def labels(rows: int = 9) -> FloatArray:
    return np.where(np.arange(rows) % 3 == 0, -1.0, 1.0)


DENSE = Quadratic(hessian(), np.arange(1.0, D + 1))
DIAGONAL = Quadratic(diagonal([2.0, 1.0, 9.0, 4.0, 3.0, 0.5]))
RIDGE = Ridge(data(), labels(), 0.05)
WIDE_RIDGE = Ridge(data(4), labels(4), 0.05)
LOGISTIC = Logistic(data(), labels(), 0.05)
ROBUST = Robust(data(), labels())
CONVEX: dict[str, Objective] = {
    "dense": DENSE,
    "diagonal": DIAGONAL,
    "ridge": RIDGE,
    "wide ridge": WIDE_RIDGE,
    "logistic": LOGISTIC,
}
ALL: dict[str, Objective] = CONVEX | {"robust": ROBUST}
X0 = np.array([1.0, -1.0, 2.0, 0.5, -0.5, 3.0])
METHODS: dict[str, Callable[[], Method]] = {
    "GD": GradientDescent,
    "RPT": lambda: RPT([0.25, 1.0, 0.5]),
    "independent": lambda: Sketched(IndependentSampling([0.9, 0.5, 0.3])),
    "PT": lambda: ProgressiveTraining((300, 300, 10_000)),
    "CBCD": CyclicBlockDescent,
    "RBCD": RandomBlockDescent,
    "accelerated": Accelerated,
}
every_method = pytest.mark.parametrize("make", list(METHODS.values()), ids=list(METHODS))


@dataclass(frozen=True, eq=False)
class Counting(Objective):
    """Another objective that counts the coordinates of the gradient it is asked for along a trajectory."""

    inner: Quadratic
    asked: list[tuple[int, int]] = field(default_factory=list)
    refreshed: list[int] = field(default_factory=list)

    @property
    def dimension(self) -> int:
        return self.inner.dimension

    def value(self, x: FloatArray) -> float:
        return self.inner.value(x)

    def block_gradient(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> FloatArray:
        return self.inner.block_gradient(x, start, stop, out)

    @property
    def smoothness(self):  # type: ignore[no-untyped-def]
        return self.inner.smoothness

    @property
    def strong_convexity(self) -> float | None:
        return self.inner.strong_convexity

    @property
    def minimiser(self) -> FloatArray | None:
        return self.inner.minimiser

    def tracker(self, x: FloatArray) -> Tracker:
        return _CountingTracker(self, x)


class _CountingTracker(Tracker):
    objective: Counting

    def refresh(self) -> None:
        self.objective.refreshed.append(len(self.objective.asked))

    def gradient(self, start: int, stop: int, out: FloatArray) -> Callable[[], object]:
        inner = super().gradient(start, stop, out)

        def gradient() -> None:
            self.objective.asked.append((start, stop))
            inner()

        return gradient
