"""Partial steps: the same numbers as masking a full gradient, without computing it."""

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
from rpttheory.networks import (
    Progressive,
    exponential,
    hvp_operator,
    label_blocks,
    make_rpt_steps,
    partial_value_and_grad,
    profile_costs,
    rpt,
)

from .nets import FORMS, difference, net

pytestmark = pytest.mark.networks


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", ["input_first", "output_first"])
def test_partial_gradient_is_the_masked_full_gradient(form: str, order: str) -> None:
    given = net(form)
    full_value, full = jax.value_and_grad(given.loss)(given.params, given.batch)
    for k in (1, 2, 4):
        active = getattr(given.labels, order).rank_to_block[:k]
        value, gradient = partial_value_and_grad(given.loss, given.labels, active)(given.params, given.batch)
        assert abs(float(value) - float(full_value)) <= 1e-6
        leaves, blocks, _ = given.labels.match(full)
        masked = [leaf for leaf, block in zip(leaves, blocks, strict=True) if block in active]
        assert difference(gradient, masked) <= 1e-6 < max(float(jnp.abs(leaf).max()) for leaf in masked)
        assert given.labels.match(gradient)[1] == [block for block in blocks if block in active]


@pytest.mark.parametrize("form", FORMS)
def test_steps_walk_the_path_of_the_masked_transformation(form: str) -> None:
    """k = 1, middle and B all occur; momentum, decay and counts agree as well."""
    given = net(form)
    p = exponential(4, 0.6, order=given.labels.output_first)
    inner = optax.chain(optax.add_decayed_weights(1e-2), optax.adam(1e-2))
    masked = rpt(inner, given.labels, p, key=5)
    steps = make_rpt_steps(given.loss, given.labels, p, inner, key=5)

    @jax.jit
    def full_step(params: Any, state: Any) -> Any:
        value, gradient = jax.value_and_grad(given.loss)(params, given.batch)
        updates, state = masked.update(gradient, state, params)
        return optax.apply_updates(params, updates), state, value

    left = right = given.params
    left_state, right_state = masked.init(left), steps.init(right)
    depths = set()
    for _ in range(12):
        left, left_state, left_value = full_step(left, left_state)
        before = right
        right, right_state, right_value = steps(right, right_state, given.batch)
        depths.add(int(right_state.rpt.active.sum()))
        assert abs(float(left_value) - float(right_value)) <= 1e-6
        inactive = ~np.asarray(right_state.rpt.active)
        for k in np.flatnonzero(inactive).tolist():
            assert difference(given.labels.only(before, k), given.labels.only(right, k)) == 0
    assert {1, 2, 4} <= depths
    assert difference(left, right) <= 1e-6
    assert difference(left_state, right_state) <= 1e-6


def test_one_compilation_per_outcome_when_it_first_occurs() -> None:
    given = net("dict")
    traced: list[None] = []

    def loss(params: Any, data: Any) -> Any:
        traced.append(None)
        return given.loss(params, data)

    steps = make_rpt_steps(loss, given.labels, Progressive([3, 3, 0, 3]), optax.sgd(0.1))
    params, state = given.params, steps.init(given.params)
    assert steps.compiled == ()
    counts = []
    for _ in range(12):
        params, state, _ = steps(params, state, given.batch)
        counts.append(len(steps.compiled))
    assert counts == [1] * 3 + [2] * 3 + [3] * 6
    assert steps.compiled == tuple(tuple(k < depth for k in range(4)) for depth in (1, 2, 4))
    assert len(traced) == 3


def test_no_branch_and_no_work_for_inactive_blocks() -> None:
    given = net("dict")
    shapes = {}
    for active in ([3], [0, 1, 2, 3]):
        partial = partial_value_and_grad(given.loss, given.labels, active)
        text = str(jax.make_jaxpr(partial)(given.params, given.batch))
        assert not any(word in text for word in ("cond[", "switch", "scan[", "while["))
        shapes[len(active)] = text.count("dot_general")
    # Forward 4; the full gradient adds 4 for weights and 3 for activations, the last layer alone adds 1.
    assert shapes == {1: 5, 4: 11}


def test_steps_with_auxiliary_output_and_with_nothing_active() -> None:
    given = net("dict")
    steps = make_rpt_steps(
        lambda p, data: (given.loss(p, data), jnp.int32(7)),
        given.labels,
        [1e-6] * 4,
        optax.sgd(0.1),
        overhead=2.0,
        has_aux=True,
    )
    params, state, (value, aux) = steps(given.params, steps.init(given.params), given.batch)
    assert difference(params, given.params) == 0 and int(aux) == 7
    assert float(value) == pytest.approx(float(given.loss(given.params, given.batch)))
    assert float(state.rpt.cost) == 2.0


def test_cost_is_counted_by_the_prices_given() -> None:
    given = net("dict")
    steps = make_rpt_steps(
        given.loss, given.labels, Progressive([2, 0, 0, 9]), optax.sgd(0.1), costs=[4, 3, 2, 1], overhead=0.5
    )
    params, state = given.params, steps.init(given.params)
    for _ in range(3):
        params, state, _ = steps(params, state, given.batch)
    assert float(state.rpt.cost) == 2 * 4.5 + 10.5


@pytest.mark.parametrize(
    "loss",
    [lambda p: p["a"], lambda p: 1.0, lambda p: jnp.int32(1), lambda p: (p["a"].sum(), 0), lambda p: "loss"],
    ids=["vector", "number", "integer", "pair", "text"],
)
def test_a_loss_that_is_no_scalar_is_refused(loss: Any) -> None:
    params = {"a": jnp.ones(2)}
    labels = label_blocks(params, lambda path: path)
    with pytest.raises(InvalidInput, match="the loss must be a floating-point scalar"):
        partial_value_and_grad(loss, labels, ["a"])(params)


def test_bad_sets_and_aux_are_named() -> None:
    given = net("dict")
    with pytest.raises(InvalidInput, match="active"):
        partial_value_and_grad(given.loss, given.labels, ["nowhere"])
    with pytest.raises(InvalidInput, match="has_aux"):
        partial_value_and_grad(given.loss, given.labels, [0], has_aux=True)(given.params, given.batch)


def test_a_function_is_no_labels() -> None:
    given: Any = net("dict")

    def name(path: str) -> str:
        return path

    for call in (
        lambda: partial_value_and_grad(given.loss, name, ["l0"]),  # type: ignore[arg-type]
        lambda: profile_costs(given.loss, given.params, given.batch, name),  # type: ignore[arg-type]
        lambda: hvp_operator(given.loss, given.params, given.batch, name),  # type: ignore[arg-type]
        lambda: make_rpt_steps(given.loss, name, [1.0], optax.sgd(0.1)),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidInput, match="labels must come from label_blocks"):
            call()
