"""The entries of the ledger: a statement, the steps of its proof, and how each is checked.

A statement and its printed proof have separate statuses: a true lemma may have a broken proof. An
entry records the statuses that we expect; `status` computes them from what the checks find.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import Any

import numpy as np

from rpttheory.statements import latex, statements


class Evidence(IntEnum):
    """How a check decides, the weakest first. Nothing below EXACT can cover a whole statement."""

    SAMPLED = 1
    ENUMERATED = 2
    EXACT_EXPECTATION = 3
    RIGOROUS = 4
    EXACT = 5
    SYMBOLIC = 6
    FORMAL = 7

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


class Weight(StrEnum):
    """The work that a symbolic check did, computed from its expressions.

    DEFINITIONAL: none, both sides are the same expression (or differ by a symbol declared
    nonnegative) before anything is simplified. ALGEBRA: an identity that needs simplification.
    INEQUALITY: a difference rewritten as squares and products of symbols with known signs.
    """

    DEFINITIONAL = "definitional"
    ALGEBRA = "algebra"
    INEQUALITY = "inequality"


class Status(StrEnum):
    """The status of a statement, of a proof or of one of its steps; `MEANING` explains each.

    CORRECTED and FALSE need an erratum that is a gap or false (`Severity`). A line with a typo, or
    with an unstated assumption, has the status of the line that was meant.
    """

    FORMAL = "formal"
    COMPUTED = "computed"
    CHECKED = "checked step by step"
    TESTED = "tested on instances"
    DEFINITIONAL = "by definition"
    CORRECTED = "corrected"
    FALSE = "false"
    CITED = "cited"
    OPEN = "open"
    NONE = "none"
    UNDECIDED = "undecided"
    ERROR = "error"


MEANING = {
    Status.FORMAL: "proved in Coq, without axioms (--formal).",
    Status.COMPUTED: "the whole of it is decided exactly by the program.",
    Status.CHECKED: (
        "the program decides every step of a proof, or parts of the statement. That the steps make"
        " up a proof is argued in prose; the whole is tested on instances, stated in Coq, or cited."
    ),
    Status.TESTED: "true on all instances tested, which proves nothing.",
    Status.DEFINITIONAL: "it follows by unfolding definitions.",
    Status.CORRECTED: (
        "false as printed, by a counterexample; true with the correction stated. A typo does not"
        " count."
    ),
    Status.FALSE: "false, by a counterexample (of a proof: a step does not follow).",
    Status.CITED: "the paper leaves the proof, or a part of it, to a citation.",
    Status.OPEN: "neither proved nor refuted, or not decidable from what is printed.",
    Status.NONE: "",
    Status.UNDECIDED: "a check gave no answer, or no check compares both sides of the statement.",
    Status.ERROR: "a check crashed, or Coq does not confirm what was recorded.",
}


class Severity(StrEnum):
    """The severity of an erratum, the mildest first.

    REMARK: nothing is wrong, a reader may stumble. TYPO: a wrong letter, index or reference, where
    it is plain what is meant. UNSTATED: an assumption that is used and not stated, or stated
    elsewhere. GAP: something is claimed and not shown. FALSE: a formula or a sentence that is false
    as printed.
    """

    REMARK = "remark"
    TYPO = "typo"
    UNSTATED = "unstated assumption"
    GAP = "gap"
    FALSE = "false"

    @property
    def changes_status(self) -> bool:
        """True if such an erratum can change the status of a statement or a proof."""
        return self in (Severity.GAP, Severity.FALSE)


class Kind(StrEnum):
    """The kind of an entry."""

    DEFINITION = "definition"
    ASSUMPTION = "assumption"
    ALGORITHM = "algorithm"
    LEMMA = "lemma"
    THEOREM = "theorem"
    COROLLARY = "corollary"
    PROPOSITION = "proposition"
    REMARK = "claim in the text"
    TABLE = "table"
    PLACE = "section, figure or line"
    FACT = "textbook fact"
    OURS = "our claim"


# The prefixes of the labels of each kind.
LABEL_KINDS = {
    **dict.fromkeys(("alg", "line"), Kind.ALGORITHM),
    **dict.fromkeys(("as", "ass"), Kind.ASSUMPTION),
    **dict.fromkeys(("text", "eq"), Kind.REMARK),
    **dict.fromkeys(("sec", "subsec", "fig"), Kind.PLACE),
    "def": Kind.DEFINITION,
    "lem": Kind.LEMMA,
    "thm": Kind.THEOREM,
    "prop": Kind.PROPOSITION,
    "table": Kind.TABLE,
    "fact": Kind.FACT,
    "our": Kind.OURS,
}


class Bound(StrEnum):
    """The relation between the sides of a statement."""

    EQUALITY = "="
    UPPER = "<="
    LOWER = ">="


@dataclass(frozen=True)
class Trial:
    """The input of a check: a random generator, and a factor for the number of instances."""

    rng: np.random.Generator
    depth: int = 1

    def instances(self, count: int) -> int:
        """Return the number of random instances, for `count` of them at the default depth."""
        return count * self.depth


@dataclass(frozen=True)
class Finding:
    """The answer of a check.

    Attributes
    ----------
    holds : bool or None
        True, False (then `witness` has the counterexample) or None: no answer.
    general : bool
        True if the answer covers everything the statement speaks of, and not only instances.
    scope : str
        What was covered: "all d and p", "d = 3, symbolic entries", "1200 matrices of size 2 to 6".
    witness : str
        The counterexample in words and simple fractions.
    weight : Weight or None
        For a symbolic check, the most that any of its formulas needed.
    formulas : tuple of str
        The formulas that a symbolic check decided, as sympy prints them.
    error : str
        The message of a crash.
    """

    holds: bool | None
    scope: str
    general: bool = False
    witness: str = ""
    weight: Weight | None = None
    formulas: tuple[str, ...] = ()
    error: str = ""


def proved(scope: str, weight: Weight | None = None, formulas: tuple[str, ...] = ()) -> Finding:
    """Return the finding of a check that covers the whole statement."""
    return Finding(True, scope, general=True, weight=weight, formulas=formulas)


def held(scope: str) -> Finding:
    """Return the finding that a statement holds on all instances tested."""
    return Finding(True, scope)


def failed(witness: str, scope: str = "one witness") -> Finding:
    """Return the finding that a statement is false, with a counterexample in words."""
    return Finding(False, scope, general=True, witness=witness)


def unanswered(scope: str) -> Finding:
    """Return a finding without an answer, with the reason."""
    return Finding(None, scope)


@dataclass(frozen=True)
class Check:
    """A check: a module-level function with its arguments, and the strength of its evidence.

    It can be sent to another process, and `lines` can compute a digest of all that it depends on.
    """

    evidence: Evidence
    function: Callable[..., Finding]
    arguments: tuple[Any, ...] = ()

    def run(self, trial: Trial) -> Finding:
        """Return what the function finds."""
        return self.function(trial, *self.arguments)

    @property
    def formulas(self) -> Any:
        """The formulas of a check that is written as text, with `text` and `words`, or None."""
        return next((part for part in self.arguments if hasattr(part, "words")), None)

    @property
    def covers(self) -> str:
        """The words of its formulas, its claims, or the summary of its function's docstring."""
        if self.formulas is not None:
            return str(self.formulas.words)
        for argument in self.arguments:
            if isinstance(argument, tuple):
                return "; ".join(argument)
            function = getattr(argument, "func", argument)
            if inspect.isfunction(function) and function.__doc__:
                return " ".join(function.__doc__.partition("\n\n")[0].split()).rstrip(".")
        return ""


