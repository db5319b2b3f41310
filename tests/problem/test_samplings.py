"""Samplings: what each promises, against exact enumeration of its support, and what is its own.

To put a new sampling under the contract, add named cases to `CASES` and a strategy to `samplings`.
"""

import dataclasses
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from rpttheory import Problem
from rpttheory.numbers.exact_array import exact_array
from rpttheory.problem.sampling import (
    ExplicitSampling,
    IndependentSampling,
    NestedSampling,
    OneOfEachGroup,
    Outcome,
    Sampling,
    SingleBlockSampling,
    TauNice,
    sampling_named,
)
from rpttheory.problem.sampling.base import integers
from rpttheory.testing import strategies

U = Fraction(1, 2**53)

CASES: dict[str, Sampling] = {
    "nested-cycle": NestedSampling([0.2, 1.0, 0.5]),
    "nested-other-cycle": NestedSampling([0.5, 0.2, 1.0]),
    "nested-idle": NestedSampling([0.3, 0.1, 0.6, 0.25]),
    "nested-ties": NestedSampling([0.5, 0.25, 0.5, 1.0, 0.25]),
    "nested-wide": NestedSampling([1e-12, 1.0, 3e-7, 1e-3]),
    "nested-one": NestedSampling([0.7]),
    "nested-all": NestedSampling([1.0, 1.0]),
    "independent": IndependentSampling([0.2, 0.9, 0.5, 0.35]),
    "independent-sure": IndependentSampling([1.0, 0.3, 1.0]),
    "independent-wide": IndependentSampling([1e-12, 0.5, 1e-200, 1e-200]),
    "single-exact": SingleBlockSampling([0.25, 0.125, 0.625]),
    "single-below": SingleBlockSampling([1 / 3, 1 / 3, 1 / 3]),
    "single-above": SingleBlockSampling([0.1] * 10),
    "single-one": SingleBlockSampling([1.0]),
    "tau-nice": TauNice(3, 7),
    "tau-nice-one": TauNice(1, 3),
    "tau-nice-all": TauNice(3, 3),
    "tau-nice-single": TauNice(1, 1),
    "groups": OneOfEachGroup([[0, 2], [1]], [0.25, 1.0, 0.75]),
    "groups-rounded": OneOfEachGroup([[3, 4], [0, 1, 2]], [1 / 3, 1 / 3, 1 / 3, 0.1, 0.9]),
    "groups-balanced": OneOfEachGroup.balanced([5.0, 1.0, 3.0, 2.0, 2.0], 2),
    "explicit-cycle": ExplicitSampling([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1.0, 2.0, 4.0]),
    "explicit-empty-set": ExplicitSampling(
        [[1, 1, 1, 0], [0, 0, 0, 0], [0, 0, 1, 1]], [0.1, 0.7, 0.3]
    ),
    "explicit-twice": ExplicitSampling([[1, 0], [0, 1], [1, 0]], [3.0, 5.0, 3.0]),
    "explicit-wide": ExplicitSampling([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1e-150, 1.0, 3e100]),
}


class Law:
    """The exact law, by summing over the support."""

    def __init__(self, sampling: Sampling) -> None:
        self.outcomes = list(sampling.support())
        self.count = sampling.probabilities.size

    def total(self) -> Fraction:
        return sum((outcome.probability for outcome in self.outcomes), Fraction(0))

    def marginal(self, k: int) -> Fraction:
        return self.pair(k, k)

    def pair(self, k: int, m: int) -> Fraction:
        return sum(
            (o.probability for o in self.outcomes if o.active[k] and o.active[m]), Fraction(0)
        )


def check_support_adds_up(sampling: Sampling) -> None:
    law = Law(sampling)
    assert law.total() == 1
    for outcome in law.outcomes:
        assert isinstance(outcome.probability, Fraction) and outcome.probability > 0
        assert outcome.active.shape == (law.count,) and outcome.active.dtype == np.bool_
        assert not outcome.active.flags.writeable


def check_marginals(sampling: Sampling) -> None:
    law = Law(sampling)
    assert sampling.probabilities.tolist() == [float(law.marginal(k)) for k in range(law.count)]
    assert not sampling.probabilities.flags.writeable


def check_pairs(sampling: Sampling) -> None:
    law = Law(sampling)
    exact = [[float(law.pair(k, m)) for m in range(law.count)] for k in range(law.count)]
    assert sampling.pair_probabilities().tolist() == exact


