"""as:matrixSmoothness, as:stronglyConvex, as:convex and as:nonconvex."""

from ..checks.symbolic import formula
from ..engine.entry import Entry, Erratum, Formal, Severity, Status

SMOOTH = Entry(
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
            "positive semidefinite is enough unless a block with L_k = 0 would get the probability"
            " 0 (lem:upperBound)",
            Severity.REMARK,
        ),
    ),
)

STRONGLY_CONVEX = Entry(
    label="as:stronglyConvex",
    title="f is strongly convex",
    latex=r"f(x) - f(y) - \langle \nabla f(y), x - y \rangle \geq \frac{\mu \|x - y\|^2}{2}",
    text=(
        "With as:matrixSmoothness this means mu I <= L, so L is positive definite and mu <= every"
        " eigenvalue of L."
    ),
    statement=Status.DEFINITIONAL,
    proof=Status.NONE,
    needs=("as:matrixSmoothness",),
    checks=(
        formula(
            "gap := f_x - f_y - g_y*(x - y); 2*(gap - s) <= 2*(gap + r), by 2*s + 2*r; s r >= 0",
            "all x and y, with s and r the slacks of the two inequalities",
            words=(
                "mu |v|^2 <= v'Lv: the gap lies above one half of the left and below one half of"
                " the right"
            ),
        ),
    ),
    errata=(
        Erratum(
            r"\mathbb{E} \|x^t - x^*\|^2",
            "x* is not introduced here; it exists and is unique, since a strongly convex f on R^d"
            " is coercive",
            Severity.REMARK,
        ),
    ),
    formal=Formal(
        "mu_below_L",
        "L-smooth and mu-strongly convex implies mu |x|^2 <= x'Lx for all x",
        instance="thm_rcdStronglyConvex.strongly_convex_instance",
        file="text_matrixSmooth",
    ),
)

CONVEX = Entry(
    label="as:convex",
    title="f is convex with a minimizer",
    latex=r"f \text{ is convex and has a global minimizer } x^*",
    text="A convex f need not have one: exp(x) has none.",
    statement=Status.NONE,
    proof=Status.NONE,
    see=("thm:rcdConvex",),
    errata=(
        Erratum(
            r"\mathbb{E}[f(x^t) - f(x^*)]",
            "thm:rcdConvex bounds the value at the average of the iterates, not at the iterate x^t"
            " announced here",
            Severity.GAP,
        ),
    ),
)

NONCONVEX = Entry(
    label="as:nonconvex",
    title="f is bounded below",
    latex=r"f(x) \geq f^* \text{ for all } x",
    text="The letter f* is any lower bound. That f is not convex is never used.",
    statement=Status.NONE,
    proof=Status.NONE,
    see=("thm:rcdNonconvex",),
    errata=(
        Erratum(
            r"f \text{ is nonconvex}",
            "f need not be convex: read literally, the assumption excludes convex functions",
            Severity.REMARK,
        ),
        Erratum(
            r"\mathbb{E} \|\nabla f(x^t)\|^2",
            "thm:rcdNonconvex bounds the gradient at the best of the first T+1 iterates, not"
            " at x^t",
            Severity.GAP,
        ),
    ),
)

CLAIMS = (SMOOTH, STRONGLY_CONVEX, CONVEX, NONCONVEX)
