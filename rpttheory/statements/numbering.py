"""The numbers of the paper's statements in arXiv:2306.03626v1, beside their LaTeX labels.

Each kind of statement has its own counter, which no section resets. The source declares no counter
for lemmas; they are counted on their own too. Definition 1, Definition 2 and Corollary 1 have no
label there; theirs are ours. A test derives the table from the source.
"""

import re

PAPER = "arXiv:2306.03626v1"
NUMBERS = {
    "alg:MAIN-COMPACT": "Algorithm 1",
    "alg:rpt": "Algorithm 2",
    "text:matrixSmooth": "Definition 1",
    "text:LP": "Definition 2",
    "def:PTsketch": "Definition 3",
    "as:matrixSmoothness": "Assumption 1",
    "as:stronglyConvex": "Assumption 2",
    "as:convex": "Assumption 3",
    "as:nonconvex": "Assumption 4",
    "as:normalized": "Assumption 5",
    "ass:ABC": "Assumption 6",
    "lem:key_quantity": "Lemma 1",
    "lem:generalizedSmoothness": "Lemma 2",
    "lem:secondMoment": "Lemma 3",
    "lem:twoBounds": "Lemma 4",
    "lem:upperBound": "Lemma 5",
    "thm:rcdStronglyConvex": "Theorem 1",
    "thm:rcdConvex": "Theorem 2",
    "thm:rcdNonconvex": "Theorem 3",
    "thm:non-convex": "Theorem 4",
    "thm:oldConvex": "Theorem 5",
    "prop:reachable_upper_bound": "Proposition 1",
    "text:corollary": "Corollary 1",
    "eq:complexity": "Equation 1",
    "table:quad_functions": "Table 1",
    "table:ridge_regression": "Table 2",
}


def as_label(name: str) -> str:
    """Return the label of a statement that is named by its number; other names as they are.

    Examples
    --------
    >>> as_label("Lemma 5"), as_label("thm 2"), as_label("our:sdp")
    ('lem:upperBound', 'thm:rcdConvex', 'our:sdp')
    """
    match = re.fullmatch(r"\s*([a-z]+)\.?\s*\(?(\d+)\)?\s*(/.*)?", name, re.IGNORECASE)
    if match:
        kind, number, part = match.groups()
        kind = {"thm": "theorem", "eq": "equation"}.get(kind.lower(), kind.lower())
        for label, numbered in NUMBERS.items():
            word, _, count = numbered.lower().partition(" ")
            if count == number and len(kind) > 2 and word.startswith(kind):
                return label + (part or "")
    return name


def named(label: str) -> str:
    """Return the number of a statement and its label, or the label alone.

    Examples
    --------
    >>> named("lem:upperBound"), named("our:sdp")
    ('Lemma 5, lem:upperBound', 'our:sdp')
    """
    return f"{NUMBERS[label]}, {label}" if label in NUMBERS else label
