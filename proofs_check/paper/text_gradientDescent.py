"""Taking every p_i = 1 recovers gradient descent (no label)."""

import sympy

from rpttheory import complexity

from ..checks.optima import Solved, never_contradicted
from ..checks.symbolic import Pairs, Triples, identity, inequality, letters
from ..engine.entry import Bound, Entry, Erratum, Status, Step
from ..ours.sandwich import links


def law_at_one(p: int = 1) -> Pairs:
    """All p_i equal to p: the probabilities of C_i for i < B and of C_B, the entries of C_B, the resulting step."""
    one, zero, value = sympy.Integer(1), sympy.Integer(0), sympy.Integer(p)
    x, g, gamma = letters("x_i g_i gamma")
    return [(value - value, zero), (value - 0, one), (1 / value, one), (x - gamma * (1 / value) * g, x - gamma * g)]


def cost_at_one(p: int = 1) -> Pairs:
    """Entry (i, j) of P^-1/2 L P^-1/2, and the expected cost term by term: then c(P) = L (c_1 + ... + c_B) = L."""
    L_ij, c_k = letters("L_ij, c_k > 0")
    value = sympy.Integer(p)
    return [(L_ij / (sympy.sqrt(value) * sympy.sqrt(value)), L_ij), (value * c_k, c_k)]


def minimum_below_a_value(sign: int = 1) -> Triples:
    """The minimum is at most the value at a point of the feasible set; s is the difference."""
    value, s = letters("L > 0, s >= 0")
    return [(value - s, value, sign * s)]


def optimum_below(problem: Solved, factor: float = 1.0) -> list[tuple[float, float]]:
    """c* <= c(I), and c(I) = lambda_max(L) sum c_k from both sides; `factor` is 1."""
    at_one = complexity(problem.L, problem.blocks, problem.costs, probabilities=[1.0] * problem.blocks.count)
    low, high = links(problem)[4]
    return [(low, factor * high), (at_one.lower, factor * high), (factor * high * (1 - 1e-9), at_one.upper)]


CLAIM = Entry(
    label="text:gradientDescent",
    title="All probabilities one: gradient descent",
    latex=r"p_1 = \ldots = p_B = 1 \implies C = I, \quad c(P) = L, \quad \min c(P) \leq L",
    text="So the optimum of eq:complexity is at most L = lambda_max(L), the same quantity for gradient descent: not "
    "worse in the sense of c(P).",
    assumptions=("the costs add up to one",),
    proof=Status.DEFINITIONAL,
    see=("eq:complexity",),
    bound=Bound.UPPER,
    tight=True,
    tightness="attained by B = 1, and by L = I with any blocks",
    needs=("def:PTsketch", "text:LP", "as:normalized"),
    errata=(
        Erratum(
            r"L", "the letter L is introduced in the appendix only: the largest eigenvalue of the smoothness matrix"
        ),
    ),
    checks=(never_contradicted(optimum_below),),
    steps=(
        Step(
            latex=r"p_1 = \ldots = p_B = 1 \implies C = C_B = I \text{ with probability } 1",
            text="The step of RPT is then that of gradient descent.",
            check=identity(law_at_one, "all B"),
        ),
        Step(
            latex=r"c(P) = \lambda_{\max}(L) \sum_i c_i = L",
            text="P = I, and the costs add up to one.",
            check=identity(cost_at_one, "entry (i, j) and block k, so all dimensions and blocks"),
        ),
        Step(
            latex=r"\min_\sigma \min_p c(P) \leq L",
            text="p = 1 is admissible.",
            check=inequality(minimum_below_a_value, "all L"),
        ),
    ),
)
