"""What the steps of the methods take: processor time, operations and temporary memory, by kind of
step.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from ...networks.models import WHOLE
from ...networks.stepcost import processor_ratios, program_counts
from ...runs.parallel import Report
from .net import Parted
from .rounds import local_step
from .training import Kind

# Samples of each kind when processor times are measured.
_ROUNDS = 5


def kind_costs(
    network: Parted, kinds: Mapping[str, Kind], batch: int, report: Report
) -> dict[str, dict[str, float]]:
    """Of each kind, and of a step on the whole network: `time` (over that of the whole), `flops`,
    `memory` in bytes.
    """
    calls = {"whole": _Call(network, Kind(WHOLE, network.members(WHOLE)), batch)}
    calls |= {
        name: _Call(network, kind, batch) for name, kind in kinds.items() if name not in calls
    }
    found = {}
    for name, call in calls.items():
        counts = program_counts(call.step, *call.arguments)
        found[name] = {"flops": counts.flops, "memory": float(counts.memory)}
        report(f"{name} counted")
    steps: Any = calls
    whole: Any = "whole"
    _, ratios = processor_ratios(steps, whole, _ROUNDS)
    times: Any = ratios
    return {name: {"time": statistics.median(times[name]), **own} for name, own in found.items()}


class _Call:
    """A step of plain SGD, with its arguments at hand."""

    def __init__(self, network: Parted, kind: Kind, batch: int) -> None:
        self.step = local_step(network, Kind(kind.part, kind.trained), 0.0, 0.0)
        params = network.everything(0)
        own = {path: params[path] for path in network.members(kind.part)}
        if kind.part.shrink > 1:
            for path, cuts in network.cuts.items():
                for axis, _ in cuts:
                    own[path] = own[path].take(
                        range(own[path].shape[axis] // kind.part.shrink), axis
                    )
        trained = {path: own.pop(path) for path in kind.trained}
        images, classes = network.data.train
        self.arguments: tuple[Any, ...] = (
            trained,
            own,
            {},
            (images[:batch], classes[:batch]),
            np.float32(1e-3),
            np.float32(0.5),
        )

    def __call__(self) -> None:
        jax.block_until_ready(self.step(*self.arguments))  # type: ignore[no-untyped-call]
