"""Samplings at their theoretical stepsizes: what is predicted, and what is measured."""

import math
from pathlib import Path

import numpy as np
import pytest

from rpttheory.experiments.runner import run_experiment, write_outputs
from rpttheory.experiments.samplings import PROBLEMS, SAMPLINGS, Samplings
from rpttheory.report.table import Result
from rpttheory.runs.store import Store
from tests.refusals import refuses

ROWS = [row for row in Samplings.rows if row.startswith("ridge|") and "|0|" not in row]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, float], Result]:
    experiment = Samplings(repeats=2, tol=1e-3)
    store = Store(str(tmp_path_factory.mktemp("out")), experiment.name, experiment.settings)
    finished = run_experiment(experiment, store, ROWS)
    paths = write_outputs(experiment, store, finished)
    assert all(Path(path).stat().st_size > 0 for path in paths) and len(paths) == 4
    return {(r["sampling"], float(r["overhead"])): r for r in finished}


def test_predictions_against_numpy(results: dict[tuple[str, float], Result]) -> None:
    objective = PROBLEMS["ridge"]()
    L = objective.smoothness.matmat(np.eye(objective.dimension))
    d = len(L)
    blocks = np.array_split(np.arange(d), 6)
    top = [np.linalg.eigvalsh(L[np.ix_(rows, rows)])[-1] for rows in blocks]
    shares = np.array([rows.size / d for rows in blocks])
    lmax, mu = np.linalg.eigvalsh(L)[[-1, 0]]
    expected = {
        "GD": (lmax, 1.0),
        "single": (sum(top), shares @ top / sum(top)),
        "tau-nice": (None, 2 / 6),
    }
    for (name, overhead), result in results.items():
        theory = result["theory"]
        bound = overhead * lmax + shares @ top
        assert theory["bound"] == pytest.approx(bound) and theory["c_M"] >= bound * (1 - 1e-9)
        if name in expected:
            L_M, cost = expected[name]
            assert L_M is None or theory["L_M"] == pytest.approx(L_M)
            assert theory["cost"] == pytest.approx(theory["steps"] * (cost + overhead))
        steps = math.log(1e3) / -math.log(1 - mu / theory["L_M"])
        assert theory["steps"] == pytest.approx(steps)


def test_runs_reach_the_target_within_what_is_guaranteed(
    results: dict[tuple[str, float], Result],
) -> None:
    assert {name for name, _ in results} == set(SAMPLINGS)
    for (name, overhead), result in results.items():
        for run in result["runs"]:
            assert 0 < run["steps"] < result["theory"]["steps"]
            most = run["steps"] * (1 + overhead)
            least = run["steps"] * (1 / 11 + overhead)
            if name == "GD":
                assert run["cost"] == pytest.approx(most)
            assert least <= run["cost"] * (1 + 1e-9) and run["cost"] <= most * (1 + 1e-9)


def test_a_tau_above_the_number_of_blocks_is_refused() -> None:
    with refuses("tau", found="7"):
        Samplings(tau=7)
