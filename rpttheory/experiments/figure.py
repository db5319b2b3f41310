"""Error against cost, one panel per row, as SVG and PNG."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..report.figure import UNDATED, line, new_figure, picture

LOOKS = {
    name: line(index)
    for index, name in enumerate(("GD", "RPT", "RPT-optimal", "CBCD", "accelerated"))
}


@dataclass(frozen=True)
class Curve:
    """One run: what it is called, and error against cost."""

    label: str
    cost: Sequence[float]
    error: Sequence[float]


@dataclass(frozen=True)
class Panel:
    """One row of a table as a picture."""

    title: str
    curves: Sequence[Curve]


def draw(panels: Sequence[Panel], columns: int, *, title: str) -> dict[str, bytes]:
    """The picture in both formats, by suffix; runs of one method share a color and one entry in
    the legend.
    """
    import matplotlib as mpl

    columns = min(columns, len(panels))
    lines = math.ceil(len(panels) / columns)
    with mpl.rc_context({"font.size": 8, "path.simplify_threshold": 0.3}):
        figure = new_figure(max(2.9 * columns, 4.5), 2.25 * lines + 0.8)
        grid = figure.subplots(lines, columns, squeeze=False, sharey=True)
        lowest = min((min(curve.error) for panel in panels for curve in panel.curves), default=1e-8)
        for index, axes in enumerate(grid.flat):
            if index >= len(panels):
                axes.set_axis_off()
                continue
            panel = panels[index]
            for curve in panel.curves:
                axes.plot(curve.cost, curve.error, linewidth=0.9, alpha=0.7, **LOOKS[curve.label])
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.minorticks_off()
            axes.set_ylim(lowest / 2, 3.0)
            axes.set_title(panel.title, fontsize=8, loc="left")
            axes.grid(visible=True, linewidth=0.4, alpha=0.4)
            axes.spines[["top", "right"]].set_visible(False)
            if index % columns == 0:
                axes.set_ylabel("relative error f - f*")
            if index + columns >= len(panels):
                axes.set_xlabel("cost, in steps of GD")
        present = [
            label for label in LOOKS if any(c.label == label for p in panels for c in p.curves)
        ]
        return rendered(figure, title, {label: LOOKS[label] for label in present})


def rendered(figure: Any, title: str, looks: Mapping[str, Mapping[str, Any]]) -> dict[str, bytes]:
    """A figure in both formats, by suffix, with a title and a legend of colors and dashes."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=label, linewidth=1.8, **look) for label, look in looks.items()]
    figure.legend(
        handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=9
    )
    figure.suptitle(title, fontsize=10)
    return {
        suffix: picture(figure, suffix, dpi=150, metadata=metadata)
        for suffix, metadata in UNDATED.items()
    }
