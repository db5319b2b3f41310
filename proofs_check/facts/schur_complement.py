"""Positive definiteness by the Schur complement."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr

from ..claim import Claim, Kind, Status, Step
from ..symbolic import identity


def completed_square(power: int = 1) -> Sequence[tuple[Expr, Expr]]:
    """Term i, in the eigenbasis of M_1, of x'M_1 x + 2 x'g = |x + M_1^-1 g|^2_{M_1} - g'M_1^-1 g with g = C'y."""
    x, g = sympy.symbols("x_i g_i", real=True)
    value = sympy.Symbol("lambda_i", positive=True)
    return [(value * x**2 + 2 * x * g, value * (x + g / value) ** 2 - g**2 / value**power)]


CLAIM = Claim(
    label="fact:schurComplement",
    kind=Kind.FACT,
    title="Definiteness by the Schur complement",
    latex=r"M_2 - C M_1^{-1} C^\top \succ 0 \iff \begin{bmatrix} M_1 & C^\top \\ C & M_2 \end{bmatrix} \succ 0"
    r" \quad (M_1 \succ 0)",
    text="With M_1 positive definite, the block matrix is positive definite exactly when its Schur complement is.",
    statement=Status.SUPPORTED,
    proof=Status.ARGUED,
    source="Horn and Johnson, Matrix Analysis, theorem 7.7.7",
    steps=(
        Step(
            latex=r"x^\top M_1 x + 2 y^\top C x + y^\top M_2 y = \|x + M_1^{-1} C^\top y\|^2_{M_1}"
            r" + y^\top (M_2 - C M_1^{-1} C^\top) y",
            text="Completing the square: two forms, of which the first can be made 0 for any y by the choice of x.",
            check=identity(completed_square, "term i in the eigenbasis of M_1, so all dimensions"),
        ),
    ),
)
