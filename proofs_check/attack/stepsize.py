"""The largest stepsize a theorem allows: in floats for the search, and exactly for a decision."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rpttheory import Bracket, Problem, Verdict
from rpttheory.numbers.exact_array import FloatArray

from .case import Case
from .ridge import Numbers
from .stack import Stack


@dataclass(frozen=True)
class Limit:
    """`largest` in floats, and whether a case's own stepsize is surely `allowed`."""

    text: str
    largest: Callable[[Stack], FloatArray]
    allowed: Callable[[Case], bool]


def _inverse(case: Case, factor: Fraction | int = 1) -> Fraction:
    return 1 / (factor * Fraction(case.stepsize or 0.0))


def _moment_allows(case: Case) -> bool:
    clc = case.exact.clc[0]
    return case.psd(np.diag([_inverse(case)] * len(clc)) - clc)


def instance_of(case: Case, p: Numbers | None = None) -> Problem:
    """The library's view of a case, with its own probabilities or others, in exact arithmetic."""
    found = case.p if p is None else p.tolist()
    return Problem(case.L, case.blocks, costs=case.costs, probabilities=found).with_effort("exact")


def lmax_times_L_P(case: Case) -> Bracket:
    """lambda_max(L) L_P."""
    instance = instance_of(case)
    return instance.lmax * instance.L_P


def _generic_allows(case: Case) -> bool:
    square = Fraction(case.stepsize or 0.0) ** 2 * case.steps
    return (lmax_times_L_P(case) * square <= 1) is Verdict.PROVED


# L_P >= lambda_max(L), because P <= I: so 1/(4 L_P) is the smaller of the two limits in
# thm:oldConvex.
FULL = Limit("1/L_P", lambda s: 1 / s.L_P, lambda case: case.dominates(_inverse(case)))
LONG = Limit(
    "3/(2 L_P)", lambda s: 1.5 / s.L_P, lambda case: case.dominates(_inverse(case, Fraction(2, 3)))
)
HALF = Limit("1/(2 L_P)", lambda s: 0.5 / s.L_P, lambda case: case.dominates(_inverse(case, 2)))
QUARTER = Limit(
    "min(1/(4 A), 1/(2 L))", lambda s: 0.25 / s.L_P, lambda case: case.dominates(_inverse(case, 4))
)
MOMENT = Limit("1/L_M", lambda s: 1 / s.L_M, _moment_allows)
GENERIC = Limit("1/sqrt(L A T)", lambda s: 1 / np.sqrt(s.lmax * s.L_P * s.steps), _generic_allows)
