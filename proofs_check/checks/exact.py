"""Small matrices in fractions: the arithmetic in which counterexamples are confirmed."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rpttheory.eigen.exact import definiteness

FractionArray = NDArray[np.object_]
Number = Fraction | int
# A vector or a matrix.
Numbers = Sequence[Number] | Sequence[Sequence[Number]] | NDArray[Any]


def exact(values: Numbers) -> FractionArray:
    """Return integers and fractions as an array of fractions, whose sums and products are exact."""
    array: FractionArray = np.vectorize(Fraction, otypes=[object])(np.array(values, dtype=object))
    return array


def identity(size: int) -> FractionArray:
    """Return the identity matrix in fractions."""
    return exact(np.eye(size, dtype=int))


def is_semidefinite(matrix: FractionArray) -> bool:
    """Return whether a symmetric matrix is positive semidefinite, decided without rounding."""
    sign = definiteness(exact(matrix).tolist())
    if sign is None:
        raise ValueError("the entries are too long to decide definiteness exactly")
    return sign >= 0


def lambda_max_at_most(matrix: FractionArray, bound: Fraction | int) -> bool:
    """Return whether the largest eigenvalue of a symmetric matrix is at most the bound."""
    return is_semidefinite(bound * identity(len(matrix)) - matrix)
