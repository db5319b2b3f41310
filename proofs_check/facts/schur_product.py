"""Schur's product theorem."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr

from ..claim import Claim, Kind, Status, Step
from ..symbolic import identity


def entries_of_outer_products(power: int = 1) -> Sequence[tuple[Expr, Expr]]:
    """Entry (i, j) of (aa') o (bb') against that of (a o b)(a o b)'."""
    a_i, a_j, b_i, b_j = sympy.symbols("a_i a_j b_i b_j", real=True)
    return [((a_i * a_j) * (b_i * b_j), (a_i * b_i) * (a_j * b_j**power))]


CLAIM = Claim(
    label="fact:schurProduct",
    kind=Kind.FACT,
    title="Schur's product theorem",
    latex=r"A \succeq 0,\ B \succeq 0 \implies A \circ B \succeq 0",
    text="The entrywise product of positive semidefinite matrices is positive semidefinite.",
    statement=Status.DEFINITIONAL,
    proof=Status.DEFINITIONAL,
    source="Schur (1911); Horn and Johnson, Matrix Analysis, theorem 7.5.3",
    steps=(
        Step(
            latex=r"A = \sum_r a_r a_r^\top,\ B = \sum_s b_s b_s^\top, \quad"
            r"(a a^\top) \circ (b b^\top) = (a \circ b)(a \circ b)^\top",
            text="Both are sums of outer products, and the entrywise product of two of these is one again.",
            check=identity(entries_of_outer_products, "entry (i, j), so all dimensions"),
        ),
    ),
)
