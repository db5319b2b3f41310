"""Tables and figure of the network experiment: means over seeds at equal bytes and equal time."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...numbers.exact_array import FloatArray
from ...report.figure import INKS, LINES, new_figure
from ...report.table import Column, Result, mean_and_deviation
from ..figure import rendered
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
            "repeats": len(mine),
            "diverged": sum(run["status"] == "diverged" for run in mine),
            **{f"common_{axis}": place for axis, place in reached.items()},
            "cpu_seconds": mean_and_deviation([run["cpu_seconds"] for run in mine]),
        }
        if method in finished:
            row["steps"] = statistics.fmean(run["records"][-1]["step"] for run in mine)
            for axis in (*AXES, "epoch"):
                row[axis] = statistics.fmean(float(getattr(curve, axis)[-1]) for curve in own)
            row["megabytes"] = row["bytes"] * 8 * mine[0]["size"] / 1e6
            row["loss"] = mean_and_deviation([float(curve.train_loss[-1]) for curve in own])
            row["accuracy"] = mean_and_deviation([float(curve.accuracy[-1]) for curve in own])
            for axis, place in reached.items():
                for name in ("train_loss", "accuracy"):
                    values = [curve.at(axis, name, place) for curve in own]
                    row[f"{name.removeprefix('train_')}_{axis}"] = mean_and_deviation(values)
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
    return f"{settings['model']}, width {settings['width']}, {settings['dataset']}, {count}"


def remarks(
    settings: Mapping[str, Any], seeds: int, rows: Sequence[Mapping[str, Any]]
) -> list[str]:
    """What a reader of the table must know."""
    rates = ", ".join(f"{rate:g}" for rate in settings["learning_rates"])
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
            f" SGD. A run ends at bytes {settings['cost_budget']:g} or after {settings['epochs']:g}"
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


def _entry(name: str, title: str, digits: int = 3) -> Column:
    return Column(name, title, lambda row: row.get(name), digits)


def columns(rows: Sequence[Result], place: str) -> list[Column]:
    """The table at equal bytes or at equal time, whose titles name what all have reached."""
    reached = f"{rows[0][f'common_{place}']:.3g}" if rows else ""
    found = [_entry("method", "method"), _entry("learning_rate", "learning rate", 2)]
    found.append(_entry(f"loss_{place}", f"training loss at {place} {reached}"))
    found.append(_entry(f"accuracy_{place}", f"test accuracy at {place} {reached}", 4))
    found += [_entry(f"{axis}_{place}", axis) for axis in (*PLACES, "operations") if axis != place]
    return [*found, _entry(f"memory_{place}", "memory, MB")]


def all_columns(rows: Sequence[Result]) -> list[Column]:
    """Both tables and the ends of the runs, for the CSV file."""
    found = [_entry(name, name) for name in ("method", "learning_rate", "steps", "epoch", *AXES)]
    found += [
        _entry("megabytes", "megabytes"),
        _entry("loss", "loss"),
        _entry("accuracy", "accuracy"),
    ]
    found += [column for place in PLACES for column in columns(rows, place)[2:]]
    return [*found, _entry("diverged", "diverged"), _entry("cpu_seconds", "cpu_seconds")]


# Color and dashes: families share a color, and no two methods both.
_LOOKS = {
    name: {"color": INKS[ink], "linestyle": LINES[dashes]}
    for name, (ink, dashes) in {
        "sgd": (0, 0),
        "sgd-momentum": (0, 5),
        "pt": (3, 0),
        "pt-partial": (3, 3),
        "fedavg": (5, 0),
        "progfed": (5, 1),
        "ist": (4, 0),
        "resist": (4, 2),
        "rpt-input": (1, 1),
        "rpt-output": (2, 2),
        "rpt-curvature": (2, 4),
        "rpt-federated": (1, 4),
    }.items()
}
_QUANTITIES = {"train_loss": "training loss", "accuracy": "test accuracy"}
_POINTS = 49


def draw_curves(known: Sequence[Curve], *, title: str) -> dict[str, bytes]:
    """The picture in both formats, by suffix: means over seeds as lines, the range over seeds as
    bands.
    """
    import matplotlib as mpl
    from matplotlib.ticker import LogFormatter

    present = [method for method in METHODS if any(curve.method == method for curve in known)]
    with mpl.rc_context({"font.size": 8}):
        figure = new_figure(12.8, 6.0)
        grid = figure.subplots(len(_QUANTITIES), len(AXES), sharex="col", sharey="row")
        for row, (quantity, words) in enumerate(_QUANTITIES.items()):
            for column, (axis, caption) in enumerate(AXES.items()):
                axes = grid[row, column]
                for method in present:
                    _plot(
                        axes, [curve for curve in known if curve.method == method], axis, quantity
                    )
                if quantity == "train_loss":
                    axes.set_yscale("log")
                    axes.yaxis.set_major_formatter("{x:g}")
                    axes.yaxis.set_minor_formatter(LogFormatter(minor_thresholds=(1, 0.4)))
                else:
                    axes.set_xlabel(caption)
                if column == 0:
                    axes.set_ylabel(words)
                axes.grid(visible=True, linewidth=0.4, alpha=0.4)
                axes.spines[["top", "right"]].set_visible(False)
                axes.set_xlim(left=0)
        return rendered(figure, title, {METHODS[name]: _LOOKS[name] for name in present})


def _plot(axes: Any, own: Sequence[Curve], axis: str, quantity: str) -> None:
    """The runs of one method, up to where the shortest of them ends; of memory, which does not add
    up, their ends.
    """
    if axis == "memory":
        ends = [(float(curve.memory[-1]), float(getattr(curve, quantity)[-1])) for curve in own]
        look = _LOOKS[own[0].method]
        inside = look["color"] if look["linestyle"] == "-" else "none"
        axes.plot(
            *zip(*ends, strict=True),
            linestyle="",
            marker="o",
            color=look["color"],
            markerfacecolor=inside,
        )
        return
    end = min(float(getattr(curve, axis)[-1]) for curve in own)
    places = np.linspace(0.0, end, _POINTS)
    values = np.array(
        [np.interp(places, getattr(curve, axis), getattr(curve, quantity)) for curve in own]
    )
    look = _LOOKS[own[0].method]
    axes.plot(places, values.mean(axis=0), linewidth=1.2, **look)
    if len(own) > 1:
        axes.fill_between(
            places,
            values.min(axis=0),
            values.max(axis=0),
            color=look["color"],
            alpha=0.13,
            linewidth=0,
        )
