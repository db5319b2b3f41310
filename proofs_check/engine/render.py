"""The ledger as documents: a table of all entries, and one document per entry.

Text, the HTML page and the pages of the site all print these documents.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

from rpttheory import __version__
from rpttheory.report import BRIEF, Detail, Document, Table
from rpttheory.statements.numbering import NUMBERS, PAPER

from .entry import MEANING, Bound, Check, Entry, Erratum, Kind, Severity, Status, Weight
from .lines import is_printed
from .status import Judgement, Outcome, broken

SCHEMA = "rpttheory/proofs/6"


class Heading(str):
    """A title."""

    def to_html(self) -> str:
        """Return a heading, with the label before the colon and blank as its anchor."""
        return f'<h2 id="{escape(self.partition(" ")[0])}">{escape(self)}</h2>'


class Formula(str):
    """A displayed formula in LaTeX."""

    def to_html(self) -> str:
        """Return MathML, which browsers draw by themselves."""
        return f'<div class="scroll">{mathml(self)}</div>'


class Code(str):
    """Text that keeps its line breaks."""

    def to_html(self) -> str:
        """Return preformatted text."""
        return f"<pre>{escape(self)}</pre>"


class Links(str):
    """Words, a colon, and labels."""

    def to_html(self) -> str:
        """Return a paragraph that links to the labels."""
        words, _, labels = self.partition(": ")
        links = (f'<a href="#{escape(label)}">{escape(label)}</a>' for label in labels.split(", "))
        return f"<p>{escape(words)}: {', '.join(links)}</p>"


# latex2mathml 3.81 hangs scripts on a sized bracket, which then does not grow. It keeps the
# backslash of a sized brace, makes identifiers of some relations, and asks for a bold 1 in a way
# that browsers ignore.
REPAIRS = (
    (re.compile(r"<(msup|msub|msubsup)>(<mo minsize=[^>]*>[^<]+</mo>)"), r"\2<\1><mrow></mrow>"),
    (re.compile(r">\\([{}|])<"), r">\1<"),
    (re.compile(r"<mi>(&#x02AB0;|&#x02AAF;|&#x027F9;|&#x027FA;)</mi>"), r"<mo>\1</mo>"),
    (re.compile('<mn mathvariant="bold">1</mn>'), "<mn>&#x1D7CF;</mn>"),
)


@cache
def mathml(latex: str, display: str = "block") -> str:
    """Return a formula as MathML."""
    from latex2mathml.converter import convert

    converted = str(convert(latex, display=display))
    for pattern, replacement in REPAIRS:
        converted = pattern.sub(replacement, converted)
    return converted


@dataclass(frozen=True)
class Ledger:
    """The statuses of the entries of a run.

    Attributes
    ----------
    judgements : sequence of Judgement
        One per entry.
    labels : sequence of str
        The entries to show in full; without labels all are shown in a table.
    rng, depth : int
        The seed and the factor of the number of instances.
    """

    judgements: Sequence[Judgement]
    labels: Sequence[str] = ()
    rng: int = 0
    depth: int = 1

    def render(self, detail: Detail = BRIEF) -> Document:
        """Return the entries asked for, or the table of all, and the counts."""
        if not self.labels:
            return [*self.table(detail.verbose), self.summary()]
        selected = [
            judgement for judgement in self.judgements if judgement.claim.label in self.labels
        ]
        lines = [line for judgement in selected for line in (*indented(document(judgement)), "")]
        return [*lines, self.summary()]

    def page(self) -> list[Any]:
        """Return the table and every entry in full."""
        return [*self.table(verbose=True), *(part for j in self.judgements for part in document(j))]

    def table(self, verbose: bool = False) -> list[Any]:
        """Return one line per entry, the legend, errata, and what is not as recorded.

        If `verbose`, a line below each entry has the kinds of errata, the evidence and tightness.
        """
        # Places state nothing themselves.
        judgements = [
            judgement for judgement in self.judgements if judgement.claim.kind is not Kind.PLACE
        ]
        statuses = {
            status for judgement in judgements for status in (judgement.statement, judgement.proof)
        }
        legend = [
            f"{_short(status)}: {MEANING[status]}"
            for status in MEANING
            if status in statuses and MEANING[status]
        ]
        rows = [_row(judgement) for judgement in judgements]
        remarks = {i: text for i, text in enumerate(map(_remark, judgements)) if verbose and text}
        parts = [
            Table(("label", "paper", "statement", "proof", "errata"), rows, remarks=remarks),
            "",
            *legend,
            *(LEGEND if verbose else (LEGEND[0], LEGEND[-1])),
            "",
            "Errata of the paper:",
        ]
        parts += [
            f"  {judgement.claim.label} ({erratum.severity}): {erratum.correct}"
            for judgement in self.judgements
            for erratum in judgement.claim.errata
        ]
        for judgement in self.judgements:
            if judgement.differences:
                parts += ["", f"NOT AS RECORDED: {judgement.claim.label}"]
                parts += [f"    {line}" for line in judgement.differences]
        return [*parts, ""]

    def counts(self) -> dict[str, Any]:
        """Return the number of entries, steps, checks, errata and differences from the record."""
        outcomes = [outcome for judgement in self.judgements for outcome in judgement.outcomes]
        weights = Counter(outcome.finding.weight for outcome in outcomes)
        errata = Counter(
            e.severity for judgement in self.judgements for e in judgement.claim.errata
        )
        formal = [judgement.formal for judgement in self.judgements if judgement.formal is not None]
        return {
            "entries": sum(judgement.claim.kind is not Kind.PLACE for judgement in self.judgements),
            "steps": sum(len(judgement.steps) for judgement in self.judgements),
            "checks": len(outcomes),
            "symbolic": {weight: weights[weight] for weight in Weight},
            "formal": sum(theorems.settles for theorems in formal),
            "formal_in_part": sum(theorems.partial for theorems in formal),
            "errata": {severity: errata[severity] for severity in Severity},
            "not_as_recorded": sum(bool(judgement.differences) for judgement in self.judgements),
        }

    def summary(self) -> str:
        """Return the counts in a sentence."""
        counts = self.counts()
        symbolic = ", ".join(f"{count} {weight}" for weight, count in counts["symbolic"].items())
        coq = ""
        if counts["formal"] or counts["formal_in_part"]:
            coq = f"; Coq: {counts['formal']} entries, {counts['formal_in_part']} in part"
        changed = counts["not_as_recorded"]
        verdict = f"{changed} not as recorded" if changed else "all as recorded"
        required = counts["entries"] - len(set(self.labels))
        scope = ""
        if self.labels and required:
            scope = f" ({len(set(self.labels))} requested, {required} required by their proofs)"
        return (
            f"{counts['entries']} entries{scope}, {counts['steps']} proof steps,"
            f" {counts['checks']} checks (symbolic: {symbolic}{coq}), rng {self.rng},"
            f" depth {self.depth}: {verdict}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe values; every claim has its document as pairs of kind and text."""
        return {
            "schema": SCHEMA,
            "version": __version__,
            "rng": self.rng,
            "depth": self.depth,
            "counts": self.counts(),
            "claims": [
                {
                    "number": NUMBERS.get(judgement.claim.label),
                    **judgement.to_dict(),
                    "document": [(type(part).__name__, part) for part in document(judgement)],
                }
                for judgement in self.judgements
            ],
        }

    @property
    def exit_code(self) -> int:
        """70 after a crash, 1 if a status has changed, 3 if a check gave no answer, else 0."""
        statuses = {
            outcome.status for judgement in self.judgements for outcome in judgement.outcomes
        }
        if Status.ERROR in statuses or any(
            broken(judgement.formal) for judgement in self.judgements
        ):
            return 70
        changed = [judgement for judgement in self.judgements if judgement.differences]
        if not changed:
            return 0
        # Where a check gives no answer, what depends on it is only tested.
        weaker = (Status.UNDECIDED, Status.TESTED)
        silent = all(
            status in (recorded, *weaker)
            for judgement in changed
            for _, recorded, status in judgement.statuses
        )
        return 3 if silent and Status.UNDECIDED in statuses else 1


