"""Training loss and test accuracy against bytes, time, operations and memory: eight panels, as SVG
and PNG.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...report.figure import INKS, LINES, new_figure
from ..figure import rendered
from .settings import METHODS
from .summary import AXES, Curve

# Colour and dashes: families share a colour, and no two methods both.
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


def draw(known: Sequence[Curve], *, title: str) -> dict[str, bytes]:
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
