"""A claim to attack: on many problems in plain floats, which decide nothing, and on one in rigorous arithmetic."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...certify import Verdict
from ...certify.bracket import Bracket
from ...errors import InvalidInput
from ...reals import FloatArray
from ..conjecture import Conjecture, quantities
from ..conjecture.expression import PER_BLOCK, Call, Chain, Expression, Name, Negative, Number, Power
from .instance import Instance
from .stack import Stack
from .universe import Universe

# A value, and the size of the terms that it is the sum of: one column, or one for each block.
Sized = tuple[FloatArray, FloatArray]

_HIGHEST = 1e9
# What a stack has under another name, or not at all.
_NAMED: dict[str, Callable[[Stack], FloatArray]] = {
    "d": lambda s: np.full(len(s.L), float(s.blocks.dimension)),
    "B": lambda s: np.full(len(s.L), float(s.blocks.count)),
    "L": lambda s: s.block_L,
    "c": lambda s: s.costs,
    "pmin": lambda s: s.p.min(axis=1),
    "sumL": lambda s: s.block_L.sum(axis=1),
    "maxL": lambda s: s.block_L.max(axis=1),
    "c_P": lambda s: s.L_P * s.cost,
    "c_M": lambda s: s.L_M * s.cost,
}
_OVER: dict[str, Callable[..., Any]] = {"sum": np.sum, "min": np.min, "max": np.max}


def ratios_of(claim: Conjecture, stack: Stack) -> FloatArray:
    """left / right of `left <= right`, where what is subtracted on one side counts on the other.

    So `c_P - optimum >= 0` is looked at as optimum / c_P; nan where a side is not a number.
    """
    with np.errstate(all="ignore"):
        (left, first), (right, second) = (_evaluate(side, stack) for side in (claim.left, claim.right))
        excess, size = (left - right)[:, 0], (first + second)[:, 0]
        if claim.relation in (">=", ">"):
            excess = -excess
        elif claim.relation == "==":
            excess = np.abs(excess)
        found = np.minimum((size + excess) / np.maximum(size - excess, size / _HIGHEST), _HIGHEST)
    # Where there is nothing on either side, nothing is shown but that a strict claim fails.
    nothing = 1.0 if claim.relation in ("<", ">") else 0.0
    return np.broadcast_to(np.where(size == 0, nothing, found), len(stack.L))


def _evaluate(node: Expression, stack: Stack) -> Sized:
    match node:
        case Number():
            value = np.full((1, 1), Bracket.of_fraction(node.value).midpoint)
        case Name():
            value = _named(node.name, stack)
        case Negative():
            value, size = _evaluate(node.of, stack)
            return -value, size
        case Power():
            value = _evaluate(node.of, stack)[0] ** float(node.exponent)
        case Call():
            value = _call(node, [_evaluate(one, stack)[0] for one in node.arguments])
        case Chain():
            value, size = _evaluate(node.first, stack)
            for symbol, operand in node.rest:
                other, more = _evaluate(operand, stack)
                if symbol in "+-":
                    value, size = (value + other if symbol == "+" else value - other), size + more
                else:
                    value = value * other if symbol == "*" else value / other
                    size = np.abs(value)
            return value, size
    return value, np.abs(value)


def _named(name: str, stack: Stack) -> FloatArray:
    value = np.asarray(_NAMED[name](stack) if name in _NAMED else getattr(stack, name))
    return value if name in PER_BLOCK else value[:, None]


def _call(node: Call, values: list[FloatArray]) -> FloatArray:
    if node.over_blocks:
        return np.asarray(_OVER[node.function](values[0], axis=1, keepdims=True))
    if len(values) == 1:
        return np.asarray(np.sqrt(values[0]) if node.function == "sqrt" else np.abs(values[0]))
    choose = np.minimum if node.function == "min" else np.maximum
    found = values[0]
    for value in values[1:]:
        found = choose(found, value)
    return found


class Sides(NamedTuple):
    """The verdict on a claim for one problem, and its two sides there."""

    verdict: Verdict
    left: Bracket
    right: Bracket


@dataclass(frozen=True)
class Attacked:
    """A claim with the problems on which it is attacked."""

    claim: Conjecture
    space: Universe
    conditions: tuple[Conjecture, ...]

    def ratios(self, stack: Stack) -> FloatArray:
        """left / right; below -1 by how far a condition fails, so that a search climbs out; -inf for no number."""
        found = ratios_of(self.claim, stack)
        for condition in self.conditions:
            far = ratios_of(condition, stack)
            strict = condition.relation in ("<", ">")
            failed = (far >= 1 - 1e-12) if strict else (far > 1 + 1e-12)
            found = np.where(failed, -far + np.minimum(found, -1.0), found)
        return np.where(np.isnan(found), -np.inf, found)

    def decide(self, instance: Instance) -> Sides:
        """Decide the claim in rigorous arithmetic, and return both sides as the user wrote them.

        UNDECIDED too where a condition is not proved, or a side has no value.
        """
        problem = instance.problem().with_effort("exact")
        names = frozenset[str]().union(*(one.names() for one in (*self.conditions, self.claim)))
        try:
            values = quantities(problem, names)
            met = [condition.decide(values).verdict for condition in self.conditions]
            decision = self.claim.decide(values)
        except InvalidInput:
            return Sides(Verdict.UNDECIDED, Bracket.everything(), Bracket.everything())
        holds = all(verdict is Verdict.PROVED for verdict in met)
        return Sides(decision.verdict if holds else Verdict.UNDECIDED, decision.left, decision.right)

    @property
    def rounding(self) -> float:
        """A ratio above 1 by less than this is an error of the floats."""
        return 1e-6 if "optimum" in self.claim.names() else 1e-9

    @property
    def strict(self) -> bool:
        """Whether equality is enough to refute the claim."""
        return self.claim.relation in ("<", ">")
