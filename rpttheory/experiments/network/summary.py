"""From runs to the rows of a table: means over seeds at equal cost, by the paper's measure and by the measured one."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...reals import FloatArray
from ..table import Result, spread
from .settings import METHODS

_ABOUT = {
    "sgd-momentum": "SGD, momentum: 0.9, and weight decay 5e-4; the other methods have neither.",
    "rpt-curvature": "RPT curvature: output-first, with the probabilities that are optimal for the Gauss-Newton matrix "
    "at the start and for flops; NUMERICAL, at one point.",
}
AXES = {"cost": "paper cost, in steps of SGD", "measured": "measured cost, in steps of SGD", "epoch": "epochs"}


@dataclass(frozen=True, eq=False)
class Curve:
    """One run: what is plotted, and the axes it is plotted against."""

    method: str
    cost: FloatArray
    measured: FloatArray
    epoch: FloatArray
    train_loss: FloatArray
    accuracy: FloatArray

    def at(self, axis: str, quantity: str, place: float) -> float:
        """A quantity where the axis has reached a place, between two records by a straight line."""
        return float(np.interp(place, getattr(self, axis), getattr(self, quantity)))


def curves(runs: Sequence[Result], profile: Result) -> list[Curve]:
    """All runs, in the order of the table, with the measured cost of their steps."""
    outcomes = {order["name"]: np.array(order["outcomes"]) for order in profile["orders"]}
    found = []
    for method in METHODS:
        steps = outcomes["output-first" if method in ("rpt-output", "rpt-curvature") else "input-first"]
        for run in runs:
            if run["method"] == method and run["records"]:
                column = {name: _column(run, name) for name in ("cost", "epoch", "train_loss", "accuracy")}
                depths = np.array([record["depths"] for record in run["records"]], dtype=np.float64)
                found.append(Curve(method, measured=depths @ steps, **column))
    return found


def _column(run: Result, name: str) -> FloatArray:
    return np.array([record[name] for record in run["records"]], dtype=np.float64)


def summary(runs: Sequence[Result], profile: Result) -> list[Result]:
    """One row per method; pairs are means with standard deviations over the seeds."""
    known = curves(runs, profile)
    finished = {method for method in METHODS if _statuses(runs, method) == {"finished"}}
    common = common_cost([curve for curve in known if curve.method in finished])
    rows = []
    for method, title in METHODS.items():
        own = [curve for curve in known if curve.method == method]
        mine = [run for run in runs if run["method"] == method]
        if not mine:
            continue
        row: Result = {
            "method": title,
            "learning_rate": mine[0]["learning_rate"],
            "seeds": len(mine),
            "diverged": sum(run["status"] == "diverged" for run in mine),
            "common_cost": common,
            "cpu_seconds": spread([run["cpu_seconds"] for run in mine]),
        }
        if method in finished:
            row |= {
                "steps": statistics.fmean(run["records"][-1]["step"] for run in mine),
                **{axis: statistics.fmean(float(getattr(curve, axis)[-1]) for curve in own) for axis in AXES},
                "loss": spread([float(curve.train_loss[-1]) for curve in own]),
                "accuracy": spread([float(curve.accuracy[-1]) for curve in own]),
                "loss_measured": spread([curve.at("measured", "train_loss", common) for curve in own]),
                "accuracy_measured": spread([curve.at("measured", "accuracy", common) for curve in own]),
            }
        rows.append(row)
    return rows


def _statuses(runs: Sequence[Result], method: str) -> set[str]:
    return {run["status"] for run in runs if run["method"] == method}


def common_cost(known: Sequence[Curve]) -> float:
    """The measured cost that every run has reached."""
    return min((float(curve.measured[-1]) for curve in known), default=0.0)


def best_rate(runs: Iterable[Result]) -> float:
    """The learning rate of greatest validation accuracy; of equal ones, that of least training loss."""

    def merit(run: Result) -> tuple[float, float]:
        last = run["records"][-1] if run["status"] == "finished" else {"accuracy": -1.0, "train_loss": 0.0}
        return last["accuracy"], -last["train_loss"]

    return float(max(runs, key=merit)["learning_rate"])


def title(settings: Mapping[str, Any], seeds: int) -> str:
    """What was run, in a few words."""
    count = "1 seed" if seeds == 1 else f"{seeds} seeds"
    return f"{settings['model']}, width {settings['width']}, {settings['data']}, {count}"


def remarks(settings: Mapping[str, Any], seeds: int, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a reader of the table must know."""
    rates = ", ".join(f"{rate:g}" for rate in settings["grid"])
    origin = f"the best of {rates} by validation accuracy with another seed" if rates else "as set, or found so before"
    spread = "" if seeds == 1 else ": mean ± standard deviation"
    notes = [
        f"{title(settings, seeds)}, batch {settings['batch']}{spread}; learning rates: {origin}.",
        "Paper cost of a step: the active blocks' share of the parameters, 1 for SGD; "
        f"a run ends at {settings['budget']:g}. Measured cost of a step: its processor time over that of a step of "
        "SGD, by the number of active blocks, measured beforehand.",
        *verdicts(rows, settings["budget"]),
    ]
    shown = {row["method"] for row in rows}
    return notes + [text for method, text in _ABOUT.items() if METHODS[method] in shown]


def verdicts(rows: Sequence[Mapping[str, Any]], budget: float) -> list[str]:
    """Which method trains best at equal cost, once by each measure."""
    finished = [row for row in rows if "loss" in row]
    if not finished:
        return ["Every method diverged."]
    common = finished[0]["common_cost"]
    places = (("loss", f"paper cost {budget:g}"), ("loss_measured", f"measured cost {common:.0f}"))
    return [_ranking(finished, key, place) for key, place in places]


def _ranking(rows: Sequence[Mapping[str, Any]], key: str, place: str) -> str:
    ranked = sorted(rows, key=lambda row: _mean(row[key]))
    listed = ", ".join(f"{row['method']} {_mean(row[key]):.3g}" for row in ranked)
    return f"Training loss at {place}, best first: {listed}."


def _mean(value: tuple[float, float] | list[float] | float) -> float:
    return value if isinstance(value, float) else value[0]
