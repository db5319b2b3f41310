"""`verify`: which of the paper's statements, and of the user's claims, hold on a given matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from ..numbers import Verdict
from ..numbers.exact_array import Numbers
from ..problem.blocks import BlocksLike
from ..problem.problem import Problem, as_problem
from ..problem.sampling import Sampling
from ..problem.semidefinite import surely_semidefinite
from ..problem.smoothness import SmoothnessLike
from ..report import BRIEF, Detail, Document, Report
from ..search.optimal import optimal_probabilities
from . import verification_report
from .at_point import trial_point
from .claim import Claim, Decision, relation_in
from .decide import applicable_statements, decide
from .latex import RELATION_SYMBOLS, latex
from .numbering import NUMBERS
from .parser import parse
from .table import Statement, statements
from .trees import tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Verification(Report):
    """The claims on one problem, decided.

    Attributes
    ----------
    problem : Problem
    claims : tuple of Decision
        The statements of the paper, then the claims of the user.
    user_claims : tuple of Claim

    Examples
    --------
    >>> result = verify([[4.0, 1.0], [1.0, 2.0]], [1, 1])
    >>> print(result.verdict, result.count(Verdict.UNDECIDED))
    PROVED 0
    """

    problem: Problem
    claims: tuple[Decision, ...]
    user_claims: tuple[Claim, ...] = ()

    def __repr__(self) -> str:
        return (
            "<Verification: "
            + ", ".join(f"{self.count(v)} {v.value.lower()}" for v in Verdict)
            + ">"
        )

    def render(
        self,
        title: str = "",
        notes: Sequence[str] = (),
        detail: Detail = BRIEF,
        *,
        L: str = "as given",
    ) -> Document:
        """Return the report in lines and tables; `L` says in words what the entries of L are."""
        return verification_report.document(self, title, notes, detail, L)

    def records(self) -> list[dict[str, Any]]:
        """Return one row per claim."""
        return [
            {**claim.to_dict(), "left": float(claim.left), "right": float(claim.right)}
            for claim in self.claims
        ]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw left / right of each claim on the current axes, or on `ax`; return the axes."""
        return verification_report.plot(self, ax)

    @property
    def answer(self) -> str:
        """One sentence with the number of proved statements and the labels of the others."""
        if self.verdict is Verdict.PROVED:
            return (
                f"All {len(self.claims)} statements are proved on this matrix; those about a point"
                " x are proved at one test vector."
            )
        named = {
            v.value: ", ".join(dict.fromkeys(c.label for c in self.claims if c.verdict is v))
            or "nothing"
            for v in Verdict
        }
        proved = f"{self.count(Verdict.PROVED)} of {len(self.claims)} statements are proved"
        return f"{proved}. REFUTED: {named['REFUTED']}. UNDECIDED: {named['UNDECIDED']}."

    def count(self, verdict: Verdict) -> int:
        """Return the number of claims with this verdict."""
        return sum(claim.verdict is verdict for claim in self.claims)

    @property
    def verdict(self) -> Verdict:
        """REFUTED if anything is, else UNDECIDED if anything is, else PROVED."""
        verdicts = {claim.verdict for claim in self.claims}
        worst_first = (Verdict.REFUTED, Verdict.UNDECIDED)
        return next((worst for worst in worst_first if worst in verdicts), Verdict.PROVED)

    @property
    def exit_code(self) -> int:
        """0 if everything is proved, 1 if something is refuted, else 3."""
        return {Verdict.PROVED: 0, Verdict.REFUTED: 1, Verdict.UNDECIDED: 3}[self.verdict]

    def latex(self) -> str:
        """Return the problem, every statement with both sides, and the origin as LaTeX."""
        from ..certificates.problem_latex import escaped, origin, setting, value

        rows = []
        for claim in self.claims:
            relation = RELATION_SYMBOLS[relation_in(claim.statement)]
            if claim.verdict is not Verdict.PROVED:
                refuted = claim.verdict is Verdict.REFUTED
                relation = rf"\not{relation}" if refuted else r"\text{ and }"
            sides = f"{value(claim.left)} {relation} {value(claim.right)}"
            source = escaped(NUMBERS.get(claim.label, claim.label))
            verdict = claim.verdict.value.lower()
            statement = latex(self._written_and_stated(claim)[0])
            rows.append(rf"{statement} && {sides} && \text{{{source}: {verdict}}}")
        body = " \\\\\n".join(rows)
        align = f"\\begin{{align*}}\n{body}\n\\end{{align*}}"
        return f"{setting(self.problem)}\n{align}\n{origin(self.problem, self.certificate)}"

    def certificate(self) -> dict[str, Any]:
        """Return a certificate of every decided claim, for `rpttheory check`."""
        from ..certificates.writer import certificate

        # Several statements may be stated by one claim that implies them.
        decided = {
            self._written_and_stated(decision)[1]: decision.verdict.value
            for decision in self.claims
            if decision.verdict is not Verdict.UNDECIDED
        }
        claims = [(tree(claim), verdict) for claim, verdict in decided.items()]
        best = None
        if any("optimum" in claim.names() for claim in self.user_claims):
            best = optimal_probabilities(self.problem, tol=1e-9)
        return certificate(self.problem, claims, best, trial_point(self.problem.blocks.dimension))

    def _written_and_stated(self, decision: Decision) -> tuple[Claim, Claim]:
        """Return the claim as it is written, and the one that decides it in a certificate."""
        label, _, number = decision.label.partition(":")
        if label == "claim":
            claim = self.user_claims[int(number) - 1]
            return claim, claim
        (statement,) = (s for s in statements(decision.label) if s.part == decision.part)
        return statement.claim, statement.deciding_claim

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-safe values, under the schema rpttheory/verify/1."""
        problem = self.problem.to_dict()
        quantities = problem.pop("quantities")
        return {
            "schema": "rpttheory/verify/1",
            **problem,
            "claims": [claim.to_dict() for claim in self.claims],
            "counts": {verdict.value.lower(): self.count(verdict) for verdict in Verdict},
            "quantities": quantities,
        }


def verify(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Numbers | None = None,
    *,
    probabilities: Numbers | None = None,
    sampling: Sampling | str = "nested",
    claims: str | Claim | Sequence[str | Claim] = (),
) -> Verification:
    """Decide the paper's statements about a matrix on L, and claims of the user.

    Statements about a point x, those with `g` and `xLx`, are decided at one test vector. Each
    undecided claim is decided again with sharper brackets up to d = 1500, and in exact arithmetic
    up to d = 60.

    Parameters
    ----------
    L : array, sparse matrix, LinearOperator, Smoothness or Problem
        Positive semidefinite (up to rounding).
    blocks, costs, probabilities, sampling
        As for `Problem`.
    claims : str or sequence of str
        Claims such as "L_P <= 1.02*lmax", in the words of `rpttheory.statements.language`.

    Returns
    -------
    Verification

    Examples
    --------
    >>> result = verify([[4.0, 1.0], [1.0, 2.0]], [1, 1], claims="L_P <= 1.02*lmax")
    >>> print(result.claims[-1].verdict)
    REFUTED
    """
    if isinstance(claims, (str, Claim)):
        claims = [claims]
    user_claims = [claim if isinstance(claim, Claim) else parse(claim) for claim in claims]
    problem = as_problem(L, blocks, costs, probabilities=probabilities, sampling=sampling)
    if not problem.plain:
        raise InvalidInput(
            "the statements are about problems without overhead and forced order",
            "an overhead" if problem.overhead else "an order",
            "neither",
        )
    problem.require_semidefinite()
    paper: list[Claim | Statement] = [*applicable_statements(problem)]
    decisions = decide([*paper, *user_claims], problem)
    about_paper = decisions[: len(paper)]
    is_refuted = any(decision.verdict is Verdict.REFUTED for decision in about_paper)
    if is_refuted and not surely_semidefinite(problem.smoothness):
        # The statements assume L positive semidefinite; rounding has left this L just short of it.
        about_paper = tuple(
            replace(decision, verdict=Verdict.UNDECIDED)
            if decision.verdict is Verdict.REFUTED
            else decision
            for decision in about_paper
        )
    about_user = [
        replace(decision, label=f"claim:{number}")
        for number, decision in enumerate(decisions[len(paper) :], 1)
    ]
    return Verification(problem, (*about_paper, *about_user), tuple(user_claims))
