"""A person's own claim about a matrix, such as `L_P <= 1.02*lmax`: parsed, then decided in interval arithmetic.

The text is never run as code. A tokenizer and a recursive-descent parser accept exactly this grammar:

    claim      = expression  ("<=" | "<" | ">=" | ">" | "==")  expression
    expression = term   {("+" | "-") term}
    term       = factor {("*" | "/") factor}
    factor     = "-" factor | number | name | "sqrt" "(" expression ")" | "(" expression ")"

Numbers are decimal and exact: 0.1 means one tenth, not the float beside it. Sums and products are kept flat, so that
only parentheses, roots and signs nest; their depth, the length of the text and the exponents are limited before
anything is computed.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NoReturn, cast

from .certify.bracket import Bracket
from .certify.verdict import Rigour, Verdict
from .errors import InvalidInput

NAMES = ("lmax", "pmin", "L_P", "L_M", "cost", "c_P", "closed", "sumL", "maxL", "sumcL", "d", "B")
RELATIONS = ("<=", "<", ">=", ">", "==")
MAX_LENGTH = 1000
MAX_DEPTH = 100
MAX_EXPONENT = 1000

Relation = Literal["<=", "<", ">=", ">", "=="]
_EXAMPLE = "for example 'L_P <= 1.02*lmax'"
_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<symbol><=|>=|==|[-+*/()<>])"
    r"|(?P<space>\s+)"
)
# What people type where the grammar has another symbol; the escapes are the minus, times, dot and division signs.
_INSTEAD = {"=": "==", "≤": "<=", "≥": ">=", "\u2212": "-", "\u00d7": "*", "\u00b7": "*", "\u00f7": "/"}
_INSTEAD |= {"√": "sqrt(...)", "^": "x*x for the square of x", ",": ". as the decimal mark"}


# -- expression trees ----------------------------------------------------------------------------


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


# -- claims --------------------------------------------------------------------------------------


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
        return _names(self.left) | _names(self.right)

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
                "the claim needs quantities that are not known here", ", ".join(missing), _listing(values)
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
                return values[node.name], True
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
                f"{_shown(operand.source)} is at most {inner.upper:g} in {_shown(self.text)}",
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
                f"{_shown(operand.source)} is 0 in {_shown(self.text)}",
                "both sides multiplied by that factor",
            )
        return top / bottom, defined and not bottom.low <= 0 <= bottom.high


def parse_conjecture(text: str) -> Conjecture:
    """Parse a claim over `NAMES`: numbers, + - * /, sqrt(...), parentheses and exactly one comparison.

    Raises
    ------
    InvalidInput
        If the text is not such a claim; the message says at which character and suggests a correction.

    Examples
    --------
    >>> parse_conjecture("c_P <= closed").relation
    '<='
    """
    if not isinstance(text, str):
        raise InvalidInput("a claim must be text", repr(text)[:80], _EXAMPLE)
    if len(text) > MAX_LENGTH:
        raise InvalidInput(f"a claim may have at most {MAX_LENGTH} characters", f"{len(text)} characters", _EXAMPLE)
    return _Parser(text).claim()


# -- parser --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int


class _Parser:
    """Recursive descent over the tokens of one claim."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._tokenize()
        self._index = 0
        self._depth = 0

    def claim(self) -> Conjecture:
        if len(self._tokens) == 1:
            raise InvalidInput("a claim must not be empty", _shown(self._text), _EXAMPLE)
        left = self._sum()
        relation = self._next()
        if relation.text not in RELATIONS:
            self._fail(f"expected an operator or a comparison, one of {' '.join(RELATIONS)}", relation, _EXAMPLE)
        right = self._sum()
        end = self._next()
        if end.text in RELATIONS:
            self._fail("a claim must have exactly one comparison", end, "one claim for each comparison")
        if end.kind != "end":
            self._fail("expected an operator or the end of the claim", end, _EXAMPLE)
        return Conjecture(self._text.strip(), left, cast(Relation, relation.text), right)

    def _sum(self) -> Expression:
        return self._chain("+-", self._product)

    def _product(self) -> Expression:
        return self._chain("*/", self._factor)

    def _chain(self, symbols: str, operand: Callable[[], Expression]) -> Expression:
        start = self._index
        first = operand()
        rest = []
        while (token := self._tokens[self._index]).kind == "symbol" and token.text in symbols:
            self._index += 1
            rest.append((token.text, operand()))
        return Chain(self._source(start), first, tuple(rest)) if rest else first

    def _factor(self) -> Expression:
        start = self._index
        token = self._next()
        if token.kind == "number":
            return Number(token.text, self._number(token))
        if token.text == "-":
            inner = self._nested(token, self._factor)
            return Negative(self._source(start), inner)
        if token.text == "(":
            return self._parenthesised(token)
        if token.text == "sqrt":
            opening = self._next()
            if opening.text != "(":
                self._fail("sqrt must be followed by a parenthesis", opening, "sqrt(lmax)")
            inner = self._parenthesised(opening)
            return Root(self._source(start), inner)
        if token.kind != "name":
            square = token.text == "*" and start > 0 and self._tokens[start - 1].text == "*"
            self._fail(
                "expected a number, a name or a parenthesis", token, "x*x for the square of x" if square else _EXAMPLE
            )
        if token.text not in NAMES:
            self._fail("unknown name in the claim", token, _suggestion(token.text))
        return Name(token.text, token.text)

    def _parenthesised(self, opening: _Token) -> Expression:
        inner = self._nested(opening, self._sum)
        closing = self._next()
        if closing.text in RELATIONS:
            self._fail("a comparison must stand outside parentheses", closing, _EXAMPLE)
        if closing.text != ")":
            self._fail(
                f"expected ) for the parenthesis at character {opening.start + 1}", closing, "a closing parenthesis"
            )
        return inner

    def _nested(self, token: _Token, operand: Callable[[], Expression]) -> Expression:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail(f"a claim may nest at most {MAX_DEPTH} deep", token, "a simpler expression")
        inner = operand()
        self._depth -= 1
        return inner

    def _number(self, token: _Token) -> Fraction:
        exponent = token.text.lower().partition("e")[2]
        # Checked before the power of ten is formed: 1e999999999 would fill the memory.
        if exponent and abs(int(exponent)) > MAX_EXPONENT:
            self._fail(f"exponents may lie between -{MAX_EXPONENT} and {MAX_EXPONENT}", token, "a smaller exponent")
        return Fraction(token.text)

    def _next(self) -> _Token:
        token = self._tokens[self._index]
        self._index = min(self._index + 1, len(self._tokens) - 1)
        return token

    def _source(self, start: int) -> str:
        """The text from token number `start` up to the last token read."""
        last = self._tokens[self._index - 1]
        return self._text[self._tokens[start].start : last.start + len(last.text)]

    def _tokenize(self) -> list[_Token]:
        tokens = []
        position = 0
        while position < len(self._text):
            match = _TOKEN.match(self._text, position)
            if match is None:
                character = self._text[position]
                remedy = f"write {_INSTEAD[character]}" if character in _INSTEAD else _EXAMPLE
                self._fail("a claim may not contain this character", _Token("other", character, position), remedy)
            if match.lastgroup != "space":
                tokens.append(_Token(str(match.lastgroup), match.group(), position))
            position = match.end()
        return [*tokens, _Token("end", "", len(self._text))]

    def _fail(self, what: str, token: _Token, remedy: str) -> NoReturn:
        seen = "the end" if token.kind == "end" else _shown(token.text)
        raise InvalidInput(what, f"at character {token.start + 1}: {seen} in {_shown(self._text)}", remedy)


# -- small helpers -------------------------------------------------------------------------------


def _names(node: Expression) -> frozenset[str]:
    match node:
        case Name():
            return frozenset((node.name,))
        case Negative() | Root():
            return _names(node.of)
        case Chain():
            return _names(node.first).union(*(_names(operand) for _, operand in node.rest))
    return frozenset()


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


def _suggestion(name: str) -> str:
    """The known name closest to an unknown one, or all of them."""
    known = {candidate.lower().replace("_", ""): candidate for candidate in (*NAMES, "sqrt")}
    close = difflib.get_close_matches(name.lower().replace("_", ""), known, n=1)
    return f"{known[close[0]]}?" if close else _listing(NAMES)


def _listing(names: Mapping[str, Bracket] | tuple[str, ...]) -> str:
    return "one of " + ", ".join(names)


def _shown(text: str) -> str:
    """Text from the user on one line, shortened, with control characters made visible."""
    return repr(text if len(text) <= 80 else text[:77] + "...")
