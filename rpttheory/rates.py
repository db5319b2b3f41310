"""How fast SkGD converges: the paper's three theorems, our sharper convex bound, and two generic comparators.

Each function takes the constants of a theorem and returns a `Rate`: the largest stepsize, the right-hand side after T
steps, and the number of steps that brings it down to a given accuracy. They are worked out exactly from the floats
given: `bound` is the right-hand side rounded up once, `iterations` the smallest T without any rounding.

T counts the steps: the iterates are x_0, ..., x_T. The generic comparators speak of x_0, ..., x_{T-1} only.
"""

from __future__ import annotations

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import SupportsIndex

from .certify.bracket import round_down, round_up
from .errors import InvalidInput

# Powers whose numerator and denominator stay below this many bits are formed exactly. An equality between a power and a
# quotient of floats needs far fewer, so ties never depend on the enclosures of longer ones.
_EXACT_BITS = 100_000
_TINY = Fraction(1, 2**1074)
_NEGLIGIBLE = -4000


@dataclass(frozen=True)
class Start:
    """What is known of x_0: `squared_distance` = ||x_0 - x*||^2 and `gap` = f(x_0) - f*."""

    squared_distance: Fraction
    gap: Fraction


@dataclass(frozen=True)
class Rate(ABC):
    """A convergence theorem with its constants filled in.

    All rates take the same keywords, so that they can be compared in one loop; each uses those it needs.

    Attributes
    ----------
    label : str
        The LaTeX label of the theorem in the paper, or a name of our own.
    measure : str
        The left-hand side.
    needs : tuple of str
        Which of `squared_distance` (||x_0 - x*||^2) and `gap` (f(x_0) - f*) the right-hand side uses.
    first : int
        The smallest T that the theorem speaks of.

    Examples
    --------
    >>> rate = convex(4.0)
    >>> rate.stepsize(), rate.bound(7, squared_distance=1.0), rate.iterations(0.5, squared_distance=1.0)
    (0.125, 1.0, 15)
    """

    label: str
    measure: str
    needs: tuple[str, ...]
    first: int

    def stepsize(self, T: SupportsIndex | None = None) -> float:
        """The largest stepsize allowed, rounded down; `T` matters to `generic_nonconvex` alone."""
        return round_down(self._largest(None if T is None else self._steps(T)))

    def bound(
        self,
        T: SupportsIndex,
        *,
        squared_distance: float | None = None,
        gap: float | None = None,
        stepsize: float | None = None,
    ) -> float:
        """The right-hand side after T steps: the smallest float that is not below it.

        Parameters
        ----------
        T : int
            Number of steps.
        squared_distance, gap : float
            ||x_0 - x*||^2 and f(x_0) - f*, where the theorem uses them.
        stepsize : float, optional
            By default the largest allowed, without rounding. One that exceeds it by a rounding error counts as it.
        """
        steps, start = self._steps(T), self._start(squared_distance, gap)
        enclosures = self._enclosures(steps, start, self._gamma(steps, stepsize))
        return next(round_up(high) for low, high in enclosures if high < _TINY or round_up(low) == round_up(high))

    def iterations(
        self,
        eps: float,
        *,
        squared_distance: float | None = None,
        gap: float | None = None,
        stepsize: float | None = None,
    ) -> int:
        """The smallest T for which the right-hand side is at most `eps`."""
        target, start = _positive(eps, "eps"), self._start(squared_distance, gap)
        gamma = self._gamma(self.first, stepsize)
        last = self._last(gamma)

        def reached(steps: int) -> bool:
            enclosures = self._enclosures(steps, start, gamma)
            return next(high <= target for low, high in enclosures if high <= target or low > target)

        if last is not None and not reached(last):
            raise InvalidInput(
                f"{self.label} does not reach eps = {eps:g} with this stepsize",
                f"stepsize {stepsize}, allowed for at most {last} iterations",
                "a smaller stepsize, or none: it is then chosen for T",
            )
        return _smallest(reached, self.first, last, self._estimate(target, start, gamma))

    def printed_iterations(
        self, eps: float, *, squared_distance: float | None = None, gap: float | None = None
    ) -> int | None:
        """The smallest T that the paper's own sufficient condition admits; None where it prints none."""
        return self._printed(_positive(eps, "eps"), self._start(squared_distance, gap))

    # -- what each theorem fills in --------------------------------------------------------------

    @abstractmethod
    def _largest(self, steps: int | None) -> Fraction:
        """The largest stepsize (or a fraction just below it that rounds down to the same float)."""

    def _enclosures(self, steps: int, start: Start, gamma: Fraction | None) -> Iterator[tuple[Fraction, Fraction]]:
        bits = 128 + 2 * steps.bit_length()
        while True:
            yield self._enclosure(steps, start, gamma, bits)
            bits *= 2

    @abstractmethod
    def _enclosure(self, steps: int, start: Start, gamma: Fraction | None, bits: int) -> tuple[Fraction, Fraction]:
        """Bounds on the right-hand side that close in on it as `bits` grows; gamma None is the largest stepsize."""

    @abstractmethod
    def _estimate(self, target: Fraction, start: Start, gamma: Fraction | None) -> int:
        """About the smallest T; only the speed of the search depends on it."""

    def _printed(self, target: Fraction, start: Start) -> int | None:
        return None

    def _last(self, gamma: Fraction | None) -> int | None:
        """The last T for which gamma is allowed, if there is one."""
        return None

    # -- checks ----------------------------------------------------------------------------------

    def _gamma(self, steps: int, stepsize: float | None) -> Fraction | None:
        if stepsize is None:
            return None
        largest = self._largest(steps)
        gamma = _positive(stepsize, "stepsize")
        if float(gamma) > round_up(largest):
            raise InvalidInput(
                f"the stepsize of {self.label} must not exceed {round_down(largest):.17g}",
                f"{stepsize!r}",
                f"stepsize={round_down(largest)!r}, or none",
            )
        return min(gamma, largest)

    def _steps(self, T: SupportsIndex) -> int:
        try:
            steps = operator.index(T)
        except TypeError:
            steps = -1
        if steps < self.first or isinstance(T, bool):
            raise InvalidInput(f"T must be a whole number, at least {self.first} in {self.label}", repr(T), "T=100")
        return steps

    def _start(self, squared_distance: float | None, gap: float | None) -> Start:
        given = {"squared_distance": squared_distance, "gap": gap}
        for name in self.needs:
            if given[name] is None:
                raise InvalidInput(f"{self.label} needs {name}", f"{name}=None", f"{name}=1.0 (in your units)")
        return Start(*(Fraction(0) if value is None else _number(value, name) for name, value in given.items()))


