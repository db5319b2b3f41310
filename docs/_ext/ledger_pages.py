"""The ledger as pages, one for each label, made from what the checks find during the build."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from api_pages import citations
from prose import with_formulas
from sphinx.errors import ExtensionError
from written import write

from proofs_check.engine.entry import MEANING, Severity, Status
from rpttheory.statements import STATEMENTS

ROOT = Path(__file__).parents[2]
Claim = dict[str, Any]


def ledger(kept: Path) -> list[Claim]:
    """What `rpttheory proofs --json` says; kept beside the site for as long as the source is the
    same.
    """
    sources = sorted(
        path for name in ("rpttheory", "proofs_check") for path in (ROOT / name).rglob("*.py")
    )
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    path = kept / f"ledger-{digest[:16]}.json"
    if not path.exists():
        command = [
            sys.executable,
            "-c",
            "from rpttheory.cli import run; run()",
            "proofs",
            "--json",
            "--time-limit",
            "600",
        ]
        kept.mkdir(parents=True, exist_ok=True)
        path.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
    return json.loads(path.read_text(encoding="utf-8"))["claims"]


def slug(label: str) -> str:
    """The name of a label's page."""
    return label.replace(":", "-")


class Pages:
    """The pages of these claims, in Markdown: the documents of their entries, with links."""

    def __init__(self, claims: list[Claim]) -> None:
        self.claims = claims
        self.by_label = {claim["label"]: claim for claim in claims}
        labels = sorted(self.by_label, key=len, reverse=True)
        self.mention = re.compile("(" + "|".join(map(re.escape, labels)) + r")(?![\w:-])")
        self.cited: dict[str, list[str]] = {}
        for name, label, _ in citations():
            self.cited.setdefault(label, []).append(name)

    def plain(self, text: str) -> str:
        """Return plain text with its labels linked and its formulas set."""
        parts = self.mention.split(text)
        return "".join(
            f"[{part}]({slug(part)}.md)" if index % 2 else prose(part)
            for index, part in enumerate(parts)
        )

    def body(self, claim: Claim) -> list[str]:
        """Return the document of an entry without its title."""
        lines = []
        for kind, text in claim["document"][1:]:
            fence = {"Formula": "{math}", "Code": "text"}.get(kind)
            if fence is not None:
                block = f"```{fence}\n{text}\n```"
            elif text.startswith("    "):  # a formula as sympy writes it
                block = f"`{text.strip()}`"
            else:
                block = self.plain(text.strip())
            lines += ["", block]
        return lines

    def page(self, claim: Claim) -> str:
        """Return the page of one entry."""
        label = claim["label"]
        users = [
            user["label"]
            for user in self.claims
            if label in {*user["needs"], *user["proof_needs"], user["repaired_by"]}
        ]
        names = ", ".join(f"{{py:obj}}`{name}`" for name in self.cited.get(label, ()))
        lines = [f"# {escaped(claim['title'])}", "", f"`{label}`", *self.body(claim)]
        lines += ["", f"Used by: {self.plain(', '.join(users))}."] if users else []
        lines += ["", f"Computed by: {names}."] if names else []
        return "\n".join([*lines, "", f"Check it again: `rpttheory proofs {label}`.", ""])

    def index(self) -> str:
        """Return the legend and all entries in a table."""
        statuses = {c[key] for c in self.claims for key in ("statement_status", "proof_status")}
        legend = [f"- {status(s)}: {MEANING[s]}" for s in Status if s in statuses and MEANING[s]]
        lines = ["# The ledger", "", INTRODUCTION, "", *legend]
        tree = ["", "```{toctree}", ":hidden:", "", "errata", "theorems", "```"]
        for title, words, belongs in GROUPS:
            claims = [claim for claim in self.claims if belongs(claim)]
            lines += ["", f"## {title}", "", words, ""]
            lines += ["| entry | statement | proof |", "|---|---|---|"]
            for claim in claims:
                statuses = (status(claim[key]) for key in ("statement_status", "proof_status"))
                cells = [f"{prose(claim['title'])}<br>{self.plain(claim['label'])}", *statuses]
                lines.append(f"| {' | '.join(cells)} |")
            tree += ["", "```{toctree}", ":hidden:", f":caption: {title}", ""]
            tree += [*(slug(claim["label"]) for claim in claims), "```"]
        return "\n".join([*lines, *tree, ""])

    def errata(self) -> str:
        """Return all errata of the paper on one page, the gravest first."""
        lines = ["# Errata of the paper", "", ERRATA]
        for severity in reversed(Severity):
            errata = [
                (claim, erratum)
                for claim in self.claims
                for erratum in claim["errata"]
                if erratum["severity"] == severity
            ]
            lines += ["", f"## {severity.capitalize()} ({len(errata)})"] if errata else []
            for claim, erratum in errata:
                correct = erratum["correct"]
                words = formula(correct) if "\\" in correct else [self.plain(correct) + "."]
                lines += ["", f":::{{admonition}} {escaped(claim['title'])}"]
                lines += [self.plain(claim["label"]) + ", printed:", *formula(erratum["printed"])]
                lines += ["Correction:", "", *words, ":::"]
        lines += [
            "",
            "## Witnesses",
            "",
            "Counterexamples, each confirmed when this page was built.",
        ]
        for claim in filter(lambda claim: claim["errata"], self.claims):
            checks = [*claim["checks"], *(step["printed"] for step in claim["steps"])]
            witnesses = dict.fromkeys(check["witness"] for check in checks if check["witness"])
            label = self.plain(claim["label"])
            lines += ["", *(f"- {label}: {self.plain(witness)}." for witness in witnesses)]
        return "\n".join([*lines, ""])

    def theorems(self) -> str:
        """Return every claim of ours with its proof."""
        lines = ["# Our theorems, with their proofs", "", THEOREMS]
        for claim in self.claims:
            if claim["label"].startswith("our:"):
                lines += ["", f"## {escaped(claim['title'])}", "", self.plain(claim["label"])]
                lines += self.body(claim)
        return "\n".join([*lines, ""])


