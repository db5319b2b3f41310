"""A statement to attack: on many problems in plain floats, which decide nothing, and on one in
rigorous arithmetic.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import InvalidInput
from ..numbers import Bracket, Verdict
from ..numbers.exact_array import FloatArray
from ..statements import RELATIONS, STATEMENTS, Claim, Decision, Statement, decide_at_effort, parse
from ..statements.batch import Batch, ratios
from ..statements.numbering import as_label
from ..statements.runs import RUN_STATEMENTS
from ..statements.table import COMPUTED_STATEMENTS, ComputedStatement
from .instance import Instance
from .space import ProblemSpace, space_of
from .where import separated, setting

# Below it, the numbers of a statement about iterates are too far apart for simple fractions.
_LEAST_PROBABILITY = 2.0**-10
# Sides below this are rounding errors, and their ratio says nothing. Chosen by hand.
_NOTHING = 1e-9
# With one block every formula of the table is an equality.
_SEVERAL_BLOCKS = "B >= 2"
# Proofs of ours that repair the paper's: the statement attacked is the same. The last two say more.
_SAME = {
    "our:keyQuantity": "lem:key_quantity/left",
    "our:generalizedSmoothness": "lem:generalizedSmoothness",
    "our:stronglyConvex": "thm:rcdStronglyConvex",
    "our:twoBounds": "lem:twoBounds/upper",
    "prop:reachable_upper_bound": "lem:twoBounds/upper",
    "our:tightness": "lem:twoBounds/upper",
    "our:polyakLojasiewicz": "our:functionValues",
    "our:proximal": "thm:rcdStronglyConvex",
}

AnyStatement = Claim | Statement | ComputedStatement

# Every statement that has a label and is attacked. Inequalities that name g are attacked with
# functions instead, and the optimum through its dual points.
LABELED: tuple[Statement | ComputedStatement, ...] = (
    *(
        statement
        for statement in STATEMENTS
        if statement.claim.relation == "==" or not statement.claim.names() & {"g", "optimum"}
    ),
    *COMPUTED_STATEMENTS,
    *RUN_STATEMENTS,
)


@dataclass(frozen=True)
class Target:
    """A statement with the problems on which it is attacked.

    Attributes
    ----------
    name : str
        The label with its part, or the text of a claim.
    conditions : tuple of Claim
        Those that are tried rather than built into the space.
    where : tuple of str
        Conditions of the user.
    """

    name: str
    statement: AnyStatement
    space: ProblemSpace
    conditions: tuple[Claim, ...] = ()
    where: tuple[str, ...] = ()

    @property
    def claim(self) -> Claim | None:
        """The formula, where there is one."""
        return self.statement if isinstance(self.statement, Claim) else self.statement.claim

    @property
    def names_optimum(self) -> bool:
        """True if the statement names the optimum, each value of which is a search."""
        return self.claim is not None and "optimum" in self.claim.names()

    @property
    def rounding(self) -> float:
        """A ratio above 1 by less than this is an error of the floats."""
        return 1e-6 if self.names_optimum else 1e-9

    @property
    def strict(self) -> bool:
        """True if equality is enough to refute the statement."""
        return self.claim is not None and self.claim.relation in ("<", ">")

    def ratios(self, batch: Batch) -> FloatArray:
        """Return left / right for each problem, and -inf where a side is not a number.

        Below -1 by how far a condition fails, so that a search climbs out.
        """
        if isinstance(self.statement, ComputedStatement):
            with np.errstate(all="ignore"):
                left, right = self.statement.sides(batch)
                values = left / np.maximum(right, _NOTHING)
            usable = np.isfinite(left) & np.isfinite(right)
            usable &= (batch.p >= _LEAST_PROBABILITY).all(axis=1)
            return np.where(usable, values, -np.inf)
        assert self.claim is not None
        values = ratios(self.claim, batch)
        for condition in self.conditions:
            excess = ratios(condition, batch)
            strict = condition.relation in ("<", ">")
            failed = (excess >= 1 - 1e-12) if strict else (excess > 1 + 1e-12)
            values = np.where(failed, -excess + np.minimum(values, -1.0), values)
        return np.where(np.isnan(values), -np.inf, values)

    def decide(self, instance: Instance) -> Decision:
        """Decide the statement in rigorous arithmetic, with both sides as the user wrote them.

        UNDECIDED too where a condition is not proved, or a side has no value.
        """
        statement = self.statement
        if isinstance(statement, ComputedStatement):
            left, right = statement.brackets(instance.exact)
            return Decision(
                statement.label, statement.part, statement.text, left, right, left <= right
            )
        batch = instance.exact
        x = None if batch.x is None else batch.point[0]
        try:
            decision, *conditions = decide_at_effort(
                [statement, *self.conditions], batch.problem, x=x, optimum_tol=1e-9
            )
        except InvalidInput:
            unknown = (Bracket.everything(),) * 2
            return Decision("", "", self.name, *unknown, Verdict.UNDECIDED)
        if all(condition.verdict is Verdict.PROVED for condition in conditions):
            return decision
        return replace(decision, verdict=Verdict.UNDECIDED)


def targets(statement: str | AnyStatement, where: str | Sequence[str] = ()) -> tuple[Target, ...]:
    """Return what is attacked under a label, a label with a part, or a claim.

    Raises `InvalidInput` with the nearest labels where there is none, and where conditions
    contradict each other.
    """
    conditions = separated(where)
    if not isinstance(statement, str):
        return (_target(statement, conditions),)
    if any(relation in statement for relation in (*RELATIONS, "=")):
        return (_target(parse(statement), conditions),)
    label = as_label(statement)
    label = _SAME.get(label, label)
    labeled = [s for s in LABELED if label in (s.label, s.name)]
    if not labeled:
        names = sorted({name for s in LABELED for name in (s.label, s.name)})
        nearest = difflib.get_close_matches(label, names, n=3, cutoff=0.4) or names[:3]
        raise InvalidInput("no statement has this label", repr(label), ", ".join(nearest))
    return tuple(_target(statement, conditions) for statement in labeled)


def _target(statement: AnyStatement, where: tuple[str, ...]) -> Target:
    if isinstance(statement, ComputedStatement):
        if where:
            raise InvalidInput(
                f"cannot be combined with {statement.name}, which is no formula",
                ", ".join(where),
                "no conditions",
                argument="where",
            )
        return Target(statement.name, statement, space_of(statement))
    if isinstance(statement, Claim):
        name, claim, conditions = statement.text, statement, where
    else:
        name, claim, conditions = statement.name, statement.claim, where or (_SEVERAL_BLOCKS,)
        if statement.sampling:
            conditions = (*conditions, f"sampling = {statement.sampling}")
    return Target(name, statement, *setting(claim, conditions), where)
