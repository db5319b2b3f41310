"""as:matrixSmoothness."""

from ..engine.entry import Entry, Erratum, Status

CLAIM = Entry(
    label="as:matrixSmoothness",
    title="f is L-smooth",
    latex=r"f \text{ is } L\text{-smooth}",
    text="Assumed throughout the paper.",
    statement=Status.NONE,
    proof=Status.NONE,
    see=("lem:upperBound", "subsec:formulation"),
    needs=("text:matrixSmooth",),
    errata=(
        Erratum(
            r"L \succeq 0 \text{ in the definition}, \quad L \succ 0 \text{ in subsec:formulation}",
            "positive semidefinite is enough unless a block with L_k = 0 would get the probability 0 (lem:upperBound)",
        ),
    ),
)
