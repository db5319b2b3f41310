"""Bounds by products alone, and A'A added up over chunks: every constant against fractions on hard
chunks.
"""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from soundness.data_matrices import data_matrices, staircase_columns
from soundness.reals import gram_of, known_within
from soundness.tops import ExactTop

from rpttheory.eigen import collatz
from rpttheory.eigen.collatz import (
    Products,
    bracket_lambda_max_of_products,
    product_above,
    squares_below,
    sum_above,
)
from rpttheory.eigen.gram import summed_entrywise_gram
from rpttheory.numbers import Rigor

UNIT = 2.0**-53
Array = np.ndarray[Any, np.dtype[np.float64]]
Rational = list[list[Fraction]]


MATRICES = {name: data for name, data in data_matrices() if not name.startswith("far apart")}
SHIFTS = (Fraction(0), Fraction(1, 3))
every = pytest.mark.parametrize("data", MATRICES.values(), ids=MATRICES.keys())


def fractions(values: Any) -> Any:
    return np.array([Fraction(float(x)) for x in np.ravel(values)], dtype=object).reshape(
        np.shape(values)
    )


@every
def test_products_are_bounded_from_above_and_squares_from_below(data: Array) -> None:
    rng = np.random.default_rng(1)
    a = fractions(data)
    for z in (
        np.ones(data.shape[1]),
        rng.random(data.shape[1]) * 10.0 ** rng.uniform(-20, 0, data.shape[1]),
    ):
        exact = fractions(z)
        for received in (data, sp.csr_array(data), sp.csc_array(data)):
            above = product_above(received, z).tolist()
            truth = abs(a).T @ (abs(a) @ exact)
            assert all(
                Fraction(x) >= y for x, y in zip(above, truth, strict=True) if math.isfinite(x)
            )
            assert all(map(math.isfinite, above)) or np.abs(data).max() > 1e149
            below = float(squares_below(received, z)[0])
            squares = ((a @ exact) ** 2).sum()
            assert not below > squares
            assert (
                below >= (1 - 1e-9) * squares
                or (data < 0).any()
                or not 1e-100 < np.abs(data).max() < 1e100
            )


def test_squares_beyond_the_floats_are_not_known() -> None:
    """Each of the two is finite and their sum is not; nor is the last one."""
    for rows in ([1.3e154, 1.3e154], [1e200]):
        assert math.isnan(squares_below(np.array(rows)[:, None], np.ones(1))[0])
    assert squares_below(np.full((1, 1), 6e153), np.ones(1))[0] > 3.5e307


def test_squares_allow_for_sums_that_round_upwards(staircase: Any) -> None:
    matrix, x = staircase(200)
    truth = (fractions(np.asarray(matrix)) @ fractions(x)) ** 2
    assert (1 - 1e-12) * float(truth.sum()) <= squares_below(matrix, x)[0] <= truth.sum()
    assert np.linalg.norm(matrix @ x) ** 2 > truth.sum()


@pytest.mark.parametrize("terms", [2, 30, 1000])
def test_room_of_a_sum_grows_with_its_terms(terms: int) -> None:
    """1 + s + s + ... with s just below half a unit: added from left to right every s is lost."""
    small = 0.999 * UNIT
    total = 1.0
    for _ in range(terms - 1):
        total += small
    assert total == 1.0
    (above,) = sum_above(np.array([total]), terms).tolist()
    assert Fraction(above) >= 1 + (terms - 1) * Fraction(small)
    assert above <= 1 + (terms + 8) * UNIT * 2


def products(data: Array, starts: list[int]) -> Products:
    parts = [slice(a, b) for a, b in itertools.pairwise([*starts, data.shape[1]])]

    def side_by_side(function: Callable[[Array, Array], Array]) -> Callable[[Array], Array]:
        return lambda x: np.concatenate([function(data[:, part], x[part]) for part in parts])

    nearest = side_by_side(lambda a, x: a.T @ (a @ x))
    return Products(
        nearest, side_by_side(product_above), side_by_side(squares_below), np.array(starts)
    )


