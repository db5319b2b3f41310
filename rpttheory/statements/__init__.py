"""Statements about a matrix: the claim language, the table of statements, and one reader per number
type.

The text of a claim is never run as code. A tokenizer and a recursive-descent parser accept exactly
this grammar:

    claim      = expression  ("<=" | "<" | ">=" | ">" | "==")  expression
    expression = term   {("+" | "-") term}
    term       = factor {("*" | "/") factor}
    factor     = "-" factor | primary [("^" | "**") ["-"] integer]
    primary    = number | name | function "(" expression {"," expression} ")" | "(" expression ")"

`language` is the table of names and functions. Numbers are decimal and exact: 0.1 means one tenth,
not the float beside it. Length, depth and exponents are limited before anything is computed.
"""

from ..vocabulary import (
    AT_A_POINT,
    FUNCTIONS,
    NAMES,
    PER_BLOCK,
    QUANTITIES,
    language,
    words,
)
from .brackets import BracketEvaluator
from .claim import RELATIONS, Claim, Decision, Relation
from .decide import applicable_statements, decide, decide_at_effort
from .latex import latex
from .parser import MAX_DEPTH, MAX_EXPONENT, MAX_LENGTH, parse
from .quantities import Quantities
from .table import STATEMENTS, Statement, statements
from .trees import tree

__all__ = [
    "AT_A_POINT",
    "FUNCTIONS",
    "MAX_DEPTH",
    "MAX_EXPONENT",
    "MAX_LENGTH",
    "NAMES",
    "PER_BLOCK",
    "QUANTITIES",
    "RELATIONS",
    "STATEMENTS",
    "BracketEvaluator",
    "Claim",
    "Decision",
    "Quantities",
    "Relation",
    "Statement",
    "applicable_statements",
    "decide",
    "decide_at_effort",
    "language",
    "latex",
    "parse",
    "statements",
    "tree",
    "words",
]
