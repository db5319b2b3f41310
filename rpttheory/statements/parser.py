"""Claims read from text by a tokenizer and recursive descent; the text is never run as code."""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn, cast

from .. import vocabulary
from ..errors import InvalidInput
from . import expression
from .claim import RELATIONS, Claim, Relation
from .expression import Call, Chain, Expression, Name, Negative, Number, Power, shown

MAX_LENGTH = 1000
MAX_DEPTH = 100
MAX_EXPONENT = 1000
MAX_POWER = 100

_EXAMPLE = "for example 'L_P <= 1.02*lmax'"
_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<symbol><=|>=|==|\*\*|[-+*/()<>^,])"
    r"|(?P<space>\s+)|(?P<unknown>.)",
    re.DOTALL,
)
# Characters that the grammar does not have, with what to write instead; the escapes are the minus,
# times, dot and division signs.
_INSTEAD = {
    "=<": "<=",
    "=>": ">=",
    "=": "==, or <= and >= without a space",
    "≤": "<=",
    "≥": ">=",
    "\u2212": "-",
    "\u00d7": "*",
    "\u00b7": "*",
    "\u00f7": "/",
    "√": "sqrt(...)",
    "²": "^2",
}


def parse(text: str) -> Claim:
    """Parse a claim in the words of `language`: numbers, names, functions, arithmetic and exactly
    one comparison.

    Parameters
    ----------
    text : str
        Such as "L_P <= 2*lmax".

    Returns
    -------
    Claim

    Raises
    ------
    InvalidInput
        If the text is not such a claim; the message says at which character and suggests a
        correction.

    Examples
    --------
    >>> parse("c_P <= 2*optimum").relation
    '<='
    """
    if not isinstance(text, str):
        raise InvalidInput("a claim must be text", repr(text)[:80], _EXAMPLE)
    if len(text) > MAX_LENGTH:
        raise InvalidInput(
            f"a claim may have at most {MAX_LENGTH} characters", f"{len(text)} characters", _EXAMPLE
        )
    return _Parser(text).claim()


