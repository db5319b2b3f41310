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

from .claim import RELATIONS, Conjecture, Decision, Relation
from .expression import NAMES
from .parser import MAX_DEPTH, MAX_EXPONENT, MAX_LENGTH, parse_conjecture

__all__ = [
    "MAX_DEPTH",
    "MAX_EXPONENT",
    "MAX_LENGTH",
    "NAMES",
    "RELATIONS",
    "Conjecture",
    "Decision",
    "Relation",
    "parse_conjecture",
]
