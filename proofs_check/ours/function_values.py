"""A strongly convex theorem in function values with L_M in place of L_P, which recovers the known rates of RCD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..claim import Bound, Claim, Kind, Status, Step
from ..exact import top_at_most
from ..paper._quadratics import Comparison, Quadratic, on_quadratics
from ..paper.text_replaceLPbyLM import second_moment
from ..symbolic import identity, inequality

if TYPE_CHECKING:
    from sympy import Expr

STEPS = 4


def gaps(problem: Quadratic, factor: Fraction | int = 1) -> Iterator[Comparison]:
    """E[f(x_t) - f*] against (1 - factor gamma mu)^t (f(x_0) - f*), at gamma = 1/L with L near L_M from above."""
    moment = second_moment(problem)
    L = next(
        level for level in (Fraction(k, 32) * problem.smoothness for k in range(1, 33)) if top_at_most(moment, level)
    )
    for gamma in (1 / L, 1 / (3 * L)):
        found = [problem.gap(moments.iterate) for moments in problem.moments(gamma, STEPS)]
        for t, gap in enumerate(found):
            yield gap, (1 - factor * gamma * problem.mu) ** t * found[0], f"t = {t}, gamma = {gamma}"


def half_of_the_gradient(half: int = 2) -> Sequence[tuple[Expr, Expr, Expr]]:
    """gamma/2 N <= (gamma - gamma^2 L_M / 2) N, where room = 1 - gamma L_M >= 0 and N = |f'(x)|^2."""
    import sympy

    gamma = sympy.Symbol("gamma", positive=True)
    N, room = sympy.symbols("N room", nonnegative=True)
    L_M = (1 - room) / gamma
    return [(gamma / half * N, (gamma - gamma**2 * L_M / 2) * N, gamma * room * N / 2)]


def gradient_dominates(factor: int = 2) -> Sequence[tuple[Expr, Expr]]:
    """<g, v> + mu |v|^2 / 2 = mu/2 |v + g/mu|^2 - |g|^2 / (2 mu), coordinate i; the square is not negative."""
    import sympy

    g, v = sympy.symbols("g_i v_i", real=True)
    mu = sympy.Symbol("mu", positive=True)
    return [(g * v + mu / 2 * v**2, mu / 2 * (v + g / mu) ** 2 - g**2 / (factor * mu))]


def contraction(factor: int = 1) -> Sequence[tuple[Expr, Expr, Expr]]:
    """delta - gamma/2 N <= (1 - gamma mu) delta, where N = 2 mu delta + s."""
    import sympy

    gamma, mu = sympy.symbols("gamma mu", positive=True)
    delta, s = sympy.symbols("delta s", nonnegative=True)
    N = 2 * mu * delta + s
    return [(delta - gamma / 2 * N, (1 - factor * gamma * mu) * delta, gamma * s / 2)]


def powers(shift: int = 1) -> Sequence[tuple[Expr, Expr]]:
    """The induction over t; the factor is not negative, since L_M >= lambda_max(L) >= mu."""
    import sympy

    q, delta = sympy.symbols("q delta_0", nonnegative=True)
    t = sympy.Symbol("t", integer=True, nonnegative=True)
    return [(q * (q**t * delta), q ** (t + shift) * delta)]


def one_coordinate_at_a_time(power: int = 1) -> Sequence[tuple[Expr, Expr]]:
    """p_i = L_ii / S: entry (i, i) of E[CLC] is S, others vanish, since no two are drawn; gamma / p_i is 1 / L_ii."""
    import sympy

    L_ii, L_ij, S = sympy.symbols("L_ii L_ij S", positive=True)
    p_i, p_j = L_ii / S**power, sympy.Symbol("p_j", positive=True)
    together = sympy.Integer(0)
    return [
        (p_i * L_ii / p_i**2, S),
        (together * L_ij / (p_i * p_j), sympy.Integer(0)),
        ((1 / S) / p_i, 1 / L_ii),
    ]


CLAIM = Claim(
    label="our:functionValues",
    kind=Kind.OURS,
    title="SkGD, strongly convex, in function values, with L_M",
    latex=r"\mathbb{E}[f(x^t) - f^*] \leq (1 - \gamma \mu)^t (f(x^0) - f^*), \quad 0 < \gamma \leq \tfrac{1}{L_M}",
    text="For every unbiased sketch of SkGD. The stepsizes go up to 1/L_M, beyond the 1/L_P of thm:rcdStronglyConvex "
    "(whose squared distance may grow there: our:LMconvex). One coordinate at a time with p_i = L_ii / sum_j L_jj "
    "gives the known rate of randomised coordinate descent, factor 1 - mu / sum_j L_jj.",
    assumptions=("f is L-smooth and mu-strongly convex", "the draws of different steps are independent"),
    statement=Status.VERIFIED,
    proof=Status.VERIFIED,
    bound=Bound.UPPER,
    tight=True,
    tightness="attained at gamma = 1/L_M by f = L x^2/2 on a line with any p: both sides are (1 - p)^t",
    needs=("text:SkGD", "as:matrixSmoothness", "as:stronglyConvex"),
    proof_needs=("text:replaceLPbyLM",),
    checks=(on_quadratics(gaps),),
    steps=(
        Step(
            latex=r"\mathbb{E}[f(x^{t+1}) | x^t] \leq f(x^t) - \left(\gamma - \tfrac{\gamma^2 L_M}{2}\right)"
            r"\|\nabla f(x^t)\|^2 \leq f(x^t) - \tfrac{\gamma}{2} \|\nabla f(x^t)\|^2",
            text="The decrease of the nonconvex theorem with L_M (text:replaceLPbyLM), and gamma <= 1/L_M.",
            check=inequality(half_of_the_gradient, "all gamma <= 1/L_M"),
        ),
        Step(
            latex=r"f^* \geq f(x) + \min_v \left(\langle \nabla f(x), v \rangle + \tfrac{\mu}{2} \|v\|^2\right)"
            r"= f(x) - \tfrac{1}{2\mu} \|\nabla f(x)\|^2",
            text="Strong convexity between x and the minimiser.",
            check=identity(gradient_dominates, "coordinate i, so all dimensions"),
        ),
        Step(
            latex=r"\mathbb{E}[f(x^{t+1}) - f^* | x^t] \leq (1 - \gamma \mu)(f(x^t) - f^*)",
            text="The two together.",
            check=inequality(contraction, "all gamma and mu"),
        ),
        Step(
            latex=r"\mathbb{E}[f(x^t) - f^*] \leq (1 - \gamma \mu)^t (f(x^0) - f^*)",
            text="By induction.",
            check=identity(powers, "all t"),
        ),
        Step(
            latex=r"p_i = L_{ii} / S, \quad S = \sum_j L_{jj} \implies L_M = S, \quad \gamma / p_i = 1 / L_{ii}",
            text="One coordinate at a time: the method and the rate are those of coordinate descent.",
            check=identity(one_coordinate_at_a_time, "entries (i, i) and (i, j), so all dimensions"),
        ),
    ),
)
