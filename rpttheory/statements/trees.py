"""Claims as nested lists, as a certificate states them (see `certificates/checker.py`)."""

from typing import TypeAlias

from .claim import Claim
from .expression import Call, Evaluator, Expression, Name, Number, Power

Tree: TypeAlias = "str | list[Tree]"


class TreeWriter(Evaluator[Tree]):
    """Writes an expression as nested lists: `["/", "lmax", ["min", "p"]]`."""

    def number(self, node: Number) -> Tree:
        """Return the fraction as text."""
        return str(node.value)

    def name(self, node: Name) -> Tree:
        """Return the name."""
        return node.name

    def power(self, node: Power, base: Tree) -> Tree:
        """Return a power; one over it where the exponent is negative."""
        exponent = abs(node.exponent)
        power = base if exponent == 1 else ["**", base, str(exponent)]
        return power if node.exponent >= 0 else ["/", "1", power]

    def call(self, node: Call, arguments: list[Tree]) -> Tree:
        """Return the function with its arguments."""
        return [node.function, *arguments]

    def combine(self, symbol: str, left: Tree, right: Tree, operand: Expression) -> Tree:
        """Return the operation with its operands."""
        return [symbol, left, right]


def tree(claim: Claim) -> Tree:
    """Return a claim as nested lists.

    Parameters
    ----------
    claim : Claim

    Returns
    -------
    list
        Of names, numbers as text, and such lists.

    Examples
    --------
    >>> from rpttheory.statements import parse
    >>> tree(parse("L_P <= lmax / min(p)"))
    ['<=', 'L_P', ['/', 'lmax', ['min', 'p']]]
    """
    writer = TreeWriter()
    return [claim.relation, writer.evaluate(claim.left), writer.evaluate(claim.right)]
