"""Pictures of a comparison: probabilities, costs, the matrix with its blocks, and spectra."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInput
from ..numbers.decimals import decimal_ceiling, decimal_floor
from ..numbers.exact_array import FloatArray
from ..report.figure import INKS, MARKERS, bars, finish, line, new_axes, tip
from .block_sdp import dense

if TYPE_CHECKING:
    from .comparison import Comparison

# Beyond this many blocks bars are too thin to see, and sorted curves take their place.
_BARS = 40
# Pictures of entries and eigenvalues need a dense matrix; beyond this side it is too large for
# either.
_DENSE = 1500


def plot(result: Comparison, kind: str, axes: Any, title: str) -> Any:
    """Draw one kind of picture on the axes, or on new ones."""
    if kind not in KINDS:
        raise InvalidInput("unknown kind of picture", repr(kind), ", ".join(KINDS))
    if kind in ("matrix", "spectrum") and not drawable(result):
        raise InvalidInput(
            f"a picture of the {kind} needs the entries of L",
            f"d = {result.problem.blocks.dimension}, or known through products only",
            f"d at most {_DENSE}",
        )
    return KINDS[kind](result, axes, title)


def drawable(result: Comparison) -> bool:
    """Return whether the entries of L are known and few enough to be drawn."""
    return (
        result.problem.blocks.dimension <= _DENSE
        and result.problem.smoothness.explicit() is not None
    )


def _series(result: Comparison) -> list[tuple[str, FloatArray]]:
    return [
        (choice.column, choice.probabilities)
        for choice in result.choices
        if choice.probabilities is not None
    ]


def _probabilities(result: Comparison, axes: Any, title: str) -> Any:
    """Per block; beyond 40 blocks each choice sorted by itself."""
    series = _series(result)
    blocks = result.problem.blocks
    axes = new_axes(min(12.0, max(6.5, 1.5 + 0.35 * blocks.count))) if axes is None else axes
    if blocks.count <= _BARS:
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


def _costs(result: Comparison, axes: Any, title: str) -> Any:
    """The certified interval of the optimum on a line with everything else that is known."""
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


def _matrix(result: Comparison, axes: Any, title: str) -> Any:
    """|L| in logarithms, block after block, with the borders between them."""
    problem = result.problem
    entries = np.abs(_dense(result))
    largest = float(entries.max()) or 1.0
    axes = new_axes(6.2, 5.0) if axes is None else axes
    logarithms = np.log10(np.maximum(entries / largest, 1e-8))
    image = axes.imshow(logarithms, cmap="cividis", vmin=-8, vmax=0, interpolation="nearest")
    for start, draw in itertools.product(problem.blocks.starts[1:], (axes.axhline, axes.axvline)):
        draw(start - 0.5, color="white", linewidth=2.0 if problem.blocks.count <= _BARS else 0.7)
    axes.figure.colorbar(image, ax=axes, label="log10 of |L| over its largest entry, at least -8")
    return finish(axes, title, legend=False)


def _spectrum(result: Comparison, axes: Any, title: str) -> Any:
    """Eigenvalues of P^-1/2 L P^-1/2 times the expected cost, whose largest is c(P); numerical."""
    problem = result.problem
    L = _dense(result)
    axes = new_axes(7.5) if axes is None else axes
    choices = [("gradient descent, p = 1", np.ones(problem.blocks.count)), *_series(result)[:2]]
    for index, (name, p) in enumerate(choices):
        root = 1 / np.sqrt(p[problem.blocks.labels])
        cost = float(problem.overhead) + float(p @ problem.costs.float64)
        values = np.linalg.eigvalsh(root[:, None] * L * root)[::-1] * cost
        places = np.arange(1, values.size + 1)
        few = {"marker": MARKERS[index], "markersize": 4} if values.size <= _BARS else {}
        (curve,) = axes.plot(
            places, np.maximum(values, values[0] * 1e-12), label=name, **line(index), **few
        )
        tip(curve, f"{name}: largest {values[0]:.6g}")
    axes.set_yscale("log")
    axes.set_xlabel("eigenvalues of P^-1/2 L P^-1/2, from the largest")
    axes.set_ylabel("eigenvalue times expected cost")
    return finish(axes, title)


def _dense(result: Comparison) -> FloatArray:
    """L in the order of its blocks."""
    explicit = result.problem.smoothness.explicit()
    assert explicit is not None
    return dense(explicit.matrix)


KINDS: dict[str, Callable[[Comparison, Any, str], Any]] = {
    "probabilities": _probabilities,
    "costs": _costs,
    "matrix": _matrix,
    "spectrum": _spectrum,
}
