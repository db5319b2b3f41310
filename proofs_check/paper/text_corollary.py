"""The Corollary (no label): the optimum against gradient descent and the closed form."""

from ..checks.statements import holds_on_matrices
from ..checks.symbolic import Triples, inequality, letters
from ..engine.entry import Bound, Entry, Kind, Status, Step
from ..ours.sandwich import CONSTANT_Q, VALUE_OF_THE_CLOSED_FORM


def below_both(sign: int = 1) -> Triples:
    """A minimum is at most its value at each of two points, so at most the smaller: c* = a - u = b
    - w.
    """
    least, u, w = letters("c* > 0, u w >= 0")
    return [(least, least + u, sign * u), (least, least + w, sign * w)]


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
            check=inequality(below_both, "all values"),
        ),
    ),
)
