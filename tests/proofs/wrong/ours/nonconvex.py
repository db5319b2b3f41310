"""Wrong twins for the remarks on the nonconvex theorem."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.ours import nonconvex as right
from proofs_check.paper import text_replaceLPbyLM as shared

WRONG = {
    "our:nonconvexOneStep": (
        on_instances(partial(right.exact_decrease, halves=2)),
        identity(partial(right.quadratic_is_exact, factor=2), "twice the curvature"),
        identity(partial(right.eigenvector_decrease, factor=1), "twice the second-order term"),
        identity(partial(right.first_gradient, factor=1), "half of the bound"),
    ),
    "our:nonconvexApproached": (
        on_instances(partial(right.run_down, gap=Fraction(1, 4))),
        inequality(partial(right.bends_down, sign=-1), "bends up"),
        identity(partial(right.decrease_of_a_piece, factor=2), "twice the excess"),
        inequality(partial(right.approaches_one, sign=-1), "beyond one"),
    ),
    "our:nonconvexRandomIterate": (
        on_quadratics(partial(shared.mean_gradients, factor=Fraction(9, 10))),
        inequality(partial(shared.summed, shift=1), "a slack taken away twice"),
        identity(partial(right.mean_over_numbers, power=2), "divided twice"),
        inequality(partial(shared.solved, factor=1), "half of the bound"),
    ),
}
