"""A person's own claim about a matrix, such as `L_P <= 1.02*lmax`: parsed, then decided in interval arithmetic.

The text is never run as code. A tokenizer and a recursive-descent parser accept exactly this grammar:

    claim      = expression  ("<=" | "<" | ">=" | ">" | "==")  expression
    expression = term   {("+" | "-") term}
    term       = factor {("*" | "/") factor}
    factor     = "-" factor | primary [("^" | "**") ["-"] integer]
    primary    = number | name | function "(" expression {"," expression} ")" | "(" expression ")"

`language` is the table of names and functions, which the help of the commands and the pages show as well.
Numbers are decimal and exact: 0.1 means one tenth, not the float beside it. Sums and products are kept flat, so that
only parentheses, functions and signs nest; their depth, the length of the text and the exponents are limited before
anything is computed.
"""

from .claim import RELATIONS, Conjecture, Decision, Relation
from .expression import FUNCTIONS, NAMES, PER_BLOCK, QUANTITIES, language, words
from .parser import MAX_DEPTH, MAX_EXPONENT, MAX_LENGTH, parse_conjecture
from .quantities import SHARP_DIMENSION, decided, quantities

__all__ = [
    "FUNCTIONS",
    "MAX_DEPTH",
    "MAX_EXPONENT",
    "MAX_LENGTH",
    "NAMES",
    "PER_BLOCK",
    "QUANTITIES",
    "RELATIONS",
    "SHARP_DIMENSION",
    "Conjecture",
    "Decision",
    "Relation",
    "decided",
    "language",
    "parse_conjecture",
    "quantities",
    "words",
]
