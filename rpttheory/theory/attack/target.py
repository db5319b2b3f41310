"""A claim to attack: on many problems in plain floats, which decide nothing, and on one in rigorous
arithmetic.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...errors import InvalidInput
from ...numbers import Bracket, Verdict
from ...numbers.exact_array import FloatArray
from ...statements import BracketEvaluator, Claim, Quantities
from ...statements.batch import Batch, ratios
from .instance import Instance
from .universe import Universe


class Sides(NamedTuple):
    """The verdict on a claim for one problem, and its two sides there."""

    verdict: Verdict
    left: Bracket
    right: Bracket


@dataclass(frozen=True)
class Attacked:
    """A claim with the problems on which it is attacked."""

    claim: Claim
    space: Universe
    conditions: tuple[Claim, ...]

    def ratios(self, stack: Batch) -> FloatArray:
        """left / right; below -1 by how far a condition fails, so that a search climbs out; -inf
        for no number.
        """
        found = ratios(self.claim, stack)
        for condition in self.conditions:
            far = ratios(condition, stack)
            strict = condition.relation in ("<", ">")
            failed = (far >= 1 - 1e-12) if strict else (far > 1 + 1e-12)
            found = np.where(failed, -far + np.minimum(found, -1.0), found)
        return np.where(np.isnan(found), -np.inf, found)

    def decide(self, instance: Instance) -> Sides:
        """Decide the claim in rigorous arithmetic, and return both sides as the user wrote them.

        UNDECIDED too where a condition is not proved, or a side has no value.
        """
        problem = instance.problem().with_effort("exact")
        try:
            values = BracketEvaluator(Quantities(problem, optimum_tol=1e-9))
            met = [values.decide(condition).verdict for condition in self.conditions]
            decision = values.decide(self.claim)
        except InvalidInput:
            return Sides(Verdict.UNDECIDED, Bracket.everything(), Bracket.everything())
        holds = all(verdict is Verdict.PROVED for verdict in met)
        return Sides(
            decision.verdict if holds else Verdict.UNDECIDED, decision.left, decision.right
        )

    @property
    def rounding(self) -> float:
        """A ratio above 1 by less than this is an error of the floats."""
        return 1e-6 if "optimum" in self.claim.names() else 1e-9

    @property
    def strict(self) -> bool:
        """Whether equality is enough to refute the claim."""
        return self.claim.relation in ("<", ">")