def check_pair_ratio(sampling: Sampling) -> None:
    law = Law(sampling)
    blocks = np.arange(law.count)
    ratio = sampling.pair_ratio(blocks[:, None], blocks[None, :])
    assert ratio.shape == (law.count, law.count)
    for k in range(law.count):
        for m in range(law.count):
            exact = law.pair(k, m) / (law.marginal(k) * law.marginal(m))
            assert abs(Fraction(float(ratio[k, m])) - exact) <= 4 * U * exact
            assert float(sampling.pair_ratio(k, m)) == ratio[k, m]


def check_sketch_is_unbiased(sampling: Sampling) -> None:
    """E[C] = I, up to one rounding of p (where the exact marginal is no float) and one of 1/p."""
    law = Law(sampling)
    mean = [Fraction(0)] * law.count
    for outcome in law.outcomes:
        diagonal = sampling.sketch(outcome.active)
        assert diagonal.shape == (law.count,) and np.array_equal(diagonal > 0, outcome.active)
        for k, entry in enumerate(diagonal.tolist()):
            mean[k] += outcome.probability * Fraction(entry)
    assert all(abs(entry - 1) <= 3 * U for entry in mean)


def check_max_blocks(sampling: Sampling) -> None:
    assert sampling.max_blocks == max(int(o.active.sum()) for o in sampling.support())


def check_draw_shapes(sampling: Sampling) -> None:
    count = sampling.probabilities.size
    single = sampling.draw(np.random.default_rng(1))
    many = sampling.draw(np.random.default_rng(1), 7)
    assert single.shape == (count,) and many.shape == (7, count)
    assert sampling.draw(np.random.default_rng(1), size=0).shape == (0, count)
    assert single.dtype == many.dtype == np.bool_ and np.array_equal(single, many[0])
    assert np.array_equal(many, sampling.draw(np.random.default_rng(1), 7))
    assert sampling.sketch(many).shape == (7, count)


def check_draws_are_in_the_support(sampling: Sampling) -> None:
    """Sure, not just likely: no value of the uniforms may give an impossible set."""
    possible = {outcome.active.tobytes() for outcome in sampling.support()}
    assert {row.tobytes() for row in sampling.draw(np.random.default_rng(2), 50)} <= possible


CHECKS: list[Callable[[Sampling], None]] = [
    value for name, value in globals().items() if name.startswith("check_")
]
each_case = pytest.mark.parametrize("sampling", CASES.values(), ids=CASES.keys())


# Ties, sure blocks and twelve orders of magnitude are where laws go wrong.
_probability = st.one_of(
    st.sampled_from([1.0, 0.5, 0.25, 1e-12]),
    st.floats(min_value=1e-12, max_value=1.0),
    st.floats(min_value=2.0**-1022, max_value=1.0),
)


samplings: st.SearchStrategy[Sampling] = st.one_of(
    st.lists(_probability, min_size=1, max_size=7).map(NestedSampling),
    st.lists(_probability, min_size=1, max_size=4).map(IndependentSampling),
    *(
        st.integers(1, 5).flatmap(partial(strategies.samplings, kind=kind))
        for kind in ("single", "explicit", "fractions")
    ),
    st.integers(1, 6).flatmap(
        lambda count: st.builds(TauNice, st.integers(1, count), st.just(count))
    ),
    st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=6).flatmap(
        lambda L: st.builds(OneOfEachGroup.balanced, st.just(L), st.integers(1, len(L)))
    ),
)


@each_case
def test_named_sampling(sampling: Sampling) -> None:
    for check in CHECKS:
        check(sampling)


@given(samplings)
def test_any_sampling(sampling: Sampling) -> None:
    for check in CHECKS:
        check(sampling)


# -- what is taken and refused


@pytest.mark.parametrize("name", ["nested", "independent", "single"])
@pytest.mark.parametrize(
    ("probabilities", "found"),
    [
        ([0.5, 0.0], "0 for block 1"),
        ([0.5, 1.5], "1.5 for block 1"),
        ([0.5, float("nan")], "nan"),
        ([], "shape"),
        ([2.0**-1022, 2.0**-1023], "1.11254e-308 for block 1"),
    ],
)
def test_bad_probabilities_are_refused(name: str, probabilities: list[float], found: str) -> None:
    with refuses("probabilities", found=found):
        sampling_named(name, probabilities)


def test_names_of_samplings() -> None:
    for name, kind in (("independent", IndependentSampling), ("single", SingleBlockSampling)):
        assert isinstance(sampling_named(name, [0.5, 0.5]), kind)
    least = sampling_named("nested", [0.5, 2.0**-1022])
    assert isinstance(least, NestedSampling)
    for name in ("Nested", "tau-nice", "tau-nice:x", "nested:2"):
        with refuses("sampling", found=repr(name)):
            sampling_named(name, [0.5, 0.5])
    with refuses("probabilities", found="both"):
        sampling_named("groups:2", [0.5, 0.5])


