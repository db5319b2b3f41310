"""Blocks and BlockOrder; orders are tested with 3-cycles, where the two readings of sigma
differ.
"""

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from rpttheory import (
    L_M,
    L_P,
    Problem,
    block_L,
    c_P,
    closed_form,
    compare,
    optimal_probabilities,
    verify,
)
from rpttheory.errors import InvalidInput
from rpttheory.problem.arguments import as_blocks
from rpttheory.problem.blocks import BlockOrder, Blocks, Reading

sizes = st.lists(st.integers(1, 7), min_size=1, max_size=9)
orders = st.integers(1, 8).flatmap(lambda count: st.permutations(range(count)))


def test_blocks_by_hand() -> None:
    blocks = Blocks((2, 1, 3))
    assert blocks.sizes == (2, 1, 3) and blocks.count == len(blocks) == 3
    assert blocks.dimension == 6 and blocks.slices == (slice(0, 2), slice(2, 3), slice(3, 6))
    assert blocks.labels.tolist() == [0, 0, 1, 2, 2, 2]
    assert blocks.expand([0.5, 1.0, 0.25]).tolist() == [0.5, 0.5, 1.0, 0.25, 0.25, 0.25]
    assert blocks.restrict(np.arange(6.0), 2).tolist() == [3.0, 4.0, 5.0]
    assert blocks.restrict(np.eye(6), 1).tolist() == [[0, 0, 1, 0, 0, 0]]


@given(sizes)
def test_slices_partition_the_coordinates(given_sizes: list[int]) -> None:
    blocks = Blocks(given_sizes)
    coordinates = np.arange(float(blocks.dimension))
    parts = [blocks.restrict(coordinates, block) for block in range(blocks.count)]
    assert np.concatenate(parts).tolist() == coordinates.tolist()
    assert [part.size for part in parts] == given_sizes
    for block, part in enumerate(parts):
        assert (blocks.labels[part.astype(int)] == block).all()


@pytest.mark.parametrize(
    ("sizes", "found"),
    [
        ([], "no block sizes"),
        ([2, 0], "0 at position 1"),
        ([-3, 4], "-3 at position 0"),
        ([2, 1.5], "1.5 at position 1"),
        ([2.0], "2.0 at position 0"),
        ([True], "True at position 0"),
        (["2"], "'2' at position 0"),
        ([None], "None at position 0"),
    ],
)
def test_bad_sizes_are_refused(sizes: Any, found: str) -> None:
    with refuses("blocks", found=found):
        Blocks(sizes)


def test_sizes_must_add_up_to_the_dimension() -> None:
    Blocks((2, 3)).require_dimension(5)
    with refuses("blocks", found="5"):
        Blocks((2, 3)).require_dimension(6)


def test_a_three_cycle_by_hand() -> None:
    """Block 1 comes first, then block 2, then block 0."""
    order = BlockOrder((1, 2, 0))
    assert order.block_to_rank == (2, 0, 1) and order.per_block([1.0, 0.5, 0.2]).tolist() == [
        0.2,
        1.0,
        0.5,
    ]
    assert order.by_rank([0.2, 1.0, 0.5]).tolist() == [1.0, 0.5, 0.2]
    assert order.sigma("rank->block") == (2, 3, 1) and order.sigma("block->rank") == (3, 1, 2)


def test_the_two_readings_of_a_three_cycle() -> None:
    """sigma = (2, 3, 1): as rank -> block the second block is first; as block -> rank it is
    third.
    """
    ranked = [1.0, 0.5, 0.2]
    assert BlockOrder.from_sigma((2, 3, 1), "rank->block").per_block(ranked).tolist() == [
        0.2,
        1.0,
        0.5,
    ]
    assert BlockOrder.from_sigma((2, 3, 1), "block->rank").per_block(ranked).tolist() == [
        0.5,
        0.2,
        1.0,
    ]


@pytest.mark.parametrize("reading", ["block->rank", "rank->block"])
@given(orders)
def test_the_paper_formulas_under_each_reading(reading: Reading, permutation: list[int]) -> None:
    """Written out with sigma: P has p_{sigma_k} in block k; the expected cost has c_{sigma_i}
    p_i.
    """
    sigma = [entry + 1 for entry in permutation]
    ranked = [2.0**-rank for rank in range(len(sigma))]
    per_block = BlockOrder.from_sigma(sigma, reading).per_block(ranked)
    for position, entry in enumerate(sigma):
        if reading == "block->rank":
            assert per_block[position] == ranked[entry - 1]
        else:
            assert per_block[entry - 1] == ranked[position]


