"""Decide if a smoothness matrix is positive semidefinite: proved, or up to rounding."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import ArpackError, eigsh

from ..eigen import EntrywiseMatrix, prove_psd
from ..eigen.exact import EXACT_DIMENSION, definiteness
from ..eigen.pencil import to_dense
from ..errors import InvalidInput
from ..numbers import Verdict
from ..numbers.decimals import decimal_ceiling
from .smoothness import DiagonalSmoothness, Smoothness

# Eigenvalues this far below zero, relative to the largest entry, pass for rounding of a singular L.
INDEFINITE = 1e-10
_DENSE_DIMENSION = 2000


def require_positive_semidefinite(form: Smoothness) -> None:
    """Raise where L has an eigenvalue below zero by more than rounding explains.

    Gram matrices need no check, and of a black-box operator nothing is known.
    """
    if isinstance(form, DiagonalSmoothness):
        smallest = float(form.values.min())
        if smallest >= 0:
            return
        scale = max(-smallest, float(form.values.max()))
    else:
        explicit = None if form.floor() is not None else form.explicit()
        if explicit is None:
            return
        scale = form.size_of_entries()
        if _proved_above(explicit, -INDEFINITE * scale):
            return
        smallest = _smallest_eigenvalue(explicit)
    if smallest < -INDEFINITE * scale:
        raise InvalidInput(
            "must be positive semidefinite",
            f"smallest eigenvalue {smallest:.6g}, largest diagonal entry {scale:.6g}",
            f"L + s I (add s to each diagonal entry) with s {_shift(form, smallest, scale)}, or"
            " `gram(A)` if it is a data matrix A",
            argument="L",
        )


def _shift(form: Smoothness, smallest: float, scale: float) -> str:
    """Return "= s" with L + s I proved positive semidefinite; or "above" an estimate of the least s
    if no proof is found.
    """
    explicit = form.explicit()
    for factor in (1, 2, 4):
        text = decimal_ceiling(factor * (INDEFINITE * scale - smallest), 3)
        if explicit is not None and _proved_above(explicit, -float(text)):
            return f"= {text}"
    return f"above {-smallest:.3g}"


def surely_semidefinite(form: Smoothness) -> bool:
    """Return whether L is proved positive semidefinite, without any allowance for rounding."""
    explicit = form.explicit()
    if form.floor() is not None or explicit is None:
        return form.floor() is not None
    if isinstance(form, DiagonalSmoothness):
        return bool(form.values.min() >= 0)  # no number but zero has the nearest double zero
    entries = form.rational() if form.dimension <= EXACT_DIMENSION else None
    if entries is not None:
        return definiteness(entries) in (0, 1)
    return _proved_above(explicit, 0.0)


def _proved_above(explicit: EntrywiseMatrix, level: float) -> bool:
    """Return whether every eigenvalue is proved to be at least `level`."""
    return prove_psd(explicit, np.ones(explicit.dimension), -level, sign=-1) is Verdict.PROVED


def _smallest_eigenvalue(explicit: EntrywiseMatrix) -> float:
    matrix = explicit.matrix
    if not isinstance(matrix, np.ndarray) and explicit.dimension > _DENSE_DIMENSION:
        try:
            return float(eigsh(matrix, k=1, which="SA", return_eigenvectors=False, tol=1e-6)[0])
        except ArpackError as error:
            raise InvalidInput(
                "must be positive semidefinite",
                f"could not be decided: {error}",
                "gram(A) where L = A'A",
                argument="L",
            ) from None
    return float(np.linalg.eigvalsh(to_dense(matrix))[0])
