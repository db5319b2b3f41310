"""Cost of a step of the methods as ratios to the same update written out in numpy, in the same run.

    .venv/bin/python benchmarks/methods.py

Both sides do the same steps on the same outcomes; ours includes drawing, cost accounting and
records, but not the search for a stepsize. Times are medians over alternating repetitions; only the
ratios mean anything.
"""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from rpttheory import L_P, Blocks, NestedSampling, closed_form, diagonal
from rpttheory.methods import CBCD, GD, NUACDM, RPT, Method, run
from rpttheory.objectives import Quadratic

RUNS = 7
# Rows 4, 8 and 12 of table:quad_functions.
BLOCKS = Blocks((10, 500, 25_000))
ROWS = {
    "row 4": (274.8, 55.0, 11.0),
    "row 8": (1066.7, 110.0, 11.0),
    "row 12": (27_363.0, 550.0, 11.0),
}


def ratio(ours: Callable[[int], Any], theirs: Callable[[], Any], steps: int) -> float:
    """Median time of `ours(steps)` without that of `ours(0)` over median time of `theirs`, after a
    warm-up.
    """
    calls: tuple[Callable[[], Any], ...] = (lambda: ours(steps), lambda: ours(0), theirs)
    times: tuple[list[float], ...] = ([], [], [])
    for attempt in range(RUNS + 1):
        for kept, call in zip(times, calls, strict=True):
            start = time.perf_counter()
            call()
            if attempt:
                kept.append(time.perf_counter() - start)
    whole, setup, reference = map(statistics.median, times)
    return (whole - setup) / reference


def problem(constants: tuple[float, ...]) -> tuple[Any, Quadratic, Any, Any]:
    """Eigenvalues spread over each block, down to a tenth of its constant."""
    rng = np.random.default_rng(0)
    h = BLOCKS.expand(constants) * rng.uniform(0.1, 1.0, BLOCKS.dimension)
    costs = np.array(BLOCKS.sizes) / BLOCKS.dimension
    p = closed_form(diagonal(h), BLOCKS, costs).probabilities
    return h, Quadratic(diagonal(h)), p, rng.standard_normal(BLOCKS.dimension)


def rpt_rows(name: str, constants: tuple[float, ...], steps: int) -> list[tuple[str, float, str]]:
    """RPT against the block update on the outcomes that RPT itself draws."""
    h, f, p, x0 = problem(constants)
    gamma = 1 / L_P(f.smoothness, BLOCKS, p).upper
    depths = NestedSampling(p).draw(np.random.default_rng(0), steps).sum(axis=1)
    scale = gamma / BLOCKS.expand(p)
    ends = np.cumsum((0, *BLOCKS.sizes))[depths].tolist()

    def expression() -> None:
        x = x0.copy()
        for n in ends:
            x[:n] -= scale[:n] * (h[:n] * x[:n])

    views = {n: (h[:n], scale[:n]) for n in set(ends)}

    def in_place() -> None:
        x, g = x0.copy(), np.empty_like(x0)
        cut = {n: (h[:n], scale[:n], x[:n], g[:n]) for n in views}
        multiply, subtract = np.multiply, np.subtract
        for n in ends:
            a, s, y, out = cut[n]
            multiply(a, y, out)
            multiply(out, s, out)
            subtract(y, out, y)

    method = RPT(p)

    def ours(count: int) -> None:
        run(method, f, BLOCKS, x0=x0, steps=count)

    share = np.bincount(depths, minlength=4)[1:] / steps
    mix = "/".join(f"{100 * part:.2g}" for part in share)
    return [
        (
            f"RPT {name}, {steps} steps (outcomes {mix}%), time / numpy expression",
            ratio(ours, expression, steps),
            "2",
        ),
        (
            f"RPT {name}, {steps} steps, time / in-place numpy on slices cut once",
            ratio(ours, in_place, steps),
            "2",
        ),
    ]


def gd_rows(steps: int) -> list[tuple[str, float, str]]:
    h, f, _, x0 = problem(ROWS["row 12"])
    gamma = 1 / h.max()

    def expression() -> None:
        x = x0.copy()
        for _ in range(steps):
            x -= gamma * (h * x)

    rng = np.random.default_rng(1)
    A = rng.standard_normal((1000, 1000))
    H = A @ A.T / 1000
    H = (H + H.T) / 2
    dense, y0 = Quadratic(H), rng.standard_normal(1000)
    step = 1 / 4.1

    def dense_expression() -> None:
        y = y0.copy()
        for _ in range(steps // 4):
            y -= step * (H @ y)

    def ours(count: int) -> None:
        run(GD(), f, BLOCKS, x0=x0, steps=count)

    def dense_ours(count: int) -> None:
        run(GD(step), dense, Blocks((1000,)), x0=y0, steps=count)

    few = steps // 4
    return [
        (
            f"GD, diagonal d = 25,510, {steps} steps, time / numpy expression",
            ratio(ours, expression, steps),
            "1.3",
        ),
        (
            f"GD, dense d = 1000, {few} steps, time / numpy expression",
            ratio(dense_ours, dense_expression, few),
            "1.3",
        ),
    ]


def wall_clock_rows() -> list[tuple[str, float, str]]:
    """What the cost model promises, on the clock: time of GD over time of others to a relative
    accuracy of 1e-6.
    """
    _, f, p, x0 = problem(ROWS["row 12"])

    def reach(method: Method) -> Any:
        return run(method, f, BLOCKS, x0=x0, steps=10_000_000, tol=1e-6, record=0.01)

    reference = reach(GD())
    rows = []
    for method in (RPT(p), CBCD(), NUACDM()):
        result = reach(method)
        seconds = reference.trace.seconds[-1] / result.trace.seconds[-1]
        rows.append(
            (
                f"{method.name} over GD to 1e-6, row 12: speed-up by cost",
                reference.cost / result.cost,
                "",
            )
        )
        rows.append((f"{method.name} over GD to 1e-6, row 12: speed-up by clock", seconds, ""))
    return rows


def memory_rows() -> list[tuple[str, float, str]]:
    """Bytes allocated at the peak of 20,000 steps, over the bytes of one vector; records are left
    out.
    """
    _, f, p, x0 = problem(ROWS["row 12"])
    peaks = []
    for steps in (0, 20_000):
        tracemalloc.start()
        run(RPT(p), f, BLOCKS, x0=x0, steps=steps, record=1_000_000)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    what = "RPT row 12, peak memory of 20,000 steps above that of none, in vectors"
    return [(what, (peaks[1] - peaks[0]) / x0.nbytes, "")]


def main() -> None:
    print(f"{'what':90s} {'ratio':>8s} {'aim':>6s}")
    rows = [row for name, constants in ROWS.items() for row in rpt_rows(name, constants, 20_000)]
    for what, value, aim in [*rows, *gd_rows(4000), *wall_clock_rows(), *memory_rows()]:
        print(f"{what:90s} {value:8.2f} {aim:>6s}")


if __name__ == "__main__":
    main()
