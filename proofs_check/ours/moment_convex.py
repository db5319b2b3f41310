"""L_M may not stand for L_P in the strongly convex theorem for distances."""

from fractions import Fraction

from ..checks.exact import Matrix, diag, dot, plus, top_at_most
from ..checks.witness import decided
from ..engine.entry import Entry, Status

Numbers = tuple[int, ...]


def nested_moment(H: Matrix, r: Numbers) -> Matrix:
    """E[CHC] for the nested sampling with p = 1/r: entry (i, j) times min(r_i, r_j)."""
    return [[Fraction(v) * min(a, b) for b, v in zip(r, row, strict=True)] for a, row in zip(r, H, strict=True)]


def distance_grows(v: Numbers = (160, 40, 10), r: Numbers = (1, 16, 256), inverse_step: int = 36000) -> bool:
    """Whether gamma <= 1/L_M and yet E|x_1|^2 > |x_0|^2, for f = |x|^2/2 + <v, x>^2/2, p = 1/r, from x_0 = v.

    E|x_1|^2 = |x|^2 - 2 gamma <g, x> + gamma^2 sum_i g_i^2 / p_i.
    """
    gamma = Fraction(1, inverse_step)
    H = plus(diag([1] * len(v)), [[a * b for b in v] for a in v])
    g = [dot(row, v) for row in H]
    after = (
        dot(v, v) - 2 * gamma * dot(g, v) + gamma**2 * sum((q * w * w for q, w in zip(r, g, strict=True)), Fraction(0))
    )
    return top_at_most(nested_moment(H, r), inverse_step) and after > dot(v, v)


CLAIM = Entry(
    label="our:LMconvex",
    title="L_M may not stand for L_P where distances are bounded",
    latex=r"\gamma \leq 1/L_M \text{ and } \mathbb{E}\|x^1 - x^*\|^2 > \|x^0 - x^*\|^2",
    text="Nested sampling with p = (1, 1/16, 1/256), f = |x|^2/2 + (160 x_1 + 40 x_2 + 10 x_3)^2/2, "
    "gamma = 1/36000 <= 1/L_M and x^0 = (160, 40, 10): the expected distance to the minimiser grows in one step. "
    "So L_M cannot replace L_P in thm:rcdStronglyConvex, which bounds distances; in function values it can "
    "(our:functionValues).",
    statement=Status.VERIFIED,
    proof=Status.NONE,
    see=("our:functionValues",),
    needs=("text:SkGD", "text:replaceLPbyLM", "thm:rcdStronglyConvex"),
    checks=(decided(distance_grows, "three coordinates, nested sampling"),),
)
