"""as:nonconvex."""

from ..engine.entry import Entry, Erratum, Status

CLAIM = Entry(
    label="as:nonconvex",
    title="f is bounded below",
    latex=r"f(x) \geq f^* \text{ for all } x",
    text="The letter f* is any lower bound. That f is not convex is never used.",
    statement=Status.NONE,
    proof=Status.NONE,
    see=("thm:rcdNonconvex",),
    errata=(
        Erratum(
            r"f \text{ is nonconvex}", "f need not be convex: read literally, the assumption excludes convex functions"
        ),
        Erratum(
            r"\mathbb{E} \|\nabla f(x^t)\|^2",
            "thm:rcdNonconvex bounds the gradient at the best of the first T+1 iterates, not at x^t",
        ),
    ),
)
