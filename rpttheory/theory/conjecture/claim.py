"""A claim `left relation right`, decided in interval arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...certify.bracket import Bracket
from ...certify.verdict import Rigour, Verdict
from ...errors import InvalidInput
from .expression import Call, Chain, Expression, Name, Negative, Number, Power, names_in, shown

RELATIONS = ("<=", "<", ">=", ">", "==")
Relation = Literal["<=", "<", ">=", ">", "=="]
# One number, or one per block; and whether they are sure to have a value.
Values = Mapping[str, Bracket | Sequence[Bracket]]
Enclosed = tuple[tuple[Bracket, ...], bool]


@dataclass(frozen=True)
class Decision:
    """Both sides of a claim as enclosures, in the order written, and what follows from them."""

    left: Bracket
    right: Bracket
    verdict: Verdict
    rigour: Rigour


@dataclass(frozen=True)
class Conjecture:
    """A parsed claim `left relation right`; `parse_conjecture` makes one.

    Examples
    --------
    >>> from rpttheory.theory.conjecture import parse_conjecture
    >>> claim = parse_conjecture("lmax/3 + 0.1 < sqrt(d)")
    >>> sorted(claim.names())
    ['d', 'lmax']
    >>> print(claim.decide({"lmax": Bracket(2.9, 3.1), "d": Bracket.point(4.0)}).verdict)
    PROVED
    """

    text: str
    left: Expression
    relation: Relation
    right: Expression

    def __str__(self) -> str:
        return self.text

    def names(self) -> frozenset[str]:
        """The quantities that the claim speaks of, so that no others need computing."""
        return names_in(self.left) | names_in(self.right)

    def decide(self, values: Values) -> Decision:
        """Decide the claim from enclosures of the quantities it names.

        The verdict is UNDECIDED where the enclosures overlap, where one of them is NUMERICAL, and where they allow a
        division by zero or the root of a negative number. Two sides that are the same expression are equal, however
        wide their enclosure is.

        Raises
        ------
        InvalidInput
            If a value is missing, or if the claim certainly divides by zero or takes the root of a negative number.
        """
        missing = sorted(self.names() - values.keys())
        if missing:
            raise InvalidInput(
                "the claim needs quantities that are not known here", ", ".join(missing), "one of " + ", ".join(values)
            )
        (left,), left_defined = self._evaluate(self.left, values)
        (right,), right_defined = self._evaluate(self.right, values)
        if self.left == self.right:
            right = left
        rigour = min(left.rigour, right.rigour)
        defined = left_defined and right_defined
        return Decision(left, right, _compare(left, self.relation, right) if defined else Verdict.UNDECIDED, rigour)

    def _evaluate(self, node: Expression, values: Values) -> Enclosed:
        """Enclosures, and whether the expression is sure to have a value; if not, an enclosure is the whole line."""
        match node:
            case Number():
                return (Bracket.of_fraction(node.value),), True
            case Name():
                value = values[node.name]
                found = (value,) if isinstance(value, Bracket) else tuple(value)
                # Of a quantity that has no value, such as a root of a negative number, nothing at all is known.
                return found, all(one.low > -math.inf or one.high < math.inf for one in found)
            case Negative():
                inner, defined = self._evaluate(node.of, values)
                return tuple(-one for one in inner), defined
            case Power():
                powers, defined = self._evaluate(node.of, values)
                powers = tuple(_power(one, abs(node.exponent)) if defined else _anything(one.rigour) for one in powers)
                if node.exponent >= 0:
                    return powers, defined
                return self._combined("/", ((Bracket.point(1.0),), True), (powers, defined), node.of)
            case Call():
                return self._call(node, [self._evaluate(one, values) for one in node.arguments])
            case Chain():
                total = self._evaluate(node.first, values)
                for symbol, operand in node.rest:
                    total = self._combined(symbol, total, self._evaluate(operand, values), operand)
                return total
        raise AssertionError(node)

    def _call(self, node: Call, given: Sequence[Enclosed]) -> Enclosed:
        first, defined = given[0][0], all(sure for _, sure in given)
        choose = {"sum": Bracket.sum, "min": Bracket.smallest, "max": Bracket.largest}.get(node.function)
        if not defined:
            rigour = min(one.rigour for found, _ in given for one in found)
            width = 1 if node.over_blocks else max(len(found) for found, _ in given)
            return (_anything(rigour),) * width, False
        if choose is None:
            results = [self._root(one, node) if node.function == "sqrt" else (_size(one), True) for one in first]
            return tuple(one for one, _ in results), all(sure for _, sure in results)
        if node.over_blocks:
            return (choose(first),), True
        return tuple(choose(one) for one in _aligned(*(found for found, _ in given))), True

    def _root(self, inner: Bracket, node: Call) -> tuple[Bracket, bool]:
        if inner.high < 0 and inner.rigour is not Rigour.NUMERICAL:
            raise InvalidInput(
                "square root of a negative number in the claim",
                f"{shown(node.arguments[0].source)} is at most {inner.upper:g} in {shown(self.text)}",
                "a claim without that root",
            )
        if inner.low < 0:
            return _anything(inner.rigour), False
        return inner.sqrt(), True

    def _combined(self, symbol: str, left: Enclosed, right: Enclosed, operand: Expression) -> Enclosed:
        found, defined = [], left[1] and right[1]
        for a, b in _aligned(left[0], right[0]):
            if symbol == "/":
                if b.exact == 0 and b.rigour is not Rigour.NUMERICAL:
                    raise InvalidInput(
                        "division by zero in the claim",
                        f"{shown(operand.source)} is 0 in {shown(self.text)}",
                        "both sides multiplied by that factor",
                    )
                defined = defined and not b.low <= 0 <= b.high
                found.append(a / b)
            else:
                found.append(a + b if symbol == "+" else a - b if symbol == "-" else a * b)
        return tuple(found), defined


def _aligned(*columns: tuple[Bracket, ...]) -> list[tuple[Bracket, ...]]:
    """Row by row, where one number stands for every block."""
    longest = max(map(len, columns))
    return list(zip(*(one * longest if len(one) == 1 else one for one in columns), strict=True))


def _size(value: Bracket) -> Bracket:
    if value.low >= 0:
        return value
    return -value if value.high <= 0 else Bracket(0.0, max(-value.low, value.high), value.rigour)


def _power(value: Bracket, exponent: int) -> Bracket:
    if exponent == 1:
        return value
    # An even power sees the size alone; for what is left it rises with the number.
    base = value if exponent % 2 else _size(value)
    return Bracket(base.low**exponent, base.high**exponent, base.rigour)


def _compare(left: Bracket, relation: Relation, right: Bracket) -> Verdict:
    match relation:
        case "<=":
            return left <= right
        case "<":
            return left < right
        case ">=":
            return left >= right
        case ">":
            return left > right
        case "==":
            return left.equals(right)


def _anything(rigour: Rigour) -> Bracket:
    return Bracket(-math.inf, math.inf, min(rigour, Rigour.ROUNDED))
