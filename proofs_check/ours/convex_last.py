"""The convex rate for the last iterate, which is what the algorithm puts out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import sympy
from sympy import Expr

from ..checks.assumptions import FRESH, NONZERO
from ..checks.exact import dot
from ..checks.paths import Pieces, huber, on_paths
from ..checks.quadratics import Comparison, Quadratic, on_quadratics
from ..checks.symbolic import identity, inequality
from ..engine.claim import Bound, Claim, Kind, Status, Step

HALF = Fraction(1, 2)
STEPS = 3


def gaps(problem: Quadratic, factor: Fraction = HALF) -> Iterator[Comparison]:
    """E f(x_T) - f* against factor |x_0|^2 / (gamma (T + 1)) at gamma = 1/L_P and a third of it."""
    for gamma in (1 / problem.smoothness, 1 / (3 * problem.smoothness)):
        for T, moments in enumerate(problem.moments(gamma, STEPS)):
            bound = factor * problem.squared_distance / (gamma * (T + 1))
            yield problem.gap(moments.iterate), bound, f"T = {T}, gamma = {gamma}"


def gaps_on_paths(f: Pieces, factor: Fraction = HALF) -> Iterator[Comparison]:
    """The same for a function that is no quadratic, over all paths."""
    gamma = 1 / f.smoothness
    for T in range(STEPS + 1):
        expected = sum((w * f.value(path[-1]) for w, path in f.paths(gamma, T)), Fraction(0))
        yield expected, factor * dot(f.x0, f.x0) / (gamma * (T + 1)), f"T = {T}, gamma = {gamma}"


def values_fall(sign: int = 1) -> Sequence[tuple[Expr, Expr, Expr]]:
    """E f(x_{t+1}) = f - (gamma - gamma^2 L_M / 2) G - slack with gamma L_M = 1 - rest, G = |grad f(x_t)|^2."""
    f = sympy.Symbol("f", real=True)
    gamma = sympy.Symbol("gamma", positive=True)
    G, rest, slack = sympy.symbols("G rest slack", nonnegative=True)
    following = f - (gamma - gamma * (1 - rest) / 2) * G - slack
    return [(following, f, sign * (gamma * (1 + rest) / 2 * G + slack))]


def last_below_mean(sign: int = 1) -> Sequence[tuple[Expr, Expr, Expr]]:
    """The least of n = T + 1 numbers, the last, is at most their mean: `excess` is the sum of the differences."""
    last = sympy.Symbol("last", real=True)
    n = sympy.Symbol("n", positive=True)
    excess = sympy.Symbol("excess", nonnegative=True)
    return [(last, (n * last + excess) / n, sign * excess / n)]


def sum_bounded(factor: int = 2) -> Sequence[tuple[Expr, Expr]]:
    """2 gamma sum_t E[f(x_t) - f*] <= |x_0 - x*|^2, divided by 2 gamma (T + 1)."""
    R, gamma, n = sympy.symbols("R gamma n", positive=True)
    return [((R / (2 * gamma)) / n, R / (factor * gamma * n))]


CLAIM = Claim(
    label="our:convexLastIterate",
    kind=Kind.OURS,
    title="The convex rate holds for the last iterate",
    latex=r"\mathbb{E}[f(x^T) - f(x^*)] \leq \frac{\|x^0 - x^*\|^2}{2\gamma(T+1)},"
    r"\quad 0 < \gamma \leq \tfrac{1}{L_P}",
    text="The paper announces a bound on f(x^t), and its algorithm puts out x^T, but thm:rcdConvex is about the mean "
    "of the iterates. No mean is needed: the expected values fall, so the last is at most their mean.",
    assumptions=(FRESH, NONZERO),
    statement=Status.ARGUED,
    proof=Status.ARGUED,
    see=("thm:rcdConvex",),
    bound=Bound.UPPER,
    tightness="attained for T = 0 by f = x^2/2 with p = 1; for T >= 1 not known (not for gradient descent, p = 1: "
    "there 1/(4T + 2) replaces 1/(2T + 2) at gamma = 1/L, Drori and Teboulle, Math. Program. 145, 2014)",
    needs=("text:SkGD", "text:LP", "as:convex", "as:matrixSmoothness"),
    proof_needs=("our:convexSharp", "text:replaceLPbyLM", "lem:key_quantity"),
    checks=(on_quadratics(gaps), on_paths(gaps_on_paths, huber)),
    steps=(
        Step(
            latex=r"\mathbb{E} f(x^{t+1}) \leq \mathbb{E} f(x^t), \quad \gamma \leq \tfrac{1}{L_P} \leq \tfrac{1}{L_M}",
            text="The decrease in one step, which needs no convexity (text:replaceLPbyLM).",
            check=inequality(values_fall, "all gamma <= 1/L_M"),
        ),
        Step(
            latex=r"\mathbb{E} f(x^T) \leq \tfrac{1}{T+1}\sum_{t=0}^T \mathbb{E} f(x^t)",
            text="The last of falling numbers is at most their mean.",
            check=inequality(last_below_mean, "all T"),
        ),
        Step(
            latex=r"\tfrac{1}{T+1}\sum_{t=0}^T \mathbb{E}[f(x^t) - f^*] \leq \tfrac{\|x^0 - x^*\|^2}{2\gamma(T+1)}",
            text="The sum bounded in the proof of our:convexSharp.",
            check=identity(sum_bounded, "all values"),
        ),
    ),
)
