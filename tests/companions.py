"""The companion of a statement: a search for a counterexample to a slightly stronger one."""

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import TypeVar

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

# The factors by which a companion test strengthens a statement.
BELOW, ABOVE = Fraction(999, 1000), Fraction(1001, 1000)


def counterexample(strategy: SearchStrategy[T], refutes: Callable[[T], bool]) -> T:
    """An example on which `refutes` is true; raises where a search meets none.

    Hypothesis draws other examples with the same seed when other modules are loaded, so the limit is generous; the
    search ends with the first example, after forty or so: luck is no matter.
    """
    long = settings(
        max_examples=5000,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    return find(strategy, refutes, settings=long, random=Random(2))
