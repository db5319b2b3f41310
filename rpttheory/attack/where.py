"""Conditions under which a claim is attacked, such as `B = 2`, `p = closed` or `L diagonal`."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..errors import InvalidInput
from ..numbers import Verdict
from ..numbers.bracket import Bracket
from ..statements import BracketEvaluator, Claim, parse
from ..statements.expression import AT_A_POINT, PER_BLOCK, QUANTITIES
from .space import Layout, ProblemSpace, layouts

# What a condition may say besides a comparison, and what it fixes.
WORDS = {
    "L diagonal": ("shape", "diagonal"),
    "L block-diagonal": ("shape", "block-diagonal"),
    "p = closed": ("p", "closed"),
    "p = equal": ("p", "equal"),
    "c = equal": ("costs", "equal"),
    "c = sizes": ("costs", "sizes"),
    **{
        f"sampling = {name}": ("sampling", name)
        for name in ("nested", "independent", "single", "any")
    },
}
SAMPLINGS = ("nested", "independent", "single", "explicit")
# Where neither d nor B is asked for, and the most that may be asked for.
_USUAL = 4
_MOST = 12
# What lies between 0 and 1; everything else is at least 0.
_SHARES = {"p", "c", "q", "cost"}


@dataclass(frozen=True)
class Setting:
    """The space in which a claim is attacked, and the comparisons that must hold besides."""

    space: ProblemSpace
    conditions: tuple[Claim, ...]


def setting(claim: Claim, where: Sequence[str]) -> Setting:
    """Return the problems that meet all conditions; raise if two of them contradict each other."""
    fixed: dict[str, tuple[str, str]] = {}
    comparisons: list[Claim] = []
    for text in where:
        plain = " ".join(re.sub("=+", " = ", text).split())
        if plain not in WORDS:
            comparisons.append(_comparison(text, plain))
            continue
        subject, value = WORDS[plain]
        if fixed.setdefault(subject, (value, text))[0] != value:
            raise _contradiction(fixed[subject][1], text)
    named = claim.names().union(*(one.names() for one in comparisons))
    asked = fixed.get("sampling", ("any" if named & {"L_M", "c_M"} else "nested", ""))[0]
    samplings: tuple[str, ...] = SAMPLINGS if asked == "any" else (asked,)
    options = {subject: value for subject, (value, _) in fixed.items() if subject != "sampling"}
    if "p" in options:
        samplings = tuple(name for name in samplings if name != "explicit")
    about_size = [one for one in comparisons if one.names() <= {"d", "B"}]
    others = tuple(one for one in comparisons if one not in about_size)
    allowed = _allowed(samplings, about_size)
    for one in others:
        if not any(_conceivable(one, B) for B in {layout.blocks.count for layout in allowed}):
            remedy = "0 < p <= 1, costs that add up to 1, L positive semidefinite"
            raise InvalidInput("no problem meets the condition", repr(one.text), remedy)
    point = bool(named & AT_A_POINT)
    space = ProblemSpace(
        allowed,
        options.get("shape", ""),
        options.get("p", ""),
        options.get("costs", ""),
        point=point,
    )
    return Setting(space, others)


def separated(where: str | Sequence[str]) -> tuple[str, ...]:
    """Return conditions one by one, split at commas, semicolons and "and"."""
    conditions: list[str] = []
    for text in [where] if isinstance(where, str) else [str(one) for one in where]:
        inside = [0, *itertools.accumulate((sign == "(") - (sign == ")") for sign in text)]
        marks = [
            mark for mark in re.finditer(r",(?!\d)|;|\band\b", text) if not inside[mark.start()]
        ]
        ends = zip(
            [0, *(mark.end() for mark in marks)],
            [*(mark.start() for mark in marks), len(text)],
            strict=True,
        )
        conditions += [text[start:end].strip() for start, end in ends]
    return tuple(conditions)


def _comparison(text: str, plain: str) -> Claim:
    try:
        parsed = parse(re.sub("(?<![<>=])=(?!=)", "==", text))
    except InvalidInput:
        alike = [words for words in WORDS if words.split()[0] == plain.split(" ")[0]]
        if alike:
            raise InvalidInput("unknown condition", repr(text), ", ".join(alike)) from None
        raise
    return replace(parsed, text=text)


def _allowed(samplings: tuple[str, ...], conditions: Sequence[Claim]) -> tuple[Layout, ...]:
    for largest in (_USUAL, 2 * _USUAL, _MOST):
        every = layouts(samplings, largest)
        possible = [layout for layout in every if all(_holds(one, layout) for one in conditions)]
        if possible:
            return tuple(possible)
    for one in conditions:
        if not any(_holds(one, layout) for layout in every):
            remedy = f"whole numbers with 1 <= B <= d <= {_MOST}"
            raise InvalidInput(
                f"no blocks of at most {_MOST} coordinates meet the condition",
                repr(one.text),
                remedy,
            )
    for one, other in itertools.combinations(conditions, 2):
        if not any(_holds(one, layout) and _holds(other, layout) for layout in every):
            raise _contradiction(one.text, other.text)
    raise _contradiction(*(one.text for one in conditions))


def _holds(condition: Claim, layout: Layout) -> bool:
    sizes = {"d": layout.blocks.dimension, "B": layout.blocks.count}
    values = BracketEvaluator({name: Bracket.point(float(n)) for name, n in sizes.items()})
    return values.decide(condition).verdict is Verdict.PROVED


def _conceivable(condition: Claim, count: int) -> bool:
    """Return False if the range of every quantity refutes a condition for so many blocks."""
    ranges = {
        name: Bracket(0.0, 1.0 if name in _SHARES else math.inf)
        for name in (*QUANTITIES, *PER_BLOCK)
    }
    ranges["B"] = Bracket.point(float(count))
    try:
        per_block = {name: (ranges[name],) * count for name in PER_BLOCK}
        decision = BracketEvaluator({**ranges, **per_block}).decide(condition)
    except InvalidInput:
        # Such as 1 / (B - 1), which has no value for one block and may have one elsewhere.
        return False
    return decision.verdict is not Verdict.REFUTED


def _contradiction(*texts: str) -> InvalidInput:
    return InvalidInput(
        "conditions that contradict each other", " and ".join(map(repr, texts)), "one of them"
    )
