"""The total cost of RPT and that of gradient descent (no labels)."""

from fractions import Fraction
from functools import partial

import numpy as np

from ..checks.exact import exact, is_semidefinite, lambda_max_at_most
from ..checks.statements import claims_hold_on_matrices, holds_on_runs
from ..checks.symbolic import formula
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Formal, Severity, Status, Step


def fewer_are_enough(p: Fraction, weighted: int, level: Fraction) -> bool:
    """Return whether L_M <= level < weighted = L_P, for L of ones and nested sampling (1, p)."""
    P = np.diag(exact((1, p)))
    tight = [
        is_semidefinite(t * P - 1) for t in (Fraction(weighted), weighted - Fraction(1, 10**6))
    ]
    moment = exact(((1, 1), (1, 1 / p)))
    return tight == [True, False] and lambda_max_at_most(moment, level) and level < weighted


_NEEDED = Erratum(
    r"\text{one needs } T \text{ to be proportional to } L_P",
    "so many iterations are enough; they are not needed, and c(P) ranks bounds, not costs",
    Severity.FALSE,
)

TOTAL = Entry(
    label="text:totalCost",
    title="The cost that the theorems promise is proportional to c(P)",
    latex=r"\mathbb{E}[\mathrm{cost}(T)] \propto c(P) = L_P \sum_{i=1}^B p_i c_{\sigma_i}",
    text=(
        "The paper says that one needs T to be proportional to L_P. So many iterations are enough,"
        " in all three regimes, with a factor that is free of P; so the cost that the theorems"
        " promise is proportional to c(P), up to the rounding of T to a whole number. They are not"
        " needed: for nonconvex f L_M will do (text:replaceLPbyLM), and L_M / L_P depends on P."
    ),
    statement=Status.CORRECTED,
    proof=Status.DEFINITIONAL,
    bound=Bound.EQUALITY,
    see=("text:replaceLPbyLM",),
    needs=("text:LP", "text:expectedCost"),
    proof_needs=(
        "thm:rcdStronglyConvex",
        "thm:rcdConvex",
        "thm:rcdNonconvex",
        "fact:compoundInterest",
    ),
    checks=(
        refuted_by(
            partial(fewer_are_enough, Fraction(1, 4), 5, Fraction(22, 5)),
            "L = [[1, 1], [1, 1]], nested sampling: with p = (1, 1/4) L_P = 5 and L_M < 22/5, so 44"
            " delta / (5 epsilon) iterations are enough in the nonconvex regime; with p = (1, 1)"
            " L_P = L_M = 2",
        ),
    ),
    corrected=(holds_on_runs("thm:rcdConvex"), holds_on_runs("thm:rcdNonconvex")),
    mends=(_NEEDED,),
    errata=(_NEEDED,),
    steps=(
        Step(
            latex=(
                r"T = \tfrac{L_P}{\mu} \ln \tfrac{R}{\varepsilon}, \quad T + 1 = \tfrac{2 L_P"
                r" R}{\varepsilon}, \quad "
                r"T + 1 = \tfrac{2 L_P \delta^0}{\varepsilon}"
            ),
            text=(
                "Strongly convex, convex, nonconvex, each at the largest stepsize allowed; R = |x^0"
                " - x*|^2."
            ),
            check=formula(
                "exp(-mu*(L_P/mu*log(R/epsilon))/L_P)*R = epsilon; "
                "R/(1/(2*L_P)*(2*L_P*R/epsilon)) = epsilon; "
                "2*delta/(1/L_P*(2*L_P*delta/epsilon)) = epsilon; L_P R delta mu epsilon > 0",
                "all L_P, mu, R, delta and epsilon",
                words="1 - u <= exp(-u) makes the strongly convex factor at most exp(-mu T / L_P)",
            ),
        ),
        Step(
            latex=(
                r"\mathbb{E}[\mathrm{cost}(T)] = T \sum_i p_i c_{\sigma_i} \propto L_P \sum_i p_i"
                r" c_{\sigma_i}"
            ),
            text="The cost of an iteration times their number.",
            check=formula(
                "(a*L_P)*s = a*(L_P*s); a L_P s > 0",
                "all P",
                words="a L_P iterations at the expected cost s, where a is free of P",
            ),
        ),
    ),
)


DESCENT = Entry(
    label="text:gradientDescent",
    title="All probabilities one: gradient descent",
    latex=r"p_1 = \ldots = p_B = 1 \implies C = I, \quad c(P) = L, \quad \min c(P) \leq L",
    text=(
        "So the optimum of eq:complexity is at most L = lambda_max(L), the same quantity for"
        " gradient descent: not worse in the sense of c(P)."
    ),
    assumptions=("the costs add up to one",),
    proof=Status.DEFINITIONAL,
    see=("eq:complexity",),
    bound=Bound.UPPER,
    tight=True,
    tightness="attained by B = 1, and by L = I with any blocks",
    needs=("def:PTsketch", "text:LP", "as:normalized"),
    errata=(
        Erratum(
            r"L",
            "the letter L is introduced in the appendix only: the largest eigenvalue of the"
            " smoothness matrix",
            Severity.REMARK,
        ),
    ),
    checks=(claims_hold_on_matrices("optimum <= lmax*sum(c)"),),
    steps=(
        Step(
            latex=r"p_1 = \ldots = p_B = 1 \implies C = C_B = I \text{ with probability } 1",
            text="The step of RPT is then that of gradient descent.",
            check=formula(
                "p := 1; p - p = 0; p - 0 = 1; 1/p = 1; x_i - gamma*(1/p)*g_i = x_i - gamma*g_i",
                "all B",
                words=(
                    "the probabilities of C_i for i < B and of C_B, the entries of C_B, the"
                    " resulting step"
                ),
            ),
        ),
        Step(
            latex=r"c(P) = \lambda_{\max}(L) \sum_i c_i = L",
            text="P = I, and the costs add up to one.",
            check=formula(
                "L_ij/(sqrt(1)*sqrt(1)) = L_ij; 1*c_k = c_k; c_k > 0",
                "entry (i, j) and block k, so all dimensions and blocks",
            ),
        ),
        Step(
            latex=r"\min_\sigma \min_p c(P) \leq L",
            text="p = 1 is admissible.",
            check=formula("L - s <= L, by s; L > 0, s >= 0", "all L"),
        ),
    ),
    formal=Formal(
        "gd_sketch gd_step gd_LP gd_cost minimum_at_most_gd gd_instance",
        "p = 1 is gradient descent: C = I, L_P = lambda_max(L) = c(P), and every lower bound "
        "of c(P) is at most lambda_max(L), for costs that add up to one",
        instance="gd_instance",
    ),
)

CLAIMS = (TOTAL, DESCENT)
