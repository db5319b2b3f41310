"""Brackets of lambda_max at full size, with hostile vectors, extreme entries and inputs to
refuse.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from soundness.tops import ExactTop, path_laplacian, symmetric

from rpttheory.eigen import (
    EntrywiseMatrix,
    bracket_lambda_max,
    bracket_lambda_max_of_diagonal,
    cholesky,
    prove_psd,
)
from rpttheory.eigen.collatz import row_sum_bound
from rpttheory.eigen.pencil import make_pencil
from rpttheory.numbers import Verdict
from rpttheory.numbers.exact_array import ExactArray
from rpttheory.problem.quantities import (
    L_M,
    lmax,
)
from rpttheory.problem.sampling import IndependentSampling

UNIT = 2.0**-53
HUGE = math.nextafter(math.inf, 0.0)
Array = np.ndarray[Any, np.dtype[np.float64]]


# -- closed forms at full size


def smaller_index(n: int) -> Array:
    i = np.arange(1, n + 1)
    return np.minimum(i[:, None], i[None, :]).astype(float)


def bipartite(n: int) -> Array:
    a = n // 3
    return np.block(
        [[np.zeros((a, a)), np.ones((a, n - a))], [np.ones((n - a, a)), np.zeros((n - a, n - a))]]
    )


CLOSED_FORMS: dict[str, tuple[Callable[[int], Array], Callable[[int], Any]]] = {
    "path": (path_laplacian, lambda n: 2 + 2 * mpmath.cos(mpmath.pi / n)),
    "min(i, j)": (smaller_index, lambda n: 1 / (4 * mpmath.sin(mpmath.pi / (4 * n + 2)) ** 2)),
    "bipartite": (bipartite, lambda n: mpmath.sqrt((n // 3) * (n - n // 3))),
    "all ones": (lambda n: np.ones((n, n)), mpmath.mpf),
    "minus identity plus ones": (
        lambda n: np.ones((n, n)) - n * np.eye(n),
        lambda n: mpmath.mpf(0),
    ),
}


def enclosure(value: Any) -> tuple[Fraction, Fraction]:
    middle = Fraction(int(mpmath.floor(value * mpmath.mpf(2) ** 200)), 2**200)
    return middle - Fraction(1, 2**190), middle + Fraction(1, 2**190)


@pytest.mark.parametrize("name", CLOSED_FORMS)
@pytest.mark.parametrize(
    ("effort", "n", "steps"),
    [("fast", 300, 3 * 300**2), ("sharp", 300, 10 * 300), ("fast", 500, 3 * 500**2)],
)
def test_dense_closed_forms(name: str, effort: Any, n: int, steps: float) -> None:
    make, formula = CLOSED_FORMS[name]
    matrix = make(n)
    with mpmath.workprec(300):
        low, high = enclosure(formula(n))
    bracket = lmax(matrix, effort=effort)
    tolerance = Fraction(1, 2**189)  # of the enclosure, where the bracket ends at the truth itself
    assert bracket.exact_lower <= low + tolerance and high - tolerance <= bracket.exact_upper
    assert bracket.width <= steps * UNIT * max(
        float(np.abs(high)), float(np.abs(matrix).sum(axis=1).max())
    )


# -- any vector will do


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("sharp", [False, True])
def test_wrong_vectors_only_widen(form: Any, sharp: bool) -> None:
    rng = np.random.default_rng(1)
    vectors = [
        np.zeros(5),
        np.full(5, math.nan),
        np.full(5, math.inf),
        np.full(5, 5e-324),
        np.full(5, HUGE),
    ]
    vectors += [
        np.eye(5)[0],
        rng.standard_normal(5),
        -np.ones(5),
        10.0 ** rng.uniform(-300, 300, 5),
    ]
    weights = rng.uniform(0.05, 1, 5)
    remaining = symmetric(rng.standard_normal((5, 5))), path_laplacian(5) - 4 * np.eye(5)
    for matrix in (np.ones((5, 5)), -np.ones((5, 5)), *remaining):
        for w in (None, weights):
            judge = ExactTop(matrix, w)
            for x in vectors:
                bracket = bracket_lambda_max(EntrywiseMatrix(form(matrix)), w, x, sharp=sharp)
                assert judge.contains(bracket.exact_lower, bracket.exact_upper)


def test_row_sums_bound_the_top() -> None:
    rng = np.random.default_rng(2)
    for index in range(80):
        d = int(rng.integers(1, 9))
        matrix = (
            symmetric(rng.uniform(0, 1, (d, d)))
            if index % 2
            else symmetric(rng.standard_normal((d, d)))
        )
        weights = 10.0 ** rng.uniform(-5, 5, d) if index % 3 else None
        slack = rng.uniform(0, 1e-3, d) if index % 4 == 0 else np.zeros(d)
        pencil = make_pencil(EntrywiseMatrix(matrix, slack), weights)
        assert pencil is not None
        bound = pencil.original_up(row_sum_bound(pencil, rng.standard_normal(d)))
        assert ExactTop(matrix + np.diag(slack), weights).sign(bound) >= 0


def test_row_sums_of_long_rows() -> None:
    """The sums of a thousand equal numbers err by more than the last few bits."""
    for d in (100, 400, 1000):
        for value in (0.1, 0.3, 0.7, 0.9):
            pencil = make_pencil(EntrywiseMatrix(np.full((d, d), value)))
            assert pencil is not None
            bound = pencil.original_up(row_sum_bound(pencil, np.ones(d)))
            assert (
                d * Fraction(value)
                <= Fraction(bound)
                <= d * Fraction(value) * (1 + Fraction(4 * d, 2**53))
            )


# -- diagonal matrices


def test_diagonal_matrices_are_exact() -> None:
    rng = np.random.default_rng(3)
    for index in range(400):
        d = int(rng.integers(1, 7))
        values = rng.standard_normal(d) * 10.0 ** rng.uniform(-300, 300)
        weights = rng.uniform(0.1, 1, d) * 10.0 ** rng.uniform(-20, 0, d)
        if index % 2:  # quotients that differ in the last place or not at all
            weights = rng.uniform(0.1, 1, d)
            values = weights * (1 + UNIT * rng.integers(-3, 4, d)) * rng.choice([-1, 1])
        if index % 5 == 0:
            values = 5e-324 * rng.integers(-5, 6, d)
        if index % 7 == 0:  # quotients beyond the largest float
            values = 1e300 * rng.uniform(0.1, 1, d)
            weights *= 1e-300
        bracket = bracket_lambda_max_of_diagonal(
            ExactArray(values), None if weights is None else ExactArray(weights)
        )
        assert bracket.exact == max(
            Fraction(a) / Fraction(b)
            for a, b in zip(values.tolist(), weights.tolist(), strict=True)
        )


# -- scaling


@pytest.mark.parametrize("has_slack", [False, True])
def test_the_shifted_diagonal_is_rounded_down_and_close(has_slack: bool) -> None:
    rng = np.random.default_rng(6)
    exact = np.vectorize(Fraction, otypes=[object])
    for size in 10.0 ** rng.uniform(-20, 0, 100):
        slack = size * rng.uniform(0, 1, 5) if has_slack else None
        matrix = EntrywiseMatrix(np.diag(rng.uniform(-1, 1, 5)), slack)
        pencil = make_pencil(matrix, rng.uniform(0.1, 1, 5))
        assert pencil is not None
        t = float(rng.uniform(-2, 2))
        truth = Fraction(t) * exact(pencil.weights) - exact(pencil.diagonal)
        if pencil.slack is not None:
            truth -= exact(pencil.slack)
        error = truth - exact(pencil.shifted_diagonal(t))
        assert (error >= 0).all() and (error <= Fraction(1, 2**46)).all()


# -- extremes


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("slack", [False, True])
@pytest.mark.parametrize(
    "exponents", [(0, 0, 0), (1, -2, 5), (-41, 40, 3), (1000, 999, 998), (-900, -901, -1)]
)
def test_scaling_changes_no_digit(exponents: tuple[int, ...], slack: bool, form: Any) -> None:
    """Entries times powers of two, exactly; weights in [1, 4), the largest entry or slack in [1/2,
    1).
    """
    matrix = np.array([[1.1, -3e-9, 0.0], [-3e-9, -5e-18, 7e-30], [0.0, 7e-30, 1.3]])
    weights = np.ldexp([1.7, 1.0, 1.9], exponents)
    added = np.array([1e-17, 0.0, 5e-3]) if slack else None
    pencil = make_pencil(EntrywiseMatrix(form(matrix), added), weights)
    assert pencil is not None
    exact = np.vectorize(Fraction, otypes=[object])
    power = exact(np.ldexp(1.0, pencil.scaling))
    unit = Fraction(2) ** pencil.exponent
    entries = pencil.matrix if isinstance(pencil.matrix, np.ndarray) else pencil.matrix.toarray()
    expected = exact(matrix) * power[:, None] * power * unit
    lost = abs(expected) < Fraction(2) ** -1000
    assert ((exact(entries) == expected) | lost).all()
    assert (exact(pencil.weights) == exact(weights) * power**2).all()
    assert (pencil.weights >= 1).all() and (pencil.weights < 4).all()
    largest = np.abs(entries).max()
    if added is not None and pencil.slack is not None:
        least = exact(added) * power**2 * unit
        most = least * (1 + Fraction(1, 2**50)) + Fraction(2) ** -1000
        assert (least < exact(pencil.slack)).all() and (exact(pencil.slack) <= most).all()
        largest = max(largest, pencil.slack.max())
    assert 0.5 <= largest < 1 + 2.0**-50


def test_zero_and_weights_that_are_not_positive() -> None:
    zero = EntrywiseMatrix(np.zeros((2, 2)))
    assert prove_psd(zero, np.ones(2), 0.0) is Verdict.PROVED
    assert prove_psd(zero, np.ones(2), -1e-300) is Verdict.UNDECIDED
    for bad in (-1.0, -0.5, 0.0, math.nan, math.inf):
        weights = np.array([bad, 1.0])
        for matrix in (zero, EntrywiseMatrix(-4 * np.eye(2))):
            assert prove_psd(matrix, weights, 1.0) is Verdict.UNDECIDED


@pytest.mark.parametrize("sharp", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_sign_is_that_of_the_matrix_and_nothing_given_is_changed(form: Any, sharp: bool) -> None:
    """level W + L >= 0, where L is a path's Laplacian less 3, with least eigenvalue -3; also with
    slack.
    """
    L = path_laplacian(6) - 3 * np.eye(6)
    for weights in (np.ones(6), np.full(6, 2.0**-7)):
        for slack in (None, np.full(6, 0.25)):
            explicit = EntrywiseMatrix(form(L), slack)
            edge = (3 if slack is None else 3.25) / weights[0]
            for factor, verdict in ((1 + 1e-9, Verdict.PROVED), (1 - 1e-9, Verdict.UNDECIDED)):
                assert prove_psd(explicit, weights, edge * factor, sharp=sharp, sign=-1) is verdict
            assert (explicit.matrix != form(L)).sum() == 0


@pytest.mark.parametrize("sharp", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_levels_far_above_the_truth_are_proved(form: Any, sharp: bool) -> None:
    for size, level in (
        (1.0, 1e3),
        (1.0, 1e120),
        (1.0, 1e300),
        (1e-300, 1.0),
        (1e-300, 1e10),
        (5e-324, 1e300),
    ):
        explicit = EntrywiseMatrix(form(size * np.ones((3, 3))))
        assert prove_psd(explicit, np.ones(3), level, sharp=sharp) is Verdict.PROVED


@pytest.mark.parametrize(("quick", "attempts"), [(True, 1), (False, 2)])
def test_a_quick_proof_factors_once(
    quick: bool, attempts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    factored = []
    factor = cholesky.sparse_factor

    def counting(matrix: Any) -> Any:
        factored.append(matrix)
        return factor(matrix)

    monkeypatch.setattr(cholesky, "sparse_factor", counting)
    path = sp.csr_array(sp.diags_array([-np.ones(9), np.ones(10), -np.ones(9)], offsets=[-1, 0, 1]))
    weights = np.ones(10)
    assert prove_psd(EntrywiseMatrix(path), weights, 2.9, quick=quick) is Verdict.UNDECIDED
    assert len(factored) == attempts
    assert prove_psd(EntrywiseMatrix(path), weights, 2.95, quick=quick) is Verdict.PROVED


def test_a_cluster_that_defeats_the_eigensolver() -> None:
    """LAPACK's subset solver may return no vector at all for eigenvalues this close."""
    for seed in range(40):
        noise = symmetric(np.random.default_rng(seed).standard_normal((12, 12)))
        for matrix in (np.eye(12) - 3e-16 * np.abs(noise), np.eye(12) + 1e-15 * noise):
            bracket = lmax(matrix)
            assert 1 - 1e-12 < bracket.lower <= bracket.upper < 1 + 1e-12


def test_exact_second_moments_of_many_independent_blocks() -> None:
    """Pair probabilities need no enumeration of 2^B sets."""
    d = 22
    bracket = L_M(
        np.ones((d, d)), "each", sampling=IndependentSampling(np.full(d, 0.5)), effort="exact"
    )
    assert bracket.exact == d + 1  # J + I
