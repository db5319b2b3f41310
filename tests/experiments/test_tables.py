"""The paper's two tables: printed, recomputed, certified and measured numbers."""

import json
import math
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rpttheory import Blocks, diagonal
from rpttheory.datasets import load
from rpttheory.experiments.figure import STYLES, draw
from rpttheory.experiments.measure import measure
from rpttheory.experiments.quadratics import PAPER, SPREAD, Quadratics, Row, recomputes, spectrum
from rpttheory.experiments.ridge import PAPER as RIDGE
from rpttheory.experiments.ridge import RidgeRegression, sorted_columns
from rpttheory.experiments.runner import ratios, run_experiment, write_outputs
from rpttheory.experiments.theory import middle, rounds_to, speedups
from rpttheory.matrices import families
from rpttheory.methods import GD
from rpttheory.numbers import Bracket, Verdict
from rpttheory.objectives import Quadratic
from rpttheory.runs.progress import Event
from rpttheory.runs.store import Store
from tests.refusals import refuses

# --- theory


@pytest.mark.parametrize("seed", range(10))
def test_speedups_against_numpy(seed: int) -> None:
    blocks = Blocks((2, 1, 3))
    L = families.graded_wishart(np.random.default_rng(seed), 6, 2.0)
    theory = speedups(L, blocks)
    costs = np.array(blocks.sizes) / 6
    constants = np.array([np.linalg.eigvalsh(L[rows, rows])[-1] for rows in blocks.slices])

    def cost(p: Any) -> float:
        wide = blocks.expand(np.asarray(p))
        return float(np.linalg.eigvalsh(L / np.sqrt(np.outer(wide, wide)))[-1] * (costs @ p))

    closed = np.sqrt(constants * costs).sum() ** 2
    for name, expected in {
        "formula": closed,
        "clipped": min(closed, cost(np.ones(3))),
        "exact": cost(np.sqrt(constants / costs)),
        "optimum": cost(theory["probabilities"]["RPT-optimal"]),
    }.items():
        assert middle(theory[name]) == pytest.approx(cost(np.ones(3)) / expected, rel=1e-8)


@pytest.mark.parametrize(
    ("low", "high", "printed", "verdict"),
    [
        (1.06, 1.06, "1.1", Verdict.PROVED),
        (1.06, 1.06, "1", Verdict.REFUTED),
        (19.96, 19.97, "20", Verdict.PROVED),
        (1.14, 1.16, "1.1", Verdict.UNDECIDED),
        (1.16, 1.17, "1.1", Verdict.REFUTED),
        (1.03, 1.04, "1.1", Verdict.REFUTED),
        (1.0, 2.0, "1.5", Verdict.UNDECIDED),
    ],
)
def test_rounding(low: float, high: float, printed: str, verdict: Verdict) -> None:
    assert rounds_to(Bracket(low, high), printed) is verdict


# --- one run


def ignore(text: str) -> None:
    """A report that nobody reads."""


def gradient_descent() -> dict[str, Any]:
    f = Quadratic(diagonal([16.0, 4.0, 4.0, 1.0, 1.0, 1.0]))
    blocks = Blocks((1, 2, 3))
    return measure(GD(), f, blocks, x0=np.ones(6), tol=1e-6, seed=[0], report=ignore)


def test_gradient_descent_against_its_formula() -> None:
    values = np.array([16.0, 4.0, 4.0, 1.0, 1.0, 1.0])
    gaps = ((values * (1 - values / 16) ** (2 * t)).sum() / values.sum() for t in range(10**4))
    steps = next(t for t, gap in enumerate(gaps) if gap <= 1e-6)
    measured = gradient_descent()
    assert steps <= measured["steps"] <= math.ceil(1.01 * steps) + 1
    assert measured["cost"] == measured["curve"]["cost"][-1] == pytest.approx(measured["steps"])
    assert measured["status"] == "converged" and measured["seconds"] > 0


def test_a_method_that_does_not_converge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpttheory.experiments.measure.MOST_STEPS", 3)
    measured = gradient_descent()
    assert measured["status"] == "budget" and measured["curve"]["cost"] == [1.0, 2.0, 3.0]
    assert measured["steps"] is measured["cost"] is measured["seconds"] is None


def row(cost: list[float | None], seconds: list[float | None]) -> dict[str, Any]:
    parts: dict[tuple[str, int], Any] = {("theory", 0): {}, ("GD", 0): {"cost": 12, "seconds": 6}}
    for seed, (c, s) in enumerate(zip(cost, seconds, strict=True)):
        parts["RPT", seed] = {"cost": c, "seconds": s}
    return Quadratics().assemble("01", dict(reversed(parts.items())))


