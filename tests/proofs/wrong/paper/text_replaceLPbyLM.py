"""Wrong twins for the remark on L_M."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.paper import text_replaceLPbyLM as right

WRONG = {
    "text:replaceLPbyLM": (
        on_quadratics(partial(right.with_second_moment, factor=Fraction(9, 10))),
        identity(partial(right.mean_of_the_inner_product, power=2), "divided by p twice"),
        inequality(partial(right.form_bounded, sign=-1), "L_P below L_M"),
        inequality(partial(right.half_below_factor, sign=-1), "a stepsize above 1/L_M"),
        inequality(partial(right.summed, shift=1), "a slack taken away twice"),
        inequality(partial(right.solved, factor=1), "half of the bound"),
    )
}
