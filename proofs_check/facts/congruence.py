"""Congruence keeps the order of symmetric matrices."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr

from ..claim import Claim, Kind, Status, Step
from ..symbolic import identity


def moved_to_the_vector(power: int = 1) -> Sequence[tuple[Expr, Expr]]:
    """The term (i, k, l, j) of x'(T'MT)x against that of (Tx)'M(Tx)."""
    x_i, x_j, t_ki, t_lj, m_kl = sympy.symbols("x_i x_j T_ki T_lj M_kl", real=True)
    return [(x_i * (t_ki * m_kl * t_lj) * x_j, (t_ki * x_i) * m_kl * (t_lj**power * x_j))]


CLAIM = Claim(
    label="fact:congruence",
    kind=Kind.FACT,
    title="Congruence keeps the order",
    latex=r"M \succeq 0 \implies T^\top M T \succeq 0",
    text="If M is positive semidefinite then so is T'MT for every T; so M <= N implies T'MT <= T'NT.",
    statement=Status.DEFINITIONAL,
    proof=Status.DEFINITIONAL,
    source="Horn and Johnson, Matrix Analysis, section 4.5",
    steps=(
        Step(
            latex=r"x^\top (T^\top M T) x = (Tx)^\top M (Tx) \geq 0",
            text="The quadratic form of T'MT at x is that of M at Tx.",
            check=identity(moved_to_the_vector, "term (i, k, l, j), so all dimensions"),
        ),
    ),
)
