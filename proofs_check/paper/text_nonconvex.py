"""c(P) is called a non-convex function (no label)."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from ..checks.witness import decided
from ..engine.entry import Entry, Formal, Status

Point = Sequence[Fraction]


def value(L: Sequence[int], costs: Point, p: Point) -> Fraction:
    """c(P) of a diagonal L, one entry per block."""
    key = max(entry / probability for entry, probability in zip(L, p, strict=True))
    return key * sum((a * b for a, b in zip(costs, p, strict=True)), Fraction(0))


def above_the_chord(L: Sequence[int], costs: Point, first: Point, second: Point) -> bool:
    """Return whether c at the midpoint of two admissible points exceeds the mean of its values
    there.
    """
    for p in (first, second):
        if p[0] != 1 or list(p) != sorted(p, reverse=True) or p[-1] <= 0:
            return False
    middle = [(a + b) / 2 for a, b in zip(first, second, strict=True)]
    return (
        2 * value(L, costs, middle) > value(L, costs, first) + value(L, costs, second)
        and min(L) > 0
    )


_COSTS = (Fraction(1, 8), Fraction(1, 8), Fraction(3, 4))
_FIRST = (Fraction(1), Fraction(1), Fraction(2, 3))
_SECOND = (Fraction(1), Fraction(1, 2), Fraction(1, 6))

CLAIM = Entry(
    label="text:nonconvex",
    title="c(P) can be non-convex in p",
    latex=(
        r"c\big(\tfrac{1}{2} (p + p')\big) > \tfrac{1}{2} c(p) + \tfrac{1}{2} c(p') \text{ for some"
        r" } L, p, p'"
    ),
    text=(
        "L = diag(3, 3, 1), c = (1/8, 1/8, 3/4), p = (1, 1, 2/3), p' = (1, 1/2, 1/6): c = 9/4 and"
        " 15/8, at the midpoint 17/8 > 33/16, with p_1 = 1 throughout. On that slice it takes three"
        " blocks: with two, p = (1, t), c is convex in t, and in log p it always is"
        " (our:logConvex). It says nothing about how hard the minimum is to find."
    ),
    statement=Status.COMPUTED,
    proof=Status.NONE,
    needs=("text:LP", "text:expectedCost", "our:logConvex", "our:sdp"),
    checks=(
        decided(
            partial(above_the_chord, (3, 3, 1), _COSTS, _FIRST, _SECOND),
            "L = diag(3, 3, 1), c = (1/8, 1/8, 3/4), p = (1, 1, 2/3) and (1, 1/2, 1/6)",
        ),
    ),
    formal=Formal(
        "not_convex",
        "c(P) is not convex in p, even on p_1 = 1: 17/8 > 33/16",
        no_instance="it is an example",
    ),
)
