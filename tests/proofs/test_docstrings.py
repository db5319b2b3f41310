"""Docstrings that cite a statement of the paper, against the ledger, in both directions."""

import ast
import re
from functools import cache

from sources import ROOT, files_of, parsed

from proofs_check.engine.entry import Bound, Kind
from proofs_check.ledger import all_entries

CLAIMS = {claim.label: claim for claim in all_entries()}
BOUNDS = {"upper": Bound.UPPER, "lower": Bound.LOWER, "equality": Bound.EQUALITY}
LINE = re.compile(r"^\s*Paper: (?P<label>\S+)(?: \((?P<bound>\w+)(?P<tight>, tight)?\))?$", re.M)


@cache
def citations() -> list[tuple[str, str, str | None, bool]]:
    """(where, label, bound, tight) for every `Paper:` line in a docstring of the package."""
    found = []
    for path in files_of("rpttheory"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                text = ast.get_docstring(node) or ""
                lines = [line for line in text.splitlines() if "Paper:" in line]
                matches = [LINE.match(line) for line in lines]
                assert all(matches), (path, lines)
                where = f"{path.relative_to(ROOT)}:{getattr(node, 'name', '')}"
                found += [(where, m["label"], m["bound"], bool(m["tight"])) for m in matches if m]
    return found


def test_what_a_docstring_says_is_in_the_ledger() -> None:
    for where, label, bound, tight in citations():
        assert label in CLAIMS, where
        if bound is not None:
            claim = CLAIMS[label]
            assert claim.bound is not None, where
            assert claim.tight is tight or claim.tight is None, where
            # A lemma with two halves is cited for either; the ledger records the upper one.
            assert BOUNDS[bound] is claim.bound or (label, bound) in HALVES, where


# Statements with bounds on both sides, of which the ledger's column shows one.
HALVES = {("lem:twoBounds", "lower"), ("lem:upperBound", "lower"), ("lem:secondMoment", "upper")}


def test_every_statement_of_the_paper_is_computed_somewhere() -> None:
    cited = {label for _, label, _, _ in citations()}
    wanted = {
        claim.label
        for claim in CLAIMS.values()
        if claim.kind in (Kind.LEMMA, Kind.THEOREM, Kind.PROPOSITION, Kind.COROLLARY)
        and claim.origin.startswith("the paper")
    }
    assert wanted - cited == set()
