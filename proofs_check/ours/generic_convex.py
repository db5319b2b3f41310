"""The generic convex bound without the initial gap, and without smoothness."""

from ..checks.assumptions import FRESH_ESTIMATORS, POSITIVE
from ..checks.statements import holds_on_runs
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step
from ..paper.thm_rcdConvex import MEAN_GAP, TELESCOPING
from .convex_sharp import SQUARE_DROPPED

CLAIM = Entry(
    label="our:genericConvex",
    title="The generic convex bound without the initial gap",
    latex=(
        r"\mathbb{E}[f(\bar{x}) - f(x^*)] \leq \frac{\|x^0 - x^*\|^2}{2\gamma(1 - \gamma A) T}"
        r" \leq "
        r"\frac{2}{3} \frac{\|x^0 - x^*\|^2}{\gamma T} \quad \left(\gamma \leq"
        r" \tfrac{1}{4A}\right),"
        r"\quad \bar{x} = \tfrac{1}{T}\sum_{t=0}^{T-1} x^t"
    ),
    text=(
        "For f convex with a minimizer x*, and an unbiased estimator with E|g|^2 <= 2A(f - f*). The"
        " first bound holds for all gamma < 1/A and is least at gamma = 1/(2A); f need not be"
        " smooth."
    ),
    assumptions=(FRESH_ESTIMATORS, POSITIVE),
    see=("our:convexSharp",),
    bound=Bound.UPPER,
    tightness="not tight for SkGD (our:convexSharp)",
    needs=("as:convex",),
    proof_needs=("fact:jensen",),
    checks=(holds_on_runs("our:genericConvex"),),
    steps=(
        Step(
            latex=(
                r"\mathbb{E}[\|x^{t+1} - x^*\|^2 | x^t] \leq \|x^t - x^*\|^2 - 2\gamma(1 - \gamma"
                r" A)(f(x^t) - f^*)"
            ),
            text="The square expanded, unbiasedness, convexity, and the second moment.",
            check=formula(
                "R - 2*gamma*(D + slack) + gamma^2*(2*A*D - room) <= R - 2*gamma*(1 - gamma*A)*D, "
                "by 2*gamma*slack + gamma^2*room; gamma A > 0, D slack room >= 0",
                "any slack in convexity and in the second moment",
                words="with <grad f, z> = D + slack and E|g|^2 = 2 A D - room",
            ),
        ),
        Step(
            latex=r"2\gamma(1 - \gamma A) \geq \tfrac{3}{2}\gamma",
            text="gamma <= 1/(4A).",
            check=formula(
                "3/2*gamma*D <= 2*gamma*(1 - (1/4 - rest))*D, by 2*gamma*rest*D; gamma > 0, D rest"
                " >= 0",
                "all gamma <= 1/(4A)",
                words="with gamma A = 1/4 - rest",
            ),
        ),
        Step(
            latex=r"\sum_{t=0}^{T-1} (\mathbb{E}\|x^t - x^*\|^2 - \mathbb{E}\|x^{t+1} - x^*\|^2) ="
            r"\|x^0 - x^*\|^2 - \mathbb{E}\|x^T - x^*\|^2",
            text="The sum telescopes.",
            check=TELESCOPING,
        ),
        SQUARE_DROPPED,
        Step(
            latex=(
                r"\mathbb{E}[f(\bar{x}) - f^*] \leq \tfrac{1}{T}\sum_{t=0}^{T-1} \mathbb{E}[f(x^t)"
                r" - f^*]"
            ),
            text="Jensen's inequality.",
            check=MEAN_GAP,
        ),
    ),
    formal=Formal(
        "generic_convex generic_convex_two_thirds generic_convex_best",
        "E[f(mean) - f*] <= |x_0 - x*|^2 / (2 gamma (1 - gamma A) T), at most two thirds of "
        "|x_0 - x*|^2 / (gamma T) for gamma <= 1/(4A), least at gamma = 1/(2A); the estimator "
        "may depend on the past",
        "estimators whose law has infinitely many outcomes",
        instance="our_genericNonconvex.generic_instance",
    ),
)
