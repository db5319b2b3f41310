"""Random claims about one problem, close to the truth."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from rpttheory.statements import AT_A_POINT, NAMES, RELATIONS

from .notation import exact_vector, nearest_float
from .printed import is_true
from .reals import (
    Pair,
    Real,
    product,
    rational,
    reciprocal,
    root,
    semidefinite,
    total,
)
from .trial import Trial, check_untouched, digits_of, draw_problem
from .truth import Truth

# Expressions that the judge knows under a name of its own; quantities at a point x it does not
# know.
_JUDGED = {
    "min(p)": "pmin",
    "max(L)": "maxL",
    "sum(L)": "sumL",
    "sum(c*L)": "sumcL",
    "sum(sqrt(c*L))^2": "closed",
}
_JUDGED |= {name: name for name in NAMES if name not in AT_A_POINT}
# Numbers that are often equal, or nearly so.
NEIGHBORS = [
    tuple(pair.split())
    for pair in [
        "L_M L_P",
        "L_P lmax",
        "c_P lmax",
        "c_P closed",
        "closed sum(L)",
        "closed sum(c*L)",
        "max(L) lmax",
        "lmax sum(L)",
        "sum(c*L) c_P",
        "min(p) cost",
        "L_P L_M",
        "mu lmax",
        "optimum closed",
        "optimum sum(c*L)",
        "optimum c_P",
        "c_rounded optimum",
        "c_rounded closed",
        "c_closed optimum",
        "c_closed closed",
        "c_closed c_rounded",
        "sum(sqrt(c*L))^2 closed",
    ]
]


@dataclass
class Claim:
    """A claim as text, and its two sides as the judge knows them."""

    text: str
    left: Real
    relation: str
    right: Real


def claims(trial: Trial) -> None:
    """Random claims about one problem, through `verify`."""
    problem = draw_problem(trial, definite=True)
    if problem is None:
        return
    rounded_form = trial.ask(f"closed_form(L, blocks, {problem.costs})")
    problem.truth.p_near = (
        None if rounded_form is None else exact_vector(rounded_form.probabilities)
    )
    requested = [draw_claim(trial.rng, problem.truth) for _ in range(trial.rng.randint(5, 30))]
    law = problem.law_arguments(trial.rng)
    trial.write(f"claims = {[claim.text for claim in requested]}")
    call = f"verify(L, blocks, costs={problem.costs}, {law}, claims=claims)"
    result = trial.ask(call)
    if result is not None:
        judge_verdicts(
            trial, problem.truth, requested, [c.verdict.value for c in result.claims], call
        )
    check_untouched(trial, problem.before)


def judge_verdicts(
    trial: Trial, truth: Truth, requested: Sequence[Claim], verdicts: Sequence[str], call: str
) -> None:
    paper = verdicts[: len(verdicts) - len(requested)]
    trial.count("statements of the paper", len(paper))
    if "REFUTED" in paper and semidefinite(truth.matrix):
        trial.find(
            f"statement {paper.index('REFUTED')} of {call}",
            "REFUTED",
            "a theorem, and L is semidefinite",
        )
    for claim, verdict in zip(requested, verdicts[len(paper) :], strict=True):
        trial.count("claims")
        trial.count(f"claims, {verdict}")
        if verdict == "UNDECIDED":
            trial.count(
                "claims, UNDECIDED beyond the gap of the search", int("optimum" not in claim.text)
            )
            continue
        judge_claim(trial, truth, claim, verdict, f"claims of {call}")


def judge_claim(trial: Trial, truth: Truth, claim: Claim, verdict: str, kind: str) -> None:
    """Judge PROVED or REFUTED."""
    try:
        holds = is_true(truth, claim.left, claim.relation, claim.right)
    except ArithmeticError:
        trial.find(f"claim {claim.text} of {kind}", verdict, "UNDECIDED: a side has no value")
        return
    if holds is None:
        trial.count(f"{kind.split(' of ')[0]}, not judged")
    elif holds != (verdict == "PROVED"):
        trial.find(
            f"claim {claim.text} of {kind}",
            verdict,
            f"{digits_of(claim.left)} against {digits_of(claim.right)}",
        )


def draw_claim(rng: random.Random, truth: Truth) -> Claim:
    """A claim whose truth is close to call."""
    # What the judge computes for itself: not every optimum.
    names = [text for text, name in _JUDGED.items() if getattr(truth, name) is not None]
    left_text, left = _side(rng, truth, names)
    pair = left(64)
    style = rng.random()
    if style < 0.15:
        left_text, right_text = rng.choice([pair for pair in NEIGHBORS if set(pair) <= set(names)])
        left = getattr(truth, _JUDGED[left_text])
        right = getattr(truth, _JUDGED[right_text])
    elif pair is None:
        right_text = "0.5"
        right = rational(Fraction(1, 2))
    elif style < 0.3:
        name = rng.choice(names)
        right_text = name
        right = getattr(truth, _JUDGED[name])
        second_name = right(64)
        if second_name is not None and second_name[0] > 0 and pair[0] > 0:
            text, factor = _number(rng, (pair[0] / second_name[1], pair[1] / second_name[0]))
            right_text = f"{text}*{name}"
            right = product(rational(factor), right)
    else:
        right_text, value = _number(rng, pair if rng.random() < 0.7 else left(200) or pair)
        right = rational(value)
    relation = rng.choice(RELATIONS)
    if rng.random() < 0.3:
        left_text, left, right_text, right = right_text, right, left_text, left
    return Claim(f"{left_text} {relation} {right_text}", left, relation, right)


def _side(rng: random.Random, truth: Truth, names: Sequence[str]) -> tuple[str, Real]:
    """A quantity, or a simple expression of two."""
    name, second_name = rng.sample(names, 2)
    a = getattr(truth, _JUDGED[name])
    b = getattr(truth, _JUDGED[second_name])
    style = rng.random()
    if style > 0.25:
        return name, a
    second = b(64)
    first = a(64)
    if style < 0.05 and second is not None and second[0] > 0:
        return f"{name}/{second_name}", product(a, reciprocal(b))
    if style < 0.1:
        return f"{name}*{second_name}", product(a, b)
    if style < 0.15:
        return f"({name} + {second_name})", total([a, b])
    if style < 0.2 and first is not None and first[0] >= 0:
        return f"sqrt({name})", root(a)
    return f"2*{name}", product(rational(2), a)


def _number(rng: random.Random, enclosure: Pair) -> tuple[str, Fraction]:
    """A number at, next to or away from an enclosed one, as text in the language of claims."""
    low, high = enclosure
    value = (low + high) / 2
    style = rng.random()
    if style < 0.4:
        if low != high:
            value = Fraction(nearest_float(value))
        text = _in_full(value)
        if text is not None:
            return text, value
    elif style < 0.55:
        value *= 1 + rng.choice((-1, 1)) * Fraction(10) ** -rng.randint(3, 45)
    elif style < 0.65:
        value = Fraction(math.nextafter(nearest_float(value), rng.choice((-math.inf, math.inf))))
        text = _in_full(value)
        if text is not None:
            return text, value
    elif style < 0.75:
        value *= rng.choice((Fraction(1, 2), Fraction(9, 10), Fraction(11, 10), 2))
    rounding = rng.choice((ROUND_FLOOR, ROUND_CEILING))
    context = Context(prec=rng.choice((2, 6, 15, 17, 25, 55)), rounding=rounding)
    rounded = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    sign, digits, exponent = rounded.as_tuple()
    return "-" * sign + "".join(map(str, digits)) + f"e{exponent}", Fraction(rounded)


def _in_full(value: Fraction) -> str | None:
    """The value itself as a decimal number or a quotient, None if that is long."""
    size = value.denominator.bit_length()
    if value.numerator.bit_length() + size > 400:
        return None
    if value.denominator == 1 << (size - 1):
        return f"{value.numerator * 5 ** (size - 1)}e-{size - 1}"
    return f"{value.numerator}/{value.denominator}" if value.numerator > 0 else None
