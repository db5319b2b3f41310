"""The generic nonconvex bound, for every stepsize and without its factor 2; and how many steps it
asks for.
"""

from ..checks.assumptions import FRESH_ESTIMATORS, POSITIVE
from ..checks.statements import holds_on_runs
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step

CHOSEN_STEPSIZE = formula(
    "gamma := 1/sqrt(L*A*T); L*A*gamma^2 = 1/T; 1/(gamma*T) = sqrt(L*A/T); L A T > 0",
    "all T, L and A",
)


CLAIM = Entry(
    label="our:genericNonconvex",
    title="The generic nonconvex bound for every stepsize, with 4 in place of 144",
    latex=r"\min_{0 \leq t < T} \mathbb{E}\|\nabla f(x^t)\|^2 \leq"
    r"\frac{L A \gamma \delta_0}{1 - (1 + L A \gamma^2)^{-T}} \leq"
    r"\frac{(1 + L A \gamma^2)^T \delta_0}{\gamma T} \quad (\gamma > 0), \qquad "
    r"T \geq \frac{4 \delta_0^2 L A}{\varepsilon^2},\ \gamma = \tfrac{1}{\sqrt{LAT}}"
    r"\implies \min_{0 \leq t < T} \mathbb{E}\|\nabla f(x^t)\|^2 \leq \varepsilon",
    text=(
        "For f bounded below and L-smooth and an unbiased estimator with E|g|^2 <= 2A(f - f_inf)."
        " No condition on the stepsize, no factor 2 as in thm:non-convex, and 4 where it has 144."
    ),
    assumptions=(FRESH_ESTIMATORS, POSITIVE),
    see=("thm:rcdNonconvex", "thm:non-convex"),
    bound=Bound.UPPER,
    tightness=(
        "T = 1: attained by a quadratic with p = 1 at gamma = 1/L; beyond not known, and"
        " thm:rcdNonconvex is better for SkGD"
    ),
    needs=("ass:ABC",),
    checks=(holds_on_runs("our:genericNonconvex"),),
    steps=(
        Step(
            latex=r"\delta_{t+1} \leq (1 + L A \gamma^2) \delta_t - \gamma r_t, \quad "
            r"\delta_t = \mathbb{E}[f(x^t) - f^{\inf}],\ r_t = \mathbb{E}\|\nabla f(x^t)\|^2",
            text="Smoothness, unbiasedness, and the second moment.",
            check=formula(
                "delta - gamma*G + L*gamma^2/2*(2*A*delta - slack) - room <= (1 +"
                " L*A*gamma^2)*delta - gamma*G, by L*gamma^2/2*slack + room; L A gamma > 0, slack"
                " room >= 0",
                "any slack in both",
                words="with E|g|^2 = 2 A delta - slack, and G = |grad f|^2",
            ),
        ),
        Step(
            latex=(
                r"\gamma \sum_{t < T} q^{-(t+1)} r_t \leq \delta_0 - q^{-T} \delta_T, \quad q = 1 +"
                r" LA\gamma^2"
            ),
            text="Weighted and summed.",
            check=formula(
                "0 <= delta_0 - delta_0, by 0; delta_0 - w_T*delta_T - before + gamma*w_T/q*r_T <="
                " delta_0 - w_T/q*(q*delta_T - gamma*r_T - slack), by before + w_T/q*slack; q w_T"
                " gamma delta_0 > 0, slack before >= 0",
                "all T, by induction",
                words=(
                    "for T = 0, and from T to T + 1, where delta_{T+1} = q delta_T - gamma r_T -"
                    " slack"
                ),
            ),
        ),
        Step(
            latex=r"\sum_{t < T} q^{-(t+1)} = \frac{1 - q^{-T}}{LA\gamma^2}",
            text="The weights add up.",
            check=formula(
                "q := 1 + a; 0 = 1 - q^0; 1 - w_T + a*w_T/q = 1 - w_T/q; a w_T > 0",
                "all T, by induction",
                words="for T = 0, and from T to T + 1, with w_T = q^-T",
            ),
        ),
        Step(
            latex=r"\min_{t < T} r_t \leq \frac{LA\gamma \delta_0}{1 - q^{-T}}",
            text="delta_T >= 0, and solved for the least r_t.",
            check=formula(
                "(delta_0 - rest)/(gamma*(room/(LA*gamma^2))) <= LA*gamma*delta_0/room, by"
                " LA*gamma*rest/room; LA gamma delta_0 room > 0, rest >= 0",
                "all values",
                words="room = 1 - q^-T, and rest is what the sum leaves of delta_0",
            ),
        ),
        Step(
            latex=(
                r"q^{-(t+1)} \geq q^{-T} \quad (t < T), \quad \tfrac{1 - q^{-T}}{LA\gamma^2} \geq T"
                r" q^{-T}"
            ),
            text="The last weight is the least.",
            check=formula(
                "q := 1 + a; q^n <= q^(n + 1), by a*q^n; a > 0, n >= 0 whole",
                "all exponents, one at a time",
                words="a = L A gamma^2",
            ),
        ),
        Step(
            latex=r"\gamma = \tfrac{1}{\sqrt{LAT}}: \quad LA\gamma^2 = \tfrac{1}{T}, \quad "
            r"LA\gamma = \sqrt{\tfrac{LA}{T}}",
            text="The longest stepsize of the paper.",
            check=CHOSEN_STEPSIZE,
        ),
        Step(
            latex=(
                r"(1 + a)^n \geq 1 + na \implies 1 - \left(1 + \tfrac{1}{T}\right)^{-T} \geq"
                r" \tfrac{1}{2}"
            ),
            text="Bernoulli's inequality.",
            check=formula(
                "1 <= (1 + a)^0, by 0; 1 + (n + 1)*a <= (1 + n*a + ahead)*(1 + a), by n*a^2 +"
                " ahead*(1 + a); a n ahead >= 0",
                "all n, by induction",
                words="for n = 0, and from n to n + 1, where (1 + a)^n = 1 + n a + ahead",
            ),
        ),
        Step(
            latex=r"T \geq \tfrac{4 \delta_0^2 L A}{\varepsilon^2} \implies "
            r"\left(\delta_0 \sqrt{\tfrac{LA}{T}} \Big/ \left(1 - \left(1 +"
            r" \tfrac{1}{T}\right)^{-T}\right)\right)^2"
            r"\leq \varepsilon^2",
            text="How many steps are enough.",
            check=formula(
                "T := 4*delta^2*LA/epsilon^2 + extra; delta^2*LA/T/(1/2 + more)^2 <= epsilon^2, by"
                " epsilon^2*(T*(more + more^2) + extra/4)/T/(1/2 + more)^2; LA delta epsilon > 0,"
                " more extra >= 0",
                "all T",
                words="the squares of both sides, where 1 - (1 + 1/T)^-T = 1/2 + more",
            ),
        ),
    ),
    formal=Formal(
        "generic_geometric generic_power generic_chain generic_steps generic_instance",
        "min_t E|g(x_t)|^2 <= L A gamma delta_0 / (1 - q^-T) <= q^T delta_0 / (gamma T), at "
        "most eps after 4 delta_0^2 LA / eps^2 steps; the estimator may depend on the past",
        "estimators whose law has infinitely many outcomes",
        instance="generic_instance",
    ),
)