@dataclass(frozen=True)
class _Harmonic(Rate):
    """(a ||x_0 - x*||^2 + (b + c gamma) gap) / (gamma n) where n = T + 1 - first iterates are averaged."""

    largest: Fraction
    weights: tuple[Fraction | int, int, int]
    printed: bool = False

    def _largest(self, steps: int | None) -> Fraction:
        return self.largest

    def _numerator(self, start: Start, gamma: Fraction) -> Fraction:
        a, b, c = self.weights
        return a * start.squared_distance + (b + c * gamma) * start.gap

    def _enclosure(self, steps: int, start: Start, gamma: Fraction | None, bits: int) -> tuple[Fraction, Fraction]:
        step = self.largest if gamma is None else gamma
        exact = self._numerator(start, step) / (step * (steps + 1 - self.first))
        return exact, exact

    def _estimate(self, target: Fraction, start: Start, gamma: Fraction | None) -> int:
        step = self.largest if gamma is None else gamma
        return math.ceil(self._numerator(start, step) / (step * target)) + self.first - 1

    def _printed(self, target: Fraction, start: Start) -> int | None:
        return max(self.first, self._estimate(target, start, None)) if self.printed else None


@dataclass(frozen=True)
class _Geometric(Rate):
    """(1 - gamma mu)^T ||x_0 - x*||^2."""

    largest: Fraction
    mu: Fraction

    def _largest(self, steps: int | None) -> Fraction:
        return self.largest

    def _factor(self, gamma: Fraction | None) -> Fraction:
        return 1 - (self.largest if gamma is None else gamma) * self.mu

    def _enclosure(self, steps: int, start: Start, gamma: Fraction | None, bits: int) -> tuple[Fraction, Fraction]:
        low, high = _power(self._factor(gamma), steps, bits)
        return low * start.squared_distance, high * start.squared_distance

    def _estimate(self, target: Fraction, start: Start, gamma: Fraction | None) -> int:
        factor = self._factor(gamma)
        if target >= start.squared_distance or factor == 0:
            return 0
        with localcontext() as context:
            context.prec = 50 + 2 * _digits(1 / (1 - factor))
            return int(_decimal(target / start.squared_distance).ln() / _decimal(factor).ln())


