"""From runs to the rows of tables: means over seeds at equal bytes and at equal time, and what they
cost otherwise.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...numbers.exact_array import FloatArray
from ..table import Result, spread
from .settings import COSTS_OF, METHODS

_ABOUT = {
    "sgd-momentum": "SGD, momentum: 0.9, and weight decay 5e-4; SGD, PT and RPT have neither.",
    "pt": (
        "PT: truncated networks with heads of their own, as in ProgFed. PT, partial: first blocks"
        " of the whole one."
    ),
    "rpt-curvature": (
        "RPT curvature: output-first, with the probabilities that are optimal for the Gauss-Newton"
        " matrix at the start and for flops; NUMERICAL, at one point."
    ),
}
# What the tables are made at, and the axes of the picture.
PLACES = ("bytes", "time")
AXES = {
    "bytes": "bytes sent, in steps of SGD\n(the paper's cost: share of parameters updated)",
    "time": "processor time of a worker, in steps of SGD",
    "operations": "operations of a worker, in steps of SGD",
    "memory": "temporary memory of a worker at its peak, MB",
}


@dataclass(frozen=True, eq=False)
class Curve:
    """One run: what is plotted, and the axes it is plotted against."""

    method: str
    bytes: FloatArray
    time: FloatArray
    operations: FloatArray
    memory: FloatArray
    epoch: FloatArray
    train_loss: FloatArray
    accuracy: FloatArray

    def at(self, axis: str, quantity: str, place: float) -> float:
        """A quantity where the axis has reached a place, between two records by a straight line."""
        return float(np.interp(place, getattr(self, axis), getattr(self, quantity)))


def curves(runs: Sequence[Result], costs: Mapping[str, Result]) -> list[Curve]:
    """All runs, in the order of the table, with what their steps took; `costs` of each kind of
    step, by method.
    """
    found = []
    for method in METHODS:
        for run in runs:
            if run["method"] == method and run["records"]:
                kinds = costs[COSTS_OF.get(method, method)]
                column = {name: _column(run, name) for name in ("epoch", "train_loss", "accuracy")}
                found.append(
                    Curve(
                        method,
                        bytes=_column(run, "cost"),
                        **column,
                        **_taken(run["records"], kinds),
                    )
                )
    return found


def _taken(records: Sequence[Result], costs: Result) -> dict[str, FloatArray]:
    """Time and operations so far, in steps of SGD, and the most memory so far, in megabytes."""
    names = [name for name in costs if name in records[-1]["kinds"]]
    steps = np.array(
        [[record["kinds"].get(name, 0) for name in names] for record in records], dtype=np.float64
    )
    time, flops, memory = (
        np.array([costs[name][key] for name in names]) for key in ("time", "flops", "memory")
    )
    # Before the first step nothing is known but what the first kind of step takes.
    used = np.where(steps > 0, memory, 0.0).max(axis=1, initial=0.0) / 1e6
    used[0] = used[1] if len(used) > 1 else 0.0
    return {
        "time": steps @ time,
        "operations": steps @ flops / costs["whole"]["flops"],
        "memory": used,
    }


def _column(run: Result, name: str) -> FloatArray:
    return np.array([record[name] for record in run["records"]], dtype=np.float64)


def summary(runs: Sequence[Result], known: Sequence[Curve]) -> list[Result]:
    """One row per method; pairs are means with standard deviations over the seeds."""
    finished = {
        method
        for method in METHODS
        if {run["status"] for run in runs if run["method"] == method} == {"finished"}
    }
    reached = {
        axis: common([curve for curve in known if curve.method in finished], axis)
        for axis in PLACES
    }
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
            **{f"common_{axis}": place for axis, place in reached.items()},
            "cpu_seconds": spread([run["cpu_seconds"] for run in mine]),
        }
        if method in finished:
            row["steps"] = statistics.fmean(run["records"][-1]["step"] for run in mine)
            for axis in (*AXES, "epoch"):
                row[axis] = statistics.fmean(float(getattr(curve, axis)[-1]) for curve in own)
            row["megabytes"] = row["bytes"] * 8 * mine[0]["size"] / 1e6
            row["loss"] = spread([float(curve.train_loss[-1]) for curve in own])
            row["accuracy"] = spread([float(curve.accuracy[-1]) for curve in own])
            for axis, place in reached.items():
                for name in ("train_loss", "accuracy"):
                    values = [curve.at(axis, name, place) for curve in own]
                    row[f"{name.removeprefix('train_')}_{axis}"] = spread(values)
                for other in AXES:
                    row[f"{other}_{axis}"] = statistics.fmean(
                        curve.at(axis, other, place) for curve in own
                    )
        rows.append(row)
    return rows


def common(known: Sequence[Curve], axis: str) -> float:
    """How far every run has come."""
    return min((float(getattr(curve, axis)[-1]) for curve in known), default=0.0)


def best_rate(runs: Iterable[Result]) -> float:
    """The learning rate of greatest validation accuracy; of equal ones, that of least training
    loss.
    """

    def merit(run: Result) -> tuple[float, float]:
        last = (
            run["records"][-1]
            if run["status"] == "finished"
            else {"accuracy": -1.0, "train_loss": 0.0}
        )
        return last["accuracy"], -last["train_loss"]

    return float(max(runs, key=merit)["learning_rate"])


def title(settings: Mapping[str, Any], seeds: int) -> str:
    """What was run, in a few words."""
    count = "1 seed" if seeds == 1 else f"{seeds} seeds"
    return f"{settings['model']}, width {settings['width']}, {settings['data']}, {count}"


def remarks(
    settings: Mapping[str, Any], seeds: int, rows: Sequence[Mapping[str, Any]]
) -> list[str]:
    """What a reader of the table must know."""
    rates = ", ".join(f"{rate:g}" for rate in settings["grid"])
    origin = (
        f"the best of {rates} by validation accuracy with another seed"
        if rates
        else "as set, or found so before"
    )
    spread = "" if seeds == 1 else ": mean ± standard deviation"
    notes = [
        f"{title(settings, seeds)}, batch {settings['batch']}{spread}; learning rates: {origin}.",
        (
            "Bytes: what a worker sends and receives, in steps of SGD by workers that share each"
            " batch; for SGD, PT and RPT this is the paper's cost, the share of the parameters"
            " that a step updates. Time: processor time of a worker with its share of the batch"
            f" ({settings['batch']} images for {settings['nodes']}), by kind of step, over that of"
            f" SGD. A run ends at bytes {settings['budget']:g} or after {settings['epochs']:g}"
            " epochs."
        ),
        *verdicts(rows),
    ]
    shown = {row["method"] for row in rows}
    return notes + [text for method, text in _ABOUT.items() if METHODS[method] in shown]


def verdicts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Which method trains best at equal bytes, and at equal time."""
    finished = [row for row in rows if "loss" in row]
    if not finished:
        return ["Every method diverged."]
    return [
        _ranking(finished, f"loss_{axis}", f"equal {axis}, {finished[0][f'common_{axis}']:.3g}")
        for axis in PLACES
    ]


def _ranking(rows: Sequence[Mapping[str, Any]], key: str, place: str) -> str:
    ranked = sorted(rows, key=lambda row: _mean(row[key]))
    listed = ", ".join(f"{row['method']} {_mean(row[key]):.3g}" for row in ranked)
    return f"Training loss at {place}, best first: {listed}."


def _mean(value: tuple[float, float] | list[float] | float) -> float:
    return value if isinstance(value, float) else value[0]
