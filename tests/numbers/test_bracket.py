"""Brackets against exact rational arithmetic: nothing lost, and the ends no wider than they must
be.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rpttheory.numbers.bracket import Bracket, round_down, round_up, scaled_down
from rpttheory.numbers.verdict import Rigor, Verdict
from rpttheory.report import number

INF = math.inf
HUGE = math.nextafter(INF, 0.0)
TINY = 5e-324

finite = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, TINY, -TINY, 2.0**-1022, HUGE, -HUGE, 1 / 3, 1 + 2.0**-52]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-8, 8).map(float),
)
parts = st.fractions(min_value=0, max_value=1, max_denominator=64)


@st.composite
def fractions(draw: st.DrawFn) -> Fraction:
    """Fractions near floats, at midpoints of floats, of any size, and beyond the float range."""
    base = Fraction(draw(finite))
    return base * draw(
        st.sampled_from([Fraction(1), Fraction(2), 1 + Fraction(1, 2**53), 1 - Fraction(1, 2**80)])
    ) / draw(st.integers(1, 10**6)) + draw(
        st.sampled_from([Fraction(0), Fraction(1, 10**400), Fraction(-1, 3)])
    )


# Ends of thousands of bits, which brackets must shorten outwards.
long_fractions = st.builds(
    lambda base, power: Fraction(base) * Fraction(5**power, 3**power),
    finite,
    st.sampled_from([1, 300, 2000]),
)
any_end = st.one_of(finite.map(Fraction), long_fractions)
positive_end = st.one_of(
    st.floats(min_value=TINY, allow_infinity=False).map(Fraction),
    st.builds(
        lambda base: Fraction(base) * Fraction(5**900, 3**900),
        st.floats(min_value=TINY, allow_infinity=False),
    ),
)


@st.composite
def enclosures(
    draw: st.DrawFn, ends: st.SearchStrategy[Fraction] = any_end
) -> tuple[Bracket, Fraction]:
    """A VERIFIED bracket with finite ends and a number inside the ends given."""
    lower, upper = sorted((draw(ends), draw(ends)))
    return Bracket(lower, upper), lower + draw(parts) * (upper - lower)


def encloses(bracket: Bracket, value: Fraction) -> bool:
    """By the exact ends: the floats `lower` and `upper` would forgive errors below their
    spacing.
    """
    assert bracket.lower <= bracket.exact_lower <= bracket.exact_upper <= bracket.upper
    return bool(bracket.exact_lower <= value <= bracket.exact_upper)


def barely(bracket: Bracket, low: Fraction, high: Fraction) -> bool:
    """True if the ends lie outside [low, high], by at most 2^-200 of their size."""
    slack = Fraction(1, 2**200)
    return (
        isinstance(bracket.exact_lower, Fraction)
        and isinstance(bracket.exact_upper, Fraction)
        and low - abs(low) * slack <= bracket.exact_lower <= low
        and high <= bracket.exact_upper <= high + abs(high) * slack
    )


def corners(bracket: Bracket) -> tuple[Fraction, Fraction]:
    assert isinstance(bracket.exact_lower, Fraction) and isinstance(bracket.exact_upper, Fraction)
    return bracket.exact_lower, bracket.exact_upper


# -- directed rounding -----------------------------------------------------------------------------


@given(fractions())
@example(Fraction(HUGE) * 2)
@example(-Fraction(HUGE) * 2)
@example(Fraction(HUGE) + 1)
@example(-Fraction(HUGE) - 1)
@example(Fraction(1, 10**400))
@example(-Fraction(1, 10**400))
@example(Fraction(2**53 + 1))
@example(-Fraction(2**53 + 1))
def test_rounding_is_directed_and_tight(value: Fraction) -> None:
    low = round_down(value)
    high = round_up(value)
    assert low == -INF or Fraction(low) <= value
    assert high == INF or Fraction(high) >= value
    after = math.nextafter(low, INF)
    before = math.nextafter(high, -INF)
    assert after == INF or Fraction(after) > value
    assert before == -INF or Fraction(before) < value
    bracket = Bracket.of_fraction(value)
    assert (bracket.exact, bracket.rigor) == (value, Rigor.EXACT) and (
        bracket.lower,
        bracket.upper,
    ) == (low, high)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-2200, 2200))
@example(1.5 * 2.0**-999, -75)
@example(-(2.0**-1000) * (1 + 2.0**-52), -30)
@example(HUGE, 1)
@example(-HUGE, 1)
def test_a_power_of_two_is_rounded_down_only_where_it_must_be(value: float, exponent: int) -> None:
    assert scaled_down(value, exponent) == round_down(Fraction(value) * Fraction(2) ** exponent)


# -- making brackets -------------------------------------------------------------------------------


@given(st.lists(any_end, min_size=2, max_size=2).map(sorted))
def test_long_ends_are_shortened_outwards(ends: list[Fraction]) -> None:
    bracket = Bracket(ends[0], ends[1])
    assert barely(bracket, ends[0], ends[1])
    if ends[0] < ends[1]:
        for numerator in (abs(end.numerator) for end in corners(bracket)):
            odd_part = numerator // (numerator & -numerator or 1)
            assert odd_part.bit_length() <= 512
    else:
        assert bracket.exact == ends[0]


@pytest.mark.parametrize("value", [Fraction(3**20_000, 2**31_000), -Fraction(3**20_000, 2**31_000)])
def test_exact_numbers_with_very_many_digits_are_rounded_outwards(value: Fraction) -> None:
    bracket = Bracket.of_fraction(value)
    assert bracket.exact is None and barely(bracket, value, value)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [(2.0, 1.0), (math.nan, 1.0), (1.0, math.nan), (INF, -INF), (INF, INF), (-INF, -INF)],
)
@pytest.mark.parametrize("kind", [float, np.float64])
def test_ends_in_the_wrong_order_are_refused(kind: Any, lower: float, upper: float) -> None:
    with pytest.raises(ValueError, match="lower <= upper"):
        Bracket(kind(lower), kind(upper))


# -- arithmetic ------------------------------------------------------------------------------------

OPERATIONS = [operator.add, operator.sub, operator.mul, operator.truediv]


@given(left=enclosures(), right=enclosures())
def test_arithmetic_encloses(
    left: tuple[Bracket, Fraction], right: tuple[Bracket, Fraction]
) -> None:
    (a, x) = left
    (b, y) = right
    for operation in OPERATIONS:
        result = operation(a, b)
        assert result.rigor is Rigor.VERIFIED
        if operation is operator.truediv and b.exact_lower <= 0 <= b.exact_upper:
            assert (result.lower, result.upper) == (-INF, INF)
            continue
        assert encloses(result, operation(x, y)), operation
        values = [operation(p, q) for p in corners(a) for q in corners(b)]
        if operation in (operator.mul, operator.truediv):
            assert barely(result, min(values), max(values)), operation
        else:  # cancellation: the slack is relative to the terms
            size = max(map(abs, (*corners(a), *corners(b)))) / 2**200
            assert min(values) - size <= result.exact_lower <= min(values), operation
            assert max(values) <= result.exact_upper <= max(values) + size, operation


@given(x=fractions(), y=fractions())
def test_exact_arithmetic_stays_exact(x: Fraction, y: Fraction) -> None:
    a = Bracket.of_fraction(x)
    b = Bracket.of_fraction(y)
    for operation in OPERATIONS if y else OPERATIONS[:-1]:
        for result in (operation(a, b), operation(a, y), operation(x, b)):
            assert result.exact == operation(x, y) and result.rigor is Rigor.EXACT, operation


TERMS: list[Callable[[list[Bracket]], Bracket]] = [
    Bracket.sum,
    Bracket.largest,
    Bracket.smallest,
    *(lambda pair, operation=operation: operation(*pair) for operation in OPERATIONS),
    lambda pair: pair[0].squared() + pair[1].sqrt() - pair[0] / Bracket(-1.0, 1.0),
]


@pytest.mark.parametrize("combine", TERMS, ids=range(len(TERMS)))
def test_the_weaker_rigor_survives(combine: Callable[[list[Bracket]], Bracket]) -> None:
    for weak in (Rigor.NUMERICAL, Rigor.VERIFIED):
        # One is neutral in products, but not if nothing proves that it is one.
        for term in (Bracket(5.0, 6.0, weak), Bracket(1.0, 1.0, weak)):
            for operand in (Bracket.point(1.0), Bracket.point(9.0), Bracket(1.0, 2.0)):
                assert combine([term, operand]).rigor is weak
                assert combine([operand, term]).rigor is weak


@given(enclosures())
def test_one_is_neutral_and_negation_reflection_and_squares_enclose(
    pair: tuple[Bracket, Fraction],
) -> None:
    bracket, inside = pair
    # Identity matters: a quantity compared with itself is a tie, which ends alone cannot show.
    assert (
        bracket * 1 is 1.0 * bracket is bracket / Fraction(1) is Bracket.sum([bracket]) is bracket
    )
    assert corners(-bracket) == (-corners(bracket)[1], -corners(bracket)[0])
    assert encloses(1 - bracket, 1 - inside) and encloses(2.5 + bracket, Fraction(5, 2) + inside)
    assert encloses(np.float64(2.5) * bracket, Fraction(5, 2) * inside)
    low, high = corners(bracket)
    least = Fraction(0) if low <= 0 <= high else min(low * low, high * high)
    assert barely(bracket.squared(), least, max(low * low, high * high))


@pytest.mark.parametrize(
    "divisor", [(-1.0, 2.0), (0.0, 2.0), (-2.0, 0.0), (0.0, 0.0), (-0.0, 1.0), (-INF, INF)]
)
def test_division_by_an_interval_with_zero_knows_nothing(divisor: tuple[float, float]) -> None:
    for numerator in (Bracket(1.0, 2.0), Bracket.point(0.0), Bracket(-INF, INF)):
        result = numerator / Bracket(*divisor)
        assert (result.lower, result.upper) == (-INF, INF)


# -- infinite ends ---------------------------------------------------------------------------------

UNBOUNDED = [
    (-INF, INF),
    (0.0, INF),
    (1.0, INF),
    (-1.0, INF),
    (-INF, 0.0),
    (-INF, -1.0),
    (-INF, 1.0),
]


def _points(lower: float, upper: float) -> list[Fraction]:
    low = Fraction(-(10**320)) if lower == -INF else Fraction(lower)
    high = Fraction(10**320) if upper == INF else Fraction(upper)
    return [low, low + (high - low) / 3, (low + high) / 2, high]


@given(ends=st.sampled_from(UNBOUNDED), other=enclosures())
def test_unbounded_arithmetic_encloses(
    ends: tuple[float, float], other: tuple[Bracket, Fraction]
) -> None:
    unbounded = Bracket(*ends)
    (bracket, inside) = other
    for operation in OPERATIONS:
        forward = operation(unbounded, bracket)
        backward = operation(bracket, unbounded)
        for point in _points(*ends):
            if operation is not operator.truediv or inside != 0:
                assert encloses(forward, operation(point, inside)), operation
            if operation is not operator.truediv or point != 0:
                assert encloses(backward, operation(inside, point)), operation


@pytest.mark.parametrize("ends", UNBOUNDED)
def test_infinite_ends_decide_only_what_they_can(ends: tuple[float, float]) -> None:
    bracket = Bracket(*ends)
    below = Verdict.PROVED if ends[1] <= 1.0 else Verdict.UNDECIDED
    assert (bracket <= 1.0) is below and (bracket <= Bracket(*ends)) is Verdict.UNDECIDED
    assert (bracket >= 2.0) is (Verdict.REFUTED if ends[1] < 2.0 else Verdict.UNDECIDED)


# -- sums and extremes -----------------------------------------------------------------------------


@given(st.lists(enclosures(), min_size=2, max_size=8), st.sampled_from([1, 120]))
def test_sums_enclose_tightly(terms: list[tuple[Bracket, Fraction]], copies: int) -> None:
    """More than 200 terms take another route, with shortened partial sums."""
    many = terms * copies
    result = Bracket.sum(bracket for bracket, _ in many)
    assert encloses(result, copies * sum((inside for _, inside in terms), Fraction(0)))
    low, high = (sum((corners(b)[end] for b, _ in many), Fraction(0)) for end in (0, 1))
    size = sum((max(map(abs, corners(b))) for b, _ in many), Fraction(0)) / 2**200
    assert low - size <= result.exact_lower <= low and high <= result.exact_upper <= high + size


@given(st.lists(enclosures(), min_size=1, max_size=6))
def test_extremes_enclose_tightly(terms: list[tuple[Bracket, Fraction]]) -> None:
    brackets = [bracket for bracket, _ in terms]
    largest = Bracket.largest(brackets)
    smallest = Bracket.smallest(brackets)
    assert encloses(largest, max(inside for _, inside in terms))
    assert encloses(smallest, min(inside for _, inside in terms))
    lows, highs = zip(*map(corners, brackets), strict=True)
    assert barely(largest, max(lows), max(highs)) and barely(smallest, min(lows), min(highs))


def test_a_dominating_term_is_returned_itself() -> None:
    low = Bracket(1.0, 2.0)
    middle = Bracket(2.0, 3.0)
    high = Bracket(3.0, 4.0)
    assert (
        Bracket.largest([low, high, middle]) is high
        and Bracket.smallest([middle, low, high]) is low
    )
    overlapping = Bracket(3.5, 5.0)
    assert Bracket.largest([high, overlapping]) is not overlapping


# -- square roots ----------------------------------------------------------------------------------


@given(enclosures(positive_end))
def test_square_roots_enclose_tightly(pair: tuple[Bracket, Fraction]) -> None:
    low, high = corners(pair[0])
    assert barely(pair[0].sqrt().squared(), low, high)
    root_low, root_high = corners(pair[0].sqrt())
    assert root_low**2 <= low <= high <= root_high**2


@given(fractions().map(abs))
def test_roots_of_squares_are_exact(value: Fraction) -> None:
    root = Bracket.of_fraction(value * value).sqrt()
    assert root.exact == value and (root == value) is Verdict.PROVED


def test_roots_near_zero_and_below() -> None:
    assert corners(Bracket(-1.0, 4.0).sqrt()) == (0, 2) and Bracket.point(0.0).sqrt().exact == 0
    assert Bracket(-INF, INF).sqrt().exact_lower == 0 and Bracket(4.0, INF).sqrt().lower == 2
    for negative in (Bracket(-2.0, -1.0), Bracket.of_fraction(Fraction(-1, 10**400))):
        with pytest.raises(ValueError, match="square root of a negative number"):
            negative.sqrt()


# -- verdicts --------------------------------------------------------------------------------------

COMPARISONS = [operator.le, operator.lt, operator.ge, operator.gt, operator.eq, operator.ne]


@given(left=enclosures(), right=enclosures())
def test_a_verdict_holds_for_every_number_inside(
    left: tuple[Bracket, Fraction], right: tuple[Bracket, Fraction]
) -> None:
    (a, x) = left
    (b, y) = right
    for comparison in COMPARISONS:
        verdict = comparison(a, b)
        outcomes = {comparison(p, q) for p in corners(a) for q in corners(b)}
        if verdict is not Verdict.UNDECIDED:
            assert outcomes == {verdict is Verdict.PROVED} and comparison(x, y) is (
                verdict is Verdict.PROVED
            )
        else:
            assert outcomes == {True, False} or comparison in (operator.eq, operator.ne)


def test_ties_by_hand() -> None:
    unit = Bracket(1.0, 1.0)
    assert (unit <= 1.0, unit < 1.0) == (Verdict.PROVED, Verdict.REFUTED)
    assert (unit == 1, unit != 1, unit == 2) == (Verdict.PROVED, Verdict.REFUTED, Verdict.REFUTED)
    assert (Bracket.point(0.1) == Decimal("0.1")) is Verdict.REFUTED
    assert unit.__eq__("1") is unit.__ne__(None) is NotImplemented and len({unit, unit}) == 1
    assert (unit <= math.nextafter(1.0, 0.0)) is (Bracket.point(0.1) * 3 <= 0.3) is Verdict.REFUTED
    assert (Bracket.of_fraction(Fraction(1, 10)) * 3 <= Fraction(3, 10)) is Verdict.PROVED
    same = bracket = Bracket(1.0, 2.0)  # which ties with itself
    assert (bracket <= same, bracket >= same, bracket == same) == (Verdict.PROVED,) * 3
    assert (bracket < same, bracket > same) == (Verdict.REFUTED, Verdict.REFUTED)
    assert (bracket == Bracket(1.0, 2.0)) is Verdict.UNDECIDED


class _KnownRoot:
    """A root that is the same number as any other with its name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[tuple[Fraction, Fraction]] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _KnownRoot) and self.name == other.name

    __hash__ = None  # type: ignore[assignment]

    def scaled(self, factor: Fraction) -> _KnownRoot:
        return _KnownRoot(f"{self.name} times {factor}")

    def meets(self, other: Any, low: Fraction, high: Fraction) -> bool:
        self.asked.append((low, high))
        return bool(self.name == other.name)


