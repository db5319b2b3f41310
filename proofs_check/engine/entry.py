"""What the ledger says of a statement: the claim, the steps of its proof, and how each is checked.

A statement and its printed proof are judged apart: a true lemma may have a broken proof. What is
written here is what we expect; what `runner` computes from the checks must agree with it.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any

import numpy as np

from rpttheory.statements import latex, statements


class Evidence(IntEnum):
    """How a check knows, the strongest last. Nothing below EXACT can cover a statement whole."""

    SAMPLED = 1
    ENUMERATED = 2
    EXACT_EXPECTATION = 3
    RIGOROUS = 4
    EXACT = 5
    SYMBOLIC = 6
    FORMAL = 7

    def __str__(self) -> str:
        return self.name.replace("_", " ")


class Weight(StrEnum):
    """What a symbolic check had to do, computed from its expressions.

    DEFINITIONAL: nothing, both sides are the same expression (or differ by a symbol declared not
    negative) before anything is simplified. ALGEBRA: an identity that takes simplifying.
    INEQUALITY: a difference rewritten as squares and products of symbols with known signs.
    """

    DEFINITIONAL = "definitional"
    ALGEBRA = "algebra"
    INEQUALITY = "inequality"


class Status(StrEnum):
    """The state of a statement, of a proof or of one of its steps.

    VERIFIED: decided by the machine, for everything it speaks of: by a proof in Coq, or both sides
    of a statement (or of a step) by computer algebra, or finitely many given numbers exactly.
    ARGUED: every step of a proof is decided in that way, and the statement held wherever it was
    tried; how the steps make up the proof is prose that people read. DEFINITIONAL: the checks put
    in letters and no more. SUPPORTED: held wherever it was tried, or its steps hold and it was not
    tried. CORRECTED: false as printed, by a witness, and verified or argued with the correction
    stated. REFUTED: false, by a witness. OPEN: tried hard, neither proved nor refuted. CITED: of a
    proof, that the paper leaves it, or a part of it, to a citation. NONE: nothing to decide; of a
    proof, that the paper gives no argument. UNDECIDED: a check gave no answer. ERROR: a check
    crashed.

    CORRECTED takes an erratum that is a gap or false (`Severity`). A line with a typo, or with an
    assumption left unstated, has the status of the line that was meant.
    """

    VERIFIED = "verified"
    ARGUED = "argued"
    DEFINITIONAL = "definitional"
    SUPPORTED = "supported"
    CORRECTED = "corrected"
    REFUTED = "refuted"
    OPEN = "open"
    CITED = "cited"
    NONE = "none"
    UNDECIDED = "undecided"
    ERROR = "error"


class Severity(StrEnum):
    """The weight of an erratum, the lightest first.

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
    def colors(self) -> bool:
        """Whether an erratum of this severity can change the status of a statement or a proof."""
        return self in (Severity.GAP, Severity.FALSE)


class Kind(StrEnum):
    """What sort of entry a label is."""

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


