"""How many steps: each count is the least at the ends of the brackets, and the table says what the
theorems say.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from refusals import refuses
from scipy.sparse.linalg import aslinearoperator

from rpttheory import Blocks, Problem, diagonal, gram, rates, theorems
from rpttheory.cli import main as program
from rpttheory.errors import InvalidInput
from rpttheory.numbers.exact_array import ExactArray
from rpttheory.runs.progress import Event
from rpttheory.theorems.prediction import CHOICES, NEED_MU

L = np.array([[9.0, 1.0, 0.5], [1.0, 4.0, 1.0], [0.5, 1.0, 2.0]])
BLOCKS = Blocks((1, 2))


def test_steps_are_those_of_the_theorems_at_known_constants() -> None:
    """A diagonal L has exact constants: nothing is left to the brackets."""
    problem = Problem(diagonal([8.0, 2.0]), "each")
    result = rates(problem, eps=Fraction(1, 128), mu=2, squared_distance=4, gap=3)
    for choice, p in result.probabilities.items():
        L_P = problem.weighted(ExactArray(p)).upper
        expected = [
            theorems.strongly_convex(L_P, 2.0),
            theorems.convex(L_P),
            theorems.convex_sharp(L_P),
            theorems.last_iterate(L_P),
            theorems.nonconvex(L_P),
        ]
        for rate in expected:
            (row,) = (
                item
                for item in result.predictions
                if (item.label, item.choice) == (rate.label, choice)
            )
            steps = rate.iterations(2**-7, squared_distance=4.0, gap=3.0).exact
            assert steps is not None and row.steps.exact_upper == steps
            assert steps - row.steps.exact_lower <= 1 + 1e-9 * steps
            assert float(row.cost) == pytest.approx(steps * (p * 0.5).sum(), rel=1e-9)
            assert float(row.stepsize) == pytest.approx(float(rate.stepsize()), rel=1e-9)


def test_brackets_hold_what_finer_constants_give() -> None:
    coarse = rates(L, BLOCKS, eps=1e-3, mu=1)
    fine = rates(Problem(L, BLOCKS, effort="exact"), eps=1e-3, mu=1)
    for wide, narrow in zip(coarse.predictions, fine.predictions, strict=True):
        assert (wide.label, wide.choice) == (narrow.label, narrow.choice)
        if wide.choice != "optimum":  # the search may end at other probabilities
            assert (
                wide.steps.exact_lower
                <= narrow.steps.exact_lower
                <= narrow.steps.exact_upper
                <= wide.steps.exact_upper
            )
    assert len(coarse.predictions) == 11 * len(CHOICES)
    assert len(rates(L, BLOCKS, mu=None).predictions) == 8 * len(CHOICES)


@pytest.mark.parametrize(
    ("matrix", "mu"),
    [
        (gram(np.eye(3), 1, Fraction(1, 8)), (Fraction(1, 8), Fraction(1, 8))),
        (L, (1.5848, 1.5849)),  # numpy: lambda_min = 1.58488...
        ([[9, 0, 0], [0, 9, 1], [0, 1, 2]], (1.8599, 1.8600)),  # 1.859945...: digits are cut
        (np.ones((3, 3)), None),
        (aslinearoperator(L), None),
    ],
)
def test_mu_is_found_where_it_can_be_proved(matrix: Any, mu: Any) -> None:
    result = rates(matrix, BLOCKS)
    labels = {prediction.label for prediction in result.predictions}
    if mu is None:
        assert result.mu is None and result.left_out and not labels & set(NEED_MU)
        assert all(label in str(result) for label in NEED_MU)
        assert set(result.to_dict()["left_out"]) == set(NEED_MU)
        return
    assert result.mu is not None and mu[0] <= result.mu.exact_upper <= mu[1]
    assert result.mu.exact_upper <= Problem(matrix, BLOCKS).with_effort("exact").mu.exact_upper
    assert result.mu_status == "proved" and labels >= set(NEED_MU) and not result.left_out
    printed = re.search(r"mu = (\S+) <=", " ".join(str(result).split()))
    assert printed is not None and Fraction(printed[1]) <= result.mu.exact_upper


def test_printed_stepsizes_are_allowed() -> None:
    result = rates(L, BLOCKS)
    rows = [line.split() for line in str(result).splitlines()]
    begin = next(number for number, row in enumerate(rows) if row[-1:] == ["stepsize"]) + 1
    body = rows[begin : rows.index([], begin)]
    printed = [Fraction(row[-1]) for row in body if "bounds" not in row]
    for stepsize, prediction in zip(printed, result.predictions, strict=True):
        assert 0.9999 * prediction.stepsize.lower < stepsize <= prediction.stepsize.exact_lower


def test_the_picture_has_absolute_costs() -> None:
    result = rates(L, BLOCKS)
    axes = result.plot()
    assert axes.get_xscale() == "log"
    costs = [float(line.get_xdata()[0]) for line in axes.lines]
    assert sorted(costs) == sorted(float(p.cost) for p in result.predictions)


@pytest.mark.parametrize(
    ("argument", "value"),
    [("eps", 0), ("mu", -1), ("squared_distance", float("nan")), ("gap", "x")],
)
def test_refusals(argument: str, value: Any) -> None:
    with refuses(argument):
        rates(L, BLOCKS, **{argument: value})
    with refuses("L"):
        rates(np.zeros((2, 2)), "each")


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    np.save(tmp_path / "L.npy", L)
    command = ["rates", str(tmp_path / "L.npy"), "--blocks", "1,2", "--eps", "1/100", "--mu", "1"]
    assert (
        program.guarded(program.commands, [*command, "--output", str(tmp_path / "rates.svg")]) == 0
    )
    output = capsys.readouterr().out
    assert "our:stronglyConvexSharp" in output and "stepsize" in output
    assert (tmp_path / "rates.svg").read_text().count("thm:rcdConvex") >= 1
    assert program.guarded(program.commands, [*command, "--eps", "1,2"]) == 2
    assert "--eps must be one number" in capsys.readouterr().err


# -- mu

SMALL = [[9, 1], [1, 2]]  # lambda_min = (11 - sqrt(53)) / 2 = 1.85994505535973...


@pytest.mark.parametrize(
    "form", [np.array(SMALL, dtype=float), sp.csr_array(np.array(SMALL, dtype=float))]
)
def test_mu_above_the_least_eigenvalue_is_refused(form: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        rates(form, [1, 1], eps=0.01, mu=2)
    assert "mu = 2" in caught.value.found and "1.85994505535" in caught.value.found
    assert "1.859945055" in caught.value.remedy
    # What the error offers is taken, and proved.
    assert rates(form, [1, 1], eps=0.01, mu=Fraction("1.859945055")).mu_status == "proved"


WIDE = np.random.default_rng(4).standard_normal((2, 3))  # A'A is singular
RIDGE = Fraction(1, 5)


@pytest.mark.parametrize(
    ("form", "blocks", "least"),
    [
        ([[3, 1], [1, 3]], [1, 1], 2),
        (diagonal([8.0, 2.0]), [1, 1], 2),
        (gram(WIDE, 1, RIDGE), BLOCKS, RIDGE),
    ],
    ids=["dense", "diagonal", "gram"],
)
def test_mu_is_compared_exactly(form: Any, blocks: Any, least: Any) -> None:
    """The tie is accepted, and a little more is not."""
    assert rates(form, blocks, mu=least).mu_status == "proved"
    with refuses(found="mu = "):
        rates(form, blocks, mu=least + Fraction(1, 10**12))


def test_a_tie_that_no_bracket_decides_is_refused_with_a_remedy() -> None:
    """The path's Laplacian plus I has lambda_min = 1 exactly, and d = 70 is too large for
    fractions.
    """
    d = 70
    L = 3 * np.eye(d) - np.eye(d, k=1) - np.eye(d, k=-1)
    L[0, 0] = L[-1, -1] = 2
    with pytest.raises(InvalidInput, match=r"(?s)too close.*mu = 1;") as caught:
        rates(L, "10x7", mu=1)
    offered = caught.value.remedy.split()[-1]
    assert 0.999 < float(offered) < 1
    assert rates(L, "10x7", mu=Fraction(offered), tol=0.1).mu_status == "proved"


def test_the_ridge_of_the_command_is_a_mu(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savetxt(tmp_path / "A.csv", np.random.default_rng(3).standard_normal((5, 3)), delimiter=",")
    command = [
        "rates",
        str(tmp_path / "A.csv"),
        "--data",
        "--ridge",
        "0.1",
        "--blocks",
        "1,2",
        "--mu",
        "0.2",
    ]
    assert program.guarded(program.commands, [*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mu_status"] == "proved"


def test_mu_of_an_operator_is_called_an_assumption() -> None:
    result = rates(aslinearoperator(L), BLOCKS, mu=1.5)
    assert result.mu_status == "assumed" and result.to_dict()["mu_status"] == "assumed"
    text = " ".join(str(result).split())
    assert "not checked" in text and "not proved" in text
    assert "not checked" not in str(rates(L, BLOCKS, mu=1.5))
    with refuses(found="mu = 2"):
        rates(np.ones((3, 3)), BLOCKS, mu=2)


# -- interruption


def test_an_unfinished_search_is_named_in_python_too() -> None:
    def stop(event: Event) -> None:
        raise KeyboardInterrupt

    result = rates(L, BLOCKS, progress=stop)
    assert not result.settled and result.exit_code == 3 and result.choices[-1] == "best so far"
    assert "interrupted" in repr(result) and "interrupted" in result.answer
    finished = rates(L, BLOCKS)
    assert finished.settled and finished.choices == CHOICES and "interrupted" not in finished.answer
    assert finished.to_dict()["status"] == "optimal"
    assert rates(L, BLOCKS, eps=Fraction("0.01")).to_dict()["eps"] == 0.01
