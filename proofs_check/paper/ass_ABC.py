"""ass:ABC."""

from ..engine.entry import Entry, Erratum, Status

CLAIM = Entry(
    label="ass:ABC",
    title="The ABC assumption",
    latex=r"\mathbb{E} \|g(x)\|^2 \leq 2A (f(x) - f^{\inf}) + B \|\nabla f(x)\|^2 + C \text{ for all } x",
    text="For an unbiased estimator g of the gradient; A, B, C are non-negative constants that do not depend on x.",
    statement=Status.NONE,
    proof=Status.NONE,
    source="the paper, after Khaled and Richtarik, Better theory for SGD in the nonconvex world (2020), assumption 2",
    errata=(
        Erratum(
            r"\text{for all } x \text{ stands after the assumption}",
            "it belongs into the assumption, and A, B, C must be introduced: there are constants A, B, C >= 0 "
            "such that the inequality holds for all x",
        ),
        Erratum(
            r"f^{\inf}",
            "f^inf is introduced nowhere; elsewhere f* is any lower bound; B is the number of blocks too, C the sketch",
        ),
    ),
)
