"""What updating some blocks costs, currency by currency, beside the paper's model: their share of
the parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression

from ..errors import InvalidInput
from ..numbers.checks import check_probabilities, read_only
from ..numbers.exact_array import FloatArray
from ..problem.blocks import BlockOrder
from ..report import Document, Report, Table
from .pytree import Labels

Currency = Literal["time", "flops", "bytes", "memory"]
CURRENCIES: dict[Currency, str] = {
    "time": "processor time",
    "flops": "operations",
    "bytes": "bytes sent in data-parallel training",
    "memory": "bytes of temporary memory",
}
# Increments that noise makes zero or negative count as this share of a full step: costs must be
# positive.
_LEAST = 1e-6


@dataclass(frozen=True, eq=False)
class OrderCosts:
    """Costs of the outcomes along one order in one currency; a full step costs 1.

    Attributes
    ----------
    name : str
        "input-first", "output-first" or "given".
    order : BlockOrder
    forward : float
        The value of the loss alone.
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
        """The outcomes as the nearest sequence that rises: more blocks cannot cost less, noise
        apart.
        """
        return np.asarray(isotonic_regression(self.measured).x, dtype=np.float64)

    @property
    def overhead(self) -> float:
        """c_0, paid on every step: the loss alone, or the first outcome where noise has made that
        one cheaper.
        """
        return min(self.forward, float(self._monotone[0]))

    @cached_property
    def costs(self) -> FloatArray:
        """c_k per block: what a step costs more once the block joins those before it in the
        order.
        """
        return read_only(
            self.order.per_block(np.maximum(np.diff(self._monotone, prepend=self.overhead), _LEAST))
        )

    def expected_cost(self, probabilities: ArrayLike) -> float:
        """Mean cost of a step for probabilities per block that fall along the order."""
        return self.overhead + float(
            check_probabilities(probabilities, self.costs.size).float64 @ self.costs
        )


class Priced(NamedTuple):
    """One currency: what a full step costs in its own unit, and all outcomes relative to that."""

    full: float
    orders: tuple[OrderCosts, ...]


@dataclass(frozen=True, eq=False, repr=False)
class CostProfile(Report):
    """Costs of all outcomes along one or both orders, in one or more currencies. Made by
    `profile_costs`.

    Attributes
    ----------
    labels : Labels
    loss : float
        Its value at the parameters.
    currency : {"time", "flops", "bytes", "memory"}
        The one that `full`, `orders` and `profile[name]` speak of.
    priced : mapping
        What was measured, by currency.
    """

    labels: Labels
    loss: float
    currency: Currency
    priced: Mapping[Currency, Priced]

    @property
    def full(self) -> float:
        """A full step: seconds of processor time, operations, or bytes."""
        return self.priced[self.currency].full

    @property
    def orders(self) -> tuple[OrderCosts, ...]:
        """The outcomes along each order."""
        return self.priced[self.currency].orders

    def __getitem__(self, name: str) -> OrderCosts:
        for costs in self.orders:
            if costs.name == name:
                return costs
        raise InvalidInput(
            "this order was not profiled",
            repr(name),
            ", ".join(costs.name for costs in self.orders),
        )

    def priced_in(self, currency: Currency) -> CostProfile:
        """The same profile, speaking of another currency."""
        if currency not in self.priced:
            raise InvalidInput(
                "this currency was not profiled", repr(currency), ", ".join(self.priced)
            )
        return replace(self, currency=currency)

    @property
    def unit(self) -> str:
        """The cost of a full step in words."""
        if self.currency == "time":
            return f"{self.full * 1e3:.3g} ms of processor time"
        return f"{self.full:.4g} {CURRENCIES[self.currency]}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values: those of `currency` outside, and of all that was measured in
        `currencies`.
        """
        told: dict[str, dict[str, Any]] = {
            currency: {"full": full, "orders": [_told(costs) for costs in orders]}
            for currency, (full, orders) in self.priced.items()
        }
        return {
            "currency": self.currency,
            "blocks": list(self.labels.names),
            "sizes": list(self.labels.sizes),
            **told[self.currency],
            "currencies": told,
        }

    def __repr__(self) -> str:
        return f"<CostProfile of {self.labels.count} blocks; a full step costs {self.unit}>"

    def render(self, title: str = "", notes: Sequence[str] = ()) -> Document:
        """One row per depth, a column per currency, beside the size-share model."""
        units = ", ".join(self.priced_in(currency).unit for currency in self.priced)
        head = f"cost of a step by depth; a full step costs 1 ({units})"
        parts: list[str | Table] = [
            f"{title}: {head}" if title else head,
            *(f"  note: {note}" for note in notes),
        ]
        shown = [(name, orders) for name, (_, orders) in self.priced.items()]
        header = (
            "blocks",
            "last one",
            *(name for own, _ in shown for name in _columns(own)),
            "size share",
        )
        for place, costs in enumerate(self.orders):
            rows = [
                [
                    "0",
                    "(loss alone)",
                    *(c for own, one in shown for c in _cells(own, one[place], 0)),
                    f"{0.0:.3f}",
                ]
            ]
            for depth, block in enumerate(costs.order.rank_to_block):
                cells = [
                    cell for own, orders in shown for cell in _cells(own, orders[place], depth + 1)
                ]
                rows.append(
                    [
                        str(depth + 1),
                        self.labels.names[block],
                        *cells,
                        f"{costs.size_share[depth]:.3f}",
                    ]
                )
            numbers = frozenset({0, *range(2, len(header))})
            parts += [
                "",
                costs.name,
                Table(header, [tuple(row) for row in rows], numbers, blocks=True),
            ]
        return parts

    def records(self) -> list[dict[str, Any]]:
        """One row per order and depth."""
        return [
            {"order": costs.name, "blocks": depth + 1}
            | {
                own: float(orders[place].measured[depth])
                for own, (_, orders) in self.priced.items()
            }
            | {"spread": float(costs.spread[depth]), "size_share": float(costs.size_share[depth])}
            for place, costs in enumerate(self.orders)
            for depth in range(self.labels.count)
        ]

    def plot(self, ax: Any = None) -> Any:
        """Draw cost against depth and return the axes: of `currency` on given ones, of every
        currency on new ones.
        """
        from .pictures import draw_costs, draw_profile

        return draw_profile(self) if ax is None else draw_costs(ax, self)


def _told(costs: OrderCosts) -> dict[str, Any]:
    return {
        "name": costs.name,
        "order": list(costs.order.rank_to_block),
        "forward": costs.forward,
        "overhead": costs.overhead,
        "outcomes": costs.measured.tolist(),
        "spread": costs.spread.tolist(),
        "size_share": costs.size_share.tolist(),
        "costs": costs.costs.tolist(),
    }


def _columns(currency: Currency) -> tuple[str, ...]:
    return ("time", "+-") if currency == "time" else (currency,)


def _cells(currency: Currency, costs: OrderCosts, depth: int) -> tuple[str, ...]:
    """The cost at a depth, 0 for the loss alone, and the spread of what is measured."""
    cost = f"{costs.measured[depth - 1] if depth else costs.forward:.3f}"
    if currency != "time":
        return (cost,)
    return (cost, f"{costs.spread[depth - 1]:.3f}" if depth else "")
