"""The matrices that attain `lem:twoBounds`: in exact arithmetic where it matters, in floats on any
blocks.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from refusals import refuses
from soundness.reals import Rows, Top, semidefinite

from rpttheory.matrices.tight import block_diagonal_matrix, tight_matrix

FloatArray = NDArray[np.float64]
UNIT = 2.0**-52


def _fractions(matrix: FloatArray) -> Rows:
    return [[Fraction(entry) for entry in row] for row in matrix.tolist()]


def test_diagonal_blocks_of_squares_are_reached_exactly() -> None:
    blocks = [np.diag([4.0, 1.0]), np.diag([2.0, 9.0, 0.0]), np.array([[16.0]])]
    matrix = _fractions(tight_matrix(blocks))
    assert Top(matrix).sign(Fraction(29)) == 0 and semidefinite(matrix)
    lifted = _fractions(tight_matrix(blocks, eps=[3.0, 5.0, 7.0]))
    assert semidefinite(lifted) and Top(lifted).sign(Fraction(14)) > 0 > Top(lifted).sign(
        Fraction(29)
    )


@st.composite
def block_lists(draw: st.DrawFn) -> list[FloatArray]:
    """Gram matrices of small integer matrices (often singular) with a scale each, none of them
    zero.
    """
    blocks = []
    for _ in range(draw(st.integers(1, 5))):
        size = draw(st.integers(1, 4))
        rows = draw(st.integers(1, 4))
        entries = draw(st.lists(st.integers(-9, 9), min_size=size * rows, max_size=size * rows))
        A = np.array(entries, dtype=np.float64).reshape(rows, size)
        A[0, 0] = 1.0 + abs(A[0, 0])
        blocks.append(A.T @ A * draw(st.sampled_from([1.0, 1e-9, 1e-3, 1 / 3, 1e6])))
    return blocks


def require_blocks(matrix: FloatArray, blocks: list[FloatArray]) -> None:
    """Symmetric, with these blocks on its diagonal."""
    np.testing.assert_array_equal(matrix, matrix.T)
    start = 0
    for block in blocks:
        end = start + len(block)
        np.testing.assert_array_equal(matrix[start:end, start:end], block)
        start = end


SHARES = st.sampled_from([0.0, 1e-6, 0.1, 0.5, 0.99])


@given(blocks=block_lists(), shares=st.lists(SHARES, min_size=5, max_size=5))
def test_diagonal_blocks_are_kept_and_the_bound_is_reached(
    blocks: list[FloatArray], shares: list[float]
) -> None:
    tops = [float(np.linalg.eigvalsh(block)[-1]) for block in blocks]
    eps = [share * top for share, top in zip(shares, tops, strict=False)]
    matrix = tight_matrix(blocks, eps=eps)
    require_blocks(matrix, blocks)
    # The entries are rounded, so that both sides may be missed by a few units in the last place.
    total = Fraction(sum(tops))
    top = Top(_fractions(matrix))
    slack = total * 100 * Fraction(UNIT)
    assert top.sign(total - Fraction(sum(eps)) - slack) >= 0 >= top.sign(total + slack)
    assert semidefinite(_fractions(matrix + float(slack) * np.eye(len(matrix))))


@given(blocks=block_lists())
def test_the_block_diagonal_matrix_reaches_the_lower_bound(blocks: list[FloatArray]) -> None:
    matrix = block_diagonal_matrix(blocks)
    require_blocks(matrix, blocks)
    assert np.count_nonzero(matrix) == sum(map(np.count_nonzero, blocks)), "and nothing beside them"
    top = max(float(np.linalg.eigvalsh(block)[-1]) for block in blocks)
    assert float(np.linalg.eigvalsh(matrix)[-1]) == pytest.approx(top, rel=100 * UNIT)


def test_one_eps_serves_all_blocks_and_the_arguments_are_left_alone() -> None:
    blocks = [np.diag([4.0, 1.0]), np.diag([9.0, 2.0])]
    matrix = tight_matrix(blocks, eps=3.0)
    np.testing.assert_array_equal(matrix, tight_matrix(blocks, eps=[3.0, 3.0]))
    matrix[:] = 0
    block_diagonal_matrix(blocks)[:] = 0
    assert [block[0, 0] for block in blocks] == [4.0, 9.0]


@pytest.mark.parametrize(
    ("blocks", "argument"),
    [
        ([], ""),
        ([np.eye(2), np.array([[1.0, 2.0], [0.0, 1.0]])], "diagonal block 1"),
        ([np.ones((2, 3))], "diagonal block 0"),
        ([np.diag([1.0, -1e-3])], "diagonal block 0"),
        ([-np.eye(2)], "diagonal block 0"),
        ([np.eye(1), np.zeros((2, 2))], "diagonal block 1"),
        ([np.array([[np.nan]])], "diagonal block 0"),
    ],
)
def test_blocks_must_be_semidefinite_matrices(blocks: list[FloatArray], argument: str) -> None:
    for function in (tight_matrix, block_diagonal_matrix):
        with refuses(argument):
            function(blocks)


@pytest.mark.parametrize(
    "eps", [-1e-9, 4.0, math.nan, [0.0, 9.0], [4.0, 0.0], [0.0], [], "x", None, [[0.0, 0.0]]]
)
def test_eps_must_lie_below_each_top_eigenvalue(eps: Any) -> None:
    with refuses("eps"):
        tight_matrix([[[4.0]], [[9.0]]], eps=eps)


def test_a_singular_block_is_not_refused_for_rounding() -> None:
    thirds = np.outer([1, 1 / 3, 1 / 7], [1, 1 / 3, 1 / 7])
    assert tight_matrix([thirds, thirds]).shape == (6, 6)
