"""alg:rpt, whose loop starts one step too late and loses its last step; and that RPT is SkGD (no
label).
"""

from fractions import Fraction
from functools import partial

from ..checks.symbolic import formula
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Formal, Severity, Status, Step
from .def_PTsketch import MOMENTS_OF_A_BLOCK, TAILS


def loop_breaks(steps: int, first: int = 1) -> bool:
    """Run the loop t = first, ..., first + steps - 1 on x^2/2 from x^0 = 1 and see whether it reads
    what it has not.
    """
    iterates = {0: Fraction(1)}
    for t in range(first, first + steps):
        if t not in iterates:
            return True
        iterates[t + 1] = iterates[t] - Fraction(1, 2) * iterates[t]
    return steps not in iterates


def step_is_lost(steps: int, first: int = 1) -> bool:
    """Return whether the iterate put out is not the last one computed, even with x^first = x^0."""
    iterates = {first: Fraction(1)}
    for t in range(first, first + steps):
        iterates[t + 1] = iterates[t] - Fraction(1, 2) * iterates[t]
    return iterates.get(steps) != Fraction(1, 2) ** steps


_LOOP = Erratum(
    r"t = 1, \ldots, T",
    "the loop must run over t = 0, ..., T-1 for the input x^0 and the output x^T",
    Severity.TYPO,
)

RPT = Entry(
    label="alg:rpt",
    title="Randomized Progressive Training",
    latex=r"x^{t+1} = x^t - \gamma C^t \nabla f(x^t), \quad \text{Draw the PT-sketch } C^t",
    text=(
        "As printed the input is x^0, the loop runs over t = 1, ..., T and the output is x^T: the"
        " first step reads an x^1 that nobody set, and the last writes x^{T+1}, which is thrown"
        " away. It must run over t = 0, ..., T-1."
    ),
    assumptions=("the sketches are drawn independently of each other and of the iterates",),
    statement=Status.DEFINITIONAL,
    proof=Status.NONE,
    needs=("def:PTsketch",),
    checks=(
        refuted_by(
            partial(loop_breaks, 1), "T = 1: the only step reads x^1, and only x^0 is known"
        ),
        refuted_by(
            partial(step_is_lost, 1),
            "T = 1 with x^1 = x^0: the output x^1 is the input, the step is lost",
        ),
    ),
    corrected=(
        formula(
            "0 = 0; (t - 1) + 1 = t; (0 + T - 1) + 1 = T; t T whole",
            "all T and t",
            words=(
                "the first step reads x^0, each reads what the one before wrote, the last"
                " writes x^T"
            ),
        ),
    ),
    mends=(_LOOP,),
    errata=(
        _LOOP,
        Erratum(
            r"\text{draw the PT-sketch } C^t",
            "the draw must be independent of the past, and probabilities and permutation belong to"
            " the input",
            Severity.UNSTATED,
        ),
    ),
)


IS_SKGD = Entry(
    label="text:RPTisSkGD",
    title="RPT is an instance of SkGD",
    latex=r"P = \mathrm{Diag}((p_{\sigma_1})_{d_1}, \ldots, (p_{\sigma_B})_{d_B})",
    text=(
        "The PT-sketch is the sketch of SkGD for the random set of all coordinates of the first i"
        " ranks, so the theorems on SkGD hold for RPT. P as printed fits C_i as printed: both read"
        " sigma as block to rank, at odds with the costs and with lem:upperBound (text:sigma)."
    ),
    proof=Status.DEFINITIONAL,
    see=("text:sigma", "lem:upperBound"),
    bound=Bound.EQUALITY,
    needs=("def:PTsketch", "alg:rpt", "text:SkGD"),
    steps=(
        Step(
            latex=r"\mathrm{Prob}(C \in \{C_j, \ldots, C_B\}) = p_j",
            text="The block of rank j is active in these outcomes and no others.",
            check=TAILS,
        ),
        Step(
            latex=r"c_j = 1/p_j \text{ if active, else } 0",
            text=(
                "So the sketch carries the inverse of the block's own probability, and is unbiased."
            ),
            check=MOMENTS_OF_A_BLOCK,
        ),
    ),
    formal=Formal(
        "nested_probabilities",
        "rank j is updated with probability p_j, so every theorem on samplings holds for RPT",
        no_instance=(
            "it has no hypotheses but 1 = p_1 >= ... >= p_B > 0, which p = (1, t) meets (Definition"
            " two)"
        ),
        file="def_PTsketch",
    ),
)

CLAIMS = (RPT, IS_SKGD)
