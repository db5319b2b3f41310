"""Brackets that decide nothing support nothing."""

import numpy as np
import pytest

from proofs_check.checks.instances import Batch
from proofs_check.checks.randomised import Brackets, on_random_matrices

from .trials import trial


def ends(batch: Batch, low: float, high: float) -> Brackets:
    return np.full(len(batch.L), low), np.full(len(batch.L), high)


@pytest.mark.parametrize(
    ("left", "right", "holds"),
    [
        ((1.0, 1.0), (1.0, 1.0), True),
        ((1.0, 1.0), (2.0, 3.0), True),
        ((1.0, 1.0), (0.98, 0.99), False),
        # The brackets overlap by more than a tie: no answer.
        ((1.0, 1.0), (0.99, 1.01), None),
        ((0.99, 1.001), (1.0, 1.1), None),
        ((1.0, 1.0), (1.0 - 1e-12, 1.0 + 1e-12), True),
        ((1.0, np.inf), (2.0, 3.0), None),
    ],
)
def test_what_brackets_decide(
    left: tuple[float, float], right: tuple[float, float], holds: bool | None
) -> None:
    check = on_random_matrices(lambda batch: (ends(batch, *left), ends(batch, *right)), count=100)
    assert check.run(trial()).holds is holds


def test_ties_are_counted_apart() -> None:
    check = on_random_matrices(
        lambda batch: (ends(batch, 1.0, 1.0), ends(batch, 1.0 - 1e-12, 1.0 + 1e-12)), count=66
    )
    assert check.run(trial()).scope == "0 matrices, and 66 ties within 1e-09"
