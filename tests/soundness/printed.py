"""What commands print, read back as numbers and claims, and judged.

A printed claim is parsed by Python's `ast`; a name in it means what its "where" line says, at the
printed blocks, costs and probabilities. Nothing of the package is used.
"""

import ast
import json
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from operator import mul
from typing import Any

from .reals import (
    Real,
    absolute,
    holds,
    inside,
    largest,
    negative,
    order,
    power,
    product,
    rational,
    reciprocal,
    root,
    smallest,
    total,
)
from .truth import Truth

NUMBER = re.compile(r"(-?\d+(?:/\d+)?)(?: \[= (-?[\d.]+(?:e[-+]?\d+)?)\])?")


class Misprint(Exception):
    """Printed text that is not true or cannot be read."""


def numbers(text: str) -> list[Fraction]:
    """All fractions of a text, whose decimals must be those of the fraction."""
    values = []
    for match in NUMBER.finditer(text):
        value = Fraction(match[1])
        if match[2] is not None and not _is_decimal_of(match[2], value):
            raise Misprint(f"{match[0]}: other decimals")
        values.append(value)
    return values


def _is_decimal_of(text: str, value: Fraction) -> bool:
    cut = "..." in text
    mantissa, _, exponent = text.replace("...", "").partition("e")
    unit = Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    remainder = abs(value) - abs(Fraction(mantissa)) * Fraction(10) ** int(exponent or 0)
    sign_agrees = text.startswith("-") == (value < 0)
    return sign_agrees and (0 < remainder < unit if cut else remainder == 0)


def shown_interval(text: str) -> tuple[Fraction | float, Fraction | float]:
    """The numbers that a cell of a table may stand for: an interval, or digits rounded to
    nearest.
    """
    if text.startswith("["):
        low, high = (
            float(end) if "inf" in end else Fraction(end) for end in text.strip("[]").split(", ")
        )
        return low, high
    value = Decimal(text)
    digits = max(3, len(value.as_tuple().digits))
    half = Fraction(10) ** (value.adjusted() + 1 - digits) / 2 if value else Fraction(0)
    return Fraction(value) - half, Fraction(value) + half


def _at_rounded_form(truth: Truth) -> Real:
    if truth.c_rounded is None:
        raise Misprint("no p_near")
    return truth.c_rounded


def _at_closed_form(truth: Truth) -> Real:
    if truth.overhead or truth.order is not None:
        raise Misprint("no closed form")
    return truth.c_closed


# Each name of a claim: what its "where" line must say, and what that is.
MEANINGS: dict[str, tuple[str, Callable[[Truth], Any]]] = {
    "d": ("the number of coordinates", lambda truth: truth.d),
    "B": ("the number of blocks", lambda truth: truth.B),
    "tau": (
        "the largest number of blocks that the sampling updates in a step",
        lambda truth: truth.tau,
    ),
    "c": ("c_k, the costs below", lambda truth: [rational(c) for c in truth.costs]),
    "p": ("p_k, the probabilities below", lambda truth: [rational(p) for p in truth.p]),
    "q": (
        "q_k, the probability that the sampling updates block k",
        lambda truth: [rational(row[k]) for k, row in enumerate(truth.pairs)],
    ),
    "L": ("L_k = lambda_max(diagonal block k of L)", lambda truth: truth.block_L),
    "lmax": ("lambda_max(L)", lambda truth: truth.lmax),
    "mu": ("lambda_min(L)", lambda truth: truth.mu),
    "L_P": ("lambda_max(P^-1/2 L P^-1/2), P with p_k on block k", lambda truth: truth.L_P),
    "L_M": (
        "lambda_max(E[CLC]), C with 1/p_k on the blocks k that the sampling updates, else 0",
        lambda truth: truth.L_M,
    ),
    "cost": ("c_0 + sum p_k c_k", lambda truth: truth.cost),
    "c_P": ("L_P cost", lambda truth: truth.c_P),
    "c_M": ("L_M cost", lambda truth: truth.c_M),
    "closed": ("(sum sqrt(c_k L_k))^2", lambda truth: truth.closed),
    "c_rounded": ("c_P at p = p_near, listed below", _at_rounded_form),
    "c_closed": ("c_P at p_k proportional to sqrt(L_k / c_k)", _at_closed_form),
    "xLx": ("x'Lx", lambda truth: rational(sum(map(mul, truth.image, truth.x)))),
    "g": (
        "g_k, the sum of squares of (Lx)_i over i in block k",
        lambda truth: [rational(g) for g in truth.squares],
    ),
    "optimum": (
        "the infimum of lambda_max(P^-1/2 L P^-1/2) (c_0 + sum p_k c_k) over all p"
        " with 0 < p_k <= 1, nonincreasing along the order if one is forced",
        lambda truth: truth.best,
    ),
}


def integer_power(base: Real, exponent: Real) -> Real:
    low, high = exponent(64) or (Fraction(1, 2), Fraction(1, 2))
    if low != high or low.denominator != 1 or low < 0:
        raise Misprint("a power that is no integer")
    return power(base, int(low))


