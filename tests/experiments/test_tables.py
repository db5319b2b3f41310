"""The paper's two tables: printed, recomputed, certified and measured numbers."""

import itertools
import json
import math
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpttheory import Blocks, diagonal
from rpttheory.datasets import load
from rpttheory.experiments.figure import LOOKS, Curve, Panel, draw
from rpttheory.experiments.measure import (
    _corners,
    mean_speedup,
    measure,
    measured_parts,
    scaled_stepsize,
    speedup_of,
)
from rpttheory.experiments.preprocessing import Preprocessing, prepare, sorted_columns
from rpttheory.experiments.quadratics import PAPER, SPREAD, Quadratics, Row, recomputes, spectrum
from rpttheory.experiments.ridge import PAPER as RIDGE
from rpttheory.experiments.ridge import RidgeRegression
from rpttheory.experiments.runner import run_experiment, write_outputs
from rpttheory.experiments.theory import middle, rounds_to, speedups
from rpttheory.methods import CBCD, GD, RPT
from rpttheory.numbers import Bracket, Verdict
from rpttheory.objectives import Quadratic
from rpttheory.runs.progress import Event
from rpttheory.runs.store import Store
from tests.refusals import refuses

# --- theory


@given(st.integers(0, 2**32 - 1))
def test_speedups_against_numpy(seed: int) -> None:
    sizes = (2, 1, 3)
    factor = np.random.default_rng(seed).standard_normal((6, 6)) * np.repeat([5.0, 2, 1], sizes)
    L = factor.T @ factor
    L = (L + L.T) / 2
    found = speedups(L, Blocks(sizes))
    costs = np.array(sizes) / 6
    ends = np.cumsum((0, *sizes))
    constants = [np.linalg.eigvalsh(L[a:b, a:b])[-1] for a, b in itertools.pairwise(ends)]
    top = np.linalg.eigvalsh(L)[-1]
    formula = top / np.sqrt(constants * costs).sum() ** 2

    def at(p: Any) -> float:
        root = np.repeat(1 / np.sqrt(p), sizes)
        return float(top / (np.linalg.eigvalsh(root[:, None] * L * root)[-1] * (p @ costs)))

    p = np.sqrt(constants / costs)
    exact = at(p / p.max())
    assert middle(found["formula"]) == pytest.approx(formula, rel=1e-10)
    assert middle(found["clipped"]) == pytest.approx(max(formula, 1), rel=1e-10)
    assert middle(found["exact"]) == pytest.approx(exact, rel=1e-10)
    assert found["optimum"]["upper"] / found["optimum"]["lower"] - 1 < 1e-8
    assert found["optimum"]["upper"] * (1 + 1e-12) >= max(exact, 1)
    best = np.array(found["probabilities"]["RPT-optimal"])
    assert at(best) == pytest.approx(middle(found["optimum"]), rel=1e-7)


@pytest.mark.parametrize(
    ("low", "high", "printed", "decimals", "verdict"),
    [
        (1.06, 1.06, "1.1", 1, Verdict.PROVED),
        (1.06, 1.06, "1", 1, Verdict.REFUTED),
        (19.96, 19.97, "20", 1, Verdict.PROVED),
        (1.14, 1.16, "1.1", 1, Verdict.UNDECIDED),
        (1.16, 1.17, "1.1", 1, Verdict.REFUTED),
        (1.03, 1.04, "1.1", 1, Verdict.REFUTED),
        (1.0, 2.0, "1.5", 1, Verdict.UNDECIDED),
        (1.4, 1.4, "1", 0, Verdict.PROVED),
    ],
)
def test_rounding(low: float, high: float, printed: str, decimals: int, verdict: Verdict) -> None:
    assert rounds_to(Bracket(low, high), printed, decimals) is verdict


# --- one run

VALUES = np.array([16.0, 4.0, 4.0, 1.0, 1.0, 1.0])
BLOCKS = Blocks((1, 2, 3))
F = Quadratic(diagonal(VALUES))


def measured(method: Any, seed: int = 0) -> dict[str, Any]:
    start = np.ones(6)
    return measure(method, F, BLOCKS, x0=start, target=1e-6, seed=[seed], report=lambda text: None)


def test_gradient_descent_against_its_formula() -> None:
    found = measured(GD())
    gaps = ((VALUES * (1 - VALUES / 16) ** (2 * t)).sum() / VALUES.sum() for t in range(10**4))
    steps = next(t for t, gap in enumerate(gaps) if gap <= 1e-6)
    assert steps <= found["steps"] <= math.ceil(1.01 * steps) + 1
    assert found["cost"] == pytest.approx(found["steps"])
    assert found["status"] == "converged" and found["seconds"] > 0


