"""RPT as a transformation and as partial steps: unbiased, compiled once, the same path by both."""

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

from rpttheory.networks import (
    Progressive,
    exponential,
    label_blocks,
    make_rpt_steps,
    partial_value_and_grad,
    rpt,
)
from rpttheory.networks.training import Randomized
from rpttheory.problem.blocks import BlockOrder
from tests.refusals import refuses

from .nets import FORMS, difference, net

pytestmark = pytest.mark.networks

# Not sorted, and their order is no involution, so that a block mistaken for a rank shows.
P = np.array([0.5, 0.4, 1.0, 0.8])
PARAMS = {
    name: jnp.full(size, 2.0, jnp.float32)
    for name, size in (("a", 1), ("b", 2), ("c", 3), ("d", 4))
}
LABELS = label_blocks(PARAMS, lambda path: path)
ONES = jax.tree.map(jnp.ones_like, PARAMS)
IDENTITY = optax.identity()
SGD = optax.sgd(0.1)
ADAM = optax.scale_by_adam()
DECAY = optax.linear_schedule(0.1, 0.0, 9)


def factors_of(tree: Any) -> jax.Array:
    return jnp.stack([tree[name][0] for name in LABELS.names])


def many(transformation: Any, steps: int) -> tuple[np.ndarray[Any, Any], Any]:
    """The factors of each block over many steps, and the last state."""

    def step(state: Any, _: None) -> tuple[Any, jax.Array]:
        updates, state = transformation.update(ONES, state, PARAMS)
        return state, factors_of(updates)

    state, history = jax.jit(lambda s: jax.lax.scan(step, s, None, steps))(
        transformation.init(PARAMS)
    )
    return np.asarray(history), state


def test_draws_are_unbiased_nested_and_counted() -> None:
    history, state = many(rpt(IDENTITY, LABELS, P, key=1), 20_000)
    assert np.abs(history.mean(axis=0) - 1).max() <= 0.02
    assert set(np.unique(history)) == {0.0, 1.0, 1.25, 2.0, 2.5}
    active = history > 0
    ranked = active[:, np.argsort(-P)]
    assert (ranked[:, :-1] >= ranked[:, 1:]).all(), "the sets are nested along p"
    assert state.rpt.updates.tolist() == active.sum(axis=0).tolist()
    assert int(state.rpt.steps) == 20_000 and state.rpt.active.tolist() == active[-1].tolist()
    both = optax.chain(*(rpt(IDENTITY, LABELS, P, key=key) for key in (0, 1)))
    assert np.abs(many(both, 20_000)[0].mean(axis=0) - 1).max() <= 0.05


