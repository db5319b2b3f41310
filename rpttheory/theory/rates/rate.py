"""What a convergence theorem is once its constants are known: a stepsize, a right-hand side, a number of steps."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsIndex

from ...certify.bracket import round_down, round_up
from ...errors import InvalidInput
from .arithmetic import number, positive, smallest

_TINY = Fraction(1, 2**1074)


@dataclass(frozen=True)
class Start:
    """What is known of x_0: `squared_distance` = ||x_0 - x*||^2 and `gap` = f(x_0) - f*.

    Examples
    --------
    >>> Start(squared_distance=Fraction(1), gap=Fraction(1, 2)).gap
    Fraction(1, 2)
    """

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
    >>> from rpttheory.theory.rates import convex
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
        target, start = positive(eps, "eps"), self._start(squared_distance, gap)
        gamma = self._gamma(self.first, stepsize)
        floor = self._floor(self._largest(self.first) if gamma is None else gamma)
        if target <= floor:
            raise InvalidInput(
                f"{self.label} does not reach eps = {eps:g} with this stepsize",
                f"the noise alone leaves {round_up(floor):.3g}",
                "a stepsize smaller in the same proportion",
            )
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
        return smallest(reached, self.first, last, self._estimate(target - floor, start, gamma))

    def printed_iterations(
        self, eps: float, *, squared_distance: float | None = None, gap: float | None = None
    ) -> int | None:
        """The smallest T that the paper's own sufficient condition admits; None where it prints none."""
        return self._printed(positive(eps, "eps"), self._start(squared_distance, gap))

    # -- what each theorem fills in --------------------------------------------------------------

    @abstractmethod
    def _largest(self, steps: int | None) -> Fraction:
        """The largest stepsize (or a fraction just below it that rounds down to the same float)."""

    def _enclosures(self, steps: int, start: Start, gamma: Fraction | None) -> Iterator[tuple[Fraction, Fraction]]:
        bits = 128 + 2 * steps.bit_length()
        floor = self._floor(self._largest(steps) if gamma is None else gamma)
        while True:
            low, high = self._enclosure(steps, start, gamma, bits)
            yield low + floor, high + floor
            bits *= 2

    def _floor(self, gamma: Fraction) -> Fraction:
        """What no number of steps takes off the right-hand side."""
        return Fraction(0)

    @abstractmethod
    def _enclosure(self, steps: int, start: Start, gamma: Fraction | None, bits: int) -> tuple[Fraction, Fraction]:
        """Bounds on the rest of it that close in as `bits` grows; gamma None is the largest stepsize."""

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
        gamma = positive(stepsize, "stepsize")
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
        return Start(*(Fraction(0) if value is None else number(value, name) for name, value in given.items()))
