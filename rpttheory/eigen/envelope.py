"""The upper bounds that need no factorisation: row sums of |L|, weighted by a positive vector.

For any positive x, lambda_max of the pencil is at most max_i (|L| x)_i / (w_i x_i) (Collatz and
Wielandt). It is tight for non-negative L at the Perron vector and a safety net everywhere else.
"""

import numpy as np

from ..numbers.exact_array import FloatArray
from .cholesky import UNDERFLOW
from .pencil import UNIT, Pencil


def row_sum_bound(pencil: Pencil, x: FloatArray) -> float:
    """A level of the scaled pencil that lambda_max cannot exceed."""
    d = pencil.dimension
    size = abs(pencil.matrix)
    best = np.inf
    for trial in (np.ones(d), np.abs(x) + 1e-9, np.abs(x) + 1e-4):
        sums = size @ trial * (1 + (d + 8) * UNIT) + UNDERFLOW
        if pencil.slack is not None:
            sums = sums + pencil.slack * trial
        best = min(best, float((sums / (pencil.weights * trial)).max()))
    return best * (1 + 8 * UNIT) + UNDERFLOW


def dominates(pencil: Pencil, t: float) -> bool:
    """Whether t Diag(w) - L is diagonally dominant, which proves lambda_max <= t: minus a Laplacian
    needs no more.

    Sums of at most m non-negative terms err by gamma_m, relatively; four units more cover the
    product that says so. UNDERFLOW is for entries that scaling has lost.
    """
    off_diagonal = abs(pencil.matrix)
    off_diagonal.setdiag(0.0)
    terms = int(np.diff(off_diagonal.indptr).max())
    sums = off_diagonal @ np.ones(pencil.dimension) * (1 + (terms + 4) * UNIT) + UNDERFLOW
    return bool((pencil.shifted_diagonal(t) >= sums).all())
