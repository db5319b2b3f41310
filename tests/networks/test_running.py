"""Running statistics: no parameters, and still while their block stands still."""

from __future__ import annotations

import pytest

pytest.importorskip("jax", reason="needs the extra jax")

import jax
import jax.numpy as jnp

from rpttheory.errors import InvalidInput
from rpttheory.networks import hold_statistics, label_blocks

pytestmark = pytest.mark.networks


def test_statistics_are_no_parameters() -> None:
    nnx = pytest.importorskip("flax.nnx", reason="needs the extra examples")
    variables = {
        "params": {"bn": {"scale": jnp.ones(2)}},
        "batch_stats": {"bn": {"mean": jnp.ones(2)}},
    }
    model = nnx.BatchNorm(3, rngs=nnx.Rngs(0))
    for wrong in (variables, nnx.state(model)):
        with pytest.raises(
            InvalidInput, match=r"running statistics(.|\n)*mean(.|\n)*\['params'\].*nnx\.Param"
        ):
            label_blocks(wrong, lambda path: path)
    assert label_blocks(nnx.state(model, nnx.Param), lambda path: path).count == 2


def test_statistics_move_with_the_parameters_around_them() -> None:
    """A layer's own, or where it has none those of the layers around it; inside `jax.jit` as
    well.
    """
    labels = label_blocks(
        {"a": {"dense": {"w": jnp.ones(1)}}, "b": {"w": jnp.ones(1)}}, lambda path: path[0]
    )
    old = {"a": {"norm": {"mean": jnp.zeros(1)}}, "b": {"mean": jnp.zeros(1)}}
    new = jax.tree.map(jnp.ones_like, old)
    held = jax.jit(lambda *given: hold_statistics(labels, *given))
    for active in ([False, True], [True, False], [True, True]):
        found = held(jnp.array(active), new, old)
        assert [bool(found["a"]["norm"]["mean"][0]), bool(found["b"]["mean"][0])] == active
    with pytest.raises(InvalidInput, match="'c/mean' belongs to no single block"):
        hold_statistics(
            labels, [True, True], {"c": {"mean": jnp.ones(1)}}, {"c": {"mean": jnp.ones(1)}}
        )
