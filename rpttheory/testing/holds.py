"""Claims as assertions, and as tests of their own."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis.strategies import SearchStrategy

from ..attack import find_counterexample
from ..attack.instance import described
from ..errors import InvalidInput
from ..numbers import Rigor, Verdict
from ..problem.problem import Problem
from ..statements import Claim, Decision, decide, parse
from . import plugin
from .plugin import EVALUATIONS, PROFILE, PROFILES
from .strategies import problems

# Sides that agree to this part of their size and cannot be told apart are a tie.
_TIE = 1e-6


def assert_holds(claim: str | Claim, problem: Problem) -> None:
    """Raise an AssertionError, with the verdict and the problem in fractions, unless a claim holds
    on a problem.

    A claim holds where it is PROVED, and where its sides tie as far as rigorous arithmetic can
    tell.

    Parameters
    ----------
    claim : str or Claim
    problem : Problem

    Examples
    --------
    >>> problem = Problem([[2.0, 1.0], [1.0, 1.0]], [1, 1], probabilities=[1.0, 0.5])
    >>> assert_holds("L_M <= L_P", problem)
    """
    __tracebackhide__ = True  # pytest ends at the caller's line
    parsed = claim if isinstance(claim, Claim) else parse(claim)
    (decision,) = decide([parsed], problem)
    if decision.verdict is Verdict.PROVED or _tie(decision):
        return
    about = "" if decision.rigor > Rigor.NUMERICAL else ", for one of its numbers is NUMERICAL"
    sides = f"left = {decision.left}, right = {decision.right}"
    raise AssertionError(
        "\n".join([f"{parsed.text}: {decision.verdict}{about}", f"  {sides}", *described(problem)])
    )


def _tie(decision: Decision) -> bool:
    if decision.verdict is Verdict.REFUTED or decision.rigor is Rigor.NUMERICAL:
        return False
    low = min(decision.left.exact_lower, decision.right.exact_lower)
    high = max(decision.left.exact_upper, decision.right.exact_upper)
    return math.isfinite(high - low) and high - low <= _TIE * max(high, -low)


def conjecture(
    claim: str, *, over: SearchStrategy[Problem] | None = None, where: str | Sequence[str] = ()
) -> Callable[[Callable[..., Any]], Any]:
    """Make a test of a claim, which fails on a small counterexample where one is found.

    The test first calls `rpttheory.find_counterexample` and then draws problems with hypothesis.
    Both are seeded, so that the verdict is the same at every run.

    Parameters
    ----------
    claim : str
        Such as "L_M <= L_P".
    over : strategy of problems, optional
        Draw problems from it alone, without the search, which knows no other space than its own.
    where : str or sequence of str
        Conditions as for `rpttheory.find_counterexample`, such as "B = 2". No problems are drawn
        then.

    Returns
    -------
    callable
        A decorator. The body of the decorated test runs as well. If it takes an argument, that is
        each problem drawn, or with `where` the worst problem that the search met. `pytest
        --conjectures quick`, `default` or `deep` sets how many problems are tried.

    Examples
    --------
    >>> @conjecture("L_M <= L_P", where="B = 2")
    ... def test_mine(): ...
    """
    parsed = parse(claim)
    if where and over is not None:
        raise InvalidInput(
            "either over or where",
            f"over and where={where!r}",
            "a strategy that meets the conditions",
        )
    profile = os.environ.get(PROFILE, "default")
    if profile not in PROFILES:
        raise InvalidInput(f"{PROFILE} must name a profile", repr(profile), ", ".join(PROFILES))

    def decorate(test: Callable[..., Any]) -> Any:
        takes_problem = bool(inspect.signature(test).parameters)

        def run_body(problem: Problem) -> None:
            test(problem) if takes_problem else test()

        # Which lines of ours only a counterexample runs explains nothing to whoever wrote the
        # claim.
        @settings(
            max_examples=PROFILES[profile],
            deadline=None,
            derandomize=True,
            phases=set(Phase) - {Phase.explain},
        )
        @given(problem=problems() if over is None else over)
        def draw(problem: Problem) -> None:
            __tracebackhide__ = True
            assert_holds(parsed, problem)
            run_body(problem)

        def run() -> None:
            __tracebackhide__ = True
            if over is None:
                worst = _search(parsed, where, EVALUATIONS[profile])
                if where:
                    run_body(worst)
                    return
            draw()

        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(run, name, getattr(test, name))
        if not plugin.active:
            return run
        import pytest

        return pytest.mark.conjecture(run)

    return decorate


def _search(claim: Claim, where: str | Sequence[str], evaluations: int | None) -> Problem:
    """Raise an AssertionError with the counterexample if the search finds one; else return the
    worst problem.
    """
    __tracebackhide__ = True
    result = find_counterexample(claim, where=where, max_evaluations=evaluations)
    if result.verdict is Verdict.REFUTED or result.undecided:
        raise AssertionError(str(result))
    return result.instance.problem()
