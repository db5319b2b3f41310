"""Laws of sets of blocks, with probabilities and costs over 12 orders of magnitude.

Every law is given twice: as a library sampling, and as a list of outcomes written down here from its definition.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from rpttheory import ExplicitSampling, IndependentSampling, NestedSampling, SingleBlockSampling

from .exact import Outcomes, vector_of
from .strategies import SPAN, FloatArray


def dyadic(least: int = -SPAN, most: int = 0) -> SearchStrategy[float]:
    """Powers of two."""
    return st.integers(least, most).map(lambda power: float(np.ldexp(1.0, power)))


def wide(least: int = -SPAN, most: int = 0) -> SearchStrategy[float]:
    """Any mantissa times a power of two: log-uniform, at most 2^most."""
    mantissa = st.floats(0.5, 1.0)
    return st.tuples(mantissa, st.integers(least, most)).map(lambda pair: float(np.ldexp(*pair)))


@st.composite
def probabilities(draw: DrawFn, count: int) -> FloatArray:
    """Marginals: all 1, all equal, few distinct, dyadic, or 12 orders of magnitude apart; the largest 1 or not."""
    few = draw(st.lists(dyadic(-3), min_size=1, max_size=2))
    value = draw(st.sampled_from([st.just(1.0), st.just(few[0]), st.sampled_from(few), dyadic(), wide()]))
    p = np.array(draw(st.lists(value, min_size=count, max_size=count)))
    if draw(st.booleans()):
        p[draw(st.integers(0, count - 1))] = 1.0
    return p


@st.composite
def costs(draw: DrawFn, count: int) -> FloatArray:
    """Positive, 12 orders of magnitude apart; sometimes dyadic."""
    value = draw(st.sampled_from([st.just(1.0), dyadic(-SPAN // 2, SPAN // 2), wide(-SPAN // 2, SPAN // 2)]))
    return np.array(draw(st.lists(value, min_size=count, max_size=count)))


@dataclass(frozen=True, eq=False)
class Law:
    """A sampling of the library, its exact marginals, and its outcomes as its definition gives them."""

    sampling: Any
    p: tuple[Fraction, ...]
    outcomes: Outcomes

    def __repr__(self) -> str:
        return f"Law({self.sampling!r}, {[(str(q), list(active)) for q, active in self.outcomes]})"


def nested_law(p: FloatArray) -> Law:
    """`def:PTsketch`: the i largest with probability p_i - p_{i+1}, nothing with probability 1 - p_1."""
    exact = tuple(vector_of(p))
    order = sorted(range(p.size), key=lambda k: (-exact[k], k))
    ranked = [Fraction(1), *(exact[k] for k in order), Fraction(0)]
    outcomes = [(ranked[i] - ranked[i + 1], tuple(k in order[:i] for k in range(p.size))) for i in range(p.size + 1)]
    return Law(NestedSampling(p), exact, outcomes)


def independent_law(p: FloatArray) -> Law:
    exact = tuple(vector_of(p))
    outcomes = []
    for active in itertools.product((False, True), repeat=p.size):
        probability = Fraction(1)
        for included, chance in zip(active, exact, strict=True):
            probability *= chance if included else 1 - chance
        outcomes.append((probability, active))
    return Law(IndependentSampling(p), exact, outcomes)


def explicit_law(sets: list[tuple[bool, ...]], weights: list[Fraction]) -> Law:
    """Sets with weights that are floats; the outcomes divide by their sum."""
    total = sum(weights, Fraction(0))
    outcomes = [(weight / total, active) for weight, active in zip(weights, sets, strict=True)]
    exact = tuple(
        sum((probability for probability, active in outcomes if active[k]), Fraction(0)) for k in range(len(sets[0]))
    )
    return Law(ExplicitSampling(sets, [float(weight) for weight in weights]), exact, outcomes)


@st.composite
def shares(draw: DrawFn, count: int) -> list[Fraction]:
    """Positive dyadic numbers that add up to exactly 1, over up to 12 orders of magnitude."""
    parts = [Fraction(1)]
    room = SPAN
    while len(parts) < count:
        power = draw(st.integers(1, max(1, room // (count - len(parts)))))
        room -= power
        at = draw(st.integers(0, len(parts) - 1))
        parts.append(parts[at] / 2**power)
        parts[at] -= parts[-1]
    return parts


@st.composite
def single_laws(draw: DrawFn, count: int) -> Law:
    """One block per step; floats whose sum misses 1 by rounding leave the rest to the empty set."""
    if draw(st.booleans()):
        sampling = SingleBlockSampling([float(q) for q in draw(shares(count))])
    else:
        weights = np.array(draw(st.lists(wide(-SPAN // 2), min_size=count, max_size=count)))
        sampling = SingleBlockSampling(weights / weights.sum())
    exact = tuple(vector_of(sampling.probabilities))
    outcomes = [(q, tuple(m == k for m in range(count))) for k, q in enumerate(exact)]
    return Law(sampling, exact, [*outcomes, (1 - sum(exact, Fraction(0)), (False,) * count)])


@st.composite
def dyadic_explicit_laws(draw: DrawFn, count: int) -> Law:
    """Random sets whose weights add up to exactly 1, so that the marginals are floats; one set has every block."""
    sets = draw(st.lists(st.tuples(*[st.booleans()] * count), min_size=0, max_size=4))
    return explicit_law([*sets, (True,) * count], draw(shares(len(sets) + 1)))


@st.composite
def any_explicit_laws(draw: DrawFn, count: int) -> Law:
    """Random sets with small integer weights: the marginals are fractions that no float holds."""
    sets = draw(st.lists(st.tuples(*[st.booleans()] * count), min_size=1, max_size=4))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(sets) + 1, max_size=len(sets) + 1))
    return explicit_law([*sets, (True,) * count], [Fraction(weight) for weight in weights])


def laws(count: int) -> SearchStrategy[Law]:
    """Nested, independent, single-block and explicit laws whose marginals are floats."""
    return st.one_of(
        probabilities(count).map(nested_law),
        probabilities(count).map(independent_law),
        single_laws(count),
        dyadic_explicit_laws(count),
    )


def nested_laws(count: int) -> SearchStrategy[Law]:
    return probabilities(count).map(nested_law)
