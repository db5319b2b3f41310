"""Hypothesis profiles (`HYPOTHESIS_PROFILE=deep` for a long search) and the shared data, where present."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("dev", max_examples=60, deadline=None)
settings.register_profile(
    "ci", max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real matrices and data sets; tests that need it are skipped without it."""
    folder = Path(os.environ.get("RPTTHEORY_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the shared data folder is absent (set RPTTHEORY_DATA)")
    return folder


class OneByOne(np.ndarray):
    """A matrix whose products add their terms from left to right, as some BLAS may: the order that errs most."""

    def __matmul__(self, other: Any) -> Any:
        columns = np.asarray(other).reshape(self.shape[1], -1)
        sums = np.stack([np.cumsum(np.asarray(self) * column, axis=1)[:, -1] for column in columns.T], axis=1)
        return sums.reshape(self.shape[:1] + np.shape(other)[1:])


@pytest.fixture(scope="session")
def staircase() -> Any:
    """A symmetric matrix whose row sums err by nearly a unit at each step, on every machine.

    The first row is 1, t, t, ...: with t just above 2^-53 each term raises the sum by 2^-52, or for
    a negative t just above 2^-54 lowers it by 2^-53.
    """

    def make(dimension: int, *, upwards: bool = True) -> np.ndarray:
        matrix = np.zeros((dimension, dimension))
        matrix[0, 1:] = matrix[1:, 0] = 2.0**-53 * (1 + 2.0**-20) if upwards else -(2.0**-54) * (1 + 2.0**-20)
        matrix[0, 0] = 1.0
        return matrix.view(OneByOne)

    return make
