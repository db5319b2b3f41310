"""What the forms of smoothness matrix do not share: how they are recognized, refused, formed and
counted.
"""

from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from refusals import refuses
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from rpttheory.eigen.eigenpairs import Eigenpair
from rpttheory.numbers import Rigor
from rpttheory.numbers.exact_array import SparseExactArray, exact_array
from rpttheory.problem.blocks import Blocks
from rpttheory.problem.problem import Problem
from rpttheory.problem.smoothness import (
    DiagonalSmoothness,
    EntrywiseSmoothness,
    OperatorSmoothness,
    as_smoothness,
    diagonal,
    gram,
    symmetric_part,
)
from rpttheory.problem.smoothness.rounding import slack_of
from rpttheory.statements.verify import verify

# The package has a function of the same name.
GRAM_FILE = import_module("rpttheory.problem.smoothness.gram")
SYMMETRIC = np.array([[2.0, 0.1, 0.0], [0.1, 3.0, -1.0], [0.0, -1.0, 4.0]])
ULP_OFF = SYMMETRIC.copy()
ULP_OFF[0, 1] = np.nextafter(0.1, 1.0)
ONE_SIDED = np.array([[2.0, 1e-11], [0.0, 3.0]])
SKEWED = SYMMETRIC.copy()
SKEWED[0, 1] += 1e-11


def with_entry(value: float) -> np.ndarray:
    matrix = SYMMETRIC.copy()
    matrix[1, 2] = matrix[2, 1] = value
    return matrix


# -- recognizing a form ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "form", "is_sparse"),
    [
        (SYMMETRIC, EntrywiseSmoothness, False),
        (SYMMETRIC.tolist(), EntrywiseSmoothness, False),
        (np.diag([1.0, 2.0]), EntrywiseSmoothness, False),
        (sp.csr_array(SYMMETRIC), EntrywiseSmoothness, True),
        (sp.coo_matrix(SYMMETRIC), EntrywiseSmoothness, True),
        (sp.csr_array(np.array([[1.0, 2.0], [2.0, 0.0]])), EntrywiseSmoothness, True),
        (sp.dia_array(np.diag([1.0, 2.0])), DiagonalSmoothness, True),
        (sp.csr_array((2, 2)), DiagonalSmoothness, True),
        (
            sp.csr_array(([1.0, 0.0, 0.0], ([0, 0, 1], [0, 1, 0])), shape=(2, 2)),
            DiagonalSmoothness,
            True,
        ),
        (aslinearoperator(SYMMETRIC), OperatorSmoothness, None),
    ],
)
def test_each_input_becomes_its_form(given: Any, form: type, is_sparse: bool | None) -> None:
    smoothness = as_smoothness(given)
    assert type(smoothness) is form
    explicit = smoothness.explicit()
    assert (None if explicit is None else sp.issparse(explicit.matrix)) is is_sparse


# -- refusals -------------------------------------------------------------------------------------


COMPLEX = np.array([[1.0, 1j], [-1j, 1.0]])
REFUSED: list[Any] = [
    *(form(with_entry(x)) for x in (np.nan, -np.inf) for form in (np.array, sp.csr_array)),
    aslinearoperator(with_entry(np.nan)),
    *(SKEWED, ONE_SIDED, sp.csr_array(SKEWED), sp.csr_array(ONE_SIDED), sp.csc_array(ONE_SIDED.T)),
    aslinearoperator(ULP_OFF + np.triu(np.ones((3, 3)))),
    *(sp.csr_array(np.ones((2, 3))), aslinearoperator(np.ones((2, 3))), sp.csr_array((0, 0))),
    *(sp.csr_array(COMPLEX), aslinearoperator(COMPLEX), aslinearoperator(np.eye(2) * (1 + 0j))),
    LinearOperator((0, 0), matvec=lambda x: x, dtype=np.float64),
]


@pytest.mark.parametrize("matrix", REFUSED, ids=range(len(REFUSED)))
def test_refusals(matrix: Any) -> None:
    with np.errstate(invalid="ignore"), refuses():
        as_smoothness(matrix)


@pytest.mark.parametrize("values", [[], [[1.0]], 3.0, [1.0, np.nan], [np.inf]])
def test_diagonals_are_checked(values: Any) -> None:
    with refuses():
        diagonal(values)


