"""What a function to be minimised offers: values, gradients by blocks, and the constants the theorems need."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidInput
from ..problem.smoothness import Smoothness
from ..reals import FloatArray, require_finite


@dataclass(frozen=True, eq=False)
class Objective(ABC):
    """A differentiable function of d coordinates whose gradient can be had block by block."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number of coordinates, d."""

    @abstractmethod
    def value(self, x: FloatArray) -> float:
        """f(x)."""

    @abstractmethod
    def block_gradient(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> FloatArray:
        """Write coordinates start:stop of the gradient at x into `out`, which holds stop - start numbers."""

    @property
    @abstractmethod
    def smoothness(self) -> Smoothness:
        """A matrix L with f(x + h) <= f(x) + <f'(x), h> + h'Lh / 2 for all x and h."""

    @property
    @abstractmethod
    def strong_convexity(self) -> float | None:
        """The largest mu known: 0 where f is merely convex, None where it is not convex."""

    @property
    @abstractmethod
    def minimiser(self) -> FloatArray | None:
        """A minimiser (read-only; the shortest where there are several), None where none is known."""

    @property
    def minimum(self) -> float | None:
        """f at the minimiser, None where none is known."""
        return None if self.minimiser is None else self.value(self.minimiser)

    @property
    def separable(self) -> bool:
        """Whether each coordinate of the gradient depends on the same coordinate of x alone."""
        return False

    def gradient(self, x: FloatArray, out: FloatArray | None = None) -> FloatArray:
        """The gradient at x, into `out` where given."""
        return self.block_gradient(x, 0, self.dimension, np.empty(self.dimension) if out is None else out)

    def gap(self, x: FloatArray, gradient: FloatArray, away: FloatArray) -> float:
        """f(x) - f*, given the gradient at x and x - x*, from which quadratics have it; nan if f* is unknown."""
        minimum = self.minimum
        return float("nan") if minimum is None else self.value(x) - minimum

    def tracker(self, x: FloatArray) -> Tracker:
        """Block gradients at a point that is changed in place, block by block."""
        return Tracker(self, x)


class Tracker:
    """Block gradients of an objective at a point that a method changes in place.

    A method asks once for a function per run of coordinates and calls it at every step, so that slices are cut only
    once. Objectives that keep something up to date along the way (such as A x) hold it in `state`.
    """

    def __init__(self, objective: Objective, x: FloatArray) -> None:
        self.objective = objective
        self.x = x

    @property
    def state(self) -> dict[str, FloatArray]:
        """What is kept along the way, to be saved with x."""
        return {}

    def gradient(self, start: int, stop: int, out: FloatArray) -> Callable[[], object]:
        """A function that writes coordinates start:stop of the gradient at the present x into `out`."""
        objective, x = self.objective, self.x
        return lambda: objective.block_gradient(x, start, stop, out)

    def step(self, start: int, stop: int, scales: FloatArray, out: FloatArray) -> Callable[[], object]:
        """A function that writes coordinates start:stop of the gradient, times those of `scales`, into `out`.

        `scales` has d entries, of which start:stop do not change any more.
        """
        gradient, scale, multiply = self.gradient(start, stop, out), scales[start:stop], np.multiply

        def step() -> None:
            gradient()
            multiply(out, scale, out)

        return step

    def forget(self) -> None:
        """Called when functions handed out before will not be called again."""

    def moved(self, start: int, stop: int, step: FloatArray) -> Callable[[], object] | None:
        """A function to be called after x[start:stop] -= step; None where nothing needs to be told."""
        return None

    def refresh(self) -> None:
        """Compute afresh what is kept along the way, so that rounding does not build up."""


def as_number(given: object) -> float:
    """A number as a float, nan where it is none: comparisons with nan fail, and the caller says what was wanted."""
    if isinstance(given, (bool, np.bool_, str, bytes)) or (isinstance(given, np.ndarray) and given.ndim):
        return math.nan
    try:
        return float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


def check_point(x: ArrayLike, dimension: int, name: str = "x0") -> FloatArray:
    """A fresh vector of finite floats."""
    try:
        point = np.array(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be numbers", repr(x)[:80], f"{dimension} numbers") from None
    if point.shape != (dimension,):
        raise InvalidInput(
            f"{name} must have one number per coordinate, {dimension} in all",
            f"shape {point.shape}",
            f"{dimension} numbers",
        )
    require_finite(point, name)
    return point
