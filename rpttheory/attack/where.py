"""Conditions under which a claim is attacked, such as `B = 2`, `p = closed` or `L diagonal`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import InvalidInput
from ..numbers import Verdict
from ..numbers.bracket import Bracket
from ..problem.sampling import ExplicitSampling
from ..problem.sampling.named import BUDGETED, NAMED_SAMPLINGS
from ..statements import BracketEvaluator, Claim, parse
from ..vocabulary import AT_A_POINT, JOINT
from .space import Layout, ProblemSpace, layouts

SAMPLINGS = (*NAMED_SAMPLINGS, *BUDGETED, ExplicitSampling.name)
# Conditions other than comparisons, with the option of a space and the value that they fix.
WORDS = {
    "L diagonal": ("shape", "diagonal"),
    "L block-diagonal": ("shape", "block-diagonal"),
    "p = closed": ("p", "closed"),
    "p = equal": ("p", "equal"),
    "c = equal": ("costs", "equal"),
    "c = sizes": ("costs", "sizes"),
    **{f"sampling = {name}": ("sampling", name) for name in (*SAMPLINGS, "any")},
}
# The largest dimension without conditions on d and B, and with them. Chosen by hand.
_USUAL = 4
_MOST = 12


def setting(claim: Claim, where: Sequence[str]) -> tuple[ProblemSpace, tuple[Claim, ...]]:
    """Return the space in which a claim is attacked, and the comparisons that must hold there.

    Raises `InvalidInput` where conditions contradict each other.
    """
    fixed: dict[str, tuple[str, str]] = {}
    comparisons: list[Claim] = []
    for text in where:
        plain = " ".join(re.sub("=+", " = ", text).split())
        if plain not in WORDS:
            comparisons.append(_comparison(text, plain))
            continue
        subject, value = WORDS[plain]
        if fixed.setdefault(subject, (value, text))[0] != value:
            both = f"{fixed[subject][1]!r} and {text!r}"
            raise InvalidInput("conditions that contradict each other", both, "one of them")
    names = claim.names().union(*(comparison.names() for comparison in comparisons))
    every = "any" if names & JOINT else "nested"
    sampling, _ = fixed.pop("sampling", (every, ""))
    samplings: tuple[str, ...] = SAMPLINGS if sampling == "any" else (sampling,)
    if "p" in fixed:
        if sampling not in (*NAMED_SAMPLINGS, "any"):
            both = f"'sampling = {sampling}' and {fixed['p'][1]!r}"
            raise InvalidInput("conditions that contradict each other", both, "one of them")
        samplings = tuple(name for name in samplings if name in NAMED_SAMPLINGS)
    about_size = [claim for claim in comparisons if claim.names() <= {"d", "B"}]
    remaining = tuple(claim for claim in comparisons if claim not in about_size)
    possible = _possible_layouts(samplings, about_size)
    options: dict[str, Any] = {subject: value for subject, (value, _) in fixed.items()}
    return ProblemSpace(possible, point=bool(names & AT_A_POINT), **options), remaining


def separated(where: str | Sequence[str]) -> tuple[str, ...]:
    """Return conditions one by one, split at commas, semicolons and "and"."""
    conditions: list[str] = []
    for text in [where] if isinstance(where, str) else where:
        open_call = ""
        for piece in re.split(r",(?!\d)|;|\band\b", text):
            condition = open_call + piece
            if condition.count("(") > condition.count(")"):
                # The comma stands within a call such as min(p, 1).
                open_call = f"{condition},"
            else:
                conditions.append(condition.strip())
                open_call = ""
        if open_call:
            conditions.append(open_call.removesuffix(",").strip())
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


def _possible_layouts(
    samplings: tuple[str, ...], conditions: Sequence[Claim]
) -> tuple[Layout, ...]:
    for largest in (_USUAL, 2 * _USUAL, _MOST):
        every = layouts(samplings, largest)
        possible = [layout for layout in every if all(_holds(c, layout) for c in conditions)]
        if possible:
            return tuple(possible)
    raise InvalidInput(
        f"no blocks of at most {_MOST} coordinates meet the conditions",
        " and ".join(repr(condition.text) for condition in conditions),
        f"whole numbers with 1 <= B <= d <= {_MOST}",
    )


def _holds(condition: Claim, layout: Layout) -> bool:
    sizes = {"d": layout.blocks.dimension, "B": layout.blocks.count}
    values = BracketEvaluator({name: Bracket.point(float(n)) for name, n in sizes.items()})
    return values.decide(condition).verdict is Verdict.PROVED
