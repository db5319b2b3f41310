"""Stochastic gradients: noise in the blocks, and stepsizes up to 2/L_P, in all three theorems."""

from ..checks.assumptions import FRESH, NONZERO
from ..checks.statements import holds_on_runs
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step
from .convex_sharp import JENSEN, TELESCOPED

APART = "the noise n of a step has mean 0 given the past and is drawn apart from the sketch"


_EXPANDED = Step(
    latex=r"\mathbb{E}[\|x^{t+1} - x^*\|^2 | x^t] = \|z\|^2 - 2\gamma\langle g, z\rangle"
    r"+ \gamma^2 \|g\|^2_{P^{-1}} + \gamma^2\, \mathbb{E}\|n\|^2_{P^{-1}}, \quad z = x^t - x^*",
    text="The square expanded: what is linear in the noise has mean 0.",
    check=formula(
        "p_i*(z_i - gamma*(g_i + n_i)/p_i)^2 + (1 - p_i)*z_i^2 = "
        "z_i^2 - 2*gamma*g_i*z_i + gamma^2*(g_i^2 + n_i^2)/p_i "
        "+ n_i*(2*gamma^2*g_i/p_i - 2*gamma*z_i); gamma p_i > 0",
        "coordinate i, so all dimensions and samplings",
        words="the last term is linear in the noise n_i, so its mean is 0",
    ),
)
_STEP = r"x^{t+1} = x^t - \gamma C^t (\nabla f(x^t) + n^t)"
_NEEDS = ("text:SkGD", "as:matrixSmoothness")

