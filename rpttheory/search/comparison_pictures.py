"""Pictures of a comparison: the probabilities, and the costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidInput
from ..numbers.decimals import decimal_ceiling, decimal_floor
from ..report.figure import INKS, MARKERS, bars, finish, line, new_axes, tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .comparison import Comparison

# Beyond this many blocks bars are too thin to see, and sorted curves take their place; chosen by
# hand.
_MOST_BARS = 40


def plot(result: Comparison, kind: str, axes: Axes | None, title: str) -> Axes:
    """Draw one kind of picture on the axes, or on new ones."""
    if kind not in PICTURES:
        raise InvalidInput("is unknown", repr(kind), ", ".join(PICTURES), argument="kind")
    return PICTURES[kind](result, axes, title)


def _probabilities(result: Comparison, axes: Axes | None, title: str) -> Axes:
    """Draw bars per block; beyond 40 blocks, one sorted curve per choice."""
    series = [
        (choice.column, choice.probabilities)
        for choice in result.choices
        if choice.probabilities is not None
    ]
    blocks = result.problem.blocks
    axes = new_axes(min(12.0, max(6.5, 1.5 + 0.35 * blocks.count))) if axes is None else axes
    if blocks.count <= _MOST_BARS:
        names = [blocks.name(k) for k in range(blocks.count)]
        bars(
            axes,
            [(name, values.tolist()) for name, values in series],
            [f"block {name}" for name in names],
        )
        axes.set_xticks(range(blocks.count), names, fontsize=8 if blocks.count > 20 else 10)
        axes.set_xlabel("block")
    else:
        for index, (name, values) in enumerate(series):
            ranks = np.arange(1, blocks.count + 1)
            (curve,) = axes.plot(ranks, np.sort(values)[::-1], label=name, **line(index))
            tip(curve, name)
        axes.set_xlabel("blocks, by falling probability")
    if min(values.min() for _, values in series) < 0.02:
        axes.set_yscale("log")
    axes.set_ylabel("probability of an update")
    if result.optimal.upper > 0:
        gain = decimal_floor(result.speedup.exact_lower, 3)
        title += f"\noptimal c(P) {gain} times cheaper than gradient descent"
    return finish(axes, title.strip())


def _costs(result: Comparison, axes: Axes | None, title: str) -> Axes:
    """Draw the certified interval of the optimum beside every other cost."""
    problem = result.problem
    optimal = result.optimal
    marks = [choice for choice in result.choices if choice.search is not optimal]
    axes = new_axes(8.0, 2.6) if axes is None else axes
    if problem.plain:
        low = problem.one_block_cost.lower
        high = (problem.one_block_cost * float(problem.blocks.count)).upper
        label = "sandwich: sum c_k L_k to B times it"
        tip(axes.axvspan(low, high, color="#E3E3E3", label=label), f"{low:.6g} to {high:.6g}")
    label = "optimum of c(P), certified interval"
    interval = axes.axvspan(optimal.lower, optimal.upper, color=INKS[2], label=label)
    ends = f"{decimal_floor(optimal.lower, 10)}, {decimal_ceiling(optimal.upper, 10)}"
    tip(interval, f"optimum in [{ends}]")
    for place, choice in enumerate(marks):
        (mark,) = axes.plot(
            [choice.cost.midpoint],
            [place + 1],
            label=choice.name,
            color=INKS[place % len(INKS)],
            marker=MARKERS[place % len(MARKERS)],
            markersize=9,
            linestyle="none",
            fillstyle="none" if place % 2 else "full",
        )
        tip(mark, f"{choice.name}: {choice.cost.midpoint:.8g}")
    axes.set_ylim(0, len(marks) + 1)
    axes.set_yticks([])
    axes.set_xlabel("cost: c(P), or c_M where the name says so")
    axes.spines["left"].set_visible(False)
    return finish(axes, title)


PICTURES: dict[str, Callable[[Comparison, Axes | None, str], Axes]] = {
    "probabilities": _probabilities,
    "costs": _costs,
}
