"""A convergence theorem with known constants: a stepsize, a right-hand side, a number of steps."""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import SupportsIndex, TypeAlias

from ..errors import InvalidInput
from ..numbers import Bracket, Rigor
from ..numbers.bracket import round_down, round_up
from ..numbers.exact_array import Number as ExactNumber
from ..numbers.exact_array import exact_number
from .shapes import Ends, Shape, Start

# A number that is no Bracket is exact.
Number: TypeAlias = Bracket | ExactNumber

# No matrix of floats has a smaller constant, unless it is 0.
_TINY = Fraction(1, 2**1074)
_Case: TypeAlias = tuple[Shape, Start, Fraction]


@dataclass(frozen=True, eq=False)
class Rate:
    """A convergence theorem with its constants filled in.

    All rates take the same keywords, so that they can be compared in one loop; each uses those it
    needs. They may be Brackets, and what is returned encloses what every choice of numbers within
    them gives. Floats and fractions are exact: then `bound(...).upper` is the right-hand side
    rounded up once, and `iterations` is one whole number.

    Attributes
    ----------
    label : str
        The LaTeX label of the theorem in the paper, or a name of our own.
    measure : str
        The left-hand side.
    first : int
        The smallest T that the theorem speaks of.
    best, worst : Shape
        The right-hand side at the ends of the constants.

    Examples
    --------
    >>> from rpttheory.theorems import convex
    >>> rate = convex(4.0)
    >>> print(rate.stepsize(), rate.bound(7, squared_distance=1.0))
    0.125 1
    >>> print(rate.iterations(0.5, squared_distance=1.0))
    15
    >>> print(convex(Bracket(4.0, 4.125)).iterations(0.5, squared_distance=1.0))
    [15, 16]
    """

    label: str
    measure: str
    first: int
    best: Shape
    worst: Shape
    rigor: Rigor

    @property
    def needs(self) -> tuple[str, ...]:
        """Which of `squared_distance` (||x_0 - x*||^2) and `gap` (f(x_0) - f*) the right-hand side
        uses.
        """
        return self.worst.needs

    def stepsize(self, T: SupportsIndex | None = None) -> Bracket:
        """The largest stepsize allowed; `T` matters to the generic nonconvex theorems alone."""
        if T is None and self.worst.by_steps:
            raise InvalidInput(
                f"the stepsize of {self.label} depends on T", "T=None", "stepsize(T)"
            )
        steps = self.first if T is None else self._steps(T)
        return Bracket(self.worst.largest(steps)[0], self.best.largest(steps)[1], self.rigor)

    def bound(
        self,
        T: SupportsIndex,
        *,
        squared_distance: Number | None = None,
        gap: Number | None = None,
        stepsize: Fraction | float | None = None,
    ) -> Bracket:
        """The right-hand side after T steps.

        Parameters
        ----------
        T : int
            Number of steps.
        squared_distance, gap : Bracket or number
            ||x_0 - x*||^2 and f(x_0) - f*, where the theorem uses them.
        stepsize : number, optional
            By default the largest allowed, without rounding. One that exceeds it by a rounding
            error counts as it.
        """
        steps = self._steps(T)
        gamma = self._gamma(T, stepsize)
        starts, rigor = self._starts(squared_distance, gap)

        def close(low: Fraction, high: Fraction) -> bool:
            return high < _TINY or round_up(low) == round_up(high)

        ends = [_enclosure(case, steps, gamma, close) for case in self._cases(starts, gamma)]
        return Bracket(ends[0][0], ends[-1][1], rigor)

    def iterations(
        self,
        eps: Number,
        *,
        squared_distance: Number | None = None,
        gap: Number | None = None,
        stepsize: Fraction | float | None = None,
    ) -> Bracket:
        """The smallest T for which the right-hand side is at most `eps`."""
        target = checked_number(eps, "eps")
        gamma = self._gamma(self.first, stepsize)
        starts, rigor = self._starts(squared_distance, gap)
        cases = self._cases(starts, gamma)
        goals = (Fraction(target.exact_upper), Fraction(target.exact_lower))
        # What is known exactly is counted once.
        counts = [
            self._count(*case_and_goal, gamma)
            for case_and_goal in dict.fromkeys(zip((cases[0], cases[-1]), goals, strict=True))
        ]
        return Bracket(Fraction(counts[0]), Fraction(counts[-1]), min(rigor, target.rigor))

    def _cases(self, starts: tuple[Start, Start], gamma: Fraction | None) -> list[_Case]:
        """The shapes with the starts and what noise leaves, the best first; one where all are known
        exactly.
        """
        shapes = (self.best, self.worst)
        # With the largest stepsize noise counts less where the smoothness is larger, unlike
        # everything else.
        floors = [
            replace(shape, noise=noise).floor(gamma)
            for shape in shapes
            for noise in (self.best.noise, self.worst.noise)
        ]
        return list(dict.fromkeys(zip(shapes, starts, (min(floors), max(floors)), strict=True)))

    def _count(self, case: _Case, target: Fraction, gamma: Fraction | None) -> int:
        shape, _, floor = case
        last = shape.last(gamma)

        def reached(steps: int) -> bool:
            def is_decided(low: Fraction, high: Fraction) -> bool:
                return high <= target or low > target

            return _enclosure(case, steps, gamma, is_decided)[1] <= target

        if target <= floor:
            obstacle = f"the noise alone leaves {round_up(floor):.3g}"
            remedy = "a stepsize smaller in the same proportion"
        elif last is not None and not reached(last):
            obstacle = f"stepsize {float(gamma or 0)!r}, allowed for at most {last} iterations"
            remedy = "a smaller stepsize, or none: it is then chosen for T"
        else:
            return _smallest(reached, self.first, last)
        raise InvalidInput(
            f"{self.label} does not reach eps = {float(target):g} with this stepsize",
            obstacle,
            remedy,
        )

    def _gamma(self, T: SupportsIndex, stepsize: Fraction | float | None) -> Fraction | None:
        if stepsize is None:
            return None
        steps = self._steps(T)
        gamma = checked_number(stepsize, "stepsize").exact
        if gamma is None:
            raise InvalidInput(
                "must be known exactly", str(stepsize), "one number", argument="stepsize"
            )
        largest = self.worst.largest(steps)[0]
        when = f" for T = {steps}" if self.worst.by_steps else ""
        if gamma > round_up(largest):
            limit = round_down(largest)
            raise InvalidInput(
                f"must not exceed {limit:.17g}{when} for {self.label}",
                f"{stepsize!r}",
                "or none",
                argument="stepsize",
                suggest={"stepsize": limit},
            )
        return min(gamma, largest)

    def _steps(self, T: SupportsIndex) -> int:
        try:
            steps = operator.index(T)
        except TypeError:
            steps = -1
        if steps < self.first or isinstance(T, bool):
            raise InvalidInput(
                f"T must be a whole number, at least {self.first} in {self.label}", repr(T), "T=100"
            )
        return steps

    def _starts(
        self, squared_distance: Number | None, gap: Number | None
    ) -> tuple[tuple[Start, Start], Rigor]:
        values = {"squared_distance": squared_distance, "gap": gap}
        for name in self.needs:
            if values[name] is None:
                raise InvalidInput(
                    f"must be known for {self.label}",
                    f"{name}=None",
                    "in your units",
                    argument=name,
                    suggest={name: 1.0},
                )
        brackets = [
            checked_number(0 if value is None else value, name, zero=True)
            for name, value in values.items()
        ]
        low = Start(*(Fraction(b.exact_lower) for b in brackets))
        high = Start(*(Fraction(b.exact_upper) for b in brackets))
        return (low, high), min(self.rigor, *(b.rigor for b in brackets))


