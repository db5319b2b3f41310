"""Enclosures of every quantity that a claim may name, and what comes of a claim."""

import pytest
from rpttheory.theory.conjecture import NAMES, parse_conjecture

from rpttheory.certify.bracket import Bracket
from rpttheory.certify.verdict import Verdict
from rpttheory.errors import InvalidInput

WIDE = {name: Bracket(1.0, 2.0) for name in NAMES}
POINTS: dict[str, Bracket | tuple[Bracket, ...]] = {
    **{name: Bracket.point(float(index + 1)) for index, name in enumerate(NAMES)},
    **{
        name: (Bracket.point(a), Bracket.point(b))
        for name, a, b in (("L", 4.0, 9.0), ("p", 1.0, 2.0), ("c", 5.0, -4.0))
    },
}


def verdict(text: str, **values: Bracket | tuple[Bracket, ...]) -> Verdict:
    return parse_conjecture(text).decide({**WIDE, **values}).verdict


def message(text: str) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        parse_conjecture(text)
    assert len(str(caught.value).splitlines()) == 3
    return caught.value
