"""The number of iterations that the theorems ask for is proportional to L_P, so the cost is to c(P) (no label)."""

from fractions import Fraction

import sympy

from ..checks.exact import diag, is_semidefinite, plus, top_at_most
from ..checks.quadratics import on_quadratics
from ..checks.symbolic import Pairs, identity, letters
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Status, Step
from .text_replaceLPbyLM import mean_gradients
from .thm_rcdConvex import gaps


def iterations(factor: int = 1) -> Pairs:
    """The bounds at the largest stepsizes equal epsilon after these numbers of iterations, each a multiple of L_P.

    R = |x^0 - x*|^2. Strongly convex: 1 - u <= exp(-u) makes the factor at most exp(-mu T / L_P). N is T + 1.
    """
    L_P, R, delta, mu, eps = letters("L_P R delta mu epsilon > 0")
    strongly = factor * L_P / mu * sympy.log(R / eps)
    convex = factor * 2 * L_P * R / eps
    nonconvex = factor * 2 * L_P * delta / eps
    return [
        (sympy.exp(-mu * strongly / L_P) * R, eps),
        (R / (1 / (2 * L_P) * convex), eps),
        (2 * delta / (1 / L_P * nonconvex), eps),
    ]


def fewer_are_enough(p: Fraction, weighted: int, level: Fraction) -> bool:
    """Whether L_P is `weighted` and L_M at most `level`, below it, for L of ones and the nested sampling p = (1, p)."""
    L = ((1, 1), (1, 1))
    tight = [
        is_semidefinite(plus(diag([t, t * p]), L, -1)) for t in (Fraction(weighted), weighted - Fraction(1, 10**6))
    ]
    return tight == [True, False] and top_at_most([[1, 1], [1, 1 / p]], level) and level < weighted


def proportional(power: int = 1) -> Pairs:
    """T = a L_P iterations at the expected cost s cost a c(P), where c(P) = L_P s; a is free of P."""
    a, L_P, s = letters("a L_P s > 0")
    return [((a * L_P) * s, a * (L_P**power * s))]


CLAIM = Entry(
    label="text:totalCost",
    title="The cost that the theorems promise is proportional to c(P)",
    latex=r"\mathbb{E}[\mathrm{cost}(T)] \propto c(P) = L_P \sum_{i=1}^B p_i c_{\sigma_i}",
    text="The paper says that one needs T to be proportional to L_P. So many iterations are enough, in all three "
    "regimes, with a factor that is free of P; so the cost that the theorems promise is proportional to c(P), up to "
    "the rounding of T to a whole number. They are not needed: for nonconvex f L_M will do (text:replaceLPbyLM), and "
    "L_M / L_P depends on P.",
    statement=Status.CORRECTED,
    proof=Status.DEFINITIONAL,
    bound=Bound.EQUALITY,
    see=("text:replaceLPbyLM",),
    needs=("text:LP", "text:expectedCost"),
    proof_needs=("thm:rcdStronglyConvex", "thm:rcdConvex", "thm:rcdNonconvex", "fact:compoundInterest"),
    checks=(
        refuted_by(
            lambda: (
                fewer_are_enough(Fraction(1, 4), 5, Fraction(22, 5))
                and not fewer_are_enough(Fraction(1), 2, Fraction(2))
            ),
            "L = [[1, 1], [1, 1]], nested sampling: with p = (1, 1/4) L_P = 5 and L_M < 22/5, so 44 delta / (5 "
            "epsilon) iterations are enough in the nonconvex regime; with p = (1, 1) L_P = L_M = 2",
        ),
    ),
    corrected=(on_quadratics(gaps), on_quadratics(mean_gradients)),
    errata=(
        Erratum(
            r"\text{one needs } T \text{ to be proportional to } L_P",
            "so many iterations are enough; they are not needed, and c(P) ranks bounds, not costs",
        ),
    ),
    steps=(
        Step(
            latex=r"T = \tfrac{L_P}{\mu} \ln \tfrac{R}{\varepsilon}, \quad T + 1 = \tfrac{2 L_P R}{\varepsilon}, \quad "
            r"T + 1 = \tfrac{2 L_P \delta^0}{\varepsilon}",
            text="Strongly convex, convex, nonconvex, each at the largest stepsize allowed; R = |x^0 - x*|^2.",
            check=identity(iterations, "all L_P, mu, R, delta and epsilon"),
        ),
        Step(
            latex=r"\mathbb{E}[\mathrm{cost}(T)] = T \sum_i p_i c_{\sigma_i} \propto L_P \sum_i p_i c_{\sigma_i}",
            text="The cost of an iteration times their number.",
            check=identity(proportional, "all P"),
        ),
    ),
)