LEGEND = (
    "errata: how many; only a gap or a false line can change a status.",
    "not whole: something it depends on is open. evidence: the strongest check of the statement"
    " itself. tight: whether, or where, the bound is attained or approached (?: not known).",
    "rpttheory proofs LABEL shows one entry with its formulas, steps and counterexamples.",
)


def _short(status: Status) -> str:
    """Return a status as the table shows it."""
    return "" if status is Status.NONE else status.removeprefix("checked ").removeprefix("by ")


def _row(judgement: Judgement) -> tuple[str, ...]:
    claim = judgement.claim
    count = str(len(claim.errata) or "")
    number = NUMBERS.get(claim.label, "")
    return claim.label, number, _short(judgement.statement), _short(judgement.proof), count


def _remark(judgement: Judgement) -> str:
    """Return the kinds of errata, the evidence and the tightness of an entry in one line."""
    claim = judgement.claim
    severities = Counter(erratum.severity for erratum in claim.errata)
    parts = [f"{severities[s]} {s}" for s in reversed(Severity) if severities[s]]
    if not judgement.whole:
        parts.append("not whole")
    if judgement.evidence is not None:
        parts.append(f"evidence: {judgement.evidence}")
    if judgement.formal is not None and judgement.formal.partial:
        parts.append("Coq in part")
    if claim.bound not in (None, Bound.EQUALITY):
        where = claim.tight_where or {True: "yes", False: "no", None: "?"}[claim.tight]
        parts.append(f"tight: {where}")
    return ", ".join(parts)


