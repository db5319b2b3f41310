"""How many steps: each count is the least at the ends of the brackets, and the table says what the
theorems say.
"""

from __future__ import annotations

import json
import subprocess
import sys
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
from rpttheory.theorems.prediction import CHOICES

L = np.array([[9.0, 1.0, 0.5], [1.0, 4.0, 1.0], [0.5, 1.0, 2.0]])
BLOCKS = Blocks((1, 2))


def prediction(found: Any, label: str, choice: str) -> Any:
    (one,) = (p for p in found.predictions if (p.label, p.choice) == (label, choice))
    return one


def test_steps_are_those_of_the_theorems_at_known_constants() -> None:
    """A diagonal L has exact constants: nothing is left to the brackets."""
    found = rates(
        diagonal([8.0, 2.0]), "each", eps=Fraction(1, 128), mu=2, squared_distance=4, gap=3
    )
    problem = Problem(diagonal([8.0, 2.0]), "each")
    for choice, p in found.probabilities.items():
        L_P = problem.weighted(as_marginals(p))
        constant = L_P.upper
        cost = (p * 0.5).sum()
        expected = {
            "thm:rcdStronglyConvex": theorems.strongly_convex(constant, 2.0)
            .iterations(2**-7, squared_distance=4.0)
            .exact,
            "thm:rcdConvex": theorems.convex(constant)
            .iterations(2**-7, squared_distance=4.0)
            .exact,
            "our:convexSharp": theorems.convex_sharp(constant)
            .iterations(2**-7, squared_distance=4.0)
            .exact,
            "our:lastIterate": theorems.last_iterate(constant)
            .iterations(2**-7, squared_distance=4.0)
            .exact,
            "thm:rcdNonconvex": theorems.nonconvex(constant).iterations(2**-7, gap=3.0).exact,
        }
        for label, steps in expected.items():
            one = prediction(found, label, choice)
            assert one.steps.exact_upper == steps
            assert steps - one.steps.exact_lower <= 1 + 1e-9 * steps
            assert float(one.cost) == pytest.approx(steps * cost, rel=1e-9)
            assert float(one.stepsize) == pytest.approx(
                1 / constant / (2 if label == "thm:rcdConvex" else 1), rel=1e-9
            )


def as_marginals(p: np.ndarray) -> Any:
    from rpttheory.numbers.exact_array import ExactArray

    return ExactArray(p)


def test_brackets_hold_what_finer_constants_give() -> None:
    coarse = rates(L, BLOCKS, eps=1e-3, mu=1)
    fine = rates(Problem(L, BLOCKS, effort="exact"), eps=1e-3, mu=1)
    for one, other in zip(coarse.predictions, fine.predictions, strict=True):
        assert (one.label, one.choice) == (other.label, other.choice)
        if one.choice != "optimum":  # the search may end at other probabilities
            assert (
                one.steps.exact_lower
                <= other.steps.exact_lower
                <= other.steps.exact_upper
                <= one.steps.exact_upper
            )
    assert len(coarse.predictions) == 11 * len(CHOICES)
    assert len(rates(L, BLOCKS).predictions) == 8 * len(CHOICES)


def test_the_optimum_costs_least_under_every_theorem_of_L_P() -> None:
    found = rates(L, BLOCKS, eps=1e-4)
    for label in ("thm:rcdConvex", "our:convexSharp", "thm:rcdNonconvex"):
        costs = [float(prediction(found, label, choice).cost) for choice in CHOICES]
        assert costs[2] <= min(costs) * (1 + 1e-4)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"eps": 0}, "eps must be positive"),
        ({"mu": -1}, "mu must be positive"),
        ({"mu": 100}, "mu must not exceed"),
        ({"squared_distance": float("nan")}, "squared_distance"),
        ({"gap": "x"}, "gap"),
    ],
)
def test_refusals(options: dict[str, Any], what: str) -> None:
    with pytest.raises(InvalidInput, match=what):
        rates(L, BLOCKS, **options)
    with pytest.raises(InvalidInput, match="must not be zero"):
        rates(np.zeros((2, 2)), "each")


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    np.save(tmp_path / "L.npy", L)
    command = ["rates", str(tmp_path / "L.npy"), "--blocks", "1,2", "--eps", "1/100", "--mu", "1"]
    assert (
        program.guarded(program.commands, [*command, "--output", str(tmp_path / "rates.svg")]) == 0
    )
    shown = capsys.readouterr().out
    assert "our:stronglyConvexSharp" in shown and "largest stepsize" in shown
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


def test_mu_is_compared_exactly_where_the_matrix_is_small() -> None:
    """Eigenvalues 2 and 4: the tie is accepted, and one part in 10^20 more is not."""
    assert rates([[3, 1], [1, 3]], [1, 1], mu=2).mu_status == "proved"
    assert rates(diagonal([8.0, 2.0]), "each", mu=2).mu_status == "proved"
    for form in ([[3, 1], [1, 3]], diagonal([8.0, 2.0])):
        with pytest.raises(InvalidInput, match=r"(?s)exceed.*mu = 2\.0000"):
            rates(form, [1, 1], mu=2 + Fraction(1, 10**16))


