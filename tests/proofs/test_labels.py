"""No labeled statement of the paper is without an entry, and none is invented."""

import os
import re
from pathlib import Path

import pytest

from proofs_check.engine.entry import Entry, Kind
from proofs_check.ledger import entries
from rpttheory.statements.numbering import NUMBERS, as_label

# Every label of the paper's source, in its order. The ledger covers all but sections and figures.
LABELS = (
    "alg:PT", "line:PTb", "alg:MAIN-COMPACT", "as:matrixSmoothness", "as:stronglyConvex",
    "as:convex",
    "as:nonconvex", "sec:NewAnalysisOfRCD", "lem:key_quantity", "lem:generalizedSmoothness",
    "lem:secondMoment",
    "thm:rcdStronglyConvex", "thm:rcdConvex", "thm:rcdNonconvex", "sec:RPTintro",
    "subsec:formulation",
    "def:PTsketch", "alg:rpt", "sec:AnalysisOfRPT", "as:normalized", "eq:complexity",
    "lem:twoBounds",
    "lem:upperBound", "sec:Experiments", "fig:quad_functions", "table:quad_functions",
    "fig:ridge_regression",
    "table:ridge_regression", "fig:cifar10_train_cost", "fig:cifar10_test_cost",
    "fig:cifar10_train_epoch",
    "fig:cifar10_test_epoch", "fig:cifar10", "sec:wangEtAl", "sec:tightness",
    "prop:reachable_upper_bound",
    "sec:Generic", "ass:ABC", "thm:non-convex", "thm:oldConvex",
)  # fmt: skip

# A folder with the LaTeX source of the paper as .txt files.
PAPER = Path(os.environ.get("RPTTHEORY_PAPER", "paper"))


def labels_in(source: str) -> list[str]:
    """The labels of a LaTeX source in its order, comments left out."""
    uncommented = re.sub(r"(?<!\\)%.*", "", source)
    return re.findall(r"\\label\s*\{([^}]*)\}", uncommented)


def test_labels_are_found_outside_comments_only() -> None:
    source = "5\\% \\label{a:one} % \\label{a:two}\n\\begin{x}\\label {a:three}"
    assert labels_in(source) == ["a:one", "a:three"]


def paper_source() -> str:
    """The source of the paper; skips the test where it is absent."""
    if not PAPER.is_dir():
        pytest.skip("the paper's source is absent: RPTTHEORY_PAPER names its folder")
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(PAPER.glob("*.txt")))


def test_the_committed_list_is_the_paper_s() -> None:
    assert labels_in(paper_source()) == list(LABELS)


# Statements of the paper without a label, by what LaTeX prints above them.
UNLABELED = {
    "Definition 1": "text:matrixSmooth",
    "Definition 2": "text:LP",
    "Corollary 1": "text:corollary",
}


def numbers_in(source: str) -> dict[str, str]:
    """The number of every statement of a LaTeX source, by its label, or by `UNLABELED`.

    Raises if a counter is shared with another one or reset by sections.
    """
    source = re.sub(r"(?<!\\)%.*", "", source)
    titles = {"lemma": "Lemma", "algorithm": "Algorithm", "table": "Table", "equation": "Equation"}
    for environment, shared, title, within in re.findall(
        r"\\newtheorem\{(\w+)\}(\[\w+\])?\{(\w+)\}(\[\w+\])?", source
    ):
        assert not shared and not within, environment
        titles[environment] = title
    assert not re.search(r"\\(numberwithin|counterwithin)|\\begin\{(align|gather)\}", source)
    names = "|".join(titles)
    start = rf"\\begin\{{(?:restatable\}}(?:\[[^]]*\])?\{{)?({names})\*?\}}"
    count = dict.fromkeys(titles, 0)
    numbers = {}
    for match in re.finditer(start, source):
        environment = match[1]
        if environment == "remark" or match[0].endswith("*}"):
            continue
        count[environment] += 1
        number = f"{titles[environment]} {count[environment]}"
        end = re.compile(rf"\\end\{{({environment}|restatable)\}}").search(source, match.end())
        assert end is not None
        body = source[match.end() : end.start()]
        # Algorithms take the label that follows their caption.
        labels = labels_in(body.partition(r"\caption")[2] if r"\caption" in body else body)
        numbers[labels[0] if labels else UNLABELED[number]] = number
    return numbers


