"""The statuses of statements, proofs and steps, computed from what the checks find."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .entry import (
    Entry,
    Evidence,
    Finding,
    Formality,
    Kind,
    Status,
    Step,
    Theorems,
    Weight,
    change_status,
)
from .lines import is_printed, objections


@dataclass(frozen=True)
class Outcome:
    """What one check found, and the strength of its evidence."""

    evidence: Evidence
    finding: Finding

    @property
    def status(self) -> Status:
        """The status of a line that has this check alone."""
        if self.finding.error:
            return Status.ERROR
        if self.finding.holds is None:
            return Status.UNDECIDED
        if not self.finding.holds:
            return Status.FALSE
        if not self.finding.general or self.evidence < Evidence.EXACT:
            return Status.TESTED
        hollow = self.finding.weight in (None, Weight.DEFINITIONAL)
        if self.evidence is Evidence.SYMBOLIC and hollow:
            return Status.DEFINITIONAL
        return Status.COMPUTED

    @property
    def how(self) -> str:
        """The evidence, with the weight of a symbolic check."""
        weight = self.finding.weight
        return str(self.evidence) if weight is None else f"{self.evidence}, {weight}"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe values."""
        return {**vars(self.finding), "evidence": str(self.evidence), "status": self.status}


@dataclass(frozen=True)
class StepJudgement:
    """A step with what its checks found."""

    step: Step
    printed: Outcome
    mended: Outcome | None

    @property
    def status(self) -> Status:
        """The status of the corrected line where the printed one fails: CORRECTED, unless the
        erratum is a typo or the like.
        """
        if self.printed.status is not Status.FALSE or self.mended is None:
            return self.printed.status
        mended = self.mended.status
        if mended in (Status.COMPUTED, Status.DEFINITIONAL):
            return Status.CORRECTED if change_status(self.step.mends) else mended
        return Status.FALSE if mended is Status.TESTED else mended

    @property
    def expected(self) -> bool:
        """True if the status is the recorded one; whether a step is definitional is computed, never
        recorded.
        """
        computed = Status.COMPUTED if self.status is Status.DEFINITIONAL else self.status
        return computed is self.step.expected


