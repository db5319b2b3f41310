"""The nonconvex theorem: what in it is tight, and which iterate can be had without computing full gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..claim import Bound, Claim, Kind, Status, Step
from ..paper._quadratics import on_quadratics
from ..paper.text_replaceLPbyLM import mean_gradients, solved, summed
from ..symbolic import identity, inequality

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sympy import Expr


def quadratic_is_exact(factor: int = 1) -> Sequence[tuple[Expr, Expr]]:
    """f(x + v) - f(x) = <Hx, v> + v'Hv / 2, term (i, j) and its mirror, for f = x'Hx / 2."""
    import sympy

    x_i, x_j, v_i, v_j, H = sympy.symbols("x_i x_j v_i v_j H_ij", real=True)
    moved = H * (x_i + v_i) * (x_j + v_j) - H * x_i * x_j
    return [(moved, H * x_j * v_i + H * x_i * v_j + factor * H * v_i * v_j)]


def eigenvector_decrease(factor: int = 2) -> Sequence[tuple[Expr, Expr]]:
    """f - E f(x+) = gamma |g|^2 - gamma^2 / 2 g'E[CLC]g with E[CLC] g = L_M g, coordinate i."""
    import sympy

    g, gamma, L_M = sympy.symbols("g_i gamma L_M", real=True)
    return [(gamma * g * g - gamma**2 / 2 * g * (L_M * g), (gamma - gamma**2 * L_M / factor) * g**2)]


def first_gradient(factor: int = 2) -> Sequence[tuple[Expr, Expr]]:
    """f = L x^2 / 2 with p = 1 and T = 0: |grad f(x_0)|^2 = 2 delta_0 / gamma at gamma = 1/L."""
    import sympy

    L, x = sympy.symbols("L x", positive=True)
    return [((L * x) ** 2, factor * (L * x**2 / 2) / (1 / L))]


def mean_over_numbers(power: int = 1) -> Sequence[tuple[Expr, Expr]]:
    """E|grad f(x_tau)|^2 = sum_t Prob(tau = t) E|grad f(x_t)|^2 with tau uniform on 0, ..., T and independent."""
    import sympy

    total, n = sympy.symbols("total n", positive=True)  # total = sum_t E|grad f(x_t)|^2, n = T + 1
    return [(1 / n * total, total / n**power)]


CLAIMS = (
    Claim(
        label="our:nonconvexOneStep",
        kind=Kind.OURS,
        title="The decrease in one nonconvex step is tight",
        latex=r"f(x) - \mathbb{E} f(x^+) = \left(\gamma - \tfrac{\gamma^2 L_M}{2}\right)\|\nabla f(x)\|^2, \quad "
        r"\|\nabla f(x^0)\|^2 = \tfrac{2\delta^0}{\gamma}",
        text="The first for f = x'Lx/2 where grad f(x) is a top eigenvector of E[CLC] (one exists if L is invertible); "
        "the second, thm:rcdNonconvex with T = 0, for f = L x^2/2 on a line with p = 1 and gamma = 1/L.",
        statement=Status.VERIFIED,
        proof=Status.VERIFIED,
        bound=Bound.EQUALITY,
        needs=("thm:rcdNonconvex",),
        steps=(
            Step(
                latex=r"f(x + v) = f(x) + \langle \nabla f(x), v\rangle + \tfrac{1}{2}\|v\|_L^2",
                text="For a quadratic, smoothness is an equality.",
                check=identity(quadratic_is_exact, "terms (i, j) and (j, i), so all dimensions"),
            ),
            Step(
                latex=r"\gamma\|g\|^2 - \tfrac{\gamma^2}{2} g^\top \mathbb{E}[CLC] g ="
                r"\left(\gamma - \tfrac{\gamma^2 L_M}{2}\right)\|g\|^2",
                text="For an eigenvector g = Lx.",
                check=identity(eigenvector_decrease, "coordinate i, so all dimensions"),
            ),
            Step(
                latex=r"(Lx)^2 = \tfrac{2}{\gamma} \tfrac{L x^2}{2}, \quad \gamma = \tfrac{1}{L}",
                text="The bound for T = 0 is attained.",
                check=identity(first_gradient, "all L and x"),
            ),
        ),
    ),
    Claim(
        label="our:nonconvexRandomIterate",
        kind=Kind.OURS,
        title="An iterate that costs nothing to choose",
        latex=r"\mathbb{E}\|\nabla f(x^\tau)\|^2 \leq \frac{2\delta^0}{\gamma(T+1)},"
        r"\quad \tau \text{ uniform on } 0, \dots, T",
        text="Choosing the iterate with the least gradient, as thm:rcdNonconvex does, takes T + 1 full gradients, "
        "which the cost model leaves out: they cost as much as gradient descent. An iterate with a random number, "
        "drawn beforehand, has the same guarantee for nothing.",
        assumptions=("the draws of different steps are independent", "tau is independent of them"),
        statement=Status.VERIFIED,
        proof=Status.VERIFIED,
        bound=Bound.UPPER,
        tightness="as thm:rcdNonconvex",
        needs=("thm:rcdNonconvex",),
        checks=(on_quadratics(mean_gradients),),
        steps=(
            Step(
                latex=r"\tfrac{\gamma}{2} \sum_{t=0}^T \mathbb{E}\|\nabla f(x^t)\|^2 \leq "
                r"\mathbb{E}[f(x^0) - f(x^{T+1})]",
                text="The decreases of thm:rcdNonconvex summed.",
                check=inequality(summed, "all T, by induction"),
            ),
            Step(
                latex=r"\mathbb{E}\|\nabla f(x^\tau)\|^2 = \tfrac{1}{T+1}\sum_{t=0}^T \mathbb{E}\|\nabla f(x^t)\|^2",
                text="tau is independent of the iterates.",
                check=identity(mean_over_numbers, "all T"),
            ),
            Step(
                latex=r"\leq \tfrac{2\delta^0}{\gamma(T+1)}",
                text="Solved.",
                check=inequality(solved, "all values"),
            ),
        ),
    ),
)
