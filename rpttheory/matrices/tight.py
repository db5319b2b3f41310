"""Matrices that attain the two bounds on lambda_max by the diagonal blocks, for any number of
blocks.

`lem:twoBounds` says max_k lambda_max(M_k) <= lambda_max(M) <= sum_k lambda_max(M_k) for every
positive semidefinite M with diagonal blocks M_k. Both ends are reached, whatever the blocks: the
lower by the block-diagonal matrix, the upper by the matrix whose off-diagonal blocks align the top
eigenvectors.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidInput
from ..numbers.checks import check_symmetric_matrix
from ..numbers.exact_array import FloatArray
from ..problem.blocks import Blocks


def tight_matrix(
    diagonal_blocks: Sequence[ArrayLike], eps: float | Sequence[float] = 0.0
) -> FloatArray:
    """Return a matrix with these diagonal blocks and lambda_max at least sum_k (lambda_max(M_k) -
    eps_k).

    Paper: prop:reachable_upper_bound (lower, tight)

    With m_k and u_k the top eigenvalue and unit eigenvector of M_k, a_k = m_k - eps_k and w =
    (sqrt(a_k) u_k) stacked, M = BlockDiag(M_k - a_k u_k u_k') + w w'. The first part is positive
    semidefinite because a_k <= m_k, so M is, and w'Mw / w'w is at least w'w = sum a_k. M is
    definite if all M_k are and at most one eps_k is 0, as in the paper, whose matrix is that of two
    blocks with eps_1 = 0. With eps = 0 the bound of `lem:twoBounds` is attained.

    The diagonal blocks are returned bit for bit and the matrix is exactly symmetric, but the other
    entries are rounded: with eps = 0 the least eigenvalue, 0 in theory, may be negative by a few
    units in the last place of lambda_max. The eps_k should then exceed that if the matrix has to be
    semidefinite.

    Parameters
    ----------
    diagonal_blocks : sequence of matrices
        Symmetric positive semidefinite M_k, none of them zero.
    eps : float or sequence of float
        How far to stay from the bound, one number for all blocks or one for each, 0 <= eps_k <
        lambda_max(M_k).

    Returns
    -------
    ndarray

    Examples
    --------
    >>> tight_matrix([[[4.0]], [[9.0]]])
    array([[4., 6.],
           [6., 9.]])
    """
    matrices = _check_blocks(diagonal_blocks)
    tops = [np.linalg.eigh(matrix) for matrix in matrices]
    amounts = _amounts(eps, [float(values[-1]) for values, _ in tops])
    aligned = np.concatenate(
        [
            np.sqrt(amount) * vectors[:, -1]
            for amount, (_, vectors) in zip(amounts, tops, strict=True)
        ]
    )
    return _with_diagonal(np.outer(aligned, aligned), matrices)


def block_diagonal_matrix(diagonal_blocks: Sequence[ArrayLike]) -> FloatArray:
    """Return the matrix with these diagonal blocks and zeros elsewhere: its lambda_max is the
    largest of theirs.

    Paper: lem:twoBounds (lower, tight)

    Parameters
    ----------
    diagonal_blocks : sequence of matrices
        As for `tight_matrix`.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> block_diagonal_matrix([[[4.0]], [[9.0]]])
    array([[4., 0.],
           [0., 9.]])
    """
    matrices = _check_blocks(diagonal_blocks)
    dimension = sum(len(matrix) for matrix in matrices)
    return _with_diagonal(np.zeros((dimension, dimension)), matrices)


def _with_diagonal(matrix: FloatArray, diagonal_blocks: list[FloatArray]) -> FloatArray:
    blocks = Blocks([len(block) for block in diagonal_blocks])
    for where, block in zip(blocks.slices, diagonal_blocks, strict=True):
        matrix[where, where] = block
    return matrix


def _check_blocks(diagonal_blocks: Sequence[ArrayLike]) -> list[FloatArray]:
    matrices = [
        check_symmetric_matrix(block, f"diagonal block {k}").float64
        for k, block in enumerate(diagonal_blocks)
    ]
    if not matrices:
        raise InvalidInput(
            "there must be at least one diagonal block", "an empty list", "[[[4.0]], [[9.0]]]"
        )
    for k, matrix in enumerate(matrices):
        values = np.linalg.eigvalsh(matrix)
        least = float(values[0])
        largest = float(values[-1])
        # A singular block may come out negative by rounding; that much is let pass.
        if least < -8 * len(matrix) * np.finfo(np.float64).eps * abs(largest):
            raise InvalidInput(
                "must be positive semidefinite",
                f"an eigenvalue near {least:g}",
                "a Gram matrix A'A",
                argument=f"diagonal block {k}",
            )
        if largest <= 0:
            raise InvalidInput(
                "must not be zero",
                "lambda_max = 0",
                "leave zero blocks out",
                argument=f"diagonal block {k}",
            )
    return matrices


def _amounts(eps: float | Sequence[float], largest: list[float]) -> FloatArray:
    """Return m_k - eps_k for every block, all positive."""
    try:
        margins = np.asarray(eps, dtype=np.float64)
    except (TypeError, ValueError):
        margins = np.empty((0, 0))
    fits = margins.shape in ((), (len(largest),))
    if not fits or not ((margins >= 0) & (margins < largest)).all():
        raise InvalidInput(
            "must be at least 0 and below lambda_max of its block, as one number or one per block",
            f"{eps!r:.80}, with lambda_max {largest}",
            argument="eps",
            suggest={"eps": 0.0},
        )
    return np.asarray(largest - margins)