@dataclass(frozen=True)
class Erratum:
    """What the paper prints, what it should print, and the severity of the difference."""

    printed: str
    correct: str
    severity: Severity


def change_status(errata: Sequence[Erratum]) -> bool:
    """Return whether one of these errata can change a status."""
    return any(erratum.severity.changes_status for erratum in errata)


@dataclass(frozen=True)
class Step:
    """One displayed line of a proof.

    `check` is about the line as printed. Where that fails and the line can be corrected,
    `correction` is the corrected line, `mended` checks it, and `mends` are the errata of the entry
    that it puts right.
    """

    latex: str
    text: str
    check: Check
    correction: str = ""
    mended: Check | None = None
    mends: tuple[Erratum, ...] = ()

    @property
    def expected(self) -> Status:
        """The status that the checks should find."""
        return Status.CORRECTED if change_status(self.mends) else Status.COMPUTED


@dataclass(frozen=True)
class Formal:
    """The Coq theorems that together state what a label states.

    Attributes
    ----------
    theorems : str
        Their names in reading order; refuted stronger statements and instances are among them.
    text : str
        A summary of the theorems in words.
    missing : str
        The part of the label's statement (the corrected one, where there is one) that the theorems
        leave out; empty if they state all of it.
    instance : str
        `file.theorem`, a theorem which shows that the hypotheses can be met; without a file it is
        in `file`.
    no_instance : str
        The reason why no instance is needed, if there is none.
    refutes : bool
        True if the theorems refute the label's statement.
    file : str
        The stem of the file in `proofs_check/formal`; by default it is named after the label.
    """

    theorems: str
    text: str
    missing: str = ""
    instance: str = ""
    no_instance: str = ""
    refutes: bool = False
    file: str = ""

    @property
    def names(self) -> list[str]:
        """The theorems and the instance, each as `file.theorem`."""
        names = [f"{self.file}.{theorem}" for theorem in self.theorems.split()]
        return list(dict.fromkeys([*names, self.instance])) if self.instance else names

    def completed(self, label: str) -> "Formal":
        """Return the theorems with the file filled in and the instance qualified by its file."""
        file = self.file or label.replace(":", "_")
        qualified = not self.instance or "." in self.instance
        instance = self.instance if qualified else f"{file}.{self.instance}"
        return replace(self, file=file, instance=instance)