INTRODUCTION = """Every labeled statement of the paper, every displayed line of its proofs, and
what we add, each with what this build of the site found. A statement and its printed proof have
statuses of their own: a true lemma may have a broken proof. Labels are those of the paper's LaTeX
source; `text:` marks claims made in passing, `our:` claims of ours, `fact:` textbook facts. [All
errata on one page](errata.md)."""
GROUPS: tuple[tuple[str, str, Callable[[Claim], bool]], ...] = (
    (
        "The paper",
        "Labeled statements, and claims made in the text. [All errata](errata.md), by severity.",
        lambda claim: claim["source"].startswith("the paper"),
    ),
    (
        "Our theorems",
        "Sharper or further statements. [All of them with their proofs](theorems.md), on one page.",
        lambda claim: claim["label"].startswith("our:"),
    ),
    (
        "Textbook and other papers",
        "What the proofs rest on.",
        lambda claim: (
            not claim["label"].startswith("our:") and not claim["source"].startswith("the paper")
        ),
    ),
)
ERRATA = """What the paper prints, and a correction or comment, by severity: *false*, *gap* (claimed
and not shown), *unstated assumption*, *typo*, and *remark* (nothing is wrong). Only a gap or a
false line can change the status of a statement or a proof."""
THEOREMS = """Generated from the [ledger](index.md): the statements that are not in the paper, each
step of each proof with what decided it. *definitional*, *algebra* and *inequality* say what
computer algebra had to do; every step is put so that it covers all dimensions."""


def escaped(text: str) -> str:
    """Return text with nothing taken for markup."""
    return re.sub(r"([\\`*_{}\[\]<>|$#~^])", r"\\\1", text)


def prose(text: str) -> str:
    """Return plain text with its formulas in LaTeX and nothing else taken for markup."""
    parts = with_formulas(text)
    return "".join(f"${part}$" if kind == "formula" else escaped(part) for kind, part in parts)


def status(word: str) -> str:
    """Return a status in its color."""
    return "" if word == "none" else f'<span class="status {word.replace(" ", "-")}">{word}</span>'


def formula(latex: str) -> list[str]:
    """A displayed formula."""
    return ["", "```{math}", latex, "```", ""]


def wrong_citations(by_label: dict[str, Claim]) -> list[str]:
    """Return citations that disagree with the ledger, and statements of the paper that nothing
    cites.

    Docstrings cite statements, and so does the table of statements.
    """
    cited = {statement.label for statement in STATEMENTS}
    errors = [
        f"the table of statements has {label}, which is not in the ledger"
        for label in sorted(cited - by_label.keys())
    ]
    for name, label, bound in citations():
        cited.add(label)
        claim = by_label.get(label)
        if claim is None:
            errors.append(f"{name} cites {label}, which is not in the ledger")
        elif bound and (not claim["bound"] or claim["tight"] not in (None, "tight" in bound)):
            errors.append(
                f"{name} cites {label} {bound}: the ledger has {claim['bound']}, tight"
                f" {claim['tight']}"
            )
    kinds = ("lemma", "theorem", "proposition", "corollary")
    printed = {
        label
        for label, claim in by_label.items()
        if claim["source"] == "the paper" and claim["kind"] in kinds
    }
    return errors + [f"nothing cites {label}" for label in sorted(printed - cited)]


def generate(app: Any) -> None:
    """Write the pages before Sphinx looks for sources."""
    source = Path(app.srcdir)
    pages = Pages(ledger(source / "_build" / "kept"))
    if errors := wrong_citations(pages.by_label):
        raise ExtensionError("; ".join(errors))
    entries = {f"{slug(claim['label'])}.md": pages.page(claim) for claim in pages.claims}
    write(
        source / "ledger",
        {
            "index.md": pages.index(),
            "errata.md": pages.errata(),
            "theorems.md": pages.theorems(),
            **entries,
        },
    )


def setup(app: Any) -> dict[str, bool]:
    """Generate when the build begins."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
