"""alg:rpt. The loop starts one step too late for its input, and its last step is lost."""

from fractions import Fraction

import sympy

from ..checks.symbolic import Pairs, identity, letters
from ..checks.witness import refuted_by
from ..engine.entry import Entry, Erratum, Status


def loop_breaks(steps: int, first: int = 1) -> bool:
    """Run the loop t = first, ..., first + steps - 1 on x^2/2 from x^0 = 1 and see whether it reads what it has not."""
    iterates = {0: Fraction(1)}
    for t in range(first, first + steps):
        if t not in iterates:
            return True
        iterates[t + 1] = iterates[t] - Fraction(1, 2) * iterates[t]
    return steps not in iterates


def step_is_lost(steps: int, first: int = 1) -> bool:
    """Whether the iterate put out is not the last one computed, even with x^first = x^0."""
    iterates = {first: Fraction(1)}
    for t in range(first, first + steps):
        iterates[t + 1] = iterates[t] - Fraction(1, 2) * iterates[t]
    return iterates.get(steps) != Fraction(1, 2) ** steps


def indices(first: int = 0) -> Pairs:
    """T steps from t = first on: the first reads x^0, each reads what the one before wrote, the last writes x^T."""
    t, T = letters("t T whole")
    return [(sympy.Integer(first), sympy.Integer(0)), ((t - 1) + 1, t), ((first + T - 1) + 1, T)]


CLAIM = Entry(
    label="alg:rpt",
    title="Randomized Progressive Training",
    latex=r"x^{t+1} = x^t - \gamma C^t \nabla f(x^t), \quad C^t \text{ a PT-sketch}",
    text="As printed the input is x^0, the loop runs over t = 1, ..., T and the output is x^T: the first step reads an "
    "x^1 that nobody set, and the last writes x^{T+1}, which is thrown away. It must run over t = 0, ..., T-1.",
    assumptions=("the sketches are drawn independently of each other and of the iterates",),
    statement=Status.CORRECTED,
    proof=Status.NONE,
    needs=("def:PTsketch",),
    checks=(
        refuted_by(lambda: loop_breaks(1), "T = 1: the only step reads x^1, and only x^0 is known"),
        refuted_by(lambda: step_is_lost(1), "T = 1 with x^1 = x^0: the output x^1 is the input, the step is lost"),
    ),
    corrected=(identity(indices, "all T and t"),),
    errata=(
        Erratum(r"t = 1, \ldots, T", "the loop must run over t = 0, ..., T-1 for the input x^0 and the output x^T"),
        Erratum(
            r"\text{draw the PT-sketch } C^t",
            "the draw must be independent of the past, and probabilities and permutation belong to the input",
        ),
    ),
)
