"""Claims typed by people: what is accepted, what is refused, and that a verdict is never better than the enclosures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory.certify.bracket import Bracket
from rpttheory.certify.verdict import Rigour, Verdict
from rpttheory.conjecture import MAX_DEPTH, MAX_EXPONENT, MAX_LENGTH, NAMES, RELATIONS, Conjecture, parse_conjecture
from rpttheory.errors import InvalidInput

WIDE = {name: Bracket(1.0, 2.0) for name in NAMES}
POINTS = {name: Bracket.point(float(index + 1)) for index, name in enumerate(NAMES)}


def verdict(text: str, **values: Bracket) -> Verdict:
    return parse_conjecture(text).decide({**WIDE, **values}).verdict


def message(text: str) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        parse_conjecture(text)
    assert len(str(caught.value).splitlines()) == 3
    return caught.value


# -- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2*3", "7"),
        ("(1 + 2)*3", "9"),
        ("7 - 2 - 1", "4"),
        ("12/2/3", "2"),
        ("12/(2/3)", "18"),
        ("-2*-3", "6"),
        ("2 - -3", "5"),
        ("-(1 + 1)", "-2"),
        ("0.1 + 0.2", "3/10"),
        (".5e1", "5"),
        ("5.", "5"),
        ("1E-2", "1/100"),
        ("sqrt(9/4)", "3/2"),
        ("sqrt(2*8)/sqrt(4)", "2"),
        ("1/3 + 1/3 + 1/3", "1"),
        ("-sqrt(4)", "-2"),
        ("1/1e-400", str(10**400)),
        ("lmax + 10*pmin", "21"),
        ("d/B", "11/12"),
    ],
)
def test_arithmetic_is_exact_with_the_usual_precedence(text: str, value: str) -> None:
    decision = parse_conjecture(f"{text} == 1").decide(POINTS)
    assert decision.left.exact == Fraction(value)
    assert decision.rigour is Rigour.EXACT


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("left", "right"), [("1", "2"), ("2", "2"), ("2", "1")])
def test_each_relation_decides_exact_sides(left: str, relation: str, right: str) -> None:
    table = {"<=": left <= right, "<": left < right, ">=": left >= right, ">": left > right, "==": left == right}
    assert verdict(f"{left}{relation}{right}") is (Verdict.PROVED if table[relation] else Verdict.REFUTED)


def test_sides_keep_the_order_in_which_they_were_written() -> None:
    decision = parse_conjecture(" 3 >= d ").decide({"d": Bracket(1.0, 2.0)})
    assert (decision.left.lower, decision.left.upper) == (3.0, 3.0)
    assert (decision.right.lower, decision.right.upper) == (1.0, 2.0)
    assert decision.verdict is Verdict.PROVED
    assert decision.rigour is Rigour.ROUNDED


def test_names_lists_what_is_needed_and_nothing_else() -> None:
    claim = parse_conjecture("-sqrt(L_P/lmax) + 2 <= cost*(1 + cost)")
    assert claim.names() == {"L_P", "lmax", "cost"}
    assert claim.decide({name: Bracket(1.0, 2.0) for name in claim.names()}).verdict is Verdict.PROVED
    with pytest.raises(InvalidInput, match="found: cost"):
        claim.decide({"L_P": Bracket(1.0, 2.0), "lmax": Bracket(1.0, 2.0), "d": Bracket.point(1.0)})
    assert parse_conjecture("1 < 2").names() == frozenset()


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_known(name: str) -> None:
    assert parse_conjecture(f"{name} >= 0").names() == {name}


def test_claims_are_equal_when_they_read_the_same() -> None:
    assert parse_conjecture("lmax*2.0<=(1 + d)").left == parse_conjecture("lmax * 2 <= 1").left
    assert parse_conjecture("lmax <= 1").left != parse_conjecture("-lmax <= 1").left


# -- deciding ------------------------------------------------------------------------------------


def test_overlap_is_undecided_and_contact_decides_only_weak_relations() -> None:
    assert verdict("lmax <= d", d=Bracket(2.0, 3.0)) is Verdict.PROVED
    assert verdict("lmax < d", d=Bracket(2.0, 3.0)) is Verdict.UNDECIDED
    assert verdict("lmax <= d", d=Bracket(1.9, 3.0)) is Verdict.UNDECIDED
    assert verdict("lmax > d", d=Bracket(2.0, 3.0)) is Verdict.REFUTED
    assert verdict("lmax == d", d=Bracket(2.5, 3.0)) is Verdict.REFUTED
    assert verdict("lmax == d", d=Bracket(2.0, 3.0)) is Verdict.UNDECIDED


def test_numbers_are_not_rounded_to_floats() -> None:
    tenth = Bracket.point(0.1)
    assert verdict("d > 0.1", d=tenth) is Verdict.PROVED
    assert verdict("d == 0.1", d=tenth) is Verdict.REFUTED
    assert verdict("d == 0.1000000000000000055511151231257827021181583404541015625", d=tenth) is Verdict.PROVED


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
    "text", ["lmax <= lmax", "lmax <= 5", "lmax > 5", "lmax < lmax", "sqrt(-lmax) < 1", "1/lmax > 0"]
)
def test_numerical_values_decide_nothing(text: str) -> None:
    for value in (Bracket(1.0, 2.0, Rigour.NUMERICAL), Bracket(0.0, 0.0, Rigour.NUMERICAL)):
        decision = parse_conjecture(text).decide({"lmax": value})
        assert decision.verdict is Verdict.UNDECIDED
        assert decision.rigour is Rigour.NUMERICAL


@pytest.mark.parametrize(
    "text",
    [
        "1/d >= 1/d",
        "1/d == 1/d",
        "-(1/d) == -(1/d)",
        "1 + 1/d >= 1 + 1/d",
        "1/d/2 == 1/d/2",
        "sqrt(1/d) == sqrt(1/d)",
        "sqrt(d) == sqrt(d)",
        "1/d*0 == 0",
        "sqrt(d) >= 0",
        "sqrt(d) <= 2",
        "sqrt(1/d) >= 0",
        "-sqrt(d) <= 0",
        "1 + sqrt(d) > 0.5",
        "0/d <= 1",
        "1/(1/d) <= 1",
        "sqrt(1/d*1/d) >= 0",
        "0 <= sqrt(d)",
    ],
)
def test_a_claim_that_may_have_no_value_is_undecided(text: str) -> None:
    decision = parse_conjecture(text).decide({"d": Bracket(-1.0, 1.0)})
    assert decision.verdict is Verdict.UNDECIDED
    assert decision.rigour is Rigour.ROUNDED
    unknown = decision.right if text == "0 <= sqrt(d)" else decision.left
    assert (unknown.lower, unknown.upper) == (-math.inf, math.inf)


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
    assert word in caught.value.found
    assert repr(text) in caught.value.found


# -- refusing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "where", "remedy"),
    [
        ("L_p <= 1", "at character 1: 'L_p'", "L_P?"),
        ("1 <= lmaxx", "at character 6: 'lmaxx'", "lmax?"),
        ("1 <= L_max", "at character 6: 'L_max'", "lmax?"),
        ("Sqrt(2) <= 2", "at character 1: 'Sqrt'", "sqrt?"),
        ("xyzzy <= 2", "at character 1: 'xyzzy'", ", ".join(NAMES)),
        ("__import__('os') < 1", 'at character 12: "\'"', "L_P"),
        ("lmax", "at character 5: the end", "L_P"),
        ("1 <", "at character 4: the end", "L_P"),
        ("< 1", "at character 1: '<'", "L_P"),
        ("1 < 2 < 3", "at character 7: '<'", "one claim for each"),
        ("(1 < 2)", "at character 4: '<'", "L_P"),
        ("(1 + 2 <= 3", "at character 8: '<='", "L_P"),
        ("1 <= (2 + 3", "at character 12: the end", "parenthesis"),
        ("1 <= 2)", "at character 7: ')'", "L_P"),
        ("1 <= () + 2", "at character 7: ')'", "L_P"),
        ("2 d <= 3", "at character 3: 'd'", "L_P"),
        ("1 <= 2 3", "at character 8: '3'", "L_P"),
        ("sqrt 2 < 3", "at character 6: '2'", "sqrt(lmax)"),
        ("sqrt < 3", "at character 6: '<'", "sqrt(lmax)"),
        ("lmax**2 <= 3", "at character 6: '*'", "x*x"),
        ("lmax^2 <= 3", "at character 5: '^'", "x*x"),
        ("lmax = 3", "at character 6: '='", "=="),
        ("lmax ≤ 3", "at character 6: '≤'", "<="),
        ("1,5 <= 3", "at character 2: ','", "decimal mark"),
        ("+1 <= 3", "at character 1: '+'", "L_P"),
        ("1..2 <= 3", "at character 3: '.2'", "L_P"),
        ("٣ <= 4", "at character 1: '٣'", "L_P"),
        ("1e1001 > 1", "at character 1: '1e1001'", "smaller"),
        ("1 < 1e-999999999999", "at character 5: '1e-999999999999'", "smaller"),
        ("1 < 2\n\x1b[2J", "at character 7: '\\x1b'", "L_P"),
    ],
)
def test_malformed_claims_say_where_and_what_to_try(text: str, where: str, remedy: str) -> None:
    error = message(text)
    assert error.found.startswith(where)
    assert remedy in error.remedy


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_claim_is_refused(text: str) -> None:
    assert "empty" in message(text).what


@pytest.mark.parametrize("value", [None, 3, b"1 < 2", ["1 < 2"]])
def test_only_text_is_a_claim(value: object) -> None:
    with pytest.raises(InvalidInput, match="must be text"):
        parse_conjecture(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(("before", "after"), [("(", ")"), ("-", ""), ("sqrt(", ")"), ("-(", ")")])
def test_depth_is_limited_exactly(before: str, after: str) -> None:
    levels = MAX_DEPTH // (2 if before == "-(" else 1)
    claim = parse_conjecture(before * levels + "d" + after * levels + " < 1e9")
    assert claim.names() == {"d"}
    assert isinstance(repr(claim), str)
    assert claim == parse_conjecture(claim.text)
    assert claim.decide({"d": Bracket(1.0, 2.0)}).verdict is Verdict.PROVED
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


# -- fuzzing -------------------------------------------------------------------------------------

SOUP = st.lists(
    st.sampled_from(
        [*NAMES, *RELATIONS, *"+-*/()", "sqrt", "sqrt(", "0", "1", "2.5", "1e3", "1e-400", ".", "e", "x", "=", " "]
    ),
    max_size=30,
)
ENDS = st.floats(-1e3, 1e3) | st.sampled_from([-math.inf, -1.0, -0.0, 0.0, 5e-324, 1e308, math.inf])
RIGOURS = st.sampled_from([Rigour.ROUNDED, Rigour.NUMERICAL])


@st.composite
def brackets(draw: st.DrawFn) -> Bracket:
    if draw(st.booleans()):
        return Bracket.point(float(draw(st.integers(-3, 3))))
    low, high = sorted((draw(ENDS), draw(ENDS)))
    # Both ends infinite alike is no number.
    return Bracket(min(low, 1e308), max(high, -1e308), draw(RIGOURS))


@given(
    text=st.text(max_size=40) | SOUP.map("".join) | SOUP.map(" ".join) | st.text("()-sqrt1<", max_size=300),
    values=st.fixed_dictionaries({name: brackets() for name in NAMES}),
)
def test_any_text_is_a_claim_or_invalid_input(text: str, values: dict[str, Bracket]) -> None:
    try:
        claim = parse_conjecture(text)
        assert isinstance(claim, Conjecture)
        decision = claim.decide(values)
    except InvalidInput as error:
        lines = str(error).splitlines()
        assert len(lines) == 3, lines
    else:
        assert decision.verdict in Verdict
        assert decision.rigour is min(decision.left.rigour, decision.right.rigour)


@dataclass(frozen=True)
class Sample:
    """The text of a valid expression, how tightly it binds, and its value as a function of the names."""

    text: str
    binding: int
    value: Callable[[dict[str, Fraction]], Fraction]

    def at(self, binding: int) -> str:
        return self.text if self.binding >= binding else f"({self.text})"


def _number(digits: int, exponent: int) -> Sample:
    value = Fraction(digits) * Fraction(10) ** exponent
    return Sample(f"{digits}e{exponent}", 3, lambda values: value)


def _name(name: str) -> Sample:
    return Sample(name, 3, lambda values: values[name])


def _negate(inner: Sample) -> Sample:
    return Sample(f"-{inner.at(3)}", 2, lambda values: -inner.value(values))


def _combine(left: Sample, symbol: str, right: Sample) -> Sample:
    level = 0 if symbol in "+-" else 1

    def value(values: dict[str, Fraction]) -> Fraction:
        a, b = left.value(values), right.value(values)
        return a + b if symbol == "+" else a - b if symbol == "-" else a * b if symbol == "*" else a / b

    return Sample(f"{left.at(level)} {symbol} {right.at(level + 1)}", level, value)


def _square_root_of_square(inner: Sample) -> Sample:
    return Sample(f"sqrt({inner.at(1)}*{inner.at(2)})", 3, lambda values: abs(inner.value(values)))


SAMPLES = st.recursive(
    st.builds(_number, st.integers(0, 99), st.integers(-2, 2)) | st.builds(_name, st.sampled_from(NAMES)),
    lambda inner: (
        st.builds(_negate, inner)
        | st.builds(_combine, inner, st.sampled_from("+-*/"), inner)
        | st.builds(_square_root_of_square, inner)
    ),
    max_leaves=8,
)
DYADIC = st.integers(-64, 64).map(lambda numerator: Fraction(numerator, 8))


@given(left=SAMPLES, right=SAMPLES, relation=st.sampled_from(RELATIONS), data=st.data())
def test_exact_values_give_the_verdict_of_fraction_arithmetic(
    left: Sample, right: Sample, relation: str, data: st.DataObject
) -> None:
    claim = parse_conjecture(f"{left.text}{relation}{right.text}")
    values = data.draw(st.fixed_dictionaries(dict.fromkeys(NAMES, DYADIC)))
    known = {name: Bracket.point(float(value)) for name, value in values.items()}
    try:
        a, b = left.value(values), right.value(values)
    except ZeroDivisionError:
        with pytest.raises(InvalidInput, match="division by zero"):
            claim.decide(known)
        return
    decision = claim.decide(known)
    assert (decision.left.exact, decision.right.exact) == (a, b)
    holds = {"<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b, "==": a == b}[relation]
    assert decision.verdict is (Verdict.PROVED if holds else Verdict.REFUTED)


@given(left=SAMPLES, right=SAMPLES, relation=st.sampled_from(RELATIONS), data=st.data())
def test_enclosures_hold_the_value_at_every_interior_point(
    left: Sample, right: Sample, relation: str, data: st.DataObject
) -> None:
    claim = parse_conjecture(f"{left.text}{relation}{right.text}")
    known, inside = {}, []
    for name in sorted(claim.names()):
        ends = data.draw(st.sampled_from([st.floats(-9, 9), st.floats(0.25, 9)]))
        low, high = sorted((data.draw(ends), data.draw(ends)))
        known[name] = Bracket(low, high)
        shares = data.draw(st.lists(st.fractions(0, 1, max_denominator=100), min_size=3, max_size=3))
        inside.append([Fraction(low) + share * (Fraction(high) - Fraction(low)) for share in shares])
    try:
        decision = claim.decide(known)
    except InvalidInput:
        # The refusal is a claim too: no interior point may have a value.
        for point in zip(*inside, strict=True):
            values = dict(zip(sorted(claim.names()), point, strict=True))
            with pytest.raises(ZeroDivisionError):
                left.value(values), right.value(values)
        return
    for point in zip(*inside, strict=True):
        values = dict(zip(sorted(claim.names()), point, strict=True))
        try:
            a, b = left.value(values), right.value(values)
        except ZeroDivisionError:
            assert decision.verdict is Verdict.UNDECIDED
            continue
        assert decision.left.low <= a <= decision.left.high
        assert decision.right.low <= b <= decision.right.high
        holds = {"<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b, "==": a == b}[relation]
        assert decision.verdict is not (Verdict.REFUTED if holds else Verdict.PROVED)


@given(low=st.floats(0, 1e6), width=st.floats(0, 1e6), share=st.fractions(0, 1))
def test_enclosures_of_irrational_roots_hold_the_root(low: float, width: float, share: Fraction) -> None:
    value = Bracket(low, low + width)
    inside = Fraction(value.lower) + share * (Fraction(value.upper) - Fraction(value.lower))
    root = parse_conjecture("sqrt(d) >= 0").decide({"d": value}).left
    assert root.lower >= 0
    assert Fraction(root.lower) ** 2 <= inside <= Fraction(root.upper) ** 2
    assert Fraction(root.upper) ** 2 <= Fraction(value.upper) * (1 + Fraction(1, 2**50)) + Fraction(1, 2**1000)
