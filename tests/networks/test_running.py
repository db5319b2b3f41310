"""Running statistics: no parameters, and still while their block stands still."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")

import jax
import jax.numpy as jnp
import numpy as np
import optax

from rpttheory.errors import InvalidInput
from rpttheory.networks import Progressive, hold_statistics, label_blocks, make_rpt_steps

pytestmark = pytest.mark.networks


def of_linen() -> tuple[Any, Any, Any]:
    """Two blocks, each a dense layer with batch normalisation: all variables, parameters, a loss with statistics."""
    from flax import linen

    class Block(linen.Module):
        @linen.compact
        def __call__(self, x: Any) -> Any:
            return linen.BatchNorm(use_running_average=False)(jnp.tanh(linen.Dense(3)(x)))

    class Net(linen.Module):
        @linen.compact
        def __call__(self, x: Any) -> Any:
            return Block(name="low")(x) + Block(name="high")(x)

    variables = Net().init(jax.random.key(0), jnp.ones((4, 2)))

    def loss(params: Any, x: Any, stats: Any) -> Any:
        y, changed = Net().apply({"params": params, "batch_stats": stats}, x, mutable=["batch_stats"])
        return jnp.mean(y**2), changed["batch_stats"]

    return variables, variables["params"], loss


def test_statistics_are_no_parameters() -> None:
    from flax import nnx

    variables, _, _ = of_linen()
    with pytest.raises(InvalidInput, match=r"running statistics(.|\n)*batch_stats/high(.|\n)*variables\['params'\]"):
        label_blocks(variables, lambda path: path.split("/")[1])
    model = nnx.BatchNorm(3, rngs=nnx.Rngs(0))
    with pytest.raises(InvalidInput, match=r"running statistics(.|\n)*nnx\.Param"):
        label_blocks(nnx.state(model), lambda path: path)
    assert label_blocks(nnx.state(model, nnx.Param), lambda path: path).count == 2


def test_statistics_of_inactive_blocks_stand_still() -> None:
    variables, params, loss = of_linen()
    labels = label_blocks(params, lambda path: path.split("/")[0], names=["low", "high"])
    steps = make_rpt_steps(loss, labels, Progressive([2, 1]), optax.sgd(0.1), has_aux=True)
    stats, state = variables["batch_stats"], steps.init(params)
    x = jax.random.normal(jax.random.key(1), (8, 2))
    for active in (1, 1, 2):
        params, state, (_, new) = steps(params, state, x, stats)
        held = jax.jit(lambda *given: hold_statistics(labels, *given))(state.rpt.active, new, stats)
        moved = {name: bool((held[name]["BatchNorm_0"]["mean"] != stats[name]["BatchNorm_0"]["mean"]).any())
                 for name in ("low", "high")}  # fmt: skip
        assert moved == {"low": True, "high": active == 2}
        assert np.array_equal(held["low"]["BatchNorm_0"]["var"], new["low"]["BatchNorm_0"]["var"])
        stats = held


def test_statistics_go_with_the_parameters_around_them() -> None:
    labels = label_blocks({"a": {"dense": {"w": jnp.ones(1)}}, "b": {"w": jnp.ones(1)}}, lambda path: path[0])
    old = {"a": {"norm": {"mean": jnp.zeros(1)}}, "b": {"mean": jnp.zeros(1)}}
    held = hold_statistics(labels, [False, True], jax.tree.map(jnp.ones_like, old), old)
    assert float(held["a"]["norm"]["mean"][0]) == 0 and float(held["b"]["mean"][0]) == 1
    with pytest.raises(InvalidInput, match="'c/mean' belongs to no single block"):
        hold_statistics(labels, [True, True], {"c": {"mean": jnp.ones(1)}}, {"c": {"mean": jnp.ones(1)}})
