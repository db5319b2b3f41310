"""Loose but valid witnesses leave what lies between their ends undecided, for each operator and
relation.
"""

import random
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations_with_replacement, product
from types import SimpleNamespace
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
    stated = document("nested")["statement"] | changes
    return Loose(stated, {}, {"dual": [[2], [2], [2]], "points": [["1", "1"]]})


X = "lmax"
T = "6"  # inside
Real = Callable[[Fraction], Fraction | Decimal]
ONE_QUANTITY: dict[str, tuple[Any, Real]] = {
    "itself": (X, lambda x: x),
    "plus": (["+", X, "1/3"], lambda x: x + Fraction(1, 3)),
    "minus": (["-", "1/3", X], lambda x: Fraction(1, 3) - x),
    "twice": (["+", X, X], lambda x: 2 * x),
    "times": (["*", X, "-2"], lambda x: -2 * x),
    "over": (["/", X, "3"], lambda x: x / 3),
    "reciprocal": (["/", "1", X], lambda x: 1 / x),
    "negative reciprocal": (["/", "2", ["-", "0", X]], lambda x: -2 / x),
    "square": (["**", X, "2"], lambda x: x**2),
    "cube": (["**", ["-", X, T], "3"], lambda x: (x - 6) ** 3),
    "square of both signs": (["**", ["-", X, T], "2"], lambda x: (x - 6) ** 2),
    "square of a negative": (["**", ["-", "0", X], "2"], lambda x: x**2),
    "fourth power": (["**", ["-", X, "9"], "4"], lambda x: (x - 9) ** 4),
    "root": (["sqrt", X], lambda x: root(x)),
    "root of a small": (["sqrt", ["/", X, "1000000"]], lambda x: root(x / 10**6)),
    "size": (["abs", ["-", X, T]], lambda x: abs(x - 6)),
    "size of a negative": (["abs", ["-", "0", X]], lambda x: x),
    "least": (["min", X, T], lambda x: min(x, Fraction(6))),
    "largest": (["max", X, T, "1"], lambda x: max(x, Fraction(6))),
    "gradient descent": (["*", "lmax", ["sum", "c"]], lambda x: x),
    "sum over blocks": (["sum", ["*", "c", X]], lambda x: x),
    "least over blocks": (["min", ["*", "c", X]], lambda x: x / 3),
    "largest over blocks": (["max", ["*", "c", X]], lambda x: 2 * x / 3),
}


def root(x: Fraction) -> Fraction:
    with localcontext(prec=60):
        return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).sqrt())


def verdicts(proof: Proof, tree: Any, threshold: Fraction) -> dict[str, str]:
    """By relation, with the expression on the left and, turned round, on the right."""
    text = str(threshold)
    turned = {"<=": ">=", "<": ">", ">=": "<=", ">": "<", "==": "=="}
    left = {relation: proof.verdict([relation, tree, text]) for relation in turned}
    assert left == {
        relation: proof.verdict([other, text, tree]) for relation, other in turned.items()
    }
    return left


def require_exactly(proof: Proof, tree: Any, low: Fraction, high: Fraction) -> None:
    """The checker decides what lies outside [low, high], and nothing within."""
    width = high - low
    assert width > 0
    for part in (
        Fraction(1, 10**9),
        Fraction(1, 8),
        Fraction(1, 2),
        Fraction(7, 8),
        1 - Fraction(1, 10**9),
    ):
        assert set(verdicts(proof, tree, low + part * width).values()) == {"UNDECIDED"}, (
            tree,
            part,
        )
    proved = "PROVED"
    refuted = "REFUTED"
    beyond = width / 10**9
    above = {"<=": proved, "<": proved, ">=": refuted, ">": refuted, "==": refuted}
    below = {"<=": refuted, "<": refuted, ">=": proved, ">": proved, "==": refuted}
    assert verdicts(proof, tree, high + beyond) == above
    assert verdicts(proof, tree, low - beyond) == below


