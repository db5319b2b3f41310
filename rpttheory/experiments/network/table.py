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
from .settings import METHODS

_ABOUT = {
    "sgd-momentum": "SGD, momentum: 0.9, and weight decay 5e-4; SGD, PT and RPT have neither.",
    "pt": "PT: truncated networks with heads of their own, as in ProgFed.",
    "fedavg": "Clients: momentum 0.9, reset in each round.",
    "muon": "Muon: momentum 0.95; RPT with it goes output-first, without the factor 1/p.",
}
# What the tables are made at, and the axes of the picture.
PLACES = ("bytes", "time")
AXES = {
    "bytes": "bytes sent, in steps of SGD\n(the paper's cost: share of parameters updated)",
    "time": "processor time of a worker, in steps of SGD",
    "operations": "operations of a worker, in steps of SGD",
    "memory": "temporary memory of a worker at its peak, MB",
}
# What is compared there and drawn.
_QUANTITIES = {"train_loss": "training loss", "accuracy": "test accuracy"}


@dataclass(frozen=True, eq=False)
class Curve:
    """One run: bytes, time, operations, memory, epoch, train_loss and accuracy at each record."""

    method: str
    values: Mapping[str, FloatArray]

    def at(self, axis: str, place: Any, quantity: str) -> Any:
        """A quantity where the axis has reached a place, between two records by a straight line."""
        return np.interp(place, self.values[axis], self.values[quantity])

    def last(self, quantity: str) -> float:
        """A quantity at the end of the run."""
        return float(self.values[quantity][-1])


def curves(runs: Sequence[Result], costs: Mapping[str, Result]) -> list[Curve]:
    """All runs, in the order of the table, with what their steps took; `costs` of each kind of
    step, by method.
    """
    return [
        _curve(run, costs[info.costs_of])
        for method, info in METHODS.items()
        for run in runs
        if run["method"] == method and run["records"]
    ]


def _curve(run: Result, costs: Result) -> Curve:
    """Time and operations so far are in steps of SGD, and the most memory so far in megabytes."""
    records = run["records"]
    names = [name for name in costs if name in records[-1]["kinds"]]
    steps = np.array([[record["kinds"].get(name, 0) for name in names] for record in records])
    time, flops, memory = (
        np.array([costs[name][key] for name in names]) for key in ("time", "flops", "memory")
    )
    peak = np.where(steps > 0, memory, 0.0).max(axis=1, initial=0.0) / 1e6
    # Before the first step only the memory of the first kind of step is known.
    peak[:1] = peak[1:2] if len(peak) > 1 else 0.0
    values = {
        "time": steps @ time,
        "operations": steps @ flops / costs["whole"]["flops"],
        "memory": peak,
    }
    recorded = {
        "bytes": "cost",
        "epoch": "epoch",
        "train_loss": "train_loss",
        "accuracy": "accuracy",
    }
    for name, key in recorded.items():
        values[name] = np.array([record[key] for record in records], dtype=np.float64)
    return Curve(run["method"], values)


def summary(runs: Sequence[Result], run_curves: Sequence[Curve]) -> list[Result]:
    """One row per method; pairs are means with standard deviations over the seeds.

    A method of which a run diverged has no entries but those about its runs.
    """
    by_method = {
        method: [run for run in runs if run["method"] == method]
        for method in METHODS
        if any(run["method"] == method for run in runs)
    }
    finished = {
        method: [curve for curve in run_curves if curve.method == method]
        for method, repeated in by_method.items()
        if all(run["status"] == "finished" for run in repeated)
    }
    ends = {
        axis: min(
            (curve.last(axis) for method_curves in finished.values() for curve in method_curves),
            default=0.0,
        )
        for axis in PLACES
    }
    rows = []
    for method, repeated in by_method.items():
        row: Result = {
            "method": METHODS[method].title,
            "learning_rate": repeated[0]["learning_rate"],
            "diverged": sum(run["status"] == "diverged" for run in repeated),
            "cpu_seconds": mean_and_deviation([run["cpu_seconds"] for run in repeated]),
        }
        for axis, end in ends.items():
            row[f"common_{axis}"] = end
            row |= _means(finished.get(method, ()), axis, end)
        rows.append(row)
    return rows


