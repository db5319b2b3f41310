"""Loose but valid witnesses leave what lies between their ends undecided, for each operator and
relation.
"""

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from operator import add, mul, sub, truediv
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from soundness.optima import dual_value
from soundness.reals import rows_of
from soundness.truth import Truth

from certificates.documents import document
from rpttheory.certificates.checker import (
    Proof,
    Unproved,
    Value,
    digest,
    maximum,
    minimum,
    root_bounds,
    square_root,
)

# L of the certificate "nested" is [[4, 1, 1/2], [1, 3, 1/4], [1/2, 1/4, 1]] in blocks of 1 and 2.
LOW = Fraction(4)
HIGH = Fraction(11)
"""lambda_max(L) by the vector e1, and by twice the largest row sum with a factor of zero; it is
4.7018.
"""


class Loose(Proof):
    """The checker with the loosest witnesses that one would write: e1, and twice the row sums."""

    def eigenvalue(self, matrix: list[list[int]], weights: list[int]) -> Value:
        sums = [Fraction(sum(map(abs, row)), w) for row, w in zip(matrix, weights, strict=True)]
        vector = [1] + [0] * (len(matrix) - 1)
        witness = {
            "vector": vector,
            "level": str(2 * max(sums)),
            "factor": [[0]] * len(matrix),
            "scale": ["0"],
        }
        self.witnesses[digest([matrix, weights])] = witness
        return super().eigenvalue(matrix, weights)


def loose(**changes: Any) -> Loose:
    statement = document("nested")["statement"] | changes
    return Loose(statement, {}, {"dual": [[2], [2], [2]], "points": [["1", "1"]]})


X = "lmax"
# Expressions of a number in [4, 11], and the ends of what they may be.
EXPRESSIONS: list[tuple[Any, str, str]] = [
    (X, "4", "11"),
    (["+", X, "1/3"], "13/3", "34/3"),
    (["-", "1/3", X], "-32/3", "-11/3"),
    (["*", X, "-2"], "-22", "-8"),
    (["/", "1", X], "1/11", "1/4"),
    (["/", "2", ["-", "0", X]], "-1/2", "-2/11"),
    (["**", ["-", X, "6"], "2"], "0", "25"),
    (["**", ["-", X, "6"], "3"], "-8", "125"),
    (["sqrt", ["+", X, "5"]], "3", "4"),
    (["abs", ["-", X, "6"]], "0", "5"),
    (["abs", ["-", "0", X]], "4", "11"),
    (["min", X, "6"], "4", "6"),
    (["max", X, "6", "1"], "6", "11"),
    (["sum", ["*", "c", X]], "4", "11"),
    (["min", ["*", "c", X]], "4/3", "11/3"),
    (["max", ["*", "c", X]], "8/3", "22/3"),
]


def verdicts(proof: Proof, tree: Any, threshold: Fraction) -> dict[str, str]:
    """By relation, with the expression on the left and, turned round, on the right."""
    text = str(threshold)
    mirrored = {"<=": ">=", "<": ">", ">=": "<=", ">": "<", "==": "=="}
    left = {relation: proof.verdict([relation, tree, text]) for relation in mirrored}
    assert left == {
        relation: proof.verdict([mirror, text, tree]) for relation, mirror in mirrored.items()
    }
    return left


@pytest.mark.parametrize(("tree", "least", "most"), EXPRESSIONS)
def test_only_what_lies_outside_an_interval_is_decided(tree: Any, least: str, most: str) -> None:
    proof = loose()
    low = Fraction(least)
    width = Fraction(most) - low
    margin = Fraction(1, 10**9)
    for part in (margin, Fraction(1, 2), 1 - margin):
        assert set(verdicts(proof, tree, low + part * width).values()) == {"UNDECIDED"}
    above = verdicts(proof, tree, low + (1 + margin) * width)
    below = verdicts(proof, tree, low - margin * width)
    assert {relation for relation, verdict in above.items() if verdict == "PROVED"} == {"<=", "<"}
    assert {relation for relation, verdict in below.items() if verdict == "PROVED"} == {">=", ">"}
    assert "UNDECIDED" not in (*above.values(), *below.values())


