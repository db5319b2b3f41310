"""The nonconvex theorem: what is tight, which iterate needs no full gradients, and where L_M will
not do for L_P.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from ..checks.assumptions import FRESH, NONZERO
from ..checks.exact import exact, identity, lambda_max_at_most
from ..checks.instances import Tries, on_instances
from ..checks.statements import holds_on_runs
from ..checks.symbolic import formula
from ..checks.witness import decided
from ..engine.entry import Bound, Entry, Formal, Status, Step
from ..paper.text_replaceLPbyLM import SOLVED, SUMMED


def exact_decrease(rng: np.random.Generator, halves: int = 1) -> Tries:
    """The decrease of f = L x^2/2 in a step that is taken with probability p, where L_M = L / p."""
    L, x, inverse, share = (int(v) for v in rng.integers(1, 9, 4))
    p = Fraction(1, inverse)
    L_M = L / p
    gamma = share / (4 * L_M)
    gap = Fraction(L * x**2, 2)
    after = p * L * (x - gamma / p * L * x) ** 2 / 2 + (1 - p) * gap
    words = f"L = {L}, x = {x}, p = {p}, gamma = {gamma}"
    yield gap - after == (gamma - halves * gamma**2 * L_M / 2) * (L * x) ** 2, words
    yield (L * x) ** 2 == 2 * gap * L, words


def run_down(rng: np.random.Generator, gap: Fraction | int = 1) -> Tries:
    """The function of the proof for L = g = 1: its curvature is at most 1, and the ratio at least
    1 - gap e.

    Its slope is linear between -1 at 0, 1, ..., T, -e just before 1, ..., T, and 0 at T + 1.
    Gradient descent from 0 with gamma = 1 stops at 1, ..., T.
    """
    e = Fraction(1, int(rng.integers(2, 20)))
    T = int(rng.integers(0, 5))
    slope = {Fraction(t): Fraction(-1) for t in range(T + 1)}
    slope |= {t - e: -e for t in range(1, T + 1)}
    slope[Fraction(T + 1)] = Fraction(0)
    pieces = list(pairwise(sorted(slope.items())))
    curvature = max((after - before) / (y - x) for (x, before), (y, after) in pieces)
    decrease = -sum((before + after) / 2 * (y - x) for (x, before), (y, after) in pieces)
    ratio = (T + 1) / (2 * decrease)
    yield curvature <= 1 and 1 - gap * e <= ratio <= 1, f"e = {e}, T = {T}"


NONCONVEX = (
    Entry(
        label="our:nonconvexOneStep",
        title="The decrease in one nonconvex step is tight",
        latex=(
            r"f(x) - \mathbb{E} f(x^+) = \left(\gamma - \tfrac{\gamma^2 L_M}{2}\right)\|\nabla"
            r" f(x)\|^2, \quad "
            r"\|\nabla f(x^0)\|^2 = \tfrac{2\delta^0}{\gamma}"
        ),
        text=(
            "The first for f = x'Lx/2 where grad f(x) is a top eigenvector of E[CLC] (one exists if"
            " L is invertible); the second, thm:rcdNonconvex with T = 0, for f = L x^2/2 on a line"
            " with p = 1 and gamma = 1/L."
        ),
        bound=Bound.EQUALITY,
        needs=("thm:rcdNonconvex",),
        checks=(on_instances(exact_decrease),),
        steps=(
            Step(
                latex=r"f(x + v) = f(x) + \langle \nabla f(x), v\rangle + \tfrac{1}{2}\|v\|_L^2",
                text="For a quadratic, smoothness is an equality.",
                check=formula(
                    "H_ij*(x_i + v_i)*(x_j + v_j) - H_ij*x_i*x_j = H_ij*x_j*v_i + H_ij*x_i*v_j +"
                    " H_ij*v_i*v_j",
                    "terms (i, j) and (j, i), so all dimensions",
                ),
            ),
            Step(
                latex=r"\gamma\|g\|^2 - \tfrac{\gamma^2}{2} g^\top \mathbb{E}[CLC] g ="
                r"\left(\gamma - \tfrac{\gamma^2 L_M}{2}\right)\|g\|^2",
                text="For an eigenvector g = Lx.",
                check=formula(
                    "gamma*g_i*g_i - gamma^2/2*g_i*(L_M*g_i) = (gamma - gamma^2*L_M/2)*g_i^2",
                    "coordinate i, so all dimensions",
                ),
            ),
            Step(
                latex=r"(Lx)^2 = \tfrac{2}{\gamma} \tfrac{L x^2}{2}, \quad \gamma = \tfrac{1}{L}",
                text="The bound for T = 0 is attained.",
                check=formula("(L*x)^2 = 2*(L*x^2/2)/(1/L); L x > 0", "all L and x"),
            ),
        ),
        formal=Formal(
            "one_step_equal one_step_line one_step_instance",
            "one step is an equality where g(x) is a top vector of E[CLC]; |g(x)|^2 = 2 f(x) / "
            "gamma for f = L x^2/2 and gamma = 1/L",
            "that there is such an x if L is invertible",
            instance="one_step_instance",
        ),
    ),
    Entry(
        label="our:nonconvexApproached",
        title="The nonconvex bound is approached for every number of steps",
        latex=(
            r"\sup_f \frac{\|\nabla f(\hat{x}^T)\|^2}{2\delta^0 / (\gamma(T+1))} = 1, \quad"
            r" \gamma = "
            r"\tfrac{1}{L},\ p = 1,\ d = 1"
        ),
        text=(
            "Smoothness in the paper's sense bounds f from above only. So f may rise with the"
            " curvature L along a step and bend down as sharply as one likes at its end: the"
            " gradient is the same at x^0, ..., x^T, and each step lowers f by little more than it"
            " must. With L_P = L_M = L this concerns thm:rcdNonconvex, text:replaceLPbyLM and"
            " our:nonconvexRandomIterate alike."
        ),
        see=("text:replaceLPbyLM", "our:nonconvexRandomIterate"),
        bound=Bound.EQUALITY,
        tight=True,
        needs=("thm:rcdNonconvex",),
        checks=(on_instances(run_down),),
        steps=(
            Step(
                latex=r"f'(x_t + s) = -g + L s \ (s \leq (1-e)\tfrac{g}{L}), \quad "
                r"f'' = -\tfrac{1-e}{e} L \leq L \text{ from there to } x_{t+1} = x_t +"
                r" \tfrac{g}{L}",
                text="A continuous slope whose derivative is at most L: f is L-smooth. 0 < e <= 1.",
                check=formula(
                    "e := 1/(1 + rest); (-g - -e*g)/(e*g/L) <= L, by L*(1 + rest); L g > 0, rest"
                    " >= 0",
                    "all L, g and e",
                    words=(
                        "the slope rises from -g to -eg, then falls back to -g within eg / L; e = 1"
                        " / (1 + rest)"
                    ),
                ),
            ),
            Step(
                latex=(
                    r"f(x_t) - f(x_{t+1}) = (1 + e) \tfrac{g^2}{2L}, \quad f(x_T) - f^* ="
                    r" \tfrac{g^2}{2L}"
                ),
                text=(
                    "The slope is -g at x_0, ..., x_T; after x_T it rises to 0, and f stays at f*."
                ),
                check=formula(
                    "(1 - e)*g/L*(g + e*g)/2 + e*g/L*(e*g + g)/2 = (1 + e)*g^2/(2*L); "
                    "g/L*g/2 = g^2/(2*L); L g > 0",
                    "all L, g and e",
                    words="the areas of the trapezoids below the slope, and of the triangle after"
                    " x_T",
                ),
            ),
            Step(
                latex=(
                    r"1 \geq \frac{g^2}{2 L \delta^0 / (T+1)} = \frac{T + 1}{T + 1 + T e} \geq"
                    r" 1 - e"
                ),
                text=(
                    "With delta^0 the sum of the decreases; e is as small as one likes. The first"
                    " is thm:rcdNonconvex."
                ),
                check=formula(
                    "1 - e <= g^2/(2*L*((T*(1 + e) + 1)*g^2/(2*L))/(T + 1)), by e*(1 + T*e)/(T + 1"
                    " + T*e); L g e > 0, T >= 0",
                    "all T, L, g and e",
                    words="delta_0 = (T (1 + e) + 1) g^2 / (2 L)",
                ),
            ),
        ),
    ),
    Entry(
        label="our:nonconvexRandomIterate",
        title="An iterate that costs nothing to choose",
        latex=r"\mathbb{E}\|\nabla f(x^\tau)\|^2 \leq \frac{2\delta^0}{\gamma(T+1)},"
        r"\quad \tau \text{ uniform on } 0, \dots, T",
        text=(
            "Choosing the iterate with the least gradient, as thm:rcdNonconvex does, takes T + 1"
            " full gradients, which the cost model leaves out: they cost as much as gradient"
            " descent. An iterate with a random number, drawn beforehand, has the same guarantee"
            " for nothing."
        ),
        assumptions=(FRESH, "tau is independent of them", NONZERO),
        see=("our:nonconvexApproached",),
        bound=Bound.UPPER,
        tight=True,
        tightness="approached for every T at gamma = 1/L_P (our:nonconvexApproached)",
        needs=("thm:rcdNonconvex",),
        checks=(holds_on_runs("our:nonconvexRandomIterate"),),
        steps=(
            Step(
                latex=r"\tfrac{\gamma}{2} \sum_{t=0}^T \mathbb{E}\|\nabla f(x^t)\|^2 \leq "
                r"\mathbb{E}[f(x^0) - f(x^{T+1})]",
                text="The decreases of thm:rcdNonconvex summed.",
                check=SUMMED,
            ),
            Step(
                latex=(
                    r"\mathbb{E}\|\nabla f(x^\tau)\|^2 = \tfrac{1}{T+1}\sum_{t=0}^T"
                    r" \mathbb{E}\|\nabla f(x^t)\|^2 \leq \tfrac{2\delta^0}{\gamma(T+1)}"
                ),
                text="tau is independent of the iterates; solved.",
                check=SOLVED,
            ),
        ),
        formal=Formal(
            "random_iterate",
            "the bound of thm:rcdNonconvex for the mean over tau = 0, ..., T of E|g(x_tau)|^2",
            instance="text_replaceLPbyLM.least_gradient_instance",
        ),
    ),
)


def distance_grows(
    v: tuple[int, ...] = (160, 40, 10),
    inverse_p: tuple[int, ...] = (1, 16, 256),
    inverse_step: int = 36000,
) -> bool:
    """Return whether gamma <= 1/L_M and E|x_1|^2 > |x_0|^2, for f = |x|^2/2 + <v, x>^2/2 and nested
    sampling, from x_0 = v.

    E|x_1|^2 = |x|^2 - 2 gamma <g, x> + gamma^2 sum_i g_i^2 / p_i, and entry (i, j) of E[CHC] is
    H_ij min(1/p_i, 1/p_j).
    """
    gamma = Fraction(1, inverse_step)
    x = exact(v)
    r = exact(inverse_p)
    H = identity(len(x)) + np.outer(x, x)
    g = H @ x
    growth = gamma**2 * (r @ g**2) - 2 * gamma * (g @ x)
    return lambda_max_at_most(H * np.minimum.outer(r, r), inverse_step) and bool(growth > 0)


MOMENT = Entry(
    label="our:LMconvex",
    title="L_M may not stand for L_P where distances are bounded",
    latex=r"\gamma \leq 1/L_M \text{ and } \mathbb{E}\|x^1 - x^*\|^2 > \|x^0 - x^*\|^2",
    text=(
        "Nested sampling with p = (1, 1/16, 1/256), f = |x|^2/2 + (160 x_1 + 40 x_2 + 10 x_3)^2/2,"
        " gamma = 1/36000 <= 1/L_M and x^0 = (160, 40, 10): the expected distance to the minimizer"
        " grows in one step. So L_M cannot replace L_P in thm:rcdStronglyConvex, which bounds"
        " distances; in function values it can (our:functionValues)."
    ),
    statement=Status.COMPUTED,
    proof=Status.NONE,
    see=("our:functionValues",),
    needs=("text:SkGD", "text:replaceLPbyLM", "thm:rcdStronglyConvex"),
    checks=(decided(distance_grows, "three coordinates, nested sampling"),),
    formal=Formal(
        "distance_grows",
        "with gamma <= 1/L_M the expected distance may grow: the example of the label with f "
        "and 1/gamma divided by 100 and x by 10",
        no_instance="it is an example",
    ),
)

CLAIMS = (*NONCONVEX, MOMENT)
