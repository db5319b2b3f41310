"""The interface of a function to minimize: values, block gradients, constants."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidInput
from ..numbers.exact_array import FloatArray, exact_array
from ..problem.smoothness import Smoothness

# A function without arguments that changes arrays in place: a piece of a step, its slices cut
# beforehand.
Action: TypeAlias = Callable[[], object]


@dataclass(frozen=True, eq=False)
class Objective(ABC):
    """A differentiable function of d coordinates whose gradient can be computed block by block."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number of coordinates, d."""

    @abstractmethod
    def value(self, x: FloatArray) -> float:
        """f(x)."""

    @abstractmethod
    def block_gradient(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> FloatArray:
        """Write coordinates start:stop of the gradient at x into `out` and return `out`."""

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
    def minimizer(self) -> FloatArray | None:
        """A minimizer (read-only; the shortest if there are several), None if none is known."""

    @cached_property
    def minimum(self) -> float | None:
        """f at the minimizer, None if none is known."""
        return None if self.minimizer is None else self.value(self.minimizer)

    @property
    def diagonal(self) -> FloatArray | None:
        """The diagonal of the Hessian where the Hessian is constant and diagonal, else None."""
        return None

    def gradient(self, x: FloatArray, out: FloatArray | None = None) -> FloatArray:
        """The gradient at x, written into `out` if there is one."""
        buffer = np.empty(self.dimension) if out is None else out
        return self.block_gradient(x, 0, self.dimension, buffer)

    def gap(self, x: FloatArray, gradient: FloatArray, difference: FloatArray) -> float:
        """f(x) - f*, nan if f* is unknown.

        Quadratics compute it from the gradient at x and `difference` = x - x* without cancellation.
        """
        minimum = self.minimum
        return math.nan if minimum is None else self.value(x) - minimum

    def gradient_action(self, x: FloatArray, start: int, stop: int, out: FloatArray) -> Action:
        """Return a function that writes coordinates start:stop of the gradient at x into `out`.

        A run asks for it once and calls it at every step, while x changes in place.
        """
        return lambda: self.block_gradient(x, start, stop, out)

    def product_cache(self, x: FloatArray) -> ProductCache | None:
        """A cache of A x for linear models, None for other functions."""
        return None


class ProductCache(ABC):
    """A product A x that is kept up to date while x changes block by block."""

    @abstractmethod
    def gradient_action(self, start: int, stop: int, out: FloatArray) -> Action:
        """Return a function that writes coordinates start:stop of the gradient into `out`."""

    @abstractmethod
    def update_action(self, start: int, stop: int, step: FloatArray) -> Action:
        """Return a function to call after x[start:stop] -= step."""

    @abstractmethod
    def refresh(self) -> None:
        """Compute A x anew, so that rounding errors do not accumulate."""


def as_nonnegative(value: object, name: str, default: float, *, positive: bool = False) -> float:
    """Convert a finite number that is not negative to a float; raise InvalidInput otherwise.

    Parameters
    ----------
    value : number
    name : str
        The argument that an error is about.
    default : float
        A value that an error suggests.
    positive : bool
        Refuse 0 as well.
    """
    number = math.nan
    if isinstance(value, (Real, Decimal)) and not isinstance(value, bool):
        with suppress(OverflowError):
            number = float(value)
    if not 0 <= number < math.inf or (positive and number == 0):
        rule = "must be positive and finite" if positive else "must be finite and not negative"
        raise InvalidInput(rule, repr(value)[:80], argument=name, suggest={name: default})
    return number


def is_whole(value: object, least: int) -> bool:
    """True for an integer (not a bool) that is at least `least`."""
    is_integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return is_integer and int(value) >= least  # type: ignore[call-overload]


def check_point(x: ArrayLike, dimension: int, name: str = "x0") -> FloatArray:
    """Copy x to a vector of finite floats; raise InvalidInput for anything else."""
    point = exact_array(x, name).float64.copy()
    if point.shape != (dimension,):
        raise InvalidInput(
            f"must have one number per coordinate, {dimension} in all",
            f"shape {point.shape}",
            f"{dimension} numbers",
            argument=name,
        )
    return point
