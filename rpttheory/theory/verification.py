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
from ..search.certified import certificate
from ..search.optimal import optimal_probabilities
from . import verification_report
from .bounds import Claim, all_claims, trial_point
from .certified import STATEMENTS, tree
from .conjecture import SHARP_DIMENSION, Conjecture, Decision, parse_conjecture, quantities


@dataclass(frozen=True, eq=False, repr=False)
class Verification(Shown):
    """The claims on one problem, decided."""

    problem: Problem
    claims: tuple[Claim, ...]
    conjectures: tuple[Conjecture, ...] = ()

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

    def plot(self, ax: Any = None) -> Any:
        """Draw left / right of each claim on matplotlib axes, new ones by default, and return the axes."""
        return verification_report.plot(self, ax)

    @property
    def answer(self) -> str:
        """How many statements ended with which verdict, in a sentence that names what is not proved."""
        if self.verdict is Verdict.PROVED:
            return f"All {len(self.claims)} statements are proved on this matrix."
        named = {
            v.value: ", ".join(dict.fromkeys(c.label for c in self.claims if c.verdict is v)) or "nothing"
            for v in Verdict
        }
        proved = f"{self.count(Verdict.PROVED)} of {len(self.claims)} statements are proved"
        return f"{proved}. REFUTED: {named['REFUTED']}. UNDECIDED: {named['UNDECIDED']}."

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

    def certificate(self) -> dict[str, Any]:
        """Every claim that was decided, with all that proves it, for `rpttheory.checker`."""
        own = {f"claim:{k}": [c.relation, tree(c.left), tree(c.right)] for k, c in enumerate(self.conjectures, 1)}
        found = [(own.get(claim.label) or STATEMENTS[claim.label, claim.part], claim.verdict) for claim in self.claims]
        decided = [(stated, verdict.value) for stated, verdict in found if verdict is not Verdict.UNDECIDED]
        best = None
        if any("optimum" in claim.names() for claim in self.conjectures):
            best = optimal_probabilities(self.problem, tol=1e-9)
        return certificate(self.problem, decided, best, trial_point(self.problem.blocks.dimension))

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON-safe values, under the schema rpttheory/verify/1."""
        given = self.problem.to_dict()
        quantities = given.pop("quantities")
        return {
            "schema": "rpttheory/verify/1",
            **given,
            "claims": [claim.to_dict() for claim in self.claims],
            "counts": {verdict.value.lower(): self.count(verdict) for verdict in Verdict},
            "quantities": quantities,
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

    decided = decide(problem)
    if dimension <= SHARP_DIMENSION:
        decided = _look_again(decided, decide, problem.with_effort("sharp"))
    if dimension <= EXACT_DIMENSION:
        decided = _look_again(decided, decide, problem.with_effort("exact"))
    paper = decided[: len(decided) - len(conjectures)]
    if any(claim.verdict is Verdict.REFUTED for claim in paper) and not surely_semidefinite(problem.smoothness):
        # The statements assume L positive semidefinite, and rounding has left this L just short of it.
        decided = tuple(
            replace(c, verdict=Verdict.UNDECIDED) if i < len(paper) and c.verdict is Verdict.REFUTED else c
            for i, c in enumerate(decided)
        )
    return Verification(problem, decided, tuple(conjectures))


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
