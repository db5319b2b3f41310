"""Measured costs, curvature and probabilities as pictures."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ..report.figure import INKS, MARKERS, new_figure

if TYPE_CHECKING:
    from .advice import Advice
    from .priced import CostProfile

_ORDERS = ("", "input-first", "output-first", "given")
_INKS = {name: INKS[index] for index, name in enumerate(_ORDERS)}
_MARKS = {name: MARKERS[index] for index, name in enumerate(_ORDERS)}
# Beyond this many blocks names would overlap, and numbers take their place.
_NAMED_BLOCKS = 12


def draw_advice(advice: Advice) -> Any:
    """Costs, curvature and optimal probabilities, with the verdict as the title; the axes of the
    last are returned.
    """
    figure, (costs, curvature, probabilities) = _figure(3, 4.3)
    draw_costs(costs, advice.profile)
    names = advice.profile.labels.names
    tops = [bracket.midpoint for bracket in advice.curvature.block_lambda_max]
    curvature.bar(np.arange(len(names)), tops, 0.7, color="#999999")
    curvature.axhline(
        advice.curvature.lambda_max.midpoint, color="black", linewidth=1.0, linestyle="--"
    )
    title = (
        f"largest curvature per block ({advice.curvature.kind}, at one point)\ndashed: of all"
        " blocks"
    )
    curvature.set_title(title, fontsize=9, loc="left")
    curvature.set_ylabel("lambda_max (numerical)")
    _name_blocks(curvature, names)
    title = "\n".join(
        textwrap.wrap(f"{advice.name}: {advice.verdict}" if advice.name else advice.verdict, 130)
    )
    figure.suptitle(title, fontsize=10, x=0.01, ha="left")
    return draw_probabilities(probabilities, advice)


def draw_probabilities(axes: Any, advice: Advice) -> Any:
    """Optimal probabilities per block, by measured cost and by size share."""
    names = advice.profile.labels.names
    positions = np.arange(len(names))
    for size, one in zip((9, 4), advice.recommendations, strict=False):
        # Two sizes, because both orders may well agree.
        style = {
            "marker": _MARKS[one.name],
            "markersize": size,
            "fillstyle": "none",
            "linewidth": size / 4,
        }
        axes.plot(
            positions, one.search.probabilities, color=_INKS[one.name], label=one.name, **style
        )
    free = advice.size_share.search.probabilities
    axes.plot(positions, free, ":", color="black", linewidth=1.2, label="by size share, any order")
    axes.set_ylim(0, 1.05)
    axes.set_ylabel("probability of an update")
    axes.set_title("optimal probabilities of the model problem", fontsize=9, loc="left")
    axes.legend(framealpha=0.85, edgecolor="none", fontsize=8, loc="best")
    _name_blocks(axes, names)
    return axes


def draw_profile(profile: CostProfile) -> Any:
    """One panel per currency; the first axes are returned."""
    _, grid = _figure(len(profile.priced), 3.9)
    for axes, currency in zip(grid, profile.priced, strict=True):
        draw_costs(axes, profile.priced_in(currency))
    return grid[0]


def draw_costs(axes: Any, profile: CostProfile) -> Any:
    """Cost against depth in the currency of the profile, and by size share."""
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
            label=f"{costs.name}, {profile.currency}",
        )
        shares = np.concatenate(([0.0], costs.size_share))
        axes.plot(
            depths, shares, "--", linewidth=1.0, color=colour, label=f"{costs.name}, size share"
        )
    axes.set_ylim(0, 1.08)
    axes.set_xlabel("blocks updated")
    axes.set_ylabel("cost of a step, full step = 1")
    axes.set_title(
        f"{profile.currency} of a step\nfull step: {profile.unit}", fontsize=9, loc="left"
    )
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    return axes


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
