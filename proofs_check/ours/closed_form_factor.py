"""The closed form of lem:upperBound is within a factor sqrt(B) of the optimum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpttheory import closed_form, complexity

from ..claim import Bound, Claim, Kind, Status, Step
from ..symbolic import identity, inequality
from ..witness import decided
from ._optima import Solved, never_contradicted
from .sandwich import ends_are_attained as ends_are_attained
from .sandwich import over_blocks as over_blocks
from .two_bounds import block_form, inner_products

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sympy import Expr


def scaled_blocks(power: int = 1) -> Sequence[tuple[Expr, Expr]]:
    """With D_k = sqrt(L_k / c_k) and s_k = sqrt(L_k c_k): D_k c_k = s_k, and the blocks of D^-1/2 L D^-1/2 have s_k."""
    import sympy

    L, c = sympy.symbols("L_k c_k", positive=True)
    D, s = sympy.sqrt(L / c), sympy.sqrt(L * c)
    return [(D * c, s), (L / D**power, s)]


def top_below_sigma(sign: int = 1) -> Sequence[tuple[Expr, Expr, Expr]]:
    """x_k'N_kl x_l <= sqrt(s_k s_l) |x_k| |x_l|: as in our:twoBounds; summed over k, l it is sigma^2."""
    return [*inner_products(), *block_form(sign)]


def dual_point(power: int = 1) -> Sequence[tuple[Expr, Expr]]:
    """y_k = sqrt(c_k) x_k / |x_k|: coordinate i of |y_k|^2 = c_k, and of x_k'(D_k^1/2 y_k) = sqrt(s_k) |x_k|."""
    import sympy

    L, c, xi = sympy.symbols("L_k c_k xi_k", positive=True)
    x = sympy.Symbol("x_i", real=True)
    D, s = sympy.sqrt(L / c), sympy.sqrt(L * c)
    y = sympy.sqrt(c) * x / xi
    return [
        (y**2, c * (x**2 / xi**2)),
        # Summed over i, x_i^2 / xi_k is xi_k.
        (x * sympy.sqrt(D) * y, sympy.sqrt(s) ** power * (x**2 / xi)),
    ]


def top_component(sign: int = 1) -> Sequence[tuple[Expr, Expr, Expr]]:
    """t z_1^2 <= sum_j lambda_j z_j^2 in the eigenbasis of N, which is semidefinite: the term j > 1 is not negative."""
    import sympy

    t, value = sympy.symbols("t lambda_j", nonnegative=True)
    z_1, z_j = sympy.symbols("z_1 z_j", real=True)
    return [(t * z_1**2, t * z_1**2 + value * z_j**2, sign * value * z_j**2)]


def combined(sign: int = 1) -> Sequence[tuple[Expr, Expr, Expr]]:
    """t^2 Q <= c*^2, where c* = t sigma^2 + a = Q + b, sigma^2 = t + w and Q = sum s_k^2."""
    import sympy

    t, Q = sympy.symbols("t Q", positive=True)
    w, a, b = sympy.symbols("w a b", nonnegative=True)
    product = (t * (t + w) + a) * (Q + b)
    return [(t**2 * Q, product, sign * (t * w * Q + a * Q + (t**2 + t * w + a) * b))]


def sides(problem: Solved, exponent: float = 0.5) -> list[tuple[float, float]]:
    """A lower bound of c(P_closed) and an upper bound of B^exponent c*."""
    p = closed_form(problem.L, problem.costs, problem.blocks).probabilities
    closed = complexity(problem.L, p, problem.costs, problem.blocks)
    return [(closed.lower, problem.blocks.count**exponent * problem.found.upper * (1 + 1e-12))]


CLAIM = Claim(
    label="our:closedFormFactor",
    kind=Kind.OURS,
    title="The closed form costs at most sqrt(B) times the optimum",
    latex=r"c(P_{closed}) \leq \frac{\sum_k s_k}{\sqrt{\sum_k s_k^2}}\, c^* \leq \sqrt{B}\, c^*, \quad"
    r"s_k = \sqrt{c_k L_k}",
    text="Far better than the factor B that its bound (sum s_k)^2 allows. Block-diagonal L with s = (1 + sqrt(B), 1, "
    "..., 1) "
    "has the factor (1 + sqrt(B)) / 2; a random search for B up to 4 found no more.",
    assumptions=("L is positive semidefinite", "all c_k and L_k are positive"),
    statement=Status.VERIFIED,
    proof=Status.VERIFIED,
    bound=Bound.UPPER,
    tight=None,
    tightness="attained for B = 1; at least (1 + sqrt(B)) / 2 is needed",
    needs=("our:sdp", "lem:upperBound"),
    proof_needs=("our:duality", "our:sandwich", "our:twoBounds", "fact:cauchySchwarz"),
    checks=(never_contradicted(sides),),
    steps=(
        Step(
            latex=r"D_k = \sqrt{L_k / c_k},\ N = D^{-1/2} L D^{-1/2},\ t = \lambda_{\max}(N): \quad"
            r"c(P_{closed}) = t \sum_k s_k, \quad \lambda_{\max}(N_{kk}) = s_k",
            text="p is proportional to D, and c does not see the scale.",
            check=identity(scaled_blocks, "block k, so any number of blocks"),
        ),
        Step(
            latex=r"t = x^\top N x \leq \Big(\sum_k \sqrt{s_k} \|x_k\|\Big)^2 = \sigma^2",
            text="x is a top unit eigenvector of N.",
            check=inequality(top_below_sigma, "pairs and terms, so all dimensions"),
        ),
        Step(
            latex=r"y_k = \sqrt{c_k}\, x_k / \|x_k\|: \quad \|y_k\|^2 = c_k, \quad x^\top D^{1/2} y = \sigma",
            text="yy' is dual feasible. Where x_k = 0 any y_k of the right norm will do.",
            check=identity(dual_point, "coordinate i of block k, so all dimensions"),
        ),
        Step(
            latex=r"c^* \geq y^\top L y = (D^{1/2} y)^\top N (D^{1/2} y) \geq t\, (x^\top D^{1/2} y)^2 = t \sigma^2",
            text="Weak duality; N is semidefinite, so its top component is not more than all.",
            check=inequality(top_component, "term j in the eigenbasis of N, so all dimensions"),
        ),
        Step(
            latex=r"(c^*)^2 \geq t \sigma^2 \cdot \sum_k s_k^2 \geq t^2 \sum_k s_k^2",
            text="Times the other lower bound, c* >= sum c_k L_k (our:sandwich).",
            check=inequality(combined, "all values"),
        ),
        Step(
            latex=r"c(P_{closed})^2 = t^2 \Big(\sum_k s_k\Big)^2 \leq B\, t^2 \sum_k s_k^2 \leq B\, (c^*)^2",
            text="Cauchy and Schwarz against ones.",
            check=inequality(over_blocks, "pair (k, l), so any number of blocks"),
        ),
        Step(
            latex=r"s = (3, 1, 1, 1): \quad c(P_{closed}) = 3 \cdot 6 = 18 = \tfrac{1 + \sqrt{4}}{2} \cdot 12, \quad "
            r"c^* = 12",
            text="Block-diagonal L with four blocks: the factor cannot be less than 3/2 there.",
            check=decided(lambda: ends_are_attained((3, 1, 1, 1), (12, 18, 36)), "B = 4, s = (3, 1, 1, 1)"),
        ),
    ),
)