@pytest.mark.parametrize(
    ("argument", "data", "options"),
    [
        *(("scale", SYMMETRIC, {"scale": scale}) for scale in (0.0, -1.0, np.inf, np.nan)),
        *(("shift", SYMMETRIC, {"shift": shift}) for shift in (-1e-300, np.inf, np.nan)),
        ("A", np.ones(3), {}),
        ("A", np.empty((0, 3)), {}),
        ("A", sp.csr_array((0, 3)), {}),
        *(("A", form([[x]]), {}) for x in (np.nan, 1j) for form in (np.array, sp.csr_array)),
        *(("", form([[1e200]]), {}) for form in (np.array, sp.csr_array)),
        ("", np.full((5, 2), 1e154), {}),
    ],
)
def test_data_matrices_are_checked(argument: str, data: Any, options: dict[str, float]) -> None:
    with refuses(argument):
        gram(data, **options)


# -- Gram matrices --------------------------------------------------------------------------------


def test_wide_data_is_not_multiplied_out(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = gram(np.ones((2, 2001)))
    assert (
        wide.explicit() is None and wide.rational() is None and GRAM_FILE.FORMED_DIMENSION == 2000
    )
    monkeypatch.setattr(GRAM_FILE, "FORMED_DIMENSION", 20)
    assert (
        gram(np.ones((2, 20))).explicit() is not None and gram(np.ones((2, 21))).explicit() is None
    )


def test_sparse_data_is_multiplied_out_where_that_is_cheap() -> None:
    explicit = gram(sp.csr_array(np.eye(2, 2500))).explicit()
    assert explicit is not None and sp.issparse(explicit.matrix) and explicit.matrix.nnz <= 2 * 2500
    dense_rows = sp.csr_array(np.ones((4, 2500)))
    assert gram(dense_rows).explicit() is None


# -- products as the measure of cost --------------------------------------------------------------


def test_small_blocks_of_a_sparse_matrix_are_dense_wherever_they_lie() -> None:
    chain = sp.csr_array(sp.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(700, 700)))
    form = as_smoothness(chain)
    for start, stop, is_sparse in ((0, 300, False), (400, 700, False), (0, 301, True)):
        assert sp.issparse(form.restrict(slice(start, stop)).explicit().matrix) is is_sparse


def test_a_steep_grading_does_not_lose_errors_to_underflow() -> None:
    """The error of the small entry times its weight is zero in doubles, and must come back all the
    same.
    """
    error = 2.0**-1054
    unrounded, rounded = slack_of(np.diag([1.0, 2.0**-1000]), np.diag([0.0, error]))
    assert unrounded == 0 and rounded >= error


def test_room_for_sums_of_errors_grows_with_the_number_of_terms(staircase: Any) -> None:
    """Added from left to right, each of the small errors is lost beside the large one."""
    d = 100
    small = 0.999 * 2.0**-53
    errors = np.diag(np.full(d, 1.0))
    errors[0, 1:] = errors[1:, 0] = small
    slack = slack_of(np.eye(d), errors.view(type(staircase(2)[0])))
    assert Fraction(float(slack[0])) >= 1 + (d - 1) * Fraction(small)


def test_a_diagonal_of_fractions_is_explicit_up_to_its_rounding() -> None:
    entries = [Fraction(1, 3), Fraction(2)]
    explicit = diagonal(entries).explicit()
    assert explicit.slack[0] >= abs(entries[0] - Fraction(float(entries[0]))) > 0
    assert diagonal([1.5, 2.0]).explicit().slack is None


def test_the_symmetric_part_of_entries_near_the_largest_float() -> None:
    huge = np.diag(np.full(61, 1.6e308))
    huge[0, 1] = 1.6e308
    huge[1, 0] = 1.0e308
    part = symmetric_part(exact_array(huge, "L"), 1e-16)
    assert part.restrict(slice(0, 2)).explicit().matrix.tolist() == [
        [1.6e308, 1.3e308],
        [1.3e308, 1.6e308],
    ]


