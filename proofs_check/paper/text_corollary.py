"""The Corollary (no label): the optimum against gradient descent and the closed form."""

from ..checks.statements import holds_on_matrices
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Kind, Status, Step
from ..ours.sandwich import CONSTANT_Q, VALUE_OF_THE_CLOSED_FORM

CLAIM = Entry(
    label="text:corollary",
    sort=Kind.COROLLARY,
    title="The optimum is below gradient descent and below the closed form's bound",
    latex=r"c(P) \leq \min \left\{ L, \Big(\sum_{i=1}^B \sqrt{L_i c_i}\Big)^2 \right\}",
    text=(
        "For the optimal P, with L = lambda_max(L). Both are true of the minimum of eq:complexity"
        " read per block, and false with P as printed (text:sigma). It exists because L is definite"
        " (our:sdp), and is often below both."
    ),
    assumptions=(
        "L is positive definite",
        "the costs are positive and add up to one",
        "sigma is read as rank to block",
    ),
    proof=Status.DEFINITIONAL,
    see=("our:tightness", "our:whenRPTHelps"),
    bound=Bound.UPPER,
    tight=True,
    tightness="the first: our:whenRPTHelps; the second: our:tightness",
    needs=("eq:complexity", "as:normalized", "text:sigma"),
    proof_needs=("text:gradientDescent", "text:productBound", "lem:upperBound", "our:sdp"),
    checks=(holds_on_matrices("text:corollary"),),
    steps=(
        Step(
            latex=r"c(I) = L \sum_i c_i = L",
            text="Gradient descent, p = 1; the costs add up to one.",
            check=CONSTANT_Q,
        ),
        Step(
            latex=r"c(P_{closed}) \leq \Big(\sum_i \sqrt{L_i c_i}\Big)^2",
            text="text:productBound at the choice of lem:upperBound.",
            check=VALUE_OF_THE_CLOSED_FORM,
        ),
        Step(
            latex=r"\min_P c(P) \leq \min \{ c(I), c(P_{closed}) \}",
            text="Both are admissible.",
            check=formula(
                "c <= c + u, by u; c <= c + w, by w; u w >= 0",
                "all values",
                words="c + u and c + w are the values at two points",
            ),
        ),
    ),
    formal=Formal(
        "corollary_gd corollary_closed corollary_instance",
        "an optimal c(P) is at most lambda_max(L) and at most (sum_k sqrt(L_k c_k))^2",
        "that an optimal P exists",
        instance="corollary_instance",
    ),
)