def _means(method_curves: Sequence[Curve], axis: str, place: float) -> Result:
    """Means over the runs of one method where the axis has reached a place."""
    means: Result = {}
    for quantity in (*AXES, "train_loss", "accuracy"):
        values = [float(curve.at(axis, place, quantity)) for curve in method_curves]
        if values:
            pair = quantity in _QUANTITIES
            mean = mean_and_deviation(values) if pair else statistics.fmean(values)
            means[f"{quantity}_{axis}"] = mean
    return means


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
    """The network, the data and the number of seeds, in a few words."""
    count = "1 seed" if seeds == 1 else f"{seeds} seeds"
    return f"{settings['model']}, width {settings['width']}, {settings['dataset']}, {count}"


def remarks(
    settings: Mapping[str, Any], seeds: int, rows: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Notes for the reader of the tables: units, learning rates, ranking, methods."""
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
    ]
    titles = {row["method"] for row in rows}
    return notes + [text for method, text in _ABOUT.items() if METHODS[method].title in titles]


def _column(name: str, title: str = "", digits: int = 3) -> Column:
    return Column(name, title or name, lambda row: row.get(name), digits)


def columns(rows: Sequence[Result], place: str) -> list[Column]:
    """The table at equal bytes or at equal time, whose titles name what all have reached."""
    end = f"{rows[0][f'common_{place}']:.3g}" if rows else ""
    compared = [axis for axis in (*PLACES, "operations") if axis != place]
    return [
        _column("method"),
        _column("learning_rate", "learning rate", 2),
        _column(f"train_loss_{place}", f"training loss at {place} {end}"),
        _column(f"accuracy_{place}", f"test accuracy at {place} {end}", 4),
        *(_column(f"{axis}_{place}", axis) for axis in compared),
        _column(f"memory_{place}", "memory, MB"),
    ]


def all_columns(rows: Sequence[Result]) -> list[Column]:
    """The columns of both tables, for the CSV file."""
    first, second = (columns(rows, place) for place in PLACES)
    return [*first, *second[2:], *map(_column, ("diverged", "cpu_seconds"))]


_POINTS = 49


def draw_curves(run_curves: Sequence[Curve], *, title: str) -> dict[str, bytes]:
    """The picture in both formats, by suffix: means over seeds as lines, the range over seeds as
    bands.
    """
    import matplotlib as mpl
    from matplotlib.ticker import LogFormatter

    by_method: dict[str, list[Curve]] = {}
    for curve in run_curves:
        by_method.setdefault(curve.method, []).append(curve)
    with mpl.rc_context({"font.size": 8}):
        figure = new_figure(12.8, 6.0)
        grid = figure.subplots(len(_QUANTITIES), len(AXES), sharex="col", sharey="row")
        for row, (quantity, words) in enumerate(_QUANTITIES.items()):
            for column, (axis, caption) in enumerate(AXES.items()):
                axes = grid[row, column]
                for method_curves in by_method.values():
                    _plot(axes, method_curves, axis, quantity)
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
        return rendered(figure, title, {METHODS[name].title: _look(name) for name in by_method})


def _look(method: str) -> dict[str, Any]:
    info = METHODS[method]
    return {"color": INKS[info.ink], "linestyle": LINES[info.dashes]}


def _plot(axes: Any, method_curves: Sequence[Curve], axis: str, quantity: str) -> None:
    """The runs of one method, up to where the shortest of them ends; of memory, which does not add
    up, their ends.
    """
    look = _look(method_curves[0].method)
    ends = [curve.last(axis) for curve in method_curves]
    if axis == "memory":
        inside = look["color"] if look["linestyle"] == "-" else "none"
        style = look | {"linestyle": "", "marker": "o", "markerfacecolor": inside}
        axes.plot(ends, [curve.last(quantity) for curve in method_curves], **style)
        return
    places = np.linspace(0.0, min(ends), _POINTS)
    values = np.array([curve.at(axis, places, quantity) for curve in method_curves])
    axes.plot(places, values.mean(axis=0), linewidth=1.2, **look)
    band = {"color": look["color"], "alpha": 0.13, "linewidth": 0}
    axes.fill_between(places, values.min(axis=0), values.max(axis=0), **band)