@pytest.mark.parametrize(
    ("value", "residual", "ends"),
    [
        (5.0, 0.5, (4.5, 5.5)),
        (-5.0, 0.5, (-5.5, -4.5)),
        (1.7e308, 1e308, (-np.inf, np.inf)),
        (-1.7e308, 1e308, (-np.inf, np.inf)),
        (5.0, np.nan, (-np.inf, np.inf)),
    ],
)
def test_the_residual_of_an_operator_widens_its_bracket_to_both_sides(
    value: float, residual: float, ends: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    form = as_smoothness(aslinearoperator(np.eye(2)))
    pair = Eigenpair(value, np.array([1.0, 0.0]), residual)
    monkeypatch.setattr(type(form), "leading_eigenpair", lambda *_: pair)
    bracket = form.bracket_lambda_max(None, None, 1e-9)
    assert (bracket.lower, bracket.upper) == ends
    assert bracket.rigor is Rigor.NUMERICAL


@pytest.mark.parametrize("d", [3, 70])
@pytest.mark.parametrize("kind", ["dense", "sparse", "fractions", "sparse fractions"])
def test_rounding_asymmetry_is_averaged_exactly_and_noted(kind: str, d: int) -> None:
    """The verdicts are about (L + L')/2, also where the blocks are not consecutive."""
    up = np.nextafter(1.0, 2.0)
    matrix: Any = 4 * np.eye(d) + np.diag(np.ones(d - 1), 1) + np.diag(np.ones(d - 1), -1)
    matrix[0, 1] = up
    mean = (Fraction(up) + 1) / 2
    if "fractions" in kind:
        matrix = np.array([[Fraction(x) for x in row] for row in matrix.tolist()], dtype=object)
        matrix[0, 1] = 1 + Fraction(1, 3 * 10**20)
        mean = 1 + Fraction(1, 6 * 10**20)
    if kind == "sparse":
        matrix = sp.csr_array(matrix)
    if kind == "sparse fractions":
        rounded = sp.csr_array(matrix.astype(float))
        matrix = SparseExactArray(rounded, matrix[matrix != 0])
    form = as_smoothness(matrix)
    exact = form.rational()
    if exact is not None:
        assert exact[0][1] == exact[1][0] == mean and exact[1][2] == exact[2][1] == 1
    stored = form.explicit()
    assert abs(Fraction(float(stored.matrix[0, 1])) - mean) <= Fraction(1, 2**53)
    assert stored.matrix[0, 1] == stored.matrix[1, 0]
    if stored.slack is not None:
        assert 0 < stored.slack[0] < 1e-14 and stored.slack[2:].max() == 0, (
            "only the changed entries are rounded"
        )
    assert 0 < form.asymmetry < 1e-15 and len(form.notes) == 1
    labels = [k % 2 for k in range(d)]
    result = verify(matrix, Blocks.from_labels(labels))
    assert result.to_dict()["notes"] == list(form.notes) == list(result.problem.notes)
    assert form.notes[0] in " ".join(str(result).split())
    assert as_smoothness(SYMMETRIC).notes == ()


@pytest.mark.parametrize("last", [1.0, 2.0**-80], ids=["another value", "the same value"])
def test_an_entry_stored_on_one_side_alone_is_halved(last: float) -> None:
    """An entry without a mirror image is not compared with any other entry, such as the last
    one.
    """
    tiny = 2.0**-80
    matrix = sp.csr_array(([1.0, tiny, 1.0, last], ([0, 0, 1, 2], [0, 1, 1, 2])), shape=(3, 3))
    form = as_smoothness(matrix)
    half = Fraction(tiny) / 2
    assert form.rational() == [[1, half, 0], [half, 1, 0], [0, 0, Fraction(last)]]
    assert form.explicit().matrix.toarray().tolist() == [
        [1.0, tiny / 2, 0.0],
        [tiny / 2, 1.0, 0.0],
        [0.0, 0.0, last],
    ]


@pytest.mark.parametrize("size", [1e-300, 1e-3, 1.0, 1e300])
def test_an_operator_asymmetric_beyond_rounding_is_refused(size: float) -> None:
    data = np.random.default_rng(2).standard_normal((60, 50)) * 10.0 ** -np.linspace(0, 6, 50)
    as_smoothness(
        LinearOperator((50, 50), matvec=lambda x: data.T @ (data @ x) * size, dtype=np.float64)
    )
    skewed = data.T @ data + 1e-5 * np.triu(data[:50])
    with refuses():
        as_smoothness(aslinearoperator(size * skewed))


def test_a_diagonal_is_known_within_its_slack_on_both_sides() -> None:
    form = EntrywiseSmoothness(np.eye(2), np.array([0.5, 0.25]))
    ends = [(bracket.lower, bracket.upper) for bracket in form.diagonal_brackets()]
    assert ends == [(0.5, 1.5), (0.75, 1.25)]


class Frame(np.ndarray):
    """An array with named columns, as a DataFrame is one."""

    columns: Sequence[object]


@pytest.mark.parametrize(
    ("columns", "blocks", "names"),
    [
        (("age", "dose"), "each", ("age", "dose")),
        (("age", "dose"), [2], ()),
        (("age", "age"), "each", ()),
        ((0, 1), "each", ()),
    ],
)
def test_columns_name_single_coordinates(
    columns: tuple[object, ...], blocks: str | list[int], names: tuple[str, ...]
) -> None:
    frame = np.diag([2.0, 1.0]).view(Frame)
    frame.columns = columns
    for L in (frame, gram(frame)):
        assert Problem(L, blocks).blocks.names == names
    relabeled = Blocks.from_labels(["b", "a"])
    assert Problem(frame, relabeled).blocks.names == ("b", "a")