@given(orders)
def test_an_order_is_recovered_from_sigma_from_ranks_and_from_descending_probabilities(
    permutation: list[int],
) -> None:
    order = BlockOrder(permutation)
    for reading in ("block->rank", "rank->block"):
        assert BlockOrder.from_sigma(order.sigma(reading), reading) == order
    assert all(order.block_to_rank[block] == rank for rank, block in enumerate(order.rank_to_block))
    values = np.arange(len(permutation)) + 0.5
    assert order.by_rank(order.per_block(values)).tolist() == values.tolist()
    assert order.per_block(order.by_rank(values)).tolist() == values.tolist()
    assert (
        BlockOrder.from_probabilities(
            order.per_block([2.0**-rank for rank in range(len(permutation))])
        )
        == order
    )


def test_ties_keep_the_order_of_the_blocks() -> None:
    assert BlockOrder.from_probabilities([0.5, 1.0, 0.5, 1.0, 0.5]).rank_to_block == (1, 3, 0, 2, 4)


@pytest.mark.parametrize(
    ("make", "several", "rule"),
    [
        (
            BlockOrder,
            [[0, 0], [1, 2], [0, 2], [-1, 0], [0, 1, 1]],
            "order must list every block exactly once",
        ),
        (BlockOrder, [[], [0.0, 1.0], ["0", "1"]], "order must list blocks by number"),
        (BlockOrder.from_probabilities, [[[0.5, 1.0]], [0.5, np.nan], 1.0], "one number per block"),
        (
            lambda sigma: BlockOrder.from_sigma(sigma, "rank->block"),
            [(0, 1, 2)],
            "every block exactly once",
        ),
    ],
)
def test_what_is_no_order_is_refused(make: Any, several: list[Any], rule: str) -> None:
    for given_order in several:
        with pytest.raises(InvalidInput, match=rule):
            make(given_order)


def test_what_passes_for_blocks() -> None:
    for sizes in (Blocks((1, 2)), [1, 2], (1, 2), np.array([1, 2]), "1,2", " 1 , 1x2"):
        assert as_blocks(sizes, 3).sizes == (1, 2)
    assert as_blocks("each", 3).sizes == (1, 1, 1) and as_blocks("6x8", 48).sizes == (8,) * 6
    for wrong, rule in (
        ([1, 2], "add up to the dimension of L, 4"),
        (3, "list of sizes"),
        ("1,x", "whole numbers"),
    ):
        with pytest.raises(InvalidInput, match=rule):
            as_blocks(wrong, 4)


@pytest.mark.parametrize("label", [[1], math.nan])
def test_labels_that_name_no_block_are_refused(label: Any) -> None:
    with pytest.raises(InvalidInput, match="labels must be names") as refused:
        Blocks.from_labels(["a", label])
    assert "at position 1" in refused.value.found


def test_every_public_function_takes_plain_sizes_and_a_single_claim() -> None:
    L = [[4, 1, 0], [1, 3, 0], [0, 0, 1]]
    p = [1, 0.5]
    one = verify(L, [1, 2], claims="L_P <= 2*lmax")
    other = verify(L, Blocks((1, 2)), claims=["L_P <= 2*lmax"])
    assert one.to_dict() == other.to_dict() and one.claims[-1].statement == "L_P <= 2*lmax"
    for sizes in ((1, 2), "1,2", np.array([1, 2])):
        assert L_P(L, sizes, p) == L_P(L, Blocks((1, 2)), p)
        assert block_L(L, sizes) == block_L(L, Blocks((1, 2)))
        assert c_P(L, sizes, p, [1, 1]) == c_P(L, Blocks((1, 2)), p, [1, 1])
        assert (
            optimal_probabilities(L, sizes).upper == optimal_probabilities(L, Blocks((1, 2))).upper
        )
        assert compare(L, sizes).to_dict() == compare(L, Blocks((1, 2))).to_dict()
        assert closed_form(L, sizes, [1, 1]).bound == closed_form(L, Blocks((1, 2)), [1, 1]).bound
        assert Problem(L, sizes).L_M == L_M(L, sizes, sampling=Problem(L, sizes).sampling)


@pytest.mark.parametrize(
    "labels",
    [
        5,
        None,
        np.array(5),
        ["a", None],
        ["a", float("nan")],
        [Decimal("sNaN"), 1],
        np.ma.array(["a", "b"], mask=[False, True]),
        np.array([["a", "b"]]),
    ],
)
def test_missing_labels_are_refused(labels: Any) -> None:
    with pytest.raises(InvalidInput, match="labels must be"):
        Blocks.from_labels(labels)
