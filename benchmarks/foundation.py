"""Cost of the foundation as ratios to numpy and scipy on the same matrix in the same run.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/foundation.py

Processor times are medians of a few runs, alternating between the two sides; only the ratios mean
anything. The exit code is 1 if a ratio exceeds its limit, which is about twice what was measured.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from rpttheory import L_P, Blocks, gram, verify
from rpttheory.eigen import EntrywiseMatrix, bracket_lambda_max
from rpttheory.problem.smoothness import Smoothness, as_smoothness

RUNS = 5


def ratio(ours: Callable[[], Any], theirs: Callable[[], Any], runs: int = RUNS) -> float:
    """Median time of `ours` over median time of `theirs`, after one warm-up of each."""
    times: tuple[list[float], list[float]] = ([], [])
    for attempt in range(runs + 1):
        for kept, call in zip(times, (ours, theirs), strict=True):
            start = time.process_time()
            call()
            if attempt:
                kept.append(time.process_time() - start)
    return statistics.median(times[0]) / statistics.median(times[1])


def wishart(d: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    factor = np.random.default_rng(0).standard_normal((d, d))
    product = factor @ factor.T
    return (product + product.T) / 2


def dense_rows() -> list[tuple[str, float, float]]:
    d, count = 1000, 50
    L = wishart(d)
    blocks = Blocks([d // count] * count)
    p = np.random.default_rng(1).uniform(0.1, 1.0, count)
    root = 1 / np.sqrt(blocks.expand(p))
    scaled = L * root[:, None] * root[None, :]
    vector = np.linalg.eigh(L)[1][:, -1]

    def reference() -> Any:
        return np.linalg.eigvalsh(scaled)

    return [
        (
            "L_P with certificate, dense d = 1000, time / eigvalsh",
            ratio(lambda: L_P(L, blocks, p), reference),
            1.0,
        ),
        (
            "T1 certificate of lambda_max, d = 1000, time / eigvalsh",
            ratio(lambda: bracket_lambda_max(EntrywiseMatrix(L), None, vector), reference),
            0.5,
        ),
        (
            "verify, d = 1000, B = 50, time / eigvalsh",
            ratio(lambda: verify(L, blocks), reference),
            4.0,
        ),
    ]


def large_rows() -> list[tuple[str, float, float]]:
    d, rng = 100_000, np.random.default_rng(2)
    path = sp.diags_array([-np.ones(d - 1), 2 + rng.random(d), -np.ones(d - 1)], offsets=[-1, 0, 1])
    data = sp.random_array((20_000, d), density=2e-4, rng=rng, format="csr")
    blocks = Blocks([1000] * 100)
    p = rng.uniform(0.1, 1.0, 100)
    rows = []
    for name, form, limit in (
        ("sparse", as_smoothness(sp.csr_array(path)), 2.5),
        ("Gram", gram(data), 12.0),
    ):
        ours, theirs = products(form, p, blocks)
        rows.append((f"L_P, {name} d = 100,000, products / eigsh ({theirs})", ours / theirs, 1.0))
        measured = ratio(
            lambda form=form: L_P(form, blocks, p),
            lambda form=form: reference(form, p, blocks),
            1,
        )  # type: ignore[misc]
        bracket = L_P(form, blocks, p)
        certificate = f"{bracket.rigor.name}, width {bracket.width / bracket.upper:.1g}"
        rows.append((f"L_P, {name} d = 100,000, time / eigsh ({certificate})", measured, limit))
    return rows


def scaled_operator(form: Smoothness, p: Any, blocks: Blocks, counter: list[int]) -> LinearOperator:
    root = 1 / np.sqrt(blocks.expand(p))

    def apply(x: Any) -> Any:
        counter[0] += 1
        return root * form._apply((root * x.ravel())[:, None])[:, 0]

    return LinearOperator(form.shape, matvec=apply, dtype=np.float64)


def reference(form: Smoothness, p: Any, blocks: Blocks) -> int:
    counter = [0]
    eigsh(
        scaled_operator(form, p, blocks, counter),
        k=1,
        which="LA",
        v0=np.random.default_rng(0).standard_normal(form.dimension),
    )
    return counter[0]


def products(form: Smoothness, p: Any, blocks: Blocks) -> tuple[int, int]:
    before = form.products
    L_P(form, blocks, p)
    return form.products - before, reference(form, p, blocks)


def main() -> int:
    print(f"{'measured':75s} {'ratio':>8s} {'limit':>6s}")
    too_slow = 0
    for rows in (dense_rows, large_rows):
        for name, value, limit in rows():
            print(f"{name:75s} {value:8.2f} {limit:6.1f}", flush=True)
            too_slow += value > limit
    print(f"{too_slow} ratios exceed their limits")
    return 1 if too_slow else 0


if __name__ == "__main__":
    sys.exit(main())
