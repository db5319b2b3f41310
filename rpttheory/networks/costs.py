"""Measured costs of steps that update some blocks: time, operations, bytes between devices, memory.

The paper's model of the same cost is the blocks' share of the parameters.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Literal, TypeVar

import jax
import numpy as np
import optax  # type: ignore[import-untyped]
from scipy.optimize import isotonic_regression

from ..errors import InvalidInput
from ..numbers.checks import read_only
from ..numbers.exact_array import FloatArray
from ..problem.blocks import BlockOrder
from ..report import BRIEF, Detail, Document, Report, Table, heading
from .blocks import Labels, PyTree
from .task import Loss, Task
from .training import OrderLike, as_order, make_rpt_steps

_Name = TypeVar("_Name")
Resource = Literal["time", "flops", "bytes", "memory"]
RESOURCES: dict[Resource, str] = {
    "time": "seconds of processor time",
    "flops": "operations",
    "bytes": "bytes sent in data-parallel training",
    "memory": "bytes of temporary memory",
}
# Increments that noise makes zero or negative count as this share of a full step: costs must be
# positive. Any number far below a real share will do.
_SMALLEST_COST = 1e-6
# One sample lasts at least this much processor time, so that the clock's resolution does not
# matter. Chosen by hand.
_SAMPLE_SECONDS = 0.02


@dataclass(frozen=True, eq=False)
class OrderCosts:
    """Costs of the outcomes along one order in one resource; a full step costs 1.

    Attributes
    ----------
    resource : {"time", "flops", "bytes", "memory"}
    name : str
        "input-first", "output-first" or "given".
    order : BlockOrder
    full : float
        A full step in the unit of the resource.
    forward : float
        The value of the loss alone.
    measured : ndarray
        measured[i]: the first i + 1 blocks of the order are updated.
    spread : ndarray
        Half the interquartile range of each.
    size_share : ndarray
        The same outcomes by their share of the parameters.
    samples : int
        Number of measurements of each outcome.
    """

    resource: Resource
    name: str
    order: BlockOrder
    full: float
    forward: float
    measured: FloatArray
    spread: FloatArray
    size_share: FloatArray
    samples: int = 1

    @cached_property
    def _monotone(self) -> FloatArray:
        """The nearest non-decreasing sequence: apart from noise, more blocks cost no less."""
        return np.asarray(isotonic_regression(self.measured).x, dtype=np.float64)

    @property
    def overhead(self) -> float:
        """c_0, paid on every step: the loss alone, or the first outcome if noise has made that
        cheaper.
        """
        return min(self.forward, float(self._monotone[0]))

    @cached_property
    def costs(self) -> FloatArray:
        """c_k per block: the increase when the block joins those before it in the order."""
        increments = np.diff(self._monotone, prepend=self.overhead)
        return read_only(self.order.per_block(np.maximum(increments, _SMALLEST_COST)))

    @property
    def full_step(self) -> float:
        """The cost of a step on all blocks: 1, apart from noise."""
        return self.overhead + float(self.costs.sum())

    @property
    def errors(self) -> FloatArray:
        """Standard error of each outcome: 0 for what is counted and for a full step, infinite for
        what was timed only once.
        """
        # A normal sample has half an interquartile range of 0.674 sigma, and its median an error
        # of 1.25 sigma / sqrt(n).
        errors: FloatArray = self.spread * (1.25 / 0.674 / math.sqrt(self.samples))
        if self.resource == "time" and self.samples == 1:
            errors[:-1] = np.inf
        return errors

    def shifted(self, count: float) -> OrderCosts:
        """Return the costs that lie so many standard errors above the measured ones."""
        return replace(self, measured=np.maximum(self.measured + count * self.errors, 0.0))

    def expected(self, probabilities: FloatArray) -> float:
        """Return the mean cost of a step of nested sampling along the order."""
        return self.overhead + float(self.costs @ probabilities)

    def cells(self) -> list[str]:
        """The column of a table: the loss alone, then each outcome."""
        return [
            f"{cost:.3f} ± {spread:.3f}" if spread else f"{cost:.3f}"
            for cost, spread in zip(
                (self.forward, *self.measured), (0.0, *self.spread), strict=True
            )
        ]

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            "resource": self.resource,
            "name": self.name,
            "order": list(self.order.rank_to_block),
            "full": self.full,
            "forward": self.forward,
            "overhead": self.overhead,
            "outcomes": self.measured.tolist(),
            "spread": self.spread.tolist(),
            "samples": self.samples,
            "size_share": self.size_share.tolist(),
            "costs": self.costs.tolist(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class CostProfile(Report):
    """Costs of all outcomes along one or both orders, in one or more resources. Made by
    `profile_costs`.

    Attributes
    ----------
    labels : Labels
    loss : float
        Its value at the parameters.
    costs : tuple of OrderCosts
        One for each resource and order; the first resource is the one that was asked for first.
    """

    labels: Labels
    loss: float
    costs: tuple[OrderCosts, ...]

    @property
    def resource(self) -> Resource:
        """The first resource."""
        return self.costs[0].resource

    @property
    def orders(self) -> tuple[OrderCosts, ...]:
        """The costs in the first resource, along each order."""
        return tuple(costs for costs in self.costs if costs.resource == self.resource)

    def along(self, order: str, resource: Resource | None = None) -> OrderCosts:
        """Return the costs along an order, by default in the first resource."""
        profiled = {(costs.name, costs.resource): costs for costs in self.costs}
        key = order, resource or self.resource
        if key not in profiled:
            measured = ", ".join(f"{name} in {unit}" for name, unit in profiled)
            raise InvalidInput("must have been profiled", repr(key), measured, argument="order")
        return profiled[key]

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            "resource": self.resource,
            "blocks": list(self.labels.names),
            "sizes": list(self.labels.sizes),
            "costs": [costs.to_dict() for costs in self.costs],
        }

    def __repr__(self) -> str:
        return f"<CostProfile of {self.labels.count} blocks in {self.resource}>"

    def render(
        self, title: str = "", notes: Sequence[str] = (), detail: Detail = BRIEF
    ) -> Document:
        """One row per depth, a column per resource, beside the size-share model."""
        along = {
            order.name: [costs for costs in self.costs if costs.name == order.name]
            for order in self.orders
        }
        units = [f"{c.full:.4g} {RESOURCES[c.resource]}" for c in along[self.orders[0].name]]
        head = f"cost of a step by depth; a full step costs 1 ({', '.join(units)})"
        parts = heading(title, head, notes)
        for name, columns in along.items():
            names = [self.labels.names[block] for block in columns[0].order.rank_to_block]
            header = ["blocks", "last one", *(costs.resource for costs in columns), "size share"]
            shares = [f"{share:.3f}" for share in (0.0, *columns[0].size_share)]
            cells = zip(
                map(str, range(len(shares))),
                ["(loss alone)", *names],
                *(costs.cells() for costs in columns),
                shares,
                strict=True,
            )
            right = frozenset({0, *range(2, len(header))})
            parts += ["", name, Table(header, list(cells), right, blocks=True)]
        return parts

    def records(self) -> list[dict[str, Any]]:
        """One row per resource, order and depth."""
        return [
            {
                "resource": costs.resource,
                "order": costs.name,
                "blocks": depth + 1,
                "cost": float(costs.measured[depth]),
                "spread": float(costs.spread[depth]),
                "size_share": float(costs.size_share[depth]),
            }
            for costs in self.costs
            for depth in range(self.labels.count)
        ]


def profile_costs(
    loss: Loss,
    params: PyTree,
    batch: Any,
    labels: Labels,
    order: OrderLike | Literal["both"] = "both",
    resources: Resource | Iterable[Resource] = tuple(RESOURCES),
    *,
    inner: Any = None,
    args: tuple[Any, ...] = (),
    has_aux: bool = False,
    rounds: int = 15,
) -> CostProfile:
    """Measure the cost of updating the first 1, 2, ..., B blocks of an order, relative to a full
    step.

    A step is the loss, the gradient of the active blocks and their update, compiled.

    Parameters
    ----------
    loss : callable
        loss(params, batch, *args), a scalar (or (scalar, aux) with `has_aux`).
    order : {"both", "input-first", "output-first"} or BlockOrder
        Progressive training goes input-first; output-first, backpropagation stops at the last
        active block.
    resources : str or list of str
        What to measure; the first is the one that the result is about.

        - "time": processor time of this process, all threads: after a warm-up, the median over
          `rounds` of ratios to the full step of the same round.
        - "flops": XLA's count of operations: blind to caches, but reproducible.
        - "bytes": what each device sends when devices share a batch: the gradients of the active
          blocks.
        - "memory": temporary memory of the compiled step, besides parameters, batch and results.
    inner : optax.GradientTransformation, optional
        The optimizer of the steps; SGD by default.
    """
    listed = (resources,) if isinstance(resources, str) else tuple(resources)
    if not listed or not set(listed) <= set(RESOURCES):
        raise InvalidInput(
            "must be some of those that are measured",
            repr(resources)[:80],
            ", ".join(RESOURCES),
            argument="resources",
        )
    if not isinstance(rounds, int) or rounds < 1:
        raise InvalidInput("must be a whole number >= 1", repr(rounds), "15", argument="rounds")
    task = Task(loss, params, batch, labels, args=args, has_aux=has_aux)
    value = task.value()
    blocks: Labels = task.labels
    both = isinstance(order, str) and order == "both"
    names: Any = ("input-first", "output-first") if both else (order,)
    orders = {
        name if isinstance(name, str) else "given": as_order(name, blocks.count) for name in names
    }
    optimizer = optax.sgd(1e-3) if inner is None else inner
    steps = make_rpt_steps(loss, blocks, np.ones(blocks.count), optimizer, has_aux=has_aux)
    state = steps.init(params)
    compiled: dict[bytes, CompiledStep] = {}
    # The first row is the loss alone.
    outcomes = {
        name: [blocks.mask(order.rank_to_block[:depth]) for depth in range(blocks.count + 1)]
        for name, order in orders.items()
    }
    for mask in chain.from_iterable(outcomes.values()):
        if mask.tobytes() not in compiled:
            step = steps.prepare(mask, params, state, task.data)
            compiled[mask.tobytes()] = CompiledStep(*step)
    full = np.ones(blocks.count, dtype=np.bool_).tobytes()
    costs = []
    for resource in dict.fromkeys(listed):
        unit, ratios = _measure(resource, compiled, full, rounds)
        if not unit > 0:
            if resource != listed[0]:
                continue  # a step so small that it needs no temporary memory
            raise InvalidInput(
                "must be counted by XLA", f"{resource}: {unit}", "time", argument="resources"
            )
        for name, block_order in orders.items():
            samples = np.array([ratios[mask.tobytes()] for mask in outcomes[name]])
            medians = np.median(samples, axis=1)
            low, high = np.quantile(samples[1:], (0.25, 0.75), axis=1)
            shares = np.cumsum(block_order.by_rank(blocks.sizes)) / sum(blocks.sizes)
            costs.append(
                OrderCosts(
                    resource=resource,
                    name=name,
                    order=block_order,
                    full=unit,
                    forward=float(medians[0]),
                    measured=read_only(medians[1:]),
                    spread=read_only((high - low) / 2),
                    size_share=read_only(shares),
                    samples=samples.shape[1],
                )
            )
    return CostProfile(blocks, value, tuple(costs))


def _measure(
    resource: Resource, steps: Mapping[bytes, CompiledStep], full: bytes, rounds: int
) -> tuple[float, dict[bytes, list[float]]]:
    """Return a full step in the unit of the resource, and the ratios of each step to it."""
    if resource == "time":
        return processor_ratios(steps, full, rounds)
    counts = {key: step.count(resource) for key, step in steps.items()}
    unit = counts[full]
    return unit, {key: [count / (unit or 1.0)] for key, count in counts.items()}


@dataclass(frozen=True, eq=False)
class CompiledStep:
    """A function under `jax.jit` with its arguments; a call waits for the results.

    The first argument holds the active parameters.
    """

    step: Any
    arguments: tuple[Any, ...]

    def __call__(self) -> None:
        jax.block_until_ready(self.step(*self.arguments))  # type: ignore[no-untyped-call]

    @cached_property
    def _lowered(self) -> Any:
        return self.step.lower(*self.arguments)

    def count(self, resource: str) -> float:
        """Return what one call needs: XLA's operations ("flops") or bytes of temporary "memory", or
        the "bytes" of the gradients that devices would add up.
        """
        if resource == "flops":
            return float((self._lowered.cost_analysis() or {}).get("flops", 0.0))
        if resource == "memory":
            memory = self._lowered.compile().memory_analysis()
            return 0.0 if memory is None else float(memory.temp_size_in_bytes)
        active = jax.tree.leaves(self.arguments[0])
        widths = [jax.dtypes.canonicalize_dtype(leaf.dtype).itemsize for leaf in active]
        return float(sum(leaf.size * width for leaf, width in zip(active, widths, strict=True)))


def processor_ratios(
    steps: Mapping[_Name, Callable[[], object]], full: _Name, rounds: int
) -> tuple[float, dict[_Name, list[float]]]:
    """Return the seconds of a full step, and the ratios of each step to it, round by round."""
    repeats = {key: _repeats(step) for key, step in steps.items()}
    seconds: list[float] = []
    ratios: dict[_Name, list[float]] = {key: [] for key in steps}
    for _ in range(rounds):
        elapsed = {key: _timed(step, repeats[key]) / repeats[key] for key, step in steps.items()}
        seconds.append(elapsed[full])
        for key, value in elapsed.items():
            ratios[key].append(value / elapsed[full])
    return statistics.median(seconds), ratios


def _timed(step: Callable[[], object], calls: int) -> float:
    began = time.process_time()
    for _ in range(calls):
        step()
    # A clock that did not move has moved by less than its resolution.
    return max(time.process_time() - began, 1e-9)


def _repeats(step: Callable[[], object]) -> int:
    """Warm up, and return a number of calls that make one sample."""
    _timed(step, 2)
    calls = 1
    while _timed(step, calls) < _SAMPLE_SECONDS and calls < 4096:
        calls *= 2
    return calls
