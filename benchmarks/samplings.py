"""The samplings of `compare` on random problems: every certified cost against the bound below all.

`python benchmarks/samplings.py [COUNT]` prints the worst ratios, and fails if a certified cost lies
below the bound or independent blocks cost more than twice as much as the bound.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable

import numpy as np
import scipy.linalg

from rpttheory import Rigor, compare
from rpttheory.numbers.exact_array import FloatArray


def wishart(d: int, rng: np.random.Generator) -> FloatArray:
    A = rng.normal(size=(d, int(rng.integers(1, 2 * d + 1))))
    return np.asarray(A @ A.T / d)


def scaled(d: int, rng: np.random.Generator) -> FloatArray:
    scale = 10 ** rng.uniform(-2, 2, d)
    return wishart(d, rng) * np.outer(scale, scale)


def laplacian(d: int, rng: np.random.Generator) -> FloatArray:
    half = np.triu(rng.random((d, d)) < 0.4, 1) * rng.integers(1, 6, (d, d))
    weights = half + half.T
    return np.asarray(np.diag(weights.sum(axis=1)) - weights, dtype=float)


def kernel(d: int, rng: np.random.Generator) -> FloatArray:
    x = rng.random((d, 2))
    return np.asarray(np.exp(-((x[:, None] - x) ** 2).sum(axis=-1) / rng.uniform(0.01, 1)))


def ones(d: int, rng: np.random.Generator) -> FloatArray:
    return np.ones((d, d))


def diagonal(d: int, rng: np.random.Generator) -> FloatArray:
    return np.diag(10 ** rng.uniform(-3, 3, d) * (rng.random(d) < 0.8))


def toeplitz(d: int, rng: np.random.Generator) -> FloatArray:
    return np.asarray(scipy.linalg.toeplitz(rng.uniform(0.1, 0.9) ** np.arange(d)))


FAMILIES: tuple[Callable[[int, np.random.Generator], FloatArray], ...] = (
    wishart,
    scaled,
    laplacian,
    kernel,
    ones,
    diagonal,
    toeplitz,
)


def main(count: int) -> None:
    rng = np.random.default_rng(2028)
    worst: dict[str, float] = defaultdict(float)
    best: Counter[str] = Counter()
    for number in range(count):
        sizes = rng.integers(1, 5, rng.integers(1, 9)).tolist()
        L = FAMILIES[number % len(FAMILIES)](sum(sizes), rng)
        costs = None if rng.random() < 0.3 else 10 ** rng.uniform(-2, 2, len(sizes))
        overhead = float(rng.choice([0, 0, 1e-3, 0.1, 1, 30]))
        budget = int(rng.integers(1, len(sizes) + 1)) if rng.random() < 0.4 else None
        backprop = bool(rng.random() < 0.3)
        samplings = compare(
            L, sizes, costs, overhead=overhead, budget=budget, backprop=backprop, tol=1e-4
        ).samplings
        bound = samplings["any"].cost
        for row in samplings.rows:
            assert row.cost.rigor is not Rigor.NUMERICAL and row.cost.upper >= bound.lower
            if row.sampling is not None and not row.obstacle:
                assert row.cost.upper >= samplings.bound.cost.lower
            if bound.lower > 0 and row.sampling is not None and not backprop:
                key = f"{row.key} / no sampling is below"
                worst[key] = max(worst[key], row.cost.lower / bound.upper)
        if bound.lower > 0:
            model = ", backprop" * backprop + ", budget" * (budget is not None)
            key = f"recommended / bound{model}"
            worst[key] = max(worst[key], samplings.factor.upper)
        best[samplings.best.key] += 1
    assert worst["independent / no sampling is below"] <= 2
    print(f"{count} problems; recommended: {dict(best)}")
    for key, ratio in sorted(worst.items()):
        print(f"{key:40s} {ratio:.6f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