CLAIMS = (
    Entry(
        label="our:noisyConvex",
        title="Stochastic gradients, convex",
        latex=_STEP
        + r" \implies \mathbb{E}[f(\bar{x}^T) - f^*] \leq \frac{1}{2 \min(1, 2 - \gamma L_P)}"
        r"\left(\frac{\|x^0 - x^*\|^2}{\gamma (T+1)} + \gamma \sum_k \frac{\sigma_k^2}{p_k}\right),"
        r"\quad 0 < \gamma < \tfrac{2}{L_P}",
        text=(
            "For noise with E|n_k|^2 <= sigma_k^2 in block k, whatever it has to do with other"
            " blocks. Without noise and up to 1/L_P it is our:convexSharp; beyond, up to 2/L_P, the"
            " mean still converges. A block that is seldom drawn brings its noise in full: p has to"
            " weigh sigma_k^2 / p_k against L_P."
        ),
        assumptions=(APART, FRESH, NONZERO),
        see=("our:convexSharp",),
        bound=Bound.UPPER,
        tight=False,
        tightness="for a positive variance the mean of the iterates averages some of it out",
        needs=(*_NEEDS, "text:LP", "as:convex"),
        proof_needs=("fact:cocoercivity", "fact:jensen", "lem:secondMoment"),
        checks=(holds_on_runs("our:noisyConvex"),),
        steps=(
            _EXPANDED,
            Step(
                latex=r"\ldots \leq \|z\|^2 - 2\gamma m (f(x^t) - f^*) + \gamma^2 s, \quad "
                r"m = \min(1, 2 - \gamma L_P),\ s = \sum_k \sigma_k^2 / p_k",
                text=(
                    "fact:cocoercivity between x^t and x* with L <= L_P P; beyond 1/L_P also"
                    " lem:secondMoment."
                ),
                check=formula(
                    "R - 2*gamma*(D + G*(gamma + rest)/2 + s) + gamma^2*G <= R - 2*gamma*D, by"
                    " 2*gamma*s + gamma*rest*G; H := 2*(1 + more)/gamma*D - r; R - 2*gamma*(D +"
                    " H*(gamma/(1 + more))/2 + s) + gamma^2*H <= R - 2*gamma*(1 - more)*D, by"
                    " 2*gamma*s + gamma^2*more*r/(1 + more); gamma > 0, D G s r rest more >= 0",
                    "any slack, all gamma L_P below 2",
                    words=(
                        "1 / L_P = gamma + rest, so m = 1; or gamma L_P = 1 + more, so m = 1 -"
                        " more, and G = H"
                    ),
                ),
            ),
            TELESCOPED,
            Step(
                latex=r"\tfrac{1}{T+1} \sum_{t=0}^T \mathbb{E}[f(x^t) - f^*] \leq "
                r"\tfrac{1}{2m}\left(\tfrac{\|x^0 - x^*\|^2}{\gamma (T+1)} + \gamma s\right)",
                text="Solved for the mean of the values.",
                check=formula(
                    "(R + n*gamma^2*s - lost)/(2*gamma*m*n) <= (R/(gamma*n) + gamma*s)/(2*m), by"
                    " lost/(2*gamma*m*n); gamma m n > 0, R s lost >= 0",
                    "all gamma, m and T",
                    words="2 gamma m n mean = R + n gamma^2 s - lost, with n = T + 1",
                ),
            ),
            JENSEN,
        ),
        formal=Formal(
            "noisy_convex block_variance noisy_instance",
            "E[f(mean) - f*] <= (|x_0 - x*|^2 / (gamma (T + 1)) + gamma sum_k v_k / p_k) / (2m) "
            "for all m <= 1, 2 - gamma L_P; the noise may depend on the past",
            "noise whose law has infinitely many outcomes, a normal law for example",
            instance="noisy_instance",
            file="our_noisy",
        ),
    ),
    Entry(
        label="our:noisyStronglyConvex",
        title="Stochastic gradients, strongly convex",
        latex=_STEP
        + r" \implies \mathbb{E}\|x^t - x^*\|^2 \leq (1 - \gamma\mu (2 - \gamma L_P))^t \|x^0 -"
        r" x^*\|^2"
        r"+ \frac{\gamma}{\mu (2 - \gamma L_P)} \sum_k \frac{\sigma_k^2}{p_k}, \quad 0 < \gamma <"
        r" \tfrac{2}{L_P}",
        text=(
            "Without noise the factor is below the 1 - gamma mu of thm:rcdStronglyConvex for gamma"
            " < 1/L_P, equal at 1/L_P, and below 1 up to 2/L_P."
        ),
        assumptions=(APART, FRESH, NONZERO, "mu > 0"),
        see=("thm:rcdStronglyConvex",),
        bound=Bound.UPPER,
        tight=True,
        tight_where="gamma mu = 1",
        tightness=(
            "attained for every t by L = mu I with p = 1 at gamma = 1/L_P: the noise of the last"
            " step is left"
        ),
        needs=(*_NEEDS, "text:LP", "as:stronglyConvex"),
        proof_needs=("fact:cocoercivity",),
        checks=(holds_on_runs("our:noisyStronglyConvex"),),
        steps=(
            _EXPANDED,
            Step(
                latex=(
                    r"\|g\|^2_{P^{-1}} \leq L_P \langle g, z \rangle, \quad \mu\|z\|^2 \leq \langle"
                    r" g, z \rangle"
                    r"\implies \ldots \leq (1 - \gamma\mu(2 - \gamma L_P)) \|z\|^2 + \gamma^2 s"
                ),
                text=(
                    "fact:cocoercivity in both directions with L <= L_P P, and strong convexity in"
                    " both."
                ),
                check=formula(
                    "Z := mu*Y + q; Y - 2*gamma*Z + gamma^2*((2 - u)/gamma*Z - r) <= (1 -"
                    " gamma*mu*u)*Y, by gamma*u*q + gamma^2*r; gamma mu u > 0, Y q r >= 0",
                    "any slack, all gamma L_P below 2",
                    words="with G = L_P Z - r, Z = mu Y + q and u = 2 - gamma L_P",
                ),
            ),
            Step(
                latex=(
                    r"1 - \gamma\mu(2 - \gamma L_P) = (1 - \gamma L_P)^2 + \gamma(2 - \gamma"
                    r" L_P)(L_P - \mu) \geq 0"
                ),
                text="mu I <= L <= L_P P <= L_P I.",
                check=formula(
                    "0 <= 1 - gamma*((2 - u)/gamma - more)*u, by (1 - u)^2 + gamma*u*more; gamma u"
                    " > 0, more >= 0",
                    "all gamma L_P below 2",
                    words="with mu = L_P - more and u = 2 - gamma L_P",
                ),
            ),
            Step(
                latex=(
                    r"(1 - a)\left((1 - a)^t R + \tfrac{c}{a}\right) + c = (1 - a)^{t+1} R +"
                    r" \tfrac{c}{a}, \quad "
                    r"a = \gamma\mu(2 - \gamma L_P),\ c = \gamma^2 s"
                ),
                text="By induction.",
                check=formula(
                    "(1 - a)*((1 - a)^t*R + c/a) + c = (1 - a)^(t + 1)*R + c/a; a R c > 0, t >= 0"
                    " whole",
                    "all t",
                ),
            ),
        ),
        formal=Formal(
            "noisy_strongly_convex block_variance noisy_instance",
            "the factor 1 - gamma mu (2 - gamma L_P), and the noise added up; the noise may depend"
            " on the past",
            "noise whose law has infinitely many outcomes, a normal law for example",
            instance="noisy_instance",
            file="our_noisy",
        ),
    ),
    Entry(
        label="our:noisyNonconvex",
        title="Stochastic gradients, nonconvex",
        latex=_STEP
        + r" \implies \frac{1}{T+1} \sum_{t=0}^T \mathbb{E}\|\nabla f(x^t)\|^2 \leq \frac{1}{2 -"
        r" \gamma L_M}"
        r"\left(\frac{2 (f(x^0) - f^*)}{\gamma (T+1)} + \gamma L_M \sum_k \sigma_k^2\right),"
        r"\quad 0 < \gamma < \tfrac{2}{L_M}",
        text="The probabilities do not divide the variances here: they are in L_M already.",
        assumptions=(APART, FRESH, "f is L-smooth and bounded below by f*"),
        bound=Bound.UPPER,
        tight=False,
        tightness="approached as T grows by f = L x^2/2 with p = 1 at gamma = 1/L",
        needs=_NEEDS,
        proof_needs=("text:replaceLPbyLM",),
        checks=(holds_on_runs("our:noisyNonconvex"),),
        steps=(
            Step(
                latex=(
                    r"\mathbb{E}[f(x^{t+1}) | x^t] \leq f(x^t) - \tfrac{\gamma}{2} (2 - \gamma L_M)"
                    r" \|g\|^2"
                    r"+ \tfrac{\gamma^2 L_M}{2} \mathbb{E}\|n\|^2"
                ),
                text=(
                    "The decrease of text:replaceLPbyLM in the direction g + n, and the mean over"
                    " the noise."
                ),
                check=formula(
                    "-gamma*g_i*(g_i + n_i) + gamma^2*L_M/2*(g_i + n_i)^2 = "
                    "-gamma/2*(2 - gamma*L_M)*g_i^2 + gamma^2*L_M/2*n_i^2 "
                    "+ n_i*(gamma^2*L_M*g_i - gamma*g_i)",
                    "coordinate i, so all dimensions",
                    words="the last term is linear in the noise n_i, so its mean is 0",
                ),
            ),
            Step(
                latex=(
                    r"\tfrac{1}{T+1} \sum_{t=0}^T \mathbb{E}\|\nabla f(x^t)\|^2 \leq \tfrac{1}{2 -"
                    r" \gamma L_M}"
                    r"\left(\tfrac{2\delta_0}{\gamma(T+1)} + \gamma L_M \textstyle\sum_k"
                    r" \sigma_k^2\right)"
                ),
                text="Summed, with f(x^{T+1}) >= f*, and solved for the mean.",
                check=formula(
                    "(delta + n*gamma*(2 - u)*s/2 - lost)/(gamma*u/2*n) <= (2*delta/(gamma*n) + (2"
                    " - u)*s)/u, by 2*lost/(gamma*u*n); gamma u n > 0, delta s lost >= 0",
                    "all gamma L_M below 2, all T",
                    words="with u = 2 - gamma L_M and n = T + 1",
                ),
            ),
        ),
        formal=Formal(
            "noisy_nonconvex block_variances_add noisy_instance",
            "the mean of E|g(x_t)|^2 <= (2 delta_0 / (gamma (T + 1)) + gamma L_M sum_k v_k) / (2 "
            "- gamma L_M); the noise may depend on the past",
            "noise whose law has infinitely many outcomes, a normal law for example",
            instance="noisy_instance",
            file="our_noisy",
        ),
    ),
)
