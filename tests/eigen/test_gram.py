"""Gram matrices: what forming A'A costs is kept as slack, and the routes that avoid forming it are
sound.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from soundness.data_matrices import data_matrices, staircase_columns
from soundness.reals import gram_of, known_within
from soundness.tops import ExactTop

from rpttheory.eigen import gram as module
from rpttheory.eigen.gram import (
    bracket_lambda_max_of_gram,
    can_bracket,
    entrywise_gram,
    sparse_entrywise_gram,
)
from rpttheory.eigen.pencil import EntrywiseMatrix
from rpttheory.problem.quantities import lmax
from rpttheory.problem.smoothness import gram

UNIT = 2.0**-53
Array = np.ndarray[Any, np.dtype[np.float64]]


def slack_covers(explicit: EntrywiseMatrix, truth: list[list[Fraction]]) -> bool:
    assert explicit.slack is not None
    dense = (
        explicit.matrix if isinstance(explicit.matrix, np.ndarray) else explicit.matrix.toarray()
    )
    return known_within(dense.tolist(), explicit.slack.tolist(), truth)


def data_sets() -> list[tuple[str, Array, float, Any]]:
    """Data matrices with a scale and a shift."""
    cases: list[tuple[str, Array, float, Any]] = []
    for name, data in data_matrices():
        cases.append((name, data, 1.0, 0.0))
        if name.startswith(("signed", "thirds")):
            cases += [(f"{name}, ridge", data, 0.1, 0.3), (f"{name}, huge shift", data, 1.0, 1e20)]
    # One number everywhere: all entries of A'A err alike, so the errors add up to d times one of
    # them.
    numbers = np.random.default_rng(6).uniform(0.5, 1, 5)
    cases += [(f"all {x:.3f}", np.full((1, 16), x), 0.1, 0.0) for x in numbers]
    cases.append(("stairs", staircase_columns(200), 1.0, 0.0))
    cases.append(("a rounded shift alone", np.array([[1.0, 0.0]]), 1.0, Fraction(1, 3)))
    # A'A falls below the smallest float, scale A'A does not.
    for size, scale in ((1e-170, 1e300), (1.7e-161, 1e6), (1e-158, 1e150)):
        data = np.array([[size, -size / 3], [size / 7, size]])
        cases.append((f"underflow {size}", data, scale, 0.0))
    return cases


DATA = data_sets()
everything = pytest.mark.parametrize(
    ("data", "scale", "shift"), [d[1:] for d in DATA], ids=[d[0] for d in DATA]
)


@everything
def test_slack_covers_the_rounding(data: Array, scale: float, shift: float) -> None:
    truth = gram_of(data, scale, shift)
    assert slack_covers(entrywise_gram(data, scale, shift), truth)
    assert slack_covers(sparse_entrywise_gram(sp.csr_array(data), scale, shift), truth)


def test_products_that_long_columns_leave_out_count() -> None:
    """With 2^20 rows a slice has 16 bits, and what the slices omit exceeds the roundings."""
    data = np.full((2**20, 1), 2.0**-17 - 2.0**-32 + 2.0**-33 - 2.0**-48 + 2.0**-49 - 2.0**-64)
    data[0] = 1 - 2.0**-10
    first, second = (Fraction(value) for value in data[:2, 0].tolist())
    truth = first**2 + (2**20 - 1) * second**2
    explicit = entrywise_gram(data, 1.0, 0.0)
    assert slack_covers(explicit, [[truth]])
    assert abs(Fraction(float(explicit.matrix[0, 0])) - truth) > 8 * Fraction(UNIT) * truth


@pytest.mark.parametrize("rounding", [1e-3, 1.01 * UNIT])
@pytest.mark.parametrize("sign", [-1, 1])
def test_data_may_be_off_by_their_rounding(rounding: float, sign: int) -> None:
    """All entries larger, or smaller, than the truth by as much as is said."""
    truth = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, 0.0]])
    nearest = truth * (1 + sign * rounding * (1 - 2.0**-20))
    entries = gram_of(truth, 2.0, 0.5)
    assert slack_covers(entrywise_gram(nearest, 2.0, 0.5, rounding_of_data=rounding), entries)
    assert slack_covers(
        sparse_entrywise_gram(sp.csr_array(nearest), 2.0, 0.5, rounding_of_data=rounding), entries
    )
    judge = ExactTop(entries)
    vector = numerical_top(truth, 2.0, 0.5, None)
    for form in (nearest, sp.csr_array(nearest)):
        for few in (0, 3000):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(module, "_FEW_ROWS", few)
                bracket = bracket_lambda_max_of_gram(
                    form, 2.0, 0.5, None, vector, rounding_of_data=rounding
                )
            assert judge.contains(bracket.exact_lower, bracket.exact_upper)


@pytest.mark.parametrize("rows", [0, 3000])
def test_what_is_handed_to_a_proof_is_rounded_to_the_harder_side(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    quotients: list[Array] = []
    for route in ("_schur_proves", "_augmented_proves"):
        monkeypatch.setattr(
            module, route, lambda data, quotient, rounding: quotients.append(quotient) or True
        )
    monkeypatch.setattr(module, "_FEW_ROWS", rows)
    rng = np.random.default_rng(12)
    for _ in range(100):
        data = rng.standard_normal((2, 4))
        w = rng.uniform(1, 1.001, 4)
        shift = Fraction(int(rng.integers(1, 999)), 7)
        low, high = module._ends_without_scale(
            data, shift, w, numerical_top(data, 1.0, float(shift), w), 0.0
        )
        assert low < high < math.inf
        for q, weight in zip(quotients[-1].tolist(), w.tolist(), strict=True):
            truth = Fraction(high) * Fraction(weight) - shift
            assert Fraction(q) <= truth <= Fraction(q) + 6 * Fraction(UNIT) * Fraction(high)


def test_sums_that_cancel_to_zero_still_count() -> None:
    """scipy drops sums that round to zero, but what was rounded away remains.

    A'A = 16 I + n 2^-54 J on 64 columns: the first and the last rows of A contribute 8 I + H and 8
    I - H for a Hadamard matrix H, and the n rows of 2^-27 between them are lost to rounding.
    """
    n = 4000
    d = 2001
    hadamard = scipy.linalg.hadamard(64).astype(float)
    eye = np.eye(64)
    block = np.vstack(
        [(8 * eye + hadamard) / 4, np.full((n, 64), 2.0**-27), (8 * eye - hadamard) / 4]
    )
    data = sp.csr_array(sp.hstack([sp.csr_array(block), sp.csr_array((block.shape[0], d - 64))]))
    truth = 16 + 64 * n * Fraction(1, 2**54)
    bracket = lmax(gram(data))
    assert bracket.exact_lower <= truth <= bracket.exact_upper


def small_weighted(seed: int) -> list[tuple[Array, float, float, Array | None]]:
    rng = np.random.default_rng(seed)
    matrices: list[tuple[Array, float, float, Array | None]] = []
    for n, d in ((1, 1), (1, 4), (3, 5), (5, 3), (8, 8)):
        a = rng.standard_normal((n, d))
        matrices += [
            (a, 1.0, 0.0, None),
            (a, 2 / n, 1e-3, rng.uniform(0.05, 1, d)),
            (np.ones((n, d)), 1 / 3, 0.0, 10.0 ** rng.uniform(-8, 8, d)),
            (a * (rng.random((n, d)) < 0.4) + np.eye(n, d), 2.0, 0.1, rng.uniform(0.05, 1, d)),
            (a * 10.0 ** rng.uniform(-60, 60, d), 1.0, 0.0, None),
            (a * 1e150, 1e-3, 0.0, None),
            (a * 1e-150, 1e3, 0.0, None),
        ]
    return matrices


def numerical_top(data: Array, scale: float, shift: float, weights: Array | None) -> Array:
    root = np.ones(data.shape[1]) if weights is None else 1 / np.sqrt(weights)
    size = np.abs(data).max() or 1.0
    columns = data / size * root
    matrix = scale * columns.T @ columns + np.diag(shift * (root / size) ** 2)
    return np.asarray(np.linalg.eigh(matrix)[1][:, -1] * root)


@pytest.mark.parametrize("route", ["dual", "_FEW_ROWS", "_ENTRIES"])
def test_brackets_from_the_data_alone(route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the Schur complement, or by the augmented matrix where the data exceed either limit."""
    if route != "dual":
        monkeypatch.setattr(module, route, 0)
        monkeypatch.setattr(
            module, "_schur_proves", lambda *_: pytest.fail("too many rows or entries")
        )
    # Both limits lead to the same matrix: behind the second, a third of the data, which is some of
    # every kind and size.
    for data, scale, shift, weights in small_weighted(1)[:: 3 if route == "_ENTRIES" else 1]:
        form = data if route == "dual" else sp.csr_array(data)
        judge = ExactTop(gram_of(data, scale, shift), weights)
        poor = bracket_lambda_max_of_gram(form, scale, shift, weights, np.ones(data.shape[1]))
        good = bracket_lambda_max_of_gram(
            form, scale, shift, weights, numerical_top(data, scale, shift, weights)
        )
        assert judge.contains(poor.exact_lower, poor.exact_upper) and judge.contains(
            good.exact_lower, good.exact_upper
        )
        assert good.width <= 1e-9 * good.upper


