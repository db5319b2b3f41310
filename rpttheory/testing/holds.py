"""Claims as assertions, and as tests of their own."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis.strategies import SearchStrategy

from ..certify import Rigour, Verdict
from ..errors import InvalidInput
from ..problem.problem import Problem
from ..statements import Claim, Decision, decide, parse
from ..theory.attack.instance import described
from . import plugin
from .plugin import PROFILE, PROFILES
from .strategies import problems

# Sides that agree to this part of their size and cannot be told apart are a tie.
_TIE = 1e-6


def assert_holds(claim: str | Claim, problem: Problem) -> None:
    """Raise an AssertionError, with the verdict and the problem in fractions, unless a claim holds on a problem.

    A claim holds where it is PROVED, and where its sides tie as far as rigorous arithmetic can tell.

    Examples
    --------
    >>> assert_holds("L_M <= L_P", Problem([[2.0, 1.0], [1.0, 1.0]], [1, 1], probabilities=[1.0, 0.5]))
    """
    __tracebackhide__ = True  # pytest ends at the caller's line
    parsed = claim if isinstance(claim, Claim) else parse(claim)
    (found,) = decide([parsed], problem)
    if found.verdict is Verdict.PROVED or _tie(found):
        return
    about = "" if found.rigour > Rigour.NUMERICAL else ", for one of its numbers is NUMERICAL"
    sides = f"left = {found.left}, right = {found.right}"
    raise AssertionError("\n".join([f"{parsed.text}: {found.verdict}{about}", f"  {sides}", *described(problem)]))


def _tie(found: Decision) -> bool:
    if found.verdict is Verdict.REFUTED or found.rigour is Rigour.NUMERICAL:
        return False
    low, high = min(found.left.low, found.right.low), max(found.left.high, found.right.high)
    return math.isfinite(high - low) and high - low <= _TIE * max(high, -low)


def conjecture(claim: str, *, over: SearchStrategy[Problem] | None = None) -> Callable[[Callable[..., Any]], Any]:
    """Make a test of a claim: it fails, on a minimal counterexample, where hypothesis finds one.

    Parameters
    ----------
    claim : str
        Such as "L_M <= L_P".
    over : strategy of problems, optional
        `problems()` by default.

    The body of the test runs as well, with the problem where it takes an argument. How many problems are tried is told
    by `pytest --conjectures quick`, `default` or `deep`.

    Examples
    --------
    >>> @conjecture("L_M <= L_P")
    ... def test_mine(): ...
    """
    parsed = parse(claim)
    profile = os.environ.get(PROFILE, "default")
    if profile not in PROFILES:
        raise InvalidInput(f"{PROFILE} must name a profile", repr(profile), ", ".join(PROFILES))

    def decorate(test: Callable[..., Any]) -> Any:
        wanted = bool(inspect.signature(test).parameters)

        # Which lines of ours only a counterexample runs explains nothing to whoever wrote the claim.
        @settings(max_examples=PROFILES[profile], deadline=None, phases=set(Phase) - {Phase.explain})
        @given(problem=problems() if over is None else over)
        def run(problem: Problem) -> None:
            __tracebackhide__ = True
            assert_holds(parsed, problem)
            test(problem) if wanted else test()

        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(run, name, getattr(test, name))
        if not plugin.active:
            return run
        import pytest

        return pytest.mark.conjecture(run)

    return decorate
