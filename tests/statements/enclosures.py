"""Enclosures of every quantity that a claim may name, and what comes of a claim."""

import pytest

from rpttheory.errors import InvalidInput
from rpttheory.numbers.bracket import Bracket
from rpttheory.numbers.verdict import Verdict
from rpttheory.statements import NAMES, BracketEvaluator, parse

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
