"""Symmetry, finiteness, signs and ranges: what is refused, and how asymmetry is measured."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from refusals import refuses

from rpttheory.errors import InvalidInput, MissingExtra, RptTheoryError
from rpttheory.numbers.checks import (
    Asymmetry,
    check_costs,
    check_matrix,
    check_probabilities,
    check_symmetric_matrix,
    find_asymmetry,
    read_only,
)
from rpttheory.numbers.exact_array import SparseExactArray, exact_array, require_finite

both_forms = pytest.mark.parametrize("sparse", [False, True])
both_kinds = pytest.mark.parametrize("exact", [False, True])


def test_errors_show_only_the_parts_they_have() -> None:
    assert str(InvalidInput("a rule")) == "a rule"
    assert str(InvalidInput("a rule", "a value")) == "a rule\n  found: a value"
    assert str(InvalidInput("a rule", remedy="a cure")) == "a rule\n  try:   a cure"
    assert issubclass(InvalidInput, ValueError) and issubclass(InvalidInput, RptTheoryError)
    assert issubclass(MissingExtra, ImportError) and issubclass(MissingExtra, RptTheoryError)


# -- symmetry


@pytest.mark.parametrize("place", [(0, 1), (1, 0), (63, 64), (64, 63), (0, 149), (130, 70)])
def test_one_unit_of_asymmetry_is_refused_anywhere(place: tuple[int, int]) -> None:
    matrix = np.full((150, 150), 1.00001)
    check_symmetric_matrix(matrix)
    matrix[place] = np.nextafter(1.00001, 2.0)
    row, column = sorted(place)
    with refuses("L", found=f"[{row}, {column}]"):
        check_symmetric_matrix(matrix)
    with refuses("L", found="1.00001"):  # as written, not 1.0000100000000001
        check_symmetric_matrix(matrix)


def asymmetry_of(entries: list[list[Any]], sparse: bool) -> Asymmetry:
    matrix = exact_array(np.array(entries, dtype=object), "L")
    stored = matrix.float64 != 0
    values = None if matrix.exact is None else matrix.exact[stored]
    form = SparseExactArray(sp.csr_array(matrix.float64), values) if sparse else matrix
    asymmetry = find_asymmetry(form)
    assert asymmetry is not None
    return asymmetry


@both_forms
@both_kinds
def test_asymmetry_is_measured_against_the_diagonal(sparse: bool, exact: bool) -> None:
    """The largest entry would hide an asymmetry in a small block, and no rounding of a product A'A
    makes one.
    """
    more = Fraction(1, 3) if exact else 0.0
    worst = asymmetry_of([[1e14, 3 + more, 0], [2 + more, 4.0, 0], [0, 0, 1.0]], sparse)
    assert {worst.row, worst.column} == {0, 1} and not worst.is_rounding
    assert worst.relative == pytest.approx(1 / (1e7 * 2))


@both_forms
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_asymmetry_up_to_1e_12_is_rounding(scale: float, sparse: bool) -> None:
    unit = Fraction(scale)
    for gap, is_rounding in ((Fraction(1, 10**12), True), (Fraction(101, 10**14), False)):
        entries = [[4 * unit, unit / 2], [unit / 2 + 2 * gap * unit, unit]]
        assert asymmetry_of(entries, sparse).is_rounding is is_rounding


@both_forms
@pytest.mark.parametrize(
    ("above", "below"), [(1 + Fraction(1, 10**400), Fraction(1)), (5e-324, 1e-323)]
)
def test_an_asymmetry_that_underflows_is_not_zero(above: Any, below: Any, sparse: bool) -> None:
    """Zero would mean that L is the matrix given, and no report would mention that it is not."""
    worst = asymmetry_of([[4e200, above], [below, 4e200]], sparse)
    assert 0 < worst.relative < 1e-200 and worst.is_rounding
    assert not asymmetry_of([[0, 1 + Fraction(1, 10**400)], [1, 0]], sparse).is_rounding


# -- refusals

MATRICES: list[Any] = [
    *(np.ones((2, 3)), np.ones(4), np.float64(1.0), np.ones((1, 1, 1)), []),
    *(np.empty((0, 0)), np.empty((0, 3)), [[1.0, 2.0], [3.0]]),
    *([["1"]], np.array([[1j]]), np.array([[None]]), np.array([[np.datetime64("2020")]])),
    *([[np.nan]], [[1.0, np.inf], [np.inf, 1.0]], [[-np.inf]], [[10**400]], [[Decimal("nan")]]),
    *([[Decimal("sNaN")]], [[Decimal("-sNaN123")]], [[Decimal("Infinity")]]),
    *([[Decimal("1e-400")]], [[Fraction(1, 10**400)]]),
    np.ma.masked_array([[1.0]], mask=[[True]]),
    *([[Decimal("0.1"), 2], [2.5, 1]], [[1, Decimal("0.1")], [0.1, 1]]),
]


@pytest.mark.parametrize("matrix", MATRICES, ids=range(len(MATRICES)))
def test_other_matrices_are_refused(matrix: Any) -> None:
    with refuses("L"):
        check_symmetric_matrix(matrix)


def test_data_matrices_need_not_be_square() -> None:
    np.testing.assert_array_equal(check_matrix([[1, 2, 3]]).float64, [[1.0, 2.0, 3.0]])
    with refuses("A"):
        check_matrix([1.0])


def test_the_first_bad_entry_is_named_and_all_are_counted() -> None:
    with refuses("A", found="inf at [1, 0] (2 such"):
        require_finite(np.array([[1.0, 2.0], [np.inf, np.nan]]), "A")
    require_finite(np.array([1.7e308, -5e-324, 0.0]), "A")


def test_read_only_is_a_frozen_copy() -> None:
    values = np.array([1.0, 2.0])
    frozen = read_only(values)
    values[0] = 9.0
    assert frozen.tolist() == [1.0, 2.0] and not frozen.flags.writeable


@pytest.mark.parametrize(
    ("costs", "found"),
    [
        ([1.0, 0.0, 1.0], "0.0 for block 1"),
        ([1.0, 1.0, -1e-300], "-1e-300 for block 2"),
        *(([1.0, value, 1.0], str(value)) for value in (np.nan, np.inf)),
        *(([1.0] * count, f"{count} number") for count in (1, 2, 4)),
        *((value, "shape") for value in ([], 1.0, [[1.0, 1.0, 1.0]])),
        *((value, "") for value in (list("abc"), [1.0, None, "x"], [[1.0], [1.0, 2.0]])),
        *((value, "") for value in ([1j, 1.0, 1.0], ["0.1", "0.2", "0.3"])),
        (np.ma.masked_array([1.0, 1.0, 1.0], mask=[0, 1, 0]), "masked"),
    ],
)
def test_other_costs_are_refused(costs: Any, found: str) -> None:
    with refuses("costs", found=found):
        check_costs(costs, 3)


@pytest.mark.parametrize(
    ("probabilities", "found"),
    [
        ([0.5, 0.0], "block 1"),
        ([-0.1, 0.5], "block 0"),
        ([0.5, np.nextafter(1.0, 2.0)], "block 1"),
        ([np.nan, 0.5], "nan"),
        ([0.5, np.inf], "inf"),
        ([0.5, 0.5, 0.5], "3 numbers"),
        ("0.5,1", "0.5,1"),
    ],
)
def test_other_probabilities_are_refused(probabilities: Any, found: str) -> None:
    with refuses("probabilities", found=found):
        check_probabilities(probabilities, 2)
