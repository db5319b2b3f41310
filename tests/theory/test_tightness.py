"""The matrices that attain `lem:twoBounds`: in exact arithmetic where it matters, in floats on any blocks."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rpttheory.errors import InvalidInput
from rpttheory.theory.tightness import block_diagonal_matrix, tight_matrix

FloatArray = NDArray[np.float64]
UNIT = 2.0**-52


def _exact(matrix: FloatArray) -> sympy.Matrix:
    """The float entries as rationals."""
    return sympy.Matrix([[sympy.Rational(*float(entry).as_integer_ratio()) for entry in row] for row in matrix])


def _eigenvalues(matrix: sympy.Matrix) -> list[Any]:
    """All eigenvalues, exactly, in ascending order; the characteristic polynomials here have rational roots."""
    roots = sympy.roots(matrix.charpoly().as_expr(), multiple=True)
    assert len(roots) == matrix.rows
    assert all(root.is_rational for root in roots)
    return sorted(roots)


def _is_semidefinite(matrix: sympy.Matrix, *, definite: bool = False) -> bool:
    """By the signs of the characteristic polynomial's coefficients, which alternate for non-negative roots."""
    signed = [(-1) ** k * coefficient for k, coefficient in enumerate(matrix.charpoly().all_coeffs())]
    return all(value > 0 for value in signed) if definite else all(value >= 0 for value in signed)


def _top_of(matrix: sympy.Matrix, value: Any) -> bool:
    """Whether `value` is the largest eigenvalue: an eigenvalue that no other exceeds."""
    shifted = value * sympy.eye(matrix.rows) - matrix
    return shifted.det() == 0 and _is_semidefinite(shifted)


# -- the statement, in rational arithmetic -------------------------------------------------------

# Blocks with rational top eigenvectors: Pythagorean (3/5, 4/5), a mean of four, and a single number.
PLANE = sympy.Matrix([[sympy.Rational(3, 5)], [sympy.Rational(4, 5)]])
ACROSS = sympy.Matrix([[sympy.Rational(-4, 5)], [sympy.Rational(3, 5)]])
MEAN = sympy.ones(4, 1) / 2
EXACT_BLOCKS = [
    (16 * PLANE * PLANE.T + 2 * ACROSS * ACROSS.T, PLANE, 16),
    (8 * MEAN * MEAN.T + sympy.eye(4), MEAN, 9),
    (sympy.Matrix([[4]]), sympy.ones(1, 1), 4),
]


def _rational_tight(amounts: list[int]) -> sympy.Matrix:
    """The construction in rational arithmetic; the amounts must be squares."""
    w = sympy.Matrix.vstack(
        *(math.isqrt(amount) * vector for amount, (_, vector, _) in zip(amounts, EXACT_BLOCKS, strict=True))
    )
    lowered = [
        block - amount * vector * vector.T for amount, (block, vector, _) in zip(amounts, EXACT_BLOCKS, strict=True)
    ]
    return sympy.diag(*lowered) + w * w.T


@pytest.mark.parametrize(
    ("amounts", "definite"), [([16, 9, 4], False), ([16, 4, 1], True), ([9, 4, 1], True), ([16, 9, 1], False)]
)
def test_the_proposition_holds_exactly_for_three_blocks(amounts: list[int], definite: bool) -> None:
    matrix = _rational_tight(amounts)
    start = 0
    for block, _, _ in EXACT_BLOCKS:
        assert matrix[start : start + block.rows, start : start + block.rows] == block
        start += block.rows
    assert _is_semidefinite(matrix)
    assert _is_semidefinite(matrix, definite=True) is definite
    total = sum(amounts)
    excess = total * sympy.eye(matrix.rows) - matrix
    if amounts == [16, 9, 4]:
        assert _top_of(matrix, total)
    else:
        # lambda_max exceeds sum(m_k - eps_k) strictly here, and stays below sum(m_k).
        assert not _is_semidefinite(excess)
        assert _is_semidefinite(29 * sympy.eye(matrix.rows) - matrix, definite=True)


@pytest.mark.parametrize("amounts", [[16, 9, 4], [16, 4, 1], [9, 4, 1]])
def test_the_function_gives_the_rational_construction_up_to_rounding(amounts: list[int]) -> None:
    blocks = [np.array(block.tolist(), dtype=np.float64) for block, _, _ in EXACT_BLOCKS]
    eps = [top - amount for amount, (_, _, top) in zip(amounts, EXACT_BLOCKS, strict=True)]
    found = tight_matrix(blocks, eps=[float(value) for value in eps])
    wanted = np.array(_rational_tight(amounts).tolist(), dtype=np.float64)
    # Eigenvectors come with either sign, which changes the sign of whole off-diagonal blocks.
    np.testing.assert_allclose(np.abs(found), np.abs(wanted), atol=50 * UNIT)