@dataclass(frozen=True)
class Judgement:
    """A claim with what its checks found.

    Attributes
    ----------
    checked : Status
        The status of the statement by the checks alone, which is compared with the record.
    statement : Status
        The same with the Coq theorems, if they were compiled.
    whole : bool
        True if the statement and everything it depends on are established (or define something).
    """

    claim: Entry
    checks: tuple[Outcome, ...]
    corrected: tuple[Outcome, ...]
    steps: tuple[StepJudgement, ...]
    statement: Status
    checked: Status
    proof: Status
    whole: bool
    formal: Theorems | None = None

    @property
    def evidence(self) -> Evidence | None:
        """Coq, or the strongest check of the statement itself among those that its status rests
        on.
        """
        if self.formal is not None and self.formal.settles:
            refuted = self.statement is Status.FALSE
            if self.statement in _SOUND or (refuted and self.formal.entry.refutes):
                return Evidence.FORMAL
        outcomes = self.corrected or self.checks
        if self.statement is Status.FALSE:
            decisive = [o for o in self.checks if o.status is Status.FALSE]
        else:
            # Where other checks cover parts, the test of the whole is what counts.
            decisive = [o for o in outcomes if o.status is Status.TESTED] or list(outcomes)
        return max((outcome.evidence for outcome in decisive), default=None)

    @property
    def statuses(self) -> list[tuple[str, Status, Status]]:
        """The recorded and the computed status of the statement, of the proof, and of each step
        that differs.
        """
        return [
            ("statement", self.claim.statement, self.checked),
            ("proof", self.claim.proof, self.proof),
            *(
                (f"step {number}", judgement.step.expected, judgement.status)
                for number, judgement in enumerate(self.steps, 1)
                if not judgement.expected
            ),
        ]

    @cached_property
    def differences(self) -> list[str]:
        """The differences from the record, and their reasons, in words."""
        differences = [
            f"{part}: recorded {recorded}, computed {status}"
            for part, recorded, status in self.statuses
            if recorded is not status
        ]
        if broken(self.formal):
            differences.append(f"formal: {self.formal}")
        differences += objections(self.claim)
        if differences:
            silent = (o.finding for o in self.outcomes if o.finding.holds is None)
            differences += [f"a check: {finding.error or finding.scope}" for finding in silent]
        return differences

    @property
    def outcomes(self) -> list[Outcome]:
        """All outcomes, in the order of `Entry.all_checks`."""
        of_steps = [
            outcome
            for judgement in self.steps
            for outcome in (judgement.printed, judgement.mended)
            if outcome is not None
        ]
        return [*self.checks, *self.corrected, *of_steps]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe values."""
        claim = self.claim
        skipped = ("statement", "proof", "corrected", "mends", "sort", "tight_where")
        fields = {name: value for name, value in vars(claim).items() if name not in skipped}
        return {
            **fields,
            "formulas": claim.formulas,
            "kind": claim.kind,
            "errata": [vars(erratum) for erratum in claim.errata],
            "source": claim.origin,
            "tight_where": claim.tight_where,
            "statement_status": self.statement,
            "checked_status": self.checked,
            "proof_status": self.proof,
            "whole": self.whole,
            "as_recorded": not self.differences,
            "printed": is_printed(claim, 0),
            "evidence": None if self.evidence is None else str(self.evidence),
            "formal": None if self.formal is None else self.formal.to_dict(),
            "checks": [outcome.to_dict() for outcome in self.checks],
            "corrected_checks": [outcome.to_dict() for outcome in self.corrected],
            "steps": [
                {
                    "latex": judgement.step.latex,
                    "text": judgement.step.text,
                    "status": judgement.status,
                    "recorded": judgement.step.expected,
                    "printed_in_the_paper": is_printed(claim, number),
                    "correction": judgement.step.correction,
                    "mends": [erratum.severity for erratum in judgement.step.mends],
                    "printed": judgement.printed.to_dict(),
                    "mended": judgement.mended and judgement.mended.to_dict(),
                }
                for number, judgement in enumerate(self.steps, 1)
            ],
        }


def judge(
    claims: Sequence[Entry],
    outcomes: Mapping[str, Sequence[Outcome]],
    formal: Mapping[str, Theorems] | None = None,
) -> list[Judgement]:
    """Return the statuses of all claims.

    Parameters
    ----------
    claims : sequence of Entry
        With every label that one of them depends on.
    outcomes : mapping
        By label, the outcomes of `Entry.all_checks`.
    formal : mapping, optional
        By label, the Coq theorems.
    """
    by_label = {claim.label: claim for claim in claims}
    theorems = {label: (formal or {}).get(label) for label in by_label}
    parts = {claim.label: _split(claim, list(outcomes[claim.label])) for claim in claims}
    proofs = {label: _proof(by_label[label], steps) for label, (_, _, steps) in parts.items()}
    checked = {
        claim.label: _statement(
            claim, *parts[claim.label], _is_proved(claim, parts, proofs), proofs[claim.label]
        )
        for claim in claims
    }
    statements = {label: _with_coq(checked[label], theorems[label]) for label in by_label}
    whole: dict[str, bool] = {}

    def is_whole(label: str) -> bool:
        """Return whether the statement and everything below it are established; a circle is not."""
        if label not in whole:
            whole[label] = False
            unfolds = statements[label] in (Status.NONE, Status.DEFINITIONAL)
            established = statements[label] in _SOUND or (
                unfolds and by_label[label].kind in _DEFINING
            )
            coq = theorems[label]
            # A Coq proof is closed: nothing is below it.
            below = () if coq is not None and coq.settles else sorted(by_label[label].below)
            whole[label] = established and all(is_whole(dependency) for dependency in below)
        return whole[label]

    return [
        Judgement(
            by_label[label],
            *parts[label],
            statement=statements[label],
            checked=checked[label],
            proof=proofs[label],
            whole=is_whole(label),
            formal=theorems[label],
        )
        for label in by_label
    ]


def broken(theorems: Theorems | None) -> bool:
    """Return whether Coq was asked and does not confirm what was recorded."""
    return theorems is not None and theorems.formality not in (Formality.PROVED, Formality.RECORDED)


Parts = tuple[tuple[Outcome, ...], tuple[Outcome, ...], tuple[StepJudgement, ...]]


def _split(claim: Entry, outcomes: list[Outcome]) -> Parts:
    remaining = iter(outcomes)
    checks = tuple(next(remaining) for _ in claim.checks)
    corrected = tuple(next(remaining) for _ in claim.corrected)
    steps = tuple(
        StepJudgement(step, next(remaining), next(remaining) if step.mended else None)
        for step in claim.steps
    )
    return checks, corrected, steps


# The statuses of steps that decide the status of a proof, the worst first.
_WORST = (
    Status.ERROR,
    Status.FALSE,
    Status.UNDECIDED,
    Status.OPEN,
    Status.TESTED,
    Status.CORRECTED,
)
_SOUND = (Status.FORMAL, Status.COMPUTED, Status.CHECKED, Status.CORRECTED)
_AGAINST = (Status.ERROR, Status.FALSE, Status.UNDECIDED)
_DEFINING = (Kind.DEFINITION, Kind.ASSUMPTION, Kind.ALGORITHM, Kind.PLACE)


def _proof(claim: Entry, steps: Sequence[StepJudgement]) -> Status:
    if not steps:
        # Without steps there is nothing to compute: the record is a fact about the paper.
        return claim.proof if claim.proof in (Status.NONE, Status.CITED) else Status.NONE
    statuses = [judgement.status for judgement in steps]
    worst = next((status for status in _WORST if status in statuses), None)
    if worst is not None:
        return worst
    # That a sound proof leaves a part to a citation is a fact about the paper, too.
    if claim.proof is Status.CITED:
        return Status.CITED
    return Status.CHECKED if Status.COMPUTED in statuses else Status.DEFINITIONAL


def _is_proved(claim: Entry, parts: Mapping[str, Parts], proofs: Mapping[str, Status]) -> bool:
    """Return whether a proof, the claim's own or the one that repairs it, goes through."""
    checks, corrected, _ = parts[claim.repaired_by or claim.label]
    proof = proofs[claim.repaired_by or claim.label]
    if proof not in (Status.CHECKED, Status.DEFINITIONAL, Status.CORRECTED):
        return False
    if not claim.repaired_by:
        return True
    # A repair whose own statement fails a check repairs nothing, and it stands for the false steps
    # only.
    contradicted = any(outcome.status in _AGAINST for outcome in corrected or checks)
    acceptable = (*_SOUND, Status.DEFINITIONAL, Status.FALSE)
    return not contradicted and all(
        judgement.status in acceptable for judgement in parts[claim.label][2]
    )