def test_roots_decide_ties_that_ends_cannot() -> None:
    root = _KnownRoot("a")
    bracket = Bracket(1.0, 3.0, root=root)
    same = Bracket(2.0, 4.0, root=_KnownRoot("a"))
    different = Bracket(2.0, 4.0, root=_KnownRoot("b"))
    assert (bracket <= same, bracket >= same, bracket < same, bracket > same) == (
        Verdict.PROVED,
        Verdict.PROVED,
        Verdict.REFUTED,
        Verdict.REFUTED,
    )
    assert (bracket == same) is Verdict.PROVED and set(root.asked) == {(Fraction(2), Fraction(3))}
    assert (bracket == different) is Verdict.UNDECIDED and (
        bracket == Bracket(2.0, 4.0)
    ) is Verdict.UNDECIDED
    numerical = Bracket(2.0, 4.0, Rigor.NUMERICAL, root=_KnownRoot("a"))
    assert (bracket == numerical) is Verdict.UNDECIDED


def test_roots_in_disjoint_brackets_are_different_numbers() -> None:
    left = Bracket(1.0, 2.0, root=_KnownRoot("a"))
    right = Bracket(3.0, 4.0, root=_KnownRoot("a"))
    assert (left < right) is Verdict.PROVED and (left == right) is Verdict.REFUTED


