"""A theorem in function values with L_M for L_P: f strongly convex, or as Polyak and Lojasiewicz
ask.
"""

from ..checks.assumptions import FRESH
from ..checks.statements import holds_on_runs
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step

HALF_OF_THE_GRADIENT = formula(
    "gamma/2*N <= (gamma - gamma^2*((1 - room)/gamma)/2)*N, by gamma*room*N/2; gamma > 0, N room"
    " >= 0",
    "all gamma <= 1/L_M",
    words="room = 1 - gamma L_M, and N = |f'(x)|^2",
)


CONTRACTION = formula(
    "delta - gamma/2*(2*mu*delta + s) <= (1 - gamma*mu)*delta, by gamma*s/2; gamma mu > 0, delta s"
    " >= 0",
    "all gamma and mu",
    words="|f'(x)|^2 = 2 mu delta + s",
)


POWERS = formula("q*(q^t*delta_0) = q^(t + 1)*delta_0; q delta_0 >= 0, t >= 0 whole", "all t")


ONE_COORDINATE_AT_A_TIME = formula(
    "scaled := L_ii^a; squared_weight := L_ii^(1 - a); p_i := scaled/S; "
    "L_ii/squared_weight = scaled; p_i*scaled/p_i^2 = S; 0*L_ij/(p_i*p_j) = 0; "
    "(1/S)/p_i/squared_weight = 1/L_ii; L_ii L_ij S p_j > 0",
    "entries (i, i) and (i, j), so all dimensions",
    words=(
        "y_i = w_i x_i with w_i^2 = L_ii^(1 - a): the diagonal of W^-1 L W^-1, entries of E[CLC],"
        " and the step"
    ),
)


BY_INDUCTION = Step(
    latex=r"\mathbb{E}[f(x^t) - f^*] \leq (1 - \gamma \mu)^t (f(x^0) - f^*)",
    text="By induction, since the factor is not negative.",
    check=POWERS,
)

STRONGLY_CONVEX = Entry(
    label="our:functionValues",
    title="SkGD, strongly convex, in function values, with L_M",
    latex=(
        r"\mathbb{E}[f(x^t) - f^*] \leq (1 - \gamma \mu)^t (f(x^0) - f^*), \quad 0 < \gamma \leq"
        r" \tfrac{1}{L_M}"
    ),
    text=(
        "For every unbiased sketch of SkGD. The stepsizes go up to 1/L_M, beyond the 1/L_P of"
        " thm:rcdStronglyConvex (whose squared distance may grow there: our:LMconvex). One"
        " coordinate at a time with p_i = L_ii / sum_j L_jj gives the known factor of randomized"
        " coordinate descent, 1 - mu / sum_j L_jj. With p_i = L_ii^a / sum_j L_jj^a and steps"
        " 1/L_ii the method is SkGD in the coordinates y_i = L_ii^((1-a)/2) x_i, and the factor is"
        " 1 - m / sum_j L_jj^a with m the strong convexity of f in these coordinates: 1 - m/n for"
        " uniform p."
    ),
    assumptions=("f is L-smooth and mu-strongly convex", FRESH),
    see=("thm:rcdStronglyConvex", "our:LMconvex"),
    bound=Bound.UPPER,
    tight=True,
    tightness=(
        "attained at gamma = 1/L_M by f = L x^2/2 on a line with any p: both sides are (1 - p)^t"
    ),
    needs=("text:SkGD", "as:matrixSmoothness", "as:stronglyConvex"),
    proof_needs=("text:replaceLPbyLM",),
    checks=(holds_on_runs("our:functionValues"),),
    steps=(
        Step(
            latex=(
                r"\mathbb{E}[f(x^{t+1}) | x^t] \leq f(x^t) - \left(\gamma - \tfrac{\gamma^2"
                r" L_M}{2}\right)"
                r"\|\nabla f(x^t)\|^2 \leq f(x^t) - \tfrac{\gamma}{2} \|\nabla f(x^t)\|^2"
            ),
            text=(
                "The decrease of the nonconvex theorem with L_M (text:replaceLPbyLM), and gamma <="
                " 1/L_M."
            ),
            check=HALF_OF_THE_GRADIENT,
        ),
        Step(
            latex=(
                r"f^* \geq f(x) + \min_v \left(\langle \nabla f(x), v \rangle + \tfrac{\mu}{2}"
                r" \|v\|^2\right)"
                r"= f(x) - \tfrac{1}{2\mu} \|\nabla f(x)\|^2"
            ),
            text="Strong convexity between x and the minimizer.",
            check=formula(
                "g_i*v_i + mu/2*v_i^2 = mu/2*(v_i + g_i/mu)^2 - g_i^2/(2*mu); mu > 0",
                "coordinate i, so all dimensions",
            ),
        ),
        Step(
            latex=r"\mathbb{E}[f(x^{t+1}) - f^* | x^t] \leq (1 - \gamma \mu)(f(x^t) - f^*)",
            text="The two together.",
            check=CONTRACTION,
        ),
        Step(
            latex=(
                r"x^\top \mathbb{E}[CLC] x \geq \mu\, \mathbb{E} \|C x\|^2 = \mu \sum_i x_i^2 / p_i"
                r" \geq \mu \|x\|^2"
                r"\implies \mu \leq L_M, \quad 1 - \gamma \mu \geq 0"
            ),
            text=(
                "Strong convexity and smoothness together say that L - mu I is semidefinite; and"
                " p_i <= 1."
            ),
            check=formula(
                "p := 1/(1 + r_i); mu*x_i^2 <= mu*(p*(x_i/p)^2 + (1 - p)*0), by mu*r_i*x_i^2; 0 <="
                " 1 - gamma*((1 - room)/gamma - more), by room + gamma*more; gamma mu > 0, r_i room"
                " more >= 0",
                "coordinate i, so all dimensions and samplings",
                words="1 / p_i = 1 + r_i; then mu = L_M - more and gamma L_M = 1 - room",
            ),
        ),
        BY_INDUCTION,
        Step(
            latex=(
                r"y_i = L_{ii}^{(1-a)/2} x_i, \quad p_i = L_{ii}^a / S, \quad S = \sum_j L_{jj}^a"
                r" \implies L_M = S,"
                r"\quad x_i^{t+1} = x_i^t - \nabla_i f(x^t) / L_{ii}"
            ),
            text=(
                "One coordinate at a time, gamma = 1/S: the method is coordinate descent. a = 1"
                " needs no other coordinates."
            ),
            check=ONE_COORDINATE_AT_A_TIME,
        ),
    ),
    formal=Formal(
        "function_values single_coordinate_LM function_values_instance single_coordinate_instance",
        "E[f(x_T) - f*] <= (1 - gamma mu)^T (f(x_0) - f*), gamma <= 1/L_M; L_M <= s, one "
        "coordinate at a time with p_i = L_ii / s",
        "the change of coordinates for other exponents",
        instance="function_values_instance",
    ),
)


