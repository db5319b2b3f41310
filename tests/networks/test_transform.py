"""The optax transformations: unbiased, priced right, composing, compiled once, and still where they
must be.
"""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")

import jax
import jax.numpy as jnp
import numpy as np
import optax

from rpttheory.errors import InvalidInput
from rpttheory.networks import (
    Progressive,
    Randomized,
    label_blocks,
    progfed_schedule,
    rpt,
    scale_by_rpt,
)
from rpttheory.problem.blocks import BlockOrder

pytestmark = pytest.mark.networks

# Not sorted, and their order is no involution, so that a block mistaken for a rank shows.
P = np.array([0.5, 0.4, 1.0, 0.8])
PARAMS = {
    name: jnp.full(size, 2.0, jnp.float32)
    for name, size in (("a", 1), ("b", 2), ("c", 3), ("d", 4))
}
LABELS = label_blocks(PARAMS, lambda path: path)
ONES = jax.tree.map(jnp.ones_like, PARAMS)


def factors_of(tree: Any) -> jax.Array:
    return jnp.stack([tree[name][0] for name in LABELS.names])


def many(transformation: Any, steps: int) -> tuple[np.ndarray[Any, Any], Any]:
    """The factors of each block over many steps, and the last state."""

    def step(state: Any, _: None) -> tuple[Any, jax.Array]:
        updates, state = transformation.update(ONES, state, PARAMS)
        return state, factors_of(updates)

    state, seen = jax.jit(lambda s: jax.lax.scan(step, s, None, steps))(transformation.init(PARAMS))
    return np.asarray(seen), state


def test_unbiased_nested_and_priced_over_20000_draws() -> None:
    costs = np.array([0.4, 0.3, 0.1, 0.2])
    overhead = 0.25
    seen, state = many(scale_by_rpt(LABELS, P, key=1, costs=costs, overhead=overhead), 20_000)
    assert np.abs(seen.mean(axis=0) - 1).max() <= 0.02
    assert set(np.unique(seen)) == {0.0, 1.0, 1.25, 2.0, 2.5}
    active = seen > 0
    for k in range(4):
        for m in range(4):
            if P[k] >= P[m]:
                assert (active[:, k] >= active[:, m]).all(), "the sets are nested along p"
    assert float(state.cost) / 20_000 == pytest.approx(overhead + P @ costs, rel=0.01)
    assert state.updates.tolist() == active.sum(axis=0).tolist() and int(state.steps) == 20_000
    assert float(state.cost) == pytest.approx(
        overhead * 20_000 + active.sum(axis=0) @ costs, rel=1e-6
    )
    assert state.active.tolist() == active[-1].tolist()


def test_default_costs_are_shares_of_the_parameters() -> None:
    _, state = many(scale_by_rpt(LABELS, np.ones(4)), 3)
    assert float(state.cost) == pytest.approx(3.0)
    _, state = many(scale_by_rpt(LABELS, Progressive([5, 0, 0, 0])), 5)
    assert float(state.cost) == pytest.approx(5 * 1 / 10)


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


def test_rpt_hands_the_scaled_gradient_to_the_inner_transformation() -> None:
    masked, _ = many(scale_by_rpt(LABELS, P, key=6), 40)
    frozen, state = many(rpt(optax.identity(), LABELS, P, key=6), 40)
    assert np.array_equal(masked, frozen) and {0.0, 1.0, 1.25, 2.0, 2.5} == set(np.unique(masked))
    assert state.rpt.updates.tolist() == (masked > 0).sum(axis=0).tolist()


def test_an_inactive_block_lets_no_nan_through() -> None:
    transformation = scale_by_rpt(LABELS, Progressive([9, 0, 0, 0]))
    broken = {**ONES, "d": jnp.full(4, jnp.nan)}
    updates, _ = transformation.update(broken, transformation.init(PARAMS))
    assert float(jnp.abs(updates["d"]).sum()) == 0 and float(updates["a"][0]) == 1
    frozen = rpt(optax.sgd(1.0), LABELS, Progressive([9, 0, 0, 0]))
    updates, _ = frozen.update(broken, frozen.init(PARAMS))
    assert float(jnp.abs(updates["d"]).sum()) == 0 and float(updates["a"][0]) == -1