OPERATIONS: dict[str, Callable[..., Real]] = {
    "+": lambda left, right: total([left, right]),
    "-": lambda left, right: total([left, negative(right)]),
    "*": product,
    "/": lambda left, right: product(left, reciprocal(right)),
    "**": integer_power,
    "sqrt": root,
    "abs": absolute,
    "sum": lambda *terms: total(terms),
    "min": lambda *terms: smallest(terms),
    "max": lambda *terms: largest(terms),
}


def evaluate(tree: Any, truth: Truth) -> Any:
    """A real number, or one per block, of a name, a number or [operator or function, trees...]."""
    if isinstance(tree, str):
        return MEANINGS[tree][1](truth) if tree in MEANINGS else rational(Fraction(tree))
    if tree == ["max", ["/", "L", "p"]] and (truth.split or truth.alone):
        return truth.L_M  # the diagonal blocks of a block-diagonal E[CLC] are L_kk / p_k
    values = [evaluate(argument, truth) for argument in tree[1:]]
    function = OPERATIONS[tree[0]]
    if tree[0] in ("sum", "min", "max") and len(values) == 1:
        return function(*values[0])
    if not any(isinstance(value, list) for value in values):
        return function(*values)
    rows = [value if isinstance(value, list) else [value] * len(truth.sizes) for value in values]
    return [function(*row) for row in zip(*rows, strict=True)]


# ---- The text of `check`


class Printed:
    """The text of `rpttheory check`, read line by line."""

    def __init__(self, text: str) -> None:
        *lines, last = text.splitlines()
        if last != "yes: all of this follows":
            raise Misprint(f"the last line is {last!r}")
        self.claims: list[tuple[str, str]] = []
        self.where: dict[str, str] = {}
        self.parts: dict[str, str] = {}
        for line in lines:
            head = line[:8].rstrip()
            body = line[9:]
            if head in ("PROVED", "REFUTED"):
                self.claims.append((head, body))
            elif head == "where":
                name, meaning = body.split(" = ", 1)
                self.where[name] = meaning
            elif head in self.parts:
                raise Misprint(f"two lines of {head}")
            else:
                self.parts[head] = body

    def numbers(self, head: str) -> list[Fraction]:
        return numbers(self.parts[head].rpartition(": ")[2])

    @property
    def names(self) -> list[str] | None:
        text = self.parts.get("names")
        return None if text is None else json.loads(f"[{text}]")

    @property
    def order(self) -> list[int] | None:
        return (
            None if self.parts["order"] == "not forced" else [int(k) for k in self.numbers("order")]
        )

    @property
    def outcomes(self) -> Any:
        """The name of the sampling, or the probability of each outcome and its blocks."""
        sampling = self.parts["sampling"]
        if sampling in ("nested", "independent"):
            return sampling
        numbers(sampling)  # their decimals agree with them
        listed = re.findall(r"((?:\d+ )+|nothing )with (-?\d+(?:/\d+)?)", sampling)
        return [
            [mass, [int(k) for k in blocks.split() if k != "nothing"]] for blocks, mass in listed
        ]

    def claim(self, text: str, truth: Truth) -> tuple[Real, str, Real]:
        """Both sides of a printed claim, and its relation."""
        numbers(text)  # their decimals agree with them
        relation, left, right = self._tree(
            ast.parse(re.sub(r" \[= [^\]]*\]", "", text), mode="eval").body
        )
        return evaluate(left, truth), relation, evaluate(right, truth)

    def _tree(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=int(value)):
                return str(value)
            case ast.Name(id=name):
                if name not in MEANINGS or self.where.get(name) != MEANINGS[name][0]:
                    raise Misprint(f"{name} = {self.where.get(name)}")
                return name
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return ["-", "0", self._tree(operand)]
            case ast.BinOp(left=left, op=symbol, right=right):
                return [SYMBOLS[type(symbol)], self._tree(left), self._tree(right)]
            case ast.Compare(left=left, ops=[symbol], comparators=[right]):
                return [SYMBOLS[type(symbol)], self._tree(left), self._tree(right)]
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return [name, *map(self._tree, arguments)]
        raise Misprint(ast.dump(node))


SYMBOLS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.LtE: "<=",
    ast.Lt: "<",
    ast.GtE: ">=",
    ast.Gt: ">",
    ast.Eq: "==",
}


def is_true(truth: Truth, left: Real, relation: str, right: Real) -> bool | None:
    """True if a claim holds; None where that stays open. ArithmeticError: a side has no value."""
    sign = order(left, right)
    if sign is None and truth.tied(left, right):
        sign = 0
    if sign is None:
        return None
    return holds(sign, relation)


def contains(text: str, number: Real) -> bool:
    """True if the numbers that a cell stands for include this one, as far as it is enclosed."""
    low, high = shown_interval(text)
    verdict = inside(low, high, number)
    if verdict is not None:
        return verdict
    pair = number(200)
    return pair is None or (pair[1] >= low and pair[0] <= high)
