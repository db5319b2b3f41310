"""Verdicts are about the numbers the user wrote: each of these once was about their doubles, or
about other numbers.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from refusals import refuses

from rpttheory import (
    Blocks,
    ExplicitSampling,
    InvalidInput,
    NestedSampling,
    Verdict,
    block_L,
    cost,
    diagonal,
    gram,
    lmax,
    optimal_probabilities,
    verify,
)
from rpttheory.cli import main as program
from rpttheory.numbers.exact_array import (
    ExactArray,
    exact_array,
    sparse_exact_array,
)
from rpttheory.problem.smoothness import as_smoothness, symmetric_part

PROVED = Verdict.PROVED
REFUTED = Verdict.REFUTED
UNDECIDED = Verdict.UNDECIDED
TENTH = Fraction(1, 10)


def verdicts(result: Any) -> list[Verdict]:
    return [claim.verdict for claim in result.claims if claim.label.startswith("claim:")]


def typed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, *options: str
) -> list[str]:
    """The verdicts of the command line on a .csv file with this text."""
    path = tmp_path / "L.csv"
    path.write_text(text)
    assert program.guarded(program.commands, ["verify", str(path), *options, "--json"]) in (
        0,
        1,
        3,
    ), capsys.readouterr().err
    claims = json.loads(capsys.readouterr().out)["claims"]
    return [claim["verdict"] for claim in claims if claim["label"].startswith("claim:")]


# -- what is typed, or read from text


@pytest.mark.parametrize(
    ("text", "options", "claims"),
    [
        (
            "1\n1\n1\n",
            "--data --blocks 1",
            {"lmax < 2": REFUTED, "lmax >= 2": PROVED, "lmax == 2": PROVED},
        ),
        (
            "1\n1\n1\n",
            "--data --ridge 0.05 --blocks 1",
            {"lmax == 2.1": PROVED, "L_P == 2.1": PROVED},
        ),
        ("0.1\n0.2\n0.2\n", "--data --blocks 1", {"lmax == 0.06": PROVED}),
        (
            "1,0,0\n0,1,0\n0,0,1\n",
            "--blocks 1,1,1 --p 1,1,1",
            {"c_P < lmax": REFUTED, "cost == 1": PROVED, "c_P == lmax": PROVED},
        ),
        (
            "0.1,0\n0,0.05\n",
            "--blocks 1,1",
            {"lmax <= 0.1": PROVED, "max(L) == 0.1": PROVED, "sum(L) == 0.15": PROVED},
        ),
        (
            "0.1,0.1\n0.1,0.1\n",
            "--blocks 1,1 --p 1,1",
            {"lmax == 0.2": PROVED, "L_M == 0.2": PROVED},
        ),
        (
            "1,0,0\n0,1,0\n0,0,1\n",
            "--blocks 1,1,1 --p 0.1,1,1 --costs 1,1,1",
            {
                "min(p) <= 0.1": PROVED,
                "L_P == 10": PROVED,
                "cost == 2.1": PROVED,
                "L_M == 10": PROVED,
            },
        ),
        ("9007199254740993,0\n0,1\n", "--blocks 1,1", {"lmax == 9007199254740993": PROVED}),
        (
            "9007199254740993,1\n1,9007199254740993\n",
            "--blocks 2",
            {"lmax == 9007199254740994": PROVED},
        ),
        (
            "1,0\n0,1\n",
            "--blocks 1,1 --costs 0.1,0.2",
            {"sum(c*L) == 0.3": PROVED, "closed > 0.58": PROVED},
        ),
        (
            "1,0\n0,1\n",
            "--blocks 1,1 --costs 1/3,2/3 --p 1/3,2/3",
            {"cost == 5/9": PROVED, "min(p) == 1/3": PROVED},
        ),
        (
            "1,0\n0,-1e-11\n",
            "--blocks 1,1",
            {"closed < 0.5": UNDECIDED, "closed >= 0": UNDECIDED, "closed == closed": UNDECIDED},
        ),
    ],
)
def test_what_is_typed_is_meant(
    text: str,
    options: str,
    claims: dict[str, Verdict],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    flags = [part for claim in claims for part in ("--claim", claim)]
    assert typed(tmp_path, capsys, text, *options.split(), *flags) == [
        verdict.value for verdict in claims.values()
    ]


def test_symmetry_is_of_what_is_written_and_so_is_the_average(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "1,0.1\n0.10000000000000000001,1\n"
    claim = ("--claim", "lmax == 1.100000000000000000005")
    for options in ((), ("--symmetrize",)):
        assert typed(tmp_path, capsys, text, "--blocks", "1,1", *options, *claim) == ["PROVED"]
    text = "1,0.1\n0.100000000002,1\n"
    with pytest.raises(AssertionError, match="symmetric"):
        typed(tmp_path, capsys, text, "--blocks", "1,1")
    claim = ("--claim", "lmax == 1.100000000001")
    assert typed(tmp_path, capsys, text, "--blocks", "1,1", "--symmetrize", *claim) == ["PROVED"]


def test_the_average_of_a_large_matrix_is_bracketed() -> None:
    """Above d = 60 the average is rounded, and the eigenvalue of its exact value must still be
    inside.
    """
    d = 61
    low = 1.0
    high = 1.0 + 2.0**-52
    L = np.where(np.tri(d, dtype=bool), low, high)
    np.fill_diagonal(L, (low + Fraction(1, 2**53)).__float__())
    form = symmetric_part(exact_array(L, "L"), 2.0**-52)
    off = Fraction(low) + Fraction(1, 2**53)
    truth = Fraction(float(L[0, 0])) + (d - 1) * off
    for effort in ("fast", "sharp"):
        top = lmax(form, effort=effort)
        assert top.exact_lower <= truth <= top.exact_upper and top.width < 1e-10
    tiny = np.zeros((d, d))
    tiny[0, 1] = 5e-324
    with pytest.raises(InvalidInput, match="range of doubles"):
        symmetric_part(exact_array(tiny, "L"), math.inf)
    canceled = np.zeros((d, d), dtype=object)
    canceled[0, 1] = TENTH
    canceled[1, 0] = Fraction(-1, 10) - Fraction(1, 10**30)
    assert symmetric_part(exact_array(canceled, "L"), math.inf).explicit().matrix[0, 1] == float(
        Fraction(-1, 2 * 10**30)
    )


# -- numbers of Python


@pytest.mark.parametrize("sign", [1, -1])
def test_large_integers_beside_floats_are_not_rounded(sign: int) -> None:
    big = sign * (2**53 + 1)
    for values in ([big, 0.5], [0.5, big], (0.5, big, -0.25)):
        assert exact_array(values, "values").fractions() == [Fraction(value) for value in values]


def test_the_rounding_of_numbers_is_known_from_both_sides() -> None:
    numbers = [TENTH, Fraction(1, 3), Fraction(2, 7), Decimal("0.7"), 1, 2.5]
    quotients = [Fraction(float(number)) / Fraction(number) for number in numbers]
    assert min(quotients) < 1 < max(quotients)
    assert exact_array(numbers, "p").rounding() == (min(quotients), max(quotients))


def test_nested_order_and_outcomes_see_beyond_doubles() -> None:
    close = NestedSampling([Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)])
    assert close.order.rank_to_block == (1, 0)
    assert [o.active.tolist() for o in close.support()] == [
        [False, False],
        [False, True],
        [True, True],
    ]


def test_nearly_certain_is_not_certain() -> None:
    sampling = ExplicitSampling([[1, 1], [1, 0], [0, 1]], [1, 1e-20, 1e-20])
    result = verify(
        [[2, 1], [1, 2]],
        Blocks((1, 1)),
        sampling=sampling,
        claims=["L_M == L_P", "L_M < L_P", "min(p) < 1"],
    )
    assert verdicts(result) == [REFUTED, PROVED, PROVED]


def test_diagonal_entries_that_share_a_double_are_told_apart() -> None:
    third = Fraction(1, 3)
    values = [third, third + Fraction(1, 10**25), Fraction(1, 4)]
    L = diagonal(values)
    blocks = Blocks((2, 1))
    assert lmax(L).exact == block_L(L, blocks)[0].exact == values[1]
    result = optimal_probabilities(L, blocks, [1, 1])
    assert Fraction(result.lower) <= values[1] + values[2] <= Fraction(result.upper)
    ends = block_L(diagonal([third, 2 * third, TENTH, TENTH / 2]), Blocks((2, 2)))
    assert [end.exact for end in ends] == [2 * third, TENTH]


# -- what is refused, and what is owned


@pytest.mark.parametrize(
    "numbers",
    [
        np.ma.masked_array([1.0, 1.0], mask=[False, True]),
        [1.0, np.ma.masked],
        [np.ma.masked_array(2.0, mask=True), np.ma.masked_array(1.0)],
        np.array([1.0 + 1e-30j, 1.0]),
        ["0.1", "0.2"],
        [1.0, None],
        [Decimal("0.1"), "0.2"],
        [Fraction(1, 10**400), 1],
        [10**400, 1],
        [Decimal("1e-9999999"), 1],
    ],
    ids=[
        "masked",
        "masked entry",
        "masked scalar",
        "complex",
        "strings",
        "none",
        "mixed",
        "underflow",
        "overflow",
        "exponent",
    ],
)
def test_what_cannot_be_taken_exactly_is_refused_by_name(numbers: Any) -> None:
    with refuses("costs"):
        cost([1, 1], numbers)


@pytest.mark.parametrize(
    "value",
    [np.longdouble(1) / 3, Decimal("0.1"), Fraction(1, 3), 2**53 + 1, 2**60 + 1, 0.1 + 0j, True],
)
def test_what_can_be_is(value: Any) -> None:
    exact = (
        Fraction(value.real) if isinstance(value, complex) else Fraction(*value.as_integer_ratio())
    )
    assert exact_array([value, value], "x").fractions() == [exact, exact]
    assert exact_array(np.array([value, value]), "x").fractions() == [exact, exact]


MASKED_ROWS = [np.ma.array([4.0, 30.0], mask=[0, 1]), np.ma.array([30.0, 300.0], mask=[1, 0])]


@pytest.mark.parametrize(
    "rows",
    [
        MASKED_ROWS,
        tuple(MASKED_ROWS),
        np.array([None, None]),
        [MASKED_ROWS[0], [30.0, 300.0]],
        [[4.0, 30.0], [30.0, np.ma.masked]],
        [[Fraction(4), 30], MASKED_ROWS[1]],
    ],
    ids=["list", "tuple", "object array", "one row", "entry", "fractions"],
)
def test_masks_of_rows_are_not_dropped(rows: Any) -> None:
    if isinstance(rows, np.ndarray):
        rows[:] = MASKED_ROWS
    with refuses("A", found="masked entries"):
        gram(rows)
    unmasked = [np.ma.array([4.0, 1.0]), np.ma.array([1.0, 3.0], mask=[0, 0])]
    assert as_smoothness(unmasked).rational() == [[4, 1], [1, 3]]


def test_what_is_kept_is_owned() -> None:
    A = np.array([[3.0, 1.0], [1.0, 2.0]])
    values = np.array([1.0, 2.0])
    costs = np.array([0.5, 0.5])
    p = np.array([1.0, 0.5])
    forms = [
        as_smoothness(A),
        gram(A),
        diagonal(values),
        as_smoothness(sp.csr_array(A)),
        gram(sp.csr_array(A)),
    ]
    sampling = NestedSampling(p)
    result = verify(A, Blocks((1, 1)), costs=costs, sampling=sampling)
    before = [str(lmax(form, effort="exact")) for form in forms], result.problem.c_P.midpoint
    csr = sp.csr_array(A)
    late = as_smoothness(csr), gram(csr)
    for array in (A, values, costs, p, csr.data):
        array *= 10
    assert [str(lmax(form, effort="exact")) for form in forms] == before[0]
    assert [str(lmax(form, effort="exact")) for form in late] == before[0][:2]
    again = verify(forms[0], Blocks((1, 1)), costs=result.problem.costs, sampling=sampling)
    assert again.problem.c_P.midpoint == before[1]


def test_a_wrong_guess_is_not_called_a_root() -> None:
    from rpttheory.eigen.exact import bracket_exactly, rational
    from rpttheory.numbers import Bracket

    entries = rational(ExactArray(np.array([[2.0, 1.0], [1.0, 2.0]])))
    for low, high in ((0.5, 2.0), (4.0, 5.0), (1.0, 1.0)):
        with pytest.raises(ArithmeticError, match="largest root"):
            bracket_exactly(entries, [Fraction(1)] * 2, Bracket(low, high))


INTACT = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])


@pytest.mark.parametrize(
    ("kind", "part", "value"),
    [
        ("csr", "indices", [0, 99, 0, 1, 2, 1, 2]),
        ("csr", "indices", [0, -1, 0, 1, 2, 1, 2]),
        ("csr", "indices", [0, 1]),
        ("csr", "data", [1.0, 2.0]),
        ("csr", "indptr", [0, 9, 3, 7]),
        ("csr", "indptr", [0, 2, 7]),
        ("csr", "indptr", [0, 2, 5, 70]),
        ("csr", "indptr", [1, 2, 5, 7]),
        ("csr", "indptr", [0, 2, 2, 0]),
        ("csr", "indptr", [0.0, 2.0, 5.0, 7.0]),
        ("csc", "indices", [0, 99, 0, 1, 2, 1, 2]),
        ("bsr", "indices", [99]),
        ("bsr", "indptr", [0, 1, 7]),
        ("dia", "offsets", [0]),
        ("dia", "offsets", [0.5, 1.0, 2.0]),
        ("dia", "data", [[1.0, 2.0, 3.0]]),
        ("coo", "data", [1.0]),
        ("coo", "coords", (np.array([0]), np.array([1]))),
    ],
)
def test_damaged_sparse_matrices_are_refused(kind: str, part: str, value: Any) -> None:
    damaged = sp.csr_array(INTACT).asformat(kind)
    setattr(damaged, part, value if part == "coords" else np.array(value))
    with refuses("A", found=""):
        gram(damaged)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("seed", range(5))
def test_every_sparse_format_is_the_same_matrix(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.integers(-2, 3, rng.integers(1, 7, 2)) * 1.0
    for make in (sp.csr_array, sp.csr_matrix):
        np.testing.assert_array_equal(
            sparse_exact_array(make(A).asformat(kind), "A").matrix.toarray(), A
        )


def test_sparse_arrays_that_are_no_matrix_are_refused() -> None:
    with refuses("A", found="1 dimension"):
        gram(sp.coo_array(np.array([1.0, 2.0])))


def test_odd_sparse_matrices_are_copied_and_added_up_exactly() -> None:
    odd = sp.csr_array(
        (np.array([2.0, 0.0, 1.0, 1.0, 1.0]), np.array([1, 0, 1, 0, 1]), np.array([0, 2, 5])),
        (2, 2),
    )
    for array in (odd.data, odd.indices, odd.indptr):
        array.flags.writeable = False
    assert as_smoothness(odd + odd.T).rational() == [[0, 3], [3, 4]]
    with pytest.raises(InvalidInput, match="symmetric"):
        as_smoothness(odd)
    assert gram(odd).rational() == [[1, 2], [2, 8]] and odd.nnz == 5
    places = ([0, 0, 1], [0, 0, 1])
    twice = sp.coo_array(([2.0**53, 1.0, 1.0], places), (2, 2))
    assert lmax(twice).exact == 2**53 + 1
    small = sp.coo_array((np.array([100, 100, 1], dtype=np.int8), places), (2, 2))
    assert lmax(small).exact == 200
    bytes_of = sp.coo_array((np.array([200, 200], dtype=np.uint8), ([0, 0], [0, 0])), (1, 1))
    assert lmax(gram(bytes_of), effort="exact").exact == 160_000
    canceled = sp.coo_array(([0.1, -0.1, 1.0], places), (2, 2))
    assert lmax(canceled).exact == 1


# -- up to which size


def test_data_too_small_to_be_rounded_well_are_refused_and_zeros_are_not() -> None:
    third = Fraction(1, 3)
    with pytest.raises(InvalidInput, match="entries of A that are no doubles must be at least"):
        gram([[third, third * Fraction(2) ** -965]])
    assert gram([[third, Fraction(0)]]).rational() == [[third**2, 0], [0, 0]]
    assert gram([[third, third * Fraction(2) ** -955]]).rational() is not None


def test_the_arrays_of_a_block_sparse_matrix_stay_its_own() -> None:
    matrix = sp.bsr_array(np.array([[2.0, 1.0], [1.0, 3.0]]))
    before = (matrix.data, matrix.indices, matrix.indptr)
    as_smoothness(matrix)
    assert all(
        now is then
        for now, then in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True)
    )
