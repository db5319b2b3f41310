"""The shapes that right-hand sides have, at constants that are fractions: harmonic, geometric and
compounding.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import compress
from typing import ClassVar, NamedTuple

from ..numbers.powers import power, square_root

Ends = tuple[Fraction, Fraction]


class Start(NamedTuple):
    """The starting point: ||x_0 - x*||^2 and f(x_0) - f*."""

    squared_distance: Fraction
    gap: Fraction


@dataclass(frozen=True)
class Shape(ABC):
    """A right-hand side; stepsizes go up to 1 / `smoothness`, and `gamma` is None for the largest.

    Attributes
    ----------
    noise : Fraction
        What noise adds, over gamma.
    damped : bool
        True if a step achieves 2 - gamma L times as much, a factor between 1 and 2.
    """

    smoothness: Fraction
    noise: Fraction = field(default=Fraction(0), kw_only=True)
    damped: bool = field(default=False, kw_only=True)
    by_steps: ClassVar[bool] = False  # whether the largest stepsize depends on T

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the numbers about x_0 that it uses."""
        return ("gap",)

    def largest(self, steps: int) -> Ends:
        """Return bounds on the largest stepsize."""
        return 1 / self.smoothness, 1 / self.smoothness

    def floor(self, gamma: Fraction | None) -> Fraction:
        """Return the part of the right-hand side that no number of steps takes off."""
        step = self._step(gamma)
        return step * self.noise / self._room(step)

    @abstractmethod
    def enclosure(self, steps: int, start: Start, gamma: Fraction | None, bits: int) -> Ends:
        """Return bounds on the right-hand side without noise, which close in as `bits` grows."""

    def last(self, gamma: Fraction | None) -> int | None:
        """Return the last T for which gamma is allowed, if there is one."""
        return None

    def _step(self, gamma: Fraction | None) -> Fraction:
        return 1 / self.smoothness if gamma is None else gamma

    def _room(self, step: Fraction) -> Fraction:
        return 2 - step * self.smoothness if self.damped else Fraction(1)


@dataclass(frozen=True)
class Harmonic(Shape):
    """(a ||x_0 - x*||^2 + (b + c gamma) gap) / (gamma n) where n = u T + v and `count` = (u, v)."""

    weights: tuple[Fraction | int, int, int]
    count: tuple[int, int] = (1, 1)

    @property
    def needs(self) -> tuple[str, ...]:
        return tuple(compress(Start._fields, (self.weights[0] != 0, self.weights[1:] != (0, 0))))

    def _per_step(self, start: Start, gamma: Fraction | None) -> Fraction:
        (a, b, c) = self.weights
        step = self._step(gamma)
        return (a * start.squared_distance + (b + c * step) * start.gap) / (step * self._room(step))

    def enclosure(self, steps: int, start: Start, gamma: Fraction | None, bits: int) -> Ends:
        exact = self._per_step(start, gamma) / (self.count[0] * steps + self.count[1])
        return exact, exact


@dataclass(frozen=True)
class LastIterate(Harmonic):
    """||x_0 - x*||^2 times the lesser of 1 / ((3 T + 1) gamma) and L_P / (2 (1 + 2 gamma L_P))."""

    def enclosure(self, steps: int, start: Start, gamma: Fraction | None, bits: int) -> Ends:
        of_one = start.squared_distance / (2 / self.smoothness + 4 * self._step(gamma))
        exact = min(super().enclosure(steps, start, gamma, bits)[0], of_one)
        return exact, exact


@dataclass(frozen=True)
class Geometric(Shape):
    """(1 - gamma mu)^T times what is needed of x_0."""

    mu: Fraction
    of: str = "squared_distance"

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.of,)

    def _factor(self, gamma: Fraction | None) -> Fraction:
        # mu <= L, though the ends of their brackets need not know it.
        step = self._step(gamma)
        return max(Fraction(0), 1 - step * self.mu * self._room(step))

    def enclosure(self, steps: int, start: Start, gamma: Fraction | None, bits: int) -> Ends:
        low, high = power(self._factor(gamma), steps, bits)
        first: Fraction = getattr(start, self.of)
        return low * first, high * first


@dataclass(frozen=True)
class Compounding(Shape):
    """2 q^T gap / (gamma T) with q = 1 + L A gamma^2; summed, T (q - 1) / (1 - q^-T) in place of 2
    q^T.

    `smoothness` is L A, and gamma <= 1 / sqrt(L A T) depends on T.
    """

    summed: bool = False
    by_steps: ClassVar[bool] = True

    def largest(self, steps: int) -> Ends:
        return square_root(1 / (self.smoothness * steps), 300 + steps.bit_length())

    def last(self, gamma: Fraction | None) -> int | None:
        return None if gamma is None else math.floor(1 / (self.smoothness * gamma**2))

    def enclosure(self, steps: int, start: Start, gamma: Fraction | None, bits: int) -> Ends:
        if gamma is None:
            growth = Fraction(steps + 1, steps)
            scale = square_root(self.smoothness / steps, bits)
        else:
            growth = 1 + self.smoothness * gamma**2
            scale = (1 / (gamma * steps),) * 2
        low, high = power(growth, steps, bits)
        factors = (2 * low, 2 * high)
        if self.summed:
            increase = steps * (growth - 1)
            factors = (increase / (1 - 1 / high), increase / (1 - 1 / low))
        return start.gap * factors[0] * scale[0], start.gap * factors[1] * scale[1]
