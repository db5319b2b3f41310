"""as:matrixSmoothness."""

from __future__ import annotations

from ..claim import Claim, Erratum, Kind, Status

CLAIM = Claim(
    label="as:matrixSmoothness",
    kind=Kind.ASSUMPTION,
    title="f is L-smooth",
    latex=r"f \text{ is } L\text{-smooth}",
    text="Assumed throughout the paper.",
    statement=Status.NONE,
    proof=Status.NONE,
    needs=("text:matrixSmooth",),
    errata=(
        Erratum(
            "L is positive semidefinite in the definition, positive definite in subsec:formulation",
            "semidefinite is enough except where a block with L_k = 0 would get the probability 0 (lem:upperBound)",
        ),
    ),
)