def test_progressive_training_is_a_schedule_over_the_same_machinery() -> None:
    lengths = progfed_schedule(4, 16)
    order = BlockOrder((2, 0, 3, 1))
    seen, state = many(scale_by_rpt(LABELS, Progressive(lengths, order=order)), 20)
    expected = np.zeros((20, 4))
    for step in range(20):
        stage = min(step // 2, 3)
        expected[step, list(order.rank_to_block[: stage + 1])] = 1
    assert np.array_equal(seen, expected)
    assert int(state.steps) == 20


def test_same_key_same_sets_and_other_key_other_sets() -> None:
    runs = [many(scale_by_rpt(LABELS, P, key=key), 50)[0] for key in (7, 7, 8, jax.random.key(7))]
    assert np.array_equal(runs[0], runs[1]) and np.array_equal(runs[0], runs[3])
    assert not np.array_equal(runs[0], runs[2])


def test_rpt_freezes_parameters_momentum_decay_and_counts_of_inactive_blocks() -> None:
    inner = optax.chain(optax.add_decayed_weights(0.1), optax.adam(0.1))
    transformation = rpt(inner, LABELS, [0.3, 0.2, 1.0, 0.6], key=3)
    params = PARAMS
    state = transformation.init(PARAMS)
    update = jax.jit(transformation.update)
    seen = np.zeros(4, dtype=int)
    for _ in range(25):
        updates, new = update(ONES, state, params)
        for k, name in enumerate(LABELS.names):
            moved = bool(new.rpt.active[k])
            assert bool((updates[name] != 0).all()) is moved
            same = jax.tree.map(lambda a, b: bool((a == b).all()), state.inner[k], new.inner[k])
            assert all(jax.tree.leaves(same)) is not moved
            seen[k] += moved
        params = optax.apply_updates(params, updates)
        state = new
    counts = [
        int(leaf) for k in range(4) for leaf in jax.tree.leaves(state.inner[k]) if leaf.ndim == 0
    ]
    assert (
        counts == seen.tolist() == state.rpt.updates.tolist() and 0 < seen.min() < 25 == seen.max()
    )


def test_without_freezing_decay_moves_inactive_blocks() -> None:
    chained = optax.chain(
        scale_by_rpt(LABELS, Progressive([9, 0, 0, 0])), optax.add_decayed_weights(0.1)
    )
    updates, _ = chained.update(ONES, chained.init(PARAMS), PARAMS)
    assert float(updates["d"][0]) == pytest.approx(0.2)


@pytest.mark.parametrize("frozen", [True, False])
def test_optax_conventions(frozen: bool) -> None:
    """Compiled once over repeated calls, unknown extra arguments accepted, inside chain and
    MultiSteps.
    """
    single = rpt(optax.trace(0.9), LABELS, P, key=2) if frozen else scale_by_rpt(LABELS, P, key=2)
    assert isinstance(single, optax.GradientTransformationExtraArgs)
    chained = optax.chain(
        single, optax.scale_by_learning_rate(optax.linear_schedule(0.1, 0.01, 10))
    )
    steps = optax.MultiSteps(chained, 3)
    weak = {name: jnp.full(leaf.shape, 2.0) for name, leaf in PARAMS.items()}
    assert weak["a"].weak_type and not PARAMS["a"].weak_type
    # MultiSteps itself traces weakly typed parameters twice, whatever it wraps.
    for transformation, params in (
        (single, PARAMS),
        (single, weak),
        (chained, PARAMS),
        (chained, weak),
        (steps, PARAMS),
    ):
        traces = []
        grads = jax.tree.map(jnp.ones_like, params)

        @jax.jit
        def update(
            grads: Any, state: Any, params: Any, transformation: Any = transformation
        ) -> Any:
            traces.append(None)  # noqa: B023
            return transformation.update(grads, state, params, unknown=jnp.ones(3))

        state = transformation.init(params)
        for _ in range(7):
            updates, state = update(grads, state, params)
        assert len(traces) == 1
        assert jax.tree.structure(updates) == jax.tree.structure(ONES)


def test_multisteps_draws_once_per_accumulated_gradient() -> None:
    steps = optax.MultiSteps(scale_by_rpt(LABELS, P, key=4), 3)
    state = steps.init(PARAMS)
    update = jax.jit(steps.update)
    plain, _ = many(scale_by_rpt(LABELS, P, key=4), 4)
    emitted = []
    for i in range(12):
        updates, state = update(jax.tree.map(lambda g, i=i: g * (i % 3), ONES), state, PARAMS)
        if i % 3 == 2:
            emitted.append(np.asarray(factors_of(updates)))
        else:
            assert float(jnp.abs(factors_of(updates)).max()) == 0
    # The mean of 0, 1, 2 is 1, so that the factors alone remain.
    assert np.allclose(emitted, plain) and int(state.inner_opt_state.steps) == 4


def test_partition_hands_over_a_part_of_the_tree() -> None:
    groups = {"a": "rest", "b": "net", "c": "net", "d": "net"}
    own = label_blocks({k: v for k, v in PARAMS.items() if k != "a"}, lambda path: path)
    for labels, schedule in ((LABELS, Progressive([0, 9, 0, 0])), (own, Progressive([9, 0, 0]))):
        for make in (scale_by_rpt, lambda *rest: rpt(optax.identity(), *rest)):
            both = optax.partition({"net": make(labels, schedule), "rest": optax.sgd(1.0)}, groups)
            updates, _ = both.update(ONES, both.init(PARAMS), PARAMS)
            assert factors_of(updates).tolist() == [-1, 1, 0, 0]


def test_state_is_plain_arrays() -> None:
    state = rpt(optax.adam(0.1), LABELS, P).init(PARAMS)
    assert all(np.asarray(leaf).dtype.kind in "uifb" for leaf in jax.tree.leaves(state))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"schedule": [1.0, 0.5, 0.2]}, "probabilities"),
        ({"schedule": [1.0, 0.5, 0.2, 0.0]}, "probabilities"),
        ({"schedule": [1.0, 0.5, 0.2, 1.1]}, "probabilities"),
        ({"schedule": [1.0, 0.5, 0.2, 2.0**-61]}, "probabilities"),
        ({"schedule": P, "order": BlockOrder((0, 1, 2, 3))}, "0.4 for block 1, then 1 for block 2"),
        ({"schedule": P, "order": BlockOrder((0, 1, 2))}, "order"),
        ({"schedule": Progressive([1, 1])}, "schedule"),
        ({"schedule": Progressive([1, 1, 1, 1]), "order": BlockOrder((3, 2, 1, 0))}, "order"),
        ({"schedule": P, "costs": [1, 1, 1]}, "costs"),
        ({"schedule": P, "costs": [1, 1, 1, 0]}, "costs"),
        ({"schedule": P, "order": [2, 3, 0, 0]}, "every block exactly once"),
        ({"schedule": P, "order": "input-first"}, "order"),
        ({"schedule": P, "order": [0, 1, 2, 3]}, "0.4 for block 1, then 1 for block 2"),
        ({"schedule": P, "overhead": -1.0}, "overhead"),
        ({"schedule": P, "overhead": "1"}, "overhead"),
        ({"schedule": P, "key": 2**63}, "key"),
        ({"schedule": P, "key": "seed"}, "key"),
        ({"schedule": P, "key": jax.random.split(jax.random.key(0))}, "key"),
        ({"schedule": P, "labels": LABELS.tree}, "labels"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], named: str) -> None:
    arguments = {"labels": LABELS, **options}
    with pytest.raises(InvalidInput, match=named):
        scale_by_rpt(**arguments)
    with pytest.raises(InvalidInput, match=named):
        rpt(optax.sgd(0.1), **arguments)