def test_scaling_scales_the_root_and_other_arithmetic_forgets_it() -> None:
    """The result is another number, so a tie through the old root would be false."""
    bracket = Bracket(1.0, 3.0, root=_KnownRoot("a"))
    wide = Bracket(1.0, 2.0)
    assert (bracket * 2).root == (2 * bracket).root == _KnownRoot("a times 2")
    assert (bracket / 4).root == _KnownRoot("a times 1/4")
    assert (Bracket.point(0.5) * bracket).root == _KnownRoot("a times 1/2")
    for result in (2 / bracket, bracket * wide, bracket / wide, bracket + 2, bracket - 2):
        assert result.root is None
    for factor in (-2.0, -0.5):
        point = Bracket.point(factor)
        assert all(
            result.root is None
            for result in (bracket * point, point * bracket, bracket / point, point / bracket)
        )
    assert (-bracket).root is bracket.sqrt().root is bracket.squared().root is None


@given(left=enclosures(), right=enclosures())
def test_numerical_brackets_never_decide(
    left: tuple[Bracket, Fraction], right: tuple[Bracket, Fraction]
) -> None:
    numerical = Bracket(left[0].exact_lower, left[0].exact_upper, Rigor.NUMERICAL)
    remaining = [right[0], numerical, numerical * 2, numerical.squared().sqrt(), -numerical]
    for comparison in COMPARISONS:
        for operand in [*remaining, Bracket.of_fraction(corners(right[0])[0])]:
            assert comparison(numerical, operand) is Verdict.UNDECIDED
            assert comparison(operand, numerical) is Verdict.UNDECIDED
        assert comparison(Bracket.sum([numerical, right[0]]), -1e300) is Verdict.UNDECIDED
        assert comparison(Bracket.largest([numerical, right[0]]), -1e300) is Verdict.UNDECIDED


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_verdict_has_no_truth_value(verdict: Verdict) -> None:
    for use in (bool, operator.not_, lambda value: value and 1, lambda value: 1 if value else 0):
        with pytest.raises(TypeError, match="a Verdict has no truth value"):
            use(verdict)


