"""The largest eigenvalue bounds the quadratic form."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr

from ..claim import Claim, Kind, Status, Step
from ..symbolic import inequality


def term_in_the_eigenbasis(sign: int = 1) -> Sequence[tuple[Expr, Expr, Expr]]:
    """lambda_i y_i^2 <= lambda_max y_i^2."""
    top, y = sympy.symbols("lambda_max y_i", real=True)
    distance = sympy.Symbol("delta_i", nonnegative=True)  # lambda_max - lambda_i
    return [((top - distance) * y**2, top * y**2, sign * distance * y**2)]


CLAIM = Claim(
    label="fact:rayleigh",
    kind=Kind.FACT,
    title="Rayleigh's bound",
    latex=r"x^\top M x \leq \lambda_{\max}(M) \|x\|^2, \quad M \preceq t I \iff \lambda_{\max}(M) \leq t",
    text="x'Mx <= lambda_max(M) |x|^2 for symmetric M, and lambda_max(M) <= t says the same as t I - M >= 0.",
    statement=Status.SUPPORTED,
    proof=Status.ARGUED,
    source="Horn and Johnson, Matrix Analysis, theorem 4.2.2 (with the spectral theorem)",
    steps=(
        Step(
            latex=r"\sum_i \lambda_i y_i^2 \leq \lambda_{\max} \sum_i y_i^2",
            text="In the eigenbasis, where x has coordinates y with the same norm, term by term.",
            check=inequality(term_in_the_eigenbasis, "term i, so all dimensions"),
        ),
    ),
)
