"""Data matrices A on which the roundings of A'A show."""

from collections.abc import Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]


def data_matrices() -> Iterator[tuple[str, Array]]:
    rng = np.random.default_rng(3)
    for n, d in ((1, 1), (3, 2), (2, 5), (40, 4), (7, 6)):
        a = rng.standard_normal((n, d))
        kinds = {
            "signed": a,
            "positive": np.abs(a),
            "thirds": np.full((n, d), 1 / 3),
            "half empty": np.where(rng.random((n, d)) < 0.5, np.abs(a), 0.0),
            "no first column": np.abs(a) * (np.arange(d) > 0),
            "column sizes": np.abs(a) * 10.0 ** rng.uniform(-60, 60, d),
            "entry sizes": a * 10.0 ** rng.uniform(-30, 30, (n, d)),
            "far apart": np.where(rng.random((n, d)) < 0.5, a * 1e-300, a * 1e100),
            "subnormal squares": np.abs(a) * 1e-160,
            "subnormal": np.rint(4 * np.abs(a)) * 5e-324,
            "huge": np.abs(a) * 1e150,
            "apart": np.abs(a) * (np.arange(n)[:, None] % d == np.arange(d)),
        }
        for name, matrix in kinds.items():
            yield f"{name} {n} x {d}", matrix


def staircase_columns(rows: int) -> Array:
    """Three equal columns whose sums of squares 1, t, t, ... round upwards at each step, so that
    errors add up along (1, 1, 1).
    """
    column = np.full(rows, 2.0**-26.5 * (1 + 2.0**-20))
    column[0] = 1.0
    return np.repeat(column[:, None], 3, axis=1)
