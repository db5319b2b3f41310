"""Wrong twins for the upper half of lem:twoBounds."""

from __future__ import annotations

from functools import partial

from proofs_check.checks.randomised import on_random_matrices
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import decided
from proofs_check.ours import two_bounds as right
from proofs_check.paper.lem_twoBounds import upper_sides

WRONG = {
    "our:twoBounds": (
        on_random_matrices(partial(upper_sides, factor=0.9)),
        identity(partial(right.gram_form, power=2), "x twice on one side"),
        inequality(partial(right.inner_products, sign=1), "the square of the sum"),
        inequality(partial(right.block_form, sign=-1), "the smallest eigenvalue of the block"),
        inequality(partial(right.weighted_sum, sign=1), "the square of the sum"),
    ),
    "our:indefinite": (
        decided(lambda: right.breaks_the_upper_bound(((2, 1), (1, 2)), (1, 1)), "a semidefinite matrix"),
        decided(lambda: right.breaks_the_upper_bound(((0, 1), (1, 0)), (1, -1)), "the other eigenvector"),
    ),
}
