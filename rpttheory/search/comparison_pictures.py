"""Pictures of a comparison: the probabilities, and the costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidInput
from ..numbers.decimals import decimal_floor
from ..report.figure import INKS, MARKERS, bars, finish, line, new_axes, tip
from .comparison_report import speedup

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .comparison import Comparison

# Beyond this many blocks bars are too thin to see, and sorted curves take their place; chosen by
# hand.
_MOST_BARS = 40


def plot(result: Comparison, kind: str, axes: Axes | None, title: str) -> Axes:
    """Draw one kind of picture on the axes, or on new ones."""
    if kind not in PICTURES:
        raise InvalidInput(
            "is not one of the choices", repr(kind), ", ".join(PICTURES), argument="kind"
        )
    return PICTURES[kind](result, axes, title)


def _probabilities(result: Comparison, axes: Axes | None, title: str) -> Axes:
    """Draw bars per block; beyond 40 blocks, one sorted curve per choice."""
    best = result.samplings.best.key
    keys = ("closed form", "optimal", "your p", "nonconvex", best)
    series = [(name, p) for name, p in result.probabilities.items() if name in keys]
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
        gain = speedup(result.problem.gradient_descent, result.optimal.bracket)
        title += f"\noptimal c(P) {gain} times cheaper than gradient descent"
    return finish(axes, title.strip())


def _costs(result: Comparison, axes: Axes | None, title: str) -> Axes:
    """Draw the costs of all choices and samplings on one axis, one line each."""
    choices = [(choice.name, choice.cost) for choice in result.choices]
    samplings = [(row.name, row.cost) for row in result.samplings.rows]
    rows = [*choices, *samplings]
    axes = new_axes(8.0, 1.0 + 0.3 * len(rows)) if axes is None else axes
    for index, (label, group) in enumerate((("c(P)", choices), ("c_M", samplings))):
        for place, (name, cost) in enumerate(group, start=len(choices) * index):
            if not math.isfinite(cost.width):
                continue
            # Certified intervals are mostly narrower than the line.
            axes.plot([cost.lower, cost.upper], [-place] * 2, color=INKS[index], linewidth=3)
            (mark,) = axes.plot(
                [cost.midpoint],
                [-place],
                label=f"by {label}" if place == len(choices) * index else None,
                color=INKS[2 * index],
                marker=MARKERS[index],
                markersize=8,
                linestyle="none",
            )
            tip(mark, f"{name}: {cost.midpoint:.8g}")
    bound = result.samplings.bound.cost.lower
    line = axes.axvline(bound, color=INKS[5], linestyle="--", linewidth=1)
    tip(line, f"no sampling costs less than {decimal_floor(bound, 8)} by c_M")
    axes.set_yticks([-place for place in range(len(rows))], [name for name, _ in rows], fontsize=9)
    axes.axhline(0.5 - len(choices), color="0.8", linewidth=0.8)
    costs = [cost.midpoint for _, cost in rows if math.isfinite(cost.width)]
    if min(costs) > 0 and max(costs) > 20 * min(costs):
        axes.set_xscale("log")
    else:
        axes.set_xlim(left=0)
    axes.set_xlabel("cost")
    return finish(axes, title)


PICTURES: dict[str, Callable[[Comparison, Axes | None, str], Axes]] = {
    "probabilities": _probabilities,
    "costs": _costs,
}
