"""The cost of one compiled training step: processor time, operations, temporary memory, bytes
between devices.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import jax
import numpy as np
from numpy.typing import NDArray

from .pytree import PyTree
from .steps import RptSteps
from .transform import FrozenState

_Name = TypeVar("_Name")
# One sample lasts at least this much processor time, so that the clock's grain does not matter.
_SAMPLE = 0.02
# An instruction of a compiled program that adds up arrays over devices, with the shapes of these
# arrays.
_ALL_REDUCE = re.compile(r"= (\S+|\(.*?\)) all-reduce(?:-start)?\(")
_ARRAY = re.compile(r"\b[a-z]+(\d+)[a-z0-9]*\[([\d,]*)\]")


class Counts(NamedTuple):
    """What XLA says that a compiled program takes.

    Attributes
    ----------
    flops : float
        Floating-point operations of the program as it was written, before XLA simplifies it.
    memory : int
        Bytes of temporary memory, besides arguments and results.
    sent : int
        Bytes of the arrays that each device adds to those of the others (all-reduce); 0 on one
        device.
    """

    flops: float
    memory: int
    sent: int


def program_counts(function: Any, *args: Any) -> Counts:
    """Count what one call of a function under `jax.jit` takes, without making it.

    Examples
    --------
    >>> program_counts(jax.jit(lambda x: x @ x), np.ones((8, 8), np.float32)).flops
    1024.0
    """
    lowered = function.lower(*args)
    compiled = lowered.compile()
    return Counts(_flops(lowered), _temporary(compiled), all_reduce_bytes(compiled.as_text()))


def all_reduce_bytes(program: str) -> int:
    """Bytes that a compiled program adds up over devices, read from its text.

    Examples
    --------
    >>> all_reduce_bytes("%sum = (f32[], bf16[3,4]{1,0}) all-reduce(%a, %b), channel_id=1")
    28
    """
    arrays = (one for found in _ALL_REDUCE.finditer(program) for one in _ARRAY.findall(found[1]))
    return sum(
        int(bits) * int(np.prod([int(n) for n in shape.split(",") if n])) // 8
        for bits, shape in arrays
    )


def step_counts(
    steps: RptSteps,
    active: Iterable[Any],
    params: PyTree,
    state: FrozenState,
    *args: Any,
    **kwargs: Any,
) -> Counts:
    """Count what the step of `make_rpt_steps` on these blocks takes; the rest is what the step is
    called with.
    """
    step, arguments, _ = steps.prepared(steps.labels.mask(active), params, state, args, kwargs)
    return program_counts(step, *arguments)


class StepCost:
    """One outcome with its arguments at hand, compiled when that is needed: lowering is enough to
    count operations.
    """

    def __init__(
        self, steps: RptSteps, mask: NDArray[np.bool_], params: PyTree, args: tuple[Any, ...]
    ) -> None:
        self._step, self._arguments, _ = steps.prepared(mask, params, steps.init(params), args, {})

    @cached_property
    def _lowered(self) -> Any:
        return self._step.lower(*self._arguments)

    def __call__(self) -> None:
        jax.block_until_ready(self._step(*self._arguments))  # type: ignore[no-untyped-call]

    def count(self, currency: str) -> float:
        """Operations, bytes of the gradients that devices would add up, or bytes of temporary
        memory.
        """
        if currency == "bytes":
            active = jax.tree.leaves(self._arguments[0])
            return float(
                sum(
                    leaf.size * jax.dtypes.canonicalize_dtype(leaf.dtype).itemsize
                    for leaf in active
                )
            )
        return (
            _flops(self._lowered)
            if currency == "flops"
            else float(_temporary(self._lowered.compile()))
        )


def processor_ratios(
    steps: Mapping[_Name, Callable[[], object]], full: _Name, rounds: int
) -> tuple[float, dict[_Name, list[float]]]:
    """Seconds of a full step, and the ratios of each step to it, round by round; a call waits for
    its results.
    """
    repeats = {key: _repeats(step) for key, step in steps.items()}
    seconds: list[float] = []
    ratios: dict[_Name, list[float]] = {key: [] for key in steps}
    for _ in range(rounds):
        taken = {}
        for key, step in steps.items():
            began = time.process_time()
            for _ in range(repeats[key]):
                step()
            # A clock that did not move has moved by less than it shows.
            taken[key] = max(time.process_time() - began, 1e-9) / repeats[key]
        seconds.append(taken[full])
        for key, value in taken.items():
            ratios[key].append(value / taken[full])
    return statistics.median(seconds), ratios


def _flops(lowered: Any) -> float:
    return float((lowered.cost_analysis() or {}).get("flops", 0.0))


def _temporary(compiled: Any) -> int:
    memory = compiled.memory_analysis()
    return 0 if memory is None else int(memory.temp_size_in_bytes)


def _repeats(step: Callable[[], object]) -> int:
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