POLYAK_LOJASIEWICZ = Entry(
    label="our:polyakLojasiewicz",
    title="SkGD in function values under the condition of Polyak and Lojasiewicz",
    latex=r"\|\nabla f(x)\|^2 \geq 2\mu (f(x) - f^*) \implies \mathbb{E}[f(x^t) - f^*] \leq"
    r"(1 - \gamma \mu)^t (f(x^0) - f^*), \quad 0 < \gamma \leq \tfrac{1}{L_M}",
    text=(
        "f need not be convex, nor have one minimizer only: f* is any lower bound with that"
        " property. our:functionValues is the case of a strongly convex f."
    ),
    assumptions=("f is L-smooth and bounded below by f*", FRESH),
    see=("our:functionValues",),
    bound=Bound.UPPER,
    tight=True,
    tightness=(
        "attained at gamma = 1/L_M by f = L x^2/2 on a line with any p: both sides are (1 - p)^t"
    ),
    needs=("text:SkGD", "as:matrixSmoothness"),
    proof_needs=("text:replaceLPbyLM",),
    steps=(
        Step(
            latex=(
                r"\mathbb{E}[f(x^{t+1}) | x^t] \leq f(x^t) - \tfrac{\gamma}{2} \|\nabla f(x^t)\|^2"
            ),
            text=(
                "The decrease of the nonconvex theorem with L_M (text:replaceLPbyLM), and gamma <="
                " 1/L_M."
            ),
            check=HALF_OF_THE_GRADIENT,
        ),
        Step(
            latex=r"\mathbb{E}[f(x^{t+1}) - f^* | x^t] \leq (1 - \gamma \mu)(f(x^t) - f^*)",
            text="With the condition.",
            check=CONTRACTION,
        ),
        Step(
            latex=r"f(x^t) > f^* \implies 1 - \gamma\mu \geq 0",
            text="The left side before is not negative.",
            check=formula(
                "0 <= (following + slack)/f, by following/f + slack/f; f > 0, following slack >= 0",
                "any slack",
                words="f stands for f(x^t) - f*, and (1 - gamma mu) f = following + slack",
            ),
        ),
        BY_INDUCTION,
    ),
    formal=Formal(
        "polyak_lojasiewicz",
        "the bound of our:functionValues with 2 mu (f - f*) <= |g|^2 in place of strong convexity, "
        "for every lower bound f*",
        instance="function_values_instance",
        file="our_functionValues",
    ),
)

CLAIMS = (STRONGLY_CONVEX, POLYAK_LOJASIEWICZ)