@pytest.mark.parametrize(
    ("p", "last"),
    [(1.0, 2**64 - 1), (1 - 2.0**-30, 2**64 - 2**34 - 1), (0.5, 2**63 - 1), (2.0**-40, 2**24 - 1)],
)
def test_draws_compare_64_random_bits(p: float, last: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A float32 uniform number would round 1 - 2^-30 to 1 and could never fall below 2^-40."""
    draw = Randomized([1.0, p])
    for bits, active in (
        (0, True),
        (last, True),
        (last + 1, False),
        (last + 2**32, False),
        (2**64 - 1, p == 1),
    ):
        if bits < 2**64:
            words = np.array([bits >> 32, bits & 0xFFFFFFFF], dtype=np.uint32)
            monkeypatch.setattr(jax.random, "bits", lambda *args, words=words: jnp.asarray(words))
            assert draw.active(jax.random.key(0), jnp.int32(0)).tolist() == [True, active]


def test_sets_are_pinned_by_the_key() -> None:
    """A checkpoint must mean the same sets in every version."""
    runs = [many(rpt(IDENTITY, LABELS, P, key=key), 50)[0] for key in (7, 8, jax.random.key(7))]
    assert np.array_equal(runs[0], runs[2]) and not np.array_equal(runs[0], runs[1])
    assert (runs[0] > 0).sum(axis=0).tolist() == PINNED


PINNED = [23, 15, 50, 41]


def test_an_inactive_block_lets_no_nan_through() -> None:
    broken = {**ONES, "d": jnp.full(4, jnp.nan)}
    frozen = rpt(optax.sgd(1.0), LABELS, Progressive([9, 0, 0, 0]))
    updates, _ = frozen.update(broken, frozen.init(PARAMS))
    assert float(jnp.abs(updates["d"]).sum()) == 0 and float(updates["a"][0]) == -1


def test_progressive_training_is_a_schedule_over_the_same_machinery() -> None:
    order = BlockOrder((2, 0, 3, 1))
    for lengths in ([2, 2, 2, 10], [0, 3, 0, 1], [2**31, 5, 0, 0]):
        history, _ = many(rpt(IDENTITY, LABELS, Progressive(lengths, order=order)), 20)
        ends = np.cumsum(lengths[:-1])
        stages = [int((ends <= step).sum()) for step in range(20)]
        expected = [np.array(order.block_to_rank) <= stage for stage in stages]
        assert np.array_equal(history, np.array(expected, float))
    masks = [mask.tolist() for mask in Progressive([0, 3, 0, 0], order=order).outcomes()]
    assert masks == [[True, False, True, False], [True] * 4]


def test_rpt_freezes_parameters_momentum_decay_and_counts_of_inactive_blocks() -> None:
    inner = optax.chain(optax.add_decayed_weights(0.1), optax.adam(0.1))
    transformation = rpt(inner, LABELS, [0.3, 0.2, 1.0, 0.6], key=3)
    params = PARAMS
    state = transformation.init(PARAMS)
    update = jax.jit(transformation.update)
    history = np.zeros(4, dtype=int)
    for _ in range(25):
        updates, new = update(ONES, state, params)
        for k, name in enumerate(LABELS.names):
            moved = bool(new.rpt.active[k])
            assert bool((updates[name] != 0).all()) is moved
            same = jax.tree.map(lambda a, b: bool((a == b).all()), state.inner[k], new.inner[k])
            assert all(jax.tree.leaves(same)) is not moved
            history[k] += moved
        params = optax.apply_updates(params, updates)
        state = new
    counts = [
        int(leaf) for k in range(4) for leaf in jax.tree.leaves(state.inner[k]) if leaf.ndim == 0
    ]
    assert counts == history.tolist() and 0 < history.min() < 25 == history.max()


def test_optax_conventions() -> None:
    """Compiled once over repeated calls, unknown extra arguments accepted, in chain, MultiSteps and
    partition; a chain behind it moves inactive blocks.
    """
    single = rpt(optax.trace(0.9), LABELS, P, key=2)
    assert isinstance(single, optax.GradientTransformationExtraArgs)
    chained = optax.chain(single, optax.scale_by_learning_rate(DECAY))
    weak = {name: jnp.full(leaf.shape, 2.0) for name, leaf in PARAMS.items()}
    # MultiSteps itself traces weakly typed parameters twice, whatever it wraps.
    for transformation, params in (
        (chained, PARAMS),
        (chained, weak),
        (optax.MultiSteps(chained, 3), PARAMS),
    ):
        traces = []

        @jax.jit
        def update(grads: Any, state: Any, params: Any, inner: Any = transformation) -> Any:
            traces.append(None)  # noqa: B023
            return inner.update(grads, state, params, unknown=jnp.ones(3))

        state = transformation.init(params)
        for _ in range(4):
            updates, state = update(jax.tree.map(jnp.ones_like, params), state, params)
        assert len(traces) == 1
        assert jax.tree.structure(updates) == jax.tree.structure(ONES)
    groups = {"a": "rest", "b": "net", "c": "net", "d": "net"}
    partial_labels = label_blocks({k: v for k, v in PARAMS.items() if k != "a"}, lambda path: path)
    for labels, schedule in (
        (LABELS, Progressive([0, 9, 0, 0])),
        (partial_labels, Progressive([9, 0, 0])),
    ):
        parts = {"net": rpt(IDENTITY, labels, schedule), "rest": optax.sgd(1.0)}
        both = optax.partition(parts, groups)
        updates, _ = both.update(ONES, both.init(PARAMS), PARAMS)
        assert factors_of(updates).tolist() == [-1, 1, 0, 0]
    decayed = optax.chain(
        rpt(IDENTITY, LABELS, Progressive([9, 0, 0, 0])), optax.add_decayed_weights(0.1)
    )
    updates, _ = decayed.update(ONES, decayed.init(PARAMS), PARAMS)
    assert float(updates["d"][0]) == pytest.approx(0.2)


def test_short_floats_stay_short() -> None:
    params = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), PARAMS)
    transformation = rpt(optax.adam(0.1), LABELS, P)
    state = transformation.init(params)
    updates, new = jax.jit(transformation.update)(params, state, params)
    assert {leaf.dtype for leaf in jax.tree.leaves(updates)} == {jnp.dtype(jnp.bfloat16)}
    for old_leaf, new_leaf in zip(jax.tree.leaves(state), jax.tree.leaves(new), strict=True):
        assert old_leaf.dtype == new_leaf.dtype


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"schedule": [1.0, 0.5, 0.2]}, ""),
        ({"schedule": [1.0, 0.5, 0.2, 0.0]}, ""),
        ({"schedule": [1.0, 0.5, 0.2, 1.1]}, ""),
        ({"schedule": [1.0, 0.5, 0.2, 2.0**-61]}, "probabilities"),
        ({"schedule": Progressive([1, 1])}, "schedule"),
        ({"key": 2**63}, "key"),
        ({"key": "seed"}, "key"),
        ({"key": jax.random.split(jax.random.key(0))}, "key"),
        ({"labels": LABELS.tree}, "labels"),
        ({"inner": "adam"}, "inner"),
        ({"inner": None}, "inner"),
    ],
)
def test_wrong_arguments_of_rpt_are_refused(options: dict[str, Any], argument: str) -> None:
    with refuses(argument):
        rpt(**{"inner": SGD, "labels": LABELS, "schedule": P, **options})


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("labels", lambda: rpt(SGD, LABELS, P).init({**PARAMS, "e": jnp.ones(1)})),
        ("params", lambda: rpt(SGD, LABELS, P).init({**PARAMS, "d": ONES["a"]})),
        ("lengths", lambda: Progressive([1, -1])),
        ("lengths", lambda: Progressive([])),
        ("lengths", lambda: Progressive([1.0, 2.0])),  # type: ignore[list-item]
        ("rate", lambda: exponential(3, 1.1)),
        ("rate", lambda: exponential(3, float("nan"))),
        ("order", lambda: exponential(3, 0.5, order=[0, 1])),
        ("order", lambda: exponential(3, 0.5, order="inside-out")),  # type: ignore[arg-type]
        ("loss", lambda: make_rpt_steps(None, LABELS, P, SGD)),  # type: ignore[arg-type]
        ("active", lambda: partial_value_and_grad(jnp.sum, LABELS, ["nowhere"])),
        ("labels", lambda: partial_value_and_grad(jnp.sum, LABELS.tree, [0])),
        ("before", lambda: make_rpt_steps(jnp.sum, LABELS, P, SGD, before=ADAM).init(PARAMS)),
        ("after", lambda: make_rpt_steps(jnp.sum, LABELS, P, SGD, after=ADAM).init(PARAMS)),
    ],
    ids=range(14),
)
def test_other_wrong_arguments_are_refused(argument: str, call: Any) -> None:
    with refuses(argument):
        call()


def test_steps_are_not_called_inside_jit() -> None:
    steps = make_rpt_steps(lambda p: jnp.sum(p["a"]), LABELS, P, SGD)
    with refuses("steps"):
        jax.jit(steps)(PARAMS, steps.init(PARAMS))


def test_exponential_runs_along_the_order() -> None:
    # A 3-cycle: the block admitted first has probability 1.
    for order in (BlockOrder((2, 0, 1)), [2, 0, 1], np.array([2, 0, 1])):
        assert exponential(3, 0.5, order=order).tolist() == [0.5, 0.25, 1.0]
    assert exponential(3, 0.5, order="output-first").tolist() == [0.25, 0.5, 1.0]


def test_partial_gradient_is_the_masked_full_gradient() -> None:
    tree = net("nnx")
    full_value, full = jax.value_and_grad(tree.loss)(tree.params, tree.batch)
    leaves, blocks, _ = tree.labels.match(full)
    for active in ([0], [2, 3]):
        value, gradient = partial_value_and_grad(tree.loss, tree.labels, active)(
            tree.params, tree.batch
        )
        assert abs(float(value) - float(full_value)) <= 1e-6
        masked = [leaf for leaf, block in zip(leaves, blocks, strict=True) if block in active]
        assert difference(gradient, masked) <= 1e-6 < float(jnp.abs(masked[0]).max())
        assert tree.labels.match(gradient)[1] == [block for block in blocks if block in active]


@pytest.mark.parametrize("form", FORMS)
def test_steps_walk_the_path_of_the_masked_transformation(form: str) -> None:
    """Some, most and all blocks occur; momentum, decay, counts and what stands around agree."""
    tree = net(form)
    p = exponential(4, 0.6, order="output-first")
    before = optax.clip(1e-2)
    inner = optax.chain(optax.add_decayed_weights(1e-2), optax.adam(1e-2))
    after = optax.scale_by_learning_rate(DECAY)
    masked = optax.chain(before, rpt(inner, tree.labels, p, key=5), after)
    steps = make_rpt_steps(tree.loss, tree.labels, p, inner, key=5, before=before, after=after)

    @jax.jit
    def full_step(params: Any, state: Any) -> Any:
        value, gradient = jax.value_and_grad(tree.loss)(params, tree.batch)
        updates, state = masked.update(gradient, state, params)
        return optax.apply_updates(params, updates), state, value

    left = right = tree.params
    left_state = masked.init(left)
    right_state = steps.init(right)
    depths = set()
    for _ in range(8):
        left, left_state, left_value = full_step(left, left_state)
        start = right
        right, right_state, right_value = steps(right, right_state, tree.batch)
        depths.add(int(right_state.rpt.active.sum()))
        assert abs(float(left_value) - float(right_value)) <= 1e-6
        for k in np.flatnonzero(~np.asarray(right_state.rpt.active)).tolist():
            assert difference(tree.labels.only(start, k), tree.labels.only(right, k)) == 0
    assert len(depths) >= 3
    assert difference(left, right) <= 1e-6 < difference(tree.params, right)
    assert difference(left_state[1], right_state[:2]) <= 1e-6
    assert int(right_state.after.count) == 8 > int(right_state.rpt.updates.min())


def test_a_global_norm_is_that_of_the_active_blocks() -> None:
    tree = net("dict")
    clip = optax.clip_by_global_norm(1e-3)
    schedule = Progressive([1, 1, 1, 1])
    steps = make_rpt_steps(tree.loss, tree.labels, schedule, optax.sgd(1.0), before=clip)
    params = tree.params
    state = steps.init(params)
    for _ in range(3):
        moved, state, _ = steps(params, state, tree.batch)
        change = optax.tree.norm(jax.tree.map(jnp.subtract, moved, params))
        assert float(change) == pytest.approx(1e-3, rel=1e-2)
        params = moved


def test_the_loss_may_return_more_and_is_handed_on() -> None:
    tree = net("dict")
    plateau = optax.contrib.reduce_on_plateau(factor=0.5, patience=1, rtol=0.99)

    def pair(p: Any, data: Any) -> Any:
        return tree.loss(p, data), jnp.int32(7)

    steps = make_rpt_steps(pair, tree.labels, [1.0] * 4, SGD, after=plateau, has_aux=True)
    params = tree.params
    state = steps.init(params)
    first = float(tree.loss(params, tree.batch))
    for _ in range(5):
        params, state, (_, extra) = steps(params, state, tree.batch)
    assert int(extra) == 7
    assert 0 < float(state.after.best_value) <= first + 1e-6 and float(state.after.scale) < 1
    idle = make_rpt_steps(pair, tree.labels, [1e-6] * 4, SGD, has_aux=True)
    moved, _, (value, _) = idle(tree.params, idle.init(tree.params), tree.batch)
    assert difference(moved, tree.params) == 0 and float(value) == pytest.approx(first)


OPTIMIZERS = [
    *("schedule", "injected", "plateau", "clip", "noise", "lbfgs", "linesearch"),
    *("adamw", "lamb", "adafactor", "muon"),
]


@pytest.mark.parametrize(
    ("inner", "verdict"),
    [
        (optax.sgd(DECAY), "per_block"),
        (optax.inject_hyperparams(optax.adam)(learning_rate=DECAY), "per_block"),
        (optax.chain(optax.contrib.reduce_on_plateau(), SGD), "per_block"),
        (optax.chain(optax.clip_by_global_norm(1.0), SGD), "per_block"),
        (optax.chain(optax.add_noise(0.1, 0.5, 0), SGD), "per_block"),
        (optax.lbfgs(linesearch=None), "per_block"),
        (optax.lbfgs(), "never"),
        (optax.adamw(0.1), "always"),
        (optax.lamb(0.1), "always"),
        (optax.adafactor(0.1), "always"),
        (optax.contrib.muon(0.1), "always"),
    ],
    ids=OPTIMIZERS,
)
def test_inner_must_act_on_each_block_alone(inner: Any, verdict: str) -> None:
    make = partial(rpt, inner, LABELS, [1.0] * 4)
    if verdict == "always":
        make()
        return
    with refuses("inner"):
        make()
    if verdict == "per_block":
        make(per_block=True)


def test_one_compilation_per_outcome_when_it_first_occurs() -> None:
    tree = net("dict")
    traced: list[None] = []

    def loss(params: Any, data: Any) -> Any:
        traced.append(None)
        return tree.loss(params, data)

    steps = make_rpt_steps(loss, tree.labels, Progressive([2, 2, 0, 1]), SGD)
    params = tree.params
    state = steps.init(tree.params)
    counts = []
    for _ in range(6):
        params, state, _ = steps(params, state, tree.batch)
        counts.append(len(traced))
    assert counts == [1, 1, 2, 2, 3, 3]


def test_no_branch_and_no_work_for_inactive_blocks() -> None:
    tree = net("dict")
    products = {}
    for active in ([3], [0, 1, 2, 3]):
        function = partial_value_and_grad(tree.loss, tree.labels, active)
        text = str(jax.make_jaxpr(function)(tree.params, tree.batch))
        assert not any(word in text for word in ("cond[", "switch", "scan[", "while["))
        products[len(active)] = text.count("dot_general")
    # Forward 4; the full gradient adds 4 for weights and 3 for activations, the last layer alone
    # adds 1.
    assert products == {1: 5, 4: 11}


def test_donated_arrays_are_gone_and_the_path_is_the_same() -> None:
    tree = net("dict")
    ends = []
    for donate in (False, True):
        schedule = Progressive([1, 1, 0, 0])
        steps = make_rpt_steps(tree.loss, tree.labels, schedule, optax.adam(0.1), donate=donate)
        start = jax.tree.map(jnp.array, tree.params)
        params = start
        state = steps.init(start)
        for _ in range(3):
            params, state, _ = steps(params, state, tree.batch)
        assert start["l0"]["w"].is_deleted() is donate
        ends.append(params)
    assert difference(*ends) == 0
