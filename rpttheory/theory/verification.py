"""Statement by statement: which of the paper's bounds, and of the user's, hold on a given matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..certify import Verdict
from ..certify.exact import EXACT_DIMENSION
from ..problem.blocks import BlocksLike
from ..problem.problem import Problem, as_problem
from ..problem.sampling import Sampling
from ..problem.semidefinite import surely_semidefinite
from ..problem.smoothness import SmoothnessLike
from ..report import Document, Shown
from . import verification_report
from .bounds import Claim, all_claims
from .conjecture import Conjecture, Decision, parse_conjecture, quantities

# Above this dimension a second, sharper look at undecided claims takes too long to do unasked.
SHARP_DIMENSION = 1500


@dataclass(frozen=True, eq=False, repr=False)
class Verification(Shown):
    """The claims on one problem, decided."""

    problem: Problem
    claims: tuple[Claim, ...]

    def __repr__(self) -> str:
        return "<Verification: " + ", ".join(f"{self.count(v)} {v.value.lower()}" for v in Verdict) + ">"

    def document(self, title: str = "", notes: Sequence[str] = (), *, L: str = "as given") -> Document:
        """The report in lines and tables; `L` says in words what the entries of L are."""
        return verification_report.document(self, title, notes, L)

    def records(self) -> list[dict[str, Any]]:
        """One row per claim."""
        return [
            {
                "label": claim.label,
                "part": claim.part,
                "statement": claim.statement,
                "left": float(claim.left),
                "right": float(claim.right),
                "verdict": claim.verdict.value,
                "rigour": claim.rigour.name,
            }
            for claim in self.claims
        ]

    def count(self, verdict: Verdict) -> int:
        """How many claims ended with this verdict."""
        return sum(claim.verdict is verdict for claim in self.claims)

    @property
    def verdict(self) -> Verdict:
        """REFUTED if anything is, else UNDECIDED if anything is, else PROVED."""
        verdicts = {claim.verdict for claim in self.claims}
        for worst in (Verdict.REFUTED, Verdict.UNDECIDED):
            if worst in verdicts:
                return worst
        return Verdict.PROVED

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON-safe values, under the schema rpttheory/verify/1."""
        return {
            "schema": "rpttheory/verify/1",
            "dimension": self.problem.blocks.dimension,
            "blocks": list(self.problem.blocks.sizes),
            "costs": self.problem.costs.near.tolist(),
            "probabilities": self.problem.probabilities.tolist(),
            "claims": [claim.to_dict() for claim in self.claims],
            "counts": {verdict.value.lower(): self.count(verdict) for verdict in Verdict},
            "quantities": {
                name: {**value.to_dict(), "rigour": value.rigour.name}
                for name in ("lmax", "L_P", "L_M", "cost", "c_P", "closed")
                for value in [getattr(self.problem, name)]
            },
        }


def verify(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Any = None,
    *,
    probabilities: Any = None,
    sampling: Sampling | str = "nested",
    claims: str | Conjecture | Sequence[str | Conjecture] = (),
) -> Verification:
    """Decide every statement of the paper on L, and the user's own claims.

    Each undecided claim is looked at again with sharper brackets, and in exact arithmetic up to
    d = 60. What remains UNDECIDED is a tie as far as the arithmetic can tell.

    Parameters
    ----------
    L : array, sparse matrix, LinearOperator, Smoothness or Problem
        Positive semidefinite (up to rounding).
    blocks, costs, probabilities, sampling
        As for `Problem`.
    claims : str or sequence of str
        Conjectures such as "L_P <= 1.02*lmax", in the words of `rpttheory.theory.conjecture.language`.

    Examples
    --------
    >>> result = verify([[4.0, 1.0], [1.0, 2.0]], [1, 1], claims="L_P <= 1.02*lmax")
    >>> print(result.claims[-1].verdict)
    REFUTED
    """
    if isinstance(claims, (str, Conjecture)):
        claims = [claims]
    conjectures = [claim if isinstance(claim, Conjecture) else parse_conjecture(claim) for claim in claims]
    problem = as_problem(L, blocks, costs, probabilities=probabilities, sampling=sampling)
    problem.require_semidefinite()
    dimension = problem.blocks.dimension

    def decide(at: Problem) -> tuple[Claim, ...]:
        values = quantities(at, frozenset[str]().union(*(conjecture.names() for conjecture in conjectures)))
        decided = ((claim.text, claim.decide(values)) for claim in conjectures)
        return (*all_claims(at), *(_claim(number, *one) for number, one in enumerate(decided, 1)))

    def settled(claims: tuple[Claim, ...]) -> Verification:
        paper = claims[: len(claims) - len(conjectures)]
        if any(claim.verdict is Verdict.REFUTED for claim in paper) and not surely_semidefinite(problem.smoothness):
            # The statements assume L positive semidefinite, and rounding has left this L just short of it.
            claims = tuple(
                replace(c, verdict=Verdict.UNDECIDED) if i < len(paper) and c.verdict is Verdict.REFUTED else c
                for i, c in enumerate(claims)
            )
        return Verification(problem, claims)

    decided = decide(problem)
    if dimension <= SHARP_DIMENSION:
        decided = _look_again(decided, decide, problem.with_effort("sharp"))
    if dimension <= EXACT_DIMENSION:
        decided = _look_again(decided, decide, problem.with_effort("exact"))
    return settled(decided)


def _look_again(
    decided: tuple[Claim, ...], decide: Callable[[Problem], tuple[Claim, ...]], sharper: Problem
) -> tuple[Claim, ...]:
    """Decide the undecided claims with sharper brackets; decided ones stay."""
    if all(claim.verdict is not Verdict.UNDECIDED for claim in decided):
        return decided
    again = decide(sharper)
    return tuple(new if old.verdict is Verdict.UNDECIDED else old for old, new in zip(decided, again, strict=True))


def _claim(number: int, text: str, decision: Decision) -> Claim:
    return Claim(f"claim:{number}", text, text, decision.left, decision.right, decision.verdict)
