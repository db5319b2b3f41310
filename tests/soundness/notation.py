"""Numbers as a person writes them, as Python source or as text; and what they mean, as
fractions.
"""

import random
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from .reals import Rows


def exact(number: Any) -> Fraction:
    """The value of a number that someone wrote."""
    if isinstance(number, np.longdouble):
        return Fraction(*number.as_integer_ratio())
    if isinstance(number, np.generic):
        number = number.item()
    if isinstance(number, complex):
        number = number.real
    return Fraction(number)


def exact_vector(values: Any) -> list[Fraction]:
    return [exact(value) for value in values]


def exact_matrix(matrix: Any) -> Rows:
    """The entries of an array, of rows of numbers, or of a scipy matrix with duplicates added
    up.
    """
    if not sp.issparse(matrix):
        return [exact_vector(row) for row in matrix]
    rows = [[Fraction(0)] * matrix.shape[1] for _ in range(matrix.shape[0])]
    entries = matrix.tocoo()
    for i, j, value in zip(entries.row, entries.col, entries.data, strict=True):
        rows[i][j] += exact(value)
    return rows


NUMBERS = ("float", "fraction", "decimal", "int", "longdouble", "text", "complex")


def decimal_text(rng: random.Random, value: Fraction) -> str:
    """The value in some decimal digits, written in one of several ways."""
    digits = rng.choice((1, 2, 3, 8, 15, 17, 18, 25, 40))
    rounded = Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator))
    text = rng.choice((str, lambda x: f"{x:e}", lambda x: f"{x:f}"))(rounded)
    if len(text) > 60:
        text = str(rounded)
    return text[1:] if text.startswith("0.") and rng.random() < 0.1 else text


def token(rng: random.Random, value: Fraction, kind: str) -> str:
    """Python source of a number near the value."""
    if kind == "float":
        return repr(nearest_float(value))
    if kind == "longdouble":
        quotient = np.longdouble(
            str(Context(prec=30).divide(Decimal(value.numerator), Decimal(value.denominator)))
        )
        return f"np.longdouble({str(quotient)!r})"
    if kind == "fraction":
        if value.numerator.bit_length() + value.denominator.bit_length() > 200:
            value = Fraction(nearest_float(value))
        return f"Fraction({value.numerator}, {value.denominator})"
    if kind == "int":
        return repr(round(value))
    if kind == "complex":
        return f"{nearest_float(value)!r}+0j"
    text = decimal_text(rng, value)
    return f"Decimal({text!r})" if kind == "decimal" else repr(text)


def nearest_float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return 1.7e308 if value > 0 else -1.7e308


def vector(
    rng: random.Random, values: Sequence[Fraction], kinds: Sequence[str] | None = None
) -> str:
    """Python source of a list, tuple or array of numbers near the values."""
    kind = rng.choice(
        kinds
        or (*["float"] * 4, "fraction", "fraction", "decimal", "decimal", "mixed", *NUMBERS[3:])
    )
    if kind == "int" and not all(value == round(value) for value in values):
        kind = "decimal"
    mixture = (
        "float",
        "fraction",
        "decimal",
        "int" if all(v == round(v) for v in values) else "float",
    )
    items = [
        token(rng, value, rng.choice(mixture) if kind == "mixed" else kind) for value in values
    ]
    inner = "[" + ", ".join(items) + "]"
    plain = [inner, f"({inner[1:-1]},)"]
    if kind in ("float", "longdouble", "complex"):
        plain += [f"np.array({inner})"] * 2
    if kind in ("fraction", "decimal", "mixed"):
        plain += [f"np.array({inner}, dtype=object)"]
    if kind == "int" and all(-(2**63) <= value < 2**63 for value in values):
        plain += [f"np.array({inner}, dtype=np.int64)"]
    return rng.choice(plain)