@pytest.mark.parametrize("relation", ["<=", "<", ">=", ">", "=="])
def test_at_an_end_equality_stays_possible(relation: str) -> None:
    at_high = verdicts(loose(), X, HIGH)[relation]
    at_low = verdicts(loose(), X, LOW)[relation]
    expected = {
        "<=": ("PROVED", "UNDECIDED"),
        "<": ("UNDECIDED", "REFUTED"),
        ">=": ("UNDECIDED", "PROVED"),
        ">": ("REFUTED", "UNDECIDED"),
        "==": ("UNDECIDED", "UNDECIDED"),
    }
    assert (at_high, at_low) == expected[relation]


def test_quantities_at_a_point_are_exact() -> None:
    proof = loose(x=[1, -2, 3])  # Lx = (7/2, -17/4, 3)
    value = proof.quantity("xLx")
    assert value.exact and value.low == 21
    assert [g.low for g in proof.quantity("g")] == [Fraction(49, 4), Fraction(433, 16)]
    assert all(g.exact for g in proof.quantity("g"))
    for name in ("xLx", "g"):
        with pytest.raises(ValueError, match="no point x"):
            loose(x=None).quantity(name)


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("overhead", [Fraction(0), Fraction(2, 7)])
def test_lower_bounds_of_the_optimum_are_those_of_weak_duality(
    overhead: Fraction, forced: bool
) -> None:
    rng = random.Random(f"{overhead} {forced}")
    matrix = rows_of([[4, 1, 0.5], [1, 3, 0.25], [0.5, 0.25, 1]])
    for _ in range(30):
        order = rng.sample(range(3), 3) if forced else None
        c = [Fraction(rng.randint(1, 9), rng.randint(1, 9)) for _ in range(3)]
        statement = document("nested")["statement"] | {"blocks": [1, 1, 1], "c": [*map(str, c)]}
        statement |= {"p": ["1"] * 3, "p_near": None, "sampling": "nested", "order": order}
        statement |= {"overhead": str(overhead)}
        V = [[rng.randint(-5, 9), rng.randint(0, 9)] for _ in range(3)]
        proof = Loose(statement, {}, {"dual": V, "points": [["1", "1", "1"]]})
        truth = Truth(matrix, [1, 1, 1], matrix, c)
        truth.overhead = overhead
        truth.order = order
        assert proof.quantity("optimum").low == dual_value(truth, V)


def test_points_and_duals_that_prove_nothing() -> None:
    good: dict[str, Any] = {"dual": [[1], [1], [1]], "points": [["1", "1"]]}
    duals: list[Any] = [[[0]] * 3, [[1]] * 2, [[1], [1], [1, 1]], [[1], ["1"], [1]]]
    points: list[Any] = [[], [["1", "0"]], [["1", "2"]], [["1"]], [["1/2", "1"]], [[1, 1]]]
    bad = [{"dual": dual} for dual in duals] + [{"points": point} for point in points]
    statement = document("nested")["statement"] | {"order": [0, 1]}
    assert Loose(statement, {}, good).quantity("optimum").high == HIGH
    for change in bad:
        with pytest.raises((Unproved, ValueError)):
            Loose(statement, {}, good | change).quantity("optimum")
    indefinite = statement | {"rows": [[0, 1], [0, -9, 1, 1], [2, 1]]}
    with pytest.raises(Unproved):
        Loose(indefinite, {}, good).quantity("optimum")


def test_a_number_equals_itself_whatever_its_ends() -> None:
    proof = loose()
    for tree in (X, ["*", X, "L_P"], ["sqrt", X], "closed", "optimum"):
        assert proof.verdict(["==", tree, tree]) == "PROVED"
        assert proof.verdict(["<", tree, tree]) == "REFUTED"
        assert proof.verdict(["==", ["-", ["*", "3", tree], tree], ["*", tree, "2"]]) == "PROVED"
    assert proof.verdict(["<", ["-", X, "1/1000000"], X]) == "PROVED"
    assert proof.verdict(["==", X, ["*", "L_P", "1"]]) == "UNDECIDED"


