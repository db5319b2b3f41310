"""Random claims: any text is read or refused, and random expressions are decided as fractions
decide them.
"""

import math
import operator
import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory.errors import InvalidInput
from rpttheory.numbers.bracket import Bracket
from rpttheory.numbers.verdict import Rigor, Verdict
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
RIGORS = st.sampled_from([Rigor.VERIFIED, Rigor.NUMERICAL])


@st.composite
def brackets(draw: st.DrawFn) -> Bracket:
    if draw(st.booleans()):
        return Bracket.point(float(draw(st.integers(-3, 3))))
    low, high = sorted((draw(ENDS), draw(ENDS)))
    # Both ends infinite alike is no number.
    return Bracket(min(low, 1e308), max(high, -1e308), draw(RIGORS))


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
        assert decision.rigor is min(decision.left.rigor, decision.right.rigor)


HOLDS: dict[str, Any] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "==": operator.eq,
}
# Python reads the same text with the same precedence: numbers become fractions before.
NUMBER = re.compile(r"\d+e-?\d+")


def exact_root(square: Fraction) -> Fraction:
    root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    assert root * root == square
    return root


def value_of(text: str, values: dict[str, Fraction]) -> Fraction:
    """Evaluate an expression in fractions, by Python."""
    source = NUMBER.sub(lambda match: f"Fraction('{match[0]}')", text)
    return Fraction(eval(source, {"Fraction": Fraction, "sqrt": exact_root, **values}))


EXPRESSIONS = st.recursive(
    st.builds("{}e{}".format, st.integers(0, 99), st.integers(-2, 2)) | st.sampled_from(NAMES),
    lambda inner: (
        st.builds("-({})".format, inner)
        | st.builds("-{}".format, st.sampled_from(NAMES))
        | st.builds("({})**{}".format, inner, st.integers(-3, 4))
        | st.builds("{}**{}".format, st.sampled_from(NAMES), st.integers(0, 4))
        | st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner)
        | st.builds("abs({})".format, inner)
        | st.builds("sqrt(({0})*({0}))".format, inner)
        | st.builds("{} {} {}".format, inner, st.sampled_from("+-*/"), inner)
        | st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner)
    ),
    max_leaves=8,
)
DYADIC = st.integers(-64, 64).map(lambda numerator: Fraction(numerator, 8))


@given(left=EXPRESSIONS, right=EXPRESSIONS, relation=st.sampled_from(RELATIONS), data=st.data())
def test_exact_values_give_the_verdict_of_fraction_arithmetic(
    left: str, right: str, relation: str, data: st.DataObject
) -> None:
    claim = parse(f"{left}{relation}{right}")
    values = data.draw(st.fixed_dictionaries(dict.fromkeys(NAMES, DYADIC)))
    enclosures = {name: Bracket.point(float(value)) for name, value in values.items()}
    try:
        a = value_of(left, values)
        b = value_of(right, values)
    except ZeroDivisionError:
        with pytest.raises(InvalidInput, match="division by zero"):
            BracketEvaluator(enclosures).decide(claim)
        return
    decision = BracketEvaluator(enclosures).decide(claim)
    assert (decision.left.exact, decision.right.exact) == (a, b)
    holds = HOLDS[relation](a, b)
    assert decision.verdict is (Verdict.PROVED if holds else Verdict.REFUTED)


@given(left=EXPRESSIONS, right=EXPRESSIONS, relation=st.sampled_from(RELATIONS), data=st.data())
def test_enclosures_hold_the_value_at_every_interior_point(
    left: str, right: str, relation: str, data: st.DataObject
) -> None:
    claim = parse(f"{left}{relation}{right}")
    enclosures = {}
    inside = []
    for name in sorted(claim.names()):
        ends = data.draw(st.sampled_from([st.floats(-9, 9), st.floats(0.25, 9)]))
        low, high = sorted((data.draw(ends), data.draw(ends)))
        enclosures[name] = Bracket(low, high)
        shares = data.draw(
            st.lists(st.fractions(0, 1, max_denominator=100), min_size=3, max_size=3)
        )
        inside.append(
            [Fraction(low) + share * (Fraction(high) - Fraction(low)) for share in shares]
        )
    try:
        decision = BracketEvaluator(enclosures).decide(claim)
    except InvalidInput:
        decision = None
    for point in zip(*inside, strict=True):
        values = dict(zip(sorted(claim.names()), point, strict=True))
        try:
            a = value_of(left, values)
            b = value_of(right, values)
        except ZeroDivisionError:
            assert decision is None or decision.verdict is Verdict.UNDECIDED
            continue
        # A refusal says that no interior point has a value.
        assert decision is not None
        assert decision.left.exact_lower <= a <= decision.left.exact_upper
        assert decision.right.exact_lower <= b <= decision.right.exact_upper
        holds = HOLDS[relation](a, b)
        assert decision.verdict is not (Verdict.REFUTED if holds else Verdict.PROVED)
