"""Conjectures as tests: `python -m pytest examples/test_conjecture.py`, with `--conjectures deep`
for a long search.
"""

from __future__ import annotations

import pytest

from rpttheory import Problem
from rpttheory.testing import assert_holds, conjecture, problems


@conjecture("L_M <= L_P")
def test_the_second_moment_needs_no_larger_constant() -> None: ...


@conjecture("max(L/p) <= L_P", over=problems(kind="tight", sampling="independent"))
def test_every_block_counts(problem: Problem) -> None:
    assert_holds("L_P <= sum(L/p)", problem)


@pytest.mark.xfail(raises=AssertionError, strict=True)
@conjecture("L_M <= 0.999*L_P")
def test_mine() -> None:
    """Remove the mark above to see the smallest counterexample."""