def _statement(
    claim: Entry,
    checks: Sequence[Outcome],
    corrected: Sequence[Outcome],
    steps: Sequence[StepJudgement],
    is_proved: bool,
    proof: Status,
) -> Status:
    """Return the status by the checks: COMPUTED if they cover the whole statement, CHECKED if a
    proof goes through and the checks of the whole agree.
    """
    if not checks and not corrected:
        if is_proved and claim.stated_elsewhere:
            return Status.CHECKED
        if not steps and not claim.repaired_by:
            return Status.NONE
        # Steps that hold or fail decide nothing about a statement whose sides no check compares.
        return proof if proof in (Status.DEFINITIONAL, Status.ERROR) else Status.UNDECIDED
    printed = _conclude(checks, is_proved and not corrected)
    if printed is Status.FALSE and corrected:
        mended = _conclude(corrected, is_proved)
        sound = mended in _SOUND or (mended is Status.DEFINITIONAL and claim.kind in _DEFINING)
        if not sound:
            return mended if mended in _AGAINST else Status.FALSE
        return Status.CORRECTED if change_status(claim.mends) else mended
    is_open = printed is Status.TESTED and claim.statement is Status.OPEN
    return Status.OPEN if is_open else printed


def _conclude(checks: Sequence[Outcome], is_proved: bool) -> Status:
    statuses = {outcome.status for outcome in checks}
    against = next((status for status in _AGAINST if status in statuses), None)
    if against is not None:
        return against
    if statuses == {Status.DEFINITIONAL}:
        return Status.DEFINITIONAL
    if Status.TESTED not in statuses:
        return Status.COMPUTED
    # Checks that cover parts beside tests of the whole are worth as much as the steps of a proof.
    return Status.CHECKED if is_proved or statuses != {Status.TESTED} else Status.TESTED


def _with_coq(checked: Status, theorems: Theorems | None) -> Status:
    """Return the status of a statement with its Coq theorems, which are about the corrected
    statement where there is one. No theorem overrules a counterexample.
    """
    if broken(theorems):
        return Status.ERROR
    if theorems is None or not theorems.settles:
        return checked
    if theorems.entry.refutes:
        return Status.FALSE
    if checked in (Status.ERROR, Status.FALSE, Status.CORRECTED):
        return checked
    return Status.FORMAL