# What the labels of each sort begin with.
KINDS = {
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
    """What the sides of a statement are to each other."""

    EQUALITY = "="
    UPPER = "<="
    LOWER = ">="


@dataclass(frozen=True)
class Trial:
    """What a check is given: random numbers that repeat with the seed, and how hard to try."""

    rng: np.random.Generator
    depth: int = 1

    def instances(self, count: int) -> int:
        """The number of random instances, for `count` of them at the default depth."""
        return count * self.depth


@dataclass(frozen=True)
class Finding:
    """What a check found.

    Attributes
    ----------
    holds : bool or None
        True, False (then `witness` says where) or None: no answer.
    general : bool
        Whether the answer covers everything the statement speaks of, or the instances tried only.
    scope : str
        What was covered: "all d and p", "d = 3, symbolic entries", "1200 matrices of size 2 to 6".
    witness : str
        The counterexample in words and simple fractions.
    weight : Weight or None
        Of a symbolic check: the most that any of its formulas asked for.
    formulas : tuple of str
        What a symbolic check decided, as the machine saw it.
    """

    holds: bool | None
    scope: str
    general: bool = False
    witness: str = ""
    weight: Weight | None = None
    formulas: tuple[str, ...] = ()


def proved(scope: str, weight: Weight | None = None, formulas: tuple[str, ...] = ()) -> Finding:
    """The check covers the whole statement."""
    return Finding(True, scope, general=True, weight=weight, formulas=formulas)


def held(scope: str) -> Finding:
    """Every instance tried agreed."""
    return Finding(True, scope)


def failed(witness: str, scope: str = "one witness") -> Finding:
    """A counterexample, in words."""
    return Finding(False, scope, general=True, witness=witness)


def unanswered(scope: str) -> Finding:
    """No answer, and why."""
    return Finding(None, scope)


@dataclass(frozen=True)
class Check:
    """A way of checking: a function of a module with its arguments, and how strong it is.

    It can be sent to another process, and `lines` can take a digest of all that it depends on.
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
        return next((one for one in self.arguments if hasattr(one, "words")), None)

    @property
    def covers(self) -> str:
        """The words of its formulas, its claims, or the first line of its function's docstring."""
        if self.formulas is not None:
            return str(self.formulas.words)
        for argument in self.arguments:
            if isinstance(argument, tuple):
                return "; ".join(argument)
            function = getattr(argument, "func", argument)
            if inspect.isfunction(function) and function.__doc__:
                return function.__doc__.partition("\n")[0].rstrip(".")
        return ""


@dataclass(frozen=True)
class Erratum:
    """What the paper prints, what it should print, and how serious the difference is."""

    printed: str
    correct: str
    severity: Severity


def colored(errata: Sequence[Erratum]) -> bool:
    """Whether one of these errata can change a status."""
    return any(erratum.severity.colors for erratum in errata)


@dataclass(frozen=True)
class Step:
    """One displayed line of a printed proof.

    `check` looks at the line as printed. Where that fails and the line can be mended, `correction`
    is the mended line, `mended` checks it, and `mends` are the errata of the entry that it puts
    right. `recorded` is the status where it is neither CORRECTED, for a line that was mended from a
    gap or a false line, nor else VERIFIED.
    """

    latex: str
    text: str
    check: Check
    recorded: Status | None = None
    correction: str = ""
    mended: Check | None = None
    mends: tuple[Erratum, ...] = ()

    @property
    def expected(self) -> Status:
        """What the checks should find."""
        return self.recorded or (Status.CORRECTED if colored(self.mends) else Status.VERIFIED)


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
        Labels that the accepted proof uses: the printed one, or the repair's.
    see : tuple of str
        Labels that the words point to without resting on them. Steps point to nothing that is not
        needed.
    checks : tuple of Check
        Of the statement as printed, whole.
    corrected : tuple of Check
        Of the statement as corrected, where the printed one fails.
    mends : tuple of Erratum
        The errata that `corrected` puts right. The statement is CORRECTED only if one of them is a
        gap or false.
    steps : tuple of Step
        Of the printed proof.
    statement, proof : Status
        What is recorded, ARGUED unless said.
    repaired_by : str
        The label of the entry whose proof establishes the (corrected) statement where the printed
        proof does not.
    tight : bool or None
        Whether an upper or lower bound is attained (or approached); None where nobody knows. A
        bound that has a number of steps in it must be so for every number of them.
    tight_where : str
        The condition under which a tight bound is so, where it is not for everything that the
        statement speaks of.
    tightness : str
        What attains it, or by how much it misses.
    sort : Kind, optional
        Where the label does not begin as such entries do.
    """

    label: str
    title: str
    text: str
    latex: str = ""
    statement: Status = Status.ARGUED
    proof: Status = Status.ARGUED
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
    sort: Kind | None = None

    def __post_init__(self) -> None:
        if not self.latex:
            object.__setattr__(self, "latex", r", \quad ".join(self.formulas))
        if not self.latex:
            raise ValueError(f"{self.label} displays nothing, and is not in the table")

    @property
    def kind(self) -> Kind:
        """What sort of entry it is, by its label unless it says so itself."""
        return self.sort or KINDS[self.label.partition(":")[0]]

    @property
    def formulas(self) -> tuple[str, ...]:
        """LaTeX of the formulas that the table of statements has under the label."""
        return tuple(latex(statement.claim) for statement in statements(self.label))

    @property
    def below(self) -> set[str]:
        """The labels of everything that it rests on directly."""
        return {*self.needs, *self.proof_needs, *filter(None, [self.repaired_by])}

    @property
    def origin(self) -> str:
        """Where the claim comes from: its citation, or by its label ourselves or the paper."""
        return self.source or ("rpttheory" if self.label.startswith("our:") else "the paper")

    def to_dict(self) -> dict[str, Any]:
        """What is written, without what was found."""
        apart = ("statement", "proof", "checks", "corrected", "mends", "steps", "sort")
        found = {name: value for name, value in vars(self).items() if name not in apart}
        lists = {name: list(value) for name, value in found.items() if isinstance(value, tuple)}
        errata = [dict(vars(erratum)) for erratum in self.errata]
        return {
            **found,
            **lists,
            "formulas": list(self.formulas),
            "kind": self.kind,
            "errata": errata,
            "source": self.origin,
        }
