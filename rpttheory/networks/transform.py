"""RPT as optax transformations: masks and scales a full gradient, and freezes what an inactive
block remembers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from ..errors import InvalidInput
from ..numbers.checks import check_costs
from ..numbers.exact_array import FloatArray
from .draws import Draw, as_draw
from .inner import require_inner
from .pytree import Labels, PyTree, require_labels
from .schedules import GivenOrder

# Named, because a checkpoint must mean the same whatever generator is the default of the day.
_GENERATOR = "threefry2x32"


class RptState(NamedTuple):
    """What RPT remembers between steps; plain arrays, so that any checkpoint format holds it.

    Attributes
    ----------
    key : array
        Two words of random state.
    steps : array
        Steps so far.
    active : array
        The blocks of the latest step, one bool each.
    updates : array
        How many times each block was active.
    cost : array
        Accumulated cost: overhead * steps + <costs, updates>, formed anew from the counts so that
        float32 loses nothing over long runs.
    """

    key: jax.Array
    steps: jax.Array
    active: jax.Array
    updates: jax.Array
    cost: jax.Array


class FrozenState(NamedTuple):
    """State of `rpt`: RPT's own, and one inner state per block; for steps also those of `before`
    and `after`.
    """

    rpt: RptState
    inner: tuple[Any, ...]
    before: Any = optax.EmptyState()
    after: Any = optax.EmptyState()


class Counter(NamedTuple):
    """A rule for the active set with the prices of its blocks: all that decides an `RptState`."""

    draw: Draw
    costs: FloatArray
    overhead: float
    key: jax.Array

    def start(self) -> RptState:
        """The state before the first step."""
        count = self.costs.size
        return RptState(
            key=self.key,
            steps=jnp.zeros((), jnp.int32),
            active=jnp.zeros(count, jnp.bool_),
            updates=jnp.zeros(count, jnp.int32),
            cost=jnp.zeros((), jnp.float32),
        )

    def advance(self, state: RptState) -> RptState:
        """Draw the next active set and pay for it."""
        key, once = jax.random.split(jax.random.wrap_key_data(state.key, impl=_GENERATOR))
        active = self.draw.active(once, state.steps)
        steps = optax.safe_increment(state.steps)
        updates = jnp.where(active, optax.safe_increment(state.updates), state.updates)
        spent = jnp.sum(jnp.asarray(self.costs, jnp.float32) * updates.astype(jnp.float32))
        return RptState(
            key=jax.random.key_data(key),
            steps=steps,
            active=active,
            updates=updates,
            cost=spent + jnp.float32(self.overhead) * steps.astype(jnp.float32),
        )


def scale_by_rpt(
    labels: Labels,
    schedule: Draw | ArrayLike,
    *,
    key: jax.Array | int = 0,
    costs: ArrayLike | None = None,
    overhead: float = 0.0,
    order: GivenOrder | None = None,
) -> Any:
    """Multiply the gradient of block k by 1/p_k where the block is active and by 0 elsewhere.

    Put it first in a chain. Whatever follows sees zeros for inactive blocks, so momentum and weight
    decay still move them; `rpt` freezes those as well.

    Parameters
    ----------
    labels : Labels
    schedule : array or Draw
        Probabilities per block, or `Progressive(lengths)` for progressive training (factor 1).
    key : jax key or int
        Two runs with equal keys draw equal sets, and so do two transformations in one chain: give
        them different keys, or the second 1/p_k is one too many.
    costs : array, optional
        Cost of updating each block; shares of the parameters by default, as in the paper.
    overhead : float
        Cost paid on every step.
    order : BlockOrder, list of int, "input-first" or "output-first", optional
        Refuse probabilities that rise along it.

    Returns
    -------
    optax.GradientTransformationExtraArgs
        With state `RptState`.
    """
    counter = make_counter(labels, schedule, key=key, costs=costs, overhead=overhead, order=order)

    def init(params: PyTree) -> RptState:
        labels.require_shapes(params)
        return counter.start()

    def update(
        updates: PyTree, state: RptState, params: PyTree = None, **extra: Any
    ) -> tuple[PyTree, RptState]:
        del params, extra
        new = counter.advance(state)
        return _masked(labels, updates, counter.draw.factors, new.active), new

    return optax.GradientTransformationExtraArgs(init, update)


def rpt(
    inner: Any,
    labels: Labels,
    schedule: Draw | ArrayLike,
    *,
    key: jax.Array | int = 0,
    costs: ArrayLike | None = None,
    overhead: float = 0.0,
    order: GivenOrder | None = None,
    per_block: bool = False,
) -> Any:
    """Apply `inner` to the scaled gradient of active blocks alone; inactive blocks and their state
    stand still.

    Each block has an inner state of its own, so momentum, second moments, step counts and weight
    decay of an inactive block do not move. A schedule of learning rates inside `inner` would
    therefore count the updates of a block; one over all steps goes outside: `chain(rpt(trace(0.9),
    ...), scale_by_learning_rate(f))`. Statistics over all parameters, such as a global norm, belong
    before `rpt` in a chain, and so does noise: every block's state would begin with the same key.
    Inside, all these are refused unless `per_block` says that they are meant block by block.

    Other parameters are those of `scale_by_rpt`, after `inner`, any optax transformation.

    Returns
    -------
    optax.GradientTransformationExtraArgs
        With state `FrozenState`.
    """
    counter = make_counter(labels, schedule, key=key, costs=costs, overhead=overhead, order=order)
    optimizer = require_inner(inner, per_block)

    def init(params: PyTree) -> FrozenState:
        labels.require_shapes(params)
        states = tuple(optimizer.init(labels.only(params, block)) for block in range(labels.count))
        return FrozenState(counter.start(), states)

    def update(
        updates: PyTree, state: FrozenState, params: PyTree = None, **extra: Any
    ) -> tuple[PyTree, FrozenState]:
        new = counter.advance(state.rpt)
        proposed = []
        states = []
        for block, old in enumerate(state.inner):
            own, moved = block_update(
                optimizer, labels, counter.draw.factors, block, updates, old, params, extra
            )
            proposed.append(own)
            states.append(jax.tree.map(_choose(new.active[block]), moved, old))
        _, blocks, structure = labels.match(updates)
        waiting = [iter(jax.tree.leaves(own)) for own in proposed]
        kept = [
            _choose(new.active[k])(leaf, jnp.zeros_like(leaf))
            for k in blocks
            for leaf in [next(waiting[k])]
        ]
        return jax.tree_util.tree_unflatten(structure, kept), FrozenState(new, tuple(states))

    return optax.GradientTransformationExtraArgs(init, update)


def block_update(
    optimizer: Any,
    labels: Labels,
    factors: FloatArray,
    block: int,
    gradient: PyTree,
    state: Any,
    params: PyTree,
    extra: dict[str, Any],
) -> tuple[PyTree, Any]:
    """The inner optimiser's answer to the scaled gradient of one block, as if the block were
    active.
    """
    # A Python number leaves the type of the gradient alone, weak or not, and so the types of the
    # state.
    factor = float(factors[block])
    own = jax.tree.map(lambda g: g * factor, labels.only(gradient, block))
    near = None if params is None else labels.only(params, block)
    update, new = optimizer.update(own, state, near, **extra)
    return update, new


def make_counter(
    labels: Labels,
    schedule: Draw | ArrayLike,
    *,
    key: jax.Array | int,
    costs: ArrayLike | None,
    overhead: float,
    order: GivenOrder | None,
) -> Counter:
    """Check what both transformations and the compiled steps take."""
    require_labels(labels)
    prices = check_costs(
        np.array(labels.sizes) / sum(labels.sizes) if costs is None else costs, labels.count
    ).float64
    if not (
        isinstance(overhead, (int, float, np.number)) and math.isfinite(overhead) and overhead >= 0
    ):
        raise InvalidInput(
            "must be a non-negative number", repr(overhead), "0 for none", argument="overhead"
        )
    return Counter(as_draw(schedule, labels.count, order), prices, float(overhead), _key_data(key))


def _key_data(key: jax.Array | int) -> jax.Array:
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
        if not -(2**63) <= key < 2**63:
            raise InvalidInput(
                "must be a seed of at most 64 bits",
                repr(key)[:80],
                argument="key",
                suggest={"key": 0},
            )
        return jax.random.key_data(jax.random.key(int(key), impl=_GENERATOR))
    typed = isinstance(key, jax.Array) and jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
    words: Any = jax.random.key_data(key) if typed else key
    if getattr(words, "shape", None) != (2,) or words.dtype != jnp.uint32:
        raise InvalidInput(
            "must be a seed or one threefry key",
            repr(key)[:80],
            "or jax.random.key(0)",
            argument="key",
            suggest={"key": 0},
        )
    return jnp.asarray(words)


def _masked(labels: Labels, tree: PyTree, factors: FloatArray, active: jax.Array) -> PyTree:
    """Scaled where active, zero elsewhere; a product with zero would let NaN through."""
    leaves, blocks, structure = labels.match(tree)
    scaled = [
        jnp.where(active[block], leaf * float(factors[block]), jnp.zeros_like(leaf))
        for leaf, block in zip(leaves, blocks, strict=True)
    ]
    return jax.tree_util.tree_unflatten(structure, scaled)


def _choose(active: jax.Array) -> Callable[[Any, Any], Any]:
    return lambda new, old: jnp.where(active, new, old)
