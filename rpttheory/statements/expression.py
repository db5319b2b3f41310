"""The claim language: its names, its expressions as trees, and the walk that every reader
shares.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, TypeVar

from ..vocabulary import PER_BLOCK

Value = TypeVar("Value")


@dataclass(frozen=True)
class Expression:
    """A node of a parsed expression; `source` is the text it came from and plays no part in
    equality.
    """

    source: str = field(compare=False)


@dataclass(frozen=True)
class Number(Expression):
    """A decimal number, exactly."""

    value: Fraction


@dataclass(frozen=True)
class Name(Expression):
    """One of `NAMES`, or of `PER_BLOCK`."""

    name: str


@dataclass(frozen=True)
class Negative(Expression):
    """Minus an expression."""

    of: Expression


@dataclass(frozen=True)
class Power(Expression):
    """An expression to an integer power."""

    of: Expression
    exponent: int


@dataclass(frozen=True)
class Call(Expression):
    """One of `FUNCTIONS` of expressions; of a single one that has a number per block, over the
    blocks.
    """

    function: str
    arguments: tuple[Expression, ...]

    @property
    def over_blocks(self) -> bool:
        """True if the call reduces one number per block to a single number."""
        return self.function in ("sum", "min", "max") and len(self.arguments) == 1


@dataclass(frozen=True)
class Chain(Expression):
    """Sums and differences, or products and quotients, worked off from the left."""

    first: Expression
    operations: tuple[tuple[str, Expression], ...]


class Evaluator(ABC, Generic[Value]):
    """A reader of expressions: one method per kind of node, from the values of its parts.

    Every expression is evaluated once, so that equal expressions have one and the same value.
    """

    def __init__(self) -> None:
        self._values_of: dict[Expression, Value] = {}
        self._same: dict[Expression, Expression] = {}

    def identify(self, node: Expression, equal: Expression) -> None:
        """Evaluate the first expression as the second, which is the same number."""
        self._same[node] = equal

    def evaluate(self, node: Expression) -> Value:
        """Return the value of an expression; the only walk over a tree."""
        node = self._same.get(node, node)
        if node in self._values_of:
            return self._values_of[node]
        match node:
            case Number():
                value = self.number(node)
            case Name():
                value = self.name(node)
            case Negative():
                value = self.negative(node, self.evaluate(node.of))
            case Power():
                value = self.power(node, self.evaluate(node.of))
            case Call():
                value = self.call(node, [self.evaluate(argument) for argument in node.arguments])
            case Chain():
                value = self.evaluate(node.first)
                for symbol, operand in node.operations:
                    value = self.combine(symbol, value, self.evaluate(operand), operand)
            case _:
                raise TypeError(f"not an expression: {node!r}")
        self._values_of[node] = value
        return value

    @abstractmethod
    def number(self, node: Number) -> Value:
        """Return the value of a number."""

    @abstractmethod
    def name(self, node: Name) -> Value:
        """Return the value of a quantity."""

    def negative(self, node: Negative, value: Value) -> Value:
        """Return minus a value, by default as zero minus the value."""
        return self.combine("-", self.number(Number("0", Fraction(0))), value, node.of)

    @abstractmethod
    def power(self, node: Power, base: Value) -> Value:
        """Return an integer power."""

    @abstractmethod
    def call(self, node: Call, arguments: list[Value]) -> Value:
        """Return a function of values, or of one value per block."""

    @abstractmethod
    def combine(self, symbol: str, left: Value, right: Value, operand: Expression) -> Value:
        """Return left + right, left - right, left * right or left / right; `operand` is the right
        side.
        """


def parts(node: Expression) -> tuple[Expression, ...]:
    """Return the subexpressions of an expression."""
    match node:
        case Negative() | Power():
            return (node.of,)
        case Call():
            return node.arguments
        case Chain():
            return (node.first, *(operand for _, operand in node.operations))
    return ()


def names_in(node: Expression) -> frozenset[str]:
    """Return the quantities that an expression names."""
    names = {node.name} if isinstance(node, Name) else set()
    return frozenset(names).union(*map(names_in, parts(node)))


def per_block(node: Expression) -> bool:
    """Return True if an expression has one number per block."""
    if isinstance(node, Name):
        return node.name in PER_BLOCK
    return not (isinstance(node, Call) and node.over_blocks) and any(map(per_block, parts(node)))


def shown(text: str) -> str:
    """Return text from the user on one line, shortened, with control characters escaped."""
    return repr(text if len(text) <= 80 else text[:77] + "...")
