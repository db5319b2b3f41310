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


@pytest.mark.parametrize(
    ("sizes", "found"),
    [
        ([], "[]"),
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
    ("make", "argument", "several"),
    [
        (BlockOrder, "order", [[0, 0], [1, 2], [-1, 0], [0, 1, 1], [], [0.0, 1.0], ["0", "1"]]),
        (BlockOrder.from_probabilities, "", [[[0.5, 1.0]], [0.5, np.nan], 1.0]),
        (lambda sigma: BlockOrder.from_sigma(sigma, "rank->block"), "order", [(0, 1, 2)]),
        (lambda sizes: as_blocks(sizes, 4), "blocks", [[1, 2], 3, "1,x"]),
        (Blocks.from_labels, "labels", [5, None, [], np.array(5), np.array([["a", "b"]])]),
        (
            Blocks.from_labels,
            "labels",
            [["a", missing] for missing in (None, math.nan, [1], Decimal("sNaN"), np.ma.masked)],
        ),
    ],
)
def test_what_is_no_order_and_no_partition_is_refused(
    make: Any, argument: str, several: list[Any]
) -> None:
    for values in several:
        with refuses(argument):
            make(values)


def test_what_passes_for_blocks() -> None:
    for sizes in (Blocks((1, 2)), [1, 2], (1, 2), np.array([1, 2]), "1,2", " 1 , 1x2"):
        assert as_blocks(sizes, 3).sizes == (1, 2)
    assert as_blocks("each", 3).sizes == (1, 1, 1) and as_blocks("6x8", 48).sizes == (8,) * 6
