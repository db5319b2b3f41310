"""How RPT's estimator satisfies the ABC assumption (no label): two ways, and others."""

from fractions import Fraction
from functools import partial

from ..checks.symbolic import formula
from ..checks.witness import decided
from ..engine.entry import Bound, Entry, Formal, Status, Step
from .lem_key_quantity import NORM_BOUND


def third_way_exists(A: Fraction, B: Fraction) -> bool:
    """f = (3 x_1^2 + x_2^2)/2 with p = (1, 1/2), so L_P = 3 and lambda_max(P^-1) = 2.

    E|g|^2 = 9 x_1^2 + 2 x_2^2, and 2 A f + B |grad f|^2 = (3 A + 9 B) x_1^2 + (A + B) x_2^2.
    Whether (A, B, 0) satisfies the assumption while A / L_P + B / lambda_max(P^-1) < 1: so it is
    below all mixtures of the two ways.
    """
    return 3 * A + 9 * B >= 9 and A + B >= 2 and A / 3 + B / 2 < 1 and min(A, B) >= 0


HALF = Fraction(1, 2)


CLAIMS = (
    Entry(
        label="text:ABCtwoWays",
        title="Two ways to satisfy the ABC assumption",
        latex=r"(A, B, C) = (L_P, 0, 0), \qquad (A, B, C) = (0, \lambda_{\max}(P^{-1}), 0)",
        text="The estimator C grad f(x) satisfies the ABC assumption with either triple.",
        bound=Bound.UPPER,
        tight=True,
        tightness=(
            "both are attained: by quadratics along a top eigenvector, and by gradients in a block"
            " of p_min"
        ),
        needs=("ass:ABC", "text:SkGD", "text:LP"),
        proof_needs=("lem:secondMoment",),
        steps=(
            Step(
                latex=r"\mathbb{E}\|g(x)\|^2 \leq 2 L_P (f(x) - f^{\inf})",
                text="lem:secondMoment.",
                check=formula(
                    "2*L_P*gap - slack <= 2*L_P*gap, by slack; L_P gap slack >= 0",
                    "any slack in the lemma",
                ),
            ),
            Step(
                latex=r"\mathbb{E}\|g(x)\|^2 = \|\nabla f(x)\|_{P^{-1}}^2",
                text="Coordinate by coordinate.",
                check=formula(
                    "p_i*(g_i/p_i)^2 + (1 - p_i)*0 = g_i^2/p_i; p_i > 0",
                    "coordinate i, so all dimensions and samplings",
                ),
            ),
            Step(
                latex=r"\|\nabla f(x)\|_{P^{-1}}^2 \leq \lambda_{\max}(P^{-1}) \|\nabla f(x)\|^2",
                text="The largest 1/p_i bounds the others.",
                check=NORM_BOUND,
            ),
        ),
        formal=Formal(
            "ABC_first ABC_second ABC_below_mixtures",
            "the ABC assumption holds with (L_P, 0, 0) and (0, lambda_max(P^-1), 0)",
            instance="ABC_below_mixtures",
        ),
    ),
    Entry(
        label="text:ABCnoOtherWays",
        title="Other ways to satisfy the ABC assumption",
        latex=(
            r"(A, B, C) = (\lambda L_P, (1 - \lambda) \lambda_{\max}(P^{-1}), 0), \quad 0 \leq"
            r" \lambda \leq 1"
        ),
        text=(
            "The paper says that there seem to be no ways but the two, a guess that no proof uses."
            " All mixtures of the two are ways, and for some problems there are ways below all"
            " mixtures."
        ),
        statement=Status.COMPUTED,
        proof=Status.NONE,
        needs=("ass:ABC", "text:ABCtwoWays"),
        checks=(
            formula(
                "lambda*(u - s) + rest*(v - t) <= lambda*u + rest*v, by lambda*s + rest*t; lambda"
                " rest s t >= 0",
                "any slack in the two ways, all mixtures",
                words=(
                    "1 - lambda = rest; E|g|^2 = u - s = v - t with u = 2 L_P (f -"
                    " f_inf) and v = lambda_max(P^-1) |grad f|^2"
                ),
            ),
            decided(
                partial(third_way_exists, 3 * HALF, HALF),
                "f = (3 x_1^2 + x_2^2)/2, p = (1, 1/2), L_P = 3, lambda_max(P^-1) = 2: A = 3/2, B ="
                " 1/2, C = 0 gives 2 A f + B |grad f|^2 = 9 x_1^2 + 2 x_2^2 = E|g|^2 exactly, with"
                " A / 3 + B / 2 = 3/4 < 1",
            ),
        ),
        formal=Formal(
            "ABC_other_ways ABC_mixture ABC_below_mixtures",
            "there are other ways: all mixtures of the two, and one below all mixtures",
            instance="ABC_below_mixtures",
            file="text_ABCtwoWays",
        ),
    ),
)
