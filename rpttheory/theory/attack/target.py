"""A claim with the problems on which it is attacked: in floats for the search, in rigorous arithmetic for the end."""

from dataclasses import dataclass

import numpy as np

from ...certify import Verdict
from ...errors import InvalidInput
from ...reals import FloatArray
from ..conjecture import Conjecture, quantities
from . import floats
from .instance import Instance
from .stack import Stack
from .universe import Universe


@dataclass(frozen=True)
class Attacked:
    """A claim with the problems on which it is attacked."""

    claim: Conjecture
    space: Universe
    conditions: tuple[Conjecture, ...]

    def ratios(self, stack: Stack) -> FloatArray:
        """left / right; below -1 by how far a condition fails, so that a search climbs out; -inf for no number."""
        found = floats.ratios(self.claim, stack)
        for condition in self.conditions:
            far = floats.ratios(condition, stack)
            strict = condition.relation in ("<", ">")
            failed = (far >= 1 - 1e-12) if strict else (far > 1 + 1e-12)
            found = np.where(failed, -far + np.minimum(found, -1.0), found)
        return np.where(np.isnan(found), -np.inf, found)

    def decide(self, instance: Instance) -> Verdict:
        """The verdict in rigorous arithmetic; UNDECIDED too where a condition is not proved, or a side has no value."""
        problem = instance.problem().with_effort("exact")
        every = (*self.conditions, self.claim)
        try:
            values = quantities(problem, frozenset[str]().union(*(one.names() for one in every)))
            *met, verdict = (one.decide(values).verdict for one in every)
        except InvalidInput:
            return Verdict.UNDECIDED
        return verdict if all(one is Verdict.PROVED for one in met) else Verdict.UNDECIDED

    @property
    def rounding(self) -> float:
        """A ratio above 1 by less than this is an error of the floats."""
        return 1e-6 if "optimum" in self.claim.names() else 1e-9

    @property
    def strict(self) -> bool:
        """Whether equality is enough to refute the claim."""
        return self.claim.relation in ("<", ">")
