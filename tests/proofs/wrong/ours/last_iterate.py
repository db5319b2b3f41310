"""Wrong twins for the convex rate of the last iterate."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from proofs_check.checks.paths import huber, on_paths
from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import decided, refuted_by
from proofs_check.ours import last_iterate as right


def much_less(T: int, gamma: Fraction, _: Fraction) -> Fraction:
    return 1 / ((12 * T + 4) * gamma)


def less(T: int, gamma: Fraction, L_P: Fraction) -> Fraction:
    return right.like_descent(T, gamma, L_P) / 4


WRONG = {
    "our:lastIterate": (
        on_quadratics(partial(right.gaps, rule=much_less)),
        on_paths(partial(right.gaps_on_paths, rule=much_less), huber),
        inequality(partial(right.facts, sign=-1), "values that rise"),
        inequality(partial(right.one_step, power=1), "gamma once"),
        inequality(partial(right.bracket_is_a_square, sign=-1), "the other sign"),
        inequality(partial(right.weights_do, factor=1), "half of the product"),
        identity(partial(right.ends, factor=4), "4T + 1"),
        inequality(partial(right.conclusion, factor=4), "4T + 1"),
    ),
    "our:lastIterateOne": (
        on_quadratics(partial(right.gaps, rule=less, most=1)),
        on_paths(partial(right.gaps_on_paths, rule=less, most=1), huber),
        decided(lambda: right.huber_attains(Fraction(2)), "a start nearer to the minimiser"),
        identity(partial(right.three_inequalities, sign=-1), "the other sign"),
        identity(partial(right.mean_over_the_draw, factor=1), "half a step"),
        identity(partial(right.discriminant, sign=-1), "the other sign"),
        inequality(partial(right.not_negative, sign=-1), "the other sign"),
    ),
    "our:lastIterateDescent": (
        refuted_by(lambda: right.descent_fails(x0=(Fraction(1), Fraction(0))), "from here the bound holds"),
    ),
}
