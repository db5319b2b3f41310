"""The method SkGD and the definition of L_P (no labels)."""

from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Erratum, Formal, Kind, Severity, Status, Step

SKGD = Entry(
    label="text:SkGD",
    title="The sketch of SkGD is unbiased",
    latex=(
        r"x^{t+1} = x^t - \gamma C^t \nabla f(x^t), \quad \mathbb{E}[C^t \nabla f(x^t)] = \nabla"
        r" f(x^t)"
    ),
    text=(
        "With C = Diag(1/p_j if j in S, else 0) and p_j = Prob(j in S) > 0, the estimator C grad"
        " f(x) is unbiased."
    ),
    assumptions=("S is drawn independently of the past",),
    errata=(
        Erratum(
            r"\mathbb{E}[C^t \nabla f(x^t)] = \nabla f(x^t)",
            "x^t is random too: the expectation is conditional on it, and the draw independent of"
            " the past",
            Severity.UNSTATED,
        ),
    ),
    proof=Status.DEFINITIONAL,
    bound=Bound.EQUALITY,
    tight=True,
    steps=(
        Step(
            latex=r"\mathbb{E}[C^t \nabla f(x^t)] = \nabla f(x^t)",
            text="Called readily verifiable: coordinate by coordinate.",
            check=formula(
                "p_j*(1/p_j)*g_j + (1 - p_j)*0*g_j = g_j; p_j > 0",
                "coordinate j, so all dimensions and samplings",
            ),
        ),
    ),
    formal=Formal(
        "sketch_unbiased",
        "E[C v] = v for every sampling",
        no_instance="it has no hypotheses",
    ),
)

L_P = Entry(
    label="text:LP",
    sort=Kind.DEFINITION,
    title="The key quantity L_P",
    latex=r"L_P = \lambda_{\max}(P^{-1/2} L P^{-1/2})",
    text=(
        "L_P is the largest eigenvalue of P^-1/2 L P^-1/2, the least t with t P - L positive"
        " semidefinite."
    ),
    statement=Status.NONE,
    proof=Status.NONE,
)

CLAIMS = (SKGD, L_P)
