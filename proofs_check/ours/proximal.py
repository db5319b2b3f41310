"""A separable term beside f, met by a proximal step of every block that is drawn."""

from collections.abc import Sequence
from fractions import Fraction

from ..checks.assumptions import FRESH
from ..checks.exact import dot
from ..checks.quadratics import Comparisons, Quadratic, on_quadratics
from ..checks.symbolic import Pairs, Triples, identity, inequality, letters
from ..engine.entry import Bound, Entry, Step
from .function_values import powers


def distances(problem: Quadratic, factor: int = 1) -> Comparisons:
    """E|x_t - x*|^2 against (1 - factor gamma mu)^t |x_0 - x*|^2, psi = |x|_1, f a quadratic.

    Its gradient at x* is -s, for s a subgradient of psi at x* = (1, 0, -2, 1, ...): the sign, and 1/2 where x* is 0.
    """
    labels = problem.blocks.labels.tolist()
    target, slopes = ([values[i % 3] for i in range(len(labels))] for values in ((1, 0, -2), (1, Fraction(1, 2), -1)))
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


def does_not_expand(sign: int = 1) -> Triples:
    """|a - b|^2 <= |u - v|^2 for u = a + q, v = b + r, where `monotone` = <q - r, a - b> >= 0; coordinate i."""
    D, change, monotone = letters("D_i change_i, monotone >= 0")
    return [(D**2, D**2 + 2 * monotone + change**2, sign * (2 * monotone + change**2))]


def mean_over_the_draw(power: int = 2) -> Pairs:
    """p (z - gamma d / p)^2 + (1 - p) z^2 = z^2 - 2 gamma d z + gamma^2 d^2 / p."""
    z, d, gamma, p = letters("z_i d_i, gamma p_i > 0")
    return [(p * (z - gamma * d / p) ** 2 + (1 - p) * z**2, z**2 - 2 * gamma * d * z + gamma**power * d**2 / p)]


def two_bounds_used(factor: int = 1) -> Triples:
    """Y - 2 gamma Z + gamma^2 G <= (1 - gamma mu) Y, where Z = mu Y + s = gamma G + r."""
    gamma, mu, Y, s, r = letters("gamma mu > 0, Y s r >= 0")
    Z = mu * Y + s
    G = (Z - r) / gamma
    return [(Y - 2 * gamma * Z + gamma**2 * G, (1 - factor * gamma * mu) * Y, gamma * (s + r))]


CLAIM = Entry(
    label="our:proximal",
    title="The strongly convex rate with a separable proximal term",
    latex=r"x_k^{t+1} = \mathrm{prox}_{\frac{\gamma}{p_k}\psi_k}\left(x_k^t - \tfrac{\gamma}{p_k} \nabla_k f(x^t)"
    r"\right)\ (k \in S^t) \implies \mathbb{E}\|x^t - x^*\|^2 \leq (1 - \gamma\mu)^t \|x^0 - x^*\|^2,"
    r"\quad 0 < \gamma \leq \tfrac{1}{L_P}",
    text="For f L-smooth and mu-strongly convex, psi the sum of convex functions psi_k of single blocks (a norm, a "
    "constraint), and x* the minimiser of f + psi: the prox of a block is that block's affair, so a step costs what it "
    "did. Without psi it is thm:rcdStronglyConvex.",
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
            latex=r"\|x_k^{t+1} - x_k^*\|^2 \leq \|z_k - \tfrac{\gamma}{p_k} d_k\|^2 \ (k \in S^t), \quad "
            r"z = x^t - x^*,\ d = \nabla f(x^t) - \nabla f(x^*)",
            text="x* is a fixed point of the step of every block, and a prox does not expand, since subgradients are "
            "monotone.",
            check=inequality(does_not_expand, "coordinate i, so all dimensions"),
        ),
        Step(
            latex=r"\mathbb{E}[\|x^{t+1} - x^*\|^2 | x^t] \leq \|z\|^2 - 2\gamma \langle d, z \rangle"
            r"+ \gamma^2 \|d\|^2_{P^{-1}}",
            text="The mean over the draw.",
            check=identity(mean_over_the_draw, "coordinate i, so all dimensions and samplings"),
        ),
        Step(
            latex=r"\langle d, z \rangle \geq \gamma \|d\|^2_{P^{-1}}, \quad \langle d, z \rangle \geq \mu \|z\|^2"
            r"\implies \ldots \leq (1 - \gamma\mu) \|z\|^2",
            text="fact:cocoercivity with L <= L_P P and gamma <= 1/L_P, and strong convexity, one each.",
            check=inequality(two_bounds_used, "all gamma and mu"),
        ),
        Step(
            latex=r"\mathbb{E}\|x^t - x^*\|^2 \leq (1 - \gamma\mu)^t \|x^0 - x^*\|^2",
            text="By induction; the factor is not negative, as mu I <= L <= L_P P.",
            check=identity(powers, "all t"),
        ),
    ),
)
