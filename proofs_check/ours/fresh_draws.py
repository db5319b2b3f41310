"""The convergence theorems need sketches that are independent of the past; the paper leaves this to the reader."""

from fractions import Fraction

from ..checks.witness import decided
from ..engine.entry import Entry, Status


def same_sketch_breaks_the_rate(p: Fraction = Fraction(1, 2), steps: int = 2) -> bool:
    """f = x^2 / 2 on a line, gamma = 1/L_P = p, and one draw of C kept for all steps: is E x_t^2 > (1 - gamma)^t?

    C = 1/p with probability p, and then x_1 = 0; else C = 0 and x stays at 1.
    """
    expected = p * Fraction(0) ** steps + (1 - p)
    return expected > (1 - p) ** steps


CLAIM = Entry(
    label="our:freshDraws",
    title="One sketch kept for all steps breaks the rate",
    latex=r"C^t = C^0 \text{ for all } t: \quad \mathbb{E}\|x^t - x^*\|^2 > (1 - \gamma\mu)^t \|x^0 - x^*\|^2",
    text="With f = x^2/2, p = 1/2, gamma = 1/L_P = 1/2 and the same unbiased sketch in every step, "
    "E|x^2 - x*|^2 = 1/2 against the bound 1/4. So thm:rcdStronglyConvex, thm:rcdConvex and thm:rcdNonconvex "
    "need draws that are independent of the past. The paper draws in each iteration, and its proofs take expectations "
    "conditional on x^t as if so; that the draws are independent of the past it does not spell out.",
    statement=Status.VERIFIED,
    proof=Status.NONE,
    see=("thm:rcdStronglyConvex", "thm:rcdConvex", "thm:rcdNonconvex"),
    needs=("text:SkGD", "text:LP"),
    checks=(decided(same_sketch_breaks_the_rate, "f = x^2/2, p = 1/2, two steps"),),
)
