"""Every quantity against brute force: enumeration of the sketch in fractions, exact definiteness,
50 digits.
"""

import itertools
import math
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from soundness.reals import Rows, Top, gram_of, inside, known_within, rows_of

from rpttheory import Problem
from rpttheory.eigen import EntrywiseMatrix
from rpttheory.eigen.eigenpairs import Eigenpair
from rpttheory.errors import InvalidInput
from rpttheory.numbers import Bracket, Rigor, Verdict
from rpttheory.numbers.exact_array import ExactArray, exact_array
from rpttheory.problem import eigen_brackets
from rpttheory.problem.blocks import Blocks
from rpttheory.problem.eigen_brackets import is_block_diagonal, lambda_max
from rpttheory.problem.quantities import (
    L_M,
    L_P,
    block_L,
    c_P,
    expected_clc,
    lmax,
)
from rpttheory.problem.sampling import (
    ExplicitSampling,
    IndependentSampling,
    NestedSampling,
    Sampling,
    SingleBlockSampling,
)
from rpttheory.problem.smoothness import EntrywiseSmoothness, as_smoothness, diagonal, gram

EFFORTS = ("fast", "sharp", "exact")
U = Fraction(1, 2**53)
BLOCKS = Blocks((2, 1, 3))


# -- exact tools ----------------------------------------------------------------------------------


def holds(bracket: Bracket, top: Top) -> bool:
    return bool(inside(bracket.exact_lower, bracket.exact_upper, top))


def holds_top(bracket: Bracket, matrix: Rows, weights: list[Fraction] | None = None) -> bool:
    """Return whether lambda_max of the pencil lies in the bracket."""
    return holds(bracket, Top(matrix, weights))


def require_narrow(bracket: Bracket, effort: str, name: str) -> None:
    """And proved: an exact one to the last digit, a rounded one where the eigenvalue is as large as
    the matrix.
    """
    assert bracket.rigor >= Rigor.VERIFIED
    if effort == "exact":
        assert relative_width(bracket) <= 2.0**-130
    elif name not in ("negative", "indefinite"):
        assert relative_width(bracket) <= 1e-12


def enumerated(L: Rows, sampling: Sampling, blocks: Blocks) -> Rows:
    """sum over outcomes of probability C L C, with the exact marginals of the law."""
    outcomes = list(sampling.support())
    marginal = [
        sum((o.probability for o in outcomes if o.active[k]), Fraction(0))
        for k in range(blocks.count)
    ]
    label = blocks.labels.tolist()
    d = blocks.dimension
    total = [[Fraction(0)] * d for _ in range(d)]
    for outcome in outcomes:
        sketch = [
            1 / marginal[label[i]] if outcome.active[label[i]] else Fraction(0) for i in range(d)
        ]
        for i, j in itertools.product(range(d), repeat=2):
            total[i][j] += outcome.probability * sketch[i] * L[i][j] * sketch[j]
    return total


def relative_width(bracket: Bracket) -> float:
    return float(
        (bracket.exact_upper - bracket.exact_lower)
        / max(abs(bracket.exact_lower), abs(bracket.exact_upper))
    )


# -- the instances --------------------------------------------------------------------------------

DATA = np.rint(4 * np.random.default_rng(12).standard_normal((5, 6)))
WHOLE = DATA.T @ DATA
REAL = (lambda half: half @ half.T)(np.random.default_rng(13).standard_normal((6, 4)))
REAL = (REAL + REAL.T) / 2
W = np.array([3.0, -1.0, 2.0, 0.5, 1.0, -2.5])

MATRICES: dict[str, np.ndarray] = {
    "whole": WHOLE,
    "real": REAL,
    "rank-one": np.outer(W, W),
    "ones": np.ones((6, 6)),
    "block-diagonal": WHOLE * (BLOCKS.labels[:, None] == BLOCKS.labels[None, :]),
    "graded": REAL * np.outer(10.0 ** -np.arange(0, 12, 2), 10.0 ** -np.arange(0, 12, 2)),
    "cluster": np.eye(6) + 1e-15 * REAL,
    "negative": -REAL - np.eye(6),
    "indefinite": REAL - 2 * np.eye(6),
    "huge": REAL * 1e290,
    "minute": REAL * 1e-290,
}
MATRICES = {name: (matrix + matrix.T) / 2 for name, matrix in MATRICES.items()}

