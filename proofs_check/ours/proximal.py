"""A separable term beside f, met by a proximal step of every block that is drawn."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rpttheory import IndependentSampling, NestedSampling

from ..checks.assumptions import FRESH
from ..checks.exact import FractionArray, exact, identity
from ..checks.instances import Tries, on_instances
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Evidence, Formal, Step
from .function_values import POWERS


def distances(rng: np.random.Generator, factor: int = 1) -> Tries:
    """E|x_t - x*|^2 against (1 - factor gamma mu)^t |x_0 - x*|^2, psi = |x|_1, f a quadratic with
    the Hessian mu I + vv'.

    Its gradient at x* is -s, for s a subgradient of psi at x* = (1, 0, -2): the sign, and 1/2 where
    x* is 0. Every third problem has v = 0 and equal p, so that the rate is tight.
    """
    d = int(rng.integers(1, 4))
    tight = int(rng.integers(3)) == 0
    target = exact((1, 0, -2)[:d])
    slopes = exact((1, Fraction(1, 2), -1)[:d])
    mu = int(rng.integers(1, 4))
    v = rng.integers(-3, 4, d) * (not tight)
    p = 0.5 ** (rng.integers(0, 3) if tight else rng.integers(0, 4, d)) * np.ones(d)
    sampling = NestedSampling(p) if rng.integers(2) else IndependentSampling(p)
    H = mu * identity(d) + np.outer(v, v)
    # L_P <= mu / p_min + sum_i v_i^2 / p_i.
    gamma = 1 / (mu / Fraction(p.min()) + exact(v) @ (exact(v) / exact(p)))
    steps = gamma / exact(p)

    def following(x: FractionArray, active: NDArray[np.bool_]) -> FractionArray:
        moved = x - steps * (H @ (x - target) - slopes)
        shrunk = np.sign(moved) * np.maximum(abs(moved) - steps, 0)
        return np.where(active, shrunk, x)

    start = exact(rng.choice([-3, -2, -1, 1, 2, 3], d))
    states = [(Fraction(1), start)]
    for t in (1, 2):
        states = [
            (weight * outcome.probability, following(x, outcome.active))
            for weight, x in states
            for outcome in sampling.support()
        ]
        expected = sum(weight * ((x - target) @ (x - target)) for weight, x in states)
        bound = (1 - factor * gamma * mu) ** t * ((start - target) @ (start - target))
        yield expected <= bound, f"{sampling}, H = {H.tolist()}, x_0 = {start.tolist()}, t = {t}"


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
    checks=(on_instances(distances, 30, Evidence.EXACT_EXPECTATION),),
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
