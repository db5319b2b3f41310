"""Quadratics and samplings in exact arithmetic: integer matrices, dyadic probabilities, rational
stepsizes.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rpttheory import (
    Blocks,
    ExplicitSampling,
    IndependentSampling,
    NestedSampling,
    SingleBlockSampling,
)
from rpttheory.methods import Moments, exact_moments
from rpttheory.problem import quantities

STEPS = 5


def dyadic(least: int = -4) -> st.SearchStrategy[float]:
    return st.integers(least, 0).map(lambda power: 2.0**power)


@st.composite
def samplings(draw: DrawFn, count: int) -> Any:
    """Nested, independent, single-block or explicit, with marginals that are floats."""
    kind = draw(st.sampled_from(["nested", "independent", "single", "explicit"]))
    if kind == "single":
        halves = [2.0 ** -min(k + 1, count - 1) for k in range(count)]
        return SingleBlockSampling(draw(st.permutations(halves)))
    if kind == "explicit":
        sets = draw(st.lists(st.tuples(*[st.booleans()] * count), min_size=1, max_size=1))
        return ExplicitSampling([*sets, (True,) * count], [3, 1])
    p = draw(st.lists(dyadic(), min_size=count, max_size=count))
    return NestedSampling(p) if kind == "nested" else IndependentSampling(p)


@dataclass(frozen=True, eq=False)
class ExactQuadratic:
    """f(x) = x'Hx / 2 with H = A'A + mu I in integers; `shrink` says how far the stepsize is below
    the largest.
    """

    H: Any
    mu: int
    blocks: Blocks
    sampling: Any
    x0: Any
    shrink: float

    @cached_property
    def L_P(self) -> float:
        return quantities.L_P(
            self.H, self.blocks, self.sampling.probabilities, effort="exact"
        ).upper

    @cached_property
    def L_M(self) -> float:
        return quantities.L_M(self.H, self.blocks, sampling=self.sampling, effort="exact").upper

    def stepsize(self, smoothness: float) -> tuple[Fraction, float | None]:
        """The stepsize exactly, and what a rate is told: nothing for the largest."""
        if self.shrink == 1.0:
            return 1 / Fraction(smoothness), None
        stepsize = self.shrink / smoothness
        return Fraction(stepsize), stepsize

    def moments(self, stepsize: Fraction, steps: int = STEPS) -> list[Moments]:
        return list(exact_moments(self.H, self.sampling, self.blocks, stepsize, self.x0, steps))

    @property
    def squared_distance(self) -> float:
        return float((self.x0**2).sum())

    @property
    def gap(self) -> float:
        return float(self.x0 @ self.H @ self.x0) / 2


@st.composite
def quadratics(draw: DrawFn) -> ExactQuadratic:
    sizes = draw(st.sampled_from([(1,), (1, 1), (2, 1), (1, 2), (1, 1, 1), (2, 1, 1), (3,)]))
    blocks = Blocks(sizes)
    d = blocks.dimension
    rows = draw(st.integers(1, d))
    kind = draw(st.sampled_from(["any", "any", "diagonal", "scalar"]))
    A = np.array(
        draw(st.lists(st.integers(-3, 3), min_size=rows * d, max_size=rows * d)), dtype=float
    ).reshape(rows, d)
    gram = {"any": A.T @ A, "diagonal": np.diag((A**2).sum(axis=0)), "scalar": np.zeros((d, d))}[
        kind
    ]
    mu = draw(st.integers(0, 3))
    x0 = np.array(draw(st.lists(st.integers(-3, 3), min_size=d, max_size=d)), dtype=float)
    if not gram.any() and mu == 0:
        gram[0, 0] = 1.0
    return ExactQuadratic(
        gram + mu * np.eye(d),
        mu,
        blocks,
        draw(samplings(len(sizes))),
        x0,
        draw(st.sampled_from([1.0, 1.0, 0.5, 0.1])),
    )


def trace(matrix: Any) -> Fraction:
    return sum((matrix[i, i] for i in range(matrix.shape[0])), Fraction(0))


def weighted(H: Any, moment: Any) -> Fraction:
    """tr(H S) for a symmetric H of floats."""
    exact = [[Fraction(value) for value in row] for row in H.tolist()]
    return sum(
        (exact[i][j] * moment[j, i] for i in range(len(exact)) for j in range(len(exact))),
        Fraction(0),
    )
