"""The nested law, by hand-computed values."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory.numbers.verdict import Rigour
from rpttheory.problem.blocks import BlockOrder
from rpttheory.problem.sampling import NestedSampling

from .laws import law, uniforms


@pytest.mark.parametrize(
    ("probabilities", "rank_to_block"),
    [([0.25, 1.0, 0.5], (1, 2, 0)), ([0.5, 0.25, 1.0], (2, 0, 1)), ([0.5, 0.5, 1.0], (2, 0, 1))],
)
def test_nested_order_is_descending_p(
    probabilities: list[float], rank_to_block: tuple[int, ...]
) -> None:
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
    assert sampling.pair_ratio([[0], [1], [2]], [0, 1, 2]).tolist() == [
        [4, 1, 2],
        [1, 1, 1],
        [2, 1, 2],
    ]


@pytest.mark.parametrize(("reading", "smoothness"), [("block->rank", 20.0), ("rank->block", 45.0)])
def test_the_two_readings_of_sigma_give_different_smoothness(
    reading: Any, smoothness: float
) -> None:
    """L = diag(9, 4, 1), p = (1, 1/2, 1/5): here E[CLC] is diagonal, so its norm is max L_k /
    p_k.
    """
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
    assert active.any() and np.array_equal(
        sampling.sketch(active)[active], 1 / probabilities[active]
    )
    index = np.arange(count)
    assert np.array_equal(
        sampling.pair_ratio(index, index[::-1]), 1 / np.maximum(probabilities, probabilities[::-1])
    )
    assert np.array_equal(sampling.order.by_rank(probabilities), np.sort(probabilities)[::-1])
    cost = sampling.expected_cost(np.full(count, 0.5))
    assert cost.rigour is Rigour.EXACT
    assert cost.exact == sum(int(p * 2**53) for p in probabilities.tolist()) * Fraction(1, 2**54)
