"""Proofs by sympy: identities between symbols, and signs that follow from the symbols' own.

An identity between entries or coefficients with letters for indices holds for every dimension.
`identity` decides an equality; `inequality` wants the difference written out as terms whose sign
sympy reads off, so that the written form is the proof. `formula` makes either of a text; a function
gives the sides where they are not written down, but computed.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy
from sympy import Expr

from ..engine.entry import Check, Evidence, Finding, Trial, Weight, failed, proved, unanswered

# Two sides that are equal; or two of which the second is the greater, and their difference written
# out.
Pairs = Sequence[tuple[Expr, Expr]]
Triples = Sequence[tuple[Expr, Expr, Expr]]

_SIGNS = {"": "real", "> 0": "positive", ">= 0": "nonnegative", "<= 0": "nonpositive"}
_FUNCTIONS = {"sqrt", "log", "exp", "diff", "expand"}
# p, L_ij or p_{i+1}.
_LETTER = r"[A-Za-z]\w*(?:\{[^}]*\})?"
# Groups of letters, each with a sign, or whole, or both.
_GROUP = rf"{_LETTER}(?: {_LETTER})*?(?: [<>]=? 0(?: whole)?| whole)"
_DECLARED = rf"{_GROUP}(?:, {_GROUP})*"
# An identity, or an inequality and what it comes from.
_SIDE = r"((?:(?!, by )[^=<>])+)"
_STATED = rf"{_SIDE} (?:= {_SIDE}|<= {_SIDE}, by {_SIDE})"


def letters(declared: str) -> Any:
    """Return the letters of a formula, as real numbers with the signs declared; one letter alone is
    returned itself.

    Examples
    --------
    >>> x, y, p, n = letters("x y, p > 0, n >= 0 whole")
    >>> x.is_positive, y.is_real, p.is_positive, n.is_nonnegative, n.is_integer
    (None, True, True, True, True)
    """
    symbols = _letters(declared)
    return symbols if len(symbols) > 1 else symbols[0]


def _letters(declared: str) -> list[sympy.Symbol]:
    symbols = []
    for group in declared.split(", "):
        ((names, sign, whole),) = re.findall(r"^([^<>]*?)(?: ([<>]=? 0))?( whole)?$", group)
        assumed = {_SIGNS[sign]: True, **({"integer": True} if whole else {})}
        symbols += [sympy.Symbol(name, **assumed) for name in names.split()]
    return symbols


@dataclass(frozen=True)
class Formulas:
    """Formulas as text, with words on what their letters mean; a call returns the sides of each."""

    text: str
    words: str = ""

    def __call__(self) -> list[tuple[Any, ...]]:
        *parts, last = self.text.split("; ")
        declared = last if re.fullmatch(_DECLARED, last) else ""
        met = re.findall(_LETTER, self.text)
        names = set(met) - _FUNCTIONS - {"by", "whole"}
        if declared and any(met.count(letter.name) < 2 for letter in _letters(declared)):
            raise ValueError(f"a letter of {declared!r} stands nowhere else")
        values: dict[str, Any] = {
            letter.name: letter for letter in (*_letters(" ".join(names)), *_letters(declared))
        }
        formulas = []
        for part in parts if declared else (*parts, last):
            name, defines, value = part.partition(" := ")
            if defines:
                values[name] = _read(value, values)
            else:
                match = re.fullmatch(_STATED, part)
                if match is None:
                    raise ValueError(
                        f"{part!r} is neither 'left = right' nor 'left <= right, by rest'"
                    )
                formulas.append(
                    tuple(_read(side, values) for side in match.groups() if side is not None)
                )
        if len({len(sides) for sides in formulas}) != 1:
            raise ValueError(f"{self.text!r} states nothing, or both identities and inequalities")
        return formulas

    def check(self, scope: str) -> Check:
        """Return a check of inequalities, or of identities."""
        return inequality(self, scope) if ", by " in self.text else identity(self, scope)


def formula(text: str, scope: str, words: str = "") -> Check:
    """Return a check of "left = right", or of "left <= right, by rest", where the sign of rest =
    right - left can be read off.

    Semicolons stand between several of them, and before the signs of letters as `letters` has them;
    other letters are real. "N := T + 1; ..." names an expression. `words` say what the letters
    stand for.

    Examples
    --------
    >>> check = formula("N := T + 1; 2*N*b <= N^2 + b^2, by (N - b)^2; T >= 0 whole", "all T and b")
    >>> check.run(Trial(None)).formulas
    ('b*(2*T + 2) <= b**2 + (T + 1)**2, by (T - b + 1)**2 >= 0',)
    """
    return Formulas(text, words).check(scope)


def _read(text: str, known: dict[str, Any]) -> Expr:
    # To the parser the letters are numbered names, as p_{i+1} is none.
    numbered = {name: f"letter_{number}" for number, name in enumerate(known)}
    renamed = re.sub(_LETTER, lambda met: numbered.get(met[0], met[0]), text.replace("^", "**"))
    return sympy.parse_expr(
        renamed, local_dict={numbered[name]: value for name, value in known.items()}
    )


def identity(pairs: Callable[[], Sequence[tuple[Any, ...]]], scope: str) -> Check:
    """Return a check that the sides of every pair are equal, for all values of their symbols."""
    return Check(Evidence.SYMBOLIC, _identical, (pairs, scope))


def _identical(_: Trial, pairs: Callable[[], Pairs], scope: str) -> Finding:
    sides = pairs()
    for left, right in sides:
        verdict = equal(left, right)
        if verdict is None:
            return unanswered(f"sympy cannot decide {left} = {right}")
        if not verdict:
            return failed(f"{left} is not {right}")
    same = all(left == right for left, right in sides)
    weight = Weight.DEFINITIONAL if same else Weight.ALGEBRA
    return proved(scope, weight, tuple(f"{left} = {right}" for left, right in sides))


def inequality(triples: Callable[[], Sequence[tuple[Any, ...]]], scope: str) -> Check:
    """Return a check that left <= right, by a rewriting of right - left whose sign can be read off.

    Each triple is (left, right, rewriting). The rewriting must equal right - left and be built of
    squares, non-negative symbols, sums and products of such.
    """
    return Check(Evidence.SYMBOLIC, _ordered, (triples, scope))


def _ordered(_: Trial, triples: Callable[[], Triples], scope: str) -> Finding:
    sides = triples()
    for left, right, rewriting in sides:
        verdict = equal(right - left, rewriting)
        if verdict is None:
            return unanswered(f"sympy cannot decide {right - left} = {rewriting}")
        if not verdict:
            return failed(f"{right - left} is not {rewriting}")
        if rewriting.is_nonnegative is not True:
            return unanswered(f"sympy cannot read off that {rewriting} is not negative")
    assumed = all(_assumed(*triple) for triple in sides)
    weight = Weight.DEFINITIONAL if assumed else Weight.INEQUALITY
    formulas = (f"{left} <= {right}, by {rewriting} >= 0" for left, right, rewriting in sides)
    return proved(scope, weight, tuple(formulas))


def _assumed(left: Expr, right: Expr, rewriting: Expr) -> bool:
    """Return whether left <= right only says again which symbols are not negative: nothing to
    simplify, and no square.
    """
    return right - left == rewriting and not any(
        isinstance(part, sympy.Pow) and part.is_nonnegative and not part.base.is_nonnegative
        for part in sympy.preorder_traversal(rewriting)
    )


def equal(left: Expr, right: Expr) -> bool | None:
    """Return whether two expressions are the same function of their symbols; None if sympy cannot
    tell.
    """
    difference: Any = sympy.together(sympy.expand(left - right))
    if difference == 0:
        return True
    difference = sympy.simplify(sympy.expand(sympy.numer(difference)))
    if difference == 0:
        return True
    return False if _surely_nonzero(difference) else None


def _surely_nonzero(expression: Any) -> bool:
    """Return whether some positive values of the symbols give a number that is far from zero at
    fifty digits.
    """
    symbols = sorted(expression.free_symbols, key=str)
    for shift in range(3):
        values = {
            symbol: sympy.Rational(7 * k + 3 + shift, 5 * k + 11)
            for k, symbol in enumerate(symbols)
        }
        number = sympy.N(expression.subs(values), 50)
        if number.is_number and number.is_finite and abs(number) > sympy.Rational(1, 10**20):
            return True
    return False