# -- outputs that are exact ----------------------------------------------------------------------


def test_diagonal_blocks_of_squares_are_reached_exactly() -> None:
    blocks = [np.diag([4.0, 1.0]), np.diag([2.0, 9.0, 0.0]), np.array([[16.0]])]
    matrix = _exact(tight_matrix(blocks))
    values = _eigenvalues(matrix)
    assert values[-1] == 29
    assert values[0] == 0
    lifted = _exact(tight_matrix(blocks, eps=[3.0, 5.0, 7.0]))
    assert _is_semidefinite(lifted)
    assert not _is_semidefinite(14 * sympy.eye(6) - lifted)
    assert _is_semidefinite(29 * sympy.eye(6) - lifted, definite=True)


def test_single_numbers_give_a_rank_one_matrix() -> None:
    matrix = tight_matrix([[[4.0]], [[9.0]], [[16.0]], [[0.25]]])
    np.testing.assert_array_equal(np.abs(matrix), np.outer([2, 3, 4, 0.5], [2, 3, 4, 0.5]))
    assert _eigenvalues(_exact(matrix)) == [0, 0, 0, sympy.Rational(117, 4)]


def test_one_block_is_returned_as_it_is() -> None:
    block = np.array([[2.0, 1.0], [1.0, 3.0]])
    for matrix in (tight_matrix([block]), tight_matrix([block], eps=1.0), block_diagonal_matrix([block])):
        np.testing.assert_array_equal(matrix, block)


@pytest.mark.parametrize("eps", [1e-3, 0.5, 1.9])
def test_two_blocks_with_eps_on_the_second_are_the_papers_matrix(eps: float) -> None:
    M1 = np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
    M2 = np.array([[2.0, -0.5], [-0.5, 1.0]])
    (values1, vectors1), (values2, vectors2) = np.linalg.eigh(M1), np.linalg.eigh(M2)
    u, v = vectors1[:, -1], vectors2[:, -1]
    C = math.sqrt(values1[-1] * (values2[-1] - eps)) * np.outer(v, u)
    matrix = tight_matrix([M1, M2], eps=[0.0, eps])
    np.testing.assert_allclose(matrix, np.block([[M1, C.T], [C, M2]]), rtol=8 * UNIT, atol=0)
    values = np.linalg.eigvalsh(matrix)
    assert values[0] > 0
    assert values[-1] >= values1[-1] + values2[-1] - eps


def test_the_papers_matrix_is_the_special_case_exactly() -> None:
    # Top eigenvalues 9 and 4 + 5 along coordinate axes, eps = 5: C = sqrt(9 * 4) v u' without any rounding.
    matrix = tight_matrix([np.diag([9.0, 1.0]), np.diag([2.0, 9.0])], eps=[0.0, 5.0])
    C = np.array([[0.0, 0.0], [6.0, 0.0]])
    np.testing.assert_array_equal(np.abs(matrix), np.block([[np.diag([9.0, 1.0]), C.T], [C, np.diag([2.0, 9.0])]]))
    assert _is_semidefinite(_exact(matrix), definite=True)
    assert not _is_semidefinite(13 * sympy.eye(4) - _exact(matrix))


# -- any blocks ----------------------------------------------------------------------------------


@st.composite
def block_lists(draw: st.DrawFn) -> list[FloatArray]:
    """Gram matrices of small integer matrices (often singular) with a scale each, none of them zero."""
    blocks = []
    for _ in range(draw(st.integers(1, 5))):
        size, rows = draw(st.integers(1, 4)), draw(st.integers(1, 4))
        entries = draw(st.lists(st.integers(-9, 9), min_size=size * rows, max_size=size * rows))
        A = np.array(entries, dtype=np.float64).reshape(rows, size)
        A[0, 0] = 1.0 + abs(A[0, 0])
        blocks.append(A.T @ A * draw(st.sampled_from([1.0, 1e-9, 1e-3, 1 / 3, 1e6])))
    return blocks


SHARES = st.sampled_from([0.0, 1e-6, 0.1, 0.5, 0.99])