@dataclass(frozen=True)
class _Compounding(Rate):
    """2 (1 + L A gamma^2)^T gap / (gamma T), where gamma <= 1 / sqrt(L A T) depends on T."""

    LA: Fraction

    def _largest(self, steps: int | None) -> Fraction:
        if steps is None:
            raise InvalidInput(f"the stepsize of {self.label} depends on T", "T=None", "stepsize(T)")
        return _root(1 / (self.LA * steps), 300 + steps.bit_length())[0]

    def _gamma(self, steps: int, stepsize: float | None) -> Fraction | None:
        gamma = None if stepsize is None else _positive(stepsize, "stepsize")
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
            roots = _root(self.LA / steps, bits)
        else:
            growth = 1 + self.LA * gamma**2
            roots = (1 / (gamma * steps),) * 2
        low, high = _power(growth, steps, bits)
        return 2 * start.gap * low * roots[0], 2 * start.gap * high * roots[1]

    def _estimate(self, target: Fraction, start: Start, gamma: Fraction | None) -> int:
        if start.gap == 0:
            return 1
        if gamma is not None:
            return math.ceil(2 * start.gap / (gamma * target))
        with localcontext() as context:
            # (1 + 1/T)^T is e up to a relative 1/T.
            floor = 4 * start.gap**2 * self.LA / target**2
            context.prec = 50 + _digits(floor)
            return int(_decimal(floor) * Decimal(2).exp())

    def _printed(self, target: Fraction, start: Start) -> int | None:
        return max(1, math.ceil(144 * start.gap**2 * self.LA / target**2))


# -- the theorems --------------------------------------------------------------------------------


def strongly_convex(L_P: float, mu: float) -> Rate:
    """E||x_T - x*||^2 <= (1 - gamma mu)^T ||x_0 - x*||^2 for gamma <= 1/L_P.

    Paper: thm:rcdStronglyConvex (upper)

    Erratum: the left side counts with t and the right side with k; both mean T. Equality holds for L = mu I with equal
    probabilities at gamma = 1/L_P; with a worse condition number it seems improvable.

    Parameters
    ----------
    L_P : float
        lambda_max(P^-1/2 L P^-1/2).
    mu : float
        The strong convexity constant, at most L_P.
    """
    smoothness, convexity = _positive(L_P, "L_P"), _positive(mu, "mu")
    if convexity > smoothness:
        raise InvalidInput("mu must not exceed L_P", f"mu = {mu!r}, L_P = {L_P!r}", "mu <= lambda_min(L)")
    return _Geometric(
        "thm:rcdStronglyConvex", "E||x_T - x*||^2", ("squared_distance",), 0, largest=1 / smoothness, mu=convexity
    )


