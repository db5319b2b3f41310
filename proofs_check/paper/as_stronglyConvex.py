"""as:stronglyConvex."""

from ..checks.symbolic import Triples, inequality, letters
from ..engine.entry import Entry, Erratum, Status


def curvature_between(sign: int = 1) -> Triples:
    """mu |v|^2 <= v'Lv: the gap lies above one half of the left and below one half of the right."""
    gap, above, below = letters("D, s r >= 0")
    least, most = 2 * (gap - above), 2 * (gap + sign * below)
    return [(least, most, 2 * above + 2 * below)]


CLAIM = Entry(
    label="as:stronglyConvex",
    title="f is strongly convex",
    latex=r"f(x) - f(y) - \langle \nabla f(y), x - y \rangle \geq \tfrac{\mu}{2} \|x - y\|^2, \quad \mu > 0",
    text="With as:matrixSmoothness this means mu I <= L, so L is positive definite and mu <= every eigenvalue of L.",
    statement=Status.DEFINITIONAL,
    proof=Status.NONE,
    needs=("as:matrixSmoothness",),
    checks=(inequality(curvature_between, "all x and y, with s and r the slacks of the two inequalities"),),
    errata=(
        Erratum(
            r"\mathbb{E} \|x^t - x^*\|^2",
            "x* is not introduced here; it exists and is unique, since a strongly convex f on R^d is coercive",
        ),
    ),
)
