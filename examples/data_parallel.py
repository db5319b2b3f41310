"""Data-parallel RPT: how many bytes do two devices send each other in a step?

    python examples/data_parallel.py [--layers 8] [--width 512]

Each device has half of the batch. The loss is averaged over devices inside `shard_map`, so its
gradient is, too: the compiled step adds up (all-reduce) the gradients of the blocks that it
differentiates, and the loss itself, 4 bytes. Steps of `make_rpt_steps` differentiate active blocks
only. The transformation `rpt` masks a full gradient, which has been sent by then.
"""

from __future__ import annotations

import argparse
import math
import os
import re
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2 " + os.environ.get(
    "XLA_FLAGS", ""
)

import jax
import jax.numpy as jnp
import optax
from jax.sharding import AxisType, PartitionSpec

from rpttheory.networks import (
    Progressive,
    label_blocks,
    make_rpt_steps,
    profile_costs,
    rpt,
)

BATCH = 64
# An instruction of a compiled program that adds up arrays over devices, and the shapes of these.
ALL_REDUCE = re.compile(r"= (\S+|\(.*?\)) all-reduce(?:-start)?\(")
ARRAY = re.compile(r"\b[a-z]+(\d+)[a-z0-9]*\[([\d,]*)\]")


def bytes_sent(function: Any, *arguments: Any) -> int:
    """Bytes that each device adds to those of the others in one call, read from the program."""
    program = function.lower(*arguments).compile().as_text()
    arrays = (array for match in ALL_REDUCE.finditer(program) for array in ARRAY.findall(match[1]))
    return sum(
        int(bits) * math.prod(int(n) for n in shape.split(",") if n) // 8 for bits, shape in arrays
    )


def mean_square(params: Any, batch: Any) -> Any:
    """The loss of one device: a perceptron that should return ones."""
    for name in sorted(params):
        batch = jnp.tanh(batch @ params[name]["w"] + params[name]["b"])
    return jnp.mean((batch - 1.0) ** 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=512)
    given = parser.parse_args()
    keys = jax.random.split(jax.random.key(0), given.layers + 1)
    shape = (given.width, given.width)
    params = {
        f"layer{i}": {
            "w": jax.random.normal(keys[i], shape) * given.width**-0.5,
            "b": jnp.zeros(given.width),
        }
        for i in range(given.layers)
    }
    batch = jax.random.normal(keys[-1], (BATCH, given.width))
    labels = label_blocks(params, lambda path: path.split("/")[0])

    mesh = jax.make_mesh((2,), ("data",), axis_types=(AxisType.Auto,))
    split, whole = PartitionSpec("data"), PartitionSpec()
    loss = jax.shard_map(
        lambda p, b: jax.lax.pmean(mean_square(p, b), "data"),
        mesh=mesh,
        in_specs=(whole, split),
        out_specs=whole,
    )

    print("active blocks   order          profile_costs   make_rpt_steps   masked by rpt   (bytes)")
    schedule = Progressive([1] * given.layers)
    masked = rpt(optax.sgd(0.1), labels, schedule)
    steps = make_rpt_steps(loss, labels, schedule, optax.sgd(0.1))

    @jax.jit
    def masked_step(p: Any, state: Any, data: Any) -> Any:
        gradient = jax.grad(loss)(p, data)
        updates, state = masked.update(gradient, state, p)
        return optax.apply_updates(p, updates), state

    # All gradients, whatever is masked afterwards; the loss itself is asked for by nobody here.
    everything = bytes_sent(masked_step, params, masked.init(params), batch)
    profile = profile_costs(loss, params, batch, labels, resources="bytes")
    for costs in profile.orders:
        for depth in sorted({1, 2, given.layers // 2, given.layers}):
            active = labels.mask(costs.order.rank_to_block[:depth])
            step, arguments = steps.prepare(active, params, steps.init(params), (batch,))
            sent = bytes_sent(step, *arguments)
            said = round(costs.full * float(costs.measured[depth - 1]))
            print(f"{depth:13d}   {costs.name:12s} {said:15d} {sent:16d} {everything:15d}")

    # The same numbers as on one device.
    moved, _, value = steps(params, steps.init(params), batch)
    alone = make_rpt_steps(mean_square, labels, schedule, optax.sgd(0.1))
    other, _, expected = alone(params, alone.init(params), batch)
    largest = max(
        float(jnp.abs(a - b).max())
        for a, b in zip(jax.tree.leaves(moved), jax.tree.leaves(other), strict=True)
    )
    print(
        f"difference from one device: loss {abs(float(value - expected)):.1g}, parameters"
        f" {largest:.1g}"
    )


if __name__ == "__main__":
    main()