def test_an_order_along_which_p_falls_is_accepted() -> None:
    for given in (BlockOrder((2, 3, 0, 1)), [2, 3, 0, 1], np.array([2, 3, 0, 1])):
        assert Randomized(P, order=given).order == BlockOrder((2, 3, 0, 1))
        assert Progressive([1, 1, 1, 1], order=given).order == BlockOrder((2, 3, 0, 1))
        scale_by_rpt(LABELS, Randomized(P), order=given)
    with pytest.raises(InvalidInput, match="every block exactly once"):
        Randomized(P, order=BlockOrder((2, 3, 0, 0)))
    for lengths in ([1, -1], [], 3, None, [1.0, 2.0]):
        with pytest.raises(InvalidInput, match="lengths"):
            Progressive(lengths)


def test_stages_begin_and_end_where_they_must() -> None:
    ends = {
        (2, 1): [(0, 1), (1, 1), (2, 2), (3, 2), (2**31 - 1, 2)],
        (0, 0, 0): [(0, 3)],
        (2**62, 2**62, 2**62): [(0, 1), (2**31 - 2, 1)],
        (5,): [(0, 1), (9, 1)],
    }
    for lengths, expected in ends.items():
        for step, depth in expected:
            active = Progressive(lengths).active(jax.random.key(0), jnp.int32(step))
            assert active.tolist() == [rank < depth for rank in range(len(lengths))]


@pytest.mark.parametrize("inner", ["adam", None, optax.sgd])
def test_the_inner_transformation_must_be_one(inner: Any) -> None:
    with pytest.raises(InvalidInput, match="inner"):
        rpt(inner, LABELS, P)


def test_two_in_a_chain_are_unbiased_with_two_keys() -> None:
    both = optax.chain(*(scale_by_rpt(LABELS, [1.0, 0.8, 0.9, 0.7], key=key) for key in (0, 1)))
    assert np.abs(many(both, 20_000)[0].mean(axis=0) - 1).max() <= 0.02


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_short_floats_stay_short(dtype: Any) -> None:
    params = jax.tree.map(lambda leaf: leaf.astype(dtype), PARAMS)
    for transformation in (scale_by_rpt(LABELS, P), rpt(optax.adam(0.1), LABELS, P)):
        state = transformation.init(params)
        updates, new = jax.jit(transformation.update)(params, state, params)
        assert {leaf.dtype for leaf in jax.tree.leaves(updates)} == {jnp.dtype(dtype)}
        assert [leaf.dtype for leaf in jax.tree.leaves(new)] == [
            leaf.dtype for leaf in jax.tree.leaves(state)
        ]


def test_other_parameters_than_the_labelled_ones_are_refused() -> None:
    with pytest.raises(InvalidInput, match="'e'"):
        scale_by_rpt(LABELS, P).init({**PARAMS, "e": jnp.ones(1)})
    with pytest.raises(InvalidInput, match="'d'"):
        rpt(optax.sgd(0.1), LABELS, P).init({**PARAMS, "d": jnp.ones(7)})
