"""Claims made in passing, without a label: what is said of others' work and of how results follow."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..checks.exact import diag, is_semidefinite, plus
from ..checks.quadratics import on_quadratics
from ..checks.randomised import Tries, on_instances
from ..checks.witness import decided
from ..engine.entry import Entry, Erratum, Severity, Status, Step
from ..ours.strongly_convex import LAST_TERM_DROPPED, SECOND_MOMENT_USED, STRONG_CONVEXITY_USED
from .text_ABCways import second_moments
from .thm_rcdStronglyConvex import distances


def mean_step(L: Sequence[int], p: Sequence[Fraction]) -> list[Fraction]:
    """E[C] for the step 1/L_i along coordinate i with probability p_i: the expected step is this diagonal times -f'."""
    return [q / value for q, value in zip(p, L, strict=True)]


def original_is_biased(p: Sequence[Fraction] = (Fraction(1, 2), Fraction(1, 2))) -> bool:
    """L = diag(4, 1): uniform p gives no multiple of the gradient; p_i proportional to L_i does."""
    uniform, weighted = mean_step((4, 1), p), mean_step((4, 1), (Fraction(4, 5), Fraction(1, 5)))
    return len(set(uniform)) > 1 and len(set(weighted)) == 1


def both_ends_attained(L: Sequence[Fraction | int] = (1, 1)) -> bool:
    """Diagonal L with p = (1/2, 1/4): whether L_M, the largest L_i / p_i, is lambda_max(L) / p_min; L_P is between."""
    p = (Fraction(1, 2), Fraction(1, 4))
    return max(value / q for value, q in zip(L, p, strict=True)) == max(L) / min(p)


def far_apart(n: int = 100) -> bool:
    """L = diag(1, 1/n) and p = (1, 1/n): L_P = 1, while the upper estimate lambda_max(L) / p_min is n; n >= 100."""
    p = (Fraction(1), Fraction(1, n))
    weighted = is_semidefinite(plus(diag(p), diag((Fraction(1), Fraction(1, n))), -1))
    return weighted and 1 / min(p) >= 100


def known_choice(rng: np.random.Generator, factor: Fraction | int = 1) -> Tries:
    """p_k proportional to sqrt(L_k) for diagonal L and equal costs: c(P) <= (sum sqrt(L_k))^2 / B."""
    roots = [int(v) for v in rng.integers(1, 9, int(rng.integers(1, 5)))]
    p = [Fraction(r, max(roots)) for r in roots]
    value = max(r * r / q for r, q in zip(roots, p, strict=True)) * sum(p, Fraction(0)) / len(p)
    yield value <= factor * Fraction(sum(roots) ** 2, len(p)), f"L = diag of the squares of {roots}"


CLAIMS = (
    Entry(
        label="text:biasedRCD",
        title="The original estimator of RCD is biased",
        latex=r"\mathbb{E}\left[\tfrac{1}{L_i} \nabla_i f(x)\, e_i\right] \not\propto \nabla f(x)",
        text="So the paper says of the form in which RCD was proposed. True of uniform probabilities, and of all but "
        "one choice; with p_i proportional to L_i, one of the choices made there, the expected step is a multiple of "
        "the gradient.",
        statement=Status.VERIFIED,
        proof=Status.NONE,
        needs=("text:SkGD",),
        checks=(decided(original_is_biased, "L = diag(4, 1) with p = (1/2, 1/2) and p = (4/5, 1/5)"),),
        source="the paper; Nesterov, SIAM J. Optim. 22 (2012), where p_i is proportional to a power of L_i",
    ),
    Entry(
        label="text:sharpEstimates",
        title="The estimates of L_P are sharp",
        latex=r"\lambda_{\max}(\mathbb{E}[CLC]) = L_P = \lambda_{\max}(L)\, \lambda_{\max}(P^{-1}) \text{ for some } "
        r"L, P",
        text="Of lem:key_quantity: both are attained, by L = I with any probabilities. Sharp in that sense alone: "
        "the upper one can be any multiple of L_P, such as 100 times for L = diag(1, 1/100) and p = (1, 1/100).",
        statement=Status.VERIFIED,
        proof=Status.NONE,
        needs=("text:LP", "lem:key_quantity"),
        checks=(
            decided(both_ends_attained, "L = I of size 2, p = (1/2, 1/4)"),
            decided(far_apart, "L = diag(1, 1/100), p = (1, 1/100)"),
        ),
    ),
    Entry(
        label="text:immediateConsequence",
        title="The strongly convex theorem is an immediate consequence of a known one",
        latex=r"\mathbb{E}\|g(x)\|^2 \leq 2 L_P (f(x) - f^*) \implies "
        r"\mathbb{E}[\|x^{t+1} - x^*\|^2 | x^t] \leq (1 - \gamma\mu) \|x^t - x^*\|^2",
        text="The known theorem wants E|g(x)|^2 at most 2A times the Bregman distance to x*, which is f(x) - f* as the "
        "gradient vanishes there. lem:secondMoment gives it with A = L_P, and three lines then give "
        "thm:rcdStronglyConvex.",
        needs=("lem:secondMoment", "thm:rcdStronglyConvex"),
        checks=(on_quadratics(second_moments), on_quadratics(distances)),
        source="the paper; Gorbunov, Hanzely and Richtarik, A unified theory of SGD, AISTATS 2020, corollary A.1",
        steps=(
            Step(
                latex=r"\|z\|^2 - 2\gamma\langle g, z\rangle + \gamma^2 \mathbb{E}\|g(x)\|^2 \leq "
                r"\|z\|^2 - 2\gamma\langle g, z\rangle + 2\gamma^2 L_P (f(x) - f^*)",
                text="lem:secondMoment.",
                check=SECOND_MOMENT_USED,
            ),
            Step(
                latex=r"\leq (1 - \gamma\mu)\|z\|^2 - 2\gamma(1 - \gamma L_P)(f(x) - f^*)",
                text="Strong convexity.",
                check=STRONG_CONVEXITY_USED,
            ),
            Step(
                latex=r"\leq (1 - \gamma\mu)\|z\|^2",
                text="gamma <= 1/L_P.",
                check=LAST_TERM_DROPPED,
            ),
        ),
    ),
    Entry(
        label="text:firstChoice",
        title="The first to take such probabilities without acceleration",
        latex=r"p_i \propto \sqrt{L_i}",
        text="The choice of lem:upperBound with equal costs is p_i proportional to the root of L_i. To the best of the "
        "authors' knowledge no one had it before in a method without acceleration; who was first is not for a program "
        "to decide, which checks the value of the choice alone.",
        statement=Status.OPEN,
        proof=Status.NONE,
        needs=("lem:upperBound",),
        checks=(on_instances(known_choice),),
        errata=(
            Erratum(
                r"\text{the first one to consider such choice of probabilities in a non-accelerated setting}",
                "Nesterov (2012) has p_i proportional to any power of L_i in a method without acceleration, for one "
                "block at a time and equal costs; nested blocks and the costs are new here",
                Severity.GAP,
            ),
        ),
    ),
)
