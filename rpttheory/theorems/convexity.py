"""Checks that a strong convexity constant is one that L allows: mu <= lambda_min(L)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

import numpy as np

from ..eigen import prove_psd
from ..errors import InvalidInput
from ..numbers import Bracket, Rigor, Verdict
from ..numbers.decimals import decimal_floor
from ..problem.problem import Problem
from ..statements import Claim, decide
from ..statements.expression import Name, Number

MuStatus = Literal["proved", "assumed"]

# A Rayleigh quotient is an upper bound of lambda_min up to the rounding of one product.
_ESTIMATE_ERROR = 1e-6
# Above this dimension a bracket of lambda_min(L) takes too long to be computed unasked.
_LARGEST_DIMENSION = 2000


def known_mu(problem: Problem) -> tuple[Bracket | None, str]:
    """Return a proved bound 0 < mu <= lambda_min(L), or None and the reason why there is none.

    The ridge of a data matrix is one; otherwise lambda_min(L) is bounded, up to d = 2000.
    """
    floor = problem.smoothness.floor()
    if floor is not None and floor > 0:
        return Bracket.of_fraction(floor), ""
    dimension = problem.blocks.dimension
    if dimension > _LARGEST_DIMENSION:
        return None, f"lambda_min(L) is not computed for d = {dimension}"
    least = problem.mu
    if least.rigor is Rigor.NUMERICAL:
        return None, "L gives no proved bound of lambda_min(L)"
    if least.lower > 0:
        return Bracket.point(least.lower), ""
    return None, f"lambda_min(L) is not proved to be positive: {least}"


def check_mu(problem: Problem, mu: Bracket) -> MuStatus:
    """Return "proved" if mu <= lambda_min(L), and "assumed" if that is only a numerical estimate.

    Raises `InvalidInput` where mu > lambda_min(L) is proved, where mu exceeds a numerical estimate
    of lambda_min(L), and where mu is so close to lambda_min(L) that no bracket decides.
    """
    floor = problem.smoothness.floor()
    if floor is not None and mu.exact_upper <= floor:
        return "proved"
    smallest = _upper_bound_from_diagonal(problem)
    if smallest is not None and mu.exact_lower > smallest:
        raise _refusal(
            mu, Bracket(min(floor or 0, smallest), smallest), "mu must not exceed lambda_min(L)"
        )
    if _proved_by_one_factorization(problem, mu):
        return "proved"
    claim = Claim("mu", Name("mu", "mu"), ">=", Number("mu", Fraction(mu.exact_upper)))
    (decision,) = decide([claim], problem)
    least = decision.left
    if floor is not None and least.exact_lower < floor <= least.exact_upper:
        least = Bracket(floor, least.exact_upper, least.rigor)
    if least.rigor is Rigor.NUMERICAL:
        if mu.lower > least.upper * (1 + _ESTIMATE_ERROR):
            raise _refusal(mu, least, "mu must not exceed the estimate of lambda_min(L)")
        return "assumed"
    if mu.exact_upper <= least.exact_lower:
        return "proved"
    if mu.exact_lower > least.exact_upper:
        raise _refusal(mu, least, "mu must not exceed lambda_min(L)")
    raise _refusal(mu, least, "mu is too close to lambda_min(L) to be compared with it")


def _upper_bound_from_diagonal(problem: Problem) -> Fraction | None:
    """Return the least diagonal entry, which lambda_min(L) does not exceed; None where it is not
    known.
    """
    diagonal = problem.smoothness.diagonal_brackets()
    if diagonal is None or any(entry.rigor is Rigor.NUMERICAL for entry in diagonal):
        return None
    return min(
        (entry.exact_upper for entry in diagonal if isinstance(entry.exact_upper, Fraction)),
        default=None,
    )


def _proved_by_one_factorization(problem: Problem, mu: Bracket) -> bool:
    """Return whether L - mu I is proved positive semidefinite, which is cheaper than a bracket of
    lambda_min(L).
    """
    explicit = problem.smoothness.explicit()
    level = mu.upper
    if explicit is None or not math.isfinite(level):
        return False
    return prove_psd(explicit, np.ones(explicit.dimension), -level, sign=-1) is Verdict.PROVED


def _refusal(mu: Bracket, least: Bracket, what: str) -> InvalidInput:
    value = f"mu = {mu}; bounds on lambda_min(L): {least}"
    if least.exact_lower > 0:
        remedy = f"a mu of at most {decimal_floor(least.exact_lower, 10)}"
    elif least.exact_upper > 0:
        remedy = "a mu of at most lambda_min(L), or none"
    else:
        remedy = "no mu: L is singular"
    return InvalidInput(what, value, remedy)
