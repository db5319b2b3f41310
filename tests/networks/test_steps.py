"""Partial steps: the same numbers as masking a full gradient, without computing it."""

from __future__ import annotations

from functools import partial
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
        value, gradient = partial_value_and_grad(given.loss, given.labels, active)(
            given.params, given.batch
        )
        assert abs(float(value) - float(full_value)) <= 1e-6
        leaves, blocks, _ = given.labels.match(full)
        masked = [leaf for leaf, block in zip(leaves, blocks, strict=True) if block in active]
        assert (
            difference(gradient, masked)
            <= 1e-6
            < max(float(jnp.abs(leaf).max()) for leaf in masked)
        )
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
    left_state = masked.init(left)
    right_state = steps.init(right)
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
    params = given.params
    state = steps.init(given.params)
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
    # Forward 4; the full gradient adds 4 for weights and 3 for activations, the last layer alone
    # adds 1.
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
        given.loss,
        given.labels,
        Progressive([2, 0, 0, 9]),
        optax.sgd(0.1),
        costs=[4, 3, 2, 1],
        overhead=0.5,
    )
    params = given.params
    state = steps.init(given.params)
    for _ in range(3):
        params, state, _ = steps(params, state, given.batch)
    assert float(state.rpt.cost) == 2 * 4.5 + 10.5


def test_transformations_around_see_all_active_blocks() -> None:
    """Outside they are those of a chain around `rpt`, and a step counts as one whatever is
    active.
    """
    given = net("dict")
    p = exponential(4, 0.6, order="output-first")
    before = optax.clip(1e-2)
    inner = optax.trace(0.9)
    after = optax.scale_by_learning_rate(SCHEDULE)
    steps = make_rpt_steps(given.loss, given.labels, p, inner, key=5, before=before, after=after)
    masked = optax.chain(before, rpt(inner, given.labels, p, key=5), after)
    left = right = given.params
    left_state = masked.init(left)
    right_state = steps.init(right)
    update = jax.jit(masked.update)
    gradient = jax.jit(jax.grad(given.loss))
    for _ in range(8):
        updates, left_state = update(gradient(left, given.batch), left_state, left)
        left = optax.apply_updates(left, updates)
        right, right_state, _ = steps(right, right_state, given.batch)
    assert difference(left, right) <= 1e-6 < difference(given.params, right)
    assert int(right_state.after.count) == 8 > int(right_state.rpt.updates.min())
    clip = optax.clip_by_global_norm(1e-3)
    clipped = make_rpt_steps(
        given.loss, given.labels, Progressive([1, 1, 1, 1]), optax.sgd(1.0), before=clip
    )
    params = given.params
    state = clipped.init(given.params)
    for _ in range(3):
        moved, state, _ = clipped(params, state, given.batch)
        change = optax.tree.norm(jax.tree.map(jnp.subtract, moved, params))
        assert float(change) == pytest.approx(1e-3, rel=1e-2)
        params = moved


def test_what_follows_the_loss_is_given_its_value() -> None:
    given = net("dict")
    plateau = optax.contrib.reduce_on_plateau(factor=0.5, patience=1, rtol=0.99)
    pair = lambda p, data: (given.loss(p, data), 0)  # noqa: E731
    steps = make_rpt_steps(
        pair, given.labels, [1.0] * 4, optax.sgd(0.1), after=plateau, has_aux=True
    )
    lbfgs = optax.lbfgs(0.1, linesearch=None)
    alone = make_rpt_steps(given.loss, given.labels, [1.0] * 4, lbfgs, per_block=True)
    params, state, first = alone(given.params, alone.init(given.params), given.batch)
    other, seen, _ = steps(given.params, steps.init(given.params), given.batch)
    for _ in range(5):
        params, state, value = alone(params, state, given.batch)
        other, seen, _ = steps(other, seen, given.batch)
    assert float(value) < float(first)
    assert 0 < float(seen.after.best_value) <= float(first) + 1e-6 and float(seen.after.scale) < 1


SCHEDULE = optax.linear_schedule(0.1, 0.0, 9)
SGD = optax.sgd(0.1)


