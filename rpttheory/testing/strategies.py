"""Strategies of hypothesis for problems on which bounds are met and arithmetic goes wrong, built
rather than filtered.

Nearly all matrices are Gram matrices of small integers times powers of two, hence exactly
symmetric, exactly positive semidefinite and without rounding in float64; "dominant" has full
mantissas instead.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ..errors import InvalidInput
from ..matrices import families
from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks
from ..problem.problem import Problem
from ..problem.sampling import (
    ExplicitSampling,
    IndependentSampling,
    NestedSampling,
    OneOfEachGroup,
    Sampling,
    SingleBlockSampling,
    TauNice,
)

# 12 orders of magnitude.
SPAN = 40
LARGEST_DIMENSION = 6


@st.composite
def partitions(draw: DrawFn, *, least: int = 1, largest: int = LARGEST_DIMENSION) -> Blocks:
    """Return a strategy of one block, one block per coordinate, or anything between.

    Parameters
    ----------
    least, largest : int
        The least number of blocks, and the largest number of coordinates.

    Returns
    -------
    strategy of Blocks

    Examples
    --------
    >>> partitions(largest=4).example().sizes  # doctest: +SKIP
    (1, 2)
    """
    d = draw(st.integers(least, largest))
    any_cuts = st.lists(st.booleans(), min_size=d - 1, max_size=d - 1)
    cuts = list(draw(st.one_of(st.just([True] * (d - 1)), any_cuts)))
    for position in range(min(least - 1, d - 1)):
        cuts[position] = True
    sizes = [1]
    for cut in cuts:
        if cut:
            sizes.append(1)
        else:
            sizes[-1] += 1
    return Blocks(sizes)


class _DrawnSource:
    """Small integers, drawn by hypothesis."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def entries(self, rows: int, columns: int) -> FloatArray:
        count = rows * columns
        numbers = self._draw(st.lists(st.integers(-4, 4), min_size=count, max_size=count))
        return np.array(numbers, dtype=np.float64).reshape(rows, columns)

    def integer(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def unit(self, count: int) -> FloatArray:
        return np.array(self._draw(st.lists(st.floats(-1, 1), min_size=count, max_size=count)))


@st.composite
def vectors(draw: DrawFn, length: int) -> FloatArray:
    """Draw integers that are not all zero."""
    return families.vector(_DrawnSource(draw), length)


@st.composite
def _matrices(draw: DrawFn, kind: str, blocks: Blocks) -> FloatArray:
    return families.EXACT[kind](_DrawnSource(draw), blocks)


MATRICES: dict[str, Callable[[Blocks], SearchStrategy[FloatArray]]] = {
    kind: partial(_matrices, kind) for kind in families.EXACT
}


def psd_matrices(blocks: Blocks, *, kind: str | None = None) -> SearchStrategy[FloatArray]:
    """Return a strategy of positive semidefinite matrices.

    Parameters
    ----------
    blocks : Blocks
    kind : str, optional
        A name in `MATRICES`; every kind by default.

    Returns
    -------
    strategy of ndarray

    Examples
    --------
    >>> psd_matrices(Blocks([1, 2]), kind="rank one").example().shape  # doctest: +SKIP
    (3, 3)
    """
    return (
        _of_kind(MATRICES, kind)(blocks)
        if kind
        else st.one_of([make(blocks) for make in MATRICES.values()])
    )


def dyadic(least: int = -SPAN, most: int = 0) -> SearchStrategy[float]:
    """Return a strategy of powers of two."""
    return st.integers(least, most).map(lambda power: float(np.ldexp(1.0, power)))


def wide(least: int = -SPAN, most: int = 0) -> SearchStrategy[float]:
    """Return a strategy of any mantissa times a power of two: log-uniform, at most 2^most."""
    mantissa = st.floats(0.5, 1.0)
    return st.tuples(mantissa, st.integers(least, most)).map(lambda pair: float(np.ldexp(*pair)))


@st.composite
def probabilities(draw: DrawFn, count: int) -> FloatArray:
    """Return a strategy of marginals: all 1, all equal, few distinct, dyadic, or 12 orders of
    magnitude apart; the largest is 1 or not.

    Parameters
    ----------
    count : int
        Number of blocks.

    Returns
    -------
    strategy of ndarray

    Examples
    --------
    >>> probabilities(2).example()  # doctest: +SKIP
    array([1.  , 0.25])
    """
    few = draw(st.lists(dyadic(-3), min_size=1, max_size=2))
    value = draw(
        st.sampled_from([st.just(1.0), st.just(few[0]), st.sampled_from(few), dyadic(), wide()])
    )
    p = np.array(draw(st.lists(value, min_size=count, max_size=count)))
    if draw(st.booleans()):
        p[draw(st.integers(0, count - 1))] = 1.0
    return p


@st.composite
def costs(draw: DrawFn, count: int, *, total: bool = True) -> FloatArray:
    """Return a strategy of positive costs over 12 orders of magnitude.

    Parameters
    ----------
    count : int
        Number of blocks.
    total : bool
        True if the costs should add up to exactly 1.

    Returns
    -------
    strategy of ndarray

    Examples
    --------
    >>> costs(3).example().sum()  # doctest: +SKIP
    1.0
    """
    if total:
        return np.array([float(share) for share in draw(shares(count))])
    value = draw(
        st.sampled_from([st.just(1.0), dyadic(-SPAN // 2, SPAN // 2), wide(-SPAN // 2, SPAN // 2)])
    )
    return np.array(draw(st.lists(value, min_size=count, max_size=count)))


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
def _single(draw: DrawFn, count: int) -> Sampling:
    """One block per step; floats whose sum misses 1 by rounding leave the rest to the empty set."""
    if draw(st.booleans()):
        return SingleBlockSampling([float(q) for q in draw(shares(count))])
    weights = np.array(draw(st.lists(wide(-SPAN // 2), min_size=count, max_size=count)))
    return SingleBlockSampling(weights / weights.sum())


@st.composite
def _explicit(draw: DrawFn, count: int) -> Sampling:
    """Random sets whose weights add up to exactly 1, so that the marginals are floats; one set has
    every block.
    """
    sets = draw(st.lists(st.tuples(*[st.booleans()] * count), min_size=0, max_size=4))
    return ExplicitSampling(
        [*sets, (True,) * count], [float(share) for share in draw(shares(len(sets) + 1))]
    )


@st.composite
def _fractions(draw: DrawFn, count: int) -> Sampling:
    """Random sets with small integer weights: the marginals are fractions that no float holds."""
    sets = draw(st.lists(st.tuples(*[st.booleans()] * count), min_size=1, max_size=4))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(sets) + 1, max_size=len(sets) + 1))
    return ExplicitSampling([*sets, (True,) * count], weights)


def _tau_nice(count: int) -> SearchStrategy[Sampling]:
    return st.integers(1, count).map(lambda tau: TauNice(tau, count))


@st.composite
def _groups(draw: DrawFn, count: int) -> Sampling:
    """Any partition into groups, with dyadic probabilities that add up to 1 in each."""
    labels = draw(st.lists(st.integers(0, count - 1), min_size=count, max_size=count))
    groups = [[k for k in range(count) if labels[k] == label] for label in sorted(set(labels))]
    p = np.empty(count)
    for group in groups:
        p[group] = [float(share) for share in draw(shares(len(group)))]
    return OneOfEachGroup(groups, p)


SAMPLINGS: dict[str, Callable[[int], SearchStrategy[Sampling]]] = {
    "nested": lambda count: probabilities(count).map(NestedSampling),
    "independent": lambda count: probabilities(count).map(IndependentSampling),
    "single": _single,
    "explicit": _explicit,
    "groups": _groups,
    "fractions": _fractions,
    "tau-nice": _tau_nice,
}
# Their marginals are no floats.
_ONLY_IF_ASKED = ("fractions", "tau-nice")


def samplings(count: int, *, kind: str | None = None) -> SearchStrategy[Sampling]:
    """Return a strategy of samplings.

    Parameters
    ----------
    count : int
        Number of blocks.
    kind : {"nested", "independent", "single", "explicit", "groups", "fractions", "tau-nice"}
        "fractions", which is explicit, and "tau-nice" have marginals that no float holds, and are
        drawn only on request. By default all others.

    Returns
    -------
    strategy of Sampling

    Examples
    --------
    >>> samplings(2, kind="single").example().probabilities  # doctest: +SKIP
    array([0.5, 0.5])
    """
    return (
        _of_kind(SAMPLINGS, kind)(count)
        if kind
        else st.one_of([SAMPLINGS[k](count) for k in SAMPLINGS if k not in _ONLY_IF_ASKED])
    )


@st.composite
def problems(
    draw: DrawFn,
    *,
    kind: str | None = None,
    sampling: str | None = None,
    least: int = 1,
    largest: int = LARGEST_DIMENSION,
) -> Problem:
    """Return a strategy of problems whose costs add up to 1.

    Parameters
    ----------
    kind : str, optional
        The kind of L, as for `psd_matrices`; every kind by default.
    sampling : str, optional
        As for `samplings`; every kind by default.
    least, largest : int
        The least number of blocks, and the largest number of coordinates.

    Returns
    -------
    strategy of Problem

    Examples
    --------
    >>> problems(sampling="independent").example()  # doctest: +SKIP
    <Problem of d = 3 in B = 2 blocks, sampling independent>
    """
    blocks = draw(partitions(least=least, largest=largest))
    L = draw(psd_matrices(blocks, kind=kind))
    drawn_sampling = draw(samplings(blocks.count, kind=sampling))
    return Problem(L, blocks, draw(costs(blocks.count)), drawn_sampling)


def _of_kind(table: dict[str, Any], kind: str) -> Any:
    if kind not in table:
        raise InvalidInput("unknown kind", repr(kind), ", ".join(table))
    return table[kind]
