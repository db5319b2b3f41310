"""The condition of Polyak and Lojasiewicz in place of strong convexity: the proof in function values needs no more."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import sympy

from ..checks.assumptions import FRESH
from ..checks.paths import Pieces, on_paths
from ..checks.quadratics import Comparison
from ..checks.symbolic import Triples, identity, inequality, letters
from ..engine.entry import Bound, Entry, Step
from .function_values import contraction, half_of_the_gradient, powers

# Of `dented`: |f'|^2 >= 2 mu f, with equality at 2.
DENTED_MU = Fraction(1, 10)


def dented(u: Fraction) -> tuple[Fraction, Fraction]:
    """Not convex between 1 and 2, where the slope falls from 1 to 1/2; 1-smooth; the value and the slope."""
    size, sign = abs(u), 1 if u > 0 else -1
    if size <= 1:
        return u * u / 2, u
    if size <= 2:
        return Fraction(1, 2) + (size - 1) - (size - 1) ** 2 / 4, sign * (1 - (size - 1) / 2)
    return Fraction(5, 4) + (size - 2) / 2 + (size - 2) ** 2 / 2, sign * (size - Fraction(3, 2))


def gaps_on_paths(f: Pieces, mu: Fraction | int = DENTED_MU) -> Iterator[Comparison]:
    """E[f(x_t) - f*] against (1 - gamma mu)^t (f(x_0) - f*) for the sum of the dented x_i, gamma = p_min = 1/L_M."""
    d = len(f.x0)
    least = min(f.sampling.pair_fraction(k, k) for k in range(f.blocks.count))
    problem = replace(f, rows=tuple(tuple(int(i == j) for j in range(d)) for i in range(d)), smoothness=1 / least)
    for t in range(3):
        for _, path in problem.paths(least, t):
            yield 2 * mu * problem.value(path[-1]), problem.squared_gradient(path[-1]), f"t = {t}, the assumption"
        expected = sum((w * problem.value(path[-1]) for w, path in problem.paths(least, t)), Fraction(0))
        yield expected, (1 - least * mu) ** t * problem.value(problem.x0), f"t = {t}, dented"


def factor_by_values(sign: int = 1) -> Triples:
    """(1 - gamma mu) delta = E delta_+ + slack, where delta_+ is not negative: so is the factor where delta > 0."""
    delta, following, slack = letters("delta > 0, following slack >= 0")
    product = following + slack
    return [(sympy.Integer(0), product / delta, sign * (following / delta + slack / delta))]


CLAIM = Entry(
    label="our:polyakLojasiewicz",
    title="SkGD in function values under the condition of Polyak and Lojasiewicz",
    latex=r"\|\nabla f(x)\|^2 \geq 2\mu (f(x) - f^*) \implies \mathbb{E}[f(x^t) - f^*] \leq"
    r"(1 - \gamma \mu)^t (f(x^0) - f^*), \quad 0 < \gamma \leq \tfrac{1}{L_M}",
    text="f need not be convex, nor have one minimiser only: f* is any lower bound with that property. "
    "our:functionValues is the case of a strongly convex f.",
    assumptions=("f is L-smooth and bounded below by f*", FRESH),
    see=("our:functionValues",),
    bound=Bound.UPPER,
    tight=True,
    tightness="attained at gamma = 1/L_M by f = L x^2/2 on a line with any p: both sides are (1 - p)^t",
    needs=("text:SkGD", "as:matrixSmoothness"),
    proof_needs=("text:replaceLPbyLM",),
    checks=(on_paths(gaps_on_paths, dented),),
    steps=(
        Step(
            latex=r"\mathbb{E}[f(x^{t+1}) | x^t] \leq f(x^t) - \tfrac{\gamma}{2} \|\nabla f(x^t)\|^2",
            text="The decrease of the nonconvex theorem with L_M (text:replaceLPbyLM), and gamma <= 1/L_M.",
            check=inequality(half_of_the_gradient, "all gamma <= 1/L_M"),
        ),
        Step(
            latex=r"\mathbb{E}[f(x^{t+1}) - f^* | x^t] \leq (1 - \gamma \mu)(f(x^t) - f^*)",
            text="With the condition.",
            check=inequality(contraction, "all gamma and mu"),
        ),
        Step(
            latex=r"f(x^t) > f^* \implies 1 - \gamma\mu \geq 0",
            text="The left side before is not negative.",
            check=inequality(factor_by_values, "any slack"),
        ),
        Step(
            latex=r"\mathbb{E}[f(x^t) - f^*] \leq (1 - \gamma \mu)^t (f(x^0) - f^*)",
            text="By induction, since the factor is not negative.",
            check=identity(powers, "all t"),
        ),
    ),
)