def test_speedups_are_ratios_seed_by_seed() -> None:
    result = row([4.0, 3.0, 2.0], [1.0, 2.0, 3.0])
    assert ratios(result, "RPT") == [3, 4, 6] and ratios(result, "RPT", by_clock=True) == [6, 3, 2]
    assert ratios(row([4.0, None], [1.0, None]), "RPT") == []


# --- the quadratics


def test_rows_as_printed() -> None:
    assert len(PAPER) == 12 and PAPER["06"].sizes == (10, 50, 250)
    assert sum(float(row.theory) for row in PAPER.values()) == pytest.approx(419.9)
    assert sum(float(row.real) for row in PAPER.values()) == pytest.approx(791.0)
    assert sum(sum(row.constants) for row in PAPER.values()) == pytest.approx(116328.3)


def test_rows_3_and_6_do_not_recompute() -> None:
    expected = dict.fromkeys(PAPER, "yes") | {"03": "no", "06": "no", "11": "rounding"}
    assert {key: recomputes(row) for key, row in PAPER.items()} == expected
    # 2 / (1 + sqrt(L_2 / L_1))^2: 0.8889 as printed, from 0.7305 to 1.125 within the rounding.
    row = Row((1, 1), (4, 1), "", "", 0)
    expected = {"0.9": "yes", "0.7": "rounding", "1.1": "rounding", "1.2": "no", "0.6": "no"}
    assert {printed: recomputes(replace(row, theory=printed)) for printed in expected} == expected
    assert recomputes(replace(row, decimals=2, theory="0.8")) == "no"


@pytest.mark.parametrize("spread", [0.0, SPREAD, 0.9])
def test_spectrum(spread: float) -> None:
    row = PAPER["02"]
    blocks = np.split(spectrum(row, spread), np.cumsum(row.sizes)[:-1])
    for block, size, constant in zip(blocks, row.sizes, row.constants, strict=True):
        assert block == pytest.approx(np.linspace(constant, (1 - spread) * constant, size))
        assert block[0] == constant


def test_rows_do_not_depend_on_processes_and_are_computed_once(
    tmp_path: Path, pools: dict[int, Executor]
) -> None:
    experiment = Quadratics(repeats=2, tol=1e-2)
    results = []
    for jobs in (1, 2):
        store = Store(tmp_path / str(jobs), experiment.name, experiment.settings)
        run_experiment(experiment, store, ["03"], executor=pools[jobs])
        before = store.get("03")
        events: list[Event] = []
        rows = ["01", "03"]
        results.append(
            run_experiment(experiment, store, rows, executor=pools[jobs], progress=events.append)
        )
        assert store.get("03") == before and {event.message[:6] for event in events} == {"row 01"}
    serial, parallel = results
    assert [r["row"] for r in serial] == [1, 3]
    for result in (*serial, *parallel):
        del result["wall_clock"]
    assert serial == parallel
    assert serial[0]["runs"]["RPT"][0] != serial[0]["runs"]["RPT"][1], "seeds differ"
    here = experiment.compute("01", "RPT", 1, ignore)
    del here["seconds"]
    assert json.loads(json.dumps(here)) == serial[0]["runs"]["RPT"][1]
    paths = write_outputs(experiment, store, run_experiment(experiment, store, []))
    assert [Path(path).suffix for path in paths] == [".csv", ".md", ".svg", ".png"]
    page = Path(paths[1]).read_text(encoding="utf-8")
    assert "| 3 | 10, 100, 1000 | 256.7, 54.8, 11 | 5.7 | 5.41 | NO | 11.83 | 14.96 |" in page
    assert "row 3 gives 5.406, printed 5.7" in page and "row 1 gives" not in page


@pytest.mark.parametrize("method", ["GD", "RPT"])
def test_the_target_reaches_the_runs(method: str) -> None:
    coarse, fine = (
        Quadratics(tol=tol).compute("01", method, 0, ignore)["steps"] for tol in (1e-4, 1e-8)
    )
    assert 1.5 * coarse < fine


@pytest.mark.parametrize(
    ("argument", "values"),
    [
        ("repeats", [0, -1]),
        ("tol", [0.0, 1.0, math.nan]),
        ("spread", [1.0, -0.1]),
        ("normalization", ["none"]),
        ("ties", ["random"]),
        ("ridge", [0.0, -1.0, np.nan, np.inf]),
        ("block_count", [0]),
    ],
)
def test_wrong_parameters_are_refused(argument: str, values: list[Any]) -> None:
    experiment: Any = Quadratics if argument == "spread" else RidgeRegression
    for value in values:
        with refuses(argument):
            experiment(**{argument: value})


# --- ridge regression

