"""The upper bound that needs no factorisation: row sums of |L|, weighted by a positive vector.

For any positive x, lambda_max of the pencil is at most max_i (|L| x)_i / (w_i x_i) (Collatz and
Wielandt). It is tight for non-negative L at the Perron vector and a safety net everywhere else.
"""

from __future__ import annotations

import numpy as np

from .cholesky import UNDERFLOW
from .pencil import UNIT, FloatArray, Pencil


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
