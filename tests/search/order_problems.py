"""Instances of the search over orders, and the least cost along every order by simplex searches."""

import itertools

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from rpttheory.problem.blocks import Blocks
from rpttheory.problem.smoothness import as_smoothness
from rpttheory.search import SearchResult
from rpttheory.search.orders import optimal_order
from rpttheory.search.program import Program

FloatArray = NDArray[np.float64]
TOL = 1e-6


def gram_matrix(d: int) -> FloatArray:
    """A'A for small integers, so exactly."""
    A = np.random.default_rng(0).integers(-4, 5, (d + 2, d)).astype(float)
    return A.T @ A


def make_program(
    L: FloatArray, sizes: tuple[int, ...], costs: FloatArray, **extra: object
) -> Program:
    return Program(as_smoothness(L), Blocks(sizes), np.asarray(costs, dtype=float), **extra)  # type: ignore[arg-type]


def solve(problem: Program, tol: float = TOL, **extra: object) -> SearchResult:
    return optimal_order(problem, tol=tol, **extra)  # type: ignore[arg-type]


def cost_at(problem: Program, p: FloatArray) -> float:
    """c_M from its definition, for probabilities whose largest is 1."""
    explicit = problem.smoothness.explicit()
    assert explicit is not None
    wide = np.repeat(p, problem.blocks.sizes)
    moment = np.asarray(explicit.matrix) / np.maximum(wide[:, None], wide[None, :])
    return float(np.linalg.eigvalsh(moment)[-1] * (problem.overhead + problem.costs @ p))


def every_order(problem: Program) -> dict[tuple[int, ...], float]:
    """The least cost along every order, by simplex searches over the steps of log p."""
    found = {}
    for order in itertools.permutations(range(problem.blocks.count)):

        def cost(steps: FloatArray, order: tuple[int, ...] = order) -> float:
            p = np.empty(len(order))
            p[list(order)] = np.exp(-np.cumsum(np.append(0.0, np.abs(steps))))
            return cost_at(problem, p)

        best = np.full(len(order) - 1, 0.5)
        for start in (best, 4 * best):
            x = start
            for _ in range(2):
                x = minimize(
                    cost,
                    x,
                    method="Nelder-Mead",
                    options={"xatol": 1e-7, "fatol": 1e-9, "maxiter": 250},
                ).x
            best = min(best, x, key=cost)
        found[order] = cost(best)
    return found


def instance(kind: str, sizes: tuple[int, ...], seed: int = 0) -> Program:
    rng = np.random.default_rng([seed, len(sizes)])
    d = sum(sizes)
    A = rng.integers(-9, 10, (d, d)).astype(float)
    if kind == "low rank":
        A = A[:2]
    elif kind == "rank one":
        A = A[:1]
    elif kind == "graded":
        A = A * np.repeat(2.0 ** np.arange(len(sizes)), sizes)
    elif kind == "correlated":
        A = A + 12 * rng.integers(-9, 10, (d, 1))
    costs = rng.uniform(0.1, 1, len(sizes))
    return make_program(A.T @ A, sizes, costs / costs.sum())
