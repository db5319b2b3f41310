"""Wrong twins for thm:rcdNonconvex."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.paths import on_paths, saturating
from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import refuted_by
from proofs_check.paper import text_replaceLPbyLM as shared
from proofs_check.paper import thm_rcdNonconvex as right

LESS = Fraction(9, 10)

WRONG = {
    "thm:rcdNonconvex": (
        on_quadratics(partial(shared.mean_gradients, factor=LESS)),
        on_paths(partial(right.least_gradients, factor=LESS), saturating),
        inequality(partial(shared.smoothness_between, factor=2), "half of the curvature"),
        identity(partial(shared.step_inserted, power=1), "gamma once in the square"),
        identity(partial(shared.norm_as_form, sign=-1), "the sign of the form"),
        identity(partial(shared.mean_of_the_inner_product, power=2), "divided by p twice"),
        inequality(partial(shared.form_bounded, sign=-1), "L_P below L_M"),
        inequality(partial(shared.decrease, factor=1), "twice the second-order term"),
        inequality(partial(right.least_below_mean, factor=2), "twice the least"),
        inequality(partial(shared.half_below_factor, sign=-1), "a stepsize above 1/L_P"),
        refuted_by(lambda: right.index_fails((1, 1)), "equal gradients do not tell the indices apart"),
        identity(partial(right.factor_collected, factor=1), "twice the second-order term"),
        refuted_by(lambda: right.pathwise_fails(steps=0), "for T = 0 there is one path only"),
        inequality(partial(shared.summed, shift=1), "a slack taken away twice"),
        inequality(partial(shared.lower_bound_used, sign=-1), "values below the least"),
        inequality(partial(shared.solved, factor=1), "half of the bound"),
        inequality(partial(right.in_particular, factor=1), "half as many steps"),
    )
}
