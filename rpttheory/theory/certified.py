"""The statements of `verify` as trees over the quantities that `rpttheory.checker` knows."""

from typing import Any

from ..checker import CAUCHY_SCHWARZ
from .conjecture.expression import Call, Chain, Expression, Name, Negative, Number, Power

_BY_OUTCOMES = ["sum", ["/", ["*", "q", "g"], ["*", "p", "p"]]]
_GRADIENT, _VALUE = ["sum", ["/", "g", "p"]], ["*", "L_P", "xLx"]
# The printed statement of each part; g holds ||(Lx)_k||^2 and q the probabilities summed over outcomes.
STATEMENTS: dict[tuple[str, str], Any] = {
    ("lem:key_quantity", "left"): ["<=", "L_M", "L_P"],
    ("lem:key_quantity", "right"): ["<=", "L_P", ["/", "lmax", "pmin"]],
    ("lem:generalizedSmoothness", ""): ["<=", _GRADIENT, _VALUE],
    ("lem:secondMoment", "equality"): ["==", _BY_OUTCOMES, _GRADIENT],
    ("lem:secondMoment", "upper"): ["<=", _BY_OUTCOMES, _VALUE],
    ("text:expectedCost", ""): ["==", ["sum", ["*", "q", "c"]], "cost"],
    ("lem:twoBounds", "lower"): ["<=", "maxL", "lmax"],
    ("lem:twoBounds", "upper"): ["<=", "lmax", "sumL"],
    ("lem:upperBound", "product"): ["<=", "c_P", ["*", ["sum", ["/", "L", "p"]], "cost"]],
    ("lem:upperBound", "minimum"): CAUCHY_SCHWARZ,
    ("text:corollary", ""): ["<=", ["min", "c_closed", "gd"], ["min", "gd", "closed"]],
    ("our:sandwich", "lower"): ["<=", "sumcL", "c_P"],
    ("our:sandwich", "upper"): ["<=", "closed", ["*", "B", "sumcL"]],
}


def tree(node: Expression) -> Any:
    """A parsed expression as nested lists."""
    match node:
        case Number():
            return str(node.value)
        case Name():
            return node.name
        case Negative():
            return ["-", "0", tree(node.of)]
        case Power():
            size = ["**", tree(node.of), str(abs(node.exponent))] if abs(node.exponent) != 1 else tree(node.of)
            return size if node.exponent >= 0 else ["/", "1", size]
        case Call():
            return [node.function, *map(tree, node.arguments)]
        case Chain():
            total = tree(node.first)
            for symbol, operand in node.rest:
                total = [symbol, total, tree(operand)]
            return total
    raise AssertionError(node)
