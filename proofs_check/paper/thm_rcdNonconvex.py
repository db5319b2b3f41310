"""thm:rcdNonconvex. True; the last display of its proof lacks expectations."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from ..checks.assumptions import FRESH_UNSAID, NONZERO_UNSAID
from ..checks.statements import holds_on_runs
from ..checks.symbolic import formula
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Formal, Severity, Status, Step
from . import text_replaceLPbyLM as by_moment


def index_fails(gradients: Sequence[int], t: int = 0) -> bool:
    """Return whether the sum over t of the squared gradients differs from the printed sum over i of
    the one at t.
    """
    return sum(g * g for g in gradients) != sum(gradients[t] ** 2 for _ in gradients)


def pathwise_fails(steps: int = 1, p: Fraction = Fraction(1, 2)) -> bool:
    """f = x^2 / 2 on a line, gamma = 1/L_P = p: the path that never moves has gradients 1; the
    others stop at 0.

    Is (gamma - gamma^2 L_P / 2) times the mean squared gradient on that path > E[f(x^0) -
    f(x^{T+1})] / (T + 1)?
    """
    gamma = p
    L_P = 1 / p
    expected = Fraction(1, 2) - (1 - p) ** (steps + 1) / 2
    return gamma - gamma**2 * L_P / 2 > expected / (steps + 1)


_SUM = r"\tfrac{1}{T+1} \sum_{t=0}^T \|\nabla f(x^t)\|^2"
_E_SUM = r"\tfrac{1}{T+1} \sum_{t=0}^T \mathbb{E}\|\nabla f(x^t)\|^2"
_A = r"\left(\gamma - \tfrac{\gamma^2 L_P}{2}\right)"

_EXPECTATION = Erratum(
    _A + _SUM + r"\leq \tfrac{1}{T+1} \mathbb{E}[f(x^0) - f(x^{T+1})]",
    "the gradients need expectations in all lines of this display; on a single path it is false",
    Severity.FALSE,
)
_INDEX = Erratum(
    r"\sum_{i=0}^T \|\nabla f(x^t)\|^2", r"\sum_{t=0}^T \|\nabla f(x^t)\|^2", Severity.TYPO
)

CLAIM = Entry(
    label="thm:rcdNonconvex",
    title="SkGD, nonconvex",
    latex=r"\mathbb{E}\|\nabla f(\hat{x}^T)\|^2 \leq \frac{2 \delta^0}{\gamma (T+1)},"
    r"\quad 0 < \gamma \leq 1 / L_P, \quad \delta^0 = f(x^0) - f^*",
    text=(
        "For f L-smooth and bounded below by f*, and x_hat that of x^0, ..., x^T with the least"
        " gradient. In particular at most eps for gamma = 1/L_P and T + 1 >= 2 L_P delta^0 / eps."
    ),
    assumptions=(FRESH_UNSAID, NONZERO_UNSAID),
    proof=Status.CORRECTED,
    see=("our:nonconvexApproached",),
    bound=Bound.UPPER,
    tight=True,
    tightness=(
        "attained for T = 0 by f = x^2/2 with p = 1, approached for every T by functions of one"
        " variable (our:nonconvexApproached)"
    ),
    needs=("text:SkGD", "text:LP", "as:matrixSmoothness", "as:nonconvex"),
    proof_needs=("lem:key_quantity", "fact:rayleigh"),
    checks=(holds_on_runs("thm:rcdNonconvex"),),
    errata=(
        _EXPECTATION,
        _INDEX,
        Erratum(
            r"\hat{x}^T = \mathrm{argmin}_{t = 0, \dots, T} \|\nabla f(x^t)\|^2",
            "that is a number t and not a point: what is meant is the iterate with that number",
            Severity.REMARK,
        ),
    ),
    steps=(
        Step(
            latex=r"f(x^{t+1}) \leq f(x^t) + \langle \nabla f(x^t), x^{t+1} - x^t\rangle"
            r"+ \frac{\|x^{t+1} - x^t\|_L^2}{2}",
            text="L-smoothness.",
            check=formula(
                "f_t + inner + norm/2 - room <= f_t + inner + norm/2, by room; room >= 0",
                "the definition, with whatever room it leaves",
            ),
        ),
        Step(
            latex=r"= f(x^t) - \gamma \langle \nabla f(x^t), C \nabla f(x^t)\rangle"
            r"+ \tfrac{\gamma^2}{2} \|C \nabla f(x^t)\|_L^2",
            text="The step inserted.",
            check=formula(
                "d_i := -gamma*c_i*g_i; g_i*d_i = -gamma*g_i*(c_i*g_i); "
                "d_i*L_ij*(-gamma*c_j*g_j)/2 = gamma^2/2*(c_i*g_i)*L_ij*(c_j*g_j)",
                "coordinate i and term (i, j), so all dimensions",
            ),
        ),
        Step(
            latex=r"= f(x^t) - \gamma \langle \nabla f(x^t), C \nabla f(x^t)\rangle"
            r"+ \tfrac{\gamma^2}{2} \langle \nabla f(x^t), C L C \nabla f(x^t)\rangle",
            text="The norm as a form.",
            check=formula(
                "(c_i*g_i)*L_ij*(c_j*g_j) = g_i*(c_i*L_ij*c_j)*g_j",
                "term (i, j), so all dimensions",
            ),
        ),
        Step(
            latex=r"\mathbb{E}[f(x^{t+1}) | x^t] \leq f(x^t) - \gamma \|\nabla f(x^t)\|^2"
            r"+ \tfrac{\gamma^2}{2} \nabla f(x^t)^\top \mathbb{E}[CLC] \nabla f(x^t)",
            text="Conditional expectation.",
            check=by_moment.MEAN_OF_THE_INNER_PRODUCT,
        ),
        Step(
            latex=(
                r"\leq f(x^t) - \gamma \|\nabla f(x^t)\|^2 + \tfrac{\gamma^2}{2} L_M \|\nabla"
                r" f(x^t)\|^2"
                r"\leq f(x^t) - \gamma \|\nabla f(x^t)\|^2 + \tfrac{\gamma^2}{2} L_P \|\nabla"
                r" f(x^t)\|^2"
            ),
            text="Rayleigh's bound, and lem:key_quantity.",
            check=formula(by_moment.FORM_BOUNDED, "any slack in both"),
        ),
        Step(
            latex=_A + r"\|\nabla f(x^t)\|^2 \leq f(x^t) - \mathbb{E}[f(x^{t+1}) | x^t]",
            text="Rearranged.",
            check=formula(
                "(gamma - gamma^2*L/2)*G <= f - (f - gamma*G + gamma^2/2*L*G - slack), by slack;"
                " gamma > 0, slack >= 0",
                "any slack in the line before",
                words="with G = |grad f(x^t)|^2",
            ),
        ),
        Step(
            latex=r"\tfrac{\gamma}{2} \min_{t=0, \ldots, T} \|\nabla f(x^t)\|^2 \leq "
            r"\tfrac{\gamma}{2(T+1)} \sum_{t=0}^T \|\nabla f(x^t)\|^2",
            text="The least is at most the mean, on every path.",
            check=formula(
                "gamma/2*m <= gamma/(2*n)*(n*m + excess), by gamma*excess/(2*n); gamma n > 0,"
                " excess >= 0",
                "all T",
                words="n = T + 1, and excess is the sum over t of |grad f(x^t)|^2 - m",
            ),
        ),
        Step(
            latex=r"\leq \left(\tfrac{\gamma}{2} + \tfrac{\gamma}{2}(1 - \gamma L_P)\right)" + _SUM,
            text="gamma <= 1/L_P, on every path.",
            check=formula(by_moment.HALF_BELOW_FACTOR, "all gamma <= 1/L_P"),
        ),
        Step(
            latex=(
                r"= \left(\gamma - \tfrac{\gamma^2 L_P}{2}\right) \tfrac{1}{T+1} \sum_{i=0}^T"
                r" \|\nabla f(x^t)\|^2"
            ),
            text="The factor collected; the sum runs over i, and its term does not know i.",
            check=refuted_by(
                partial(index_fails, (1, 0)),
                "T = 1, gradients 1 and 0: the sum over t is 1, the printed one is 2 for t = 0",
            ),
            correction=r"=" + _A + _SUM,
            mended=formula(
                "gamma/2 + gamma/2*(1 - gamma*L) = gamma - gamma^2*L/2", "all gamma and L_P"
            ),
            mends=(_INDEX,),
        ),
        Step(
            latex=r"\leq \tfrac{1}{T+1} \mathbb{E}[f(x^0) - f(x^{T+1})]",
            text="The decrease summed; without expectation on the left it is false on some paths.",
            check=refuted_by(
                pathwise_fails,
                "f = x^2/2, p = 1/2, L_P = 2, gamma = 1/2, x^0 = 1, T = 1: on the path where"
                " nothing is updated (probability 1/4) the left is 1/4, the right 1/2 (1/2 - 1/8) ="
                " 3/16",
            ),
            correction=_A + _E_SUM + r"\leq \tfrac{1}{T+1} \mathbb{E}[f(x^0) - f(x^{T+1})]",
            mended=by_moment.SUMMED,
            mends=(_EXPECTATION,),
        ),
        Step(
            latex=r"\leq \tfrac{1}{T+1} \delta^0",
            text="f is bounded below by f*.",
            check=formula(
                "(delta - above)/(T + 1) <= delta/(T + 1), by above/(T + 1); T above >= 0",
                "all values",
                words="delta = f(x^0) - f*, and E f(x^{T+1}) = f* + above",
            ),
        ),
        Step(
            latex=r"\mathbb{E}\|\nabla f(\hat{x}^T)\|^2 \leq \tfrac{2\delta^0}{\gamma(T+1)}",
            text="Solved, with the expectation of the least at most that of the mean.",
            check=by_moment.SOLVED,
        ),
        Step(
            latex=r"\gamma = 1/L_P, \quad T + 1 \geq \tfrac{2 L_P \delta^0}{\varepsilon} \implies "
            r"\mathbb{E}\|\nabla f(\hat{x}^T)\|^2 \leq \varepsilon",
            text="The particular case.",
            check=formula(
                "steps := 2*L_P*delta/epsilon + more; 2*L_P*delta/steps <= epsilon, by"
                " epsilon*more/steps; L_P delta epsilon > 0, more >= 0",
                "all T, L_P and eps",
                words="at gamma = 1/L_P, with T + 1 = steps",
            ),
        ),
    ),
    formal=Formal(
        "rcd_nonconvex rcd_nonconvex_steps",
        "E|g(x^)|^2 <= 2 delta_0 / (gamma (T + 1)), x^ with the least gradient, and the number of"
        " steps",
        instance="text_replaceLPbyLM.least_gradient_instance",
    ),
)
