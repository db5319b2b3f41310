"""A separable term beside f, met by a proximal step of every block that is drawn."""

from collections.abc import Sequence
from fractions import Fraction

from ..checks.assumptions import FRESH
from ..checks.exact import dot
from ..checks.runs import Comparisons, Quadratic, on_quadratics
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step
from .function_values import POWERS


def distances(problem: Quadratic, factor: int = 1) -> Comparisons:
    """E|x_t - x*|^2 against (1 - factor gamma mu)^t |x_0 - x*|^2, psi = |x|_1, f a quadratic.

    Its gradient at x* is -s, for s a subgradient of psi at x* = (1, 0, -2, 1, ...): the sign, and
    1/2 where x* is 0.
    """
    labels = problem.blocks.labels.tolist()
    target, slopes = (
        [values[i % 3] for i in range(len(labels))]
        for values in ((1, 0, -2), (1, Fraction(1, 2), -1))
    )
    gamma = 1 / problem.smoothness
    steps = [gamma / problem.sampling.pair_fraction(k, k) for k in labels]

    def shrunk(u: Fraction, by: Fraction) -> Fraction:
        return max(abs(u) - by, Fraction(0)) * (1 if u > 0 else -1)

    def following(x: Sequence[Fraction], active: Sequence[bool]) -> list[Fraction]:
        z = [u - v for u, v in zip(x, target, strict=True)]
        g = [dot(row, z) - s for row, s in zip(problem.H, slopes, strict=True)]
        moves = zip(x, steps, g, labels, strict=True)
        return [shrunk(u - step * v, step) if active[k] else u for u, step, v, k in moves]

    def square(x: Sequence[Fraction]) -> Fraction:
        return sum(((u - v) ** 2 for u, v in zip(x, target, strict=True)), Fraction(0))

    states = [(Fraction(1), [Fraction(u) for u in problem.x0])]
    start = square(states[0][1])
    for t in (1, 2):
        states = [
            (weight * outcome.probability, following(x, outcome.active.tolist()))
            for weight, x in states
            for outcome in problem.sampling.support()
        ]
        expected = sum((weight * square(x) for weight, x in states), Fraction(0))
        yield expected, (1 - factor * gamma * problem.mu) ** t * start, f"t = {t}, psi = |x|_1"


CLAIM = Entry(
    label="our:proximal",
    title="The strongly convex rate with a separable proximal term",
    latex=(
        r"x_k^{t+1} = \mathrm{prox}_{\frac{\gamma}{p_k}\psi_k}\left(x_k^t - \tfrac{\gamma}{p_k}"
        r" \nabla_k f(x^t)"
        r"\right)\ (k \in S^t) \implies \mathbb{E}\|x^t - x^*\|^2 \leq (1 - \gamma\mu)^t \|x^0 -"
        r" x^*\|^2,"
        r"\quad 0 < \gamma \leq \tfrac{1}{L_P}"
    ),
    text=(
        "For f L-smooth and mu-strongly convex, psi the sum of convex functions psi_k of single"
        " blocks (a norm, a constraint), and x* the minimizer of f + psi: the prox of a block is"
        " that block's affair, so a step costs what it did. Without psi it is"
        " thm:rcdStronglyConvex."
    ),
    assumptions=("f is L-smooth and mu-strongly convex", "the psi_k are convex and closed", FRESH),
    see=("thm:rcdStronglyConvex",),
    bound=Bound.UPPER,
    tight=True,
    tight_where="gamma mu = p_min",
    tightness="as thm:rcdStronglyConvex, with psi = 0",
    needs=("text:SkGD", "text:LP", "as:matrixSmoothness", "as:stronglyConvex"),
    proof_needs=("fact:cocoercivity",),
    checks=(on_quadratics(distances, 30),),
    steps=(
        Step(
            latex=(
                r"\|x_k^{t+1} - x_k^*\|^2 \leq \|z_k - \tfrac{\gamma}{p_k} d_k\|^2 \ (k \in S^t),"
                r" \quad "
                r"z = x^t - x^*,\ d = \nabla f(x^t) - \nabla f(x^*)"
            ),
            text=(
                "x* is a fixed point of the step of every block, and a prox does not expand, since"
                " subgradients are monotone."
            ),
            check=formula(
                "x_i^2 <= x_i^2 + 2*monotone + change_i^2, by 2*monotone + change_i^2; monotone"
                " >= 0",
                "coordinate i, so all dimensions",
                words=(
                    "x stands for x_k^{t+1} - x_k^* = a - b, u = a + q, v = b + r, and"
                    " monotone = <q - r, a - b>"
                ),
            ),
        ),
        Step(
            latex=(
                r"\mathbb{E}[\|x^{t+1} - x^*\|^2 | x^t] \leq \|z\|^2 - 2\gamma \langle d, z \rangle"
                r"+ \gamma^2 \|d\|^2_{P^{-1}}"
            ),
            text="The mean over the draw.",
            check=formula(
                "p_i*(z_i - gamma*d_i/p_i)^2 + (1 - p_i)*z_i^2 = z_i^2 - 2*gamma*d_i*z_i +"
                " gamma^2*d_i^2/p_i; gamma p_i > 0",
                "coordinate i, so all dimensions and samplings",
            ),
        ),
        Step(
            latex=(
                r"\langle d, z \rangle \geq \gamma \|d\|^2_{P^{-1}}, \quad \langle d, z \rangle"
                r" \geq \mu \|z\|^2"
                r"\implies \ldots \leq (1 - \gamma\mu) \|z\|^2"
            ),
            text=(
                "fact:cocoercivity with L <= L_P P and gamma <= 1/L_P, and strong convexity, one"
                " each."
            ),
            check=formula(
                "Z := mu*Y + s; "
                "Y - 2*gamma*Z + gamma^2*((Z - r)/gamma) <= (1 - gamma*mu)*Y, by gamma*(s + r); "
                "gamma mu > 0, Y s r >= 0",
                "all gamma and mu",
                words="with Y = |z|^2 and <d, z> = Z = mu Y + s = gamma |d|^2_{P^-1} + r",
            ),
        ),
        Step(
            latex=r"\mathbb{E}\|x^t - x^*\|^2 \leq (1 - \gamma\mu)^t \|x^0 - x^*\|^2",
            text="By induction; the factor is not negative, as mu I <= L <= L_P P.",
            check=POWERS,
        ),
    ),
    formal=Formal(
        "proximal_rate proximal_instance",
        "E|x_T - x*|^2 <= (1 - gamma mu)^T |x_0 - x*|^2 with maps of single coordinates that do not"
        " expand and fix x*",
        "that the prox of a convex function is such a map; blocks of several coordinates",
        instance="proximal_instance",
    ),
)