def test_the_lower_bound_is_below_the_exact_quotient(staircase: Any) -> None:
    """Also where A x nearly vanishes, and its rounding errors are all there is."""
    rng = np.random.default_rng(11)
    stairs, x = staircase(200)
    trials = [(stairs[:1], x, np.ones(200), Fraction(1, 10), 1e-12)]
    for index in range(200):
        data = rng.standard_normal((rng.integers(1, 6), rng.integers(2, 7)))
        x = rng.standard_normal(data.shape[1])
        if index % 2:  # rows orthogonal to x up to rounding
            data -= np.outer(data @ x, x) / (x @ x)
        shift = Fraction((0.0, 1e-20)[index % 3 == 0])
        weights = rng.uniform(0.1, 1, x.size)
        trials.append((data, x / np.abs(x).max(), weights, shift, 1.0 if index % 2 else 1e-9))
    for data, x, weights, shift, width in trials:
        a, v, w = (
            np.vectorize(Fraction, otypes=[object])(np.asarray(b)) for b in (data, x, weights)
        )
        truth = (((a @ v) ** 2).sum() + shift * (v @ v)) / ((w * v) @ v)
        bound = Fraction(module._rayleigh(data, shift, weights, x, 0.0))
        assert truth * (1 - Fraction(width)) <= bound <= truth