PROBABILITIES = [
    (0.2, 1.0, 0.5),
    (1.0, 1.0, 1.0),
    (0.3, 0.3, 0.3),
    (1e-12, 1.0, 3e-7),
    (1 / 3, 0.1, 0.7),
]

SAMPLINGS: dict[str, Sampling] = {
    "nested": NestedSampling([0.2, 1.0, 0.5]),
    "nested-other-cycle": NestedSampling([0.5, 0.2, 1.0]),
    "nested-idle": NestedSampling([0.3, 0.1, 0.6]),
    "nested-wide": NestedSampling([1e-12, 1.0, 3e-7]),
    "independent": IndependentSampling([0.2, 0.9, 1 / 3]),
    "independent-wide": IndependentSampling([1e-12, 0.5, 1.0]),
    "single": SingleBlockSampling([0.25, 0.125, 0.625]),
    "single-rounded": SingleBlockSampling([1 / 3, 1 / 3, 1 / 3]),
    "explicit": ExplicitSampling([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1.0, 2.0, 4.0]),
    "explicit-thirds": ExplicitSampling([[1, 1, 1], [0, 0, 0]], [1.0, 2.0]),
    "explicit-fifths": ExplicitSampling([[1, 1, 1], [0, 0, 0]], [1.0, 4.0]),
    "explicit-wide": ExplicitSampling([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1e-9, 1.0, 3e3]),
}

every_matrix = pytest.mark.parametrize("name", MATRICES)
every_sampling = pytest.mark.parametrize("sampling", SAMPLINGS.values(), ids=SAMPLINGS.keys())
every_effort = pytest.mark.parametrize("effort", EFFORTS)


# -- lambda_max, L_k and L_P ----------------------------------------------------------------------


@every_effort
@pytest.mark.parametrize("kind", ["top", "zero", "other", "tiny", "nan"])
def test_a_vector_at_hand_changes_neither_truth_nor_width(kind: str, effort: Any) -> None:
    p = (0.2, 1.0, 0.5)
    root = 1 / np.sqrt(BLOCKS.expand(p))
    eigenvectors = np.linalg.eigh(REAL * np.outer(root, root))[1]
    vectors = {
        "top": root * eigenvectors[:, -1],
        "zero": np.zeros(6),
        "other": root * eigenvectors[:, 0],
        "tiny": np.full(6, 1e-310),
        "nan": np.full(6, np.nan),
    }
    weights = ExactArray(BLOCKS.expand(p))
    bracket = lambda_max(as_smoothness(REAL), weights, effort, vectors[kind])
    assert holds_top(bracket, rows_of(REAL), [Fraction(w) for w in BLOCKS.expand(p).tolist()])
    assert relative_width(bracket) <= 1e-12


@every_matrix
def test_every_bracket_holds_its_eigenvalue(name: str) -> None:
    L = MATRICES[name]
    entries = rows_of(L)
    blocks = [Top(rows_of(L[rows, rows])) for rows in BLOCKS.slices]
    weighted = {p: Top(entries, list(map(Fraction, BLOCKS.expand(p)))) for p in PROBABILITIES}
    moments = {
        kind: Top(enumerated(entries, sampling, BLOCKS)) for kind, sampling in SAMPLINGS.items()
    }
    for effort in EFFORTS:
        assert holds_top(lmax(L, effort=effort), entries), effort
        for bracket, top in zip(block_L(L, BLOCKS, effort=effort), blocks, strict=True):
            assert holds(bracket, top), effort
        brackets = {p: L_P(L, BLOCKS, p, effort=effort) for p in PROBABILITIES}
        brackets |= {
            kind: L_M(L, BLOCKS, sampling=sampling, effort=effort)
            for kind, sampling in SAMPLINGS.items()
        }
        for key, bracket in brackets.items():
            assert holds(bracket, {**weighted, **moments}[key]), (key, effort)
            require_narrow(bracket, effort, name)


