"""The bracket evaluator: claims decided in interval arithmetic that accounts for every rounding."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ..errors import InvalidInput
from ..numbers import Bracket, Rigor, Verdict
from ..problem.closedform import square_of_root_sum
from .claim import Claim, Decision, Relation
from .expression import Call, Evaluator, Expression, Name, Number, Power, shown
from .parser import parse

# A quantity is one number, or one per block.
Values = Mapping[str, Bracket | Sequence[Bracket]]
# Brackets, and whether the expression is sure to have a value; if not, a bracket is the whole line.
Enclosure = tuple[tuple[Bracket, ...], bool]

_COMPARISONS: dict[Relation, Callable[[Bracket, Bracket], Verdict]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "==": operator.eq,
}

# With s_k = sqrt(c_k L_k), u_k = p_k c_k and their sums S, U, right minus left is
# U sum_k u_k (s_k/u_k - S/U)^2, a sum of squares if every L_k >= 0. The closed form attains it, so
# that no brackets of the two sides decide the claim there.
CAUCHY_SCHWARZ = parse("sum(sqrt(c*L))^2 <= sum(L/p)*sum(p*c)")


class BracketEvaluator(Evaluator[Enclosure]):
    """Evaluates expressions in brackets of the quantities that they name.

    Equal expressions are one Bracket, so that a tie between them is decided as one.

    Parameters
    ----------
    values : mapping of str to Bracket or sequence of Bracket

    Examples
    --------
    >>> values = BracketEvaluator({"lmax": Bracket(2.9, 3.1), "d": Bracket.point(4.0)})
    >>> print(values.decide(parse("lmax/3 + 0.1 < sqrt(d)")).verdict)
    PROVED
    """

    def __init__(self, values: Values) -> None:
        super().__init__()
        self._values = values
        self._claim = ""

    def decide(self, claim: Claim, label: str = "", part: str = "") -> Decision:
        """Return the verdict on a claim with the brackets of its sides.

        The verdict is UNDECIDED where the brackets overlap, where one of them is NUMERICAL, and
        where they allow a division by zero or the root of a negative number.

        Raises
        ------
        InvalidInput
            If a value is missing, or if the claim certainly divides by zero or takes the root of a
            negative number.
        """
        missing = sorted(name for name in claim.names() if name not in self._values)
        if missing:
            raise InvalidInput(
                "the claim needs quantities that are not known here",
                ", ".join(missing),
                "one of " + ", ".join(self._values),
            )
        self._claim = claim.text
        (left,), left_defined = self.evaluate(claim.left)
        (right,), right_defined = self.evaluate(claim.right)
        verdict = Verdict.UNDECIDED
        if left_defined and right_defined:
            verdict = _COMPARISONS[claim.relation](left, right)
        decision = Decision(label, part, claim.text, left, right, verdict)
        if decision.can_improve and claim == CAUCHY_SCHWARZ:
            constants, _ = self.evaluate(Name("L", "L"))
            if all(constant.exact_lower >= 0 for constant in constants):
                return replace(decision, verdict=Verdict.PROVED)
        return decision

    def number(self, node: Number) -> Enclosure:
        """Return the number itself."""
        return (Bracket.of_fraction(node.value),), True

    def name(self, node: Name) -> Enclosure:
        """Return the brackets of a quantity; one that has no value is the whole line."""
        value = self._values[node.name]
        brackets = (value,) if isinstance(value, Bracket) else tuple(value)
        defined = all(b.exact_lower > -math.inf or b.exact_upper < math.inf for b in brackets)
        return brackets, defined

    def power(self, node: Power, base: Enclosure) -> Enclosure:
        """Return a power; the square of a sum of roots is multiplied out."""
        brackets, defined = base
        if not defined:
            return tuple(_whole_line(bracket.rigor) for bracket in brackets), False
        match node:
            case Power(
                of=Call(function="sum", arguments=(Call(function="sqrt", arguments=(x,)),)),
                exponent=2,
            ):
                terms, _ = self.evaluate(x)
                return (square_of_root_sum(terms),), True
        powers = tuple(_power(bracket, abs(node.exponent)) for bracket in brackets)
        if node.exponent >= 0:
            return powers, True
        return self.combine("/", ((Bracket.point(1.0),), True), (powers, True), node.of)

    def call(self, node: Call, arguments: list[Enclosure]) -> Enclosure:
        """Return a function of brackets, block by block or over the blocks."""
        first = arguments[0][0]
        if not all(defined for _, defined in arguments):
            rigor = min(bracket.rigor for brackets, _ in arguments for bracket in brackets)
            width = 1 if node.over_blocks else max(len(brackets) for brackets, _ in arguments)
            return (_whole_line(rigor),) * width, False
        if node.function == "abs":
            return tuple(map(_absolute, first)), True
        if node.function == "sqrt":
            roots = [self._root(bracket, node) for bracket in first]
            return tuple(root for root, _ in roots), all(defined for _, defined in roots)
        reductions = {"sum": Bracket.sum, "min": Bracket.smallest, "max": Bracket.largest}
        reduce = reductions[node.function]
        if node.over_blocks:
            return (reduce(first),), True
        rows = _aligned(*(brackets for brackets, _ in arguments))
        return tuple(reduce(row) for row in rows), True

    def _root(self, inner: Bracket, node: Call) -> tuple[Bracket, bool]:
        if inner.exact_upper < 0 and inner.rigor is not Rigor.NUMERICAL:
            raise InvalidInput(
                "square root of a negative number in the claim",
                f"{shown(node.arguments[0].source)} is {inner} in {shown(self._claim)}",
                "a claim without that root",
            )
        if inner.exact_lower < 0:
            return _whole_line(inner.rigor), False
        return inner.sqrt(), True

    def combine(
        self, symbol: str, left: Enclosure, right: Enclosure, operand: Expression
    ) -> Enclosure:
        """Return the sum, difference, product or quotient, block by block."""
        defined = left[1] and right[1]
        brackets = []
        for a, b in _aligned(left[0], right[0]):
            match symbol:
                case "+":
                    brackets.append(a + b)
                case "-":
                    brackets.append(a - b)
                case "*":
                    brackets.append(a * b)
                case _:
                    self._require_nonzero(b, operand)
                    defined = defined and not b.exact_lower <= 0 <= b.exact_upper
                    brackets.append(a / b)
        return tuple(brackets), defined

    def _require_nonzero(self, divisor: Bracket, operand: Expression) -> None:
        if divisor.exact == 0 and divisor.rigor is not Rigor.NUMERICAL:
            raise InvalidInput(
                "division by zero in the claim",
                f"{shown(operand.source)} is 0 in {shown(self._claim)}",
                "both sides multiplied by that factor",
            )


def _aligned(*columns: tuple[Bracket, ...]) -> list[tuple[Bracket, ...]]:
    """Return the rows of columns, where one number stands for every block."""
    longest = max(map(len, columns))
    repeated = (column * longest if len(column) == 1 else column for column in columns)
    return list(zip(*repeated, strict=True))


def _absolute(value: Bracket) -> Bracket:
    if value.exact_lower >= 0:
        return value
    if value.exact_upper <= 0:
        return -value
    return Bracket(0.0, max(-value.exact_lower, value.exact_upper), value.rigor)


def _power(value: Bracket, exponent: int) -> Bracket:
    if exponent == 1:
        return value
    # An even power depends on the absolute value alone, and every power rises with what is left.
    base = value if exponent % 2 else _absolute(value)
    return Bracket(base.exact_lower**exponent, base.exact_upper**exponent, base.rigor)


def _whole_line(rigor: Rigor) -> Bracket:
    return Bracket(-math.inf, math.inf, min(rigor, Rigor.VERIFIED))
