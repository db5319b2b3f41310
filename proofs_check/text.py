"""The ledger as plain text: a table, what is not as recorded, and what the paper gets wrong."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rpttheory.report.text import table

from .claim import Bound, Kind, Status
from .judgement import Judgement, Outcome

WIDTH = 110
LEGEND = (
    "verified: proved for all it speaks of. supported: held wherever it was tried. corrected: false as printed,",
    "verified as corrected. refuted: false, by a witness. cited: no whole proof is printed. open: not decided.",
    "whole: everything it rests on is settled, too. tight: the bound is attained or approached (?: not known).",
    "rpttheory proofs LABEL shows one entry with its formulas, steps and witnesses.",
)


def render_ledger(judgements: Sequence[Judgement], *, seed: int, depth: int) -> str:
    """The whole ledger, one line an entry; places, which claim nothing themselves, are left out."""
    shown = [judged for judged in judgements if judged.claim.kind is not Kind.PLACE]
    rows: list[tuple[str, ...]] = [("label", "statement", "proof", "whole", "evidence", "", "tight", "errata")]
    rows += [_row(judged) for judged in shown]
    lines = ["", *table(rows, right=frozenset({7})), "", *LEGEND, ""]
    errata = [judged for judged in shown if judged.claim.errata]
    if errata:
        lines += ["What the paper prints, and what it should:", ""]
        for judged in errata:
            for erratum in judged.claim.errata:
                lines += _wrapped(f"{judged.claim.label}: {erratum.correct}")
        lines.append("")
    changed = [judged for judged in judgements if not judged.expected]
    for judged in changed:
        lines += [f"NOT AS RECORDED: {judged.claim.label}", *(f"    {line}" for line in differences(judged))]
    lines.append(summary(judgements, seed=seed, depth=depth))
    return "\n".join(lines)


def render_entry(judged: Judgement) -> str:
    """One entry with every step, what was found of it and the witnesses."""
    claim = judged.claim
    lines = [
        f"{claim.label}  ({claim.kind}; {claim.origin})",
        *_wrapped(claim.text),
        f"    {claim.latex}",
        f"    statement: {judged.statement}   proof: {judged.proof}   "
        + ("everything it rests on is verified" if judged.fully_verified else "not everything it rests on is verified"),
    ]
    if claim.tightness:
        lines += _wrapped(f"tightness: {claim.tightness}")
    if claim.repaired_by:
        lines.append(f"    proof repaired by {claim.repaired_by}")
    for outcome in judged.checks:
        lines += _outcome("as printed" if judged.corrected else "statement", outcome)
    for outcome in judged.corrected:
        lines += _outcome("corrected", outcome)
    for number, step in enumerate(judged.steps, 1):
        lines += _wrapped(f"step {number} [{step.status}]: {step.step.text}", indent=4)
        lines.append(f"        {step.step.latex}")
        lines += _outcome("as printed" if step.mended else "check", step.printed)
        if step.mended is not None:
            lines += _outcome("corrected", step.mended)
    for erratum in claim.errata:
        lines += _wrapped(f"erratum: {erratum.correct}")
    if not judged.expected:
        lines += [f"    NOT AS RECORDED: {line}" for line in differences(judged)]
    return "\n".join(lines)


def differences(judged: Judgement) -> list[str]:
    """What differs from what is recorded, and why, in words."""
    claim = judged.claim
    found = []
    if judged.statement is not claim.statement:
        found.append(f"statement: recorded {claim.statement}, found {judged.statement}")
    if judged.proof is not claim.proof:
        found.append(f"proof: recorded {claim.proof}, found {judged.proof}")
    for number, step in enumerate(judged.steps, 1):
        if step.status is not step.step.expected:
            found.append(f"step {number}: recorded {step.step.expected}, found {step.status}")
    silent = [outcome for outcome in judged.outcomes if outcome.status in (Status.ERROR, Status.UNDECIDED)]
    return [*found, *(f"a check: {o.error or (o.finding.scope if o.finding else '')}" for o in silent)]


def summary(judgements: Sequence[Judgement], *, seed: int, depth: int) -> str:
    """How many entries, steps and checks, and whether all is as recorded."""
    claims = [judged for judged in judgements if judged.claim.kind is not Kind.PLACE]
    steps = sum(len(judged.steps) for judged in judgements)
    checks = sum(len(judged.outcomes) for judged in judgements)
    changed = sum(not judged.expected for judged in judgements)
    verdict = "all as recorded" if not changed else f"{changed} not as recorded"
    return f"{len(claims)} entries, {steps} proof steps, {checks} checks, seed {seed}, depth {depth}: {verdict}"


def _row(judged: Judgement) -> tuple[str, ...]:
    claim = judged.claim
    return (
        claim.label,
        "" if judged.statement is Status.NONE else str(judged.statement),
        "" if judged.proof is Status.NONE else str(judged.proof),
        "yes" if judged.fully_verified else "no",
        "" if judged.evidence is None else str(judged.evidence),
        "" if claim.bound is None else str(claim.bound),
        tight(judged),
        str(len(claim.errata) or ""),
    )


def tight(judged: Judgement) -> str:
    """Whether a bound is attained or approached, in a word; nothing for an equality."""
    claim = judged.claim
    return "" if claim.bound in (None, Bound.EQUALITY) else {True: "yes", False: "no", None: "?"}[claim.tight]


def _outcome(what: str, outcome: Outcome) -> list[str]:
    found = outcome.finding
    said = outcome.error if found is None else found.witness or found.scope
    return _wrapped(f"{what}: {outcome.status}, {outcome.evidence}: {said}", indent=8)


def _wrapped(text: str, indent: int = 4) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (indent + 4), break_long_words=False
    )
