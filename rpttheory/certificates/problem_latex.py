"""A problem, its numbers and the origin of a result as LaTeX, ready to paste; needs amsmath."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..eigen.exact import EXACT_DIMENSION
from ..errors import InvalidInput
from ..numbers import Bracket
from ..problem.problem import Problem
from ..report import number
from .checker import digest

# The most columns of a pmatrix.
_MOST_COLUMNS = 10
_SPECIAL = {
    **{sign: rf"\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def escaped(text: str) -> str:
    """Return plain text for a paragraph of LaTeX."""
    return "".join(_SPECIAL.get(sign, sign) for sign in text)


def value(bracket: Bracket) -> str:
    r"""Return a bracket as LaTeX for formulas.

    Examples
    --------
    >>> print(value(Bracket.point(8.5e9)), value(Bracket(1.0, 1.5)))
    8.5 \cdot 10^{9} [1, 1.5]
    """
    return power_of_ten(number(bracket))


def power_of_ten(text: str) -> str:
    """Return numbers with powers of ten in place of exponents."""
    if text.startswith("["):
        return f"[{', '.join(map(power_of_ten, text.strip('[]').split(', ')))}]"
    digits, exponent, power = text.partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}" if exponent else digits


def fraction(number: Fraction) -> str:
    """Return a fraction as LaTeX for formulas."""
    if number.denominator == 1:
        return str(number)
    sign = "-" if number < 0 else ""
    return rf"{sign}\frac{{{abs(number.numerator)}}}{{{number.denominator}}}"


def setting(problem: Problem, *, sampling: bool = True) -> str:
    """Return sentences with L, blocks, costs and, unless left out, the sampling."""
    entries = problem.smoothness.rational() if problem.blocks.dimension <= _MOST_COLUMNS else None
    if entries is None:
        matrix = rf"a matrix $L \in \mathbb{{R}}^{{{problem.blocks.dimension} \times"
        matrix += f" {problem.blocks.dimension}}}$"
    else:
        rows = r" \\ ".join(" & ".join(map(_entry, row)) for row in entries)
        matrix = rf"\[ L = \begin{{pmatrix}} {rows} \end{{pmatrix}} \]"
        doubles = (e for row in entries for e in row if e == Fraction(float(e)))
        if any(double != Fraction(_decimal(double)) for double in doubles):
            matrix += "\n(decimals stand for the nearest double)"
    sizes = ", ".join(map(str, problem.blocks.sizes))
    costs = _listed(problem.costs.fractions())
    text = f"Let {matrix}\nwith blocks of sizes ${sizes}$ and costs $c = ({costs})$"
    if not sampling:
        return f"{text}."
    p = _listed(problem.sampling.marginals.fractions())
    return f"{text}, and {problem.sampling.name} sampling with $p = ({p})$."


def origin(problem: Problem, certificate: Callable[[], Mapping[str, Any]] | None = None) -> str:
    """Return a sentence that cites the program, with the digest that `rpttheory check` prints.

    A certificate is made up to d = 60 only, and where L is known by its entries.
    """
    from .. import __version__

    text = rf"Computed by \texttt{{rpttheory}} {__version__}~\cite{{rpttheory}}"
    if certificate is None or problem.blocks.dimension > EXACT_DIMENSION:
        return f"{text}."
    try:
        statement = certificate()["statement"]
    except InvalidInput:
        return f"{text}."
    return rf"{text}; its certificate has the SHA-256 \texttt{{{digest(statement)}}}."


def _entry(number: Fraction) -> str:
    """Return a number as a decimal that is equal to it or has it for its double, or a fraction."""
    decimal = _decimal(number)
    is_named = number in (Fraction(decimal), Fraction(float(number)))
    return power_of_ten(decimal) if is_named else fraction(number)


def _decimal(number: Fraction) -> str:
    """Return the shortest decimal with the same double."""
    texts = (f"{float(number):.{digits}g}" for digits in range(6, 18))
    return next(text for text in texts if float(text) == float(number))


def _listed(numbers: Sequence[Fraction]) -> str:
    """Return numbers to six digits, marked where that rounds them."""
    texts = [power_of_ten(f"{float(number):.6g}") for number in numbers]
    rounded = any(Fraction(f"{float(number):.6g}") != number for number in numbers)
    return ", ".join(texts) + (r", \text{rounded}" if rounded else "")
