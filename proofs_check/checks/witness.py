"""Checks that re-verify a stored counterexample, or decide small statements outright, in exact
arithmetic.
"""

from collections.abc import Callable

from ..engine.entry import Check, Evidence, Finding, Trial, failed, proved, unanswered


def refuted_by(confirm: Callable[[], bool], words: str) -> Check:
    """A check that FAILS by the witness in `words` when `confirm` finds it to be one, and answers
    nothing otherwise.
    """

    def run(_: Trial) -> Finding:
        return failed(words) if confirm() else unanswered("the stored witness refutes nothing")

    return Check(Evidence.EXACT, run)


def decided(decide: Callable[[], bool], scope: str, witness: str = "") -> Check:
    """A check of a statement about finitely many given numbers, decided exactly."""

    def run(_: Trial) -> Finding:
        return proved(scope) if decide() else failed(witness or f"false for {scope}")

    return Check(Evidence.EXACT, run)