def indented(parts: Document) -> list[str | Table]:
    """Return a document as text, with everything below its title indented."""
    title, *body = parts
    return [
        title,
        *(
            " " * (8 if isinstance(part, (Formula, Code)) else 4) + line
            for part in body
            for line in str(part).splitlines()
        ),
    ]


def document(judgement: Judgement) -> list[str]:
    """Return an entry: statement, errata, Coq theorems, proof step by step, and its relations."""
    claim = judgement.claim
    in_paper = f"; {NUMBERS[claim.label]} in {PAPER}" if claim.label in NUMBERS else ""
    parts: list[str] = [
        Heading(f"{claim.label}  {claim.title}"),
        f"{claim.kind}; {claim.origin}{in_paper}",
        Formula(claim.latex),
    ]
    if is_printed(claim, 0) is False:
        parts.append("paraphrased; the paper's line differs in more than notation")
    parts.append(claim.text)
    if judgement.statement is not Status.NONE:
        parts.append(f"statement {judgement.statement}: {MEANING[judgement.statement]}")
    if judgement.proof is not Status.NONE:
        whose = "printed proof" if claim.origin.startswith("the paper") else "proof"
        parts.append(f"{whose} {judgement.proof}")
    if claim.repaired_by:
        parts.append(Links(f"proved by: {claim.repaired_by}"))
    parts.append(
        "nothing it depends on is open" if judgement.whole else "something it depends on is open"
    )
    if claim.formulas:
        parts += ["checked on matrices:", *map(Formula, claim.formulas)]
    if claim.assumptions:
        parts.append(f"assumes: {'; '.join(claim.assumptions)}")
    if claim.tightness:
        parts.append(f"tightness: {claim.tightness}")
    parts += [part for erratum in claim.errata for part in _erratum(erratum)]
    if judgement.formal is not None:
        parts += [f"Coq: {judgement.formal}", *map(Code, judgement.formal.statements)]
    parts += _checks("statement as printed" if claim.corrected else "statement", claim, judgement)
    for number, step in enumerate(judgement.steps, 1):
        parts += [f"step {number} [{step.status}]: {step.step.text}", Formula(step.step.latex)]
        if is_printed(claim, number) is False:
            parts.append("paraphrased; the paper's line differs in more than notation")
        parts += _outcome("as printed" if step.mended else "check", step.printed, step.step.check)
        if step.mended is not None and step.step.mended is not None:
            if step.step.correction:
                parts += ["corrected:", Formula(step.step.correction)]
            parts += _outcome("corrected", step.mended, step.step.mended)
    relations = {"rests on": dict.fromkeys([*claim.needs, *claim.proof_needs]), "see": claim.see}
    parts += [Links(f"{word}: {', '.join(labels)}") for word, labels in relations.items() if labels]
    return [*parts, *(f"NOT AS RECORDED: {line}" for line in judgement.differences)]


def _erratum(erratum: Erratum) -> list[str]:
    """Return what is printed, then the formula that should be, or a comment in words."""
    is_formula = "\\" in erratum.correct
    return [
        f"erratum ({erratum.severity}), printed:",
        Formula(erratum.printed),
        "it should be:" if is_formula else f"comment: {erratum.correct}",
        *([Formula(erratum.correct)] if is_formula else []),
    ]


def _checks(title: str, claim: Entry, judgement: Judgement) -> list[str]:
    printed = zip(judgement.checks, claim.checks, strict=True)
    corrected = zip(judgement.corrected, claim.corrected, strict=True)
    return [
        *(part for pair in printed for part in _outcome(title, *pair)),
        *(part for pair in corrected for part in _outcome("statement as corrected", *pair)),
    ]


def _outcome(title: str, outcome: Outcome, check: Check) -> list[str]:
    """Return what was checked, the answer, and the formulas that sympy decided."""
    finding = outcome.finding
    covers = f" ({check.covers})" if check.covers else ""
    answer = finding.error or finding.witness or finding.scope
    return [
        f"{title}{covers}: {outcome.status}, {outcome.how}: {answer}",
        *(f"    {formula}" for formula in finding.formulas),
    ]
