"""Measuring what a step that updates some blocks costs: time, operations, bytes between devices,
memory.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..numbers.checks import read_only
from ..problem.blocks import BlockOrder
from .loss import Loss, require_finite_loss, scalar_loss
from .priced import CURRENCIES, CostProfile, Currency, OrderCosts, Priced
from .pytree import Labels, PyTree, require_labels
from .schedules import GivenOrder, as_order
from .stepcost import StepCost, processor_ratios
from .steps import make_rpt_steps

OrderLike = GivenOrder | Literal["both"]


def profile_costs(
    loss: Loss,
    params: PyTree,
    batch: Any,
    labels: Labels,
    order: OrderLike = "both",
    currencies: Currency | Iterable[Currency] = tuple(CURRENCIES),
    *,
    args: tuple[Any, ...] = (),
    has_aux: bool = False,
    rounds: int = 9,
) -> CostProfile:
    """Measure what updating the first 1, 2, ..., B blocks of an order costs, relative to a full
    step.

    A step is the loss, the gradient of the active blocks and their SGD update, compiled.

    Parameters
    ----------
    loss : callable
        loss(params, batch, *args), a scalar (or (scalar, aux) with `has_aux`).
    order : {"both", "input-first", "output-first"} or BlockOrder
        Progressive training goes input-first; output-first, backpropagation stops at the last
        active block.
    currencies : str or list of str
        In what to measure; the first is the one that the result speaks of unless asked otherwise.

        - "time": processor time of this process, all threads: after a warm-up, the median over
          `rounds` of ratios to the full step of the same round.
        - "flops": XLA's count of operations: blind to caches, but repeats exactly.
        - "bytes": what each device sends when devices share a batch: the gradients of the active
          blocks.
        - "memory": temporary memory of the compiled step, besides parameters, batch and results.
    """
    wanted = _wanted(currencies)
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise InvalidInput("rounds must be a whole number of at least 1", repr(rounds), "9")
    require_labels(labels)
    orders = _orders(labels, order)
    steps = make_rpt_steps(loss, labels, np.ones(labels.count), optax.sgd(1e-3), has_aux=has_aux)
    data = (batch, *args)
    value = require_finite_loss(scalar_loss(loss, has_aux), params, data)
    masks = {bytes(labels.count): np.zeros(labels.count, dtype=np.bool_)}
    for known in orders.values():
        for mask in _prefixes(known):
            masks.setdefault(mask.tobytes(), mask)
    outcomes = {key: StepCost(steps, mask, params, data) for key, mask in masks.items()}
    full = np.ones(labels.count, dtype=np.bool_).tobytes()
    priced: dict[Currency, Priced] = {}
    for currency in wanted:
        if currency == "time":
            unit, samples = processor_ratios(outcomes, full, rounds)
        else:
            counts = {key: step.count(currency) for key, step in outcomes.items()}
            unit = counts[full]
            if not unit > 0 and currency != wanted[0]:
                continue  # a step so small that it needs no temporary memory
            if not unit > 0:
                raise InvalidInput(
                    f"XLA counts no {CURRENCIES[currency]}", f"{unit}", "time, which is measured"
                )
            samples = {key: [count / unit] for key, count in counts.items()}
        priced[currency] = Priced(
            unit, tuple(_along(name, one, labels, samples) for name, one in orders.items())
        )
    return CostProfile(labels, value, wanted[0], priced)


def _wanted(currencies: Currency | Iterable[Currency]) -> tuple[Currency, ...]:
    given = (currencies,) if isinstance(currencies, str) else tuple(currencies)
    if not given or not set(given) <= set(CURRENCIES):
        raise InvalidInput(
            "unknown currencies", repr(currencies)[:80], "of " + ", ".join(CURRENCIES)
        )
    return tuple(dict.fromkeys(given))


def _along(
    name: str, order: BlockOrder, labels: Labels, samples: dict[bytes, list[float]]
) -> OrderCosts:
    of_outcome = [samples[mask.tobytes()] for mask in _prefixes(order)]
    return OrderCosts(
        name=name,
        order=order,
        forward=statistics.median(samples[bytes(labels.count)]),
        measured=read_only(np.array([statistics.median(values) for values in of_outcome])),
        spread=read_only(np.array([_half_range(values) for values in of_outcome])),
        size_share=read_only(np.cumsum(order.by_rank(labels.sizes)) / sum(labels.sizes)),
    )


def _half_range(values: list[float]) -> float:
    low, high = np.quantile(values, (0.25, 0.75))
    return float(high - low) / 2


def _prefixes(order: BlockOrder) -> list[NDArray[np.bool_]]:
    ranks = np.array(order.block_to_rank)
    return [ranks <= depth for depth in range(ranks.size)]


def _orders(labels: Labels, order: OrderLike) -> dict[str, BlockOrder]:
    if isinstance(order, str):
        names = ("input-first", "output-first") if order == "both" else (order,)
        return {name: as_order(name, labels.count) for name in names}  # type: ignore[arg-type]
    return {"given": as_order(order, labels.count)}
