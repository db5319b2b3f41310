"""Each sampling's own law, by hand-computed values; what all share is in contracts/."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from rpttheory.blocks import BlockOrder
from rpttheory.certify.verdict import Rigour
from rpttheory.errors import InvalidInput
from rpttheory.sampling import (
    ExplicitSampling,
    IndependentSampling,
    NestedSampling,
    Outcome,
    Sampling,
    SingleBlockSampling,
    sampling_named,
)


def law(sampling: Sampling) -> list[tuple[Fraction, list[int]]]:
    """The support as (probability, blocks)."""
    return [(outcome.probability, np.flatnonzero(outcome.active).tolist()) for outcome in sampling.support()]


def uniforms(values: ArrayLike) -> np.random.Generator:
    """A generator whose next uniforms are the given ones."""

    class Fixed:
        def random(self, size: Any = None) -> Any:
            return np.reshape(np.asarray(values, dtype=np.float64), size)

    return cast(np.random.Generator, Fixed())


# -- nested ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("probabilities", "rank_to_block"),
    [([0.25, 1.0, 0.5], (1, 2, 0)), ([0.5, 0.25, 1.0], (2, 0, 1)), ([0.5, 0.5, 1.0], (2, 0, 1))],
)
def test_nested_order_is_descending_p(probabilities: list[float], rank_to_block: tuple[int, ...]) -> None:
    assert NestedSampling(probabilities).order.rank_to_block == rank_to_block


def test_nested_support_of_a_three_cycle() -> None:
    assert law(NestedSampling([0.25, 1.0, 0.5])) == [
        (Fraction(1, 2), [1]),
        (Fraction(1, 4), [1, 2]),
        (Fraction(1, 4), [0, 1, 2]),
    ]


def test_nested_support_has_the_empty_set_and_merges_ties() -> None:
    assert law(NestedSampling([0.5, 0.25, 0.5])) == [
        (Fraction(1, 2), []),
        (Fraction(1, 4), [0, 2]),
        (Fraction(1, 4), [0, 1, 2]),
    ]


@given(st.permutations(range(6)), st.lists(st.floats(1e-12, 1.0), min_size=6, max_size=6))
def test_nested_support_admits_blocks_in_order(order: list[int], ranked: list[float]) -> None:
    per_block = BlockOrder(order).per_block(sorted(ranked, reverse=True))
    sampling = NestedSampling(per_block)
    sets = [active for _, active in law(sampling)]
    assert len(sets) <= 7
    for active in sets:
        assert sorted(sampling.order.rank_to_block[: len(active)]) == active
    assert [len(active) for active in sets] == sorted({len(active) for active in sets})


def test_nested_pairs_by_hand() -> None:
    sampling = NestedSampling([0.25, 1.0, 0.5])
    expected = [[0.25, 0.25, 0.25], [0.25, 1.0, 0.5], [0.25, 0.5, 0.5]]
    assert sampling.pair_probabilities().tolist() == expected
    assert sampling.pair_ratio([[0], [1], [2]], [0, 1, 2]).tolist() == [[4, 1, 2], [1, 1, 1], [2, 1, 2]]


@pytest.mark.parametrize(("reading", "smoothness"), [("block->rank", 20.0), ("rank->block", 45.0)])
def test_the_two_readings_of_sigma_give_different_smoothness(reading: Any, smoothness: float) -> None:
    """L = diag(9, 4, 1), p = (1, 1/2, 1/5): here E[CLC] is diagonal, so its norm is max L_k / p_k."""
    sampling = NestedSampling(BlockOrder.from_sigma((2, 3, 1), reading).per_block([1.0, 0.5, 0.2]))
    blocks = np.arange(3)
    assert (np.array([9.0, 4.0, 1.0]) * sampling.pair_ratio(blocks, blocks)).max() == smoothness


def test_nested_uses_one_uniform_per_draw_and_compares_strictly() -> None:
    """Eight equally likely uniforms must give each block exactly its probability."""
    sampling = NestedSampling([0.25, 1.0, 0.5, 0.125])
    drawn = sampling.draw(uniforms(np.arange(8) / 8), 8)
    assert drawn.mean(axis=0).tolist() == [0.25, 1.0, 0.5, 0.125]
    assert sampling.draw(uniforms(0.25)).tolist() == [False, True, True, False]
    assert sampling.draw(uniforms(1 - 2.0**-53)).tolist() == [False, True, False, False]


def test_nested_with_a_hundred_thousand_blocks() -> None:
    """A B x B array would take 80 GB."""
    count = 100_000
    rng = np.random.default_rng(3)
    probabilities = 1.0 - rng.random(count)
    sampling = NestedSampling(probabilities)
    active = sampling.draw(rng)
    assert active.any()
    assert np.array_equal(sampling.sketch(active)[active], 1 / probabilities[active])
    index = np.arange(count)
    assert np.array_equal(sampling.pair_ratio(index, index[::-1]), 1 / np.maximum(probabilities, probabilities[::-1]))
    assert np.array_equal(sampling.order.by_rank(probabilities), np.sort(probabilities)[::-1])
    cost = sampling.expected_cost(np.full(count, 0.5))
    assert cost.rigour is Rigour.EXACT
    assert cost.exact == sum(int(p * 2**53) for p in probabilities.tolist()) * Fraction(1, 2**54)


# -- independent -----------------------------------------------------------------------------------


def test_independent_support_by_hand() -> None:
    assert law(IndependentSampling([0.25, 0.5])) == [
        (Fraction(3, 8), []),
        (Fraction(3, 8), [1]),
        (Fraction(1, 8), [0]),
        (Fraction(1, 8), [0, 1]),
    ]


def test_independent_leaves_out_impossible_sets() -> None:
    assert law(IndependentSampling([1.0, 0.5, 1.0])) == [(Fraction(1, 2), [0, 2]), (Fraction(1, 2), [0, 1, 2])]


def test_independent_enumerates_up_to_twenty_blocks() -> None:
    assert next(IndependentSampling([0.5] * 20).support()).probability == Fraction(1, 2**20)
    sampling = IndependentSampling([0.5] * 21)
    with pytest.raises(InvalidInput, match="up to 20 blocks\n  found: 21 blocks"):
        sampling.support()


def test_independent_pairs_by_hand() -> None:
    sampling = IndependentSampling([0.25, 0.5])
    assert sampling.pair_probabilities().tolist() == [[0.25, 0.125], [0.125, 0.5]]
    assert sampling.pair_ratio([[0], [1]], [0, 1]).tolist() == [[4.0, 1.0], [1.0, 2.0]]


def test_independent_uses_one_uniform_per_block() -> None:
    sampling = IndependentSampling([0.25, 0.75])
    grid = np.stack(np.meshgrid(np.arange(4) / 4, np.arange(4) / 4), axis=-1).reshape(-1, 2)
    drawn = sampling.draw(uniforms(grid), 16)
    assert drawn.mean(axis=0).tolist() == [0.25, 0.75]
    assert drawn.all(axis=1).mean() == 0.1875


# -- single block ----------------------------------------------------------------------------------


def test_single_support_and_pairs_by_hand() -> None:
    sampling = SingleBlockSampling([0.25, 0.125, 0.625])
    assert law(sampling) == [(Fraction(1, 4), [0]), (Fraction(1, 8), [1]), (Fraction(5, 8), [2])]
    assert sampling.pair_probabilities().tolist() == [[0.25, 0, 0], [0, 0.125, 0], [0, 0, 0.625]]
    assert sampling.pair_ratio([0, 1, 0], [0, 1, 1]).tolist() == [4.0, 8.0, 0.0]


def test_single_rounding_remainder_updates_nothing() -> None:
    third = 1 / 3
    assert law(SingleBlockSampling([third] * 3))[-1] == (1 - 3 * Fraction(third), [])


def test_single_shrinks_probabilities_whose_exact_sum_exceeds_one() -> None:
    """Ten floats 0.1 add up to more than 1, since the float is above 1/10."""
    given_sum = sum([Fraction(0.1)] * 10)
    assert given_sum > 1
    sampling = SingleBlockSampling([0.1] * 10)
    assert sampling.probabilities.tolist() == [float(np.nextafter(0.1, 0))] * 10
    total = sum(map(Fraction, sampling.probabilities.tolist()))
    assert 1 - Fraction(1, 2**52) <= total <= 1


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=8), st.floats(-9e-13, 9e-13))
def test_single_changes_probabilities_by_no_more_than_the_excess(shares: list[float], excess: float) -> None:
    given_p = np.minimum(np.array(shares) / np.sum(shares) * (1 + excess), 1.0)
    kept = SingleBlockSampling(given_p).probabilities
    total = sum(map(Fraction, given_p.tolist()))
    assert sum(map(Fraction, kept.tolist())) <= 1
    if total <= 1:
        assert np.array_equal(kept, given_p)
    else:
        for before, after in zip(given_p.tolist(), kept.tolist(), strict=True):
            assert Fraction(after) <= Fraction(before) / total < Fraction(float(np.nextafter(after, 2.0)))


@pytest.mark.parametrize("probabilities", [[0.5, 0.5 + 2e-12], [0.5, 0.5 - 2e-12], [0.5, 0.25], [1.0, 1.0], [0.5]])
def test_single_refuses_other_sums(probabilities: list[float]) -> None:
    with pytest.raises(InvalidInput, match="single-block probabilities must add up to 1"):
        SingleBlockSampling(probabilities)


@pytest.mark.parametrize("probabilities", [[0.5, 0.5 + 0.9e-12], [0.5, 0.5 - 0.9e-12]])
def test_single_accepts_sums_within_the_tolerance(probabilities: list[float]) -> None:
    assert sum(outcome.probability for outcome in SingleBlockSampling(probabilities).support()) == 1


def test_single_draw_is_exact_on_a_grid() -> None:
    sampling = SingleBlockSampling([0.25, 0.125, 0.625])
    drawn = sampling.draw(uniforms(np.arange(8) / 8), 8)
    assert drawn.mean(axis=0).tolist() == [0.25, 0.125, 0.625]
    assert (drawn.sum(axis=1) == 1).all()


def test_single_draw_can_return_nothing() -> None:
    sampling = SingleBlockSampling([0.5, 0.5 - 2.0**-50])
    assert sampling.draw(uniforms(1 - 2.0**-50)).tolist() == [False, False]
    assert sampling.draw(uniforms(1 - 2.0**-49)).tolist() == [False, True]


# -- explicit --------------------------------------------------------------------------------------


def test_explicit_law_by_hand() -> None:
    sampling = ExplicitSampling([[True, False, True], [True, True, False]], [1.0, 2.0])
    assert law(sampling) == [(Fraction(1, 3), [0, 2]), (Fraction(2, 3), [0, 1])]
    assert sampling.probabilities.tolist() == [1.0, 2 / 3, 1 / 3]
    assert sampling.pair_probabilities().tolist() == [[1, 2 / 3, 1 / 3], [2 / 3, 2 / 3, 0], [1 / 3, 0, 1 / 3]]
    assert sampling.pair_ratio([1, 0, 1, 2], [1, 2, 2, 2]).tolist() == [1.5, 1.0, 0.0, 3.0]
    cost = sampling.expected_cost([1.0, 2.0, 4.0])
    assert cost.exact == Fraction(11, 3)
    assert cost.rigour is Rigour.EXACT


def test_explicit_lists_repeated_sets_as_given() -> None:
    sampling = ExplicitSampling([[1, 0], [0, 1], [1, 0]], [1, 2, 1])
    assert law(sampling) == [(Fraction(1, 4), [0]), (Fraction(1, 2), [1]), (Fraction(1, 4), [0])]


@given(st.lists(st.floats(1e-300, 1e300), min_size=3, max_size=3))
def test_explicit_pair_ratio_is_correctly_rounded(weights: list[float]) -> None:
    """The middle set is scaled by both others: the naive float formula overflows or errs by ulps."""
    least = max(weights) * 1e-300
    a, b, c = (max(weight, least) for weight in weights)
    sampling = ExplicitSampling([[1, 0], [1, 1], [0, 1]], [a, b, c])
    exact_a, exact_b, exact_c = Fraction(a), Fraction(b), Fraction(c)
    total = exact_a + exact_b + exact_c
    assert float(sampling.pair_ratio(0, 1)) == float(exact_b * total / ((exact_a + exact_b) * (exact_b + exact_c)))
    assert float(sampling.pair_ratio(0, 0)) == float(total / (exact_a + exact_b))


@given(st.lists(st.integers(1, 2**20), min_size=1, max_size=6))
def test_explicit_reproduces_a_nested_law(numerators: list[int]) -> None:
    """A useless detour through the list of outcomes changes nothing (multiples of 2^-20, so no rounding)."""
    nested = NestedSampling(np.array(numerators) / 2**20)
    outcomes = list(nested.support())
    detour = ExplicitSampling([o.active for o in outcomes], [float(o.probability) for o in outcomes])
    assert np.array_equal(detour.probabilities, nested.probabilities)
    assert np.array_equal(detour.pair_probabilities(), nested.pair_probabilities())
    blocks = np.arange(len(numerators))
    assert np.array_equal(detour.pair_ratio(blocks[:, None], blocks), nested.pair_ratio(blocks[:, None], blocks))


def test_explicit_joint_masses_are_exact_beyond_one_chunk() -> None:
    """Enough sets and pairs that the work is split; int64 sums of small integers are the reference."""
    rng = np.random.default_rng(5)
    active = rng.random((3000, 40)) < 0.5
    weights = rng.integers(1, 2**40, 3000)
    sampling = ExplicitSampling(active, weights.astype(float))
    joint = (active * weights[:, None]).T @ active.astype(np.int64)
    total = int(weights.sum())
    assert sampling.pair_probabilities().tolist() == [[int(mass) / total for mass in row] for row in joint]


def test_explicit_draw_is_exact_on_a_grid() -> None:
    sampling = ExplicitSampling([[1, 1, 0], [0, 0, 0], [0, 1, 1]], [2.0, 1.0, 5.0])
    drawn = sampling.draw(uniforms(np.arange(8) / 8), 8)
    assert drawn.tolist() == [[1, 1, 0]] * 2 + [[0, 0, 0]] + [[0, 1, 1]] * 5


@pytest.mark.parametrize(
    ("active", "weights", "message"),
    [
        ([[1, 0, 1], [1, 0, 0]], [1, 1], "every block must be in some set\n  found: block 1 "),
        ([[1, 1]], [0.0], "weights must be positive\n  found: 0 for set 0"),
        ([[1, 1], [1, 1]], [1.0, -2.0], "weights must be positive\n  found: -2 for set 1"),
        ([[1, 1]], [float("nan")], "weights must be finite"),
        ([[1, 1]], [float("inf")], "weights must be finite"),
        ([[1, 1]], [1.0, 1.0], "weights must have one number per set, 1 in all"),
        ([[1, 1]], [[1.0]], "weights must have one number per set, 1 in all"),
        ([[1, 1]], ["x"], "weights must be numbers"),
        ([[1, 2]], [1.0], "active must hold True and False"),
        ([["a", "b"]], [1.0], "active must hold True and False"),
        ([1, 1], [1.0], "active must be a matrix"),
        ([], [], "active must be a matrix"),
        ([[1], [1, 0]], [1.0, 1.0], "active must be a rectangular array"),
        ([[1, 0], [0, 1]], [1e-200, 1e200], "every set must have a probability of at least 2.23e-308"),
    ],
)
def test_explicit_refuses(active: Any, weights: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ExplicitSampling(active, weights)


# -- all of them -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nested", "independent", "single"])
@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ([0.5, 0.0], r"probabilities must lie in \(0, 1\]\n  found: 0 for block 1"),
        ([0.5, 1.5], r"probabilities must lie in \(0, 1\]\n  found: 1.5 for block 1"),
        ([0.5, float("nan")], "probabilities must be finite"),
        ([], "probabilities must be a list"),
        ([1.0, 2.0**-1023], "at least 2.23e-308.*\n  found: 1.11254e-308 for block 1"),
    ],
)
def test_bad_probabilities_are_refused(name: str, probabilities: list[float], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        sampling_named(name, probabilities)


def test_named_samplings() -> None:
    assert isinstance(sampling_named("nested", [0.5, 0.5]), NestedSampling)
    assert isinstance(sampling_named("independent", [0.5, 0.5]), IndependentSampling)
    assert isinstance(sampling_named("single", [0.5, 0.5]), SingleBlockSampling)
    with pytest.raises(InvalidInput, match="unknown sampling\n  found: 'Nested'\n  try:   nested, independent or"):
        sampling_named("Nested", [0.5, 0.5])


EACH: list[Sampling] = [
    NestedSampling([0.5, 0.5]),
    IndependentSampling([0.5, 0.5]),
    SingleBlockSampling([0.5, 0.5]),
    ExplicitSampling([[1, 0], [0, 1]], [1, 1]),
]
each_sampling = pytest.mark.parametrize("sampling", EACH, ids=lambda sampling: type(sampling).__name__)


@each_sampling
@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (-1, 1, r"block indices must lie in 0\.\.1\n  found: -1\.\.-1"),
        ([0, 1], [0, 2], r"block indices must lie in 0\.\.1\n  found: 0\.\.2"),
        (0.0, 1, "block indices must be whole numbers"),
    ],
)
def test_bad_indices_are_refused(sampling: Sampling, first: Any, second: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        sampling.pair_ratio(first, second)


@each_sampling
def test_no_pairs_give_no_ratios(sampling: Sampling) -> None:
    none = np.array([], dtype=np.intp)
    assert sampling.pair_ratio(none, none).shape == (0,)


@each_sampling
@pytest.mark.parametrize("active", [True, [True], [True] * 3, [[True] * 3] * 2])
def test_masks_of_the_wrong_shape_are_refused(sampling: Sampling, active: Any) -> None:
    with pytest.raises(InvalidInput, match="active must have one entry per block, 2 in all"):
        sampling.sketch(active)


@each_sampling
def test_costs_of_the_wrong_length_are_refused(sampling: Sampling) -> None:
    with pytest.raises(InvalidInput, match="costs must have one number per block, 2 in all"):
        sampling.expected_cost([1.0, 2.0, 3.0])


@each_sampling
def test_samplings_are_frozen(sampling: Any) -> None:
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
