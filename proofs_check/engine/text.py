"""The ledger as plain text: a table, what is not as recorded, and what the paper gets wrong."""

import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rpttheory.report import Document, Table

from .entry import Bound, Check, Entry, Evidence, Kind, Severity, Status, Weight
from .judgement import Judgement, Outcome, broken
from .lines import is_printed

WIDTH = 110
# What a referee may conclude from each word.
MEANING = {
    Status.VERIFIED: "decided by the machine, for all it speaks of.",
    Status.ARGUED: (
        "the machine decides every step of a proof, or parts of the statement, and tries the whole"
        " on instances; how they fit together is prose, read by people, unless a proof in Coq is"
        " recorded (--formal)."
    ),
    Status.DEFINITIONAL: "its checks put in letters and show no more.",
    Status.SUPPORTED: "held wherever it was tried, which proves nothing.",
    Status.CORRECTED: (
        "false as printed, by a witness; verified or argued as corrected. A typo does not count."
    ),
    Status.REFUTED: "false, by a witness (of a proof: a step does not follow).",
    Status.CITED: "the paper prints no proof, or not the whole of it.",
    Status.OPEN: "not decided by us, or not from what is printed.",
    Status.NONE: "",
    Status.UNDECIDED: "a check gave no answer, or nothing was checked.",
    Status.ERROR: "a check crashed.",
}
LEGEND = (
    "whole: nothing it rests on is open. evidence: what looked at the statement itself; where a"
    " proof bears it, or checks of its parts, these and what tried the whole on instances. tight:"
    " whether, or where, the bound is attained or approached (?: not known). errata: how many, the"
    " worst first (only a gap or a false line can change a status). FORMAL: a proof in Coq without"
    " axioms (--formal); part FORMAL: of a part, which the entry names. symbolic checks are"
    " definitional (the same expression on both sides before anything is simplified), algebra, or"
    " inequality (rewritten as squares and signs). rpttheory proofs LABEL shows one entry with its"
    " formulas, steps and witnesses."
)


def document(judgements: Sequence[Judgement], *, seed: int, depth: int) -> Document:
    """The whole ledger, one line an entry; places, which claim nothing themselves, are left out."""
    shown = [judged for judged in judgements if judged.claim.kind is not Kind.PLACE]
    header: tuple[str, ...] = (
        "label",
        "statement",
        "proof",
        "whole",
        "evidence",
        "",
        "tight",
        "errata",
    )
    rows = [_row(judged) for judged in shown]
    met = {status for judged in shown for status in (judged.statement, judged.proof)}
    words = [
        line
        for status, words in MEANING.items()
        if words and status in met
        for line in _wrapped(f"{status}: {words}", 0)
    ]
    parts: list[str | Table] = [
        "",
        Table(header, rows, frozenset()),
        "",
        *words,
        *_wrapped(LEGEND, 0),
        "",
    ]
    errata = [judged for judged in shown if judged.claim.errata]
    if errata:
        parts += ["What the paper prints, and what it should:", ""]
        for judged in errata:
            for erratum in judged.claim.errata:
                parts += _wrapped(f"{judged.claim.label} ({erratum.severity}): {erratum.correct}")
        parts.append("")
    changed = [judged for judged in judgements if not judged.expected]
    for judged in changed:
        parts += [
            f"NOT AS RECORDED: {judged.claim.label}",
            *(f"    {line}" for line in differences(judged)),
        ]
    return [*parts, summary(judgements, seed=seed, depth=depth)]


def render_entry(judged: Judgement) -> str:
    """One entry with every step, what was found of it and the witnesses."""
    claim = judged.claim
    same = judged.proof in (judged.statement, Status.NONE)
    lines = [
        f"{claim.label}  ({claim.kind}; {claim.origin})",
        *_wrapped(claim.text),
        f"    {claim.latex}{_paraphrased(claim, 0)}",
        *(f"    checked on matrices: {formula}" for formula in claim.formulas),
        *_wrapped(f"statement {judged.statement}: {MEANING[judged.statement]}"),
        *_wrapped(f"proof {judged.proof}" + ("" if same else f": {MEANING[judged.proof]}")),
        "    "
        + (
            "nothing it rests on is open"
            if judged.whole
            else "something it rests on is not settled"
        ),
    ]
    if judged.formal is not None:
        lines += _wrapped(f"formal: {judged.formal}")
        lines += [
            f"        {line}"
            for statement in judged.formal.statements
            for line in statement.splitlines()
        ]
    if claim.tightness:
        lines += _wrapped(f"tightness: {claim.tightness}")
    if claim.repaired_by:
        lines.append(f"    proof repaired by {claim.repaired_by}")
    for check, outcome in zip(claim.checks, judged.checks, strict=True):
        lines += _outcome(
            "statement as printed" if judged.corrected else "statement itself", outcome, check
        )
    for check, outcome in zip(claim.corrected, judged.corrected, strict=True):
        lines += _outcome("statement as corrected", outcome, check)
    for number, step in enumerate(judged.steps, 1):
        lines += _wrapped(f"step {number} [{step.status}]: {step.step.text}", indent=4)
        lines.append(f"        {step.step.latex}{_paraphrased(claim, number)}")
        lines += _outcome("as printed" if step.mended else "check", step.printed, step.step.check)
        if step.mended is not None and step.step.mended is not None:
            lines += _outcome("corrected", step.mended, step.step.mended)
    for erratum in claim.errata:
        lines += _wrapped(f"erratum ({erratum.severity}): {erratum.correct}")
    if not judged.expected:
        lines += [f"    NOT AS RECORDED: {line}" for line in differences(judged)]
    return "\n".join(lines)