def test_seeds_decide() -> None:
    first, again, other = (measured(RPT(), seed=seed) for seed in (1, 1, 2))
    for found in (first, again, other):
        del found["seconds"]
    assert first == again != other


def test_a_method_that_does_not_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpttheory.experiments.measure.MOST_STEPS", 3)
    found = measured(GD())
    assert found["status"] == "budget" and found["curve"]["cost"] == [1.0, 2.0, 3.0]
    assert found["steps"] is found["cost"] is found["seconds"] is None


def test_curves_are_thin_and_keep_their_ends() -> None:
    cost = np.concatenate([[0.0], np.geomspace(0.01, 1000, 5000)])
    error = np.where(cost < 5, 1.0, 1e-4 * np.exp(-cost / 500))
    places = _corners(cost, error)
    assert places == sorted(set(places)) and len(places) < 120
    jump = int(np.argmax(cost >= 5))
    assert {1, jump - 1, jump, 5000} <= set(places), "the ends, and both ends of a jump"
    assert _corners(np.array([0.0]), np.array([1.0])) == []


def test_stepsizes_by_a_factor() -> None:
    half = scaled_stepsize(GD(), F.A, BLOCKS, 0.5)
    assert isinstance(half, GD) and half.stepsize == 0.5 / 16
    quarter = scaled_stepsize(RPT([1.0, 0.5, 0.5]), F.A, BLOCKS, 0.25)
    assert isinstance(quarter, RPT) and quarter.stepsize == 0.25 / 16
    for method in (GD(), CBCD()):
        assert scaled_stepsize(method, F.A, BLOCKS, 1.0) is method


def row(cost: list[float | None], seconds: list[float | None]) -> dict[str, Any]:
    parts: dict[tuple[str, int], Any] = {("theory", 0): {}, ("GD", 0): {"cost": 12, "seconds": 6}}
    for seed, (c, s) in enumerate(zip(cost, seconds, strict=True)):
        parts["RPT", seed] = {"cost": c, "seconds": s}
    return measured_parts(dict(reversed(parts.items())))


def test_speedups_are_means_over_seeds() -> None:
    result = row([4.0, 3.0, 2.0], [1.0, 2.0, 3.0])
    assert [r["cost"] for r in result["runs"]["RPT"]] == [4.0, 3.0, 2.0], "seeds in order"
    assert result["wall_clock"] == {"GD": [6], "RPT": [1.0, 2.0, 3.0]}
    assert speedup_of("RPT", "cost")(result) == pytest.approx((13 / 3, np.std([3, 4, 6], ddof=1)))
    assert speedup_of("RPT", "seconds")(result)[0] == pytest.approx(11 / 3)  # type: ignore[index]
    assert mean_speedup(result, "RPT") == pytest.approx(13 / 3)
    assert speedup_of("RPT", "cost")(row([4.0], [1.0])) == 3.0
    assert speedup_of("RPT", "cost")(row([4.0, None], [1.0, None])) is None
    assert mean_speedup(row([None], [None]), "RPT") is None


# --- the quadratics


def formula(row: Row) -> float:
    L = np.array(row.constants)
    c = np.array(row.sizes) / sum(row.sizes)
    return float(L.max() / np.sqrt(L * c).sum() ** 2)


def test_rows_as_printed() -> None:
    assert len(PAPER) == 12 and PAPER["06"].sizes == (10, 50, 250)
    assert sum(float(row.theory) for row in PAPER.values()) == pytest.approx(419.9)
    assert sum(float(row.real) for row in PAPER.values()) == pytest.approx(791.0)
    assert sum(sum(row.constants) for row in PAPER.values()) == pytest.approx(116328.3)


def test_rows_3_and_6_do_not_recompute() -> None:
    verdicts = {int(key): recomputes(row) for key, row in PAPER.items()}
    assert {key for key, verdict in verdicts.items() if verdict != "yes"} == {3, 6, 11}
    assert verdicts[3] == verdicts[6] == "no" and verdicts[11] == "rounding"
    off = {int(key) for key, row in PAPER.items() if abs(formula(row) - float(row.theory)) > 0.05}
    assert off == {3, 6, 11}
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


def likelihood(spread: float) -> float:
    """Of the printed largest values, as those of d_k uniform draws from [(1 - spread) M, M], M a
    multiple of 11.
    """
    bounds = [(275, 55, 11)] * 4 + [(1100, 110, 11)] * 4 + [(27500, 550, 11)] * 4
    total = 0.0
    for row, tops in zip(PAPER.values(), bounds, strict=True):
        half = 0.5 * 10.0**-row.decimals
        for size, largest, top in zip(row.sizes, row.constants, tops, strict=True):
            below, above = (
                min(max((min(x, top) - (1 - spread) * top) / (spread * top), 0.0), 1.0) ** size
                for x in (largest - half, largest + half)
            )
            total += math.log(max(above - below, 1e-300))
    return total


