"""Wrong twins of the checks in proofs_check/facts, in the order of the ledger."""

from fractions import Fraction
from functools import partial

from proofs_check.checks.paths import on_paths
from proofs_check.checks.randomised import on_instances
from proofs_check.checks.witness import decided
from proofs_check.facts import compound_interest, convexity, matrices

from . import Slip, twins

TWINS = {
    "fact:congruence": (
        on_instances(partial(matrices.keeps_semidefinite, shift=1)),
        Slip("T_lj*", "T_lj^2*", "T twice on one side"),
        Slip("S +", "S -", "the square of the difference"),
    ),
    "fact:rayleigh": (
        on_instances(partial(matrices.bounds_the_form, lowered=1)),
        Slip("delta_i*", "-delta_i*", "the smallest eigenvalue"),
    ),
    "fact:cauchySchwarz": (
        on_instances(partial(matrices.on_vectors, less=1)),
        Slip("- a_j", "+ a_j", "the square of the sum"),
        Slip("b_i^2", "b_i", "a square missing"),
    ),
    "fact:schurComplement": (
        on_instances(partial(matrices.both_definite, sign=1)),
        Slip("2/lambda_i", "2/lambda_i^2", "inverted twice"),
    ),
    "fact:schurProduct": (
        on_instances(partial(matrices.products_are_semidefinite, shift=1)),
        Slip("a_j*b_j", "a_j*b_j^2", "b twice"),
        Slip("S +", "S -", "the square of the difference"),
    ),
    "fact:cocoercivity": (
        on_paths(partial(convexity.on_pieces, factor=2), convexity.huber),
        Slip("gap;", "-gap;", "a concave function"),
        Slip("+ (g_x", "- (g_x", "the gradients exchanged"),
        Slip("0*v", "1*v", "there is curvature in the kernel"),
        Slip("w_i/", "2*w_i/", "twice as far"),
        Slip(")*(x - y) - n", ")*(x - y) - 2*n", "twice the norm"),
    ),
    "fact:jensen": (
        on_paths(partial(convexity.mean_on_pieces, factor=Fraction(99, 100)), convexity.huber),
        Slip("by gap_t", "by -gap_t", "a concave function"),
        Slip("x -", "2*x -", "one point taken twice"),
    ),
    "fact:compoundInterest": (
        compound_interest.below_e(more=1),
        Slip("k)/(k", "k + 1)/(k", "one too many to choose from"),
        Slip("k/T", "(k - T)/T", "terms that shrink to nothing"),
        Slip("n + 1", "n + 2", "the wrong ratio"),
        decided(
            lambda: compound_interest.e_lies_between(above=Fraction(2718, 1000)), "e below 2.718"
        ),
    ),
}

WRONG = twins(TWINS)