def test_samplings_named_with_a_number_of_blocks() -> None:
    L = np.diag([4.0, 1.0, 2.0])
    assert Problem(L, "each", sampling="tau-nice:2").probabilities.tolist() == [2 / 3] * 3
    groups = Problem(L, "each", sampling="groups:2").sampling
    assert isinstance(groups, OneOfEachGroup) and groups.groups == ((0,), (2, 1))
    for name in ("tau-nice:0", "groups:4"):
        with refuses("sampling", found=repr(name)):
            Problem(L, "each", sampling=name).sampling  # noqa: B018


@each_case
def test_what_no_sampling_takes(sampling: Any) -> None:
    count = sampling.probabilities.size
    for first, second in ((-1, 0), ([0, 0], [0, count]), (0.0, 0)):
        with refuses():
            sampling.pair_ratio(first, second)
    none = np.array([], dtype=np.intp)
    assert sampling.pair_ratio(none, none).shape == (0,)
    for active in (True, [True] * (count + 1), [[True] * (count + 1)] * 2):
        with refuses("active"):
            sampling.sketch(active)
    with refuses("costs"):
        sampling.expected_cost([1.0] * (count + 1))
    with pytest.raises(dataclasses.FrozenInstanceError):
        sampling.probabilities = np.ones(2)


@pytest.mark.parametrize(
    ("active", "weights", "argument", "found"),
    [
        ([[1, 0, 1], [1, 0, 0]], [1, 1], "", "block 1 "),
        ([[1, 1], [1, 1]], [1.0, 0.0], "weights", "0 for set 1"),
        ([[1, 1], [1, 1]], [1.0, -2.0], "weights", "-2 for set 1"),
        ([[1, 1]], [float("nan")], "weights", "nan"),
        ([[1, 1]], [1.0, 1.0], "weights", "shape"),
        ([[1, 1]], ["x"], "weights", ""),
        ([[1, 2]], [1.0], "active", "dtype"),
        ([["a", "b"]], [1.0], "active", "dtype"),
        ([1, 1], [1.0], "active", "shape"),
        ([], [], "active", "shape"),
        ([[1], [1, 0]], [1.0, 1.0], "active", ""),
        ([[1, 0], [0, 1]], [1e-200, 1e200], "", "weights from"),
    ],
)
def test_explicit_refuses(active: Any, weights: Any, argument: str, found: str) -> None:
    with refuses(argument, found=found):
        ExplicitSampling(active, weights)


@pytest.mark.parametrize("kind", [NestedSampling, IndependentSampling, SingleBlockSampling])
def test_samplings_hold_a_copy(kind: Any) -> None:
    values = np.array([0.5, 0.5])
    sampling = kind(values)
    values[0] = 0.25
    assert sampling.probabilities.tolist() == [0.5, 0.5]
    mask = np.array([True, False])
    outcome = Outcome(Fraction(1), mask)
    mask[0] = False
    assert outcome.active.tolist() == [True, False]


@given(
    st.lists(st.floats(5e-324, 1e300, allow_subnormal=True), min_size=1, max_size=5)
    | st.lists(st.fractions(min_value=Fraction(1, 10**6), max_value=10**6), min_size=1, max_size=5)
)
def test_numbers_are_integers_times_one_unit(values: list[Any]) -> None:
    whole, unit = integers(exact_array(values, "values"))
    assert [number * unit for number in whole] == [Fraction(value) for value in values]
    assert all(type(number) is int for number in whole)


# -- laws by hand


@pytest.mark.parametrize(
    ("probabilities", "rank_to_block"),
    [([0.25, 1.0, 0.5], (1, 2, 0)), ([0.5, 0.25, 1.0], (2, 0, 1)), ([0.5, 0.5, 1.0], (2, 0, 1))],
)
def test_nested_order_is_descending_p(
    probabilities: list[float], rank_to_block: tuple[int, ...]
) -> None:
    assert NestedSampling(probabilities).order.rank_to_block == rank_to_block


def test_independent_enumerates_up_to_twenty_blocks() -> None:
    assert next(IndependentSampling([0.5] * 20).support()).probability == Fraction(1, 2**20)
    with refuses(found="2097152"):
        IndependentSampling([0.5] * 21).support()


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=8), st.floats(-9e-13, 9e-13))
def test_single_changes_probabilities_by_no_more_than_the_excess(
    shares: list[float], excess: float
) -> None:
    before = np.minimum(np.array(shares) / np.sum(shares) * (1 + excess), 1.0)
    after = SingleBlockSampling(before).probabilities
    total = sum(map(Fraction, before.tolist()))
    assert sum(map(Fraction, after.tolist())) <= 1
    if total <= 1:
        assert np.array_equal(after, before)
    for old, new in zip(before.tolist(), after.tolist(), strict=True):
        if total > 1:
            exact = Fraction(old) / total
            assert Fraction(new) <= exact < Fraction(float(np.nextafter(new, 2.0)))


