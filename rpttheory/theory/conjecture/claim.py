"""A claim `left relation right`, decided in interval arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ...certify.bracket import Bracket
from ...certify.verdict import Rigour, Verdict
from ...errors import InvalidInput
from .expression import Chain, Expression, Name, Negative, Number, Root, names_in, shown

RELATIONS = ("<=", "<", ">=", ">", "==")
Relation = Literal["<=", "<", ">=", ">", "=="]


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

    def names(self) -> frozenset[str]:
        """The quantities that the claim speaks of, so that no others need computing."""
        return names_in(self.left) | names_in(self.right)

    def decide(self, values: Mapping[str, Bracket]) -> Decision:
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
        left, left_defined = self._evaluate(self.left, values)
        right, right_defined = self._evaluate(self.right, values)
        if self.left == self.right:
            right = left
        rigour = min(left.rigour, right.rigour)
        defined = left_defined and right_defined
        return Decision(left, right, _compare(left, self.relation, right) if defined else Verdict.UNDECIDED, rigour)

    def _evaluate(self, node: Expression, values: Mapping[str, Bracket]) -> tuple[Bracket, bool]:
        """An enclosure, and whether the expression is sure to have a value; if not, the enclosure is the whole line."""
        match node:
            case Number():
                return Bracket.of_fraction(node.value), True
            case Name():
                value = values[node.name]
                # Of a quantity that has no value, such as a root of a negative number, nothing at all is known.
                return value, value.low > -math.inf or value.high < math.inf
            case Negative():
                inner, defined = self._evaluate(node.of, values)
                return -inner, defined
            case Root():
                return self._root(self._evaluate(node.of, values)[0], node.of)
            case Chain():
                total, defined = self._evaluate(node.first, values)
                for symbol, operand in node.rest:
                    value, operand_defined = self._evaluate(operand, values)
                    defined = defined and operand_defined
                    if symbol == "/":
                        total, defined = self._quotient(total, value, defined, operand)
                    else:
                        total = total + value if symbol == "+" else total - value if symbol == "-" else total * value
                return total, defined
        raise AssertionError(node)

    def _root(self, inner: Bracket, operand: Expression) -> tuple[Bracket, bool]:
        if inner.high < 0 and inner.rigour is not Rigour.NUMERICAL:
            raise InvalidInput(
                "square root of a negative number in the claim",
                f"{shown(operand.source)} is at most {inner.upper:g} in {shown(self.text)}",
                "a claim without that root",
            )
        if inner.low < 0:
            # This includes the whole line, and with it every operand that may have no value.
            return _anything(inner.rigour), False
        return inner.sqrt(), True

    def _quotient(self, top: Bracket, bottom: Bracket, defined: bool, operand: Expression) -> tuple[Bracket, bool]:
        if bottom.exact == 0 and bottom.rigour is not Rigour.NUMERICAL:
            raise InvalidInput(
                "division by zero in the claim",
                f"{shown(operand.source)} is 0 in {shown(self.text)}",
                "both sides multiplied by that factor",
            )
        return top / bottom, defined and not bottom.low <= 0 <= bottom.high


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
