"""Random claims: any text is read or refused, and random expressions are decided as fractions
decide them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory.errors import InvalidInput
from rpttheory.numbers.bracket import Bracket
from rpttheory.numbers.verdict import Rigour, Verdict
from rpttheory.statements import (
    FUNCTIONS,
    NAMES,
    PER_BLOCK,
    RELATIONS,
    BracketEvaluator,
    Claim,
    parse,
)

SOUP = st.lists(
    st.sampled_from(
        [
            *NAMES,
            *PER_BLOCK,
            *FUNCTIONS,
            *RELATIONS,
            *"+-*/()^,01.ex= ",
            "sum(p*",
            "sqrt(",
            "2.5",
            "1e3",
            "1e-400",
        ]
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
    text=st.text(max_size=40)
    | SOUP.map("".join)
    | SOUP.map(" ".join)
    | st.text("()-sqrt1<", max_size=300),
    values=st.fixed_dictionaries(
        {name: brackets() for name in NAMES}
        | {name: st.tuples(brackets(), brackets()) for name in PER_BLOCK}
    ),
)
def test_any_text_is_a_claim_or_invalid_input(text: str, values: dict[str, Any]) -> None:
    try:
        claim = parse(text)
        assert isinstance(claim, Claim)
        decision = BracketEvaluator(values).decide(claim)
    except InvalidInput as error:
        lines = str(error).splitlines()
        assert len(lines) == 3, lines
    else:
        assert decision.verdict in Verdict
        assert decision.rigour is min(decision.left.rigour, decision.right.rigour)


@dataclass(frozen=True)
class Sample:
    """The text of a valid expression, how tightly it binds, and its value as a function of the
    names.
    """

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
        a = left.value(values)
        b = right.value(values)
        return (
            a + b
            if symbol == "+"
            else a - b
            if symbol == "-"
            else a * b
            if symbol == "*"
            else a / b
        )

    return Sample(f"{left.at(level)} {symbol} {right.at(level + 1)}", level, value)


def _square_root_of_square(inner: Sample) -> Sample:
    return Sample(f"sqrt({inner.at(1)}*{inner.at(2)})", 3, lambda values: abs(inner.value(values)))


def _power(inner: Sample, exponent: int) -> Sample:
    return Sample(
        f"{inner.at(3)}^{exponent}", 2, lambda values: Fraction(inner.value(values)) ** exponent
    )


def _chosen(function: str, inner: list[Sample]) -> Sample:
    choose = {"min": min, "max": max, "abs": lambda found: abs(found[0])}[function]
    kept = inner[:1] if function == "abs" else inner
    text = ", ".join(one.text for one in kept)
    return Sample(
        f"{function}({text})", 3, lambda values: choose([one.value(values) for one in kept])
    )


SAMPLES = st.recursive(
    st.builds(_number, st.integers(0, 99), st.integers(-2, 2))
    | st.builds(_name, st.sampled_from(NAMES)),
    lambda inner: (
        st.builds(_negate, inner)
        | st.builds(_power, inner, st.integers(-3, 4))
        | st.builds(
            _chosen, st.sampled_from(["min", "max", "abs"]), st.lists(inner, min_size=2, max_size=3)
        )
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
    claim = parse(f"{left.text}{relation}{right.text}")
    values = data.draw(st.fixed_dictionaries(dict.fromkeys(NAMES, DYADIC)))
    known = {name: Bracket.point(float(value)) for name, value in values.items()}
    try:
        a = left.value(values)
        b = right.value(values)
    except ZeroDivisionError:
        with pytest.raises(InvalidInput, match="division by zero"):
            BracketEvaluator(known).decide(claim)
        return
    decision = BracketEvaluator(known).decide(claim)
    assert (decision.left.exact, decision.right.exact) == (a, b)
    holds = {"<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b, "==": a == b}[relation]
    assert decision.verdict is (Verdict.PROVED if holds else Verdict.REFUTED)


@given(left=SAMPLES, right=SAMPLES, relation=st.sampled_from(RELATIONS), data=st.data())
def test_enclosures_hold_the_value_at_every_interior_point(
    left: Sample, right: Sample, relation: str, data: st.DataObject
) -> None:
    claim = parse(f"{left.text}{relation}{right.text}")
    known = {}
    inside = []
    for name in sorted(claim.names()):
        ends = data.draw(st.sampled_from([st.floats(-9, 9), st.floats(0.25, 9)]))
        low, high = sorted((data.draw(ends), data.draw(ends)))
        known[name] = Bracket(low, high)
        shares = data.draw(
            st.lists(st.fractions(0, 1, max_denominator=100), min_size=3, max_size=3)
        )
        inside.append(
            [Fraction(low) + share * (Fraction(high) - Fraction(low)) for share in shares]
        )
    try:
        decision = BracketEvaluator(known).decide(claim)
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
            a = left.value(values)
            b = right.value(values)
        except ZeroDivisionError:
            assert decision.verdict is Verdict.UNDECIDED
            continue
        assert decision.left.low <= a <= decision.left.high
        assert decision.right.low <= b <= decision.right.high
        holds = {"<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b, "==": a == b}[relation]
        assert decision.verdict is not (Verdict.REFUTED if holds else Verdict.PROVED)


@given(low=st.floats(0, 1e6), width=st.floats(0, 1e6), share=st.fractions(0, 1))
def test_enclosures_of_irrational_roots_hold_the_root(
    low: float, width: float, share: Fraction
) -> None:
    value = Bracket(low, low + width)
    inside = Fraction(value.lower) + share * (Fraction(value.upper) - Fraction(value.lower))
    root = BracketEvaluator({"d": value}).decide(parse("sqrt(d) >= 0")).left
    assert root.lower >= 0 and Fraction(root.lower) ** 2 <= inside <= Fraction(root.upper) ** 2
    assert Fraction(root.upper) ** 2 <= Fraction(value.upper) * (1 + Fraction(1, 2**50)) + Fraction(
        1, 2**1000
    )