@pytest.mark.parametrize("excess", [2e-12, -2e-12, -0.25, 0.5])
def test_single_refuses_other_sums(excess: float) -> None:
    with refuses(found="a sum of"):
        SingleBlockSampling([0.5, 0.5 + excess])


# -- draws from known uniforms


def uniforms(values: Any) -> Any:
    """A generator whose next uniforms are the given ones."""

    class Fixed:
        def random(self, size: Any = None) -> Any:
            return np.reshape(np.asarray(values, dtype=np.float64), size)

    return Fixed()


@pytest.mark.parametrize(
    "sampling",
    [
        NestedSampling([0.25, 1.0, 0.5, 0.125]),
        SingleBlockSampling([0.25, 0.125, 0.625]),
        ExplicitSampling([[1, 1, 0], [0, 0, 0], [0, 1, 1]], [2.0, 1.0, 5.0]),
    ],
)
def test_eight_equally_likely_uniforms_give_each_block_its_probability(sampling: Sampling) -> None:
    sets = sampling.draw(uniforms(np.arange(8) / 8), 8)
    assert sets.mean(axis=0).tolist() == sampling.probabilities.tolist()
    assert len({row.tobytes() for row in sets}) == len(list(sampling.support()))


@pytest.mark.parametrize(
    "sampling", [TauNice(2, 4), OneOfEachGroup([[0, 2], [1, 3]], [0.75, 0.5, 0.25, 0.5])]
)
def test_sets_are_drawn_as_often_as_the_support_says(sampling: Sampling) -> None:
    """Within six standard deviations."""
    draws = sampling.draw(np.random.default_rng(0), 10_000)
    for outcome in sampling.support():
        share = (draws == outcome.active).all(axis=1).mean()
        assert share == pytest.approx(float(outcome.probability), abs=0.03)


def test_draws_compare_strictly() -> None:
    nested = NestedSampling([0.25, 1.0, 0.5, 0.125])
    assert nested.draw(uniforms(0.25)).tolist() == [False, True, True, False]
    assert nested.draw(uniforms(1 - 2.0**-53)).tolist() == [False, True, False, False]
    single = SingleBlockSampling([0.5, 0.5 - 2.0**-50])
    assert single.draw(uniforms(1 - 2.0**-50)).tolist() == [False, False]
    assert single.draw(uniforms(1 - 2.0**-49)).tolist() == [False, True]
    grid = np.stack(np.meshgrid(np.arange(4) / 4, np.arange(4) / 4), axis=-1).reshape(-1, 2)
    sets = IndependentSampling([0.25, 0.75]).draw(uniforms(grid), 16)
    assert sets.mean(axis=0).tolist() == [0.25, 0.75] and sets.all(axis=1).mean() == 0.1875


def test_balanced_groups_take_the_largest_constants_first() -> None:
    sampling = OneOfEachGroup.balanced([5.0, 1.0, 3.0, 2.0, 2.0], 2)
    assert sampling.groups == ((0, 4), (2, 3, 1))
    np.testing.assert_allclose(sampling.probabilities, [5 / 7, 1 / 6, 1 / 2, 1 / 3, 2 / 7])


@pytest.mark.parametrize("tau", [0, 4, 1.5, "2"])
def test_tau_outside_the_number_of_blocks_is_refused(tau: Any) -> None:
    with refuses("tau", found=repr(tau)):
        TauNice(tau, 3)


@pytest.mark.parametrize("groups", [[[0], [1, 1]], [[0, 1]], [[0, 1, 2], []], [0, 1, 2], [[0, 3]]])
def test_groups_that_do_not_partition_are_refused(groups: Any) -> None:
    with refuses("groups", found=str(groups)):
        OneOfEachGroup(groups, [0.5, 0.5, 1.0])


def test_group_probabilities_must_add_up_to_one() -> None:
    with refuses(found="1.5"):
        OneOfEachGroup([[0, 1], [2]], [0.5, 1.0, 1.0])


def test_many_sets_are_not_enumerated() -> None:
    for sampling in (TauNice(15, 30), OneOfEachGroup.balanced(np.ones(42), 21)):
        with refuses(found="sets"):
            next(iter(sampling.support()))
