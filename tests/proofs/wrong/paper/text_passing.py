"""Wrong twins for the claims made in passing."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import inequality
from proofs_check.checks.witness import decided
from proofs_check.paper import text_passing as right

UNEQUAL = (Fraction(4, 5), Fraction(1, 5))

WRONG = {
    "text:biasedRCD": (decided(partial(right.original_is_biased, p=UNEQUAL), "p proportional to L is not biased"),),
    "text:sharpEstimates": (
        decided(partial(right.both_ends_attained, L=(2, 1)), "the top of L where p is large"),
        decided(partial(right.far_apart, n=10), "ten times only"),
    ),
    "text:immediateConsequence": (
        on_quadratics(partial(right.second_moments, factor=2)),
        on_quadratics(partial(right.distances, factor=3)),
        inequality(partial(right.second_moment_used, factor=1), "half of the second moment"),
        inequality(partial(right.strong_convexity_used, factor=2), "mu twice"),
        inequality(partial(right.last_term_dropped, sign=-1), "a longer step"),
    ),
    "text:firstChoice": (on_instances(partial(right.known_choice, factor=Fraction(9, 10))),),
}
