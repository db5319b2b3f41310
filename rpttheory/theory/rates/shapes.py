"""The three shapes that right-hand sides have: harmonic, geometric and compounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from ...errors import InvalidInput
from .arithmetic import decimal, digits, positive, power, root
from .rate import Rate, Start


@dataclass(frozen=True)
class Harmonic(Rate):
    """(a ||x_0 - x*||^2 + (b + c gamma) gap) / (gamma n) where n = u T + v and `count` = (u, v)."""

    largest: Fraction
    weights: tuple[Fraction | int, int, int]
    printed: bool = False
    count: tuple[int, int] = (1, 1)

    def _largest(self, steps: int | None) -> Fraction:
        return self.largest

    def _numerator(self, start: Start, gamma: Fraction) -> Fraction:
        a, b, c = self.weights
        return a * start.squared_distance + (b + c * gamma) * start.gap

    def _enclosure(self, steps: int, start: Start, gamma: Fraction | None, bits: int) -> tuple[Fraction, Fraction]:
        step = self.largest if gamma is None else gamma
        exact = self._numerator(start, step) / (step * (self.count[0] * steps + self.count[1]))
        return exact, exact

    def _estimate(self, target: Fraction, start: Start, gamma: Fraction | None) -> int:
        step = self.largest if gamma is None else gamma
        return math.ceil((self._numerator(start, step) / (step * target) - self.count[1]) / self.count[0])

    def _printed(self, target: Fraction, start: Start) -> int | None:
        return max(self.first, self._estimate(target, start, None)) if self.printed else None


@dataclass(frozen=True)
class Geometric(Rate):
    """(1 - gamma mu)^T times the one thing that is needed of x_0."""

    largest: Fraction
    mu: Fraction

    def _largest(self, steps: int | None) -> Fraction:
        return self.largest

    def _factor(self, gamma: Fraction | None) -> Fraction:
        return 1 - (self.largest if gamma is None else gamma) * self.mu

    def _enclosure(self, steps: int, start: Start, gamma: Fraction | None, bits: int) -> tuple[Fraction, Fraction]:
        low, high = power(self._factor(gamma), steps, bits)
        first: Fraction = getattr(start, self.needs[0])
        return low * first, high * first

    def _estimate(self, target: Fraction, start: Start, gamma: Fraction | None) -> int:
        factor = self._factor(gamma)
        first: Fraction = getattr(start, self.needs[0])
        if target >= first or factor == 0:
            return 0
        with localcontext() as context:
            context.prec = 50 + 2 * digits(1 / (1 - factor))
            return int(decimal(target / first).ln() / decimal(factor).ln())


@dataclass(frozen=True)
class Compounding(Rate):
    """2 (1 + L A gamma^2)^T gap / (gamma T), where gamma <= 1 / sqrt(L A T) depends on T."""

    LA: Fraction

    def _largest(self, steps: int | None) -> Fraction:
        if steps is None:
            raise InvalidInput(f"the stepsize of {self.label} depends on T", "T=None", "stepsize(T)")
        return root(1 / (self.LA * steps), 300 + steps.bit_length())[0]

    def _gamma(self, steps: int, stepsize: float | None) -> Fraction | None:
        gamma = None if stepsize is None else positive(stepsize, "stepsize")
        if gamma is not None and self.LA * gamma**2 * steps > 1:
            allowed = self.stepsize(steps)
            raise InvalidInput(
                f"the stepsize of {self.label} must not exceed 1/sqrt(L A T), which is {allowed:.17g} for T = {steps}",
                f"{stepsize!r}",
                f"stepsize={allowed!r}, or none",
            )
        return gamma

    def _last(self, gamma: Fraction | None) -> int | None:
        return None if gamma is None else math.floor(1 / (self.LA * gamma**2))

    def _enclosure(self, steps: int, start: Start, gamma: Fraction | None, bits: int) -> tuple[Fraction, Fraction]:
        if gamma is None:
            growth = Fraction(steps + 1, steps)
            roots = root(self.LA / steps, bits)
        else:
            growth = 1 + self.LA * gamma**2
            roots = (1 / (gamma * steps),) * 2
        low, high = self._factor(*power(growth, steps, bits), growth, steps)
        return start.gap * low * roots[0], start.gap * high * roots[1]

    def _factor(self, low: Fraction, high: Fraction, growth: Fraction, steps: int) -> tuple[Fraction, Fraction]:
        """Bounds on what multiplies gap / (gamma T), from bounds on growth^T."""
        return 2 * low, 2 * high

    def _estimate(self, target: Fraction, start: Start, gamma: Fraction | None) -> int:
        if start.gap == 0:
            return 1
        if gamma is not None:
            return math.ceil(2 * start.gap / (gamma * target))
        with localcontext() as context:
            # (1 + 1/T)^T is e up to a relative 1/T.
            floor = 4 * start.gap**2 * self.LA / target**2
            context.prec = 50 + digits(floor)
            return int(decimal(floor) * Decimal(2).exp())

    def _printed(self, target: Fraction, start: Start) -> int | None:
        return max(1, math.ceil(144 * start.gap**2 * self.LA / target**2))
