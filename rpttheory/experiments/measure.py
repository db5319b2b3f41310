"""One run of one method until the error has fallen far enough, as tables and figures need it."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..methods import Method, Record, run
from ..numbers.exact_array import FloatArray
from ..objectives import Objective
from ..problem.blocks import Blocks
from ..runs.parallel import Report

# A record whenever the number of steps has grown by this fraction: stopping times are known to 1 %.
RECORDS = 0.01
MOST_STEPS = 20_000_000
_REPETITIONS = 3
_REPORT_SECONDS = 0.2
# Points of a curve. Records are evenly spaced on a logarithmic axis, and so are these.
_CURVE_POINTS = 200


def measure(
    method: Method,
    objective: Objective,
    blocks: Blocks,
    *,
    x0: FloatArray,
    tol: float,
    seed: list[int],
    report: Report,
    repetitions: int = _REPETITIONS,
) -> dict[str, Any]:
    """Run until f - f* <= tol (f(x0) - f*), costs being block sizes over d.

    Returns
    -------
    dict
        `cost` and `steps` to that point (None if the run ended before), `status`, and `curve`:
        error against cost at a few points. `seconds` is the only entry that differs from run to
        run: the least of `repetitions`, since other processes can only add to it.
    """
    report_record = _reporter(report)
    results = [
        run(
            method,
            objective,
            blocks,
            x0=x0,
            steps=MOST_STEPS,
            tol=tol,
            record=RECORDS,
            rng=np.random.default_rng(seed),
            callback=report_record,
        )
        for _ in range(repetitions)
    ]
    result = results[0]
    reached = result.status == "converged"
    seconds = min(float(repeated.trace.seconds[-1]) for repeated in results)
    error = result.trace.gap / result.trace.gap[0]
    # Both axes are logarithmic.
    visible = np.flatnonzero((result.trace.cost > 0) & (error > 0))
    places = visible[np.unique(np.linspace(0, visible.size - 1, _CURVE_POINTS).astype(int))]
    return {
        "status": result.status,
        "steps": result.steps if reached else None,
        "cost": result.cost if reached else None,
        "seconds": seconds if reached else None,
        "curve": {
            "cost": [float(f"{value:.5g}") for value in result.trace.cost[places]],
            "error": [float(f"{value:.5g}") for value in error[places]],
        },
    }


def _reporter(report: Report) -> Callable[[Record], None]:
    """Return a callback that reports the relative error a few times a second."""
    initial = math.nan
    due = 0.0

    def report_record(record: Record) -> None:
        nonlocal initial, due
        if record.iteration == 0:
            initial = record.gap
        if time.monotonic() >= due:
            report(f"error {record.gap / initial:.1e}")
            due = time.monotonic() + _REPORT_SECONDS

    return report_record
