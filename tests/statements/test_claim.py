"""A verdict is never better than the enclosures."""

import math

import pytest

from rpttheory.errors import InvalidInput
from rpttheory.numbers.bracket import Bracket
from rpttheory.numbers.verdict import Rigour, Verdict
from rpttheory.statements import BracketEvaluator, parse

from .enclosures import verdict


def test_overlap_is_undecided_and_contact_decides_only_weak_relations() -> None:
    assert verdict("lmax <= d", d=Bracket(2.0, 3.0)) is Verdict.PROVED
    assert verdict("lmax < d", d=Bracket(2.0, 3.0)) is Verdict.UNDECIDED
    assert verdict("lmax <= d", d=Bracket(1.9, 3.0)) is Verdict.UNDECIDED
    assert verdict("lmax > d", d=Bracket(2.0, 3.0)) is Verdict.REFUTED
    assert verdict("lmax == d", d=Bracket(2.5, 3.0)) is Verdict.REFUTED
    assert verdict("lmax == d", d=Bracket(2.0, 3.0)) is Verdict.UNDECIDED


def test_numbers_are_not_rounded_to_floats() -> None:
    tenth = Bracket.point(0.1)
    assert (
        verdict("d > 0.1", d=tenth) is Verdict.PROVED
        and verdict("d == 0.1", d=tenth) is Verdict.REFUTED
    )
    assert (
        verdict("d == 0.1000000000000000055511151231257827021181583404541015625", d=tenth)
        is Verdict.PROVED
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lmax <= lmax", Verdict.PROVED),
        ("2*sqrt(lmax)/d >= 2.0*(sqrt(lmax))/d", Verdict.PROVED),
        ("lmax + 1 == lmax+1", Verdict.PROVED),
        ("lmax < lmax", Verdict.REFUTED),
        ("-lmax > -lmax", Verdict.REFUTED),
        ("lmax <= L_P", Verdict.UNDECIDED),
        ("lmax - d <= d - lmax", Verdict.UNDECIDED),
    ],
)
def test_identical_sides_are_a_tie_however_wide(text: str, expected: Verdict) -> None:
    assert verdict(text) is expected


@pytest.mark.parametrize(
    "text",
    ["lmax <= lmax", "lmax <= 5", "lmax > 5", "lmax < lmax", "sqrt(-lmax) < 1", "1/lmax > 0"],
)
def test_numerical_values_decide_nothing(text: str) -> None:
    for value in (Bracket(1.0, 2.0, Rigour.NUMERICAL), Bracket(0.0, 0.0, Rigour.NUMERICAL)):
        decision = BracketEvaluator({"lmax": value}).decide(parse(text))
        assert decision.verdict is Verdict.UNDECIDED and decision.rigour is Rigour.NUMERICAL


NO_VALUE = """
1/d >= 1/d; 1/d == 1/d; -(1/d) == -(1/d); 1 + 1/d >= 1 + 1/d; 1/d/2 == 1/d/2
sqrt(1/d) == sqrt(1/d); sqrt(d) == sqrt(d)
1/d*0 == 0; sqrt(d) >= 0; sqrt(d) <= 2; sqrt(1/d) >= 0; -sqrt(d) <= 0; 1 + sqrt(d) > 0.5
0/d <= 1; 1/(1/d) <= 1
sqrt(1/d*1/d) >= 0; max(1/d, 1) >= 0; min(sqrt(d), 1) <= 1; abs(1/d) >= 0; (1/d)^2 >= 0
d^-2 >= 0; 0 <= sqrt(d)
"""


@pytest.mark.parametrize("text", NO_VALUE.strip().replace("\n", "; ").split("; "))
def test_a_claim_that_may_have_no_value_is_undecided(text: str) -> None:
    decision = BracketEvaluator({"d": Bracket(-1.0, 1.0)}).decide(parse(text))
    assert decision.verdict is Verdict.UNDECIDED and decision.rigour is Rigour.ROUNDED
    unknown = decision.right if text == "0 <= sqrt(d)" else decision.left
    assert (unknown.lower, unknown.upper) == (-math.inf, math.inf)


def test_an_even_power_is_never_below_zero() -> None:
    assert verdict("(lmax - 3/2)^2 >= 0") is verdict("(lmax - 3/2)^2 <= 1/4") is Verdict.PROVED
    assert verdict("(1 - lmax)^4 <= 1") is verdict("abs(1 - lmax) >= 0") is Verdict.PROVED
    assert (
        verdict("sum(p) - sum(c) == 1", p=(Bracket.point(1.0),) * 2, c=(Bracket.point(0.5),) * 2)
        is Verdict.PROVED
    )


def test_a_root_that_only_touches_zero_has_a_value() -> None:
    assert verdict("sqrt(d) <= 1", d=Bracket(0.0, 1.0)) is Verdict.PROVED
    assert verdict("sqrt(d - d) == 0", d=Bracket.point(3.0)) is Verdict.PROVED
    assert verdict("sqrt(1e-700) > 0") is Verdict.PROVED
    assert verdict("sqrt(1e-700) == 1e-350") is Verdict.PROVED


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("1/(B - 2) < 1", "'B - 2' is 0"),
        ("1/0 < 1", "'0' is 0"),
        ("sqrt(1 - B) < 1", "'1 - B' is at most -1"),
        ("sqrt(-lmax) < 1", "'-lmax' is at most -1"),
        ("1 > sqrt(0 - 1e-400)", "'0 - 1e-400' is at most 0"),
        ("sqrt(-1)/(lmax - lmax) < 1", "'-1' is at most -1"),
    ],
)
def test_a_claim_that_has_no_value_is_refused(text: str, word: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        verdict(text, B=Bracket.point(2.0))
    assert word in caught.value.found and repr(text) in caught.value.found
