"""The claim language: what is accepted, refused, decided and left undecided."""

import math
from fractions import Fraction

import pytest

from rpttheory.errors import InvalidInput
from rpttheory.numbers.bracket import Bracket
from rpttheory.numbers.verdict import Rigor, Verdict
from rpttheory.statements import (
    MAX_DEPTH,
    MAX_EXPONENT,
    MAX_LENGTH,
    NAMES,
    BracketEvaluator,
    parse,
)

WIDE = {name: Bracket(1.0, 2.0) for name in NAMES}
POINTS: dict[str, Bracket | tuple[Bracket, ...]] = {
    **{name: Bracket.point(float(index + 1)) for index, name in enumerate(NAMES)},
    **{
        name: (Bracket.point(a), Bracket.point(b))
        for name, a, b in (("L", 4.0, 9.0), ("p", 1.0, 2.0), ("c", 5.0, -4.0))
    },
}


def verdict(text: str, **values: Bracket | tuple[Bracket, ...]) -> Verdict:
    return BracketEvaluator({**WIDE, **values}).decide(parse(text)).verdict


def message(text: str) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        parse(text)
    assert len(str(caught.value).splitlines()) == 3
    return caught.value


VALUES = """
1 + 2*3 = 7; (1 + 2)*3 = 9; 7 - 2 - 1 = 4; 12/2/3 = 2; 12/(2/3) = 18; -2*-3 = 6; 2 - -3 = 5
-(1 + 1) = -2
0.1 + 0.2 = 3/10; .5e1 = 5; 5. = 5; 1E-2 = 1/100; sqrt(9/4) = 3/2; sqrt(2*8)/sqrt(4) = 2
1/3 + 1/3 + 1/3 = 1
-sqrt(4) = -2; 1/1e-400 = 1e400; lmax + 10*L_P = 21; d/B = 12/13; -2^2 + 2**3 = 4; 2*(1/2)^-3 = 16
(-2)^3 + 0^0 + (-3)^2 = 2; abs(2 - 3) + abs(-4) = 5; min(3, 2, lmax) + max(2, 7/2) = 9/2
sum(p*c) + max(p)*min(L) = 5; sum(sqrt(L)) - sum(max(p, 3/2)) = 3/2; sum(p^2 - c) = 4
"""


@pytest.mark.parametrize("equation", VALUES.strip().replace("\n", "; ").split("; "))
def test_arithmetic_is_exact_with_the_usual_precedence(equation: str) -> None:
    text, value = equation.split(" = ")
    decision = BracketEvaluator(POINTS).decide(parse(f"{text} == 1"))
    assert decision.left.exact == Fraction(value) and decision.rigor is Rigor.EXACT


def test_sides_keep_the_order_in_which_they_were_written() -> None:
    decision = BracketEvaluator({"d": Bracket(1.0, 2.0)}).decide(parse(" 3 >= d "))
    assert (decision.left.lower, decision.left.upper) == (3.0, 3.0)
    assert (decision.right.lower, decision.right.upper) == (1.0, 2.0)
    assert decision.verdict is Verdict.PROVED and decision.rigor is Rigor.VERIFIED


def test_names_lists_what_is_needed_and_nothing_else() -> None:
    claim = parse("-sqrt(L_P/lmax) + 2 <= cost*(1 + cost)")
    assert claim.names() == {"L_P", "lmax", "cost"}
    assert (
        BracketEvaluator({name: Bracket(1.0, 2.0) for name in claim.names()}).decide(claim).verdict
        is Verdict.PROVED
    )
    with pytest.raises(InvalidInput, match="found: cost"):
        BracketEvaluator(
            {"L_P": Bracket(1.0, 2.0), "lmax": Bracket(1.0, 2.0), "d": Bracket.point(1.0)}
        ).decide(claim)
    assert parse("1 < 2").names() == frozenset()


@pytest.mark.parametrize(
    ("text", "where", "remedy"),
    [
        ("", "''", "L_P"),
        ("1 <= L_max", "at character 6: 'L_max'", "lmax?"),
        ("xyzzy <= 2", "at character 1: 'xyzzy'", ", ".join(NAMES)),
        ("__import__('os') < 1", 'at character 12: "\'"', "L_P"),
        ("lmax", "at character 5: the end", "L_P"),
        ("< 1", "at character 1: '<'", "L_P"),
        ("1 < 2 < 3", "at character 7: '<'", "one claim for each"),
        ("(1 < 2)", "at character 4: '<'", "L_P"),
        ("1 <= (2 + 3", "at character 12: the end", "parenthesis"),
        ("1 <= 2)", "at character 7: ')'", "L_P"),
        ("1 <= max(2 lmax, 3)", "at character 12: 'lmax'", "2*lmax"),
        ("1 <= sqrt(p*c)", "at character 6: 'sqrt'", "sum(p*c)"),
        ("max(lmax) <= 1", "at character 1: 'max'", "max(lmax, 1)"),
        ("sqrt(1, 2) <= 3", "at character 7: ','", "min(x, y)"),
        ("sqrt < 3", "at character 6: '<'", "sqrt(lmax)"),
        ("lmax**0.5 <= 3", "at character 7: '0.5'", "sqrt(lmax)"),
        ("lmax^101 <= 3", "at character 6: '101'", "lmax^2"),
        ("lmax = 3", "at character 6: '='", "=="),
        ("lmax < = 3", "at character 8: '='", "<="),
        ("1,5 <= 3", "at character 2: ','", "decimal mark"),
        ("1..2 <= 3", "at character 3: '.2'", "L_P"),
        ("٣ <= 4", "at character 1: '٣'", "L_P"),
        ("1 < 1e-999999999999", "at character 5: '1e-999999999999'", "smaller"),
        ("1 < 2\n\x1b[2J", "at character 7: '\\x1b'", "L_P"),
    ],
)
def test_malformed_claims_say_where_and_what_to_try(text: str, where: str, remedy: str) -> None:
    error = message(text)
    assert error.found.startswith(where) and remedy in error.remedy


