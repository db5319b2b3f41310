"""Stepsizes: the largest that a theorem allows by default, and a refusal of anything above it."""

from __future__ import annotations

import math

from ..certify.bracket import Bracket, round_down, round_up
from ..errors import InvalidInput


def allowed_stepsize(smoothness: Bracket, given: float | None, *, unsafe: bool, rule: str) -> float:
    """The stepsize to use: 1 / smoothness, or the one given if it is no larger (or `unsafe`).

    Parameters
    ----------
    smoothness : Bracket
        The constant whose inverse is allowed. The default stepsize is the inverse of its upper end; a given one is
        refused only where it surely exceeds the inverse.
    given : float or None
        The user's choice.
    unsafe : bool
        Whether a stepsize above the allowed one is wanted.
    rule : str
        The rule in words, such as "1/L_P (thm:rcdStronglyConvex)".
    """
    # L = 0 is a constant function: any stepsize will do.
    largest = 1.0 if smoothness.upper <= 0 else _inverse(smoothness.upper, down=True)
    if given is None:
        return largest
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not (math.isfinite(given) and given > 0):
        raise InvalidInput("the stepsize must be positive and finite", repr(given), f"stepsize={largest!r}, or none")
    if not unsafe and smoothness.lower > 0 and given > _inverse(smoothness.lower, down=False):
        raise InvalidInput(
            f"the stepsize must not exceed {rule} = {largest:.9g}",
            f"{given!r}, {given / largest:.4g} times as large",
            f"stepsize={largest!r}, or none; unsafe=True runs without the theorem's promise",
        )
    return float(given)


def _inverse(value: float, *, down: bool) -> float:
    from fractions import Fraction

    exact = 1 / Fraction(value)
    return round_down(exact) if down else round_up(exact)
