"""Measured costs, curvature and probabilities as pictures."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..report.figure import INKS, MARKERS, check_plot_path, new_figure, write_picture

if TYPE_CHECKING:
    from .advice import Advice
    from .profile import CostProfile

_ORDERS = ("", "input-first", "output-first", "given")
_INKS = {name: INKS[index] for index, name in enumerate(_ORDERS)}
_MARKS = {name: MARKERS[index] for index, name in enumerate(_ORDERS)}
# Beyond this many blocks names would overlap, and numbers take their place.
_NAMED_BLOCKS = 12


def plot_profile(profile: CostProfile, path: str) -> None:
    """Cost against depth, measured and by size share."""
    check_plot_path(path)
    figure, (axes,) = _figure(1, 5.2)
    _draw_costs(axes, profile)
    write_picture(figure, Path(path))


def plot_advice(advice: Advice, path: str) -> None:
    """The picture in a file."""
    check_plot_path(path)
    write_picture(draw_advice(advice), Path(path))


def draw_advice(advice: Advice) -> Any:
    """Costs, curvature and optimal probabilities, with the verdict as the title."""
    figure, (costs, curvature, probabilities) = _figure(3, 4.3)
    _draw_costs(costs, advice.profile)
    names = advice.profile.labels.names
    positions = np.arange(len(names))
    tops = [bracket.midpoint for bracket in advice.curvature.block_lambda_max]
    curvature.bar(positions, tops, 0.7, color="#999999")
    curvature.axhline(advice.curvature.lambda_max.midpoint, color="black", linewidth=1.0, linestyle="--")
    title = f"largest curvature per block ({advice.curvature.kind}, at one point)\ndashed: of all blocks"
    curvature.set_title(title, fontsize=9, loc="left")
    curvature.set_ylabel("lambda_max (numerical)")
    for size, one in zip((9, 4), advice.recommendations, strict=False):
        # Two sizes, because both orders may well agree.
        style = {"marker": _MARKS[one.name], "markersize": size, "fillstyle": "none", "linewidth": size / 4}
        probabilities.plot(positions, one.search.probabilities, color=_INKS[one.name], label=one.name, **style)
    free = advice.size_share.search.probabilities
    probabilities.plot(positions, free, ":", color="black", linewidth=1.2, label="by size share, any order")
    probabilities.set_ylim(0, 1.05)
    probabilities.set_ylabel("probability of an update")
    probabilities.set_title("optimal probabilities of the model problem", fontsize=9, loc="left")
    probabilities.legend(framealpha=0.85, edgecolor="none", fontsize=8, loc="best")
    for axes in (curvature, probabilities):
        _name_blocks(axes, names)
    title = "\n".join(textwrap.wrap(f"{advice.name}: {advice.verdict}" if advice.name else advice.verdict, 130))
    figure.suptitle(title, fontsize=10, x=0.01, ha="left")
    return figure


def _draw_costs(axes: Any, profile: CostProfile) -> None:
    depths = np.arange(profile.labels.count + 1)
    for costs in profile.orders:
        colour = _INKS[costs.name]
        measured = np.concatenate(([costs.forward], costs.measured))
        spread = np.concatenate(([0.0], costs.spread))
        axes.errorbar(
            depths,
            measured,
            spread,
            marker=_MARKS[costs.name],
            markersize=4,
            color=colour,
            capsize=2,
            label=f"{costs.name}, measured",
        )
        shares = np.concatenate(([0.0], costs.size_share))
        axes.plot(depths, shares, "--", linewidth=1.0, color=colour, label=f"{costs.name}, size share")
    axes.set_ylim(0, 1.08)
    axes.set_xlabel("blocks updated")
    axes.set_ylabel("cost of a step, full step = 1")
    axes.set_title(f"cost of a step\nfull step: {profile.unit}", fontsize=9, loc="left")
    axes.legend(frameon=False, fontsize=8, loc="lower right")


def _name_blocks(axes: Any, names: tuple[str, ...]) -> None:
    if len(names) <= _NAMED_BLOCKS:
        axes.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize=8)
    else:
        axes.set_xlabel("block, from input to output")


def _figure(panels: int, width: float) -> tuple[Any, Any]:
    from matplotlib.ticker import MaxNLocator

    figure = new_figure(width * panels, 4.2)
    grid = figure.subplots(1, panels, squeeze=False)[0]
    for axes in grid:
        axes.spines[["top", "right"]].set_visible(False)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure, grid