def test_the_spread_is_the_likely_one() -> None:
    spreads = np.linspace(0.02, 1.0, 99)
    values = np.array([likelihood(spread) for spread in spreads])
    assert spreads[values.argmax()] == pytest.approx(SPREAD, abs=0.01)
    inside = spreads[values > values.max() - 1.92]  # a 95 percent interval
    assert 0.1 < inside.min() < SPREAD < inside.max() < 0.3


def test_rows_do_not_depend_on_processes_and_are_computed_once(
    tmp_path: Path, pools: dict[int, Executor]
) -> None:
    experiment = Quadratics(repeats=2, target=1e-2)
    events: list[Event] = []
    results = []
    for jobs in (1, 2):
        store = Store(tmp_path / str(jobs), experiment.name, experiment.settings)
        run_experiment(experiment, store, ["03"], executor=pools[jobs])
        before = store.get("03")
        events.clear()
        results.append(
            run_experiment(
                experiment, store, ["01", "03"], executor=pools[jobs], watch=events.append
            )
        )
        assert store.get("03") == before and {event.doing[:6] for event in events} == {"row 01"}
    serial, parallel = results
    assert [r["row"] for r in serial] == [1, 3]
    for result in (*serial, *parallel):
        del result["wall_clock"]
    assert serial == parallel
    assert serial[0]["runs"]["RPT"][0] != serial[0]["runs"]["RPT"][1], "seeds differ"
    here = experiment.compute("01", "RPT", 1, lambda error: None)
    del here["seconds"]
    assert json.loads(json.dumps(here)) == serial[0]["runs"]["RPT"][1]
    written = write_outputs(experiment, store, run_experiment(experiment, store, []))
    assert [Path(path).suffix for path in written] == [".csv", ".md", ".svg", ".png"]
    page = Path(written[1]).read_text(encoding="utf-8")
    assert "| 3 | 10, 100, 1000 | 256.7, 54.8, 11 | 5.7 | 5.41 | NO | 11.83 | 14.96 |" in page
    assert "row 3 gives 5.406, printed 5.7" in page and "row 1 gives" not in page


def test_theory_of_a_diagonal_is_what_the_formulas_say() -> None:
    found = Quadratics().compute("12", "theory", 0, lambda error: None)
    row = PAPER["12"]
    L = np.array(row.constants)
    c = np.array(row.sizes) / sum(row.sizes)
    p = np.sqrt(L / c)
    p /= p.max()
    assert found["formula"]["lower"] == pytest.approx(formula(row))
    assert found["exact"]["lower"] == pytest.approx(L.max() / ((L / p).max() * (p @ c)))
    assert found["optimum"]["lower"] == pytest.approx(L.max() / (L @ c))
    np.testing.assert_allclose(found["probabilities"]["RPT-optimal"], L / L.max())


def test_tolerance_and_stepsize_reach_the_runs() -> None:
    def steps(**settings: float) -> int:
        return int(Quadratics(**settings).compute("01", "GD", 0, lambda error: None)["steps"])  # type: ignore[arg-type]

    base = steps(target=1e-4)
    assert 1.5 * base < steps(target=1e-8) and 1.9 * base < steps(target=1e-4, stepsize_factor=0.5)


@pytest.mark.parametrize(
    ("argument", "values"),
    [
        ("repeats", [0, -1]),
        ("target", [0.0, 1.0, math.nan]),
        ("stepsize_factor", [0.0, -1.0, 1.1, math.nan]),
        ("spread", [1.0, -0.1]),
    ],
)
def test_wrong_parameters_are_refused(argument: str, values: list[float]) -> None:
    for value in values:
        with refuses(argument):
            Quadratics(**{argument: value})  # type: ignore[arg-type]


# --- ridge regression

RNG = np.random.default_rng(0)
FEATURES = RNG.normal([3, -2, 0, 10], [1, 2, 0.1, 5], (50, 4))
DATA = replace(load("prostate"), values=FEATURES, target=RNG.normal(size=50))


@pytest.mark.parametrize("name", ["minmax", "unit-interval", "zscore", "unit-norm"])
def test_each_normalization(name: str) -> None:
    low = FEATURES.min(axis=0)
    high = FEATURES.max(axis=0)
    features = {
        "minmax": (2 * FEATURES - low - high) / (high - low),
        "unit-interval": (FEATURES - low) / (high - low),
        "zscore": (FEATURES - FEATURES.mean(axis=0)) / FEATURES.std(axis=0),
        "unit-norm": FEATURES / np.sqrt((FEATURES**2).sum(axis=0)),
    }[name]
    expected = np.column_stack([features, np.ones(50)])
    ridge, blocks = prepare(DATA, Preprocessing(name, ridge=0.25))
    order = np.argsort(-np.round((expected**2).mean(axis=0), 9), kind="stable")
    assert blocks.sizes == (2, 2, 1)
    np.testing.assert_allclose(ridge.A, expected[:, order], atol=1e-12)
    np.testing.assert_allclose(
        ridge.smoothness.diagonal(), np.diag(2 / 50 * ridge.A.T @ ridge.A) + 0.5
    )
    np.testing.assert_array_equal(ridge.b, DATA.target)