def convex(L_P: float) -> Rate:
    """E[f(x_bar_T) - f*] <= ||x_0 - x*||^2 / (gamma (T + 1)) for gamma <= 1/(2 L_P), x_bar_T the mean of x_0, ..., x_T.

    Paper: thm:rcdConvex (upper)

    It prints the sufficient condition T + 1 >= 2 L_P ||x_0 - x*||^2 / eps. `convex_sharp` is 4 times smaller.
    """
    return _Harmonic(
        "thm:rcdConvex",
        "E[f(x_bar_T) - f*]",
        ("squared_distance",),
        0,
        largest=1 / (2 * _positive(L_P, "L_P")),
        weights=(1, 0, 0),
        printed=True,
    )


def convex_sharp(L_P: float) -> Rate:
    """E[f(x_bar_T) - f*] <= ||x_0 - x*||^2 / (2 gamma (T + 1)) for gamma <= 1/L_P; the paper does not have it.

    With g the gradient at x, convexity and L-smoothness give <g, x - x*> >= f(x) - f* + ||g||^2_{L^-1} / 2 (with the
    pseudo-inverse if L is singular), and L <= L_P P gives ||g||^2_{L^-1} >= ||g||^2_{P^-1} / L_P. Hence
    E||x_+ - x*||^2 <= ||x - x*||^2 - 2 gamma (f(x) - f*) - gamma (1/L_P - gamma) ||g||^2_{P^-1}; sum over the steps. At
    gamma = 1/L_P the bound is attained for every T: by a Huber function of one coordinate that is always updated.
    """
    return _Harmonic(
        "convex, sharp",
        "E[f(x_bar_T) - f*]",
        ("squared_distance",),
        0,
        largest=1 / _positive(L_P, "L_P"),
        weights=(Fraction(1, 2), 0, 0),
    )


def nonconvex(smoothness: float) -> Rate:
    """E[min_{t <= T} ||grad f(x_t)||^2] <= 2 (f(x_0) - f*) / (gamma (T + 1)) for gamma <= 1/L_P, or 1/L_M.

    Paper: thm:rcdNonconvex (upper)

    It prints the sufficient condition T + 1 >= 2 L_P (f(x_0) - f*) / eps. Errata: the proof leaves out the expectations
    after averaging, and sums over i what is indexed by t.

    Parameters
    ----------
    smoothness : float
        L_P, or the smaller L_M = lambda_max(E[CLC]), with which the theorem holds as well.
    """
    return _Harmonic(
        "thm:rcdNonconvex",
        "E[min_t ||grad f(x_t)||^2]",
        ("gap",),
        0,
        largest=1 / _positive(smoothness, "smoothness"),
        weights=(0, 2, 0),
        printed=True,
    )


def generic_nonconvex(L: float, A: float) -> Rate:
    """min_{t < T} E||grad f(x_t)||^2 <= 2 (1 + L A gamma^2)^T (f(x_0) - f*) / (gamma T) for gamma <= 1/sqrt(L A T).

    Paper: thm:non-convex (upper)

    A generic bound for SGD with E||g||^2 <= 2 A (f - f*), that is, A = L_P here. It prints the sufficient condition
    T >= 144 (f(x_0) - f*)^2 L A / eps^2; about 4 e^2 = 29.6 in place of 144 is enough. Erratum: the stepsize is printed
    with the undefined letter K for T. The largest stepsize is not the best: 1/sqrt(L A (2 T - 1)) minimises the bound.

    Parameters
    ----------
    L : float
        The smoothness constant lambda_max(L).
    A : float
        The constant of the second-moment assumption.
    """
    return _Compounding(
        "thm:non-convex", "min_t E||grad f(x_t)||^2", ("gap",), 1, LA=_positive(L, "L") * _positive(A, "A")
    )


