"""Wrong twins for the closed form of the strongly convex factor."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import strongly_convex_simple as right

WRONG = {
    "our:stronglyConvexSimple": (
        on_quadratics(partial(right.distances, factor=Fraction(21, 10))),
        identity(partial(right.share_at_two, multiplier=3), "another multiplier"),
        inequality(partial(right.largest_for_the_least, sign=-1), "the largest probability"),
        inequality(partial(right.below_the_paper, sign=-1), "above the paper's factor"),
    ),
    "our:stronglyConvexWhen": (
        on_instances(partial(right.either_way, wider=1)),
        inequality(partial(right.never_below, sign=-1), "a share below the least"),
        inequality(partial(right.admissible_multiplier, factor=1), "half of the multiplier"),
        inequality(partial(right.close_probabilities, sign=-1), "a larger share"),
        identity(partial(right.far_probabilities, sign=-1), "a smaller share"),
        identity(partial(right.edge, factor=2), "twice s"),
    ),
}