def test_ties() -> None:
    tied = np.array([1.0, 2.0, 1.0 + 1e-12, 2.0, 2.0])  # the last one is the bias
    assert sorted_columns(tied, "stable").tolist() == [1, 3, 4, 0, 2]
    assert sorted_columns(tied, "reversed").tolist() == [4, 3, 1, 2, 0]
    assert sorted_columns(tied, "bias-first").tolist() == [4, 1, 3, 0, 2]


def test_wrong_preprocessing_is_refused(tmp_path: Path) -> None:
    for options in ({"normalization": "none"}, {"ties": "random"}, {"blocks": 6}, {"blocks": 0}):
        with refuses():
            prepare(DATA, Preprocessing(**options))  # type: ignore[arg-type]
    for lam in (0.0, -1.0, np.nan, np.inf):
        with refuses("ridge"):
            Preprocessing(ridge=lam)
    with refuses():
        RidgeRegression(folder=str(tmp_path)).require_data(["wine"])
    with refuses("blocks"):
        RidgeRegression(choice=Preprocessing(blocks=10)).require_data(["wine", "prostate"])
    choice = Preprocessing("zscore", 0.5, 4, "reversed")
    settings = RidgeRegression(choice=choice, folder="somewhere").settings
    assert settings == RidgeRegression(choice=choice, folder="elsewhere").settings
    assert {"ridge": 0.5, "blocks": 4, "ties": "reversed"}.items() <= settings.items()


def hessian(name: str, lam: float) -> Any:
    features = load(name).doubles
    low = features.min(axis=0)
    high = features.max(axis=0)
    A = np.column_stack([2 * (features - low) / (high - low) - 1, np.ones(len(features))])
    H = 2 / len(A) * A.T @ A + 2 * lam * np.eye(A.shape[1])
    order = np.argsort(-np.diag(H), kind="stable")
    return H[np.ix_(order, order)]


def test_the_theory_of_ridge_regression_against_numpy() -> None:
    """With the default choices the paper's Theory column is the clipped closed form, rounded."""
    for name, (printed, _) in RIDGE.items():
        found = RidgeRegression().compute(name, "theory", 0, lambda error: None)
        H = hessian(name, 0.1)
        sizes = np.array([part.size for part in np.array_split(np.arange(len(H)), 3)])
        ends = np.cumsum((0, *sizes))
        constants = [np.linalg.eigvalsh(H[a:b, a:b])[-1] for a, b in itertools.pairwise(ends)]
        value = np.linalg.eigvalsh(H)[-1] / np.sqrt(constants * sizes / len(H)).sum() ** 2
        assert found["blocks"] == sizes.tolist()
        assert middle(found["formula"]) == pytest.approx(value, rel=1e-9)
        assert round(middle(found["clipped"]), 1) == float(printed)


def test_a_small_table(tmp_path: Path, pools: dict[int, Executor]) -> None:
    experiment = RidgeRegression(repeats=2, target=1e-4)
    store = Store(tmp_path, experiment.name, experiment.settings)
    results = run_experiment(experiment, store, ["prostate"], executor=pools[2])
    runs = results[0]["runs"]
    once = {name for name, several in runs.items() if len(several) == 1}
    assert once == {"GD", "CBCD"} and len(runs) == 5
    assert all(run["status"] == "converged" for several in runs.values() for run in several)
    written = write_outputs(experiment, store, results)
    page = Path(written[1]).read_text(encoding="utf-8")
    assert "| prostate cancer | 97 | 9 | 1 | 0.865 | 1.00 | 1.191 | 1.280 | 2.1 |" in page


# --- tables and figures


def test_figures_have_every_panel_and_equal_results_are_equal_files() -> None:
    runs = [Curve(label, [0.5, 1.0, 10.0], [1.0, 0.1, 1e-8]) for label in ("GD", "RPT")]
    pictures, again = (
        draw([Panel(f"panel {k}", runs) for k in range(5)], 4, title="Title") for _ in range(2)
    )
    assert pictures == again and pictures[".png"].startswith(b"\x89PNG")
    svg = pictures[".svg"].decode()
    assert svg.count("<!-- panel") == 5 and "<!-- CBCD" not in svg and "<!-- RPT" in svg
    assert len({str(look["linestyle"]) for look in LOOKS.values()}) == len(LOOKS)
