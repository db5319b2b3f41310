"""Stepsizes: the largest that a theorem allows by default, and a refusal of anything above it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidInput
from ..numbers.bracket import Bracket, round_down
from ..numbers.exact_array import FloatArray
from ..objectives import as_number

# A stepsize that exceeds the allowed one by less than this is a rounding of it.
_SLACK = 1 + Fraction(1, 10**9)
# Smaller constants count as 0: the upper end of the bracket of a zero is some multiple of the least
# float, and the inverses of such numbers overflow. The stepsize 1 used instead is smaller, so the
# theorems still apply.
_FLAT = 2.0**-1000
# With larger constants (7e299) gradients and their products with probabilities overflow.
_STEEP = 2.0**996
# Stepsizes listed in a text.
_LISTED = 8


@dataclass(frozen=True)
class Stepsize:
    """A stepsize, the largest that theory allows, and the rule that gives the latter."""

    value: float
    allowed: float
    rule: str

    def __str__(self) -> str:
        if self.value == self.allowed:
            return f"stepsize {self.value:.6g} = {self.rule}"
        return f"stepsize {self.value:.6g}, allowed up to {self.rule} = {self.allowed:.6g}"


def is_flat(smoothness: Bracket) -> bool:
    """True if a constant is 0, or so small that its inverse overflows."""
    return smoothness.upper < _FLAT


def require_range(smoothness: float, name: str) -> None:
    """Raise InvalidInput if a constant is so large that steps would overflow."""
    if not smoothness <= _STEEP:
        what = f"{name} must not exceed {_STEEP:.1g}"
        raise InvalidInput(what, f"{smoothness:.3g}", "L scaled down")


def allowed_stepsize(
    smoothness: Bracket,
    requested: float | None,
    *,
    unsafe: bool,
    rule: str,
) -> Stepsize:
    """The stepsize 1 / smoothness, or the requested one if it is no larger (or `unsafe`).

    Parameters
    ----------
    smoothness : Bracket
        The default is the inverse of its upper end. A requested stepsize is refused if it certainly
        exceeds the inverse by more than rounding (1e-9).
    requested : float or None
        The user's choice.
    unsafe : bool
        Accept a stepsize above the allowed one.
    rule : str
        The rule, such as "1/L_P (thm:rcdStronglyConvex)".
    """
    require_range(smoothness.upper, f"the constant of the stepsize {rule}")
    # A function with smoothness 0 has no curvature: every stepsize is allowed.
    largest = 1.0 if is_flat(smoothness) else round_down(1 / Fraction(smoothness.upper))
    if requested is None:
        return Stepsize(largest, largest, rule)
    number = as_number(requested)
    if not (math.isfinite(number) and number > 0):
        raise InvalidInput(
            "must be positive and finite",
            repr(requested)[:80],
            argument="stepsize",
            suggest={"stepsize": largest},
        )
    if not unsafe and smoothness.lower > 0 and number > _SLACK / Fraction(smoothness.lower):
        raise InvalidInput(
            f"must not exceed {rule} = {largest:.9g}",
            f"{number!r}, {number / largest:.4g} times as large",
            "or none; unsafe=True accepts it, and no theorem applies",
            argument="stepsize",
            suggest={"stepsize": largest},
        )
    return Stepsize(number, largest, rule)


def block_stepsizes(
    constants: Sequence[Bracket], requested: ArrayLike | None = None, *, unsafe: bool = False
) -> FloatArray:
    """1 / L_k for each block (0 for flat blocks), or the requested stepsizes if none is larger."""
    stepsizes = []
    choices = per_block(requested, len(constants))
    for block, (L_k, choice) in enumerate(zip(constants, choices, strict=True)):
        if choice is None and is_flat(L_k):
            stepsizes.append(0.0)
        else:
            rule = f"1/L_k of block {block}"
            stepsizes.append(allowed_stepsize(L_k, choice, unsafe=unsafe, rule=rule).value)
    return np.array(stepsizes)


def per_block(requested: ArrayLike | None, count: int) -> list[Any]:
    """The requested stepsizes as a list with one entry per block, None for the default."""
    if requested is None:
        return [None] * count
    stepsizes: list[Any] = np.asarray(requested, dtype=object).ravel().tolist()
    if len(stepsizes) != count:
        raise InvalidInput(
            f"must have one entry per block, {count} in all",
            f"{len(stepsizes)}",
            "no stepsizes: the defaults are used",
            argument="stepsizes",
        )
    return stepsizes


def describe_stepsizes(requested: ArrayLike | None, rule: str) -> str:
    """The rule behind several stepsizes, and the first of the requested ones if there are any."""
    if requested is None:
        return f"stepsize {rule}"
    choices = np.asarray(requested, dtype=object).ravel().tolist()
    numbers = [choice if choice is None else f"{as_number(choice):.6g}" for choice in choices]
    listed = [number or "default" for number in numbers[:_LISTED]]
    if len(choices) > _LISTED:
        listed.append("...")
    return f"stepsizes {', '.join(listed)} as given, allowed up to {rule}"
