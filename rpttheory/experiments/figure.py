"""Error against cost, one panel per row, as SVG and PNG."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..report.figure import UNDATED, line, new_figure, picture

STYLES = {
    name: line(index)
    for index, name in enumerate(("GD", "RPT", "RPT-optimal", "CBCD", "accelerated"))
}


def draw(
    panels: Mapping[str, Mapping[str, Sequence[Any]]], columns: int, *, title: str
) -> dict[str, bytes]:
    """Draw runs by panel and method; return the picture in both formats, by suffix.

    Runs of one method share a color and one entry in the legend.
    """
    import matplotlib as mpl

    columns = min(columns, len(panels))
    lines = math.ceil(len(panels) / columns)
    with mpl.rc_context({"font.size": 8, "path.simplify_threshold": 0.3}):
        figure = new_figure(max(2.9 * columns, 4.5), 2.25 * lines + 0.8)
        grid = figure.subplots(lines, columns, squeeze=False, sharey=True)
        for axes in grid.flat[len(panels) :]:
            axes.set_axis_off()
        for index, (panel_title, runs) in enumerate(panels.items()):
            axes = grid.flat[index]
            curves = [run["curve"] for repeated in runs.values() for run in repeated]
            # A logarithmic axis has no zero: the start, error 1, is drawn left of all first steps.
            start = min((curve["cost"][0] for curve in curves if curve["cost"]), default=1.0) / 2
            for method, repeated in runs.items():
                for run in repeated:
                    costs = [start, *run["curve"]["cost"]]
                    errors = [1.0, *run["curve"]["error"]]
                    axes.plot(costs, errors, linewidth=0.9, alpha=0.7, **STYLES[method])
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.minorticks_off()
            axes.set_title(panel_title, fontsize=8, loc="left")
            axes.grid(visible=True, linewidth=0.4, alpha=0.4)
            axes.spines[["top", "right"]].set_visible(False)
            if index % columns == 0:
                axes.set_ylabel("relative error f - f*")
            if index + columns >= len(panels):
                axes.set_xlabel("cost, in steps of GD")
        methods = {method for runs in panels.values() for method in runs}
        return rendered(
            figure, title, {name: look for name, look in STYLES.items() if name in methods}
        )


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