@pytest.mark.parametrize("name", ONE_QUANTITY)
def test_between_the_ends_nothing_is_decided(name: str) -> None:
    tree, function = ONE_QUANTITY[name]
    steps = [LOW + (HIGH - LOW) * Fraction(k, 7) for k in range(8)]  # with 6 and 9, where some turn
    ends = [Fraction(function(x)) for x in steps]
    require_exactly(loose(), tree, min(ends), max(ends))


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
        stated = document("nested")["statement"] | {"blocks": [1, 1, 1], "c": [*map(str, c)]}
        stated |= {"p": ["1"] * 3, "p_near": None, "sampling": "nested", "order": order}
        stated |= {"overhead": str(overhead)}
        V = [[rng.randint(-5, 9), rng.randint(0, 9)] for _ in range(3)]
        proof = Loose(stated, {}, {"dual": V, "points": [["1", "1", "1"]]})
        truth = Truth(matrix, [1, 1, 1], matrix, c)
        dual: Any = SimpleNamespace(dual=V)
        assert proof.quantity("optimum").low == dual_value(truth, dual, overhead, order)


def test_points_and_duals_that_prove_nothing() -> None:
    good: dict[str, Any] = {"dual": [[1], [1], [1]], "points": [["1", "1"]]}
    bad = [
        {"dual": [[0], [0], [0]]},
        {"dual": [[1], [1]]},
        {"dual": [[1], [1], [1, 1]]},
        {"points": []},
    ]
    bad += [
        {"points": [["1", "0"]]},
        {"points": [["1", "2"]]},
        {"points": [["1"]]},
        {"points": [["1/2", "1"]]},
    ]
    bad += [{"dual": [[1], ["1"], [1]]}, {"points": [[1, 1]]}]
    stated = document("nested")["statement"] | {"order": [0, 1]}
    assert Loose(stated, {}, good).quantity("optimum").high == HIGH
    for change in bad:
        with pytest.raises((Unproved, ValueError)):
            Loose(stated, {}, good | change).quantity("optimum")
    indefinite = stated | {"rows": [[0, 1], [0, -9, 1, 1], [2, 1]]}
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
OPERATIONS: dict[str, tuple[Callable[..., Value], Callable[..., Fraction]]] = {
    "+": (lambda a, b: a + b, lambda x, y: x + y),
    "-": (lambda a, b: a - b, lambda x, y: x - y),
    "*": (lambda a, b: a * b, lambda x, y: x * y),
    "/": (lambda a, b: a / b, lambda x, y: x / y),
    "max": (lambda a, b: maximum(a, b), max),
    "min": (lambda a, b: minimum(a, b), min),
}


@pytest.mark.parametrize("name", OPERATIONS)
@given(one=st.tuples(fractions, fractions), other=st.tuples(fractions, fractions))
@example(one=(Fraction(1), Fraction(2)), other=(Fraction(-1), Fraction(0)))
def test_an_interval_is_the_range_over_its_corners(
    name: str, one: tuple[Fraction, Fraction], other: tuple[Fraction, Fraction]
) -> None:
    a = Value(min(one), max(one))
    b = Value(min(other), max(other))
    on_intervals, on_numbers = OPERATIONS[name]
    if name == "/" and b.low <= 0 <= b.high:
        with pytest.raises(Unproved):
            on_intervals(a, b)
        return
    corners = [on_numbers(x, y) for x, y in product((a.low, a.high), (b.low, b.high))]
    result = on_intervals(a, b)
    assert (result.low, result.high) == (min(corners), max(corners))


def require_range_of_power(low: Fraction, high: Fraction, n: int) -> None:
    points = [low, high, *([Fraction(0)] if low < 0 < high else [])]
    powers = [x**n for x in points]
    result = Value(low, high) ** Value(n)
    assert (result.low, result.high) == (min(powers), max(powers))


@pytest.mark.parametrize("n", range(6))
def test_powers_of_intervals_near_zero(n: int) -> None:
    """Every combination of signs, with ends on both sides of 1 in size, where powers shrink and
    grow.
    """
    positive = [Fraction(1, 3), Fraction(1), Fraction(5, 2)]
    ends = [*(-x for x in reversed(positive)), Fraction(0), *positive]
    for low, high in combinations_with_replacement(ends, 2):
        require_range_of_power(low, high, n)


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
    one = loose(
        rows=[[0, -1], [1, -1], [2, -1]],
        blocks=[3],
        c=["1"],
        p=["1"],
        p_near=None,
        sampling="nested",
    )
    for proof in (one, two):
        with pytest.raises(Unproved):
            proof.quantity("closed")
    smallest = str(Fraction(1e-150))
    points = ["1" if sign > 0 or signs == (-1, -1) else smallest for sign in signs]
    with pytest.raises(Unproved):
        loose(rows=[[0, first], [1, second], [2, second]], p_near=points).quantity("c_closed")
