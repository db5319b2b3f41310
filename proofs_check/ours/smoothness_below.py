"""L_P is at least lambda_max(L): a proof, where the paper prints none."""

from ..checks.randomised import on_random_matrices
from ..checks.symbolic import Triples, inequality, letters
from ..engine.entry import Bound, Entry, Step
from ..paper.text_oldConvexRate import top_and_weighted


def probabilities_are_at_most_one(sign: int = 1) -> Triples:
    """x'Lx = L_P x'Px - slack <= L_P |x|^2, coordinate i, with p_i = 1 - missing."""
    x, L_P, slack, missing = letters("x_i, L_P slack_i missing_i >= 0")
    return [(L_P * (1 - missing) * x**2 - slack, L_P * x**2, sign * (L_P * missing * x**2 + slack))]


CLAIM = Entry(
    label="our:LPgeqL",
    title="L_P is at least lambda_max(L)",
    latex=r"L_P \geq \lambda_{\max}(L)",
    text="Because probabilities are at most 1.",
    assumptions=("L is positive semidefinite",),
    bound=Bound.LOWER,
    tight=True,
    tightness="attained if all probabilities are 1",
    needs=("text:LP",),
    proof_needs=("fact:rayleigh", "fact:congruence"),
    checks=(on_random_matrices(top_and_weighted),),
    steps=(
        Step(
            latex=r"L \preceq L_P P \preceq L_P I",
            text="The first is the definition of L_P by congruence, the second p_i <= 1 with L_P >= 0.",
            check=inequality(probabilities_are_at_most_one, "coordinate i, so all dimensions"),
        ),
    ),
)