def generic_convex(L: float, A: float) -> Rate:
    """E[f(x_bar) - f*] <= (2 gamma (f(x_0) - f*) + ||x_0 - x*||^2) / (gamma T) for gamma <= min(1/(4 A), 1/(2 L)).

    Paper: thm:oldConvex (upper)

    A generic bound for SGD with E||g||^2 <= 2 A (f - f*), that is, A = L_P here; x_bar is the mean of x_0, ...,
    x_{T-1}. Erratum: the sum over i < T is printed as divided by t.
    """
    largest = min(1 / (4 * _positive(A, "A")), 1 / (2 * _positive(L, "L")))
    return _Harmonic(
        "thm:oldConvex", "E[f(x_bar) - f*]", ("squared_distance", "gap"), 1, largest=largest, weights=(1, 0, 2)
    )


# -- exact arithmetic ----------------------------------------------------------------------------


def _power(base: Fraction, exponent: int, bits: int) -> tuple[Fraction, Fraction]:
    """Bounds on base**exponent to a relative precision of about exponent * 2^(2 - bits); equal where they are exact."""
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if base == 0 or exponent * size <= _EXACT_BITS:
        exact = base**exponent
        return exact, exact
    return _power_end(base, exponent, bits, 1), _power_end(base, exponent, bits, -1)


def _power_end(base: Fraction, exponent: int, bits: int, sign: int) -> Fraction:
    """The power rounded down (sign 1) or up (sign -1) at every step, as a whole number times a power of two."""
    shift = max(0, bits - base.numerator.bit_length() + base.denominator.bit_length())
    factor = sign * ((sign * base.numerator << shift) // base.denominator)
    value, scale = 1, 0
    for bit in f"{exponent:b}":
        value, scale = value * value, 2 * scale
        if bit == "1":
            value, scale = value * factor, scale - shift
        excess = max(0, value.bit_length() - bits)
        value, scale = sign * (sign * value >> excess), scale + excess
        if scale + value.bit_length() < _NEGLIGIBLE:
            # Only for base < 1: multiplied by any float this stays below all floats, whatever factors follow.
            return Fraction(0) if sign > 0 else Fraction(1, 1 << -_NEGLIGIBLE)
    return Fraction(value << scale) if scale >= 0 else Fraction(value, 1 << -scale)


def _root(value: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Bounds on sqrt(value) to `bits` significant bits; equal for squares of fractions."""
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom), Fraction(top, bottom)
    shift = max(0, bits - (value.numerator.bit_length() - value.denominator.bit_length()) // 2)
    scaled = (value.numerator << 2 * shift) // value.denominator
    low = math.isqrt(scaled)
    return Fraction(low, 1 << shift), Fraction(low + 1, 1 << shift)


def _smallest(reached: Callable[[int], bool], first: int, last: int | None, guess: int) -> int:
    """The smallest whole number in [first, last] that satisfies a monotone condition, sought outwards from a guess.

    If there is a `last`, it must satisfy the condition.
    """
    low, high, step = first - 1, max(first, guess if last is None else min(guess, last)), 1
    while not reached(high):
        low, high, step = high, high + step if last is None else min(high + step, last), 2 * step
    step = 1
    while high - step > low and reached(high - step):
        high, step = high - step, 2 * step
    low = max(low, high - step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _digits(value: Fraction) -> int:
    """About the number of decimal digits before the point, at least 1."""
    return max(1, (value.numerator.bit_length() - value.denominator.bit_length()) * 3 // 10 + 2)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _number(value: float, name: str) -> Fraction:
    try:
        number = Fraction(float(value))
    except (TypeError, ValueError, OverflowError):
        number = Fraction(-1)
    if number < 0:
        raise InvalidInput(f"{name} must be a finite number, at least 0", repr(value)[:80], f"{name}=1.0")
    return number


def _positive(value: float, name: str) -> Fraction:
    number = _number(value, name)
    if number == 0:
        raise InvalidInput(f"{name} must be positive", repr(value), f"{name}=1.0")
    return number
