"""Property tests for everybody: strategies that keep their promises, and conjectures that fail on
small problems.
"""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from scipy.sparse.linalg import aslinearoperator

from rpttheory import Blocks, Problem, testing
from rpttheory.attack import find_counterexample
from rpttheory.eigen.exact import definiteness
from rpttheory.testing import (
    assert_holds,
    conjecture,
    costs,
    partitions,
    problems,
    psd_matrices,
    samplings,
)
from rpttheory.testing.plugin import EVALUATIONS, PROFILE, PROFILES
from rpttheory.testing.strategies import MATRICES, SAMPLINGS

ROOT = Path(__file__).parents[2]


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=ROOT, check=False
    )


@given(st.sampled_from(list(MATRICES)), partitions(largest=4), st.data())
def test_matrices_are_exactly_semidefinite(kind: str, blocks: Blocks, data: st.DataObject) -> None:
    L = data.draw(psd_matrices(blocks, kind=kind))
    assert (L.T == L).all() and definiteness(
        [[Fraction(x) for x in row] for row in L.tolist()]
    ) in (0, 1)


@given(st.integers(1, 6), st.data())
def test_costs_add_up_and_samplings_are_drawn(count: int, data: st.DataObject) -> None:
    assert sum(map(Fraction, data.draw(costs(count)).tolist())) == 1
    sampling = data.draw(samplings(count, kind=data.draw(st.sampled_from(list(SAMPLINGS)))))
    assert (
        len(sampling.marginals) == count
        and sum(outcome.probability for outcome in sampling.support()) == 1
    )


def test_unknown_kinds_are_named() -> None:
    with refuses(found="rank-one"):
        psd_matrices(problem_of(2).blocks, kind="rank-one")
    with refuses(found="any"):
        samplings(2, kind="any")


def problem_of(d: int) -> Problem:
    return Problem(np.eye(d), [1] * d, probabilities=[0.5] * d)


def test_an_assertion_shows_the_verdict_and_the_fractions() -> None:
    assert_holds("L_P == 2*lmax", problem_of(2))
    assert_holds("sqrt(2)*sqrt(3) <= sqrt(6)", problem_of(1))  # a tie of irrational numbers
    with pytest.raises(
        AssertionError, match=r"(?s)L_P <= lmax: REFUTED.*L = \[1 0; 0 1\].*p = 1/2 1/2"
    ):
        assert_holds("L_P <= lmax", problem_of(2))
    with pytest.raises(AssertionError, match="REFUTED"):  # which only exact arithmetic can tell
        assert_holds("lmax < 2", Problem(np.ones((2, 2)), [1, 1]))
    numerical = Problem(aslinearoperator(np.diag([2.0, 1.0])), [1, 1])
    with pytest.raises(AssertionError, match="UNDECIDED, for one of its numbers is NUMERICAL"):
        assert_holds("lmax >= 2", numerical)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conjectures that try few problems."""
    monkeypatch.setenv(PROFILE, "quick")


@pytest.mark.usefixtures("quick")
def test_a_false_conjecture_fails_on_a_minimal_problem() -> None:
    problems_met: list[Problem] = []

    @conjecture("L_M <= 0.999*L_P", over=problems(least=2))
    def test_mine() -> None: ...

    @conjecture("L_M <= L_P")
    def test_true(problem: Problem) -> None:
        problems_met.append(problem)

    with pytest.raises(
        AssertionError, match=r"(?s)REFUTED.*blocks \[1, 1\], L = \[[01] 0; 0 [01]\]"
    ):
        test_mine()
    test_true()
    assert len(problems_met) == PROFILES["quick"] and test_true.__name__ == "test_true"


@pytest.mark.usefixtures("quick")
def test_a_conjecture_uses_the_search_and_its_conditions() -> None:
    """The message is that of the search, and the same at every run."""
    problems_met: list[Problem] = []

    @conjecture("L_M >= 0.6*L_P")
    def test_rare() -> None: ...

    @conjecture("c_closed <= 1.2072*optimum", where=["B = 2", "c = equal", "L diagonal"])
    def test_restricted(problem: Problem) -> None:
        problems_met.append(problem)

    @conjecture("L_P <= lmax", where="p = equal, min(p) < 0.9")
    def test_false() -> None: ...

    messages = []
    for _ in range(2):
        with pytest.raises(AssertionError) as caught:
            test_rare()
        messages.append(str(caught.value))
    result = find_counterexample("L_M >= 0.6*L_P", max_evaluations=EVALUATIONS["quick"])
    assert messages == [str(result)] * 2
    test_restricted()
    assert [problem.blocks.count for problem in problems_met] == [2]
    with pytest.raises(AssertionError):
        test_false()
    with refuses(found="where='B = 2'"):
        conjecture("L_M <= L_P", over=problems(), where="B = 2")


def test_the_example_file_passes_and_a_failure_shows_the_counterexample_and_little_else(
    tmp_path: Path,
) -> None:
    mine = tmp_path / "test_mine.py"
    mine.write_text(
        "from rpttheory.testing import conjecture\n"
        "@conjecture('L_M <= 0.999*L_P')\ndef test_mine(): ...\n"
        "def test_no_conjecture(): ..."
    )
    plugin = (
        "-m",
        "pytest",
        "-p",
        "rpttheory.testing.plugin",
        "-n0",
        "examples/test_conjecture.py",
        str(mine),
    )
    done = python(*plugin, "--conjectures", "quick", "-m", "conjecture")
    output = done.stdout
    assert "1 failed, 2 passed, 1 deselected, 1 xfailed" in output, output + done.stderr
    assert (
        "REFUTED" in output
        and "always and only run" not in output
        and "assert_holds(parsed" not in output
    )
    assert "invalid choice" in python(*plugin, "--conjectures", "slow").stderr


def test_the_plugin_costs_nothing_and_an_absent_hypothesis_is_named() -> None:
    heavy = "{'numpy', 'scipy', 'hypothesis', 'pytest'}"
    assert (
        python(
            "-c", f"import sys, rpttheory.testing.plugin; assert not {heavy} & set(sys.modules)"
        ).returncode
        == 0
    )
    absent = (
        "import sys; sys.modules['hypothesis'] = None; import rpttheory.testing as t; t.problems"
    )
    assert "[testing]" in python("-c", absent).stderr
    with pytest.raises(AttributeError):
        testing.nothing  # noqa: B018
