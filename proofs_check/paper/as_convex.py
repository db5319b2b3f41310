"""as:convex."""

from ..engine.entry import Entry, Erratum, Status

CLAIM = Entry(
    label="as:convex",
    title="f is convex with a minimiser",
    latex=r"f \text{ is convex and has a global minimiser } x^*",
    text="A convex f need not have one: exp(x) has none.",
    statement=Status.NONE,
    proof=Status.NONE,
    see=("thm:rcdConvex",),
    errata=(
        Erratum(
            r"\mathbb{E}[f(x^t) - f(x^*)]",
            "thm:rcdConvex bounds the value at the average of the iterates, not at the iterate x^t announced here",
        ),
    ),
)
