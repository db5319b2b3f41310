"""L_P is at least lambda_max(L): a proof, where the paper prints none."""

from ..checks.statements import holds_on_matrices
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step

CLAIM = Entry(
    label="our:LPgeqL",
    title="L_P is at least lambda_max(L)",
    text="Because probabilities are at most 1.",
    assumptions=("L is positive semidefinite",),
    bound=Bound.LOWER,
    tight=True,
    tightness="attained if all probabilities are 1",
    needs=("text:LP",),
    proof_needs=("fact:rayleigh", "fact:congruence"),
    checks=(holds_on_matrices("our:LPgeqL"),),
    steps=(
        Step(
            latex=r"L \preceq L_P P \preceq L_P I",
            text=(
                "The first is the definition of L_P by congruence, the second p_i <= 1 with L_P"
                " >= 0."
            ),
            check=formula(
                "L_P*(1 - missing_i)*x_i^2 - slack_i <= L_P*x_i^2, by L_P*missing_i*x_i^2 +"
                " slack_i; L_P slack_i missing_i >= 0",
                "coordinate i, so all dimensions",
                words="x'Lx = L_P x'Px - slack, with p_i = 1 - missing_i",
            ),
        ),
    ),
    formal=Formal(
        "LP_geq_L LP_geq_L_instance",
        "lambda_max(L) <= L_P",
        instance="LP_geq_L_instance",
    ),
)
