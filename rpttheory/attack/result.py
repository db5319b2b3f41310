"""The result of an attack."""

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..certificates.problem_latex import escaped, origin, setting, value
from ..certificates.writer import certificate
from ..errors import InvalidInput
from ..numbers import Bracket, Verdict
from ..report import BRIEF, Detail, as_text, number, sides
from ..statements import latex, parse, tree
from ..statements.claim import relation_in
from ..statements.numbering import NUMBERS
from .instance import Instance
from .target import Target

SCHEMA = "rpttheory/attack/3"
# A ratio above this is called an approach to equality; only a remark depends on it.
_NEARLY_EQUAL = 0.999


@dataclass(frozen=True)
class AttackResult:
    """A counterexample where the verdict is REFUTED, else the worst problem met.

    Attributes
    ----------
    name, statement : str
        The label with its part, or the claim; and what it says.
    where : tuple of str
    tight, loose : str
        What is known to attain the statement; or why nothing does. Empty for claims of the user.
    ratio : float
        How near the statement is to failing on the instance: left / right for "<=", right / left
        for ">=", above 1 where it fails. In floats: it decides nothing.
    instance : Instance
        In fractions.
    verdict : Verdict
        On the statement for this instance, with every rounding accounted for.
    left, right : Bracket
        The two sides on this instance, as the statement has them.
    evaluations, rng : int
    interrupted : bool
        True if Ctrl-C ended the search.
    out_of_time : bool
        True if the time limit ended the search, so that another run may end elsewhere.
    tried : dict
        Every part that was attacked, with the largest ratio met there.

    Examples
    --------
    >>> from rpttheory import find_counterexample
    >>> result = find_counterexample("c_closed <= 1.1*optimum", where="B = 2")
    >>> print(result.verdict, result.instance.sizes)
    REFUTED (1, 1)
    """

    name: str
    statement: str
    where: tuple[str, ...]
    tight: str
    loose: str
    ratio: float
    instance: Instance
    verdict: Verdict
    left: Bracket = field(compare=False)
    right: Bracket = field(compare=False)
    evaluations: int
    rng: int
    interrupted: bool = False
    out_of_time: bool = False
    tried: dict[str, float] = field(default_factory=dict)

    @property
    def undecided(self) -> bool:
        """True if floats say that the statement fails and rigorous arithmetic cannot tell."""
        return self.verdict is Verdict.UNDECIDED and self.ratio > 1 + 1e-6

    @property
    def unfinished(self) -> bool:
        """True if the search ended early, by Ctrl-C or the time limit, without a counterexample."""
        return self.verdict is not Verdict.REFUTED and (self.interrupted or self.out_of_time)

    @property
    def exit_code(self) -> int:
        """1 if the statement is refuted, 3 if it is undecided or the search ended early."""
        if self.verdict is Verdict.REFUTED:
            return 1
        return 3 if self.undecided or self.unfinished else 0

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        if self.verdict is Verdict.REFUTED:
            return f"REFUTED: a counterexample after {self.evaluations} problems, rng {self.rng}"
        stopped = ""
        if self.interrupted:
            stopped = ", interrupted"
        elif self.out_of_time:
            stopped = ", stopped by the time limit"
        if self.undecided:
            return f"undecided after {self.evaluations} problems{stopped}, rng {self.rng}"
        return (
            f"no counterexample in {self.evaluations} problems{stopped}; not a proof  (rng"
            f" {self.rng})"
        )

    def sides(self, digits: int) -> str:
        """Both sides on the instance, and their quotient where it has a value."""
        if not (math.isfinite(self.left.width) and math.isfinite(self.right.width)):
            return "no proved value of both sides"
        left, right = sides(self.left, self.right, digits)
        text = f"left = {left}, right = {right}"
        nonzero = self.right.exact_lower > 0 or self.right.exact_upper < 0
        return (
            f"{text}, left / right = {number(self.left / self.right, digits)}" if nonzero else text
        )

    def __str__(self) -> str:
        return as_text(self.lines())

    def lines(self, detail: Detail = BRIEF) -> list[str]:
        """Return the result for people to read."""
        head = self.name if self.name == self.statement else f"{self.name}: {self.statement}"
        in_paper = NUMBERS.get(self.name.partition("/")[0])
        head = f"{in_paper}, {head}" if in_paper else head
        conditions = f"  where {', '.join(self.where)}" if self.where else ""
        lines = [head + conditions, f"  {self.headline}"]
        if self.verdict is Verdict.REFUTED:
            lines.append(f"  it has {self.sides(detail.digits)}:")
        else:
            remark = "; the sides are nearly equal" if self.ratio > _NEARLY_EQUAL else ""
            if self.left.exact is not None and self.left.exact == self.right.exact:
                remark = "; the sides are equal"
            lines.append(
                f"  closest to failing, {self.verdict} for this problem alone:"
                f" {self.sides(detail.digits)}{remark}"
            )
        lines += [f"    {line}" for line in self.instance.lines()]
        if self.tight:
            lines.append(f"  known to be tight: {self.tight}")
        if self.loose:
            lines.append(f"  not known to be tight: {self.loose}")
        if len(self.tried) > 1 or detail.verbose:
            lines += [
                f"  tried {name}: largest ratio {ratio:.{detail.digits}g} in floats"
                for name, ratio in self.tried.items()
            ]
        return lines

    def latex(self) -> str:
        """Return the instance, the statement with both sides there, and the origin as LaTeX."""
        problem = self.instance.problem()
        certify = None
        try:
            claim = parse(self.statement)
            quoted = rf"\[ {latex(claim)} \]"
            proved = self.verdict is not Verdict.UNDECIDED and self.instance.x is None
            if proved and "optimum" not in claim.names():
                certify = partial(certificate, problem, [(tree(claim), self.verdict.value)])
        except InvalidInput:  # a statement about functions and iterates is text
            quoted = rf"\begin{{quote}}\ttfamily {escaped(self.statement)}\end{{quote}}"
        where = "there" if self.verdict is Verdict.REFUTED else "for this problem"
        sides = f"${value(self.left)}$ and ${value(self.right)}$"
        lines = [setting(problem), quoted]
        lines.append(f"is {self.verdict.value.lower()} {where}: its sides are {sides}.")
        return "\n".join([*lines, origin(problem, certify)])

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe values."""
        as_text = {
            "number": NUMBERS.get(self.name.partition("/")[0]),
            "relation": relation_in(self.statement),
            "where": list(self.where),
            "status": (
                "interrupted"
                if self.interrupted
                else "time limit"
                if self.out_of_time
                else "finished"
            ),
            "instance": self.instance.to_dict(),
            "verdict": self.verdict.value,
            "left": self.left.to_dict(),
            "right": self.right.to_dict(),
        }
        return {"schema": SCHEMA, **vars(self), **as_text}


def result_on(target: Target, instance: Instance, **search: Any) -> AttackResult:
    """Return the result on an instance: ratio, verdict and sides come from the instance alone."""
    decision = target.decide(instance)
    statement = target.statement
    return AttackResult(
        target.name,
        statement.text,
        target.where,
        getattr(statement, "tight", ""),
        getattr(statement, "loose", ""),
        float(target.ratios(instance.floats())[0]),
        instance,
        decision.verdict,
        decision.left,
        decision.right,
        **search,
    )
