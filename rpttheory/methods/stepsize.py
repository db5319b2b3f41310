"""Stepsizes: the largest that a theorem allows by default, and a refusal of anything above it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from ..certify.bracket import Bracket, round_down
from ..errors import InvalidInput
from ..quantities import block_smoothness
from .method import FloatArray, Problem

# A stepsize above the allowed one by less than this is a rounding of it.
_SLACK = 1 + Fraction(1, 10**9)


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
    # Smoothness 0 is a function without curvature: any stepsize will do.
    largest = 1.0 if smoothness.upper <= 0 else round_down(1 / Fraction(smoothness.upper))
    if given is None:
        return Stepsize(largest, largest, rule)
    number = _number(given)
    if not (math.isfinite(number) and number > 0):
        raise InvalidInput("the stepsize must be positive and finite", repr(given)[:80], f"stepsize={largest!r}")
    if not unsafe and smoothness.lower > 0 and number > _SLACK / Fraction(smoothness.lower):
        raise InvalidInput(
            f"the stepsize must not exceed {rule} = {largest:.9g}",
            f"{number!r}, {number / largest:.4g} times as large",
            f"stepsize={largest!r}, or none; unsafe=True runs without the theorem's promise",
        )
    return Stepsize(number, largest, rule)


def block_stepsizes(problem: Problem, given: ArrayLike | None, *, unsafe: bool) -> FloatArray:
    """1 / L_k for each block, or those given if none is larger; 0 for blocks without curvature."""
    constants = block_smoothness(problem.objective.smoothness, problem.blocks)
    wanted = [None] * len(constants) if given is None else np.asarray(given, dtype=object).ravel().tolist()
    if len(wanted) != len(constants):
        raise InvalidInput(
            f"there must be one stepsize per block, {len(constants)} in all", f"{len(wanted)}", "none: 1/L_k is used"
        )
    return np.array(
        [
            0.0
            if constant.upper <= 0
            else allowed_stepsize(constant, stepsize, unsafe=unsafe, rule=f"1/L_k of block {k}").value
            for k, (constant, stepsize) in enumerate(zip(constants, wanted, strict=True))
        ]
    )


def _number(given: object) -> float:
    try:
        return math.nan if isinstance(given, bool) else float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan
