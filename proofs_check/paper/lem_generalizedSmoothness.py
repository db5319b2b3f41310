"""lem:generalizedSmoothness. True; the printed proof divides by A, which may be zero."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import sympy
from sympy import Expr

from rpttheory.certify.pencil import UNIT

from ..checks.exact import is_semidefinite
from ..checks.instances import Batch
from ..checks.randomised import Brackets, on_random_matrices
from ..checks.stacked import top_brackets
from ..checks.symbolic import identity, inequality
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Kind, Status, Step


def quadratic_sides(batch: Batch, factor: float = 1.0) -> tuple[Brackets, Brackets]:
    """|f'(x)|_W^2 and 2 factor A (f(x) - f*) for f = x'Lx / 2 and W = Diag(r), at integer points near the worst.

    The worst x is W^1/2 v for a top eigenvector v of W^1/2 L W^1/2; any integer point is admissible.
    """
    weights = batch.per_coordinate
    roots = np.sqrt(weights)
    _, vectors = np.linalg.eigh(batch.L * (roots[:, :, None] * roots[:, None, :]))
    x = np.rint(64 * roots * vectors[:, :, -1])
    d = x.shape[1]
    gradient = np.einsum("nij,nj->ni", batch.L, x)  # integers below 2^53, so exact
    norm = (weights * gradient**2).sum(axis=1)
    slack = (d + 8) * UNIT
    value = (x * gradient).sum(axis=1)
    error = slack * (np.abs(x) * np.abs(gradient)).sum(axis=1)
    low, high = top_brackets(*batch.weighted)
    bottom, top = np.maximum(low, 0) * np.maximum(value - error, 0), high * (value + error)
    return (norm * (1 - slack), norm * (1 + slack)), (factor * bottom * (1 - slack), factor * top * (1 + slack))


def minimum_is_below(sign: int = 1) -> Sequence[tuple[Expr, Expr, Expr]]:
    """f(x*) <= f(y), where s is what y has above the minimum."""
    value = sympy.Symbol("f_y", real=True)
    above = sympy.Symbol("s", nonnegative=True)
    return [(value - above, value, sign * above)]


def smoothness_at_the_step(sign: int = -1) -> Sequence[tuple[Expr, Expr]]:
    """<g, y - x> and |y - x|_L^2 for y = x - alpha W g: term i, and term (i, j)."""
    alpha, g_i, g_j, L_ij = sympy.symbols("alpha g_i g_j L_ij", real=True)
    w_i, w_j = sympy.symbols("w_i w_j", positive=True)
    step_i, step_j = sign * alpha * w_i * g_i, sign * alpha * w_j * g_j
    return [
        (g_i * step_i, -alpha * g_i * (w_i * g_i)),
        (step_i * L_ij * step_j, alpha**2 * (w_i * g_i) * L_ij * (w_j * g_j)),
    ]


def norm_as_a_form(power: int = 1) -> Sequence[tuple[Expr, Expr]]:
    """|Wg|_L^2 = <g, WLWg>, term (i, j)."""
    g_i, g_j, L_ij = sympy.symbols("g_i g_j L_ij", real=True)
    w_i, w_j = sympy.symbols("w_i w_j", positive=True)
    return [((w_i * g_i) * L_ij * (w_j * g_j), g_i * (w_i * L_ij * w_j**power) * g_j)]


def congruent(power: int = 1) -> Sequence[tuple[Expr, Expr]]:
    """W^1/2 (W^1/2 L W^1/2) W^1/2 = WLW and W^1/2 (A I) W^1/2 = A W, entry (i, j)."""
    L_ij, A = sympy.symbols("L_ij A", real=True)
    w_i, w_j = sympy.symbols("w_i w_j", positive=True)
    root_i, root_j = sympy.sqrt(w_i), sympy.sqrt(w_j)
    return [(root_i * (root_i * L_ij * root_j) * root_j, w_i * L_ij * w_j), (root_i * A * root_i, A * w_i**power)]


def quadratic_in_alpha(half: int = 2) -> Sequence[tuple[Expr, Expr, Expr]]:
    """f(x*) <= f(x) - (alpha - alpha^2 A / 2) N for every real alpha, where <g, WLWg> = A N - r with r >= 0.

    The slack s is that of the two inequalities before.
    """
    value, alpha = sympy.symbols("f_x alpha", real=True)
    A, N, s, r = sympy.symbols("A N s r", nonnegative=True)
    least = value - alpha * N + alpha**2 / 2 * (A * N - r) - s
    return [(least, value - (alpha - alpha**2 * A / half) * N, s + alpha**2 * r / 2)]


def best_alpha(half: int = 2) -> Sequence[tuple[Expr, Expr]]:
    """A > 0: the maximum of alpha - alpha^2 A / 2. A = 0: alpha = (delta + 1) / N would go below the minimum.

    delta = f(x) - f(x*), and N = |f'(x)|_W^2 > 0 is supposed: f(x) - alpha N = f(x*) - 1 contradicts minimality.
    """
    alpha, lowest = sympy.symbols("alpha f_min", real=True)
    A, N = sympy.symbols("A N", positive=True)
    delta = sympy.Symbol("delta", nonnegative=True)
    return [
        (alpha - alpha**2 * A / 2, 1 / (half * A) - A / 2 * (alpha - 1 / A) ** 2),
        ((lowest + delta) - (delta + 1) / N * N, lowest - 1),
    ]


def division_by_zero(L: int, w: int) -> bool:
    """d = 1: whether L is allowed and A = w L is zero."""
    return is_semidefinite([[L]]) and w > 0 and Fraction(w * L) == 0


def rearranged(factor: int = 2) -> Sequence[tuple[Expr, Expr, Expr]]:
    """From f(x*) = f(x) - N / (2A) - s: N <= 2A (f(x) - f(x*))."""
    A = sympy.Symbol("A", positive=True)
    N, s = sympy.symbols("N s", nonnegative=True)
    return [(N, factor * A * (N / (2 * A) + s), 2 * A * s)]


CLAIM = Entry(
    label="lem:generalizedSmoothness",
    kind=Kind.LEMMA,
    title="The gradient is bounded by the gap to the minimum",
    latex=r"\|\nabla f(x)\|_W^2 \leq 2A (f(x) - f(x^*)), \quad A = \lambda_{\max}(W^{1/2} L W^{1/2})",
    text="For an L-smooth f, every x and every positive diagonal W. Any lower bound of f serves for f(x*).",
    assumptions=("f is L-smooth", "x* is a minimiser of f", "w_1, ..., w_d are positive"),
    statement=Status.ARGUED,
    proof=Status.CORRECTED,
    see=("our:generalizedSmoothness", "lem:secondMoment", "thm:rcdNonconvex"),
    bound=Bound.UPPER,
    tight=True,
    tightness="attained by f = x'Lx/2 at x = W^1/2 v, v a top eigenvector of W^1/2 L W^1/2",
    needs=("text:matrixSmooth",),
    proof_needs=("fact:congruence", "fact:rayleigh"),
    checks=(on_random_matrices(quadratic_sides),),
    errata=(
        Erratum(
            r"\alpha^* = 1/A",
            "there is no 1/A for A = 0 (L = 0, which is allowed); there let alpha grow: the gradient vanishes",
        ),
        Erratum(
            r"f(x^*)",
            "the lemma does not assume that a minimiser exists; any lower bound f* will do, which lem:secondMoment and "
            "thm:rcdNonconvex need (our:generalizedSmoothness)",
        ),
    ),
    steps=(
        Step(
            latex=r"f(x^*) \leq f(x - \alpha W \nabla f(x))",
            text="The minimum is at most any other value.",
            check=inequality(minimum_is_below, "all points, s being the gap"),
        ),
        Step(
            latex=r"\leq f(x) - \alpha \langle \nabla f(x), W \nabla f(x) \rangle"
            r"+ \tfrac{\alpha^2}{2} \|W \nabla f(x)\|_L^2",
            text="L-smoothness between x and x - alpha W f'(x), for every real alpha.",
            check=identity(smoothness_at_the_step, "terms i and (i, j), so all dimensions"),
        ),
        Step(
            latex=r"= f(x) - \alpha \langle \nabla f(x), W \nabla f(x) \rangle"
            r"+ \tfrac{\alpha^2}{2} \langle \nabla f(x), W L W \nabla f(x) \rangle",
            text="The norm as a quadratic form.",
            check=identity(norm_as_a_form, "term (i, j), so all dimensions"),
        ),
        Step(
            latex=r"W^{1/2} L W^{1/2} \preceq A I \implies W L W \preceq A W",
            text="Congruence with W^1/2.",
            check=identity(congruent, "entry (i, j), so all dimensions"),
        ),
        Step(
            latex=r"f(x^*) \leq f(x) - \alpha \|\nabla f(x)\|_W^2 + \tfrac{\alpha^2 A}{2} \|\nabla f(x)\|_W^2"
            r"= f(x) - (\alpha - \tfrac{\alpha^2 A}{2}) \|\nabla f(x)\|_W^2",
            text="The three before together.",
            check=inequality(quadratic_in_alpha, "all real alpha"),
        ),
        Step(
            latex=r"\alpha^* = \tfrac{1}{A} \text{ maximises } \alpha - \tfrac{\alpha^2 A}{2}",
            text="There is no 1/A where A = 0; there the expression has no maximum.",
            check=refuted_by(lambda: division_by_zero(0, 1), "d = 1, f constant, L = 0, W = 1: A = 0"),
            expected=Status.CORRECTED,
            correction=r"A > 0: \alpha^* = \tfrac{1}{A}; \quad A = 0: \alpha \to \infty \text{ gives } \nabla f(x) = 0",
            mended=identity(best_alpha, "all A > 0, and A = 0"),
        ),
        Step(
            latex=r"\|\nabla f(x)\|_W^2 \leq 2A (f(x) - f(x^*))",
            text="Rearranged.",
            check=inequality(rearranged, "all A > 0; for A = 0 both sides are zero"),
        ),
    ),
)