def test_cauchy_and_schwarz_is_a_theorem_for_that_claim_alone() -> None:
    square = ["**", ["sum", ["sqrt", ["*", "c", "L"]]], "2"]
    bound = ["*", ["sum", ["/", "L", "p"]], ["sum", ["*", "p", "c"]]]
    proof = loose()
    assert proof.verdict(["<=", square, bound]) == "PROVED"
    for claim in (
        ["<", square, bound],
        ["==", square, bound],
        [">=", square, bound],
        ["<=", bound, square],
    ):
        assert proof.verdict(claim) == "UNDECIDED"
    negative = loose(rows=[[0, -1], [1, 1], [2, 1]])
    with pytest.raises(Unproved):
        negative.verdict(["<=", square, bound])


fractions = st.fractions(-20, 20, max_denominator=12)
intervals = st.tuples(fractions, fractions).map(lambda ends: Value(min(ends), max(ends)))
# Each operation on intervals, and on numbers.
OPERATIONS: dict[str, tuple[Callable[..., Value], Callable[..., Fraction]]] = {
    "+": (add, add),
    "-": (sub, sub),
    "*": (mul, mul),
    "/": (truediv, truediv),
    "max": (maximum, max),
    "min": (minimum, min),
}


@pytest.mark.parametrize("name", OPERATIONS)
@given(a=intervals, b=intervals)
@example(a=Value(1, 2), b=Value(-1, 0))
def test_an_interval_is_the_range_over_its_corners(name: str, a: Value, b: Value) -> None:
    on_intervals, on_numbers = OPERATIONS[name]
    if name == "/" and b.low <= 0 <= b.high:
        with pytest.raises(Unproved):
            on_intervals(a, b)
        return
    corners = [on_numbers(x, y) for x, y in product((a.low, a.high), (b.low, b.high))]
    result = on_intervals(a, b)
    assert (result.low, result.high) == (min(corners), max(corners))


@pytest.mark.parametrize("n", range(6))
def test_powers_of_intervals_near_zero(n: int) -> None:
    """Every combination of signs, with ends on both sides of 1, where powers shrink and grow."""
    positive = [Fraction(1, 3), Fraction(1), Fraction(5, 2)]
    ends = [*(-x for x in reversed(positive)), Fraction(0), *positive]
    for low, high in combinations_with_replacement(ends, 2):
        powers = [x**n for x in (low, high, max(low, min(high, Fraction(0))))]
        result = Value(low, high) ** Value(n)
        assert (result.low, result.high) == (min(powers), max(powers))


@given(st.fractions(0, 100, max_denominator=10**6))
def test_roots_enclose(x: Fraction) -> None:
    low, high = root_bounds(x)
    assert 0 <= low <= high and low * low <= x <= high * high
    assert high - low <= high * Fraction(1, 2**400)
    assert root_bounds(x * x) == (x, x)


@pytest.mark.parametrize(
    "x", [1 - Fraction(1, 2**1100), 1 + Fraction(1, 2**1100), Fraction(2, 2**1100)]
)
def test_roots_beside_a_square_round_outwards(x: Fraction) -> None:
    low, high = root_bounds(x)
    assert low * low < x < high * high
    value = square_root(Value(x, 4))
    assert value.low == low and value.high == 2


def test_numbers_stay_short() -> None:
    with pytest.raises(Unproved):
        Value(Fraction(1, 2**200_001))
    with pytest.raises(Unproved):
        Value(2) ** Value(200_001)
    with pytest.raises(Unproved):
        Value(2, 1)


@pytest.mark.parametrize("signs", [(-1, 1), (-1, -1), (1, -1)])
def test_the_closed_form_of_negative_constants_has_no_value(signs: tuple[int, int]) -> None:
    first, second = signs
    two = loose(rows=[[0, first], [1, second], [2, second]])
    single_block = loose(
        rows=[[0, -1], [1, -1], [2, -1]],
        blocks=[3],
        c=["1"],
        p=["1"],
        p_near=None,
        sampling="nested",
    )
    for proof in (single_block, two):
        with pytest.raises(Unproved):
            proof.quantity("closed")
    smallest = str(Fraction(1e-150))
    points = ["1" if sign > 0 or signs == (-1, -1) else smallest for sign in signs]
    with pytest.raises(Unproved):
        loose(rows=[[0, first], [1, second], [2, second]], p_near=points).quantity("c_closed")