@pytest.mark.parametrize("value", [None, 3, b"1 < 2", ["1 < 2"]])
def test_only_text_is_a_claim(value: object) -> None:
    with pytest.raises(InvalidInput, match="must be text"):
        parse(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(("before", "after"), [("(", ")"), ("-", ""), ("sqrt(", ")"), ("-(", ")")])
def test_depth_is_limited_exactly(before: str, after: str) -> None:
    levels = MAX_DEPTH // (2 if before == "-(" else 1)
    claim = parse(before * levels + "d" + after * levels + " < 1e9")
    assert claim.names() == {"d"} and isinstance(repr(claim), str) and claim == parse(claim.text)
    assert BracketEvaluator({"d": Bracket(1.0, 2.0)}).decide(claim).verdict is Verdict.PROVED
    assert "deep" in message(before * (levels + 1) + "d" + after * (levels + 1) + "<9").what


def test_siblings_do_not_count_as_depth() -> None:
    flat = "+".join(["(1)"] * (MAX_DEPTH + 20)) + f" == {MAX_DEPTH + 20}"
    assert verdict(flat) is Verdict.PROVED


def test_length_is_limited_and_long_flat_claims_are_decided() -> None:
    text = "+".join(["1"] * 490) + " == 490"
    assert verdict(text + " " * (MAX_LENGTH - len(text))) is Verdict.PROVED
    assert str(MAX_LENGTH) in message(text + " " * (MAX_LENGTH - len(text) + 1)).what
    big = "*".join([f"1e{MAX_EXPONENT}"] * 100)
    # Beyond the range of floats little is known, but nothing false is said.
    assert verdict(f"{big} > 1") is not Verdict.REFUTED
    assert verdict(f"{big} <= lmax/1e-1000") is not Verdict.PROVED


# -- A verdict is never better than the enclosures


def test_overlap_is_undecided_and_contact_decides_only_weak_relations() -> None:
    assert verdict("lmax <= d", d=Bracket(2.0, 3.0)) is Verdict.PROVED
    assert verdict("lmax < d", d=Bracket(2.0, 3.0)) is Verdict.UNDECIDED
    assert verdict("lmax <= d", d=Bracket(1.9, 3.0)) is Verdict.UNDECIDED
    assert verdict("lmax > d", d=Bracket(2.0, 3.0)) is Verdict.REFUTED
    assert verdict("lmax == d", d=Bracket(2.5, 3.0)) is Verdict.REFUTED
    assert verdict("lmax == d", d=Bracket(2.0, 3.0)) is Verdict.UNDECIDED


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
    for value in (Bracket(1.0, 2.0, Rigor.NUMERICAL), Bracket(0.0, 0.0, Rigor.NUMERICAL)):
        decision = BracketEvaluator({"lmax": value}).decide(parse(text))
        assert decision.verdict is Verdict.UNDECIDED and decision.rigor is Rigor.NUMERICAL


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
    assert decision.verdict is Verdict.UNDECIDED and decision.rigor is Rigor.VERIFIED
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
        ("sqrt(1 - B) < 1", "'1 - B' is -1"),
        ("sqrt(-lmax) < 1", "'-lmax' is [-2, -1]"),
        ("1 > sqrt(0 - 1e-400)", "'0 - 1e-400' is -1e-400"),
        ("sqrt(-1)/(lmax - lmax) < 1", "'-1' is -1"),
    ],
)
def test_a_claim_that_has_no_value_is_refused(text: str, word: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        verdict(text, B=Bracket.point(2.0))
    assert word in caught.value.found and repr(text) in caught.value.found


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("L_P =< lmax", "<="),
        ("L_P => lmax", ">="),
        ("c(P) <= 2", "c_P"),
        ("gd <= 3", "lmax*sum(c)"),
        ("L_P = 2", "=="),
    ],
)
def test_what_people_write_is_answered_with_what_they_mean(text: str, meant: str) -> None:
    with pytest.raises(InvalidInput) as error:
        parse(text)
    hint = error.value.render(str).splitlines()[-1]
    assert meant in hint.replace(",", " ").split()
