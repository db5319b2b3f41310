"""Wrong twins of the checks in proofs_check/facts, in the order of the ledger."""

from fractions import Fraction
from functools import partial

from proofs_check.checks.paths import on_paths
from proofs_check.checks.randomised import on_instances
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import decided
from proofs_check.facts import compound_interest, convexity, matrices

WRONG = {
    "fact:congruence": (
        on_instances(partial(matrices.keeps_semidefinite, shift=1)),
        identity(partial(matrices.moved_to_the_vector, power=2), "T twice on one side"),
        inequality(partial(matrices.square_of_a_sum, sign=-1), "the square of the difference"),
    ),
    "fact:rayleigh": (
        on_instances(partial(matrices.bounds_the_form, lowered=1)),
        inequality(partial(matrices.term_in_the_eigenbasis, sign=-1), "the smallest eigenvalue"),
    ),
    "fact:cauchySchwarz": (
        on_instances(partial(matrices.on_vectors, less=1)),
        inequality(partial(matrices.pair_of_terms, sign=1), "the square of the sum"),
        identity(partial(matrices.term_on_the_diagonal, power=1), "a square missing"),
    ),
    "fact:schurComplement": (
        on_instances(partial(matrices.both_definite, sign=1)),
        identity(partial(matrices.completed_square, power=2), "inverted twice"),
    ),
    "fact:schurProduct": (
        on_instances(partial(matrices.products_are_semidefinite, shift=1)),
        identity(partial(matrices.entries_of_outer_products, power=2), "b twice"),
        inequality(partial(matrices.square_of_a_sum, sign=-1), "the square of the difference"),
    ),
    "fact:cocoercivity": (
        on_paths(partial(convexity.on_pieces, factor=2), convexity.huber),
        inequality(partial(convexity.tilted_gap, sign=-1), "a concave function"),
        identity(partial(convexity.smoothness_of_the_tilted, sign=-1), "the gradients exchanged"),
        identity(partial(convexity.no_part_in_the_kernel, curvature=1), "there is curvature in the kernel"),
        identity(partial(convexity.best_shift, factor=2), "twice as far"),
        identity(partial(convexity.both_ways, sign=2), "twice the norm"),
    ),
    "fact:jensen": (
        on_paths(partial(convexity.mean_on_pieces, factor=Fraction(99, 100)), convexity.huber),
        inequality(partial(convexity.above_the_plane, sign=-1), "a concave function"),
        identity(partial(convexity.mean_of_the_plane, weight=2), "one point taken twice"),
    ),
    "fact:compoundInterest": (
        compound_interest.below_e(more=1),
        identity(partial(compound_interest.next_binomial, shift=1), "one too many to choose from"),
        inequality(partial(compound_interest.binomial_terms, growth=1), "terms that shrink to nothing"),
        identity(partial(compound_interest.geometric_tail, ratio=2), "the wrong ratio"),
        decided(lambda: compound_interest.e_lies_between(above=Fraction(2718, 1000)), "e below 2.718"),
    ),
}
