"""What a step that updates some blocks really costs, beside the paper's model: their share of the parameters."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from ..errors import InvalidInput
from ..problem.blocks import BlockOrder
from ..reals import FloatArray
from ..report import Document, Shown, Table, new_axes
from ..validation import check_probabilities, read_only
from .pytree import Labels, PyTree, require_labels
from .schedules import GivenOrder, as_order
from .stepcost import StepCost, processor_ratios
from .steps import Loss, require_finite_loss

Method = Literal["cpu", "flops"]
OrderLike = GivenOrder | Literal["both", "input-first", "output-first"]
# Increments that noise makes zero or negative count as this share of a full step: costs must be positive.
_LEAST = 1e-6


@dataclass(frozen=True, eq=False)
class OrderCosts:
    """Costs of the outcomes along one order; a full step costs 1.

    Attributes
    ----------
    name : str
        "input-first", "output-first" or "given".
    order : BlockOrder
    forward : float
        The value of the loss alone: the overhead of a step, as measured.
    measured : ndarray
        measured[i]: the first i + 1 blocks of the order are updated.
    spread : ndarray
        Half the interquartile range of each.
    size_share : ndarray
        The same outcomes by their share of the parameters.
    """

    name: str
    order: BlockOrder
    forward: float
    measured: FloatArray
    spread: FloatArray
    size_share: FloatArray

    @cached_property
    def _monotone(self) -> FloatArray:
        """Forward and outcomes as the nearest sequence that rises: more blocks cannot cost less, noise apart."""
        fitted = isotonic_regression(np.concatenate(([self.forward], self.measured))).x
        return np.asarray(fitted, dtype=np.float64)

    @property
    def overhead(self) -> float:
        """c_0, paid on every step."""
        return float(self._monotone[0])

    @cached_property
    def costs(self) -> FloatArray:
        """c_k per block: what a step costs more once the block joins those before it in the order."""
        return read_only(self.order.per_block(np.maximum(np.diff(self._monotone), _LEAST)))

    def expected_cost(self, probabilities: ArrayLike) -> float:
        """Mean cost of a step for probabilities per block that fall along the order."""
        return self.overhead + float(check_probabilities(probabilities, self.costs.size).near @ self.costs)


@dataclass(frozen=True, eq=False, repr=False)
class CostProfile(Shown):
    """Measured costs of all outcomes along one or both orders. Made by `profile_costs`.

    Attributes
    ----------
    labels : Labels
    method : {"cpu", "flops"}
    loss : float
        Its value at the parameters.
    full : float
        A full step: seconds of processor time, or floating-point operations.
    orders : tuple of OrderCosts
    """

    labels: Labels
    method: Method
    loss: float
    full: float
    orders: tuple[OrderCosts, ...]

    def __getitem__(self, name: str) -> OrderCosts:
        for costs in self.orders:
            if costs.name == name:
                return costs
        raise InvalidInput("this order was not profiled", repr(name), ", ".join(costs.name for costs in self.orders))

    @property
    def unit(self) -> str:
        """The cost of a full step in words."""
        return f"{self.full * 1e3:.3g} ms of processor time" if self.method == "cpu" else f"{self.full:.4g} flops"

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            "method": self.method,
            "full": self.full,
            "blocks": list(self.labels.names),
            "sizes": list(self.labels.sizes),
            "orders": [
                {
                    "name": costs.name,
                    "order": list(costs.order.rank_to_block),
                    "forward": costs.forward,
                    "overhead": costs.overhead,
                    "outcomes": costs.measured.tolist(),
                    "spread": costs.spread.tolist(),
                    "size_share": costs.size_share.tolist(),
                    "costs": costs.costs.tolist(),
                }
                for costs in self.orders
            ],
        }

    def __repr__(self) -> str:
        return f"<CostProfile of {self.labels.count} blocks; a full step costs {self.unit}>"

    def document(self, title: str = "", notes: Sequence[str] = ()) -> Document:
        """One row per depth, measured beside the size-share model."""
        head = f"cost of a step by depth; a full step costs 1 ({self.unit})"
        parts: list[str | Table] = [f"{title}: {head}" if title else head, *(f"  note: {note}" for note in notes)]
        header = ("blocks", "last one", "measured", "+-", "size share")
        for costs in self.orders:
            rows = [("0", "(loss alone)", f"{costs.forward:.3f}", "", f"{0.0:.3f}")]
            for depth, block in enumerate(costs.order.rank_to_block):
                spread = f"{costs.spread[depth]:.3f}" if self.method == "cpu" else ""
                share = f"{costs.size_share[depth]:.3f}"
                rows.append((str(depth + 1), self.labels.names[block], f"{costs.measured[depth]:.3f}", spread, share))
            parts += ["", costs.name, Table(header, rows, frozenset({0, 2, 3, 4}), blocks=True)]
        return parts

    def records(self) -> list[dict[str, Any]]:
        """One row per order and depth."""
        return [
            {"order": costs.name, "blocks": depth + 1, "measured": cost, "spread": spread, "size_share": share}
            for costs in self.orders
            for depth, (cost, spread, share) in enumerate(
                zip(costs.measured.tolist(), costs.spread.tolist(), costs.size_share.tolist(), strict=True)
            )
        ]

    def plot(self, ax: Any = None) -> Any:
        """Draw cost against depth, measured and by size share, on matplotlib axes (new ones by default)."""
        from .pictures import draw_costs

        return draw_costs(new_axes(5.2) if ax is None else ax, self)


def profile_costs(
    loss: Loss,
    params: PyTree,
    batch: Any,
    labels: Labels,
    order: OrderLike = "both",
    method: Method = "cpu",
    *,
    rounds: int = 9,
) -> CostProfile:
    """Measure what updating the first 1, 2, ..., B blocks of an order costs, relative to a full step.

    A step is the loss, the gradient of the active blocks and their SGD update, compiled.

    Parameters
    ----------
    loss : callable
        loss(params, batch).
    order : {"both", "input-first", "output-first"} or BlockOrder
        Progressive training goes input-first; output-first, backpropagation stops at the last active block.
    method : {"cpu", "flops"}
        Processor time of this process, all threads: after a warm-up, the median over `rounds` of ratios to the full
        step of the same round. Or XLA's count of floating-point operations: blind to caches, but repeats exactly.
    """
    if method not in ("cpu", "flops"):
        raise InvalidInput("unknown method of measuring", repr(method), "'cpu' or 'flops'")
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise InvalidInput("rounds must be a whole number of at least 1", repr(rounds), "9")
    require_labels(labels)
    orders = _orders(labels, order)
    value = require_finite_loss(loss, params, batch)
    masks = {bytes(labels.count): np.zeros(labels.count, dtype=np.bool_)}
    for known in orders.values():
        for mask in _prefixes(known):
            masks.setdefault(mask.tobytes(), mask)
    steps = {key: StepCost(loss, params, batch, labels, mask) for key, mask in masks.items()}
    full = np.ones(labels.count, dtype=np.bool_).tobytes()
    if method == "flops":
        counts = {key: step.flops() for key, step in steps.items()}
        if not counts[full] > 0:
            raise InvalidInput("XLA counts no floating-point operations", f"{counts[full]}", "method='cpu'")
        samples = {key: [count / counts[full]] for key, count in counts.items()}
        unit = counts[full]
    else:
        unit, samples = processor_ratios(steps, full, rounds)
    found = []
    for name, known in orders.items():
        of_outcome = [samples[mask.tobytes()] for mask in _prefixes(known)]
        found.append(
            OrderCosts(
                name=name,
                order=known,
                forward=statistics.median(samples[bytes(labels.count)]),
                measured=read_only(np.array([statistics.median(values) for values in of_outcome])),
                spread=read_only(np.array([_half_range(values) for values in of_outcome])),
                size_share=read_only(np.cumsum(known.by_rank(labels.sizes)) / sum(labels.sizes)),
            )
        )
    return CostProfile(labels, method, value, unit, tuple(found))


def _half_range(values: list[float]) -> float:
    low, high = np.quantile(values, (0.25, 0.75))
    return float(high - low) / 2


def _prefixes(order: BlockOrder) -> list[NDArray[np.bool_]]:
    ranks = np.array(order.block_to_rank)
    return [ranks <= depth for depth in range(ranks.size)]


def _orders(labels: Labels, order: OrderLike) -> dict[str, BlockOrder]:
    natural = {"input-first": labels.input_first, "output-first": labels.output_first}
    if isinstance(order, str):
        if order == "both":
            return natural
        if order not in natural:
            raise InvalidInput("unknown order", repr(order), "'both', 'input-first', 'output-first' or a BlockOrder")
        return {order: natural[order]}
    return {"given": as_order(order, labels.count)}
