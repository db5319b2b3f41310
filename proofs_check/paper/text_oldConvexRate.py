"""What the appendix says of the generic convex rate (no labels)."""

from ..checks.statements import holds_on_matrices
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Status, Step

PLUGGED_IN = formula(
    "gamma := 1/(4*L_P); (2*gamma*delta + R)/(gamma*T) = (2*delta + 4*L_P*R)/T; L_P R delta T > 0",
    "all values",
)

CLAIMS = (
    Entry(
        label="text:LPgeqL",
        title="L_P is at least L",
        latex=r"L_P \geq L = \lambda_{\max}(L)",
        text=(
            "The key quantity is not below the smoothness constant, since probabilities are at"
            " most 1."
        ),
        proof=Status.NONE,
        bound=Bound.LOWER,
        tight=True,
        tightness="attained if all probabilities are 1",
        needs=("text:LP",),
        repaired_by="our:LPgeqL",
        checks=(holds_on_matrices("our:LPgeqL"),),
        formal=Formal(
            "LP_geq_L LP_geq_L_instance",
            "lambda_max(L) <= L_P",
            instance="LP_geq_L_instance",
            file="our_LPgeqL",
        ),
    ),
    Entry(
        label="text:optimalStepsize",
        title="The best stepsize of the generic convex theorem",
        latex=(
            r"\gamma = \tfrac{1}{4 L_P}: \quad \frac{2\gamma\delta^0 + \|x^0 - x^*\|^2}{\gamma T} ="
            r"\frac{2\delta^0 + 4 L_P \|x^0 - x^*\|^2}{T}"
        ),
        text=(
            "With A = L_P it is the longest stepsize that thm:oldConvex allows, and the one that"
            " makes its bound least. It is the best for that bound alone: our:genericConvex is"
            " least at 1/(2 L_P), and our:convexSharp allows 1/L_P."
        ),
        statement=Status.COMPUTED,
        see=("our:convexSharp", "our:genericConvex"),
        bound=Bound.EQUALITY,
        needs=("thm:oldConvex", "text:LPgeqL"),
        checks=(PLUGGED_IN,),
        steps=(
            Step(
                latex=r"\tfrac{1}{4 L_P} \leq \tfrac{1}{2L}",
                text="L <= L_P, so the minimum of the two is the first.",
                check=formula(
                    "L_P := L + more; 1/(4*L_P) <= 1/(2*L), by (L + 2*more)/(4*L*L_P); L > 0, more"
                    " >= 0",
                    "all L_P >= L",
                ),
            ),
            Step(
                latex=(
                    r"\gamma \mapsto \frac{2\gamma\delta^0 + \|x^0 - x^*\|^2}{\gamma T} \text{ is"
                    r" decreasing}"
                ),
                text="So the longest stepsize is the best.",
                check=formula(
                    "longer := gamma + more; (2*longer*delta + R)/(longer*T) <= (2*gamma*delta +"
                    " R)/(gamma*T), by R*more/(gamma*longer*T); gamma R delta T > 0, more >= 0",
                    "all stepsizes",
                ),
            ),
            Step(
                latex=(
                    r"\frac{2\gamma\delta^0 + \|x^0 - x^*\|^2}{\gamma T} = \frac{2\delta^0 +"
                    r" 4L_P\|x^0 - x^*\|^2}{T}"
                ),
                text="Plugged in.",
                check=PLUGGED_IN,
            ),
        ),
    ),
    Entry(
        label="text:genericConvexWorse",
        title="The generic convex rate depends on the initial gap without need",
        latex=r"O\left(\frac{\delta^0 + L_P\|x^0 - x^*\|^2}{T}\right) \quad "
        r"O\left(\frac{L_P \|x^0 - x^*\|^2}{T}\right)",
        text=(
            "The first against the second: the paper speaks of an unnecessary dependency on"
            " delta^0. It is: thm:rcdConvex does without, and under the assumptions of the generic"
            " theorem itself so does our:genericConvex. For an L-smooth f the two orders are the"
            " same, though, since delta^0 <= L_P |x^0 - x*|^2 / 2: the term changes a constant from"
            " 4 to 5 at most, where thm:rcdConvex has 2, with T + 1."
        ),
        statement=Status.COMPUTED,
        proof=Status.NONE,
        needs=("thm:oldConvex", "thm:rcdConvex", "as:matrixSmoothness"),
        repaired_by="our:genericConvex",
        checks=(
            formula(
                "2/3*R/(gamma*T) <= (2*gamma*delta + R)/(gamma*T), by (2*gamma*delta +"
                " R/3)/(gamma*T); gamma T > 0, R delta >= 0",
                "all stepsizes, T, distances and gaps",
                words="the bound of our:genericConvex, without delta, against the one with it",
            ),
            formula(
                "2*(L_P*R/2 - slack) + 4*L_P*R <= 5*L_P*R, by 2*slack; L_P > 0, R slack >= 0",
                "all L_P, distances and gaps",
                words="smoothness at x* gives delta = L_P R / 2 - slack, where R = |x^0 - x*|^2",
            ),
        ),
    ),
)
