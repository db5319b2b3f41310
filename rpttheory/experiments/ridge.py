"""The paper's second experiment: ridge regression on four data sets, `table:ridge_regression`.

The paper does not state how the data were normalized, lambda and the number of blocks. Each of
these choices is a parameter here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..datasets import Dataset, about, load
from ..errors import InvalidInput
from ..numbers.exact_array import FloatArray
from ..objectives import Ridge
from ..problem.blocks import Blocks
from ..report.table import Column, Result
from .runner import EXACT_AND_OPTIMUM, Experiment, Instance, require
from .theory import middle

# Theoretical and actual speed-up as printed.
PAPER: dict[str, tuple[str, str]] = {
    "california": ("1", "1.3"),
    "prostate": ("1", "2.1"),
    "ozone": ("1", "2.4"),
    "wine": ("1.1", "1.3"),
}
# Diagonal entries this close, relative to the largest, are ties: z-scores make all of them equal
# but for rounding.
_TIE = 1e-9


def _symmetric_range(A: FloatArray) -> FloatArray:
    return 2 * _unit_range(A) - 1


def _unit_range(A: FloatArray) -> FloatArray:
    low = A.min(axis=0)
    high = A.max(axis=0)
    return np.asarray((A - low) / (high - low))


def _z_scores(A: FloatArray) -> FloatArray:
    return np.asarray((A - A.mean(axis=0)) / A.std(axis=0))


def _unit_norm(A: FloatArray) -> FloatArray:
    return np.asarray(A / np.linalg.norm(A, axis=0))


NORMALIZATIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "minmax": _symmetric_range,
    "unit-interval": _unit_range,
    "zscore": _z_scores,
    "unit-norm": _unit_norm,
}
TIES = ("stable", "reversed", "bias-first")


@dataclass(frozen=True)
class RidgeRegression(Experiment):
    """The experiment's parameters, the choices that the paper does not state, and the data.

    Parameters
    ----------
    normalization : {"minmax", "unit-interval", "zscore", "unit-norm"}
        Each feature to [-1, 1], to [0, 1], to mean 0 and variance 1, or to Euclidean norm 1.
    ridge : float
        The parameter of the regularization, positive.
    block_count : int
        The number of blocks, of sizes as equal as possible (larger ones first).
    ties : {"stable", "reversed", "bias-first"}
        Among features with equal diagonal entries of the Hessian: in the order of the file with the
        bias last, in the reverse of it, or in the order of the file with the bias first.
    """

    normalization: str = "minmax"
    ridge: float = 0.1
    block_count: int = 3
    ties: str = "stable"

    name = "ridge"
    rows = tuple(PAPER)
    methods = ("RPT", "RPT-optimal", "CBCD", "accelerated")
    first_seed = 100
    figure_title = "Ridge regression: error against cost"
    figure_columns = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, choices in (("normalization", tuple(NORMALIZATIONS)), ("ties", TIES)):
            value = getattr(self, name)
            require(value in choices, name, repr(value), f"must be one of {choices}", choices[0])
        in_range = 0 < self.ridge < np.inf
        require(in_range, "ridge", self.ridge, "must be positive and finite", 0.1)
        require(self.block_count >= 1, "block_count", self.block_count, "must be at least 1", 3)

    def instance(self, row: str) -> Instance:
        return self.prepare(load(row))

    def prepare(self, data: Dataset) -> Instance:
        """Normalize, add a bias column, sort columns by the Hessian's diagonal, cut into blocks."""
        A, target = features(data, self.normalization)
        dimension = A.shape[1]
        if self.block_count > dimension:
            raise InvalidInput(
                f"must not exceed the {dimension} coordinates of {data.title} (bias included)",
                str(self.block_count),
                argument="block_count",
                suggest={"block_count": min(3, dimension)},
            )
        A = A[:, sorted_columns(np.square(A).mean(axis=0), self.ties)]
        sizes = [part.size for part in np.array_split(np.arange(dimension), self.block_count)]
        facts = {"n": len(A), "d": dimension, "blocks": sizes}
        return Instance(Ridge(A, target, self.ridge), Blocks(sizes), np.zeros(dimension), facts)

    def describe(self, row: str) -> Result:
        theory, actual = PAPER[row]
        data = about(row)
        return {
            "row": data.title,
            "source": data.source,
            "sha256": data.sha256,
            "printed": {"theory": theory, "actual": actual},
        }

    @property
    def columns(self) -> Sequence[Column]:
        return (
            Column("data", "data set", lambda r: str(r["row"])),
            Column("n", "n", lambda r: str(r["theory"]["n"])),
            Column("d", "d", lambda r: str(r["theory"]["d"])),
            Column("theory_printed", "Theory printed", lambda r: r["printed"]["theory"]),
            Column("formula", "closed form", lambda r: middle(r["theory"]["formula"])),
            Column("clipped", "clipped at 1", lambda r: middle(r["theory"]["clipped"])),
            *EXACT_AND_OPTIMUM,
            Column("actual_printed", "Actual printed", lambda r: r["printed"]["actual"]),
            *self.speedup_columns("measured"),
            *self.speedup_columns("by clock", "_clock", by_clock=True),
        )

    def notes(self, results: Sequence[Result]) -> list[str]:
        return [
            (
                f"Speed-ups over gradient descent (GD), f(x) = |Ax - b|^2 / n + {self.ridge:g}"
                f" |x|^2. Features normalized ({self.normalization}), bias column added, columns"
                f" sorted by the Hessian's diagonal (ties: {self.ties}), {self.block_count} blocks;"
                f" targets as published. Measured: from x0 = 0 until f - f* <= {self.tol:g}"
                f" (f(x0) - f*); mean ± standard deviation over {self.repeats} seed(s),"
                " CBCD not being random; times are the least of three repetitions. The paper states"
                " none of normalization, lambda, number of blocks and tolerance."
            ),
        ]

    def panel_title(self, result: Result) -> str:
        return f"{result['row']} (n = {result['theory']['n']}, d = {result['theory']['d']})"


def features(data: Dataset, normalization: str) -> tuple[FloatArray, FloatArray]:
    """Return the normalized columns of a table, with a column of ones, and the target."""
    table = data.doubles
    assert isinstance(table, np.ndarray) and data.target is not None, "a table"
    A = np.column_stack([NORMALIZATIONS[normalization](table), np.ones(len(table))])
    return A, np.asarray(data.target)


def sorted_columns(diagonal: FloatArray, ties: str) -> NDArray[np.intp]:
    """Columns by descending diagonal entry, the last one being the bias."""
    columns = np.arange(diagonal.size)
    if ties == "reversed":
        columns = columns[::-1]
    elif ties == "bias-first":
        columns = np.roll(columns, 1)
    # Entries are compared after rounding, so that rounding errors do not decide.
    grades = np.round(diagonal[columns] / diagonal.max() / _TIE)
    return np.asarray(columns[np.argsort(-grades, kind="stable")])
