"""The ledger as pages, one for each label, made from what the checks find during the build."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from api_pages import citations
from sphinx.errors import ExtensionError
from written import write

from proofs_check.engine.entry import Status
from proofs_check.engine.text import MEANING
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
        command = [sys.executable, "-c", "from rpttheory.cli import run; run()", "proofs", "--json"]
        kept.mkdir(parents=True, exist_ok=True)
        path.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
    return json.loads(path.read_text(encoding="utf-8"))["claims"]


def slug(label: str) -> str:
    """The name of a label's page."""
    return label.replace(":", "-")


class Pages:
    """The pages of these claims, in Markdown."""

    def __init__(self, claims: list[Claim]) -> None:
        self.claims = claims
        self.by_label = {claim["label"]: claim for claim in claims}
        labels = sorted(self.by_label, key=len, reverse=True)
        self.mention = re.compile("(" + "|".join(map(re.escape, labels)) + r")(?![\w:-])")
        self.cited: dict[str, list[str]] = {}
        for name, label, _ in citations():
            self.cited.setdefault(label, []).append(name)

    def plain(self, text: str) -> str:
        """Plain text with its labels linked and nothing taken for markup."""
        parts = self.mention.split(text)
        return "".join(
            (
                f"[{part}]({slug(part)}.md)"
                if index % 2
                else re.sub(r"([\\`*_{}\[\]<>|$#~^])", r"\\\1", part)
            )
            for index, part in enumerate(parts)
        )

    def linked(self, labels: list[str]) -> str:
        """Labels as links."""
        return ", ".join(f"[{label}]({slug(label)}.md)" for label in labels)

    def page(self, claim: Claim) -> str:
        """One entry: statement, what it rests on, errata, proof step by step, and how each was
        checked.
        """
        users = [
            c["label"]
            for c in self.claims
            if claim["label"] in {*c["needs"], *c["proof_needs"], c["repaired_by"]}
        ]
        lines = [
            f"# {self.unlinked(claim['title'])}",
            "",
            f"`{claim['label']}`, {claim['kind']}, {claim['source']}.",
        ]
        if claim["statement_status"] != "none":
            lines[-1] += (
                f" Statement {status(claim['statement_status'])}:"
                f" {meaning(claim['statement_status'])}"
            )
        if claim["proof_status"] != "none":
            whose = "Printed proof" if claim["source"].startswith("the paper") else "Proof"
            lines += ["", f"{whose} {status(claim['proof_status'])}."]
        if claim["repaired_by"]:
            lines += ["", f"Proved by {self.linked([claim['repaired_by']])}."]
        lines += [*formula(claim["latex"]), self.plain(claim["text"])]
        if claim["formulas"]:
            lines += ["", "As the table of statements has it:"]
            lines += [line for text in claim["formulas"] for line in formula(text)]
        if claim["assumptions"]:
            lines += ["", "Assumes: " + self.plain("; ".join(claim["assumptions"])) + "."]
        if claim["tightness"]:
            lines += ["", "Tightness: " + self.plain(claim["tightness"]) + "."]
        for erratum in claim["errata"]:
            lines += self.erratum(erratum)
        if claim["formal"]:
            lines += ["", "## In Coq", "", self.plain(claim["formal"]["text"]) + "."]
            if claim["formal"]["missing"]:
                lines += ["", "Left out: " + self.plain(claim["formal"]["missing"]) + "."]
            lines += [
                line
                for text in claim["formal"]["statements"]
                for line in ("", "```text", text, "```")
            ]
        lines += self.proof(claim)
        if claim["checks"] or claim["corrected_checks"]:
            lines += ["", "## How the statement was checked", ""]
            word = "As printed" if claim["corrected_checks"] else "Whole"
            lines += [self.found(word, check) for check in claim["checks"]]
            lines += [self.found("As corrected", check) for check in claim["corrected_checks"]]
        relations = {
            "Rests on": self.linked(list(dict.fromkeys([*claim["needs"], *claim["proof_needs"]]))),
            "Used by": self.linked(users),
            "See also": self.linked(claim["see"]),
            "Computed by": ", ".join(
                f"{{py:obj}}`{name}`" for name in self.cited.get(claim["label"], ())
            ),
        }
        lines += ["", "## Around it", ""]
        lines += [f"- {word}: {what}." for word, what in relations.items() if what]
        again = f"rpttheory proofs {claim['label']}"
        return "\n".join([*lines, f"- Check it again: `{again}`.", ""])

    def unlinked(self, text: str) -> str:
        """A title: plain text without links."""
        return re.sub(r"([\\`*_{}\[\]<>|$#~^])", r"\\\1", text)

    def proof(self, claim: Claim, level: str = "##") -> list[str]:
        """The proof, each step with its status and what decided it."""
        lines = ["", f"{level} Proof", ""] if claim["steps"] else []
        for number, step in enumerate(claim["steps"], 1):
            lines += [
                "",
                f"**Step {number}**, {status(step['status'])}. {self.plain(step['text'])}",
            ]
            lines += formula(step["latex"])
            if step["correction"]:
                lines += ["Corrected:", *formula(step["correction"])]
            lines += [self.found("As printed" if step["mended"] else "Checked", step["printed"])]
            if step["mended"]:
                lines += [self.found("Corrected", step["mended"])]
        return lines

    def found(self, word: str, check: Claim) -> str:
        """What one check found, in a line."""
        weight = f" ({check['weight']})" if check["weight"] else ""
        what = self.plain(check["witness"] or check["scope"])
        return f"- {word}: {status(check['status'])}, {check['evidence'].lower()}{weight}: {what}."

    def erratum(self, erratum: dict[str, str]) -> list[str]:
        """Return what is printed, then the formula that should be, or a comment in words."""
        correct = erratum["correct"]
        comment = ["Comment:", "", self.plain(correct) + ".", ""]
        said = ["It should be:", *formula(correct)] if "\\" in correct else comment
        title = f":::{{admonition}} Erratum ({erratum['severity']})"
        printed = formula(erratum["printed"])
        return ["", title, "Printed:", *printed, *said, ":::"]

    def index(self) -> str:
        """All entries in a table, then those that only name a place."""
        lines = [
            "# The ledger",
            "",
            INTRODUCTION,
            "",
            "| label | what it says | statement | proof |",
            "|---|---|---|---|",
        ]
        for claim in self.claims:
            words = [
                status(claim[key]) if claim[key] != "none" else ""
                for key in ("statement_status", "proof_status")
            ]
            link = f"[{claim['label']}]({slug(claim['label'])}.md)"
            lines.append(f"| {link} | {self.unlinked(claim['title'])} | {words[0]} | {words[1]} |")
        met = {claim[key] for claim in self.claims for key in ("statement_status", "proof_status")}
        lines += [
            "",
            *(
                f"- {status(s.value)}: {MEANING[s]}"
                for s in Status
                if s.value in met and MEANING[s]
            ),
        ]
        tree = "\n".join(slug(claim["label"]) for claim in self.claims)
        return "\n".join(
            [*lines, "", "```{toctree}", ":hidden:", "", "errata", "theorems", tree, "```", ""]
        )

    def errata(self) -> str:
        """All errata of the paper on one page."""
        lines = ["# Errata of the paper", "", ERRATA]
        for claim in self.claims:
            if claim["errata"]:
                lines += [
                    "",
                    f"## {self.unlinked(claim['title'])}",
                    "",
                    f"[{claim['label']}]({slug(claim['label'])}.md)",
                ]
                for erratum in claim["errata"]:
                    lines += self.erratum(erratum)
                refuted = [
                    step["printed"]["witness"]
                    for step in claim["steps"]
                    if step["printed"]["witness"]
                ]
                refuted += [check["witness"] for check in claim["checks"] if check["witness"]]
                lines += [
                    "",
                    *(f"- Witness: {self.plain(words)}." for words in dict.fromkeys(refuted)),
                ]
        return "\n".join([*lines, ""])

    def theorems(self) -> str:
        """Every claim of ours with its proof."""
        lines = ["# Our theorems, with their proofs", "", THEOREMS]
        for claim in self.claims:
            if claim["label"].startswith("our:"):
                link = f"[{claim['label']}]({slug(claim['label'])}.md)"
                lines += [
                    "",
                    f"## {self.unlinked(claim['title'])}",
                    "",
                    f"{link}, {status(claim['statement_status'])}.",
                ]
                lines += [*formula(claim["latex"]), self.plain(claim["text"])]
                if claim["assumptions"]:
                    lines += ["", "Assumes: " + self.plain("; ".join(claim["assumptions"])) + "."]
                lines += self.proof(claim, "###")
        return "\n".join([*lines, ""])


INTRODUCTION = """Every labeled statement of the paper, every displayed line of its proofs, and
what we add, each with what this build of the site found. A statement and its printed proof have
statuses of their own: a true lemma may have a broken proof. Labels are those of the paper's LaTeX
source; `text:` marks claims made in passing, `our:` claims of ours, `fact:` textbook facts. [All
errata on one page](errata.md)."""
ERRATA = """What the paper prints, and a correction or comment, with a severity: *remark* (nothing
is wrong), *typo*, *unstated assumption*, *gap* (claimed and not shown) or *false*. Only a gap or a
false line can change the status of a statement or a proof. Every witness was confirmed anew when
this page was built."""
THEOREMS = """Generated from the [ledger](index.md): the statements that are not in the paper, each
step of each proof with what decided it. *definitional*, *algebra* and *inequality* say what
computer algebra had to do; every step is put so that it covers all dimensions."""


def status(word: str) -> str:
    """A status in its color, which is also a word."""
    return f'<span class="status {word}">{word}</span>'


def meaning(word: str) -> str:
    """What may be concluded from it."""
    return MEANING[Status(word)]


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