# -- reading ---------------------------------------------------------------------------------------


@given(enclosures())
def test_reading_a_bracket(pair: tuple[Bracket, Fraction]) -> None:
    bracket, inside = pair
    assert inside in bracket and bracket.exact_lower in bracket and bracket.exact_upper in bracket
    assert bracket.lower <= bracket.midpoint <= bracket.upper
    if bracket.upper < HUGE and bracket.lower > -HUGE:
        assert math.nextafter(bracket.upper, INF) not in bracket
        assert Fraction(bracket.lower) - Fraction(1, 10**400) not in bracket
        assert bracket.to_dict() == {"lower": bracket.lower, "upper": bracket.upper}
    low, high = corners(bracket)
    assert bracket.width == round_up(high - low)


def test_printing() -> None:
    assert str(Bracket.point(2.5)) == "2.5" and str(Bracket.of_fraction(Fraction(1, 3))) == "1/3"
    assert (
        str(Bracket.point(0.1)) == "0.10000000000000000..." and str(Bracket(1.0, 2.0)) == "[1, 2]"
    )
    assert str(Bracket(1.0, 1.001, Rigor.NUMERICAL)) == "about 1.0005(5)"
    assert (str(Bracket(-502.0, -501.0)), str(Bracket(501.0, 502.0))) == ("-501.5(5)", "501.5(5)")
    assert (f"{Bracket(1.0, 1.25):.3f}", float(Bracket(1.0, 1.25))) == ("1.125", 1.125)
    assert repr(Bracket(5.8870451, 5.8870509)) == "5.887048(3)"