def _paraphrased(claim: Entry, number: int) -> str:
    """A mark for a line that the paper does not have in this form."""
    return "   [paraphrased]" if is_printed(claim, number) is False else ""


def differences(judged: Judgement) -> list[str]:
    """What differs from what is recorded, and why, in words."""
    claim = judged.claim
    found = []
    if judged.checked is not claim.statement:
        found.append(f"statement: recorded {claim.statement}, found {judged.checked}")
    if judged.proof is not claim.proof:
        found.append(f"proof: recorded {claim.proof}, found {judged.proof}")
    for number, step in enumerate(judged.steps, 1):
        if not step.expected:
            found.append(f"step {number}: recorded {step.step.expected}, found {step.status}")
    if broken(judged.formal):
        found.append(f"formal: {judged.formal}")
    found += judged.untied
    silent = [
        outcome for outcome in judged.outcomes if outcome.status in (Status.ERROR, Status.UNDECIDED)
    ]
    return [
        *found,
        *(f"a check: {o.error or (o.finding.scope if o.finding else '')}" for o in silent),
    ]


def counts(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """How many entries, steps and checks, the symbolic ones by weight, and what has changed."""
    outcomes = [outcome for judged in judgements for outcome in judged.outcomes]
    weights = Counter(
        str(o.finding.weight)
        for o in outcomes
        if o.finding is not None and o.finding.weight is not None
    )
    return {
        "entries": sum(judged.claim.kind is not Kind.PLACE for judged in judgements),
        "steps": sum(len(judged.steps) for judged in judgements),
        "checks": len(outcomes),
        "symbolic": {str(weight): weights[str(weight)] for weight in Weight},
        "formal": sum(judged.formal is not None and judged.formal.settles for judged in judgements),
        "formal_in_part": sum(
            judged.formal is not None and judged.formal.partial for judged in judgements
        ),
        "errata": severity_counts(judgements),
        "not_as_recorded": sum(not judged.expected for judged in judgements),
    }


def severity_counts(judgements: Sequence[Judgement]) -> dict[str, int]:
    """How many errata of each severity there are."""
    found = Counter(erratum.severity for judged in judgements for erratum in judged.claim.errata)
    return {severity.value: found[severity] for severity in Severity}


def summary(judgements: Sequence[Judgement], *, seed: int, depth: int) -> str:
    """The counts in a line, and whether all is as recorded."""
    found = counts(judgements)
    symbolic = ", ".join(f"{count} {weight}" for weight, count in found["symbolic"].items())
    formal = ""
    if found["formal"] or found["formal_in_part"]:
        formal = f"; formal: {found['formal']} entries, {found['formal_in_part']} in part"
    changed = found["not_as_recorded"]
    verdict = f"{changed} not as recorded" if changed else "all as recorded"
    return (
        f"{found['entries']} entries, {found['steps']} proof steps, {found['checks']} checks "
        f"(symbolic: {symbolic}{formal}), seed {seed}, depth {depth}: {verdict}"
    )


def _row(judged: Judgement) -> tuple[str, ...]:
    claim = judged.claim
    return (
        claim.label,
        "" if judged.statement is Status.NONE else str(judged.statement),
        "" if judged.proof is Status.NONE else str(judged.proof),
        "yes" if judged.whole else "no",
        rests_on(judged),
        "" if claim.bound is None else str(claim.bound),
        tight(judged),
        severities(claim),
    )


def severities(claim: Entry) -> str:
    """How many errata of each severity an entry has, the worst first."""
    found = Counter(erratum.severity for erratum in claim.errata)
    return ", ".join(
        f"{found[severity]} {severity}" for severity in reversed(Severity) if found[severity]
    )


def rests_on(judged: Judgement) -> str:
    """What bears the statement's status: checks that decide it, or steps and parts, and what tried
    the whole.
    """
    own = "" if judged.evidence is None else str(judged.evidence)
    if judged.evidence is Evidence.FORMAL:
        return own
    part = "; part FORMAL" if judged.formal is not None and judged.formal.partial else ""
    tried = any(outcome.status is Status.SUPPORTED for outcome in judged.corrected or judged.checks)
    if not tried or judged.statement not in (Status.ARGUED, Status.CORRECTED):
        return own + part
    return f"{'steps' if judged.by_steps else 'parts'}; tried {own}{part}"


def tight(judged: Judgement) -> str:
    """Whether, or where, a bound is attained or approached; nothing for an equality."""
    claim = judged.claim
    if claim.bound in (None, Bound.EQUALITY):
        return ""
    return claim.tight_where or {True: "yes", False: "no", None: "?"}[claim.tight]


def _outcome(what: str, outcome: Outcome, check: Check) -> list[str]:
    """What was checked, of what, and what came of it."""
    found = outcome.finding
    what += f" ({check.covers})" if check.covers else ""
    if found is None:
        return _wrapped(f"{what}: {outcome.status}, {outcome.how}: {outcome.error}", indent=8)
    lines = _wrapped(
        f"{what}: {outcome.status}, {outcome.how}: {found.witness or found.scope}", indent=8
    )
    return [*lines, *(line for formula in found.formulas for line in _wrapped(formula, indent=12))]


def _wrapped(text: str, indent: int = 4) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 4),
        break_long_words=False,
    )
