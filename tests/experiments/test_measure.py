"""One run reduced to a few numbers."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rpttheory import Blocks, diagonal
from rpttheory.experiments.measure import (
    _corners,
    curves,
    mean_speedup,
    measure,
    measured_parts,
    scaled_stepsize,
    speedup_of,
)
from rpttheory.methods import CBCD, GD, RPT, RunResult, run
from rpttheory.objectives import Quadratic

VALUES = np.array([16.0, 4.0, 4.0, 1.0, 1.0, 1.0])
BLOCKS = Blocks((1, 2, 3))
F = Quadratic(diagonal(VALUES))


def measured(method: Any, target: float = 1e-6, seed: int = 0) -> dict[str, Any]:
    reports: list[str] = []
    found = measure(
        method, F, BLOCKS, x0=np.ones(6), target=target, seed=[seed], report=reports.append
    )
    assert reports[0] == "error 1.0e+00", "errors are relative to the first"
    return found


def test_gradient_descent_against_its_formula() -> None:
    found = measured(GD())
    steps = next(
        t
        for t in range(10**4)
        if (VALUES * (1 - VALUES / 16) ** (2 * t)).sum() <= 1e-6 * VALUES.sum()
    )
    assert steps <= found["steps"] <= math.ceil(1.01 * steps) + 1, (
        "known to one percent, never too small"
    )
    assert found["cost"] == pytest.approx(found["steps"])
    assert found["status"] == "converged" and found["seconds"] > 0


def test_seeds_decide() -> None:
    def repeatable(found: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in found.items() if key != "seconds"}

    first, again, other = (measured(RPT(), seed=seed) for seed in (1, 1, 2))
    assert repeatable(first) == repeatable(again) != repeatable(other)


def test_the_clock_is_the_least_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = iter((3.0, 1.0, 2.0))

    def timed(*arguments: Any, **options: Any) -> RunResult:
        outcome = run(*arguments, **options)
        trace = replace(
            outcome.trace, seconds=np.linspace(0, next(clocks), outcome.trace.seconds.size)
        )
        return replace(outcome, trace=trace)

    monkeypatch.setattr("rpttheory.experiments.measure.run", timed)
    assert measured(GD())["seconds"] == 1.0
    assert next(clocks, None) is None, "three repetitions"


def test_a_method_that_does_not_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpttheory.experiments.measure.MOST_STEPS", 3)
    found = measured(GD())
    assert (found["status"], found["steps"], found["cost"], found["seconds"]) == (
        "budget",
        None,
        None,
        None,
    )
    assert found["curve"]["cost"] == [1.0, 2.0, 3.0]


def test_curves_are_thin_and_keep_their_ends() -> None:
    cost = np.concatenate([[0.0], np.geomspace(0.01, 1000, 5000)])
    error = np.where(cost < 5, 1.0, 1e-4 * np.exp(-cost / 500))
    kept = _corners(cost, error)
    assert kept == sorted(set(kept)) and kept[0] == 1 and kept[-1] == 5000 and len(kept) < 120
    jump = int(np.argmax(cost >= 5))
    assert {jump - 1, jump} <= set(kept), "both ends of a jump"
    assert _corners(np.array([0.0]), np.array([1.0])) == []


def test_stepsizes_by_a_factor() -> None:
    half = scaled_stepsize(GD(), F.A, BLOCKS, 0.5)
    assert isinstance(half, GD) and half.stepsize == 0.5 / 16
    p = [1.0, 0.5, 0.5]
    quarter = scaled_stepsize(RPT(p), F.A, BLOCKS, 0.25)
    assert isinstance(quarter, RPT) and quarter.stepsize == 0.25 / 16 and quarter.probabilities == p
    for method in (GD(), CBCD()):
        assert scaled_stepsize(method, F.A, BLOCKS, 1.0) is method
    assert measured(half)["steps"] > 1.8 * measured(GD())["steps"]


def row(cost: list[float | None], seconds: list[float | None]) -> dict[str, Any]:
    parts: dict[tuple[str, int], Any] = {
        ("theory", 0): {},
        ("GD", 0): {"cost": 12.0, "seconds": 6.0, "curve": 1},
    }
    for seed, (c, s) in enumerate(zip(cost, seconds, strict=True)):
        parts["RPT", seed] = {"cost": c, "seconds": s, "curve": {"cost": [seed], "error": [1.0]}}
    return measured_parts(dict(reversed(parts.items())))


def test_the_clock_is_kept_apart_and_seeds_in_order() -> None:
    result = row([4.0, 3.0, 2.0], [1.0, 2.0, 3.0])
    assert [r["cost"] for r in result["runs"]["RPT"]] == [4.0, 3.0, 2.0]
    assert result["wall_clock"] == {"GD": [6.0], "RPT": [1.0, 2.0, 3.0]}
    assert all("seconds" not in r for runs in result["runs"].values() for r in runs)
    del result["runs"]["GD"]
    assert [curve.cost for curve in curves(result)] == [[0], [1], [2]]


def test_speedups() -> None:
    result = row([4.0, 3.0, 2.0], [1.0, 2.0, 3.0])
    assert speedup_of("RPT", "cost")(result) == pytest.approx((13 / 3, np.std([3, 4, 6], ddof=1)))
    assert speedup_of("RPT", "seconds")(result) == pytest.approx(
        (11 / 3, np.std([6, 3, 2], ddof=1))
    )
    assert mean_speedup(result, "RPT") == pytest.approx(13 / 3)
    assert speedup_of("RPT", "cost")(row([4.0], [1.0])) == 3.0
    assert speedup_of("RPT", "cost")(row([4.0, None], [1.0, None])) is None
    assert mean_speedup(row([None], [None]), "RPT") is None