def test_a_tie_that_no_bracket_decides_is_refused_with_a_remedy() -> None:
    """The path's Laplacian plus I has lambda_min = 1 exactly, and d = 70 is too large for
    fractions.
    """
    d = 70
    L = 3 * np.eye(d) - np.eye(d, k=1) - np.eye(d, k=-1)
    L[0, 0] = L[-1, -1] = 2
    with pytest.raises(InvalidInput, match=r"(?s)too close.*mu = 1,") as caught:
        rates(L, "10x7", mu=1)
    offered = caught.value.remedy.split()[-1]
    assert 0.999 < float(offered) < 1
    assert rates(L, "10x7", mu=Fraction(offered), tol=0.1).mu_status == "proved"


def test_the_shift_of_a_gram_matrix_is_a_mu_by_construction() -> None:
    A = np.random.default_rng(3).standard_normal((5, 3))
    wide = np.random.default_rng(4).standard_normal(
        (2, 3)
    )  # A'A is singular: mu is the shift and no more
    assert (
        rates(gram(A, Fraction(2, 5), Fraction(1, 5)), BLOCKS, mu=Fraction("0.2")).mu_status
        == "proved"
    )
    assert rates(gram(wide, 1, Fraction(1, 5)), BLOCKS, mu=Fraction("0.2")).mu_status == "proved"
    with pytest.raises(InvalidInput, match="exceed"):
        rates(gram(wide, 1, Fraction(1, 5)), BLOCKS, mu=Fraction("0.2001"))


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
    found = rates(aslinearoperator(L), BLOCKS, mu=1.5)
    assert found.mu_status == "assumed" and found.to_dict()["mu_status"] == "assumed"
    assert "not checked" in str(found) and "not proved" in str(found)
    assert "not checked" not in str(rates(L, BLOCKS, mu=1.5))
    with refuses(found="mu = 2"):
        rates(np.ones((3, 3)), BLOCKS, mu=2)


def test_mu_above_the_estimate_for_an_operator_is_refused() -> None:
    least = np.linalg.eigvalsh(L)[0]
    assert rates(aslinearoperator(L), BLOCKS, mu=0.999 * least).mu_status == "assumed"
    with refuses(found="lambda_min"):
        rates(aslinearoperator(L), BLOCKS, mu=1.001 * least)


# -- interruption

# The search sends its own process the signal of Ctrl-C when it first tells of a bracket.
INTERRUPTED = """
import os, signal, sys
from contextlib import contextmanager
from rpttheory.cli import {command}, main

signal.signal(signal.SIGINT, signal.default_int_handler)

@contextmanager
def watched(quiet):
    yield (lambda lower, upper: os.kill(os.getpid(), signal.SIGINT)), (lambda event: None)

sys.modules["rpttheory.cli.{command}"].search_progress = watched
sys.exit(main.guarded(main.commands, sys.argv[1:]))
"""


def test_ctrl_c_leaves_no_optimum_behind(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    A = rng.standard_normal((30, 20)) * np.geomspace(1, 30, 20)
    np.save(tmp_path / "L.npy", A.T @ A)
    command = [
        sys.executable,
        "-c",
        INTERRUPTED.format(command="rates"),
        "rates",
        str(tmp_path / "L.npy"),
    ]
    command += ["--blocks", "4x5"]
    text = subprocess.run(command, capture_output=True, text=True, check=False)
    assert text.returncode == 3, text.stderr
    assert "steps, best so far" in text.stdout and "steps, optimum" not in text.stdout
    assert "UNFINISHED" in text.stdout and "interrupted" in text.stdout
    found = json.loads(
        subprocess.run([*command, "--json"], capture_output=True, check=False).stdout
    )
    assert found["status"] == "interrupted" and "optimum" not in found["probabilities"]
    assert {one["choice"] for one in found["predictions"]} == {
        "gradient descent",
        "closed form",
        "best so far",
    }
    assert found["optimum"]["lower"] < found["optimum"]["upper"]


def test_an_unfinished_search_is_named_in_python_too() -> None:
    def stop(lower: float, upper: float) -> None:
        raise KeyboardInterrupt

    found = rates(L, BLOCKS, callback=stop)
    assert not found.settled and found.choices[-1] == "best so far"
    assert "interrupted" in repr(found) and "interrupted" in found.answer
    finished = rates(L, BLOCKS)
    assert finished.settled and finished.choices == CHOICES and "interrupted" not in finished.answer
    assert finished.to_dict()["status"] == "optimal"
    assert rates(L, BLOCKS, eps=Fraction("0.01")).to_dict()["eps"] == 0.01