def theorem(
    label: str, measure: str, shape: Callable[..., Shape], *, first: int = 0, **constants: Number
) -> Rate:
    """The rate with these constants; its right-hand side must grow with each of them but mu."""
    brackets = {
        name: checked_number(value, name, zero=name == "variance")
        for name, value in constants.items()
    }
    above = next(iter(brackets))
    if "mu" in brackets and brackets["mu"].exact_lower > brackets[above].exact_upper:
        values = f"mu = {constants['mu']}, {above} = {constants[above]}"
        raise InvalidInput(f"must not exceed {above}", values, "mu <= lambda_min(L)", argument="mu")
    lower = {name: Fraction(bracket.exact_lower) for name, bracket in brackets.items()}
    upper = {name: Fraction(bracket.exact_upper) for name, bracket in brackets.items()}
    if "mu" in brackets:
        lower["mu"], upper["mu"] = upper["mu"], lower["mu"]
    rigor = min(bracket.rigor for bracket in brackets.values())
    return Rate(label, measure, first, shape(**lower), shape(**upper), rigor)


def checked_number(
    value: Number, name: str, *, zero: bool = False, suggest: float | str = 1.0
) -> Bracket:
    """Return the bracket of a positive number, cut to positive ends; 0 is allowed if `zero`."""
    bracket = (
        value if isinstance(value, Bracket) else Bracket.of_fraction(exact_number(value, name))
    )
    least = Fraction(0) if zero else _TINY
    if not least <= bracket.exact_upper < math.inf or (
        bracket.exact is not None and bracket.exact < least
    ):
        what = "a finite number, at least 0" if zero else "positive and finite"
        raise InvalidInput(
            f"must be {what}", str(value)[:80], argument=name, suggest={name: suggest}
        )
    return (
        bracket
        if bracket.exact_lower >= least
        else Bracket(least, bracket.exact_upper, bracket.rigor)
    )


def _enclosure(
    case: _Case, steps: int, gamma: Fraction | None, enough: Callable[[Fraction, Fraction], bool]
) -> Ends:
    """Bounds on the right-hand side after so many steps, as close as is enough."""
    shape, start, floor = case
    bits = 128 + 2 * steps.bit_length()
    while True:
        low, high = (end + floor for end in shape.enclosure(steps, start, gamma, bits))
        if enough(low, high):
            return low, high
        bits *= 2


def _smallest(reached: Callable[[int], bool], first: int, last: int | None) -> int:
    """Return the smallest whole number in [first, last] that satisfies a monotone condition.

    If there is a `last`, it must satisfy the condition.
    """
    low = first
    high = first
    step = 1
    while not reached(high):
        low = high + 1
        high = high + step if last is None else min(high + step, last)
        step = 2 * step
    while low < high:
        middle = (low + high) // 2
        if reached(middle):
            high = middle
        else:
            low = middle + 1
    return low
