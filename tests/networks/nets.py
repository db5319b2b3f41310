"""Tiny networks in three forms: a plain dict, flax linen and flax nnx."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rpttheory.networks import Labels, label_blocks

WIDTHS = (3, 5, 4, 4, 2)
FORMS = ("dict", "linen", "nnx")


@dataclass(frozen=True)
class Net:
    model: Any
    loss: Any
    params: Any
    labels: Labels
    batch: Any


def batch() -> tuple[jax.Array, jax.Array]:
    rng = np.random.default_rng(5)
    return jnp.asarray(rng.standard_normal((6, WIDTHS[0])), jnp.float32), jnp.asarray(
        rng.integers(0, 2, 6)
    )


def criterion(logits: jax.Array, data: Any) -> jax.Array:
    """Mean cross-entropy."""
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), data[1][:, None], axis=1)
    return -jnp.mean(picked)


def net(form: str) -> Net:
    """A perceptron of four layers, each a block."""
    return {"dict": dict_net, "linen": linen_net, "nnx": nnx_net}[form]()


def finished(model: Any, params: Any) -> Net:
    labels = label_blocks(params, lambda path: path.rsplit("/", 1)[0])
    return Net(model, lambda p, data: criterion(model(p, data), data), params, labels, batch())


def dict_net() -> Net:
    keys = jax.random.split(jax.random.key(2), len(WIDTHS))
    params = {
        f"l{i}": {
            "w": jax.random.normal(keys[i], WIDTHS[i : i + 2]),
            "b": 0.1 * jnp.ones(WIDTHS[i + 1]),
        }
        for i in range(len(WIDTHS) - 1)
    }

    def model(p: Any, data: Any) -> jax.Array:
        x = data[0]
        for i in range(len(WIDTHS) - 1):
            x = jnp.tanh(x @ p[f"l{i}"]["w"] + p[f"l{i}"]["b"])
        return x

    return finished(model, params)


def linen_net() -> Net:
    from flax import linen

    class Perceptron(linen.Module):
        @linen.compact
        def __call__(self, x: Any) -> Any:
            for width in WIDTHS[1:]:
                x = jnp.tanh(linen.Dense(width)(x))
            return x

    params = Perceptron().init(jax.random.key(0), batch()[0])["params"]
    return finished(lambda p, data: Perceptron().apply({"params": p}, data[0]), params)


def nnx_net() -> Net:
    from flax import nnx

    class Perceptron(nnx.Module):
        def __init__(self, rngs: Any) -> None:
            sizes = pairwise(WIDTHS)
            self.layers = nnx.List([nnx.Linear(a, b, rngs=rngs) for a, b in sizes])

        def __call__(self, x: Any) -> Any:
            for layer in self.layers:
                x = jnp.tanh(layer(x))
            return x

    graph, params = nnx.split(Perceptron(nnx.Rngs(0)), nnx.Param)
    return finished(lambda p, data: nnx.merge(graph, p)(data[0]), params)


def difference(a: Any, b: Any) -> float:
    """Largest difference between the arrays of two trees."""
    pairs = zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)
    return max(float(np.abs(np.asarray(x, float) - np.asarray(y, float)).max()) for x, y in pairs)
