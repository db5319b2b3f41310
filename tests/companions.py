"""The companion of a statement: a search for a counterexample to a slightly stronger one."""

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import TypeVar

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.strategies import SearchStrategy

from rpttheory import Decision, Problem
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.statements import applicable_statements, decide_at_effort, statements

T = TypeVar("T")

# The factor by which a companion test strengthens a statement.
BELOW = Fraction(999, 1000)


def counterexample(strategy: SearchStrategy[T], refutes: Callable[[T], bool]) -> T:
    """An example on which `refutes` is true; raises where a search meets none.

    Hypothesis draws other examples with the same seed when other modules are loaded, so the limit
    is generous; the search ends with the first example, after forty or so: luck is no matter.
    """
    long = settings(
        max_examples=5000,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    return find(strategy, refutes, settings=long, random=Random(2))


def decisions(label: str, problem: Problem, x: FloatArray | None = None) -> tuple[Decision, ...]:
    """Decide what `verify` says under a label, at the effort of the problem."""
    listed = [statement for statement in statements(label) if statement.in_verify]
    applicable = [statement for statement in listed if statement in applicable_statements(problem)]
    return decide_at_effort(applicable, problem, x=x)


def second_moment(problem: Problem, x: FloatArray | None = None) -> tuple[Decision, ...]:
    """Decide lem:generalizedSmoothness and lem:secondMoment at a point."""
    return (
        *decisions("lem:generalizedSmoothness", problem, x),
        *decisions("lem:secondMoment", problem, x),
    )


def all_decisions(problem: Problem) -> tuple[Decision, ...]:
    """Decide every statement of `verify` at the effort of the problem."""
    return decide_at_effort(applicable_statements(problem), problem)