def parse_expression(text: str) -> Expression:
    """Parse one side of a claim."""
    return parse(f"{text} <= 0").left


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

    def claim(self) -> Claim:
        if len(self._tokens) == 1:
            raise InvalidInput("a claim must not be empty", shown(self._text), _EXAMPLE)
        left = self._side()
        relation = self._next()
        if relation.text not in RELATIONS:
            self._unexpected(
                f"expected an operator or a comparison, one of {' '.join(RELATIONS)}", relation
            )
        right = self._side()
        end = self._next()
        if end.text in RELATIONS:
            self._fail(
                "a claim must have exactly one comparison", end, "one claim for each comparison"
            )
        if end.kind != "end":
            self._unexpected("expected an operator or the end of the claim", end)
        return Claim(self._text.strip(), left, cast(Relation, relation.text), right)

    def _side(self) -> Expression:
        first = self._tokens[self._index]
        side = self._sum()
        if expression.per_block(side):
            self._fail(
                "a side of a claim must be one number, not one per block",
                first,
                "sum(p*c), max(L) or min(p)",
            )
        return side

    def _sum(self) -> Expression:
        return self._chain("+-", self._product)

    def _product(self) -> Expression:
        return self._chain("*/", self._factor)

    def _chain(self, symbols: str, operand: Callable[[], Expression]) -> Expression:
        start = self._index
        first = operand()
        operations = []
        while (token := self._tokens[self._index]).kind == "symbol" and token.text in symbols:
            self._index += 1
            operations.append((token.text, operand()))
        return Chain(self._source(start), first, tuple(operations)) if operations else first

    def _factor(self) -> Expression:
        start = self._index
        if self._tokens[start].text == "-":
            inner = self._nested(self._next(), self._factor)
            return Negative(self._source(start), inner)
        inner = self._primary()
        if self._tokens[self._index].text not in ("^", "**"):
            return inner
        self._index += 1
        minus = self._tokens[self._index].text == "-"
        self._index += minus
        power = self._next()
        if not power.text.isdecimal() or len(power.text) > 3 or int(power.text) > MAX_POWER:
            self._fail(
                f"an exponent must be an integer up to {MAX_POWER}", power, "lmax^2, or sqrt(lmax)"
            )
        return Power(self._source(start), inner, (-1) ** minus * int(power.text))

    def _primary(self) -> Expression:
        start = self._index
        token = self._next()
        if token.kind == "number":
            return Number(token.text, self._number(token))
        if token.text == "(":
            return self._parenthesized(token)[0]
        if token.kind != "name":
            self._unexpected("expected a number, a name or a parenthesis", token)
        if token.text in vocabulary.FUNCTIONS:
            opening = self._next()
            if opening.text != "(":
                self._fail(
                    f"{token.text} must be followed by a parenthesis",
                    opening,
                    f"{token.text}(lmax)",
                )
            arguments = self._parenthesized(opening, several=token.text in ("min", "max"))
            call = Call(self._source(start), token.text, arguments)
            if call.over_blocks and not expression.per_block(arguments[0]):
                what = f"{token.text} of one number needs one per block: L, p or c"
                remedy = f"{token.text}(p*c); for numbers min(lmax, 1) or max(lmax, 1)"
                self._fail(what, token, remedy)
            return call
        following = "".join(part.text for part in self._tokens[self._index : self._index + 3])
        if token.text == "c" and following == "(P)":
            self._fail("c is one number per block", token, "c_P, which is c(P)")
        if token.text not in (*vocabulary.NAMES, *vocabulary.PER_BLOCK):
            self._fail("unknown name in the claim", token, _suggestion(token.text))
        return Name(token.text, token.text)

    def _parenthesized(self, opening: _Token, *, several: bool = False) -> tuple[Expression, ...]:
        inner = [self._nested(opening, self._sum)]
        while (closing := self._next()).text == "," and several:
            inner.append(self._nested(opening, self._sum))
        if closing.text in RELATIONS:
            self._fail("a comparison must stand outside parentheses", closing, _EXAMPLE)
        if closing.text != ")":
            what = f"expected ) for the parenthesis at character {opening.start + 1}"
            self._unexpected(what, closing, "a closing parenthesis")
        return tuple(inner)

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
            self._fail(
                f"exponents may lie between -{MAX_EXPONENT} and {MAX_EXPONENT}",
                token,
                "a smaller exponent",
            )
        return Fraction(token.text)

    def _next(self) -> _Token:
        token = self._tokens[self._index]
        self._index = min(self._index + 1, len(self._tokens) - 1)
        return token

    def _source(self, start: int) -> str:
        """Return the text from token number `start` up to the last token read."""
        last = self._tokens[self._index - 1]
        return self._text[self._tokens[start].start : last.start + len(last.text)]

    def _tokenize(self) -> list[_Token]:
        tokens: list[_Token] = []
        for match in _TOKEN.finditer(self._text):
            token = _Token(str(match.lastgroup), match.group(), match.start())
            if token.kind == "unknown":
                signs = (self._text[token.start : token.start + 2], token.text)
                remedies = [f"write {_INSTEAD[sign]}" for sign in signs if sign in _INSTEAD]
                self._fail(
                    "a claim may not contain this character", token, [*remedies, _EXAMPLE][0]
                )
            if token.kind != "space":
                tokens.append(token)
        return [*tokens, _Token("end", "", len(self._text))]

    def _unexpected(self, what: str, token: _Token, remedy: str = _EXAMPLE) -> NoReturn:
        if token.text == ",":
            remedy = ". as the decimal mark, or min(x, y)"
        elif token.kind == "name" or token.text == "(":
            before = self._tokens[self._tokens.index(token) - 1]
            remedy = f"a sign between them, as in {before.text}*{token.text}"
        self._fail(what, token, remedy)

    def _fail(self, what: str, token: _Token, remedy: str) -> NoReturn:
        if token.kind == "end":
            place = f"at character {token.start + 1}: the end of {shown(self._text)}"
        else:
            place = f"at character {token.start + 1}: {shown(token.text)} in {shown(self._text)}"
        raise InvalidInput(what, place, remedy)


# Names that people try, and what they mean by them.
_SYNONYMS = {
    "gd": "lmax*sum(c), the cost of gradient descent",
    "opt": "optimum, the least c_P",
    "kappa": "lmax/mu",
    "n": "d, or B for the number of blocks",
}


def _suggestion(name: str) -> str:
    """Return the name closest to an unknown one, or all of them."""
    if name.lower() in _SYNONYMS:
        return _SYNONYMS[name.lower()]
    candidates = {
        candidate.lower().replace("_", ""): candidate
        for candidate in (*vocabulary.NAMES, *vocabulary.FUNCTIONS)
    }
    close = difflib.get_close_matches(name.lower().replace("_", ""), candidates, n=1)
    return f"{candidates[close[0]]}?" if close else "one of " + ", ".join(vocabulary.NAMES)
