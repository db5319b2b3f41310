"""From a data set as published to the matrix of a ridge regression, each choice the paper leaves
open being named.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..datasets import Dataset
from ..errors import InvalidInput
from ..numbers.checks import read_only
from ..numbers.exact_array import FloatArray
from ..objectives import Ridge
from ..problem.blocks import Blocks

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
class Preprocessing:
    """The choices that the paper does not state.

    Parameters
    ----------
    normalization : {"minmax", "unit-interval", "zscore", "unit-norm"}
        Each feature to [-1, 1], to [0, 1], to mean 0 and variance 1, or to Euclidean norm 1.
    ridge : float
        The parameter of the regularization, positive.
    blocks : int
        Into how many blocks of sizes as equal as possible (larger ones first) the coordinates are
        cut.
    ties : {"stable", "reversed", "bias-first"}
        Among features with equal diagonal entries of the Hessian: in the order of the file with the
        bias last, in the reverse of it, or in the order of the file with the bias first.
    """

    normalization: str = "minmax"
    ridge: float = 0.1
    blocks: int = 3
    ties: str = "stable"

    def __post_init__(self) -> None:
        if self.normalization not in NORMALIZATIONS:
            raise InvalidInput(
                "unknown normalization", repr(self.normalization), ", ".join(NORMALIZATIONS)
            )
        if self.ties not in TIES:
            raise InvalidInput("unknown rule for ties", repr(self.ties), ", ".join(TIES))
        if not (np.isfinite(self.ridge) and self.ridge > 0):
            raise InvalidInput(
                "must be positive and finite",
                f"{self.ridge:g}",
                argument="ridge",
                suggest={"ridge": 0.1},
            )
        if self.blocks < 1:
            raise InvalidInput(
                "must be at least 1", str(self.blocks), argument="blocks", suggest={"blocks": 3}
            )


def prepare(data: Dataset, choice: Preprocessing) -> tuple[Ridge, Blocks]:
    """Normalize, add a bias column, sort columns by the Hessian's diagonal (descending) and cut
    into blocks.
    """
    table = data.doubles
    assert isinstance(table, np.ndarray) and data.target is not None, "a table"
    features = NORMALIZATIONS[choice.normalization](table)
    A = np.column_stack([features, np.ones(len(features))])
    dimension = A.shape[1]
    if choice.blocks > dimension:
        raise InvalidInput(
            f"must not exceed the {dimension} coordinates of {data.title} (bias included)",
            str(choice.blocks),
            argument="blocks",
            suggest={"blocks": min(3, dimension)},
        )
    A = A[:, sorted_columns(np.square(A).mean(axis=0), choice.ties)]
    sizes = [part.size for part in np.array_split(np.arange(dimension), choice.blocks)]
    return Ridge(read_only(A), data.target, choice.ridge), Blocks(sizes)


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
