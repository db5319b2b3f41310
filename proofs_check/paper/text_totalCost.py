"""The number of iterations that the theorems ask for is proportional to L_P, so the cost is to c(P) (no label)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr

from ..claim import Bound, Claim, Erratum, Kind, Status, Step
from ..symbolic import identity


def iterations(factor: int = 1) -> Sequence[tuple[Expr, Expr]]:
    """The bounds at the largest stepsizes equal epsilon after these numbers of iterations, each a multiple of L_P.

    R = |x^0 - x*|^2. Strongly convex: 1 - u <= exp(-u) makes the factor at most exp(-mu T / L_P). N is T + 1.
    """
    L_P, R, delta, mu, eps = sympy.symbols("L_P R delta mu epsilon", positive=True)
    strongly = factor * L_P / mu * sympy.log(R / eps)
    convex = factor * 2 * L_P * R / eps
    nonconvex = factor * 2 * L_P * delta / eps
    return [
        (sympy.exp(-mu * strongly / L_P) * R, eps),
        (R / (1 / (2 * L_P) * convex), eps),
        (2 * delta / (1 / L_P * nonconvex), eps),
    ]


def proportional(power: int = 1) -> Sequence[tuple[Expr, Expr]]:
    """T = a L_P iterations at the expected cost s cost a c(P), where c(P) = L_P s; a is free of P."""
    a, L_P, s = sympy.symbols("a L_P s", positive=True)
    return [((a * L_P) * s, a * (L_P**power * s))]


CLAIM = Claim(
    label="text:totalCost",
    kind=Kind.REMARK,
    title="The total cost is proportional to c(P)",
    latex=r"\mathbb{E}[\mathrm{cost}(T)] \propto c(P) = L_P \sum_{i=1}^B p_i c_{\sigma_i}",
    text="In all three regimes the theorems reach epsilon after L_P times a number of iterations that is free "
    "of P. So the cost that they promise is proportional to c(P), up to the rounding of T to a whole number.",
    statement=Status.DEFINITIONAL,
    proof=Status.DEFINITIONAL,
    bound=Bound.EQUALITY,
    needs=("text:LP", "text:expectedCost"),
    proof_needs=("thm:rcdStronglyConvex", "thm:rcdConvex", "thm:rcdNonconvex", "fact:compoundInterest"),
    errata=(
        Erratum(
            r"\text{one needs } T \text{ to be proportional to } L_P",
            "so many iterations are enough; that they are needed is not shown, and c(P) ranks bounds, not costs",
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
