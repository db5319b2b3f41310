"""One run of one method until the error has fallen far enough, reduced to what tables and figures
need.
"""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from ..methods import GD, RPT, Method, Record, run
from ..numbers.exact_array import FloatArray
from ..objectives import Objective
from ..problem.blocks import Blocks
from ..problem.quantities import L_P, lmax
from ..problem.smoothness import SmoothnessLike
from ..report.table import Cell, Result, mean_and_deviation
from ..runs.parallel import Report
from .figure import Curve

Measured: TypeAlias = dict[str, Any]

# A record whenever the number of steps has grown by this fraction: stopping times are known to 1 %.
RECORDS = 0.01
# Points of a curve lie at least this part of its height or width (both logarithmic) apart.
_CURVE_STEP = 1 / 40
MOST_STEPS = 20_000_000
REPETITIONS = 3
_REPORT_SECONDS = 0.2


def measure(
    method: Method,
    objective: Objective,
    blocks: Blocks,
    *,
    x0: FloatArray,
    target: float,
    seed: list[int],
    report: Report,
) -> Measured:
    """Run until f - f* <= target (f(x0) - f*), costs being block sizes over d.

    Returns
    -------
    dict
        `cost` and `steps` to the target (None if the run ended before), `status`, and `curve`:
        error against cost at a few points. `seconds` is the only entry that differs from run to
        run: the least of three repetitions, since whatever else the machine does can only add to
        it.
    """
    outcome, *again = (
        run(
            method,
            objective,
            blocks,
            x0=x0,
            steps=MOST_STEPS,
            target=target,
            record=RECORDS,
            rng=np.random.default_rng(seed),
            callback=_Reporter(report),
        )
        for _ in range(REPETITIONS)
    )
    seconds = min(float(repeated.trace.seconds[-1]) for repeated in (outcome, *again))
    trace = outcome.trace
    reached = outcome.status == "converged"
    error = trace.gap / trace.gap[0]
    kept = _corners(trace.cost, error)
    return {
        "status": outcome.status,
        "steps": outcome.steps if reached else None,
        "cost": outcome.cost if reached else None,
        "seconds": seconds if reached else None,
        "curve": {
            "cost": [float(f"{value:.5g}") for value in trace.cost[kept]],
            "error": [float(f"{value:.5g}") for value in error[kept]],
        },
    }


class _Reporter:
    """Passes the relative error on a few times a second: reports are for people."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._initial: float | None = None
        self._due = 0.0

    def __call__(self, record: Record) -> None:
        if self._initial is None:
            self._initial = record.gap
        if time.monotonic() >= self._due and self._initial > 0:
            self._report(f"error {record.gap / self._initial:.1e}")
            self._due = time.monotonic() + _REPORT_SECONDS


def _corners(cost: FloatArray, error: FloatArray) -> list[int]:
    """The few records that a picture on logarithmic scales needs; where the error jumps, both ends
    of the jump.
    """
    visible = np.flatnonzero((cost > 0) & (error > 0))
    if visible.size == 0:
        return []
    x = np.log(cost[visible])
    y = np.log(error[visible])
    x = x / (np.ptp(x) or 1.0)
    y = y / (np.ptp(y) or 1.0)
    kept = [0]
    for index in range(1, visible.size):
        if abs(y[index] - y[kept[-1]]) >= _CURVE_STEP and kept[-1] < index - 1:
            kept.append(index - 1)
        if max(abs(y[index] - y[kept[-1]]), (x[index] - x[kept[-1]]) / 2) >= _CURVE_STEP:
            kept.append(index)
    if kept[-1] != visible.size - 1:
        kept.append(visible.size - 1)
    return [int(visible[index]) for index in kept]


def scaled_stepsize(method: Method, L: SmoothnessLike, blocks: Blocks, factor: float) -> Method:
    """Gradient descent or RPT with `factor` times the stepsize that theory allows; others as they
    are.
    """
    if factor == 1:
        return method
    if isinstance(method, GD):
        return replace(method, stepsize=factor / lmax(L).upper)
    if isinstance(method, RPT) and method.probabilities is not None:
        return replace(
            method,
            stepsize=factor / L_P(L, blocks, method.probabilities).upper,
        )
    return method


def measured_parts(parts: Mapping[tuple[str, int], Any]) -> dict[str, Any]:
    """All runs of a row by method and seed, and apart from them the clock: the one thing that does
    not repeat.
    """
    runs: dict[str, list[Measured]] = {}
    clock: dict[str, list[float | None]] = {}
    for method, seed in sorted(parts):
        if method != "theory":
            measured = dict(parts[method, seed])
            clock.setdefault(method, []).append(measured.pop("seconds"))
            runs.setdefault(method, []).append(measured)
    return {"runs": runs, "wall_clock": clock}


def speedup_of(method: str, quantity: Literal["cost", "seconds"]) -> Callable[[Result], Cell]:
    """From a finished row to the mean and standard deviation over seeds of GD's cost (or time) over
    a method's.

    Of a single run, the quotient itself; None if a run did not reach its target.
    """

    def speedup(result: Result) -> Cell:
        ratios = _ratios(result, method, quantity)
        return mean_and_deviation(ratios) if ratios else None

    return speedup


def mean_speedup(result: Result, method: str) -> float | None:
    """The mean over seeds of GD's cost over a method's; None if a run did not reach its target."""
    ratios = _ratios(result, method, "cost")
    return statistics.fmean(ratios) if ratios else None


def _ratios(result: Result, method: str, quantity: str) -> list[float]:
    """GD over the method, seed by seed; empty if one of them did not reach its target."""
    if quantity == "cost":
        (reference,), values = (
            [run["cost"] for run in result["runs"][name]] for name in ("GD", method)
        )
    else:
        (reference,), values = (result["wall_clock"][name] for name in ("GD", method))
    return [] if reference is None or None in values else [reference / value for value in values]


def curves(result: Result) -> list[Curve]:
    """Every run of a finished row, for its panel."""
    return [
        Curve(label, run["curve"]["cost"], run["curve"]["error"])
        for label, runs in result["runs"].items()
        for run in runs
    ]