def test_numbers_follow_the_environments() -> None:
    source = r"""\newtheorem{theorem}{Theorem}
    \begin{restatable}{lemma}{a}\label{lem:a}\end{restatable}
    \begin{theorem}[of X]\label{thm:x}\end{theorem} \begin{lemma}\label{lem:b}\end{lemma}
    \begin{equation*}\end{equation*}\begin{equation}\label{eq:e}\end{equation}"""
    expected = {"lem:a": "Lemma 1", "thm:x": "Theorem 1", "lem:b": "Lemma 2", "eq:e": "Equation 1"}
    assert numbers_in(source) == expected
    with pytest.raises(AssertionError):
        numbers_in(r"\newtheorem{corollary}[theorem]{Corollary}")


def test_the_numbers_are_the_paper_s() -> None:
    assert numbers_in(paper_source()) == NUMBERS
    assert len(NUMBERS) == len(set(NUMBERS.values())) == 26


def test_a_number_names_its_entry() -> None:
    labels = {claim.label for claim in entries()}
    for label, number in NUMBERS.items():
        kind, _, count = number.partition(" ")
        assert label in labels and as_label(f"{kind.lower()[:3]}. {count}") == label
    for name in ("our:sdp", "lem:twoBounds", "Lemma 6", "L 1", "Lemma", "x:3"):
        assert as_label(name) == name
    assert as_label("Lemma 4/upper") == "lem:twoBounds/upper"


def test_every_label_has_an_entry() -> None:
    missing = set(LABELS) - {claim.label for claim in entries()}
    assert [label for label in missing if not label.startswith(("sec:", "subsec:", "fig:"))] == []


def test_no_entry_claims_a_label_that_the_paper_lacks() -> None:
    prefixes = {label.partition(":")[0] for label in LABELS}
    assert len(prefixes) > 10 and not prefixes & {"text", "fact", "our"}
    latex = {claim.label for claim in entries() if claim.label.partition(":")[0] in prefixes}
    assert latex - set(LABELS) == set()


def test_a_section_is_there_for_its_errata() -> None:
    sections = [claim for claim in entries() if claim.kind is Kind.PLACE]
    assert sections and all(claim.needs and claim.errata for claim in sections)


LABEL = re.compile(r"\b(?:[a-z]+\d{4}|[a-z]+):[A-Za-z][\w-]*")


def mentioned(*texts: str) -> set[str]:
    """The labels of entries that these words speak of."""
    return {label for text in texts for label in LABEL.findall(text)} & {
        claim.label for claim in entries()
    }


@pytest.mark.parametrize("claim", entries(), ids=lambda claim: claim.label)
def test_what_is_mentioned_is_declared(claim: Entry) -> None:
    """Steps and assumptions speak of what is needed alone; other words may point elsewhere, and say
    so in `see`.
    """
    steps = mentioned(
        *(text for step in claim.steps for text in (step.text, step.latex, step.correction))
    )
    assert steps | mentioned(*claim.assumptions) <= {*claim.below, claim.label}
    errata = (text for erratum in claim.errata for text in (erratum.printed, erratum.correct))
    pointers = mentioned(claim.text, claim.tightness, *errata) - claim.below - {claim.label}
    assert pointers == set(claim.see)


def test_labels_are_recognized() -> None:
    assert mentioned(
        "by our:sandwich, or lem:twoBounds (nesterov2012:lemma1): thm:non-convex."
    ) == {
        "our:sandwich",
        "lem:twoBounds",
        "nesterov2012:lemma1",
        "thm:non-convex",
    }