@given(blocks=block_lists(), shares=st.lists(SHARES, min_size=5, max_size=5))
def test_diagonal_blocks_are_kept_and_the_bound_is_reached(blocks: list[FloatArray], shares: list[float]) -> None:
    tops = [float(np.linalg.eigvalsh(block)[-1]) for block in blocks]
    eps = [share * top for share, top in zip(shares, tops, strict=False)]
    matrix = tight_matrix(blocks, eps=eps)
    np.testing.assert_array_equal(matrix, matrix.T)
    start = 0
    for block in blocks:
        end = start + len(block)
        np.testing.assert_array_equal(matrix[start:end, start:end], block)
        start = end
    values = np.linalg.eigvalsh(matrix)
    slack = 100 * UNIT * sum(tops)
    assert values[0] >= -slack
    assert sum(tops) - sum(eps) - slack <= values[-1] <= sum(tops) + slack


@given(blocks=block_lists())
def test_an_exact_rayleigh_quotient_reaches_the_bound(blocks: list[FloatArray]) -> None:
    matrix = tight_matrix(blocks)
    tops = [np.linalg.eigh(block) for block in blocks]
    w = [Fraction(x) for values, vectors in tops for x in (np.sqrt(values[-1]) * vectors[:, -1]).tolist()]
    rows = [[Fraction(x) for x in row] for row in matrix.tolist()]
    quotient = sum(a * sum(x * b for x, b in zip(row, w, strict=True)) for a, row in zip(w, rows, strict=True))
    total = sum(Fraction(float(values[-1])) for values, _ in tops)
    assert quotient / sum(a * a for a in w) >= total * (1 - Fraction(1, 10**13))


@given(blocks=block_lists())
def test_the_block_diagonal_matrix_reaches_the_lower_bound(blocks: list[FloatArray]) -> None:
    matrix = block_diagonal_matrix(blocks)
    np.testing.assert_array_equal(matrix, matrix.T)
    start = 0
    for block in blocks:
        end = start + len(block)
        np.testing.assert_array_equal(matrix[start:end, start:end], block)
        assert not matrix[start:end, end:].any()
        start = end
    top = max(float(np.linalg.eigvalsh(block)[-1]) for block in blocks)
    assert float(np.linalg.eigvalsh(matrix)[-1]) == pytest.approx(top, rel=100 * UNIT)


def test_one_eps_serves_all_blocks() -> None:
    blocks = [np.diag([4.0, 1.0]), np.diag([9.0, 2.0])]
    np.testing.assert_array_equal(tight_matrix(blocks, eps=3.0), tight_matrix(blocks, eps=[3.0, 3.0]))


def test_the_arguments_are_left_alone() -> None:
    blocks = [np.array([[4.0]]), np.array([[9.0]])]
    tight_matrix(blocks)[:] = 0
    block_diagonal_matrix(blocks)[:] = 0
    assert [block[0, 0] for block in blocks] == [4.0, 9.0]


# -- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("blocks", "what"),
    [
        ([], "at least one diagonal block"),
        ([np.eye(2), np.array([[1.0, 2.0], [0.0, 1.0]])], "diagonal block 1 must be symmetric"),
        ([np.ones((2, 3))], "diagonal block 0 must be square"),
        ([np.diag([1.0, -1e-3])], "diagonal block 0 must be positive semidefinite"),
        ([-np.eye(2)], "diagonal block 0 must be positive semidefinite"),
        ([np.eye(1), np.zeros((2, 2))], "diagonal block 1 must not be zero"),
        ([np.array([[np.nan]])], "diagonal block 0 must be finite"),
        ([np.ones(3)], "diagonal block 0 must be a matrix"),
    ],
)
def test_blocks_must_be_semidefinite_matrices(blocks: list[FloatArray], what: str) -> None:
    for function in (tight_matrix, block_diagonal_matrix):
        with pytest.raises(InvalidInput, match=what):
            function(blocks)


@pytest.mark.parametrize("eps", [-1e-9, 4.0, 5.0, math.nan, math.inf, [0.0, 9.0], [4.0, 0.0], [-1.0, 0.0]])
def test_eps_must_lie_below_each_top_eigenvalue(eps: Any) -> None:
    with pytest.raises(InvalidInput, match="below lambda_max of its block"):
        tight_matrix([[[4.0]], [[9.0]]], eps=eps)


@pytest.mark.parametrize("eps", [[0.0], [0.0, 0.0, 0.0], [], "x", None, [[0.0, 0.0]], [0.0, [1.0]]])
def test_eps_is_one_number_or_one_for_each_block(eps: Any) -> None:
    with pytest.raises(InvalidInput):
        tight_matrix([[[4.0]], [[9.0]]], eps=eps)


def test_a_singular_block_is_not_refused_for_rounding() -> None:
    thirds = np.outer([1, 1 / 3, 1 / 7], [1, 1 / 3, 1 / 7])
    assert tight_matrix([thirds, thirds]).shape == (6, 6)
