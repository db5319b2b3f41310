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
    """Return sentences with L, blocks, the cost of a step and, unless left out, the sampling."""
    entries = problem.smoothness.rational() if problem.blocks.dimension <= _MOST_COLUMNS else None
    if entries is None:
        matrix = rf"$L \in \mathbb{{R}}^{{{problem.blocks.dimension} \times"
        matrix += f" {problem.blocks.dimension}}}$"
    else:
        rows = r" \\ ".join(" & ".join(map(_entry, row)) for row in entries)
        matrix = rf"\[ L = \begin{{pmatrix}} {rows} \end{{pmatrix}} \]"
        doubles = (e for row in entries for e in row if e == Fraction(float(e)))
        if any(double != Fraction(_decimal(double)) for double in doubles):
            matrix += "\n(decimals stand for the nearest double)"
    sizes = ", ".join(map(str, problem.blocks.sizes))
    costs = vector("c", problem.costs.fractions())
    text = f"Let {matrix}\nhave blocks of sizes ${sizes}$ and costs ${costs}$."
    if problem.overhead > 0:
        overhead = power_of_ten(f"{float(problem.overhead):.6g}")
        text += f"\nEvery step costs $c_0 = {overhead}$ more than its blocks."
    if problem.order is not None:
        ranks = ", ".join(map(str, problem.order.rank_to_block))
        text += f"\nNested sampling admits the blocks in the order ${ranks}$, counted from 0."
    if sampling:
        p = vector("p", problem.sampling.marginals.fractions())
        text += f"\nBlocks are drawn by {problem.sampling.name} sampling with ${p}$."
    return text


def vector(name: str, entries: Sequence[Fraction]) -> str:
    """Return an equation of a vector to six digits, with the sign of rounding where they round."""
    texts = [f"{float(entry):.6g}" for entry in entries]
    exact = all(Fraction(text) == entry for text, entry in zip(texts, entries, strict=True))
    relation = "=" if exact else r"\approx"
    return f"{name} {relation} ({', '.join(map(power_of_ten, texts))})"


def origin(
    problem: Problem,
    certificate: Callable[[], Mapping[str, Any]] | None = None,
    subject: str = "these results",
) -> str:
    """Return a sentence that cites the program, with the digest that `rpttheory check` prints.

    `subject` is what the certificate proves, as LaTeX. A certificate is made up to d = 60
    only, and where L is known by its entries.
    """
    from .. import __version__

    text = rf"Computed by \texttt{{rpttheory}} {__version__}~\cite{{rpttheory}}"
    if certificate is None or problem.blocks.dimension > EXACT_DIMENSION:
        return f"{text}."
    try:
        statement = certificate()["statement"]
    except InvalidInput:
        return f"{text}."
    return rf"{text}; the certificate of {subject} has the SHA-256 \texttt{{{digest(statement)}}}."


def _entry(number: Fraction) -> str:
    """Return a number as a decimal that is equal to it or has it for its double, or a fraction."""
    decimal = _decimal(number)
    is_named = number in (Fraction(decimal), Fraction(float(number)))
    return power_of_ten(decimal) if is_named else fraction(number)


def _decimal(number: Fraction) -> str:
    """Return the shortest decimal with the same double."""
    texts = (f"{float(number):.{digits}g}" for digits in range(6, 18))
    return next(text for text in texts if float(text) == float(number))