# -- E[CLC] and L_M -------------------------------------------------------------------------------


@every_sampling
def test_expected_clc_has_the_form_of_its_matrix(sampling: Sampling) -> None:
    dense = expected_clc(REAL, BLOCKS, sampling=sampling)
    sparse = expected_clc(sp.csr_array(REAL), BLOCKS, sampling=sampling)
    assert isinstance(dense, np.ndarray) and sp.issparse(sparse)
    np.testing.assert_array_equal(sparse.toarray(), dense)
    operator = expected_clc(aslinearoperator(REAL), BLOCKS, sampling=sampling)
    assert isinstance(operator, LinearOperator)
    for x in (np.eye(6), np.ones(6)):
        np.testing.assert_allclose(operator @ x, dense @ x, atol=1e-12 * np.abs(dense).max())


def test_expected_clc_keeps_the_order_of_the_coordinates() -> None:
    L = np.diag([4.0, 5.0, 6.0, 7.0]) + 1
    blocks = Blocks.from_labels(["a", "b", "c", "a"])  # not an involution
    p = np.array([1.0, 0.5, 0.25])
    pair = 1 / np.maximum.outer(p, p)[np.ix_([0, 1, 2, 0], [0, 1, 2, 0])]
    problem = Problem(L, blocks, probabilities=p)
    np.testing.assert_array_equal(problem.expected_clc, L * pair)
    np.testing.assert_array_equal(expected_clc(sp.csr_array(L), blocks, p).toarray(), L * pair)
    operator = expected_clc(aslinearoperator(L), blocks, p)
    np.testing.assert_allclose(operator @ np.eye(4), L * pair, rtol=1e-12)


@every_sampling
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_the_entries_of_expected_clc_are_enclosed(form: Any, sampling: Sampling) -> None:
    """The bracket of L_M rests on this; factorization errors would hide a missing slack there.

    A slack of L much larger than rounding is multiplied as well: L = matrix + Diag(slack) is one
    of the matrices it stands for.
    """
    slack = np.array([1e-3, 2e-3, 5e-4, 1e-3, 3e-3, 1e-3])
    # Entries near the least doubles are rounded by more than a unit of themselves.
    minute = REAL * 2.0**-1070
    for L, unknown, sign in (
        (REAL, None, 0),
        (minute, None, 0),
        (REAL, slack, 1),
        (REAL, slack, -1),
    ):
        enclosure = eigen_brackets._hadamard(EntrywiseMatrix(form(L), unknown), sampling, BLOCKS, 0)
        matrix = (
            enclosure.matrix
            if isinstance(enclosure.matrix, np.ndarray)
            else enclosure.matrix.toarray()
        )
        truth = rows_of(L)
        for i, value in enumerate(slack.tolist()):
            truth[i][i] += sign * Fraction(value)
        exact = enumerated(truth, sampling, BLOCKS)
        assert known_within(matrix.tolist(), enclosure.slack.tolist(), exact)
        if unknown is None:
            assert (enclosure.slack <= 1e-13 * np.abs(matrix).sum(axis=1) + 1e-300).all()