@every
def test_eigenvalues_lie_between_the_ends(data: Array) -> None:
    rng = np.random.default_rng(2)
    d = data.shape[1]
    scale = Fraction(2, 7)
    weights = {"ones": np.ones(d), "graded": 10.0 ** -rng.uniform(0, 8, d)}
    exact = {shift: gram_of(data, scale, shift) for shift in SHIFTS}
    partitions = ([0], [0, 1][:d], list(range(d)))
    for shift, (name, w), starts in itertools.product(SHIFTS, weights.items(), partitions):
        result = bracket_lambda_max_of_products(
            products(data, starts), scale, shift, w, rng.standard_normal(d), 1e-9
        )
        for bracket, (a, b) in zip(result, itertools.pairwise([*starts, d]), strict=True):
            judge = ExactTop([row[a:b] for row in exact[shift][a:b]], w[a:b])
            assert judge.contains(bracket.exact_lower, bracket.exact_upper), (name, shift)
            assert bracket.rigor is Rigor.VERIFIED
            if (data >= 0).all() and 1e-100 < np.abs(data[:, a:b]).max() < 1e100:
                assert bracket.width <= 1e-7 * bracket.upper


def test_blocks_that_nothing_connects_are_no_obstacle() -> None:
    """The vector of the larger part is zero on the other, where a bound must not be taken from
    noise.
    """
    data = np.zeros((60, 60))
    data[:40, :30] = np.random.default_rng(0).random((40, 30))
    data[40:, 30:] = 0.5 * np.random.default_rng(1).random((20, 30))
    start = np.zeros(60)
    start[:30] = 1.0
    (bracket,) = bracket_lambda_max_of_products(
        products(data, [0]), Fraction(1), Fraction(0), np.ones(60), start, 1e-9
    )
    assert bracket.width <= 1e-9 * bracket.upper


def test_nothing_is_proved_where_arithmetic_is_not_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collatz, "arithmetic_problem", lambda d: "rounding upwards")
    (bracket,) = bracket_lambda_max_of_products(
        products(np.ones((2, 2)), [0]), Fraction(1), Fraction(0), np.ones(2), np.ones(2), 1e-9
    )
    assert bracket.upper == math.inf and bracket.lower <= 0


# -- A'A over chunks ------------------------------------------------------------------------------


def summed(
    data: Array,
    size: int,
    order: Any,
    scale: Fraction,
    shift: Fraction,
    roundings: int | None = None,
) -> Any:
    """A'A from chunks of `size` rows added up in some order, each row by row."""
    chunks = [data[k : k + size] for k in range(0, len(data), size)]
    gram = np.zeros((data.shape[1], data.shape[1]))
    for k in order(len(chunks)):
        part = np.zeros_like(gram)
        for row in chunks[k]:
            part += row[:, None] * row
        gram += part
    n = size + len(chunks) if roundings is None else roundings
    return summed_entrywise_gram(gram, lambda v: product_above(data, v), n, len(data), scale, shift)


@every
def test_slack_of_a_sum_over_chunks_covers_it_in_any_order(data: Array) -> None:
    for scale, shift in (
        (Fraction(1), Fraction(0)),
        (Fraction(2, 7), Fraction(1, 3)),
        (Fraction(2**500), Fraction(0)),
    ):
        truth = gram_of(data, scale, shift)
        for size, order in ((1, range), (3, lambda n: range(n)[::-1]), (len(data), range)):
            explicit = summed(data, size, order, scale, shift)
            if explicit is None:
                assert np.abs(data).max() > 1e149
            else:
                assert known_within(explicit.matrix.tolist(), explicit.slack.tolist(), truth), (
                    scale,
                    size,
                )


def test_slack_of_a_sum_over_chunks_follows_the_grading_of_its_columns() -> None:
    data = np.random.default_rng(5).standard_normal((30, 4)) * 10.0 ** -np.arange(0, 16, 4)
    explicit = summed(data, 30, range, Fraction(1), Fraction(0))
    assert (explicit.slack <= 4 * 50 * UNIT * explicit.matrix.diagonal()).all()


@pytest.mark.parametrize("size", [1, 20, 200])
def test_slack_counts_the_roundings_of_chunks_and_of_their_sum(size: int) -> None:
    data = staircase_columns(200)
    truth = gram_of(data, Fraction(1), Fraction(0))
    explicit = summed(data, size, range, Fraction(1), Fraction(0))
    assert known_within(explicit.matrix.tolist(), explicit.slack.tolist(), truth)
    assert explicit.slack.max() <= 3 * (size + 200 // size + 20) * UNIT
    if size == 200:
        weak = summed(data, size, range, Fraction(1), Fraction(0), roundings=0)
        assert not known_within(weak.matrix.tolist(), weak.slack.tolist(), truth)
