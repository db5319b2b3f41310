"""alg:MAIN-COMPACT, alg:PT and line:PTb: Progressive Training, one algorithm under two labels, and
its update.
"""

from functools import partial

from ..checks.symbolic import formula
from ..checks.witness import refuted_by
from ..engine.entry import Entry, Erratum, Severity, Status


def stage_without_entry(blocks: int, given: int) -> bool:
    """Return whether some stage b = 1, ..., B has no gamma_b and T_b among the n given."""
    return any(b > given for b in range(1, blocks + 1))


_LETTER = Erratum(
    r"\gamma_1, \ldots, \gamma_n; T_1, \ldots, T_n",
    "n must be B: gamma_1, ..., gamma_B and T_1, ..., T_B",
    Severity.TYPO,
)

ALGORITHM = Entry(
    label="alg:MAIN-COMPACT",
    title="Progressive Training",
    latex=(
        r"\text{for } b = 1, \ldots, B: \quad T_b \text{ times } x \leftarrow x - \gamma_b G_b f(x)"
    ),
    text=(
        "The input lists gamma_1, ..., gamma_n and T_1, ..., T_n, where n is never introduced; the"
        " loop needs B each."
    ),
    statement=Status.DEFINITIONAL,
    proof=Status.NONE,
    needs=("line:PTb",),
    checks=(
        refuted_by(
            partial(stage_without_entry, 2, 1), "n = 1, B = 2: stage 2 has no gamma_2 and no T_2"
        ),
    ),
    corrected=(
        formula(
            "B = B; B > 0 whole",
            "all B",
            words="the last entry that the loop reads against the number of entries given",
        ),
    ),
    mends=(_LETTER,),
    errata=(_LETTER,),
)

TWIN = Entry(
    label="alg:PT",
    title="Progressive Training, second label",
    latex=r"x \leftarrow x - \gamma_b G_b f(x)",
    text="A second label of the same algorithm, which no reference uses.",
    statement=Status.NONE,
    proof=Status.NONE,
    needs=("alg:MAIN-COMPACT",),
)

LINE = Entry(
    label="line:PTb",
    title="The update of stage b",
    latex=r"x \leftarrow x - \gamma_b G_b f(x), \quad "
    r"G_b f(x) = (\nabla_1 f(x), \ldots, \nabla_b f(x), 0, \ldots, 0)",
    text="A gradient step on the first b blocks, which leaves the others as they are.",
    statement=Status.DEFINITIONAL,
    proof=Status.NONE,
    checks=(
        formula(
            "x_i - gamma_b*(1*g_i) = x_i - gamma_b*g_i; x_i - gamma_b*(0*g_i) = x_i; gamma_b > 0",
            "coordinate i, so all blocks and b",
            words=(
                "a coordinate of the first b blocks takes its gradient step, one of the others"
                " stays"
            ),
        ),
    ),
)

CLAIMS = (LINE, ALGORITHM, TWIN)
