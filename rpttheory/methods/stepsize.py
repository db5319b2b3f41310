"""Stepsizes: the largest that a theorem allows by default, and a refusal of anything above it."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from ..certify.bracket import Bracket, round_down
from ..errors import InvalidInput
from ..objectives import as_number
from ..problem.quantities import block_smoothness
from ..reals import FloatArray
from .method import Setting

# A stepsize above the allowed one by less than this is a rounding of it.
_SLACK = 1 + Fraction(1, 10**9)
# Below this a constant counts as 0: the rigorous upper end of a zero is some multiple of the least float, and the
# inverses of such numbers overflow. The stepsize 1 used instead is smaller, so no theorem is lost.
_FLAT = 2.0**-1000
# Above this (7e299) gradients and their products with probabilities overflow.
_STEEP = 2.0**996
# Stepsizes spelt out in a message.
_SHOWN = 8


@dataclass(frozen=True)
class Stepsize:
    """A stepsize, the largest that theory allows, and the rule that says so."""

    value: float
    allowed: float
    rule: str

    def __str__(self) -> str:
        if self.value == self.allowed:
            return f"stepsize {self.value:.6g} = {self.rule}"
        return f"stepsize {self.value:.6g}, allowed up to {self.rule} = {self.allowed:.6g}"


def is_flat(smoothness: Bracket) -> bool:
    """Whether a constant is 0, or so small that floats cannot tell it from 0 once inverted."""
    return smoothness.upper < _FLAT


def require_range(smoothness: float, name: str) -> None:
    """Raise where a constant is so large that steps would overflow."""
    if not smoothness <= _STEEP:
        raise InvalidInput(f"{name} must not exceed {_STEEP:.1g}", f"{smoothness:.3g}", "L scaled down")


def allowed_stepsize(smoothness: Bracket, given: float | None, *, unsafe: bool, rule: str) -> Stepsize:
    """The stepsize to use: 1 / smoothness, or the one given if it is no larger (or `unsafe`).

    Parameters
    ----------
    smoothness : Bracket
        The constant whose inverse is allowed. The default stepsize is the inverse of its upper end; a given one is
        refused where it surely exceeds the inverse by more than rounding (1e-9).
    given : float or None
        The user's choice.
    unsafe : bool
        Whether a stepsize above the allowed one is wanted.
    rule : str
        The rule in words, such as "1/L_P (thm:rcdStronglyConvex)".
    """
    require_range(smoothness.upper, f"the constant of the stepsize {rule}")
    # Smoothness 0 is a function without curvature: any stepsize will do.
    largest = 1.0 if is_flat(smoothness) else round_down(1 / Fraction(smoothness.upper))
    if given is None:
        return Stepsize(largest, largest, rule)
    number = as_number(given)
    if not (math.isfinite(number) and number > 0):
        raise InvalidInput("the stepsize must be positive and finite", repr(given)[:80], f"stepsize={largest!r}")
    if not unsafe and smoothness.lower > 0 and number > _SLACK / Fraction(smoothness.lower):
        raise InvalidInput(
            f"the stepsize must not exceed {rule} = {largest:.9g}",
            f"{number!r}, {number / largest:.4g} times as large",
            f"stepsize={largest!r}, or none; unsafe=True runs without the theorem's promise",
        )
    return Stepsize(number, largest, rule)


def block_stepsizes(setting: Setting, given: ArrayLike | None, *, unsafe: bool) -> FloatArray:
    """1 / L_k for each block (0 for blocks without curvature), or those given if none is larger."""
    constants = block_smoothness(setting.objective.smoothness, setting.blocks)
    wanted = [None] * len(constants) if given is None else np.asarray(given, dtype=object).ravel().tolist()
    if len(wanted) != len(constants):
        raise InvalidInput(
            f"there must be one stepsize per block, {len(constants)} in all", f"{len(wanted)}", "none: 1/L_k is used"
        )
    return np.array(
        [
            0.0
            if stepsize is None and is_flat(constant)
            else allowed_stepsize(constant, stepsize, unsafe=unsafe, rule=f"1/L_k of block {k}").value
            for k, (constant, stepsize) in enumerate(zip(constants, wanted, strict=True))
        ]
    )


def stepsizes_in_words(given: ArrayLike | None, rule: str) -> str:
    """What a run with several stepsizes says about them: the rule, or the numbers given beside the rule."""
    if given is None:
        return f"stepsize {rule}"
    numbers = np.asarray(given, dtype=object).ravel().tolist()
    shown = ["default" if number is None else f"{as_number(number):.6g}" for number in numbers[:_SHOWN]]
    more = ", ..." if len(numbers) > _SHOWN else ""
    return f"stepsizes {', '.join(shown)}{more} as given, allowed up to {rule}"
