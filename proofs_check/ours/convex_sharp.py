"""A convex rate four times below the paper's, and attained."""

from ..checks.assumptions import FRESH, NONZERO
from ..checks.statements import holds_on_runs
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step
from ..paper.thm_rcdConvex import LAST_DISTANCE_DROPPED, MEAN_GAP, TELESCOPING
from .strongly_convex import SQUARE_EXPANDED

TELESCOPED = Step(
    latex=r"\sum_{t=0}^T (\mathbb{E}\|x^t - x^*\|^2 - \mathbb{E}\|x^{t+1} - x^*\|^2)"
    r"= \|x^0 - x^*\|^2 - \mathbb{E}\|x^{T+1} - x^*\|^2",
    text="The sum telescopes.",
    check=TELESCOPING,
)

SQUARE_DROPPED = Step(
    latex=r"\leq \|x^0 - x^*\|^2",
    text="A square dropped.",
    check=LAST_DISTANCE_DROPPED,
)

JENSEN = Step(
    latex=(
        r"\mathbb{E}[f(\bar{x}^T) - f^*] \leq \tfrac{1}{T+1} \sum_{t=0}^T \mathbb{E}[f(x^t) - f^*]"
    ),
    text="Jensen's inequality.",
    check=MEAN_GAP,
)

CLAIMS = (
    Entry(
        label="our:convexSharp",
        title="A convex rate four times below",
        latex=r"\mathbb{E}[f(\bar{x}^T) - f(x^*)] \leq \frac{\|x^0 - x^*\|^2}{2 \gamma (T+1)},"
        r"\quad 0 < \gamma \leq \tfrac{1}{L_P}",
        text=(
            "Under the assumptions of thm:rcdConvex, with stepsizes twice as long and half of its"
            " bound."
        ),
        assumptions=(FRESH, NONZERO),
        see=("thm:rcdConvex", "our:convexAttained"),
        bound=Bound.UPPER,
        tight=True,
        tight_where="p_max = 1",
        tightness=(
            "attained at gamma = 1/L_P for every T where a block is always updated, so by every"
            " nested sampling: by a Huber function of one coordinate of it (our:convexAttained)."
            " Not for p_max < 1: at T = 0 the ratio is p_max, as L <= L_P P; performance estimation"
            " gives 0.70, 0.82 and 0.875 for p = (0.7, 0.4) and T = 0, 1, 2"
        ),
        needs=("text:SkGD", "text:LP", "as:convex", "as:matrixSmoothness"),
        proof_needs=("fact:cocoercivity", "fact:jensen"),
        checks=(holds_on_runs("our:convexSharp"),),
        steps=(
            SQUARE_EXPANDED,
            Step(
                latex=(
                    r"\leq \|z\|^2 - 2\gamma (f(x^t) - f^*) - \gamma (\tfrac{1}{L_P} - \gamma)"
                    r" \|g\|^2_{P^{-1}}"
                ),
                text="Cocoercivity between x^t and x* with L_P P, as L <= L_P P.",
                check=formula(
                    "R - 2*gamma*(D + m/(2*L_P) + slack) + gamma^2*m <= R - 2*gamma*D -"
                    " gamma*(1/L_P - gamma)*m, by 2*gamma*slack; gamma L_P > 0, D R m slack >= 0",
                    "any slack in cocoercivity",
                    words="with <g, z> = D + m / (2 L_P) + slack, m = |g|^2_{P^-1} and R = |z|^2",
                ),
            ),
            Step(
                latex=r"2\gamma\, \mathbb{E}[f(x^t) - f^*] \leq "
                r"\mathbb{E}\|x^t - x^*\|^2 - \mathbb{E}\|x^{t+1} - x^*\|^2",
                text="gamma <= 1/L_P; expectations of both sides.",
                check=formula(
                    "2*gamma*D <= R - (R - 2*gamma*D - gamma*rest*m), by gamma*rest*m; gamma > 0, D"
                    " m rest >= 0",
                    "all gamma <= 1/L_P",
                    words="with rest = 1 / L_P - gamma",
                ),
            ),
            TELESCOPED,
            SQUARE_DROPPED,
            JENSEN,
        ),
        formal=Formal(
            "convex_sharp convex_instance",
            "E[f(mean) - f*] <= |x_0 - x*|^2 / (2 gamma (T + 1)) for stepsizes up to 1/L_P",
            instance="convex_instance",
        ),
    ),
    Entry(
        label="our:convexAttained",
        title="The sharp convex rate is attained for every T",
        latex=r"f(\bar{x}^T) - f^* = \frac{\|x^0 - x^*\|^2}{2\gamma(T+1)} = \frac{T+1}{2}, \quad "
        r"f(x) = |x| - \tfrac{1}{2} \text{ for } |x| \geq 1,\ \tfrac{x^2}{2} \text{ else}, \quad"
        r" x^0 = T + 1",
        text="The Huber function of one coordinate that is always updated, with L_P = gamma = 1.",
        bound=Bound.EQUALITY,
        steps=(
            Step(
                latex=r"x^t = T + 1 - t, \quad x^T = 1, \quad \bar{x}^T = \tfrac{T+2}{2}, \quad "
                r"f(\bar{x}^T) = \tfrac{T+2}{2} - \tfrac{1}{2} = \tfrac{(T+1)^2}{2(T+1)}",
                text=(
                    "All iterates are on the straight piece, so they form an arithmetic"
                    " progression."
                ),
                check=formula(
                    "first := T + 1; last := first - T; last = 1; "
                    "(first + last)/2 - 1/2 = first^2/(2*(T + 1)); T >= 0 whole",
                    "all T",
                    words="from x_0 = T + 1 each step moves by 1, so x_T = 1",
                ),
            ),
        ),
        formal=Formal(
            "huber_convex huber_smooth huber_minimiser huber_LP huber_attains huber_instance",
            "the Huber function of a coordinate that is always updated, among any others, attains "
            "our:convexSharp for every T with L_P = gamma = 1",
            instance="huber_instance",
        ),
    ),
)
