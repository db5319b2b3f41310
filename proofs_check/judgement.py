"""From findings to statuses: what the checks of a claim amount to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .claim import Check, Claim, Evidence, Finding, Kind, Status, Step


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
        whole = self.finding.general and self.evidence >= Evidence.EXACT
        return Status.VERIFIED if whole else Status.SUPPORTED

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        found = self.finding
        return {
            "evidence": str(self.evidence),
            "status": self.status.value,
            "scope": "" if found is None else found.scope,
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
        """CORRECTED where the printed line fails and the mended one is verified."""
        return _mend(self.printed.status, [] if self.mended is None else [self.mended.status])


@dataclass(frozen=True)
class Judgement:
    """A claim with what its checks found; `evidence` is what the statement's status rests on."""

    claim: Claim
    checks: tuple[Outcome, ...]
    corrected: tuple[Outcome, ...]
    steps: tuple[StepJudgement, ...]
    statement: Status
    proof: Status
    evidence: Evidence | None
    fully_verified: bool

    @property
    def statuses(self) -> list[tuple[Status, Status]]:
        """What is recorded and what was found: of the statement, of the proof and of each step."""
        whole = [(self.claim.statement, self.statement), (self.claim.proof, self.proof)]
        return [*whole, *((judged.step.expected, judged.status) for judged in self.steps)]

    @property
    def expected(self) -> bool:
        """Whether every status is the one recorded for it."""
        return all(recorded is found for recorded, found in self.statuses)

    @property
    def outcomes(self) -> list[Outcome]:
        """All outcomes, of the statement first."""
        of_steps = [o for judged in self.steps for o in (judged.printed, judged.mended) if o is not None]
        return [*self.checks, *self.corrected, *of_steps]

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            **self.claim.to_dict(),
            "statement_status": self.statement.value,
            "proof_status": self.proof.value,
            "fully_verified": self.fully_verified,
            "as_recorded": self.expected,
            "evidence": None if self.evidence is None else str(self.evidence),
            "checks": [outcome.to_dict() for outcome in self.checks],
            "corrected_checks": [outcome.to_dict() for outcome in self.corrected],
            "steps": [
                {
                    "latex": judged.step.latex,
                    "text": judged.step.text,
                    "status": judged.status.value,
                    "recorded": judged.step.expected.value,
                    "correction": judged.step.correction,
                    "printed": judged.printed.to_dict(),
                    "mended": None if judged.mended is None else judged.mended.to_dict(),
                }
                for judged in self.steps
            ],
        }


Parts = tuple[tuple[Outcome, ...], tuple[Outcome, ...], tuple[StepJudgement, ...]]


def checks_of(claim: Claim) -> list[Check]:
    """Every check of a claim, in the order in which `judge` takes their outcomes."""
    of_steps = [c for step in claim.steps for c in (step.check, step.mended) if c is not None]
    return [*claim.checks, *claim.corrected, *of_steps]


def judge(claims: Sequence[Claim], outcomes: Mapping[str, Sequence[Outcome]]) -> list[Judgement]:
    """The statuses of all claims; `outcomes` holds for each label what `checks_of` lists."""
    by_label = {claim.label: claim for claim in claims}
    parts = {claim.label: _split(claim, list(outcomes[claim.label])) for claim in claims}
    proofs = {label: _proof(by_label[label], steps) for label, (_, _, steps) in parts.items()}
    # A repair whose own statement a check speaks against repairs nothing.
    against = {
        label for label, (checks, corrected, _) in parts.items() if any(_against(o) for o in (corrected or checks))
    }
    statements = {
        label: _statement(by_label[label], *found, proofs, by_label[label].repaired_by in against)
        for label, found in parts.items()
    }
    whole: dict[str, bool] = {}
    return [
        Judgement(
            claim,
            *parts[claim.label],
            statement=statements[claim.label],
            proof=proofs[claim.label],
            evidence=_evidence(claim, statements[claim.label], parts),
            fully_verified=_whole(claim.label, by_label, statements, whole),
        )
        for claim in claims
    ]


def _split(claim: Claim, found: list[Outcome]) -> Parts:
    checks = tuple(found[: len(claim.checks)])
    corrected = tuple(found[len(checks) : len(checks) + len(claim.corrected)])
    rest = iter(found[len(checks) + len(corrected) :])
    steps = tuple(StepJudgement(s, next(rest), None if s.mended is None else next(rest)) for s in claim.steps)
    return checks, corrected, steps


def _against(outcome: Outcome) -> bool:
    return outcome.status in (Status.REFUTED, Status.ERROR, Status.UNDECIDED)