@pytest.mark.parametrize(
    ("bracket", "latex"),
    [
        (Bracket(5.8870451, 5.8870509), "$5.887048(3)$"),
        (Bracket(1.5e300, 1.501e300, Rigor.NUMERICAL), r"$\approx 1.5005(5) \times 10^{300}$"),
        (Bracket.point(0.1), r"$0.10000000000000000\ldots$"),
        (Bracket(1.0, INF), r"$[1, \infty]$"),
    ],
)
def test_notebooks_show_the_same_digits(bracket: Bracket, latex: str) -> None:
    assert bracket._repr_latex_() == latex
    title, printed = re.fullmatch('<span title="(.*)">(.*)</span>', bracket._repr_html_()).groups()
    assert printed == str(bracket) and title.endswith(bracket.rigor.name)
    low, high = map(float, re.findall(r"[^\[\], ]+", title)[:2])
    assert low <= bracket.lower <= bracket.upper <= high


@given(st.fractions(max_denominator=10**9), st.integers(1, 10**6), st.integers(-60, 0))
def test_printed_digits_enclose_the_number(middle: Fraction, steps: int, exponent: int) -> None:
    """m(e) says that every number of the bracket is within e units of the last digit of m."""
    half = abs(middle) * steps * Fraction(10) ** (exponent - 9)
    bracket = Bracket(middle - half, middle + half)
    match = re.fullmatch(
        r"(-?)([0-9]+)(?:[.]([0-9]+))?[(]([0-9]+)[)](?:e([+-][0-9]+))?", str(bracket)
    )
    if match is None:
        assert half == 0 or 2 * half > max(abs(bracket.exact_lower), abs(bracket.exact_upper)) / 100
        return
    sign, whole, part, off, power = match.groups(default="")
    unit = Fraction(10) ** (int(power or 0) - len(part))
    printed = int(sign + whole + part) * unit
    assert (
        printed - int(off) * unit
        <= bracket.exact_lower
        <= bracket.exact_upper
        <= printed + int(off) * unit
    )
    assert int(off) * unit <= 2 * half + unit and int(off) < 30


