"""Each checker accepts what it should, unchanged, and refuses the rest with what, found and
remedy.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rpttheory.errors import InvalidInput, MissingExtra, RptTheoryError
from rpttheory.numbers.checks import (
    check_costs,
    check_matrix,
    check_probabilities,
    check_symmetric_matrix,
    find_asymmetry,
    read_only,
)
from rpttheory.numbers.exact_array import SparseExactArray, exact_array, require_finite

SYMMETRIC = np.array([[2.0, 0.1, 0.3], [0.1, 3.0, -1.0], [0.3, -1.0, 4.0]])


def one_ulp_off(row: int, column: int) -> np.ndarray:
    matrix = SYMMETRIC.copy()
    matrix[row, column] = np.nextafter(matrix[row, column], np.inf)
    return matrix


def parts(error: InvalidInput) -> tuple[str, str, str]:
    assert error.what and error.found and error.remedy
    lines = str(error).splitlines()
    assert lines == [error.what, f"  found: {error.found}", f"  try:   {error.remedy}"]
    return error.what, error.found, error.remedy


def test_errors_show_only_the_parts_they_have() -> None:
    assert str(InvalidInput("a rule")) == "a rule"
    assert str(InvalidInput("a rule", "a value")) == "a rule\n  found: a value"
    assert str(InvalidInput("a rule", remedy="a cure")) == "a rule\n  try:   a cure"
    assert InvalidInput("a", "b", "c").args == ("a", "b", "c")


@pytest.mark.parametrize(
    ("kind", "builtin"), [(InvalidInput, ValueError), (MissingExtra, ImportError)]
)
def test_errors_are_caught_under_both_names(
    kind: type[RptTheoryError], builtin: type[Exception]
) -> None:
    for caught in (RptTheoryError, builtin):
        with pytest.raises(caught):
            raise kind("what", "found", "remedy")


@pytest.mark.parametrize("place", [(0, 1), (1, 0), (0, 2), (2, 1)])
def test_one_ulp_of_asymmetry_is_refused(place: tuple[int, int]) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_symmetric_matrix(one_ulp_off(*place))
    what, found, remedy = parts(refused.value)
    assert what == "L must be symmetric"
    low, high = sorted(place)
    assert f"[{low}, {high}]" in found or f"[{high}, {low}]" in found
    assert "symmetrize" in remedy
    first = f"{SYMMETRIC[place]:.17g}"
    second = f"{np.nextafter(SYMMETRIC[place], np.inf):.17g}"
    assert first in found and second in found, "17 digits tell the two apart"


@pytest.mark.parametrize(
    "place", [(0, 1), (1, 0), (63, 64), (64, 63), (0, 149), (149, 0), (130, 70), (149, 148)]
)
def test_asymmetry_is_seen_anywhere_in_a_large_matrix(place: tuple[int, int]) -> None:
    given = np.ones((150, 150))
    check_symmetric_matrix(given)
    given[place] = np.nextafter(1.0, 2.0)
    with pytest.raises(InvalidInput, match="must be symmetric"):
        check_symmetric_matrix(given)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("exact", [False, True])
def test_asymmetry_is_measured_against_the_diagonal(sparse: bool, exact: bool) -> None:
    """The largest entry would hide an asymmetry in a small block, and no rounding of a product A'A
    makes one.
    """
    entries: list[list[Any]] = [[1e14, 3.0, 0], [2.0, 4.0, 0], [0, 0, 1.0]]
    if exact:
        entries[1][0] = Fraction(2) + Fraction(1, 3)
        entries[0][1] = Fraction(3) + Fraction(1, 3)
    matrix = exact_array(np.array(entries, dtype=object), "L")
    if sparse:
        stored = matrix.float64 != 0
        values = None if matrix.exact is None else matrix.exact[stored]
        found = find_asymmetry(SparseExactArray(sp.csr_array(matrix.float64), values))
    else:
        found = find_asymmetry(matrix)
    assert found is not None and {found.row, found.column} == {0, 1} and not found.is_rounding
    assert found.relative == pytest.approx(1 / (1e7 * 2))


@pytest.mark.parametrize(
    ("gap", "rounding"), [(Fraction(1, 10**12), True), (Fraction(101, 10**14), False)]
)
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_asymmetry_up_to_1e_12_is_rounding(gap: Fraction, rounding: bool, scale: float) -> None:
    half = Fraction(scale) / 2
    entries = np.array(
        [[Fraction(scale) * 4, half], [half + gap * Fraction(scale) * 2, Fraction(scale)]],
        dtype=object,
    )
    found = find_asymmetry(exact_array(entries, "L"))
    assert found is not None and found.is_rounding is rounding


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("exact", [False, True])
def test_an_asymmetry_that_underflows_is_not_zero(sparse: bool, exact: bool) -> None:
    """Zero would mean that L is the matrix given, and no report would mention that it is not."""
    above: Any = Fraction(1) + Fraction(1, 10**400) if exact else 5e-324
    below: Any = Fraction(1) if exact else 1e-323
    matrix = exact_array(np.array([[4e200, above], [below, 4e200]], dtype=object), "L")
    values = None if matrix.exact is None else matrix.exact.ravel()
    found = find_asymmetry(
        SparseExactArray(sp.csr_array(matrix.float64), values) if sparse else matrix
    )
    assert found is not None and 0 < found.relative <= 1e-300 and found.is_rounding


MATRICES: dict[str, list[Any]] = {
    "square": [np.ones((2, 3))],
    "matrix": [np.ones(4), np.float64(1.0), np.ones((1, 1, 1)), []],
    "empty": [np.empty((0, 0)), np.empty((0, 3))],
    "rectangular": [[[1.0, 2.0], [3.0]]],
    "real numbers": [
        [["1"]],
        np.array([[1j]]),
        np.array([[None]]),
        np.array([[np.datetime64("2020")]]),
    ],
    "finite": [
        [[np.nan]],
        [[1.0, np.inf], [np.inf, 1.0]],
        [[-np.inf]],
        [[10**400]],
        [[Decimal("nan")]],
    ],
    "range of doubles": [[[Decimal("1e-400")]], [[Fraction(1, 10**400)]]],
    "all its entries": [np.ma.masked_array([[1.0]], mask=[[True]])],
    "symmetric": [[[Decimal("0.1"), 2], [2.5, 1]]],
    "digits of a double": [[[1, Decimal("0.1")], [0.1, 1]]],
}


@pytest.mark.parametrize("rule", MATRICES)
def test_other_matrices_are_refused(rule: str) -> None:
    for given in MATRICES[rule]:
        with pytest.raises(InvalidInput, match=rule) as refused:
            check_symmetric_matrix(given)
        assert parts(refused.value)[0].startswith("L ")


def test_data_matrices_need_not_be_square() -> None:
    np.testing.assert_array_equal(check_matrix([[1, 2, 3]]).float64, [[1.0, 2.0, 3.0]])
    with pytest.raises(InvalidInput, match=r"^A must be a matrix"):
        check_matrix([1.0])


def test_the_first_bad_entry_is_named_and_all_are_counted() -> None:
    with pytest.raises(InvalidInput) as refused:
        require_finite(np.array([[1.0, 2.0], [np.inf, np.nan]]), "A")
    what, found, _ = parts(refused.value)
    assert what == "A must be finite" and "inf at [1, 0]" in found and "2 such" in found
    require_finite(np.array([1.7e308, -5e-324, 0.0]), "A")


def test_read_only_is_a_frozen_copy() -> None:
    given = np.array([1.0, 2.0])
    kept = read_only(given)
    given[0] = 9.0
    assert kept.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 3.0


COSTS: dict[str, list[Any]] = {
    "positive": [[1.0, 0.0, 1.0], [1.0, -0.0, 1.0], [1.0, 1.0, -1e-300]],
    "finite": [[1.0, np.nan, 1.0], [1.0, np.inf, 1.0]],
    "3 in all": [[1.0, 1.0], [1.0] * 4],
    "one number per block": [[], 1.0, [[1.0, 1.0, 1.0]]],
    "numbers": [
        list("abc"),
        [1.0, None, "x"],
        [[1.0], [1.0, 2.0]],
        [1j, 1.0, 1.0],
        ["0.1", "0.2", "0.3"],
    ],
    "entries": [np.ma.masked_array([1.0, 1.0, 1.0], mask=[0, 1, 0])],
}


@pytest.mark.parametrize("rule", COSTS)
def test_other_costs_are_refused(rule: str) -> None:
    for given in COSTS[rule]:
        with pytest.raises(InvalidInput, match=rule) as refused:
            check_costs(given, 3)
        assert parts(refused.value)[0].startswith("costs ")


@pytest.mark.parametrize(
    ("given", "rule", "block"),
    [
        ([0.5, 0.0], r"\(0, 1\]", "block 1"),
        ([-0.1, 0.5], r"\(0, 1\]", "block 0"),
        ([0.5, np.nextafter(1.0, 2.0)], r"\(0, 1\]", "block 1"),
        ([np.nan, 0.5], "finite", "nan"),
        ([0.5, np.inf], "finite", "inf"),
        ([0.5, 0.5, 0.5], "2 in all", "3 numbers"),
        ("0.5,1", "numbers", "0.5,1"),
    ],
)
def test_other_probabilities_are_refused(given: Any, rule: str, block: str) -> None:
    with pytest.raises(InvalidInput, match=rule) as refused:
        check_probabilities(given, 2)
    what, found, _ = parts(refused.value)
    assert what.startswith("probabilities ") and block in found
