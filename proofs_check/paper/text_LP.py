"""The definition of L_P (no label)."""

from ..engine.entry import Entry, Kind, Status

CLAIM = Entry(
    label="text:LP",
    sort=Kind.DEFINITION,
    title="The key quantity L_P",
    latex=r"L_P = \lambda_{\max}(P^{-1/2} L P^{-1/2})",
    text="L_P is the largest eigenvalue of P^-1/2 L P^-1/2, the least t with t P - L positive semidefinite.",
    statement=Status.NONE,
    proof=Status.NONE,
)