def last_unit(text: str) -> Fraction:
    """One unit in the last digit of a printed decimal."""
    mantissa, _, power = text.partition("e")
    return Fraction(10) ** (int(power or 0) - len(mantissa.partition(".")[2]))


@given(fractions())
@example(Fraction("4.73205080756887729352744634"))
@example(Fraction("0.30000000000000001"))
@example(-Fraction(HUGE) * 2)
def test_an_exact_number_prints_its_own_digits(value: Fraction) -> None:
    """The digits before "..." are the number truncated; without "..." they are the number."""
    text = str(Bracket.of_fraction(value))
    if not text.endswith("..."):
        assert Fraction(text) == value
        return
    digits = text.removesuffix("...")
    printed = abs(Fraction(digits))
    assert printed < abs(value) < printed + last_unit(digits)
    assert digits.startswith("-") == (value < 0)
    assert len(digits.partition("e")[0].lstrip("-0.").replace(".", "")) == 17


@given(fractions(), fractions(), st.sampled_from([str, number]))
@example(Fraction("851.0634"), Fraction("1182.31"), number)
def test_two_printed_ends_enclose_the_bracket(
    a: Fraction, b: Fraction, show: Callable[[Bracket], str]
) -> None:
    bracket = Bracket(min(a, b), max(a, b))
    text = show(bracket)
    if text.startswith("["):
        low, high = text[1:-1].split(", ")
        digits = 6 if show is str else 4
        for printed, end, sign in ((low, -bracket.exact_lower, -1), (high, bracket.exact_upper, 1)):
            excess = sign * Fraction(printed) - end
            assert 0 <= excess <= abs(end) * Fraction(10) ** (1 - digits)
