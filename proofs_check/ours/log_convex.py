"""c(P) is convex in log p, and for two blocks in t on the slice p = (1, t)."""

import sympy

from ..checks.instances import Batch
from ..checks.randomised import Brackets, on_random_matrices
from ..checks.stacked import top_brackets
from ..checks.symbolic import Pairs, Triples, identity, inequality, letters
from ..engine.entry import Entry, Step
from .two_bounds import gram_form as gram_form


def transposed(power: int = 1) -> Pairs:
    """Entry (a, b), term i, of A A' with A = R P^-1/2, and A(A'A) = (AA')A, term (i, b, j)."""
    R_ai, R_bi, A_ai, A_bi, A_bj, p = letters("R_ai R_bi A_ai A_bi A_bj, p_i > 0")
    return [
        ((R_ai / sympy.sqrt(p)) * (R_bi / sympy.sqrt(p)), R_ai * R_bi / p**power),
        (A_ai * (A_bi * A_bj), (A_ai * A_bi) * A_bj),
    ]


def nonnegative_weights(sign: int = 1) -> Triples:
    """z'R_k R_k'z / p_k is a square over p_k: column i of block k."""
    g, p = letters("g_i, p_k > 0")  # (R'z)_i
    return [(sympy.Integer(0), g * g / p, sign * g**2 / p)]


def convex_terms(sign: int = 1) -> Triples:
    """The second derivative along a line y + s v of the term g_k c_l exp(y_l - y_k)."""
    s, y_k, y_l, v_k, v_l, g, c = letters("s y_k y_l v_k v_l, g_k c_l >= 0")
    term = g * c * sympy.exp((y_l + s * v_l) - (y_k + s * v_k))
    return [(sympy.Integer(0), sympy.diff(term, s, 2), sign * (v_l - v_k) ** 2 * term)]


def two_blocks(sign: int = 1) -> Triples:
    """The second derivative in t of (g_1 + g_2 / t)(c_1 + c_2 t)."""
    t, g_1, g_2, c_1, c_2 = letters("t > 0, g_1 g_2 c_1 c_2 >= 0")
    value = (g_1 + g_2 / t) * (c_1 + c_2 * t)
    return [(sympy.Integer(0), sympy.diff(value, t, 2), sign * 2 * g_2 * c_1 / t**3)]


def midpoint_sides(batch: Batch, factor: float = 1.0) -> tuple[Brackets, Brackets]:
    """L_P at the geometric mean of p and 1 against the arithmetic mean of its values there.

    Multiplying r by itself squares p, so r = r^2 has the mean r with r = 1: all exact. The cost is left out: each
    c_l p_l L_P is convex by itself, and L_P is the one with p_l = 1.
    """
    squared = Batch(batch.blocks, batch.family, batch.L, batch.r**2, batch.costs)
    ones = Batch(batch.blocks, batch.family, batch.L, batch.r**0, batch.costs)
    (low, high), (at_low, at_high) = top_brackets(*squared.weighted), top_brackets(*ones.weighted)
    room = 2.0**-50
    mean = factor * (low + at_low) / 2 * (1 - room), factor * (high + at_high) / 2 * (1 + room)
    return top_brackets(*batch.weighted), mean


CLAIM = Entry(
    label="our:logConvex",
    title="c(P) is convex in log p, and for two blocks on the slice p = (1, t)",
    latex=r"c(e^{y}) = \sup_{\|z\| = 1} \sum_{k,l} g_k(z)\, c_l\, e^{y_l - y_k}, \quad g_k(z) = \|R_k^\top z\|^2, "
    r"\quad L = R^\top R",
    text="A supremum of convex functions of y = log p. The constraints of eq:complexity are linear in y, for every "
    "order. For B = 2 and p = (1, t), which is all that eq:complexity asks of one order, c is convex in t as well; "
    "from B = 3 on it need not be convex on p_1 = 1 (text:nonconvex). On all p > 0 it is convex only if constant, "
    "since it does not see the scale of p.",
    assumptions=("L is positive semidefinite", "all c_k are positive"),
    see=("eq:complexity", "text:nonconvex"),
    needs=("text:LP", "text:expectedCost"),
    proof_needs=("fact:rayleigh",),
    checks=(on_random_matrices(midpoint_sides),),
    steps=(
        Step(
            latex=r"L_P = \lambda_{\max}(A^\top A) = \lambda_{\max}(A A^\top) = \lambda_{\max}(R P^{-1} R^\top), \quad "
            r"A = R P^{-1/2}",
            text="If A'Ax = lambda x then AA'(Ax) = lambda (Ax), and the other way round.",
            check=identity(transposed, "entry (a, b) and term (i, b, j), so all dimensions"),
        ),
        Step(
            latex=r"A^\top A = P^{-1/2} L P^{-1/2}, \quad x^\top L x = \langle Rx, Rx\rangle",
            text="L is a Gram matrix.",
            check=identity(gram_form, "term (a, i, j), so all dimensions"),
        ),
        Step(
            latex=r"z^\top R P^{-1} R^\top z = \sum_k g_k(z) / p_k, \quad g_k \geq 0",
            text="So L_P is a supremum of sums of 1 / p_k with weights that are not negative; the costs multiply in.",
            check=inequality(nonnegative_weights, "column i of block k, so all dimensions"),
        ),
        Step(
            latex=r"\frac{d^2}{ds^2}\, g_k c_l\, e^{(y_l + s v_l) - (y_k + s v_k)} = (v_l - v_k)^2\, g_k c_l\,"
            r"e^{\ldots} \geq 0",
            text="Each term is convex in y, so their sums and the supremum are.",
            check=inequality(convex_terms, "pair (k, l), so any number of blocks"),
        ),
        Step(
            latex=r"\frac{d^2}{dt^2} \Big(g_1 + \frac{g_2}{t}\Big)(c_1 + c_2 t) = \frac{2 g_2 c_1}{t^3} \geq 0",
            text="Two blocks, p = (1, t): convex in t, so the supremum is.",
            check=inequality(two_blocks, "all values; two blocks of any sizes"),
        ),
    ),
)