class Formality(StrEnum):
    """What became of the theorems of a label."""

    RECORDED = "recorded, not compiled in this run"
    PROVED = "proved"
    AXIOMS = "rests on axioms"
    CHANGED = "states something else than was recorded"
    FAILED = "does not compile"


@dataclass(frozen=True)
class Theorems:
    """The theorems of a label, as Coq prints them, and their status; `reason` is Coq's message on a
    failure.
    """

    entry: Formal
    statements: tuple[str, ...]
    formality: Formality
    reason: str = ""

    @property
    def settles(self) -> bool:
        """True if they decide the whole of what the label says."""
        return self.formality is Formality.PROVED and not self.entry.missing

    @property
    def partial(self) -> bool:
        """True if they decide a part of it."""
        return self.formality is Formality.PROVED and bool(self.entry.missing)

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            **vars(self.entry),
            "file": f"{self.entry.file}.v",
            "theorems": self.entry.theorems.split(),
            "formality": self.formality,
            "reason": self.reason,
            "statements": self.statements,
        }

    def __str__(self) -> str:
        missing = f"; not shown: {self.entry.missing}" if self.entry.missing else ""
        return (
            f"{self.formality}{self.reason and ': '}{self.reason} ({self.entry.file}.v:"
            f" {self.entry.text}{missing})"
        )


@dataclass(frozen=True)
class Entry:
    """An entry of the ledger.

    Attributes
    ----------
    label : str
        The LaTeX label; for entries without one a name after "text:", "fact:" or "our:".
    latex : str
        The statement as displayed. A statement of ours that the table of statements has in full
        leaves it empty, and is displayed as the table has it.
    needs : tuple of str
        Labels that the statement uses (definitions, assumptions).
    proof_needs : tuple of str
        Labels that the accepted proof uses: the printed one, or the one that repairs it.
    see : tuple of str
        Labels that the text mentions without depending on them.
    checks : tuple of Check
        Checks of the whole statement as printed.
    corrected : tuple of Check
        Checks of the corrected statement, where the printed one fails.
    mends : tuple of Erratum
        The errata that `corrected` puts right. The statement is CORRECTED only if one of them is a
        gap or false.
    steps : tuple of Step
        The lines of the proof.
    statement, proof : Status
        The recorded statuses.
    repaired_by : str
        The label of the entry whose proof establishes the (corrected) statement where the printed
        proof does not.
    tight : bool or None
        True if an upper or lower bound is attained (or approached); None where nobody knows. A
        bound with a number of steps in it must be tight for every number of them.
    tight_where : str
        The condition under which a tight bound is attained, if it is not always.
    tightness : str
        What attains it, or by how much it misses.
    formal : Formal, optional
        The Coq theorems.
    sort : Kind, optional
        The kind, where the prefix of the label does not tell it.
    """

    label: str
    title: str
    text: str
    latex: str = ""
    statement: Status = Status.CHECKED
    proof: Status = Status.CHECKED
    checks: tuple[Check, ...] = ()
    corrected: tuple[Check, ...] = ()
    mends: tuple[Erratum, ...] = ()
    steps: tuple[Step, ...] = ()
    needs: tuple[str, ...] = ()
    proof_needs: tuple[str, ...] = ()
    see: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    bound: Bound | None = None
    tight: bool | None = None
    tight_where: str = ""
    tightness: str = ""
    errata: tuple[Erratum, ...] = ()
    repaired_by: str = ""
    source: str = ""
    formal: Formal | None = None
    sort: Kind | None = None

    def __post_init__(self) -> None:
        if not self.latex:
            object.__setattr__(self, "latex", r", \quad ".join(self.formulas))
        if not self.latex:
            raise ValueError(f"{self.label} displays nothing, and is not in the table")
        if self.formal is not None:
            object.__setattr__(self, "formal", self.formal.completed(self.label))

    @property
    def kind(self) -> Kind:
        """The kind, by the prefix of the label unless `sort` is given."""
        return self.sort or LABEL_KINDS[self.label.partition(":")[0]]

    @property
    def formulas(self) -> tuple[str, ...]:
        """LaTeX of the formulas that the table of statements has under the label."""
        return tuple(latex(statement.claim) for statement in statements(self.label))

    @property
    def below(self) -> set[str]:
        """The labels of everything that it depends on directly."""
        return {*self.needs, *self.proof_needs, *filter(None, [self.repaired_by])}

    @property
    def origin(self) -> str:
        """The source of the claim: its citation, rpttheory, or the paper."""
        return self.source or ("rpttheory" if self.label.startswith("our:") else "the paper")

    @property
    def stated_elsewhere(self) -> bool:
        """True if the whole statement is a textbook's, or stated in Coq."""
        return self.kind is Kind.FACT or (self.formal is not None and not self.formal.missing)

    @property
    def all_checks(self) -> list[Check]:
        """Every check, in the order in which `judge` takes their outcomes."""
        of_steps = [check for step in self.steps for check in (step.check, step.mended) if check]
        return [*self.checks, *self.corrected, *of_steps]
