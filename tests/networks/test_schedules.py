"""The paper's probabilities and ProgFed's lengths."""

from __future__ import annotations

import numpy as np
import pytest

from rpttheory.errors import InvalidInput
from rpttheory.networks import exponential, linear, progfed_schedule
from rpttheory.problem.blocks import BlockOrder

pytestmark = pytest.mark.networks


def test_exponential_and_linear_run_along_the_order() -> None:
    p = exponential(22, 0.9)
    assert p[0] == 1 and p[21] == pytest.approx(0.9**21) and (np.diff(p) < 0).all()
    assert linear(5, 0.2) == pytest.approx([1, 0.8, 0.6, 0.4, 0.2])
    assert linear(1, 0.2).tolist() == [1.0]
    # A 3-cycle: the block admitted first has probability 1.
    order = BlockOrder((2, 0, 1))
    assert exponential(3, 0.5, order=order).tolist() == [0.5, 0.25, 1.0]
    assert exponential(3, 0.5, order=[2, 0, 1]).tolist() == [0.5, 0.25, 1.0]
    assert linear(3, 0.5, order=order).tolist() == [0.75, 0.5, 1.0]


@pytest.mark.parametrize("n", [1, 7, 100])
def test_progfed_lengths_of_the_paper(n: int) -> None:
    assert progfed_schedule(22, 44 * n) == (*[n] * 21, 23 * n)
    assert sum(progfed_schedule(22, 44 * n + 13)) == 44 * n + 13


def test_bad_arguments_are_named() -> None:
    for rate in (0.0, 1.1, -0.5, float("nan"), "0.5", None):
        with pytest.raises(InvalidInput, match="rate"):
            exponential(3, rate)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="p_last"):
            linear(3, rate)  # type: ignore[arg-type]
    for count in (0, -1, 2.0, True):
        with pytest.raises(InvalidInput, match="number of blocks"):
            exponential(count, 0.9)  # type: ignore[arg-type]
    for order in ([0, 0, 1], [0, 1], "inside-out", 3):
        with pytest.raises(InvalidInput, match="order"):
            linear(3, 0.5, order=order)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="ProgFed"):
        progfed_schedule(3, 0)
