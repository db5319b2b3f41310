"""The cost of one compiled training step, in processor time or in floating-point operations."""

from __future__ import annotations

import statistics
import time
from typing import Any

import jax
import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import NDArray

from .pytree import Labels, PyTree
from .steps import Loss, outcome_step, split

# One sample lasts at least this much processor time, so that the clock's grain does not matter.
_SAMPLE = 0.02


class StepCost:
    """One outcome, compiled, with its arguments at hand."""

    def __init__(self, loss: Loss, params: PyTree, batch: Any, labels: Labels, mask: NDArray[np.bool_]) -> None:
        optimizer = optax.with_extra_args_support(optax.sgd(1e-3))
        self._step = outcome_step(loss, labels, np.ones(labels.count), optimizer, mask, has_aux=False)
        active, frozen = split(labels, params, mask)
        chosen = np.flatnonzero(mask).tolist()
        states = tuple(optimizer.init(labels.only(params, block)) for block in chosen)
        self._arguments = (active, frozen, states, (batch,))

    def __call__(self) -> None:
        jax.block_until_ready(self._step(*self._arguments))  # type: ignore[no-untyped-call]

    def flops(self) -> float:
        analysis = self._step.lower(*self._arguments).cost_analysis() or {}  # type: ignore[attr-defined]
        return float(analysis.get("flops", 0.0))


def processor_ratios(steps: dict[bytes, StepCost], full: bytes, rounds: int) -> tuple[float, dict[bytes, list[float]]]:
    """Seconds of a full step, and each outcome's ratios to it, round by round."""
    repeats = {key: _repeats(step) for key, step in steps.items()}
    seconds: list[float] = []
    ratios: dict[bytes, list[float]] = {key: [] for key in steps}
    for _ in range(rounds):
        taken = {}
        for key, step in steps.items():
            began = time.process_time()
            for _ in range(repeats[key]):
                step()
            taken[key] = (time.process_time() - began) / repeats[key]
        seconds.append(taken[full])
        for key, value in taken.items():
            ratios[key].append(value / taken[full])
    return statistics.median(seconds), ratios


def _repeats(step: StepCost) -> int:
    """Warm up, and find how many calls make one sample."""
    for _ in range(2):
        step()
    calls = 1
    while True:
        began = time.process_time()
        for _ in range(calls):
            step()
        taken = time.process_time() - began
        if taken >= _SAMPLE or calls >= 4096:
            return calls
        calls = min(4096, max(calls + 1, int(calls * 1.2 * _SAMPLE / max(taken, _SAMPLE / 8))))
