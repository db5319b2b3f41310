"""Rigorous brackets for lambda_max(W^-1/2 L W^-1/2), from an approximate top eigenvector.

The vector may be anything: a bad one only widens the bracket.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from ..numbers.arithmetic_guard import arithmetic_problem
from ..numbers.bracket import Bracket
from ..numbers.exact_array import ExactArray, FloatArray
from ..numbers.verdict import Rigor, Verdict
from . import cholesky
from .collatz import dominates, row_sum_bound
from .pencil import UNIT, EntrywiseMatrix, Pencil, make_pencil
from .rayleigh import lower_bound

Prover: TypeAlias = Callable[[Pencil, float], bool]

# Up to this size a sparse matrix is treated as a dense one where that is sharper or the only way:
# 32 MB, and 3e9 operations a factorization. Not tuned.
DENSE_DIMENSION = 2000
# An expected bound on the residual of a sparse factor of thousands of rows, over its largest
# diagonal entry. A wrong guess costs one factorization.
_GENEROUS = 1e-11


def bracket_lambda_max(
    explicit: EntrywiseMatrix, weights: FloatArray | None, x: FloatArray, *, sharp: bool = False
) -> Bracket:
    """Bracket lambda_max(W^-1/2 L W^-1/2) by a Rayleigh quotient and a factorization.

    Parameters
    ----------
    explicit : EntrywiseMatrix
        The matrix L.
    weights : ndarray, optional
        The positive diagonal of W, one entry per coordinate; None for the identity.
    x : ndarray
        An approximate top eigenvector of the pencil (L, W).
    sharp : bool
        Spend several times more for a bracket about d times narrower (dense matrices).

    Returns
    -------
    Bracket
        VERIFIED, or NUMERICAL where the processor's arithmetic is not sound.

    Examples
    --------
    >>> import numpy as np
    >>> L = EntrywiseMatrix(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> 3 in bracket_lambda_max(L, None, np.ones(2))
    True
    """
    rigor = Rigor.NUMERICAL if arithmetic_problem(explicit.dimension) else Rigor.VERIFIED
    pencil = make_pencil(explicit, weights)
    if pencil is None:
        return Bracket.point(0.0)
    vector = pencil.vector(x)
    low = lower_bound(pencil, vector, accurate=sharp)
    for prove, step in _provers(pencil, low, sharp):
        high = _climb(pencil, prove, low, step, patience=5 if sharp else 0)
        if high is not None:
            break
    else:
        high = max(row_sum_bound(pencil, vector), low)
    return Bracket(pencil.original_down(low), pencil.original_up(high), rigor)


def prove_psd(
    explicit: EntrywiseMatrix,
    weights: FloatArray,
    level: float = 1.0,
    *,
    sharp: bool = False,
    quick: bool = False,
    sign: int = 1,
) -> Verdict:
    """Prove that level Diag(weights) - sign L is positive semidefinite.

    Parameters
    ----------
    explicit : EntrywiseMatrix
        The matrix L.
    weights : ndarray
        Nothing is proved unless all are positive and finite.
    level : float
        The level.
    sharp : bool
        Try the more expensive proof by residual too (dense matrices).
    quick : bool
        Do not repeat a failed proof in case the level is within 1e-10 of the least possible one
        (sparse matrices).
    sign : int
        1 or -1.

    Returns
    -------
    Verdict
        PROVED or UNDECIDED.

    Examples
    --------
    >>> import numpy as np
    >>> L = EntrywiseMatrix(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> print(prove_psd(L, np.ones(2), 3.01), prove_psd(L, np.ones(2), 2.99))
    PROVED UNDECIDED
    """
    usable = (weights > 0).all() and np.isfinite(weights).all()
    if not usable or arithmetic_problem(explicit.dimension):
        return Verdict.UNDECIDED
    pencil = make_pencil(explicit, weights, sign)
    if pencil is None:
        return Verdict.PROVED if level >= 0 else Verdict.UNDECIDED
    # A smaller level is harder to prove; beyond 2^100 nothing is gained and numbers would overflow.
    scaled = min(pencil.scaled_level(level), 2.0**100)
    if not isinstance(pencil.matrix, np.ndarray) and dominates(pencil, scaled):
        return Verdict.PROVED
    provers = _provers(pencil, 0.0, sharp)
    if provers and provers[0][0] is cholesky.proves_by_sparse_residual:
        generous = partial(cholesky.proves_by_sparse_residual, guess=_GENEROUS)
        provers = [(generous, 0.0), *([] if quick else provers)]
    proved = any(prove(pencil, scaled) for prove, _ in provers)
    return Verdict.PROVED if proved else Verdict.UNDECIDED


def bracket_lambda_max_of_diagonal(diagonal: ExactArray, weights: ExactArray | None) -> Bracket:
    """Return max_i L_ii / w_i, exactly.

    Parameters
    ----------
    diagonal : ExactArray
        The L_ii.
    weights : ExactArray, optional
        The positive w_i; None for ones.

    Returns
    -------
    Bracket
        EXACT.

    Examples
    --------
    >>> from rpttheory.numbers import exact_array
    >>> print(bracket_lambda_max_of_diagonal(exact_array([3, 4], "L"), None))
    4
    """
    with np.errstate(over="ignore"):
        quotients = diagonal.float64 if weights is None else diagonal.float64 / weights.float64
    top = float(quotients.max())
    # The numbers of a quotient and the quotient are rounded once each, on both sides of a
    # comparison.
    margin = 8 * UNIT * abs(top) + 2.0**-1070 if math.isfinite(top) else 0.0
    if diagonal.exact is not None and float(np.abs(diagonal.float64).min()) < 2.0**-1000:
        margin = math.inf  # numbers so small may be rounded by more than that
    rivals = np.flatnonzero(quotients >= top - margin)
    values = diagonal[rivals].fractions()
    if weights is not None:
        divisors = weights[rivals].fractions()
        values = [value / weight for value, weight in zip(values, divisors, strict=True)]
    return Bracket.of_fraction(max(values))


def _provers(pencil: Pencil, low: float, sharp: bool) -> list[tuple[Prover, float]]:
    """Return the proofs that apply, each with a distance above `low` where it should succeed."""
    d = pencil.dimension
    matrix = pencil.matrix
    if not isinstance(matrix, np.ndarray):
        if cholesky.affordable(matrix) and not (sharp and d <= DENSE_DIMENSION):
            return [(cholesky.proves_by_sparse_residual, 400 * UNIT * max(abs(low), 1.0))]
        if d > DENSE_DIMENSION:
            return []
        dense = replace(pencil, matrix=np.asarray(matrix.toarray()))
        return [
            (lambda _, t, prove=prove: prove(dense, t), step)  # type: ignore[misc]
            for prove, step in _provers(dense, low, sharp)
        ]
    diagonal = np.maximum(low * pencil.weights - pencil.diagonal, 0.0)
    noise = 16 * UNIT * max(abs(low), 1.0)
    # The pencil's memory may be overwritten: nothing reads it after a proof.
    by_cholesky = partial(cholesky.proves_by_cholesky, overwrite=True)
    plain = (by_cholesky, 2.5 * cholesky.rounding_shift(diagonal) + noise)
    if not sharp:
        return [plain]
    # The Rayleigh quotient below has the slack once, the level above it once more.
    spread = 0.0 if pencil.slack is None else 2 * float(pencil.slack.max())
    fine = 1.2 * cholesky.residual_guess(np.maximum(diagonal, UNIT)) + 0.4 * noise + spread
    return [(cholesky.proves_by_residual, fine), plain]


def _climb(
    pencil: Pencil,
    prove: Prover,
    low: float,
    step: float,
    *,
    patience: int,
) -> float | None:
    """Return the first level low + step, low + larger steps, ... that is proved.

    None if no level below twice the scale is. Steps grow by a quarter while patience lasts, then
    fourfold: near the truth a narrow bracket is worth a few more factorizations, farther away it is
    out of reach.
    """
    while step < max(abs(low), 1.0):
        if prove(pencil, low + step):
            return low + step
        step *= 1.25 if patience > 0 else 4
        patience -= 1
    return None
