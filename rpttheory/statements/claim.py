"""A claim `left relation right` in the claim language, and what is decided about it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from ..numbers import Bracket, Rigor, Verdict
from .expression import Expression, names_in
from .numbering import NUMBERS

RELATIONS = ("<=", "<", ">=", ">", "==")
Relation = Literal["<=", "<", ">=", ">", "=="]


@dataclass(frozen=True)
class Claim:
    """A parsed claim `left relation right`; `parse` makes one. Its text plays no part in equality.

    Attributes
    ----------
    text : str
        As written by the user.
    left, right : Expression
    relation : {"<=", "<", ">=", ">", "=="}

    Examples
    --------
    >>> from rpttheory.statements import parse
    >>> sorted(parse("lmax/3 + 0.1 < sqrt(d)").names())
    ['d', 'lmax']
    """

    text: str = field(compare=False)
    left: Expression
    relation: Relation
    right: Expression

    def __str__(self) -> str:
        return self.text

    def names(self) -> frozenset[str]:
        """Return the quantities that the claim names."""
        return names_in(self.left) | names_in(self.right)


def relation_in(statement: str) -> str:
    """Return the relation of a statement: the first one in its text.

    Examples
    --------
    >>> relation_in("E f(x_T) - f* <= c, T >= 1")
    '<='
    """
    match = re.search("[<>=]=|[<>]", statement)
    return match[0] if match else ""


@dataclass(frozen=True)
class Decision:
    """Both sides of a claim as brackets, in the order written, and the verdict that follows from
    them.

    Attributes
    ----------
    label, part : str
        The statement's label in the paper and which of its inequalities this is; "claim:1" and so
        on for claims of the user.
    statement : str
        The claim as text.
    left, right : Bracket
    verdict : Verdict

    Examples
    --------
    >>> from rpttheory import verify
    >>> decision = verify([[4.0, 1.0], [1.0, 2.0]], [1, 1]).claims[0]
    >>> print(decision.label, decision.statement, decision.verdict)
    lem:key_quantity L_M <= L_P PROVED
    """

    label: str
    part: str
    statement: str
    left: Bracket
    right: Bracket
    verdict: Verdict

    def __str__(self) -> str:
        sides = f"{self.left} and {self.right}"
        return f"{self.label}: {self.statement}: {self.verdict}, {sides}"

    def __repr__(self) -> str:
        return f"<Decision {self}>"

    @property
    def rigor(self) -> Rigor:
        """The weaker rigor of the two sides."""
        return min(self.left.rigor, self.right.rigor)

    @property
    def can_improve(self) -> bool:
        """True if sharper brackets may decide the claim."""
        return self.verdict is Verdict.UNDECIDED and self.rigor is not Rigor.NUMERICAL

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe values."""
        return {
            "label": self.label,
            "number": NUMBERS.get(self.label),
            "part": self.part,
            "statement": self.statement,
            "relation": relation_in(self.statement),
            "left": self.left.to_dict(),
            "right": self.right.to_dict(),
            "verdict": self.verdict.value,
            "rigor": self.rigor.name,
        }
