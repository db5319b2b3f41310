"""The paper's first experiment: twelve diagonal quadratics in three blocks, `table:quad_functions`.

The table gives for each block its size and its largest eigenvalue, and not what lies below. The
printed numbers suggest it: the largest values of blocks of ten fall short of 11 times 25, 5, 1
(100, 10, 1; 2500, 50, 1) as the largest of ten uniform draws from [9, 11] times these would; the
likelihood of a uniform law on [(1 - s) L, L] is greatest at s = 0.18, and 2/11 = 0.1818. So a block
holds evenly spaced values from 9/11 L_k to L_k unless told otherwise. The columns of theory depend
on the L_k alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..numbers import Bracket, Verdict
from ..objectives import Quadratic
from ..problem.blocks import Blocks
from ..problem.smoothness import diagonal
from ..report.table import Column, Result
from .runner import EXACT_AND_OPTIMUM, Experiment, Instance, require
from .theory import middle, rounds_to


@dataclass(frozen=True)
class Row:
    """A row as printed: block sizes, largest eigenvalues, and the two speed-ups with their digits.

    `decimals` is how many the eigenvalues have: one in the first eight rows, whose trailing zeros
    are left out (272 stands above 270.5), none in the last four.
    """

    sizes: tuple[int, ...]
    constants: tuple[float, ...]
    theory: str
    real: str
    decimals: int = 1


PAPER: dict[str, Row] = {
    f"{number:02d}": row
    for number, row in enumerate(
        (
            Row((10, 10, 10), (272, 53.3, 11), "1.1", "1.9"),
            Row((10, 50, 250), (270.5, 55, 11), "3.4", "19.8"),
            Row((10, 100, 1000), (256.7, 54.8, 11), "5.7", "26.9"),
            Row((10, 500, 25000), (274.8, 55, 11), "12.7", "36.6"),
            Row((10, 10, 10), (1066.5, 108.4, 11), "1.5", "2.2"),
            Row((10, 50, 250), (1080.4, 109.6, 11), "6.4", "17.6"),
            Row((10, 100, 1000), (1093.9, 109.7, 11), "12.3", "64.9"),
            Row((10, 500, 25000), (1066.7, 110, 11), "36.6", "128.1"),
            Row((10, 10, 10), (27414, 547, 11), "2.2", "2.8", 0),
            Row((10, 50, 250), (27166, 550, 11), "15.4", "20", 0),
            Row((10, 100, 1000), (26020, 549, 11), "40.1", "62.4", 0),
            Row((10, 500, 25000), (27363, 550, 11), "282.5", "407.8", 0),
        ),
        start=1,
    )
}

SPREAD = 2 / 11


@dataclass(frozen=True)
class Quadratics(Experiment):
    """The experiment's parameters, and one more.

    Parameters
    ----------
    spread : float
        Block k holds evenly spaced eigenvalues from (1 - spread) L_k to L_k.
    """

    spread: float = SPREAD

    name = "quadratics"
    rows = tuple(PAPER)
    methods = ("RPT", "RPT-optimal")
    first_seed = 1
    figure_title = "Diagonal quadratics: GD, RPT, and RPT with certified optimal probabilities"
    figure_columns = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.spread < 1, "spread", self.spread, "must lie in [0, 1)", 0)

    def instance(self, row: str) -> Instance:
        printed = PAPER[row]
        objective = Quadratic(diagonal(spectrum(printed, self.spread)))
        facts = {"recomputes": recomputes(printed)}
        return Instance(objective, Blocks(printed.sizes), np.ones(objective.dimension), facts)

    def describe(self, row: str) -> Result:
        printed = PAPER[row]
        return {
            "row": int(row),
            "blocks": list(printed.sizes),
            "L": list(printed.constants),
            "printed": {"theory": printed.theory, "real": printed.real},
        }

    @property
    def columns(self) -> Sequence[Column]:
        return (
            Column("row", "row", lambda r: str(r["row"])),
            Column("blocks", "blocks", lambda r: ", ".join(map(str, r["blocks"]))),
            Column("L", "L", lambda r: ", ".join(f"{value:g}" for value in r["L"])),
            Column("theory_printed", "Theory printed", lambda r: r["printed"]["theory"]),
            Column("theory", "Theory recomputed", lambda r: middle(r["theory"]["formula"])),
            Column("recomputes", "same?", lambda r: _FLAGS[r["theory"]["recomputes"]]),
            *EXACT_AND_OPTIMUM,
            *self.speedup_columns("measured"),
            Column("real_printed", "Real printed", lambda r: r["printed"]["real"]),
            *self.speedup_columns("by clock", "_clock", by_clock=True),
        )

    def notes(self, results: Sequence[Result]) -> list[str]:
        wrong = [r for r in results if r["theory"]["recomputes"] == "no"]
        flags = "; ".join(
            f"row {r['row']} gives {middle(r['theory']['formula']):.3f}, printed"
            f" {r['printed']['theory']}{_other_reading(r['row'])}"
            for r in wrong
        )
        return [
            (
                "Speed-ups over gradient descent (GD). Measured: until f - f* <="
                f" {self.tol:g} (f(x0) - f*) from x0 = (1, ..., 1), stepsizes"
                " 1/lambda_max and 1/L_P, cost of a step = share of coordinates"
                f" updated; mean ± standard deviation over {self.repeats} seed(s); costs are known"
                " to 1 %, times are the least of three repetitions. Block k holds evenly spaced"
                f" eigenvalues from {1 - self.spread:.4g} L_k to L_k."
            ),
            (
                "Theory printed is not what its formula gives, for any L that rounds to the"
                " printed one, if L has one decimal in rows 1 to 8, so that 11 means 11.0, and"
                f" none in rows 9 to 12 (proved): {flags}."
                if wrong
                else "Every Theory printed here is what its formula gives."
            ),
            (
                "Measured speed-ups may exceed the best possible one: that one compares worst cases"
                " over all functions with this L, while here a block whose stepsize fits its"
                " eigenvalues is solved in a few updates."
            ),
        ]

    def panel_title(self, result: Result) -> str:
        sizes = ", ".join(map(str, result["blocks"]))
        constants = ", ".join(f"{value:g}" for value in result["L"])
        return f"{result['row']}: blocks {sizes}\nL {constants}"


_FLAGS = {"yes": "yes", "rounding": "yes, L being rounded", "no": "NO"}


def spectrum(row: Row, spread: float) -> NDArray[np.float64]:
    """The diagonal: in block k evenly spaced values from exactly L_k down to (1 - spread) L_k."""
    pairs = zip(row.sizes, row.constants, strict=True)
    return np.concatenate(
        [constant * np.linspace(1.0, 1 - spread, size) for size, constant in pairs]
    )


def recomputes(row: Row) -> str:
    """Return whether the formula gives the number printed: "yes", "rounding" or "no", by brackets.

    The formula lambda_max / (sum sqrt(L_k c_k))^2 is first taken at the printed constants. If that
    does not round to the number printed, at all constants that round to the printed ones: it grows
    with the largest constant and falls with the others, so two corners enclose it. "no" means that
    none of them gives the number, proved.
    """
    half = Fraction(1, 2 * 10**row.decimals)
    exact = [Fraction(str(constant)) for constant in row.constants]
    top = exact.index(max(exact))

    def formula(shift: Fraction) -> Bracket:
        constants = [L + shift if k == top else L - shift for k, L in enumerate(exact)]
        shares = [
            Fraction(size, sum(row.sizes)) * L / constants[top]
            for L, size in zip(constants, row.sizes, strict=True)
        ]
        return 1 / Bracket.sum(Bracket.of_fraction(share).sqrt() for share in shares).squared()

    if rounds_to(formula(Fraction(0)), row.theory) is Verdict.PROVED:
        return "yes"
    reachable = Bracket(formula(-half).exact_lower, formula(half).exact_upper)
    return "no" if rounds_to(reachable, row.theory) is Verdict.REFUTED else "rounding"


def _other_reading(number: int) -> str:
    """Return whether a row would recompute if its constants were printed without decimals."""
    if recomputes(replace(PAPER[f"{number:02d}"], decimals=0)) == "no":
        return " (nor if L were rounded to whole numbers)"
    return " (but it can be had if L was rounded to whole numbers)"