@pytest.mark.parametrize(
    ("inner", "remedy"),
    [
        (optax.sgd(SCHEDULE), "after=optax.scale_by_learning_rate"),
        (
            optax.inject_hyperparams(optax.adam)(learning_rate=SCHEDULE),
            "after=optax.scale_by_learning_rate",
        ),
        (optax.chain(optax.contrib.reduce_on_plateau(), SGD), "after="),
        (optax.chain(optax.clip_by_global_norm(1.0), SGD), "before=optax.clip_by_global_norm"),
        (optax.chain(optax.add_noise(0.1, 0.5, 0), SGD), "before="),
        (optax.lbfgs(linesearch=None), "per_block=True"),
        (optax.lbfgs(), "linesearch=None"),
        (optax.adamw(0.1), ""),
        (optax.lamb(0.1), ""),
        (optax.adafactor(0.1), ""),
    ],
    ids="schedule injected plateau clip noise lbfgs linesearch adamw lamb adafactor".split(),  # noqa: SIM905
)
def test_what_would_mean_something_else_inside_is_refused(inner: Any, remedy: str) -> None:
    given = net("dict")
    rest = given.labels, [1.0] * 4
    for make in (partial(make_rpt_steps, given.loss, *rest, inner), partial(rpt, inner, *rest)):
        if remedy:
            with pytest.raises(InvalidInput) as caught:
                make()
            assert remedy in caught.value.remedy
        if remedy != "linesearch=None":
            make(per_block=bool(remedy))


def test_before_and_after_remember_no_parameters() -> None:
    given = net("dict")
    for name, remembering in (("before", optax.trace(0.9)), ("after", optax.scale_by_adam())):
        steps = make_rpt_steps(given.loss, given.labels, [1.0] * 4, SGD, **{name: remembering})
        with pytest.raises(InvalidInput, match=f"{name} must remember nothing"):
            steps.init(given.params)


def test_donated_arrays_are_gone_and_the_path_is_the_same() -> None:
    given = net("dict")
    found = []
    for donate in (False, True):
        steps = make_rpt_steps(
            given.loss, given.labels, Progressive([1, 1, 0, 0]), optax.adam(0.1), donate=donate
        )
        start = jax.tree.map(jnp.array, given.params)
        params = start
        state = steps.init(start)
        for _ in range(3):
            params, state, _ = steps(params, state, given.batch)
        assert start["l0"]["w"].is_deleted() is donate
        found.append(params)
    assert difference(*found) == 0


def test_keywords_reach_the_loss() -> None:
    """Numbers and arrays without compiling again; what a loss branches on as a constant."""
    given = net("dict")
    traced = []

    def loss(params: Any, data: Any, *, scale: Any, train: bool) -> Any:
        traced.append(train)
        return scale * given.loss(params, data) if train else jnp.float32(0.0)

    steps = make_rpt_steps(loss, given.labels, [1.0] * 4, SGD)
    state = steps.init(given.params)
    pairs = ((2.0, True), (3.0, True), (3.0, False))
    value = [float(steps(given.params, state, given.batch, scale=a, train=b)[2]) for a, b in pairs]
    assert value[1] == pytest.approx(1.5 * value[0]) and value[2] == 0 and traced == [True, False]
    assert len(steps.compiled) == 1


def test_mistakes_inside_steps_are_told_in_three_lines() -> None:
    given = net("dict")
    steps = make_rpt_steps(given.loss, given.labels, [1.0] * 4, SGD)
    with pytest.raises(InvalidInput, match=r"cannot be compiled as a whole(.|\n)*inside jax\.jit"):
        jax.jit(steps)(given.params, steps.init(given.params), given.batch)
    failing = make_rpt_steps(lambda p, data: p["nowhere"].sum(), given.labels, [1.0] * 4, SGD)
    with pytest.raises(
        InvalidInput, match=r"cannot be computed at params\n  found: KeyError: 'nowhere'"
    ) as caught:
        failing(given.params, failing.init(given.params), given.batch)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(InvalidInput, match="loss must be a function"):
        make_rpt_steps(None, given.labels, [1.0] * 4, SGD)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "loss",
    [
        lambda p: p["a"],
        lambda p: 1.0,
        lambda p: jnp.int32(1),
        lambda p: (p["a"].sum(), 0),
        lambda p: "loss",
    ],
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
        partial_value_and_grad(given.loss, given.labels, [0], has_aux=True)(
            given.params, given.batch
        )


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
