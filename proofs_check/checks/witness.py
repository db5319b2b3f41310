"""Checks that re-verify a stored counterexample, or decide small statements outright, in exact
arithmetic.
"""

from collections.abc import Callable

from ..engine.entry import Check, Evidence, Finding, Trial, failed, proved, unanswered


def refuted_by(confirm: Callable[[], bool], words: str) -> Check:
    """Return a check that fails by the counterexample in `words` if `confirm` is true, and that has
    no answer otherwise.
    """
    return Check(Evidence.EXACT, _refute, (confirm, words))


def _refute(_: Trial, confirm: Callable[[], bool], words: str) -> Finding:
    return failed(words) if confirm() else unanswered("the stored witness refutes nothing")


def decided(decide: Callable[[], bool], scope: str) -> Check:
    """Return a check of a statement about finitely many given numbers, decided exactly."""
    return Check(Evidence.EXACT, _decide, (decide, scope))


def _decide(_: Trial, decide: Callable[[], bool], scope: str) -> Finding:
    return proved(scope) if decide() else failed(f"false for {scope}")
