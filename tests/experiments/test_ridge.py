"""Ridge regression on the paper's data sets."""

import itertools
from concurrent.futures import Executor
from pathlib import Path

import numpy as np
import pytest

from rpttheory.datasets import load
from rpttheory.errors import InvalidInput
from rpttheory.experiments.preprocessing import Preprocessing
from rpttheory.experiments.ridge import PAPER, RidgeRegression
from rpttheory.experiments.runner import run_experiment, write_outputs
from rpttheory.experiments.theory import middle
from rpttheory.runs.store import open_store


def hessian(name: str, lam: float) -> np.ndarray:
    features = load(name).doubles
    low = features.min(axis=0)
    high = features.max(axis=0)
    A = np.column_stack([2 * (features - low) / (high - low) - 1, np.ones(len(features))])
    H = 2 / len(A) * A.T @ A + 2 * lam * np.eye(A.shape[1])
    order = np.argsort(-np.diag(H), kind="stable")
    return H[np.ix_(order, order)]


def test_the_theory_columns_against_numpy() -> None:
    """With the default choices the paper's Theory column is the clipped closed form, rounded."""
    experiment = RidgeRegression()
    for name, (printed, _) in PAPER.items():
        found = experiment.compute(name, "theory", 0, lambda error: None)
        H = hessian(name, 0.1)
        sizes = np.array([part.size for part in np.array_split(np.arange(len(H)), 3)])
        ends = np.cumsum((0, *sizes))
        constants = [np.linalg.eigvalsh(H[a:b, a:b])[-1] for a, b in itertools.pairwise(ends)]
        formula = np.linalg.eigvalsh(H)[-1] / np.sqrt(constants * sizes / len(H)).sum() ** 2
        assert found["blocks"] == sizes.tolist()
        assert middle(found["formula"]) == pytest.approx(formula, rel=1e-9)
        assert round(middle(found["clipped"]), 1) == float(printed)
        assert found["optimum"]["upper"] >= found["exact"]["lower"]


def test_a_small_table(tmp_path: Path, pools: dict[int, Executor]) -> None:
    results = []
    for jobs, names in ((1, ["prostate"]), (2, ["prostate", "ozone"])):
        experiment = RidgeRegression(seeds=2, tolerance=1e-4)
        store = open_store(tmp_path / str(jobs), experiment.name, experiment.settings)
        results.append(run_experiment(experiment, store, names, executor=pools[jobs])[0])
    serial, parallel = results
    assert (
        serial.pop("wall_clock").keys() == parallel.pop("wall_clock").keys() and serial == parallel
    )
    runs = serial["runs"]
    assert {name: len(found) for name, found in runs.items()} == {
        "GD": 1,
        "CBCD": 1,
        "RPT": 2,
        "RPT-optimal": 2,
        "accelerated": 2,
    }
    assert all(run["status"] == "converged" for found in runs.values() for run in found)
    with pytest.raises(KeyError):
        experiment.notes([{}])
    finished = run_experiment(experiment, store, [], executor=pools[1])
    written = write_outputs(experiment, store, finished)
    assert [Path(path).suffix for path in written] == [".csv", ".md", ".svg", ".png"]
    page = Path(written[1]).read_text(encoding="utf-8")
    assert "| prostate cancer | 97 | 9 | 1 | 0.865 | 1.00 | 1.191 | 1.280 | 2.1 |" in page
    assert "is Theory printed in 2 of 2 data set(s)" in page


def test_gradient_descent_and_rpt_by_hand() -> None:
    """The measured cost of GD is what powers of I - H / L_max say."""
    experiment = RidgeRegression(tolerance=1e-6)
    found = experiment.compute("ozone", "GD", 0, lambda error: None)
    data = load("ozone")
    low = data.values.min(axis=0)
    high = data.values.max(axis=0)
    A = np.column_stack([2 * (data.values - low) / (high - low) - 1, np.ones(330)])
    H = 2 / 330 * A.T @ A + 0.2 * np.eye(10)
    g = 2 / 330 * A.T @ data.target
    values, vectors = np.linalg.eigh(H)
    weights = values * (vectors.T @ np.linalg.solve(H, g)) ** 2
    steps = next(
        t
        for t in range(10**5)
        if weights @ (1 - values / values[-1]) ** (2 * t) <= 1e-6 * weights.sum()
    )
    assert steps <= found["cost"] <= 1.01 * steps + 2


def test_settings_name_every_choice_and_not_the_folder() -> None:
    choice = Preprocessing("zscore", 0.5, 4, "reversed")
    settings = RidgeRegression(choice=choice, folder="somewhere").settings
    assert settings == RidgeRegression(choice=choice, folder="elsewhere").settings
    assert {
        "normalisation": "zscore",
        "lam": 0.5,
        "blocks": 4,
        "ties": "reversed",
    }.items() <= settings.items()


def test_mistakes_are_found_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no such data file"):
        RidgeRegression(folder=str(tmp_path)).require_data(["wine"])
    with pytest.raises(InvalidInput, match="must not exceed the 9 coordinates"):
        RidgeRegression(choice=Preprocessing(blocks=10)).require_data(["wine", "prostate"])
    RidgeRegression(choice=Preprocessing(blocks=12)).require_data(["wine"])
