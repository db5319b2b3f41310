"""Conditions under which a claim is attacked, such as `B = 2`, `p = closed` or `L diagonal`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...certify import Verdict
from ...certify.bracket import Bracket
from ...errors import InvalidInput
from ..conjecture import Conjecture, parse_conjecture
from .space import Layout
from .universe import Universe, layouts

# What a condition may say besides a comparison, and what it fixes.
WORDS = {
    "L diagonal": ("shape", "diagonal"),
    "L block-diagonal": ("shape", "block-diagonal"),
    "p = closed": ("p", "closed"),
    "p = equal": ("p", "equal"),
    "c = equal": ("costs", "equal"),
    "c = sizes": ("costs", "sizes"),
    **{f"sampling = {name}": ("sampling", name) for name in ("nested", "independent", "single", "any")},
}
SAMPLINGS = ("nested", "independent", "single", "explicit")
# Where neither d nor B is asked for, and the most that may be asked for.
_USUAL, _MOST = 4, 12


@dataclass(frozen=True)
class Setting:
    """Where a claim is attacked: a space, and the comparisons that must hold besides."""

    universe: Universe
    conditions: tuple[Conjecture, ...]


def setting(claim: Conjecture, where: Sequence[str]) -> Setting:
    """The problems that meet all conditions; raises where two of them contradict each other."""
    fixed: dict[str, tuple[str, str]] = {}
    comparisons: list[Conjecture] = []
    for text in where:
        plain = " ".join(re.sub("=+", " = ", text).split()) if isinstance(text, str) else ""
        if plain not in WORDS:
            comparisons.append(_comparison(text, plain))
            continue
        subject, value = WORDS[plain]
        if fixed.setdefault(subject, (value, text))[0] != value:
            raise _contradiction(fixed[subject][1], text)
    named = claim.names().union(*(one.names() for one in comparisons))
    asked = fixed.get("sampling", ("any" if named & {"L_M", "c_M"} else "nested", ""))[0]
    samplings: tuple[str, ...] = SAMPLINGS if asked == "any" else (asked,)
    rest = {subject: value for subject, (value, _) in fixed.items() if subject != "sampling"}
    if "p" in rest:
        samplings = tuple(name for name in samplings if name != "explicit")
    about_size = [one for one in comparisons if one.names() <= {"d", "B"}]
    return Setting(
        Universe(_allowed(samplings, about_size), **rest), tuple(one for one in comparisons if one not in about_size)
    )


def _comparison(text: str, plain: str) -> Conjecture:
    try:
        parsed = parse_conjecture(re.sub("(?<![<>=])=(?!=)", "==", text) if isinstance(text, str) else text)
    except InvalidInput as error:
        alike = [words for words in WORDS if words.split()[0] == plain.split(" ")[0]]
        if alike:
            raise InvalidInput("unknown condition", repr(text), ", ".join(alike)) from None
        raise error
    return replace(parsed, text=text)


def _allowed(samplings: tuple[str, ...], conditions: Sequence[Conjecture]) -> tuple[Layout, ...]:
    for largest in (_USUAL, 2 * _USUAL, _MOST):
        every = layouts(samplings, largest)
        found = [layout for layout in every if all(_holds(one, layout) for one in conditions)]
        if found:
            return tuple(found)
    for one in conditions:
        if not any(_holds(one, layout) for layout in every):
            raise InvalidInput(f"d may be at most {_MOST}", repr(one.text), "B = 2, or d <= 6")
    for one, other in itertools.combinations(conditions, 2):
        if not any(_holds(one, layout) and _holds(other, layout) for layout in every):
            raise _contradiction(one.text, other.text)
    raise _contradiction(*(one.text for one in conditions))


def _holds(condition: Conjecture, layout: Layout) -> bool:
    sizes = {"d": layout.blocks.dimension, "B": layout.blocks.count}
    return condition.decide({name: Bracket.point(float(n)) for name, n in sizes.items()}).verdict is Verdict.PROVED


def _contradiction(*texts: str) -> InvalidInput:
    return InvalidInput("conditions that contradict each other", " and ".join(map(repr, texts)), "one of them")