def test_squares_of_products_that_underflow() -> None:
    """Rounding to nearest may round a subnormal square up, which a lower bound must not."""
    data = np.zeros((100, 3))
    data[:, 0] = 1.6e-162
    for scale in (1.0, 1e30):
        bracket = bracket_lambda_max_of_gram(data, scale, 0.0, None, np.array([1.0, 0.0, 0.0]))
        assert ExactTop(gram_of(data, scale, 0.0)).contains(
            bracket.exact_lower, bracket.exact_upper
        )


@pytest.mark.parametrize("rows", [3, 60])
def test_wide_data_at_full_size(rows: int) -> None:
    """d = 2500 is not formed; the top eigenvalue is known because the rows are orthogonal."""
    d = 2500
    data = np.zeros((rows, d))
    for i in range(rows):
        data[i, i::rows] = 1.0 + (i == 1)
    assert can_bracket(data) and not can_bracket(np.broadcast_to(1.0, (rows, 10**8)))
    bracket = lmax(gram(data, 1 / 3, 0.125))
    truth = 4 * len(range(1, d, rows)) * Fraction(1 / 3) + Fraction(1, 8)
    assert bracket.exact_lower <= truth <= bracket.exact_upper and bracket.width <= 1e-9 * float(
        truth
    )


def test_the_schur_complement_and_the_augmented_matrix_refuse_levels_below() -> None:
    rng = np.random.default_rng(9)
    for data in (rng.standard_normal((4, 7)), np.ones((3, 5)), rng.choice([-1.0, 1.0], (6, 6))):
        top = float(np.linalg.norm(data, 2) ** 2)
        for route in (module._schur_proves, module._augmented_proves):
            assert not route(data, np.full(data.shape[1], top * (1 - 1e-12)), 0.0)
            assert route(data, np.full(data.shape[1], top * (1 + 1e-11)), 0.0)


def test_levels_that_only_the_rounded_data_reach_are_refused() -> None:
    rng = np.random.default_rng(10)
    rounding = 1e-6
    for data in (rng.standard_normal((4, 7)), np.ones((3, 5)), rng.choice([-1.0, 1.0], (6, 6))):
        nearest = data * (1 - rounding)
        top = float(np.linalg.norm(data, 2) ** 2)
        for route in (module._schur_proves, module._augmented_proves):
            between = np.full(data.shape[1], top * (1 - 0.5 * rounding))
            assert route(nearest, between, 0.0) and not route(nearest, between, rounding)
            assert route(nearest, np.full(data.shape[1], top * (1 + 60 * rounding)), rounding)
