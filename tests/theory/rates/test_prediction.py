"""How many steps: each count is the least at the ends of the brackets, and the table says what the theorems say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rpttheory import Blocks, Problem, diagonal, rates
from rpttheory.cli import main as program
from rpttheory.errors import InvalidInput
from rpttheory.theory import rates as theorems
from rpttheory.theory.rates.prediction import CHOICES

L = np.array([[9.0, 1.0, 0.5], [1.0, 4.0, 1.0], [0.5, 1.0, 2.0]])
BLOCKS = Blocks((1, 2))


def prediction(found: Any, label: str, choice: str) -> Any:
    (one,) = (p for p in found.predictions if (p.label, p.choice) == (label, choice))
    return one


def test_steps_are_those_of_the_theorems_at_known_constants() -> None:
    """A diagonal L has exact constants: nothing is left to the brackets."""
    found = rates(diagonal([8.0, 2.0]), "each", eps=Fraction(1, 128), mu=2, squared_distance=4, gap=3)
    problem = Problem(diagonal([8.0, 2.0]), "each")
    for choice, p in found.probabilities.items():
        L_P = problem.weighted(as_marginals(p))
        constant, cost = L_P.upper, (p * 0.5).sum()
        expected = {
            "thm:rcdStronglyConvex": theorems.strongly_convex(constant, 2.0)
            .iterations(2**-7, squared_distance=4.0)
            .exact,
            "thm:rcdConvex": theorems.convex(constant).iterations(2**-7, squared_distance=4.0).exact,
            "our:convexSharp": theorems.convex_sharp(constant).iterations(2**-7, squared_distance=4.0).exact,
            "our:lastIterate": theorems.last_iterate(constant).iterations(2**-7, squared_distance=4.0).exact,
            "thm:rcdNonconvex": theorems.nonconvex(constant).iterations(2**-7, gap=3.0).exact,
        }
        for label, steps in expected.items():
            one = prediction(found, label, choice)
            assert one.steps.high == steps
            assert steps - one.steps.low <= 1 + 1e-9 * steps
            assert float(one.cost) == pytest.approx(steps * cost, rel=1e-9)
            assert float(one.stepsize) == pytest.approx(1 / constant / (2 if label == "thm:rcdConvex" else 1), rel=1e-9)


def as_marginals(p: np.ndarray) -> Any:
    from rpttheory.reals import Reals

    return Reals(p)


def test_brackets_hold_what_finer_constants_give() -> None:
    coarse = rates(L, BLOCKS, eps=1e-3, mu=1)
    fine = rates(Problem(L, BLOCKS, effort="exact"), eps=1e-3, mu=1)
    for one, other in zip(coarse.predictions, fine.predictions, strict=True):
        assert (one.label, one.choice) == (other.label, other.choice)
        if one.choice != "optimum":  # the search may end at other probabilities
            assert one.steps.low <= other.steps.low <= other.steps.high <= one.steps.high
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
    assert program.guarded(program.commands, [*command, "--plot", str(tmp_path / "rates.svg")]) == 0
    shown = capsys.readouterr().out
    assert "our:stronglyConvexSharp" in shown and "largest stepsize" in shown
    assert (tmp_path / "rates.svg").read_text().count("thm:rcdConvex") >= 1
    assert program.guarded(program.commands, [*command, "--eps", "1,2"]) == 2
    assert "--eps must be one number" in capsys.readouterr().err
