"""Largest eigenvalues of L, of its blocks, of P^-1/2 L P^-1/2 and of E[CLC], by the strongest route
that applies.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from ..eigen import EntrywiseMatrix, bracket_lambda_max
from ..eigen.eigenpairs import FULL, leading_eigenpair_dense
from ..eigen.exact import EXACT_DIMENSION, RationalMatrix, bracket_exactly
from ..eigen.pencil import SLICE, UNIT, absolute_product, stored_entries
from ..errors import InvalidInput
from ..numbers import Bracket, Rigor
from ..numbers.exact_array import ExactArray, FloatArray
from .blocks import Blocks
from .sampling import Sampling
from .smoothness import DiagonalSmoothness, EntrywiseSmoothness, OperatorSmoothness, Smoothness
from .smoothness.protocol import ProductCounter

Effort: TypeAlias = Literal["fast", "sharp", "exact"]

# Relative width beyond which a bracket is computed again from a better vector.
_SUSPICIOUS_WIDTH: dict[str, float] = {"fast": 1e-7, "sharp": 1e-12, "exact": 1e-12}


def lambda_max(
    form: Smoothness,
    weights: ExactArray | None,
    effort: Effort,
    vector: FloatArray | None = None,
) -> Bracket:
    """Return lambda_max(W^-1/2 L W^-1/2), W = Diag(weights), or lambda_max(L).

    `vector` may give an approximate leading eigenvector x, L x close to lambda W x, which saves
    computing one.
    """
    check_effort(effort)
    exact = form.exact_lambda_max(weights)
    if exact is not None:
        return exact
    doubles = None if weights is None else weights.float64
    if form.explicit() is None:
        bracket = form.bracket_lambda_max(doubles, vector, _SUSPICIOUS_WIDTH[effort])
    else:
        bracket = _rigorous(form.explicit, doubles, effort, form.counter, vector)
    if form.floor() is not None:
        # A Gram matrix is positive semidefinite, however its entries were rounded.
        bracket = nonnegative(bracket)
    if weights is not None:
        # x'Lx / x'Wx changes with W by the factor by which the weights do.
        bracket = bracket * Bracket(*weights.rounding(), Rigor.EXACT)
    entries = _exact_entries(form, effort, bracket)
    if entries is None:
        return bracket
    exact_weights = [Fraction(1)] * form.dimension if weights is None else weights.fractions()
    return bracket_exactly(entries, exact_weights, bracket)


def lambda_min(form: Smoothness, effort: Effort) -> Bracket:
    """Return lambda_min(L), which is minus the largest eigenvalue of -L."""
    if isinstance(form, DiagonalSmoothness):
        return Bracket.smallest(form.diagonal_brackets())
    explicit = form.explicit()
    negative: Smoothness
    if explicit is None:
        negative = OperatorSmoothness(
            form.dimension, lambda x: -form.matmat(x), counter=form.counter
        )
    else:
        exact = None
        if effort == "exact" and form.dimension <= EXACT_DIMENSION:
            entries = form.rational()
            if entries is not None and isinstance(explicit.matrix, np.ndarray):
                exact = -np.array(entries, dtype=object)
        negative = EntrywiseSmoothness(-explicit.matrix, explicit.slack, exact)
    bracket = -lambda_max(negative, None, effort)
    return nonnegative(bracket) if form.floor() is not None else bracket


def lambda_max_of_blocks(form: Smoothness, blocks: Blocks, effort: Effort) -> tuple[Bracket, ...]:
    """Return L_k, the largest eigenvalue of each diagonal block."""
    return form.block_brackets(blocks) or tuple(
        lambda_max(form.restrict(rows), None, effort) for rows in blocks.slices
    )


def clc(
    form: Smoothness, blocks: Blocks, sampling: Sampling
) -> FloatArray | sp.sparray | LinearOperator:
    """Return E[CLC], block (k, l) of L times p_kl / (p_k p_l), in the form of L."""
    if isinstance(form, DiagonalSmoothness):
        return sp.diags_array(form.values * _ratio_of_coordinates(sampling, blocks))
    if isinstance(form, EntrywiseSmoothness):
        explicit = form.explicit()
        if _overflow_exponent(explicit, sampling, blocks):
            raise InvalidInput(
                "E[CLC] must be finite", "entries beyond the largest float", "L scaled down"
            )
        return _hadamard(explicit, sampling, blocks, 0).matrix
    product = _clc_product(form, sampling, blocks)
    return LinearOperator(form.shape, matvec=product, matmat=product, dtype=np.float64)


def lambda_max_of_clc(
    form: Smoothness, blocks: Blocks, sampling: Sampling, effort: Effort
) -> Bracket:
    """Return L_M = lambda_max(E[CLC]) for any sampling."""
    check_effort(effort)
    if isinstance(form, DiagonalSmoothness):
        return lambda_max(form, sampling.marginals[blocks.labels], effort)
    explicit = form.explicit()
    if explicit is None:
        product = _clc_product(form, sampling, blocks)
        operator = OperatorSmoothness(form.dimension, product, counter=form.counter)
        return lambda_max(operator, None, effort)
    exponent = _overflow_exponent(explicit, sampling, blocks)
    bracket = _rigorous(
        lambda: _hadamard(explicit, sampling, blocks, exponent), None, effort, form.counter
    )
    if exponent:
        bracket = bracket * Fraction(2) ** exponent
    entries = _exact_entries(form, effort, bracket)
    if entries is None:
        return bracket
    ones = [Fraction(1)] * form.dimension
    return bracket_exactly(_rational_clc(entries, sampling, blocks), ones, bracket)


def is_block_diagonal(L: Smoothness, blocks: Blocks) -> bool:
    """Return whether every entry outside the diagonal blocks is known to be exactly zero."""
    if isinstance(L, DiagonalSmoothness):
        return True
    explicit = L.explicit()
    if explicit is None or not L.exact_zeros:
        return False
    if isinstance(explicit.matrix, np.ndarray):
        if explicit.matrix[0, blocks.sizes[0] :].any():
            return False
        inside = sum(int(np.count_nonzero(explicit.matrix[rows, rows])) for rows in blocks.slices)
        return inside == int(np.count_nonzero(explicit.matrix))
    labels = blocks.labels
    rows = np.repeat(labels, np.diff(explicit.matrix.indptr))
    return bool((rows == labels[explicit.matrix.indices]).all())


def _exact_entries(form: Smoothness, effort: Effort, bracket: Bracket) -> RationalMatrix | None:
    """Return the entries of L in fractions where the effort asks for them and a bracket is
    proved; None elsewhere.
    """
    is_small = effort == "exact" and form.dimension <= EXACT_DIMENSION
    return form.rational() if is_small and bracket.rigor is not Rigor.NUMERICAL else None


def nonnegative(bracket: Bracket) -> Bracket:
    """Return the part of a bracket at or above zero, for a number that is not negative."""
    if bracket.exact_lower >= 0:
        return bracket
    return Bracket(0.0, max(bracket.exact_upper, 0.0), bracket.rigor)


def check_effort(effort: str) -> None:
    """Raise on an unknown effort."""
    if effort not in _SUSPICIOUS_WIDTH:
        raise InvalidInput("unknown effort", repr(effort), "'fast', 'sharp' or 'exact'")


def _rigorous(
    make: Callable[[], Any],
    weights: FloatArray | None,
    effort: Effort,
    counter: ProductCounter,
    vector: FloatArray | None = None,
) -> Bracket:
    """Return the bracket from `vector`, or else from an iteration, or else from a full reduction.

    An iteration may stop at a wrong eigenvalue and `vector` may be poor; the width of the bracket
    shows it. `make`
    returns the matrix for every attempt, which may overwrite it.
    """
    sharp = effort != "fast"
    best: Bracket | None = None
    for attempt in ("vector", "iteration", "reduction"):
        if attempt == "vector" and vector is None:
            continue
        explicit: EntrywiseMatrix = make()
        matrix = explicit.matrix
        dense = isinstance(matrix, np.ndarray)
        proposal: Any = vector
        if attempt == "iteration":
            accuracy = FULL
            if dense and not sharp:
                # Small compared with the error of a dense factorization.
                accuracy = max(2.0**-43, explicit.dimension**2 * UNIT / 16)
            numerical = EntrywiseSmoothness(matrix, counter=counter)
            proposal = numerical.leading_eigenpair(weights, accuracy).vector
        elif attempt == "reduction":
            if not dense:
                break
            proposal = leading_eigenpair_dense(matrix, weights).vector
        bracket = bracket_lambda_max(explicit, weights, proposal, sharp=sharp)
        if best is None or bracket.width < best.width:
            best = bracket
        if best.upper - best.lower <= _SUSPICIOUS_WIDTH[effort] * max(
            abs(best.lower), abs(best.upper)
        ):
            break
    assert best is not None
    return best


# -- E[CLC]


def _ratio_of_coordinates(sampling: Sampling, blocks: Blocks) -> FloatArray:
    every = np.arange(blocks.count)
    return blocks.expand(sampling.pair_ratio(every, every))


def _hadamard(
    explicit: EntrywiseMatrix, sampling: Sampling, blocks: Blocks, exponent: int
) -> EntrywiseMatrix:
    """Return 2^-exponent E[CLC] entry by entry, with a bound on the rounding of the entries as
    slack.
    """
    matrix: Any = explicit.matrix
    labels = blocks.labels
    diagonal_ratio = _ratio_of_coordinates(sampling, blocks)
    moment: Any
    if isinstance(matrix, np.ndarray):
        every = np.arange(blocks.count)
        small = sampling.pair_ratio(every[:, None], every[None, :])
        moment = np.empty_like(matrix)
        for i in range(0, labels.size, SLICE):
            rows = slice(i, i + SLICE)
            moment[rows] = _product_over(
                matrix[rows], np.repeat(small[labels[rows]], blocks.sizes, axis=1), exponent
            )
    else:
        ratio = sampling.pair_ratio(
            np.repeat(labels, np.diff(matrix.indptr)), labels[matrix.indices]
        )
        data = _product_over(matrix.data, ratio, exponent)
        moment = sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    row_sums = absolute_product(moment, np.ones(moment.shape[0]))
    # Each entry errs by at most 5 units relative (4 in the ratio, 1 in the product): Gershgorin.
    slack = 6 * UNIT * row_sums * (1 + 2.0**-20) + 2.0**-1060
    if explicit.slack is not None:
        # (Diag(s) - E) o K is positive semidefinite with Diag(s) - E, because K is (Schur).
        slack = slack + _product_over(explicit.slack, diagonal_ratio, exponent) * (1 + 2.0**-40)
    return EntrywiseMatrix(moment, slack, spare=True)


def _overflow_exponent(explicit: EntrywiseMatrix, sampling: Sampling, blocks: Blocks) -> int:
    """Return k such that entries of 2^-k E[CLC] are in the range of floats, 0 where those of E[CLC]
    are.
    """
    entries = stored_entries(explicit.matrix)
    largest = max(float(entries.max(initial=0.0)), -float(entries.min(initial=0.0)))
    power = (
        math.frexp(largest)[1] + math.frexp(float(_ratio_of_coordinates(sampling, blocks).max()))[1]
    )
    return power if power > 900 else 0


def _product_over(a: FloatArray, b: FloatArray, exponent: int) -> FloatArray:
    """Return 2^-exponent a b, rounded once."""
    if exponent == 0:
        return a * b
    (m, e) = np.frexp(a)
    (n, f) = np.frexp(b)
    return np.asarray(np.ldexp(m * n, e + f - exponent))


def _clc_product(form: Smoothness, sampling: Sampling, blocks: Blocks) -> Any:
    """Return x -> E[CLC] x through products with L: K = sum_j z_j z_j' gives sum_j Diag(z_j) L
    Diag(z_j) x.
    """
    every = np.arange(blocks.count)
    values, vectors = np.linalg.eigh(sampling.pair_ratio(every[:, None], every[None, :]))
    positive = values > values[-1] * blocks.count * UNIT
    factors = vectors[:, positive] * np.sqrt(values[positive])

    def product(x: FloatArray) -> FloatArray:
        columns = x.reshape(form.dimension, -1)
        scaled = factors[blocks.labels]  # d x rank
        result = np.empty_like(columns)
        for j in range(columns.shape[1]):
            result[:, j] = (scaled * form.matmat(scaled * columns[:, j : j + 1])).sum(axis=1)
        return result.reshape(x.shape)

    return product


def _rational_clc(entries: RationalMatrix, sampling: Sampling, blocks: Blocks) -> RationalMatrix:
    """Return E[CLC] in fractions."""
    every = range(blocks.count)
    pair = [[sampling.pair_fraction(k, m) for m in every] for k in every]
    p = [pair[k][k] for k in every]
    label = blocks.labels.tolist()
    return [
        [
            value * pair[label[i]][label[j]] / (p[label[i]] * p[label[j]])
            for j, value in enumerate(row)
        ]
        for i, row in enumerate(entries)
    ]
