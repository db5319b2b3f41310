"""Wrong twins for the remarks on ProgFed."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import decided, refuted_by
from proofs_check.paper import text_progfed as right

HALF = Fraction(1, 2)

WRONG = {
    "text:progfedAlpha": (
        on_instances(partial(right.any_weight, power=3)),
        identity(partial(right.constant_weight, power=1), "a in place of its square"),
        decided(lambda: right.weights_of_both_signs(-HALF), "a positive weight"),
        decided(lambda: right.weight_falls_along_the_run(y=HALF), "with y > 0 the weight stays at 1"),
    ),
    "text:progfedQ": (
        on_instances(partial(right.any_ratio, power=3)),
        identity(partial(right.ratio, power=1), "a in place of its square"),
        inequality(partial(right.ratio_unbounded, factor=2), "twice the square"),
        decided(lambda: right.ratio_of_any_sign(-HALF), "a positive ratio"),
    ),
    "text:progfedFirst": (
        refuted_by(lambda: right.norm_without_square_fails(scale=2), "for large c more steps are promised"),
        inequality(partial(right.decrease, power=1), "the weight itself in place of its square"),
        on_instances(partial(right.one_layer, power=1)),
    ),
}