RNG = np.random.default_rng(0)
FEATURES = RNG.normal([3, -2, 0, 10], [1, 2, 0.1, 5], (50, 4))
DATA = replace(load("prostate"), values=FEATURES, target=RNG.normal(size=50))


LOW = FEATURES.min(axis=0)
HIGH = FEATURES.max(axis=0)


@pytest.mark.parametrize(
    ("name", "features"),
    [
        ("minmax", (2 * FEATURES - LOW - HIGH) / (HIGH - LOW)),
        ("unit-interval", (FEATURES - LOW) / (HIGH - LOW)),
        ("zscore", (FEATURES - FEATURES.mean(axis=0)) / FEATURES.std(axis=0)),
        ("unit-norm", FEATURES / np.sqrt((FEATURES**2).sum(axis=0))),
    ],
)
def test_each_normalization(name: str, features: Any) -> None:
    expected = np.column_stack([features, np.ones(50)])
    instance = RidgeRegression(normalization=name, ridge=0.25).prepare(DATA)
    ridge: Any = instance.objective
    order = np.argsort(-np.round((expected**2).mean(axis=0), 9), kind="stable")
    assert (instance.blocks.sizes, ridge.lam) == ((2, 2, 1), 0.25)
    np.testing.assert_allclose(ridge.A, expected[:, order], atol=1e-12)
    np.testing.assert_array_equal(ridge.b, DATA.target)


def test_ties() -> None:
    tied = np.array([1.0, 2.0, 1.0 + 1e-12, 2.0, 2.0])  # the last one is the bias
    assert sorted_columns(tied, "stable").tolist() == [1, 3, 4, 0, 2]
    assert sorted_columns(tied, "reversed").tolist() == [4, 3, 1, 2, 0]
    assert sorted_columns(tied, "bias-first").tolist() == [4, 1, 3, 0, 2]


def test_more_blocks_than_coordinates_are_refused() -> None:
    with refuses("block_count"):
        RidgeRegression(block_count=6).prepare(DATA)


def test_the_closed_form_at_least_1_and_rounded_is_the_theory_of_the_paper() -> None:
    for name, (printed, _) in RIDGE.items():
        theory = RidgeRegression().compute(name, "theory", 0, ignore)
        assert round(middle(theory["clipped"]), 1) == float(printed)


def test_a_small_table(tmp_path: Path, pools: dict[int, Executor]) -> None:
    experiment = RidgeRegression(repeats=2, tol=1e-4)
    store = Store(tmp_path, experiment.name, experiment.settings)
    results = run_experiment(experiment, store, ["prostate"], executor=pools[2])
    runs = results[0]["runs"]
    assert {name: len(repeated) for name, repeated in runs.items()} == {
        "GD": 1,
        "CBCD": 1,
        "RPT": 2,
        "RPT-optimal": 2,
        "accelerated": 2,
    }
    assert all(run["status"] == "converged" for repeated in runs.values() for run in repeated)
    paths = write_outputs(experiment, store, results)
    page = Path(paths[1]).read_text(encoding="utf-8")
    assert "| prostate cancer | 97 | 9 | 1 | 0.865 | 1.00 | 1.191 | 1.280 | 2.1 |" in page


# --- figures


def test_curves_of_a_panel_start_together(monkeypatch: pytest.MonkeyPatch) -> None:
    figures: list[Any] = []

    def rendered(figure: Any, title: str, looks: Any) -> dict[str, bytes]:
        figures.append(figure)
        return {}

    monkeypatch.setattr("rpttheory.experiments.figure.rendered", rendered)
    slow = {"curve": {"cost": [4.0, 8.0], "error": [0.5, 0.1]}}
    quick = {"curve": {"cost": [0.5, 1.0], "error": [0.01, 0.001]}}
    draw({"panel": {"GD": [slow], "RPT": [quick, quick]}}, 1, title="")
    lines = [line.get_xydata() for line in figures[0].axes[0].lines]
    assert [line[0].tolist() for line in lines] == [[0.25, 1.0]] * 3
    assert lines[0][1].tolist() == [4.0, 0.5]


def test_figures_have_every_panel_and_equal_results_are_equal_files() -> None:
    curve = {"curve": {"cost": [0.5, 1.0, 10.0], "error": [1.0, 0.1, 1e-8]}}
    panels = {f"panel {k}": {"GD": [curve], "RPT": [curve, curve]} for k in range(5)}
    pictures, again = (draw(panels, 4, title="Title") for _ in range(2))
    assert pictures == again and pictures[".png"].startswith(b"\x89PNG")
    svg = pictures[".svg"].decode()
    assert svg.count("<!-- panel") == 5 and "<!-- CBCD" not in svg and "<!-- RPT" in svg
    assert len({str(style["linestyle"]) for style in STYLES.values()}) == len(STYLES)
