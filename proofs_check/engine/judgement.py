"""From findings to statuses: what the checks of a claim amount to."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..formal import Formality, Theorems
from .entry import Check, Entry, Evidence, Finding, Kind, Status, Step, Weight, colored
from .lines import is_printed, objections


@dataclass(frozen=True)
class Outcome:
    """What one check found; `error` is the message of a crash, `finding` then None."""

    evidence: Evidence
    finding: Finding | None
    error: str = ""

    @property
    def status(self) -> Status:
        """The outcome as a status of its own."""
        if self.finding is None:
            return Status.ERROR
        if self.finding.holds is None:
            return Status.UNDECIDED
        if not self.finding.holds:
            return Status.REFUTED
        if not self.finding.general or self.evidence < Evidence.EXACT:
            return Status.SUPPORTED
        hollow = self.evidence is Evidence.SYMBOLIC and self.finding.weight in (
            None,
            Weight.DEFINITIONAL,
        )
        return Status.DEFINITIONAL if hollow else Status.VERIFIED

    @property
    def how(self) -> str:
        """The evidence, with the weight of a symbolic check."""
        weight = None if self.finding is None else self.finding.weight
        return str(self.evidence) if weight is None else f"{self.evidence} ({weight})"

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        found = self.finding
        return {
            "evidence": str(self.evidence),
            "status": self.status.value,
            "scope": "" if found is None else found.scope,
            "weight": None if found is None or found.weight is None else found.weight.value,
            "formulas": [] if found is None else list(found.formulas),
            "witness": "" if found is None else found.witness,
            "error": self.error,
        }


@dataclass(frozen=True)
class StepJudgement:
    """A step with what its checks found."""

    step: Step
    printed: Outcome
    mended: Outcome | None

    @property
    def status(self) -> Status:
        """Of the mended line where the printed one fails: CORRECTED, unless only a typo or the like
        was mended.
        """
        if self.printed.status is not Status.REFUTED or self.mended is None:
            return self.printed.status
        mended = self.mended.status
        if mended in (Status.VERIFIED, Status.DEFINITIONAL):
            return Status.CORRECTED if colored(self.step.mends) else mended
        return Status.REFUTED if mended is Status.SUPPORTED else mended

    @property
    def expected(self) -> bool:
        """Whether the status is the recorded one; whether a step is definitional is computed, never
        recorded.
        """
        found = Status.VERIFIED if self.status is Status.DEFINITIONAL else self.status
        return found is self.step.expected

    @property
    def last(self) -> Outcome:
        """Of the line that the proof goes on with."""
        return self.printed if self.mended is None else self.mended


@dataclass(frozen=True)
class Judgement:
    """A claim with what its checks found.

    Attributes
    ----------
    statement : Status
        With what the formal proof adds, if it was compiled.
    checked : Status
        Of the statement, by the checks alone: what is recorded is this.
    evidence : Evidence or None
        The formal proof, or the strongest check of the statement itself among those that its status
        rests on.
    by_steps : bool
        Whether the steps of a proof bear the status, rather than the checks of the statement alone.
    whole : bool
        Whether the statement and everything it rests on are verified, argued or corrected (or
        define something).
    """

    claim: Entry
    checks: tuple[Outcome, ...]
    corrected: tuple[Outcome, ...]
    steps: tuple[StepJudgement, ...]
    statement: Status
    checked: Status
    proof: Status
    evidence: Evidence | None
    by_steps: bool
    whole: bool
    formal: Theorems | None = None

    @property
    def statuses(self) -> list[tuple[Status, Status]]:
        """What is recorded and what was found: of the statement, of the proof and of each step that
        differs.
        """
        whole = [(self.claim.statement, self.checked), (self.claim.proof, self.proof)]
        return [
            *whole,
            *(
                (judged.step.expected, judged.status)
                for judged in self.steps
                if not judged.expected
            ),
        ]

    @property
    def expected(self) -> bool:
        """Whether every status is the one recorded for it, and the theorems and lines are."""
        as_recorded = all(recorded is found for recorded, found in self.statuses)
        return as_recorded and not broken(self.formal) and not self.untied

    @cached_property
    def untied(self) -> list[str]:
        """What breaks the tie between the printed lines and their checks."""
        return objections(self.claim)

    @property
    def outcomes(self) -> list[Outcome]:
        """All outcomes, of the statement first."""
        of_steps = [
            o for judged in self.steps for o in (judged.printed, judged.mended) if o is not None
        ]
        return [*self.checks, *self.corrected, *of_steps]

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            **self.claim.to_dict(),
            "statement_status": self.statement.value,
            "checked_status": self.checked.value,
            "proof_status": self.proof.value,
            "whole": self.whole,
            "as_recorded": self.expected,
            "printed": is_printed(self.claim, 0),
            "evidence": None if self.evidence is None else str(self.evidence),
            "by_steps": self.by_steps,
            "formal": None if self.formal is None else self.formal.to_dict(),
            "checks": [outcome.to_dict() for outcome in self.checks],
            "corrected_checks": [outcome.to_dict() for outcome in self.corrected],
            "steps": [
                {
                    "latex": judged.step.latex,
                    "text": judged.step.text,
                    "status": judged.status.value,
                    "recorded": judged.step.expected.value,
                    "printed_in_the_paper": is_printed(self.claim, number),
                    "correction": judged.step.correction,
                    "mends": [erratum.severity.value for erratum in judged.step.mends],
                    "printed": judged.printed.to_dict(),
                    "mended": None if judged.mended is None else judged.mended.to_dict(),
                }
                for number, judged in enumerate(self.steps, 1)
            ],
        }


Parts = tuple[tuple[Outcome, ...], tuple[Outcome, ...], tuple[StepJudgement, ...]]


def checks_of(claim: Entry) -> list[Check]:
    """Every check of a claim, in the order in which `judge` takes their outcomes."""
    of_steps = [c for step in claim.steps for c in (step.check, step.mended) if c is not None]
    return [*claim.checks, *claim.corrected, *of_steps]


def judge(
    claims: Sequence[Entry],
    outcomes: Mapping[str, Sequence[Outcome]],
    formal: Mapping[str, Theorems] | None = None,
) -> list[Judgement]:
    """The statuses of all claims; `outcomes` holds for each label what `checks_of` lists, `formal`
    its theorems.
    """
    by_label = {claim.label: claim for claim in claims}
    theorems = {label: (formal or {}).get(label) for label in by_label}
    parts = {claim.label: _split(claim, list(outcomes[claim.label])) for claim in claims}
    proofs = {label: _proof(by_label[label], steps) for label, (_, _, steps) in parts.items()}
    argued = {label for label in by_label if _argued(by_label[label], parts, proofs)}
    checked = {
        label: _statement(by_label[label], *parts[label], label in argued, proofs[label])
        for label in parts
    }
    statements = {
        label: _statement(
            by_label[label], *parts[label], label in argued, proofs[label], theorems[label]
        )
        for label in parts
    }
    settled = {label for label, found in theorems.items() if found is not None and found.settles}
    whole: dict[str, bool] = {}
    return [
        Judgement(
            claim,
            *parts[claim.label],
            statement=statements[claim.label],
            checked=checked[claim.label],
            proof=proofs[claim.label],
            evidence=_evidence(statements[claim.label], *parts[claim.label], theorems[claim.label]),
            by_steps=claim.label in argued
            and statements[claim.label] in _SOUND
            and not _decided(_own(parts, claim)),
            whole=_whole(claim.label, by_label, statements, settled, whole),
            formal=theorems[claim.label],
        )
        for claim in claims
    ]


def broken(theorems: Theorems | None) -> bool:
    """Whether Coq was asked and does not confirm what was recorded."""
    return theorems is not None and theorems.formality not in (Formality.PROVED, Formality.RECORDED)


def _split(claim: Entry, found: list[Outcome]) -> Parts:
    checks = tuple(found[: len(claim.checks)])
    corrected = tuple(found[len(checks) : len(checks) + len(claim.corrected)])
    rest = iter(found[len(checks) + len(corrected) :])
    steps = tuple(
        StepJudgement(s, next(rest), None if s.mended is None else next(rest)) for s in claim.steps
    )
    return checks, corrected, steps


# From the one that spoils everything to the one that spoils least; what is left is sound.
_SPOILS = (
    Status.ERROR,
    Status.REFUTED,
    Status.UNDECIDED,
    Status.OPEN,
    Status.SUPPORTED,
    Status.CORRECTED,
)
_SOUND = (Status.VERIFIED, Status.ARGUED, Status.CORRECTED)
_AGAINST = (Status.ERROR, Status.REFUTED, Status.UNDECIDED)
_DEFINING = (Kind.DEFINITION, Kind.ASSUMPTION, Kind.ALGORITHM, Kind.PLACE)


def _proof(claim: Entry, steps: Sequence[StepJudgement]) -> Status:
    if not steps:
        # Without a printed proof there is nothing to compute: what is recorded is a fact about the
        # paper.
        return claim.proof if claim.proof in (Status.NONE, Status.CITED) else Status.NONE
    statuses = [judged.status for judged in steps]
    spoiled = next((status for status in _SPOILS if status in statuses), None)
    if spoiled is not None:
        return spoiled
    # Sound as far as it goes, and the rest left to a citation: that is a fact about the paper too.
    if claim.proof is Status.CITED:
        return Status.CITED
    return Status.ARGUED if Status.VERIFIED in statuses else Status.DEFINITIONAL


def _argued(claim: Entry, parts: Mapping[str, Parts], proofs: Mapping[str, Status]) -> bool:
    """Whether a proof, the claim's own or its repair's, goes through; what it is worth is for the
    statement to say.
    """
    checks, corrected, _ = parts[claim.repaired_by or claim.label]
    if proofs[claim.repaired_by or claim.label] not in (
        Status.ARGUED,
        Status.DEFINITIONAL,
        Status.CORRECTED,
    ):
        return False
    if not claim.repaired_by:
        return True
    # A repair whose own statement a check speaks against repairs nothing, and it stands for the
    # refuted steps only.
    contradicted = any(outcome.status in _AGAINST for outcome in corrected or checks)
    own = (*_SOUND, Status.DEFINITIONAL, Status.REFUTED)
    return not contradicted and all(judged.status in own for judged in parts[claim.label][2])


def _statement(
    claim: Entry,
    checks: Sequence[Outcome],
    corrected: Sequence[Outcome],
    steps: Sequence[StepJudgement],
    argued: bool,
    proof: Status,
    theorems: Theorems | None = None,
) -> Status:
    """VERIFIED by a formal proof or checks that cover it whole; ARGUED by a proof, if checks of the
    whole agree.

    A formal proof is of the corrected statement, where there is one.
    """
    if broken(theorems):
        return Status.ERROR
    formal = theorems is not None and theorems.settles
    if theorems is not None and formal and theorems.entry.refutes:
        return Status.REFUTED
    if not checks and not corrected and not formal:
        if argued and proof is not Status.DEFINITIONAL:
            # The steps hold, but nothing looked at the two sides of the statement itself.
            return Status.SUPPORTED
        if not steps:
            return Status.UNDECIDED if claim.repaired_by else Status.NONE
        # A proof that fails says nothing against the statement.
        return {Status.REFUTED: Status.UNDECIDED, Status.CORRECTED: Status.UNDECIDED}.get(
            proof, proof
        )
    printed = _conclude(checks, argued and not corrected, formal and not corrected)
    if printed is Status.REFUTED and corrected:
        mended = _conclude(corrected, argued, formal)
        sound = mended in _SOUND or (mended is Status.DEFINITIONAL and claim.kind in _DEFINING)
        if not sound:
            return mended if mended in _AGAINST else Status.REFUTED
        return Status.CORRECTED if colored(claim.mends) else mended
    return (
        Status.OPEN if printed is Status.SUPPORTED and claim.statement is Status.OPEN else printed
    )


def _conclude(checks: Sequence[Outcome], argued: bool, formal: bool) -> Status:
    statuses = [outcome.status for outcome in checks]
    against = next((status for status in _AGAINST if status in statuses), None)
    if formal and against in (None, Status.UNDECIDED):
        return Status.VERIFIED
    if against is not None:
        return against
    if _decided(checks):
        return Status.VERIFIED
    if all(status is Status.DEFINITIONAL for status in statuses):
        return Status.DEFINITIONAL
    # Some checks cover a part whole and others try the rest: that is no less than the steps of a
    # proof, and no more.
    return Status.ARGUED if argued or set(statuses) != {Status.SUPPORTED} else Status.SUPPORTED


def _decided(checks: Sequence[Outcome]) -> bool:
    """Whether every check covers what it is about whole, and one does more than put in letters."""
    statuses = {outcome.status for outcome in checks}
    return Status.VERIFIED in statuses and statuses <= {Status.VERIFIED, Status.DEFINITIONAL}


def _own(parts: Mapping[str, Parts], claim: Entry) -> Sequence[Outcome]:
    checks, corrected, _ = parts[claim.label]
    return corrected or checks


def _evidence(
    statement: Status,
    checks: Sequence[Outcome],
    corrected: Sequence[Outcome],
    _: Sequence[StepJudgement],
    theorems: Theorems | None,
) -> Evidence | None:
    """The formal proof, or the strongest check of the statement that speaks for its status."""
    borne = (
        ()
        if theorems is None or not theorems.settles
        else (Status.REFUTED,)
        if theorems.entry.refutes
        else _SOUND
    )
    if statement in borne:
        return Evidence.FORMAL
    if statement is Status.REFUTED:
        return max((o.evidence for o in checks if o.status is Status.REFUTED), default=None)
    own = corrected or checks
    # Beside checks of parts, what was tried of the whole is what tells.
    tried = [o.evidence for o in own if o.status is Status.SUPPORTED]
    return max(tried or [o.evidence for o in own], default=None)


def _whole(
    label: str,
    by_label: Mapping[str, Entry],
    statements: Mapping[str, Status],
    formal: Set[str],
    known: dict[str, bool],
) -> bool:
    """Whether the statement and everything under it are settled; a circle of needs is not.

    A formal proof is closed: nothing is under it.
    """
    if label not in known:
        known[label] = False
        claim = by_label[label]
        settled = statements[label] in _SOUND or (
            statements[label] in (Status.NONE, Status.DEFINITIONAL) and claim.kind in _DEFINING
        )
        below = () if label in formal else sorted(claim.below)
        known[label] = settled and all(
            _whole(other, by_label, statements, formal, known) for other in below
        )
    return known[label]
