"""Programs of the search, and optima by other means."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from rpttheory import Blocks, Problem
from rpttheory.matrices import families
from rpttheory.search import SearchResult
from rpttheory.search.block_sdp import BlockSDP
from rpttheory.testing.strategies import partitions, psd_matrices

FloatArray = NDArray[np.float64]


def sdp(L: Any, blocks: Sequence[int] | Blocks, costs: Any = None, **extras: Any) -> BlockSDP:
    """The program of a problem, whatever its matrix is like."""
    return BlockSDP(Problem(L, blocks, costs, **extras))


EXTRAS = ((), ("overhead",), ("order",), ("overhead", "order"))


@st.composite
def extras_of(draw: st.DrawFn, count: int) -> dict[str, Any]:
    """An overhead, a forced order, both or neither."""
    extras: dict[str, Any] = {}
    names = draw(st.sampled_from(EXTRAS))
    if "overhead" in names:
        extras["overhead"] = draw(st.integers(1, 99)) * 10.0 ** draw(st.integers(-3, 1))
    if "order" in names:
        extras["order"] = draw(st.permutations(range(count)))
    return extras


@st.composite
def programs(
    draw: st.DrawFn, *, kind: str | None = None, largest: int = 6, decades: int = 6
) -> BlockSDP:
    """Exact semidefinite matrices of every kind, costs over many magnitudes, and extras."""
    blocks = draw(partitions(largest=largest))
    power = st.integers(-decades, decades)
    cost = st.builds(lambda digit, power: digit * 10.0**power, st.integers(1, 9), power)
    costs = draw(st.lists(cost, min_size=blocks.count, max_size=blocks.count))
    L = draw(psd_matrices(blocks, kind=kind))
    return sdp(L, blocks, costs, **draw(extras_of(blocks.count)))


def wishart(d: int, seed: int = 0) -> FloatArray:
    return families.wishart(np.random.default_rng(seed), d, d)


def instance(kind: str, sizes: tuple[int, ...], seed: int = 0, **extras: Any) -> BlockSDP:
    """A random program of a family of matrices."""
    rng = np.random.default_rng([seed, len(sizes)])
    costs = rng.uniform(0.1, 1, len(sizes))
    L = families.FAMILIES[kind](rng, sum(sizes))
    return sdp(L, sizes, costs / costs.sum(), **extras)


def overlap(first: SearchResult, second: SearchResult) -> None:
    """Two brackets of one optimum."""
    assert first.lower <= second.upper and second.lower <= first.upper


def c_M_at(program: BlockSDP, p: FloatArray) -> float:
    """c_M from its definition, for probabilities whose largest is 1."""
    wide = np.repeat(p, program.blocks.sizes)
    moment = program.entries("c_M") / np.maximum(wide[:, None], wide[None, :])
    return float(np.linalg.eigvalsh(moment)[-1] * (program.overhead + program.costs @ p))


def least_along(program: BlockSDP, order: tuple[int, ...]) -> float:
    """The least c_M along an order, by simplex searches over the steps of log p."""

    def cost(steps: FloatArray) -> float:
        p = np.empty(len(order))
        p[list(order)] = np.exp(-np.cumsum(np.append(0.0, np.abs(steps))))
        return c_M_at(program, p)

    best = np.full(len(order) - 1, 0.5)
    for start in (best, 4 * best):
        x = start
        for _ in range(2):
            options = {"xatol": 1e-7, "fatol": 1e-9, "maxiter": 250}
            x = minimize(cost, x, method="Nelder-Mead", options=options).x
        best = min(best, x, key=cost)
    return cost(best)


def every_order(program: BlockSDP) -> dict[tuple[int, ...], float]:
    """The least c_M along every order."""
    orders = itertools.permutations(range(program.blocks.count))
    return {order: least_along(program, order) for order in orders}


def exactly(values: FloatArray) -> list[list[Fraction]]:
    """The entries of a matrix as fractions."""
    return [[Fraction(x) for x in row] for row in values.tolist()]


def sum_of_roots_squared(products: list[Fraction]) -> tuple[Fraction, Fraction]:
    """Fractions just below and just above (sum_k sqrt(product_k))^2, to about 200 bits."""
    low = Fraction(0)
    for value in products:
        low += Fraction(math.isqrt((value.numerator << 400) // value.denominator), 1 << 200)
    high = low + len(products) * Fraction(1, 2**199)
    return low * low, high * high


def pools_along(costs: list[Fraction], sizes: list[Fraction]) -> list[Fraction]:
    """cost * size of each pool when sizes / costs must fall along the list (pool adjacent
    violators).
    """
    pools: list[tuple[Fraction, Fraction]] = []
    for cost, size in zip(costs, sizes, strict=True):
        pools.append((cost, size))
        while len(pools) > 1 and pools[-1][1] * pools[-2][0] >= pools[-2][1] * pools[-1][0]:
            last = pools.pop()
            pools[-1] = (pools[-1][0] + last[0], pools[-1][1] + last[1])
    return [cost * size for cost, size in pools]