def _last(judged: StepJudgement) -> Outcome:
    return judged.printed if judged.mended is None else judged.mended


def _mend(printed: Status, mended: Sequence[Status]) -> Status:
    if printed is not Status.REFUTED or not mended:
        return printed
    weakest = _weakest(mended)
    return {Status.VERIFIED: Status.CORRECTED, Status.SUPPORTED: Status.REFUTED}.get(weakest, weakest)


_SOUND = (Status.VERIFIED, Status.CORRECTED)

# From the one that spoils everything to the one that spoils nothing.
_SPOILS = (Status.ERROR, Status.REFUTED, Status.UNDECIDED, Status.OPEN, Status.SUPPORTED, Status.CORRECTED)


def _weakest(statuses: Sequence[Status]) -> Status:
    return next((status for status in _SPOILS if status in statuses), Status.VERIFIED)


def _proof(claim: Claim, steps: Sequence[StepJudgement]) -> Status:
    if not steps:
        # Without a printed proof there is nothing to compute: what is recorded is a fact about the paper.
        return claim.proof if claim.proof in (Status.NONE, Status.CITED) else Status.NONE
    printed = _weakest([judged.status for judged in steps])
    # Sound as far as it goes, and the rest left to a citation: that is a fact about the paper too.
    return Status.CITED if printed is Status.VERIFIED and claim.proof is Status.CITED else printed


def _statement(
    claim: Claim,
    checks: Sequence[Outcome],
    corrected: Sequence[Outcome],
    steps: Sequence[StepJudgement],
    proofs: Mapping[str, Status],
    contradicted: bool,
) -> Status:
    """A statement is VERIFIED by a check that covers it whole, or by an accepted proof that no check contradicts."""
    if not checks and not corrected and not claim.steps and not claim.repaired_by:
        return Status.NONE
    by_proof = proofs[claim.label] in _SOUND
    if claim.repaired_by:
        # A repair stands for the refuted steps only; the others must be sound themselves.
        by_proof = (
            proofs[claim.repaired_by] in _SOUND
            and not contradicted
            and all(judged.status in (*_SOUND, Status.REFUTED) for judged in steps)
        )
    if not checks and not corrected and not by_proof:
        # Nothing but a proof speaks for it, and a proof that fails says nothing against it.
        return Status.UNDECIDED if proofs[claim.label] is Status.REFUTED else proofs[claim.label]
    printed = _conclude([o.status for o in checks], by_proof and not corrected)
    if printed is Status.REFUTED and corrected:
        return _mend(printed, [_conclude([o.status for o in corrected], by_proof)])
    if printed is Status.SUPPORTED and claim.statement is Status.OPEN:
        return Status.OPEN
    return printed


def _evidence(claim: Claim, statement: Status, parts: Mapping[str, Parts]) -> Evidence | None:
    """The strongest check that decided the statement; where a proof decided it, that proof's weakest step."""
    checks, corrected, steps = parts[claim.label]
    decisive = [o.evidence for o in (checks if statement is Status.REFUTED else corrected or checks)]
    if statement in _SOUND:
        repair = parts[claim.repaired_by][2] if claim.repaired_by else ()
        sound = [judged for judged in (*steps, *repair) if judged.status in _SOUND]
        whole = [o.evidence for o in (*corrected, *checks) if o.status is Status.VERIFIED]
        decisive = whole or [min((_last(judged).evidence for judged in sound), default=Evidence.SAMPLED)]
    return max(decisive, default=None)


def _conclude(statuses: Sequence[Status], by_proof: bool) -> Status:
    for spoiler in (Status.ERROR, Status.REFUTED, Status.UNDECIDED):
        if spoiler in statuses:
            return spoiler
    return Status.VERIFIED if by_proof or Status.VERIFIED in statuses else Status.SUPPORTED


def _whole(label: str, by_label: Mapping[str, Claim], statements: Mapping[str, Status], known: dict[str, bool]) -> bool:
    """Whether the statement and everything under it are settled; a circle of needs is not."""
    if label not in known:
        known[label] = False
        claim = by_label[label]
        below = {*claim.needs, *claim.proof_needs, *([claim.repaired_by] if claim.repaired_by else [])}
        settled = statements[label] in (Status.VERIFIED, Status.CORRECTED) or (
            statements[label] is Status.NONE
            and claim.kind in (Kind.DEFINITION, Kind.ASSUMPTION, Kind.ALGORITHM, Kind.PLACE)
        )
        known[label] = settled and all(_whole(other, by_label, statements, known) for other in sorted(below))
    return known[label]
