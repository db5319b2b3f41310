"""Processor time of partial training steps as ratios to a full step in the same run.

    .venv/bin/python benchmarks/networks.py [--rounds 9] [--plot costs.svg]

One thread, so that threads that wait for one another do not count as work; medians over rounds in
which all outcomes take turns. Only the ratios mean anything.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false " + os.environ.get("XLA_FLAGS", "")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import jax
import jax.numpy as jnp
import optax

from rpttheory.networks import exponential, label_blocks, make_rpt_steps, profile_costs
from rpttheory.networks.costs import CostProfile

LAYERS, WIDTH, BATCH = 8, 512, 128


def mlp() -> tuple[Any, Any, Any]:
    """A perceptron of 8 layers of 512 units, its parameters and a batch."""
    keys = jax.random.split(jax.random.key(0), LAYERS + 1)
    params = {
        f"layer{i}": {
            "w": jax.random.normal(keys[i], (WIDTH, WIDTH)) * jnp.sqrt(2.0 / WIDTH),
            "b": jnp.zeros(WIDTH),
        }
        for i in range(LAYERS)
    }
    x = jax.random.normal(keys[-1], (BATCH, WIDTH))

    def loss(params: Any, batch: Any) -> Any:
        h = batch
        for i in range(LAYERS):
            h = h @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
            h = jax.nn.relu(h) if i < LAYERS - 1 else h
        return jnp.mean((h - 1.0) ** 2)

    return loss, params, x


def convolutions() -> tuple[Any, Any, Any]:
    """Four convolutions of 16 channels on 16 x 16 images."""
    keys = jax.random.split(jax.random.key(1), 5)
    params = {f"conv{i}": jax.random.normal(keys[i], (3, 3, 16, 16)) / 12 for i in range(4)}
    x = jax.random.normal(keys[-1], (32, 16, 16, 16))

    def loss(params: Any, batch: Any) -> Any:
        for i in range(4):
            kernel = params[f"conv{i}"]
            batch = jax.lax.conv_general_dilated(
                batch, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
            batch = jax.nn.relu(batch)
        return jnp.mean(batch**2)

    return loss, params, x


def blocks_of(params: Any) -> Any:
    return label_blocks(params, lambda path: path.split("/")[0])


def ratio(ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int, calls: int) -> float:
    """Median over rounds of the processor time of one over that of the other, after a warm-up."""
    quotients = []
    for attempt in range(rounds + 1):
        taken = []
        for call in (ours, theirs):
            began = time.process_time()
            for _ in range(calls):
                jax.block_until_ready(call())
            taken.append(time.process_time() - began)
        if attempt:
            quotients.append(taken[0] / taken[1])
    return statistics.median(quotients)


def outcome_rows(profile: CostProfile, what: str, aim: str) -> list[tuple[str, float, str]]:
    rows = []
    for costs in profile.orders:
        for depth in (1, profile.labels.count // 2):
            share = costs.size_share[depth - 1]
            wanted = aim if (costs.name, depth) == ("output-first", 1) else ""
            rows.append(
                (
                    f"{what}, {costs.name}, k = {depth} (size share {share:.3f})",
                    costs.measured[depth - 1],
                    wanted,
                )
            )
    return rows


def whole_step_row(rounds: int) -> tuple[str, float, str]:
    """Steps of RPT with p = 1 over a compiled SGD step written by hand: what drawing and
    bookkeeping cost.
    """
    loss, params, x = mlp()
    labels = blocks_of(params)
    steps = make_rpt_steps(loss, labels, exponential(LAYERS, 1.0), optax.sgd(1e-3))
    state = steps.init(params)
    plain = jax.jit(lambda p, b: jax.tree.map(lambda a, g: a - 1e-3 * g, p, jax.grad(loss)(p, b)))
    value = ratio(lambda: steps(params, state, x)[0], lambda: plain(params, x), rounds, 5)
    return "MLP 8 x 512: make_rpt_steps with p = 1 / SGD step written by hand", value, ""


def switch_row(rounds: int) -> tuple[str, float, str]:
    """The same full gradient inside lax.switch: why there is one compiled step per outcome."""
    loss, params, x = convolutions()
    full = jax.jit(jax.grad(loss))

    @jax.jit
    def branched(which: Any, params: Any, batch: Any) -> Any:
        return jax.lax.switch(which, [jax.grad(loss), lambda p, b: p], params, batch)

    value = ratio(lambda: branched(jnp.int32(0), params, x), lambda: full(params, x), rounds, 3)
    return "four convolutions: full gradient inside lax.switch / outside", value, ""


def donation_row(rounds: int) -> tuple[str, float, str]:
    """Adam on a table of 50,000 x 64, of which a step reads few rows and writes all."""
    words = jax.random.randint(jax.random.key(2), (128, 10), 0, 50_000)
    calls = []
    for donate in (True, False):
        params = {
            "table": jax.random.normal(jax.random.key(0), (50_000, 64)),
            "dense": jnp.ones(64),
        }
        labels = label_blocks(params, lambda path: path)

        def loss(p: Any, x: Any) -> Any:
            return jnp.mean((p["table"][x].mean(axis=1) @ p["dense"]) ** 2)

        steps = make_rpt_steps(loss, labels, [1.0, 1.0], optax.adam(1e-3), donate=donate)
        kept = [params, steps.init(params)]

        def call(steps: Any = steps, kept: list[Any] = kept) -> Any:
            kept[0], kept[1], value = steps(kept[0], kept[1], words)
            return kept[0], value

        calls.append(call)
    return (
        "Adam on a table of 50,000 x 64: with donate=True / without",
        ratio(*calls, rounds, 5),
        "",
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--plot", default=None)
    options = parser.parse_args()
    print(f"{'what':90s} {'ratio':>8s} {'aim':>8s}", flush=True)
    rows = []
    for (loss, params, x), what, aim in (
        (mlp(), "MLP 8 x 512", "<= 0.45"),
        (convolutions(), "4 convolutions", ""),
    ):
        profile = profile_costs(loss, params, x, blocks_of(params), rounds=options.rounds)
        rows += outcome_rows(profile, what, aim)
        if options.plot and aim:
            profile.plot().figure.savefig(options.plot)
    for what, value, wanted in [
        *rows,
        *(row(options.rounds) for row in (whole_step_row, switch_row, donation_row)),
    ]:
        print(f"{what:90s} {value:8.3f} {wanted:>8s}")


if __name__ == "__main__":
    main()
