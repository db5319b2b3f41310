"""Stepsizes: the largest that a theorem allows by default, and a refusal of anything above it."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..errors import InvalidInput
from ..numbers.bracket import Bracket, round_down
from ..numbers.exact_array import FloatArray
from ..objectives.objective import as_nonnegative

# A stepsize that exceeds the allowed one by less than this is a rounding of it.
_SLACK = 1 + Fraction(1, 10**9)
# Smaller constants count as 0: the upper end of the bracket of a zero is some multiple of the least
# float, and the inverses of such numbers overflow. The stepsize 1 used instead is smaller, so the
# theorems still apply.
_FLAT = 2.0**-1000
# With larger constants (7e299) gradients and their products with probabilities overflow.
_STEEP = 2.0**996


def is_flat(smoothness: Bracket) -> bool:
    """True if a constant is 0, or so small that its inverse overflows."""
    return smoothness.upper < _FLAT


def require_range(smoothness: float, name: str) -> None:
    """Raise InvalidInput if a constant is so large that steps would overflow."""
    if not smoothness <= _STEEP:
        what = f"{name} must not exceed {_STEEP:.1g}"
        raise InvalidInput(what, f"{smoothness:.3g}", "L scaled down")


def allowed_stepsize(
    smoothness: Bracket, requested: float | None = None, *, unsafe: bool = False, rule: str
) -> tuple[float, str]:
    """Return the stepsize 1 / smoothness, or the requested one if it is no larger (or `unsafe`).

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

    Returns
    -------
    (float, str)
        The stepsize, and a text with the stepsize and the rule.
    """
    require_range(smoothness.upper, f"the constant of the stepsize {rule}")
    # A function with smoothness 0 has no curvature: every stepsize is allowed.
    largest = 1.0 if is_flat(smoothness) else round_down(1 / Fraction(smoothness.upper))
    if requested is None:
        return largest, f"stepsize {largest:.6g} = {rule}"
    stepsize = as_nonnegative(requested, "stepsize", largest, positive=True)
    if not unsafe and smoothness.lower > 0 and stepsize > _SLACK / Fraction(smoothness.lower):
        raise InvalidInput(
            f"must not exceed {rule} = {largest:.9g}",
            f"{stepsize!r}, {stepsize / largest:.4g} times as large",
            "or none; unsafe=True accepts it, and no theorem applies",
            argument="stepsize",
            suggest={"stepsize": largest},
        )
    return stepsize, f"stepsize {stepsize:.6g}, allowed up to {rule} = {largest:.6g}"


def block_stepsizes(constants: Sequence[Bracket]) -> FloatArray:
    """1 / L_k for each block, 0 for flat blocks."""
    return np.array(
        [
            0.0 if is_flat(L_k) else allowed_stepsize(L_k, rule=f"1/L_k of block {block}")[0]
            for block, L_k in enumerate(constants)
        ]
    )