def test_a_matrix_that_a_proof_has_used_up_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A poor vector gives a wide bracket after which the next attempt needs E[CLC] again, and L is
    as it was.
    """
    monkeypatch.setattr(
        EntrywiseSmoothness, "leading_eigenpair", lambda *_: Eigenpair(0.0, np.eye(6)[0], 0.0)
    )
    form = as_smoothness(REAL)
    before = REAL.copy()
    sampling = SAMPLINGS["nested"]
    bracket = L_M(form, BLOCKS, sampling=sampling)
    assert holds_top(bracket, enumerated(rows_of(REAL), sampling, BLOCKS))
    require_narrow(bracket, "fast", "")
    np.testing.assert_array_equal(form.explicit().matrix, before)


# -- all forms of one matrix ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "form", [REAL * 1e300, sp.csr_array(REAL * 1e300), gram(np.eye(6) * 1e150)]
)
def test_values_beyond_the_largest_float_are_bracketed(form: Any) -> None:
    """p = 1e-12 lifts L_P and L_M above 1.8e308: brackets that say so, not an overflow."""
    p = (1e-12, 1e-12, 1e-11)
    for bracket in (
        L_P(form, BLOCKS, p),
        L_M(form, BLOCKS, sampling=NestedSampling(p)),
    ):
        assert bracket.lower >= 1e307 and bracket.upper == math.inf


# -- black boxes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [6, 60])
def test_a_black_box_is_numerical_and_decides_nothing(dimension: int) -> None:
    half = np.random.default_rng(3).standard_normal((dimension, dimension))
    L = half @ half.T
    L = (L + L.T) / 2
    blocks = Blocks((2, dimension - 2))
    p = (0.25, 1.0)
    box = aslinearoperator(L)
    sampling = IndependentSampling(p)
    pairs = [
        (lmax(box), lmax(L)),
        (
            L_P(box, blocks, p),
            L_P(L, blocks, p),
        ),
        (
            L_M(box, blocks, sampling=sampling),
            L_M(L, blocks, sampling=sampling),
        ),
        (
            c_P(box, blocks, p, (1.0, 2.0)),
            c_P(L, blocks, p, (1.0, 2.0)),
        ),
        *zip(block_L(box, blocks), block_L(L, blocks), strict=True),
    ]
    for bracket, truth in pairs:
        assert bracket.rigor is Rigor.NUMERICAL
        assert bracket.midpoint == pytest.approx(truth.midpoint, rel=1e-9)
        assert bracket.width <= 1e-6 * truth.upper
        for verdict in (
            bracket <= 1e9,
            bracket >= 0.0,
            bracket <= -1.0,
            bracket == bracket,
            truth <= bracket,
        ):
            assert verdict is Verdict.UNDECIDED


def test_a_black_box_that_turns_nan_later_is_refused() -> None:
    calls = 0

    def product(x: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        return x * (1.0 if calls < 4 else np.nan)

    form = as_smoothness(LinearOperator((50, 50), matvec=product, matmat=product, dtype=np.float64))
    with pytest.raises(InvalidInput, match="finite"):
        lmax(form)


# -- routes to the eigenvalue of a Gram matrix ----------------------------------------------------


@pytest.mark.parametrize(
    ("route", "sparse"),
    [
        ("formed", False),
        ("formed", True),
        ("sparse-formed", True),
        ("schur", False),
        ("schur", True),
        ("augmented", True),
    ],
)
def test_every_route_to_a_gram_matrix_holds_the_eigenvalue(
    monkeypatch: pytest.MonkeyPatch, route: str, sparse: bool
) -> None:
    """The routes that only large data takes, forced on data small enough for exact arithmetic."""
    if route != "formed":
        monkeypatch.setattr(
            import_module("rpttheory.problem.smoothness.gram"), "FORMED_DIMENSION", 0
        )
    if route in ("schur", "augmented"):
        monkeypatch.setattr(
            import_module("rpttheory.problem.smoothness.gram"), "_FORMED_ENTRIES", 0
        )
    if route == "augmented":
        monkeypatch.setattr(import_module("rpttheory.eigen.gram"), "_FEW_ROWS", 0)
    rng = np.random.default_rng(21)
    data = rng.standard_normal((7, 6)) * (rng.random((7, 6)) < 0.7)
    exact = gram_of(data, 0.3, 0.1)
    for p in PROBABILITIES:
        form = gram(sp.csr_array(data) if sparse else data, 0.3, 0.1)
        bracket = L_P(form, BLOCKS, p)
        assert bracket.rigor is Rigor.VERIFIED and relative_width(bracket) <= 1e-9
        assert holds_top(bracket, exact, [Fraction(w) for w in BLOCKS.expand(p).tolist()])


def test_data_that_no_route_fits_is_numerical(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("rpttheory.problem.smoothness.gram"), "FORMED_DIMENSION", 0)
    monkeypatch.setattr(import_module("rpttheory.eigen.gram"), "_FEW_ROWS", 0)
    bracket = lmax(gram(DATA))
    assert bracket.rigor is Rigor.NUMERICAL
    assert bracket.midpoint == pytest.approx(lmax(WHOLE).midpoint, rel=1e-12)


# -- refusals and structure -----------------------------------------------------------------------


def test_block_diagonal_means_known_to_be_block_diagonal() -> None:
    inside = MATRICES["block-diagonal"]
    for form in (inside, sp.csr_array(inside), diagonal(np.ones(6))):
        assert is_block_diagonal(as_smoothness(form), BLOCKS)
    for form in (WHOLE, sp.csr_array(WHOLE), gram(DATA), gram(np.eye(6)), aslinearoperator(inside)):
        assert not is_block_diagonal(as_smoothness(form), BLOCKS)
    assert is_block_diagonal(as_smoothness(WHOLE), Blocks((6,)))
    corner = inside.copy()
    corner[0, 5] = corner[5, 0] = 5e-324
    assert not is_block_diagonal(as_smoothness(corner), BLOCKS)
    assert not is_block_diagonal(as_smoothness(sp.csr_array(corner)), BLOCKS)


@pytest.mark.parametrize("p", [[1e-150, 1.0, 1.0], [1e-300, 1.0, 1.0]])
def test_nothing_is_known_of_products_beyond_the_doubles(p: list[float]) -> None:
    L = 1e200 * np.array([[1.0, 0.1, 0.0], [0.1, 2.0, 0.0], [0.0, 0.0, 1.0]])
    bracket = L_P(aslinearoperator(L), [1, 1, 1], p)
    assert (bracket.lower, bracket.upper, bracket.rigor) == (-math.inf, math.inf, Rigor.NUMERICAL)


@pytest.mark.parametrize("size", [1e-307, 1e305, 1.7e308])
def test_a_large_matrix_of_any_size_is_bracketed(size: float) -> None:
    """Beyond d = 300 by products, whose sums would leave the range of doubles; so does the last
    eigenvalue.
    """
    top = lmax(np.full((310, 310), size))
    truth = 310 * Fraction(size)
    assert top.rigor is Rigor.VERIFIED and top.exact_lower <= truth <= top.exact_upper
    assert relative_width(top) <= 1e-10 if math.isfinite(top.exact_upper) else top.upper == math.inf


def test_a_tiny_probability_is_within_the_range_of_single_precision() -> None:
    """From d = 301 on a rough vector is found in it first; a block of zeros has a closed form of
    1e-150.
    """
    d = 301
    A = np.random.default_rng(5).standard_normal((d, d))
    L = A @ A.T / 2 + (A @ A.T).T / 2
    within = lmax(L[10:15, 10:15])
    for p in (1e-22, 1e-40, 1e-150):
        bracket = L_P(L, [10, 5, d - 15], [1, p, 1])
        assert within.lower / p <= bracket.upper and bracket.upper <= 2 * d * within.upper / p
        assert bracket.rigor is Rigor.VERIFIED and bracket.width <= 1e-7 * bracket.upper
    L[10:15] = L[:, 10:15] = 0.0
    assert L_P(L, [10, 5, d - 15]).upper < 1e5


def test_rounded_probabilities_widen_the_bracket(monkeypatch: pytest.MonkeyPatch) -> None:
    """The eigenvalue at the nearest doubles, exactly, is not that at thirds."""
    at_doubles = Bracket.of_fraction(1 / Fraction(1 / 3))
    monkeypatch.setattr(eigen_brackets, "_rigorous", lambda *_: at_doubles)
    thirds = exact_array(np.full(6, Fraction(1, 3), dtype=object), "p")
    assert 3 in lambda_max(as_smoothness(REAL), thirds, "fast") and 3 not in at_doubles
