"""Expressions as trees, and the quantities that they may name."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

NAMES = ("lmax", "pmin", "L_P", "L_M", "cost", "c_P", "closed", "sumL", "maxL", "sumcL", "d", "B")


@dataclass(frozen=True)
class Expression:
    """A node of a parsed expression; `source` is the text it came from and plays no part in equality."""

    source: str = field(compare=False)


@dataclass(frozen=True)
class Number(Expression):
    """A decimal number, exactly."""

    value: Fraction


@dataclass(frozen=True)
class Name(Expression):
    """One of `NAMES`."""

    name: str


@dataclass(frozen=True)
class Negative(Expression):
    """Minus an expression."""

    of: Expression


@dataclass(frozen=True)
class Root(Expression):
    """The square root of an expression."""

    of: Expression


@dataclass(frozen=True)
class Chain(Expression):
    """Sums and differences, or products and quotients, worked off from the left."""

    first: Expression
    rest: tuple[tuple[str, Expression], ...]


def names_in(node: Expression) -> frozenset[str]:
    """The quantities that an expression names."""
    match node:
        case Name():
            return frozenset((node.name,))
        case Negative() | Root():
            return names_in(node.of)
        case Chain():
            return names_in(node.first).union(*(names_in(operand) for _, operand in node.rest))
    return frozenset()


def shown(text: str) -> str:
    """Text from the user on one line, shortened, with control characters made visible."""
    return repr(text if len(text) <= 80 else text[:77] + "...")
