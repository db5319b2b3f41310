"""What all samplings refuse and keep; their common law is in contracts/."""

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory.errors import InvalidInput
from rpttheory.numbers.exact_array import exact_array
from rpttheory.problem.sampling import (
    ExplicitSampling,
    IndependentSampling,
    NestedSampling,
    Outcome,
    Sampling,
    SingleBlockSampling,
    sampling_named,
)
from rpttheory.problem.sampling.marginals import integers


@pytest.mark.parametrize("name", ["nested", "independent", "single"])
@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ([0.5, 0.0], r"probabilities must lie in \(0, 1\]\n  found: 0 for block 1"),
        ([0.5, 1.5], r"probabilities must lie in \(0, 1\]\n  found: 1.5 for block 1"),
        ([0.5, float("nan")], "probabilities must be finite"),
        ([], "probabilities must be a list"),
        ([2.0**-1022, 2.0**-1023], "at least 2.23e-308.*\n  found: 1.11254e-308 for block 1"),
    ],
)
def test_bad_probabilities_are_refused(name: str, probabilities: list[float], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        sampling_named(name, probabilities)


def test_named_samplings() -> None:
    assert isinstance(
        sampling_named("nested", [0.5, 2.0**-1022]), NestedSampling
    )  # the least that is taken
    assert isinstance(sampling_named("independent", [0.5, 0.5]), IndependentSampling)
    assert isinstance(sampling_named("single", [0.5, 0.5]), SingleBlockSampling)
    with pytest.raises(
        InvalidInput, match="unknown sampling\n  found: 'Nested'\n  try:   nested, independent or"
    ):
        sampling_named("Nested", [0.5, 0.5])


EACH: list[Sampling] = [
    NestedSampling([0.5, 0.5]),
    IndependentSampling([0.5, 0.5]),
    SingleBlockSampling([0.5, 0.5]),
    ExplicitSampling([[1, 0], [0, 1]], [1, 1]),
]
each_sampling = pytest.mark.parametrize(
    "sampling", EACH, ids=lambda sampling: type(sampling).__name__
)


@each_sampling
def test_what_no_sampling_takes(sampling: Any) -> None:
    for first, second, message in (
        (-1, 1, r"block indices must lie in 0\.\.1\n  found: -1\.\.-1"),
        ([0, 1], [0, 2], r"block indices must lie in 0\.\.1\n  found: 0\.\.2"),
        (0.0, 1, "block indices must be whole numbers"),
    ):
        with pytest.raises(InvalidInput, match=message):
            sampling.pair_ratio(first, second)
    none = np.array([], dtype=np.intp)
    assert sampling.pair_ratio(none, none).shape == (0,)
    for active in (True, [True], [True] * 3, [[True] * 3] * 2):
        with pytest.raises(InvalidInput, match="active must have one entry per block, 2 in all"):
            sampling.sketch(active)
    with pytest.raises(InvalidInput, match="costs must have one number per block, 2 in all"):
        sampling.expected_cost([1.0, 2.0, 3.0])
    with pytest.raises(dataclasses.FrozenInstanceError):
        sampling.probabilities = np.ones(2)
    with pytest.raises(ValueError, match="read-only"):
        sampling.probabilities[0] = 1.0


@pytest.mark.parametrize("kind", [NestedSampling, IndependentSampling, SingleBlockSampling])
def test_samplings_keep_their_own_copy(kind: Any) -> None:
    given_p = np.array([0.5, 0.5])
    sampling = kind(given_p)
    given_p[0] = 0.25
    assert sampling.probabilities.tolist() == [0.5, 0.5]


def test_an_outcome_keeps_its_own_read_only_copy() -> None:
    mask = np.array([True, False])
    outcome = Outcome(Fraction(1), mask)
    mask[0] = False
    assert outcome.active.tolist() == [True, False]
    with pytest.raises(ValueError, match="read-only"):
        outcome.active[0] = False
    with pytest.raises(dataclasses.FrozenInstanceError):
        outcome.probability = Fraction(0)  # type: ignore[misc]


def test_the_pair_law_depends_on_more_than_the_marginals() -> None:
    """Four laws with one set of marginals; the expected cost is the same, the pairs are not."""
    assert [float(sampling.pair_ratio(0, 1)) for sampling in EACH] == [2.0, 1.0, 0.0, 0.0]
    assert {sampling.expected_cost([3.0, 5.0]).exact for sampling in EACH} == {Fraction(4)}


@given(
    st.lists(st.floats(5e-324, 1e300, allow_subnormal=True), min_size=1, max_size=5)
    | st.lists(st.fractions(min_value=Fraction(1, 10**6), max_value=10**6), min_size=1, max_size=5)
)
def test_numbers_are_integers_times_one_unit(values: list[Any]) -> None:
    whole, unit = integers(exact_array(values, "values"))
    assert [number * unit for number in whole] == [Fraction(value) for value in values]
    assert all(type(number) is int for number in whole)
