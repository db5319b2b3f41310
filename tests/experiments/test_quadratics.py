"""The twelve quadratics: the paper's numbers, ours, and that the number of processes changes
nothing.
"""

import json
import math
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rpttheory.errors import InvalidInput
from rpttheory.experiments.quadratics import PAPER, SPREAD, Quadratics, Row, recomputes, spectrum
from rpttheory.experiments.runner import run_experiment, write_outputs
from rpttheory.runs.progress import Event
from rpttheory.runs.store import open_store


def formula(row: Row) -> float:
    L = np.array(row.constants)
    c = np.array(row.sizes) / sum(row.sizes)
    return float(L.max() / np.sqrt(L * c).sum() ** 2)


def test_rows_as_printed() -> None:
    assert len(PAPER) == 12
    assert {key: row.sizes for key, row in PAPER.items() if key in ("01", "06", "12")} == {
        "01": (10, 10, 10),
        "06": (10, 50, 250),
        "12": (10, 500, 25000),
    }
    assert sum(float(row.theory) for row in PAPER.values()) == pytest.approx(419.9)
    assert sum(float(row.real) for row in PAPER.values()) == pytest.approx(791.0)
    assert sum(sum(row.constants) for row in PAPER.values()) == pytest.approx(116328.3)


def test_rows_3_and_6_do_not_recompute() -> None:
    assert {int(key) for key, row in PAPER.items() if recomputes(row) == "no"} == {3, 6}
    assert {int(key) for key, row in PAPER.items() if recomputes(row) == "rounding"} == {11}
    off = {int(key) for key, row in PAPER.items() if abs(formula(row) - float(row.theory)) > 0.05}
    assert off == {3, 6, 11}


def test_rounding_of_the_constants_is_searched_to_its_corners() -> None:
    row = Row((1, 1), (4, 1), "", "", 0)
    # The formula is 2 / (1 + sqrt(L_2 / L_1))^2: 0.8889 as printed, from 0.7305 to 1.125 within the
    # rounding.
    expected = {"0.9": "yes", "0.7": "rounding", "1.1": "rounding", "1.2": "no", "0.6": "no"}
    assert {printed: recomputes(replace(row, theory=printed)) for printed in expected} == expected
    fine = replace(row, decimals=2)
    assert [recomputes(replace(fine, theory=printed)) for printed in ("0.9", "0.8", "1.0")] == [
        "yes",
        "no",
        "no",
    ]


@pytest.mark.parametrize("spread", [0.0, SPREAD, 0.9])
def test_spectrum(spread: float) -> None:
    row = PAPER["02"]
    values = spectrum(row, spread)
    start = 0
    for size, constant in zip(row.sizes, row.constants, strict=True):
        block = values[start : start + size]
        assert block[0] == block.max() == constant and block[-1] == pytest.approx(
            (1 - spread) * constant
        )
        np.testing.assert_allclose(np.diff(block), np.diff(block)[0], rtol=1e-6, atol=1e-12)
        start += size
    assert start == values.size and spectrum(Row((1, 1), (3.0, 2.0), "", ""), spread).tolist() == [
        3.0,
        2.0,
    ]


def test_tolerance_and_stepsize_reach_the_runs() -> None:
    def steps(**settings: float) -> int:
        return int(Quadratics(**settings).compute("01", "GD", 0, lambda error: None)["steps"])  # type: ignore[arg-type]

    base = steps(tolerance=1e-4)
    assert 1.5 * base < steps(tolerance=1e-8) and 1.9 * base < steps(tolerance=1e-4, stepsize=0.5)


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
    best = spreads[values.argmax()]
    assert best == pytest.approx(SPREAD, abs=0.01)
    inside = spreads[values > values.max() - 1.92]  # a 95 percent interval
    assert 0.1 < inside.min() < SPREAD < inside.max() < 0.3


def ignoring_the_clock(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key != "wall_clock"}


def test_serial_and_parallel_agree_to_the_last_bit(
    tmp_path: Path, pools: dict[int, Executor]
) -> None:
    experiment = Quadratics(seeds=2)
    results = []
    for jobs in (1, 2):
        store = open_store(tmp_path / str(jobs), experiment.name, experiment.settings)
        results.append(run_experiment(experiment, store, ["01", "04"], executor=pools[jobs]))
    serial, parallel = results
    assert [r["row"] for r in serial] == [1, 4]
    assert list(map(ignoring_the_clock, serial)) == list(map(ignoring_the_clock, parallel))
    assert serial[0]["runs"]["RPT"][0] != serial[0]["runs"]["RPT"][1], "seeds differ"
    # A row computed here, without workers, is the same for the small dimension (one BLAS thread
    # either way).
    here = experiment.compute("01", "RPT", 1, lambda error: None)
    here.pop("seconds")
    assert json.loads(json.dumps(here)) == serial[0]["runs"]["RPT"][1]


def test_a_finished_row_is_not_computed_again(tmp_path: Path, pools: dict[int, Executor]) -> None:
    experiment = Quadratics(seeds=1, tolerance=0.5)
    store = open_store(tmp_path, experiment.name, experiment.settings)
    events: list[Event] = []
    run_experiment(experiment, store, ["02"], executor=pools[1], watch=events.append)
    assert [event.doing for event in events if event.milestone] == ["row 02 done"]
    assert max(event.done for event in events) == events[-1].total == 4
    before = store.row_path("02").read_bytes()
    events.clear()
    found = run_experiment(experiment, store, ["01", "02"], executor=pools[1], watch=events.append)
    assert {event.doing[:6] for event in events} == {"row 01"} and [r["row"] for r in found] == [
        1,
        2,
    ]
    assert store.row_path("02").read_bytes() == before
    assert [r["row"] for r in run_experiment(experiment, store, ["02"], executor=pools[1])] == [
        1,
        2,
    ], "the table loses nothing"


def test_outputs(tmp_path: Path, pools: dict[int, Executor]) -> None:
    experiment = Quadratics(seeds=2, tolerance=1e-2)
    store = open_store(tmp_path, experiment.name, experiment.settings)
    results = run_experiment(experiment, store, ["01", "03"], executor=pools[2])
    written = write_outputs(experiment, store, results)
    assert [Path(path).name for path in written] == [
        f"quadratics{s}" for s in (".csv", ".md", ".svg", ".png")
    ]
    page = (tmp_path / "quadratics.md").read_text(encoding="utf-8")
    assert "| 3 | 10, 100, 1000 | 256.7, 54.8, 11 | 5.7 | 5.41 | NO | 11.83 | 14.96 |" in page
    assert "row 3 gives 5.406, printed 5.7" in page and "row 1 gives" not in page
    assert "f - f* <= 0.01 (f(x0) - f*)" in page and "2 seed(s)" in page
    table = (tmp_path / "quadratics.csv").read_text(encoding="utf-8").split("\n")
    assert table[0].startswith(
        "row,blocks,L,theory_printed,theory,recomputes,exact,optimum,RPT,RPT_sd,"
    )
    assert len(table) == 4


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


WRONG = {
    "seeds": [0, -1],
    "tolerance": [0.0, 1.0, math.nan],
    "stepsize": [0.0, -1.0, 1.1, math.nan],
    "spread": [1.0, -0.1],
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_parameters(name: str) -> None:
    for value in WRONG[name]:
        with pytest.raises(InvalidInput):
            Quadratics(**{name: value})  # type: ignore[arg-type]
