"""c(P) is convex in log p, and for two blocks in t on the slice p = (1, t)."""

from fractions import Fraction

from rpttheory import Problem

from ..checks.instances import Tries, tried
from ..checks.statements import describe, marginals, random_problems
from ..checks.symbolic import formula
from ..engine.entry import Entry, Evidence, Formal, Step, Trial
from .two_bounds import GRAM_FORM


def midpoints(trial: Trial, factor: float = 1.0) -> Tries:
    """L_P at the geometric mean of p^2 and 1, which is p, against the mean of its values there.

    The cost is left out: each c_l p_l L_P is convex by itself, and L_P is the one with p_l = 1.
    """
    for problem in random_problems(trial, 96):
        squares = [p**2 for p in marginals(problem)]
        at_squares = Problem(problem.smoothness, problem.blocks, probabilities=squares).L_P
        mean = (at_squares + problem.lmax) * Fraction(1, 2)
        yield problem.L_P.lower <= factor * mean.upper, describe(problem)


CLAIM = Entry(
    label="our:logConvex",
    title="c(P) is convex in log p, and for two blocks on the slice p = (1, t)",
    latex=(
        r"c(e^{y}) = \sup_{\|z\| = 1} \sum_{k,l} g_k(z)\, c_l\, e^{y_l - y_k}, \quad g_k(z) ="
        r" \|R_k^\top z\|^2, "
        r"\quad L = R^\top R"
    ),
    text=(
        "A supremum of convex functions of y = log p. The constraints of eq:complexity are linear"
        " in y, for every order. For B = 2 and p = (1, t), which is all that eq:complexity asks of"
        " one order, c is convex in t as well; from B = 3 on it need not be convex on p_1 = 1"
        " (text:nonconvex). On all p > 0 it is convex only if constant, since it does not see the"
        " scale of p."
    ),
    assumptions=("L is positive semidefinite", "all c_k are positive"),
    see=("eq:complexity", "text:nonconvex"),
    needs=("text:LP", "text:expectedCost"),
    proof_needs=("fact:rayleigh",),
    checks=(tried(midpoints, "{} comparisons, none of which contradicts it", Evidence.RIGOROUS),),
    steps=(
        Step(
            latex=(
                r"L_P = \lambda_{\max}(A^\top A) = \lambda_{\max}(A A^\top) = \lambda_{\max}(R"
                r" P^{-1} R^\top), \quad "
                r"A = R P^{-1/2}"
            ),
            text="If A'Ax = lambda x then AA'(Ax) = lambda (Ax), and the other way round.",
            check=formula(
                "(R_ai/sqrt(p_i))*(R_bi/sqrt(p_i)) = R_ai*R_bi/p_i; A_ai*(A_bi*A_bj) ="
                " (A_ai*A_bi)*A_bj; p_i > 0",
                "entry (a, b) and term (i, b, j), so all dimensions",
            ),
        ),
        Step(
            latex=r"A^\top A = P^{-1/2} L P^{-1/2}, \quad x^\top L x = \langle Rx, Rx\rangle",
            text="L is a Gram matrix.",
            check=GRAM_FORM,
        ),
        Step(
            latex=r"z^\top R P^{-1} R^\top z = \sum_k g_k(z) / p_k, \quad g_k \geq 0",
            text=(
                "So L_P is a supremum of sums of 1 / p_k with weights that are not negative; the"
                " costs multiply in."
            ),
            check=formula(
                "0 <= g_i*g_i/p_k, by g_i^2/p_k; p_k > 0",
                "column i of block k, so all dimensions",
                words="g_i = (R'z)_i",
            ),
        ),
        Step(
            latex=(
                r"\frac{d^2}{ds^2}\, g_k c_l\, e^{(y_l + s v_l) - (y_k + s v_k)} = (v_l - v_k)^2\,"
                r" g_k c_l\,"
                r"e^{\ldots} \geq 0"
            ),
            text="Each term is convex in y, so their sums and the supremum are.",
            check=formula(
                "term := g_k*c_l*exp((y_l + s*v_l) - (y_k + s*v_k)); "
                "0 <= diff(term, s, 2), by (v_l - v_k)^2*term; g_k c_l >= 0",
                "pair (k, l), so any number of blocks",
            ),
        ),
        Step(
            latex=(
                r"\frac{d^2}{dt^2} \Big(g_1 + \frac{g_2}{t}\Big)(c_1 + c_2 t) = \frac{2 g_2"
                r" c_1}{t^3} \geq 0"
            ),
            text="Two blocks, p = (1, t): convex in t, so the supremum is.",
            check=formula(
                "0 <= diff((g_1 + g_2/t)*(c_1 + c_2*t), t, 2), by 2*g_2*c_1/t^3; t > 0, g_1 g_2 c_1"
                " c_2 >= 0",
                "all values; two blocks of any sizes",
            ),
        ),
    ),
    formal=Formal(
        "LP_log_convex cost_log_convex log_convex_instance",
        "c(P) at the geometric mean of p and p' is at most the mean of its values",
        "the formula as a supremum; other points between p and p' than the middle; two blocks on p"
        " = (1, t)",
        instance="log_convex_instance",
    ),
)
