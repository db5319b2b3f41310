"""No labeled statement of the paper is without an entry, and none is invented."""

import os
import re
from pathlib import Path

import pytest

from proofs_check.engine.entry import Entry, Kind
from proofs_check.ledger import entries

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


def test_the_committed_list_is_the_paper_s() -> None:
    if not PAPER.is_dir():
        pytest.skip("the paper's source is absent: RPTTHEORY_PAPER names its folder")
    source = "\n".join(path.read_text(encoding="utf-8") for path in sorted(PAPER.glob("*.txt")))
    assert labels_in(source) == list(LABELS)


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
