"""RPT and progressive training for JAX: schedules, an optax transformation, and partial steps.

The transformation `rpt` masks a full gradient. The steps of `make_rpt_steps` differentiate active
blocks only, with one compiled step per set of blocks. Both draw the same sets from the same state.

A branch around the loss inside one compiled step (`lax.switch`, `lax.cond`, `lax.scan`) would be
more compact, but XLA's CPU backend runs convolutions inside branches many times slower than
outside.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput
from ..numbers.checks import check_probabilities, read_only
from ..numbers.exact_array import FloatArray
from ..problem.blocks import BlockOrder
from ..problem.sampling import NestedSampling
from .blocks import Labels, PyTree, fill, require_labels
from .task import Loss

# Random bits per draw: a block of probability p is active for exactly round(2^64 p) of the 2^64
# values. So p is rounded by at most 2^-65.
_BITS = 64
# Named, because a checkpoint must mean the same whatever generator is JAX's default.
_GENERATOR = "threefry2x32"

OrderLike = (
    BlockOrder | Sequence[int] | NDArray[np.integer] | Literal["input-first", "output-first"]
)


def as_order(order: OrderLike, count: int) -> BlockOrder:
    """Return an order of `count` blocks from an order, its name, or a list of block numbers."""
    if isinstance(order, str) and order in ("input-first", "output-first"):
        order = range(count) if order == "input-first" else range(count)[::-1]
    if isinstance(order, (Sequence, np.ndarray)) and not isinstance(order, str):
        order = BlockOrder(order)
    if not isinstance(order, BlockOrder) or len(order.rank_to_block) != count:
        raise InvalidInput(
            f"must list all {count} blocks by number",
            repr(order)[:80],
            "'input-first', 'output-first', or such as [2, 0, 1]",
            argument="order",
        )
    return order


def exponential(count: int, rate: float, *, order: OrderLike = "input-first") -> FloatArray:
    """1, rate, rate^2, ... along the order: the paper's exponentially decaying probabilities.

    Parameters
    ----------
    count : int
        Number of blocks, B.
    rate : float
        In (0, 1].
    order : BlockOrder, list of int, "input-first" or "output-first"
        Which block comes first.

    Examples
    --------
    >>> exponential(3, 0.5, order=[2, 0, 1])
    array([0.5 , 0.25, 1.  ])
    """
    if not (isinstance(rate, (int, float, np.number)) and 0 < rate <= 1):
        raise InvalidInput("must lie in (0, 1]", repr(rate), "0.9", argument="rate")
    return read_only(as_order(order, count).per_block(float(rate) ** np.arange(count)))


class Schedule(ABC):
    """A rule for the active set of a step; the sets are nested along `order`.

    The set is a function of a key and of the number of the step alone, so the transformation and
    the compiled steps see the same sets.
    """

    order: BlockOrder
    factors: FloatArray

    @abstractmethod
    def active(self, key: jax.Array, step: jax.Array) -> jax.Array:
        """One bool per block, for a key of this step and the number of the step."""

    @abstractmethod
    def outcomes(self) -> list[NDArray[np.bool_]]:
        """The sets that can occur."""


class Randomized(Schedule):
    """RPT's nested draw: block k is active if p_k exceeds one uniform number, with factor 1/p_k.

    Paper: def:PTsketch
    """

    def __init__(self, probabilities: ArrayLike, count: int | None = None) -> None:
        self.probabilities = check_probabilities(probabilities, count).float64
        smallest = float(self.probabilities.min())
        if smallest < 2.0**-60:
            raise InvalidInput(
                "must be at least 2^-60",
                f"{smallest:g}",
                "leave the block out of training",
                argument="probabilities",
            )
        self.order = BlockOrder.from_probabilities(self.probabilities)
        self.factors = read_only(1.0 / self.probabilities)

    def active(self, key: jax.Array, step: jax.Array) -> jax.Array:
        # A float32 uniform number has 2^24 values, too few for small p, so two words are drawn.
        high, low = jax.random.bits(key, (2,), jnp.uint32)
        last = [round(Fraction(p) * 2**_BITS) - 1 for p in self.probabilities.tolist()]
        last_high = jnp.array([value >> 32 for value in last], jnp.uint32)
        last_low = jnp.array([value & 0xFFFFFFFF for value in last], jnp.uint32)
        active: jax.Array = (high < last_high) | ((high == last_high) & (low <= last_low))
        return active

    def outcomes(self) -> list[NDArray[np.bool_]]:
        return [outcome.active for outcome in NestedSampling(self.probabilities).support()]


class Progressive(Schedule):
    """Progressive training: lengths[b] steps on the first b + 1 blocks of the order; the last stage
    does not end.

    Paper: alg:MAIN-COMPACT
    """

    def __init__(self, lengths: Sequence[int], *, order: OrderLike = "input-first") -> None:
        listed = list(lengths) if isinstance(lengths, (Sequence, np.ndarray)) else []
        if not listed or not all(isinstance(T, (int, np.integer)) and T >= 0 for T in listed):
            raise InvalidInput(
                "must be whole numbers, one per block",
                repr(lengths)[:80],
                "PT.progfed(total, B).lengths",
                argument="lengths",
            )
        self.lengths = tuple(int(T) for T in listed)
        self.order = as_order(order, len(listed))
        self.factors = read_only(np.ones(len(listed)))

    def active(self, key: jax.Array, step: jax.Array) -> jax.Array:
        ends = [min(end, np.iinfo(np.int32).max) for end in accumulate(self.lengths[:-1])]
        stage = jnp.sum(jnp.array(ends, jnp.int32) <= step)
        return jnp.asarray(self.order.block_to_rank) <= stage

    def outcomes(self) -> list[NDArray[np.bool_]]:
        ranks = np.array(self.order.block_to_rank)
        stages = [b for b, T in enumerate(self.lengths) if T or b == len(self.lengths) - 1]
        return [ranks <= stage for stage in stages]


class RptState(NamedTuple):
    """State of RPT between steps; plain arrays, so that any checkpoint format holds it.

    Attributes
    ----------
    key : array
        Two words of random state.
    steps : array
        Steps so far.
    active : array
        The blocks of the latest step, one bool each.
    updates : array
        How many times each block was active: the accumulated cost is c_0 * steps + <c, updates>.
    """

    key: jax.Array
    steps: jax.Array
    active: jax.Array
    updates: jax.Array


class FrozenState(NamedTuple):
    """State of `rpt`: that of RPT and one inner state per block; for steps also those of `before`
    and `after`.
    """

    rpt: RptState
    inner: tuple[Any, ...]
    before: Any = optax.EmptyState()
    after: Any = optax.EmptyState()


class Draws(NamedTuple):
    """A schedule and the key that its sets are drawn with."""

    schedule: Schedule
    key: jax.Array

    def start(self) -> RptState:
        """The state before the first step."""
        count = self.schedule.factors.size
        return RptState(
            key=self.key,
            steps=jnp.zeros((), jnp.int32),
            active=jnp.zeros(count, jnp.bool_),
            updates=jnp.zeros(count, jnp.int32),
        )

    def advance(self, state: RptState) -> RptState:
        """Draw the next active set."""
        key, once = jax.random.split(jax.random.wrap_key_data(state.key, impl=_GENERATOR))
        active = self.schedule.active(once, state.steps)
        return RptState(
            key=jax.random.key_data(key),
            steps=optax.safe_increment(state.steps),
            active=active,
            updates=jnp.where(active, optax.safe_increment(state.updates), state.updates),
        )


def make_draws(labels: Labels, schedule: Schedule | ArrayLike, key: jax.Array | int) -> Draws:
    """Check labels, schedule and key."""
    require_labels(labels)
    if not isinstance(schedule, Schedule):
        schedule = Randomized(schedule, labels.count)
    if schedule.factors.size != labels.count:
        raise InvalidInput(
            f"must be for {labels.count} blocks",
            f"{schedule.factors.size} blocks",
            "one entry per block",
            argument="schedule",
        )
    return Draws(schedule, _key_data(key))


def _key_data(key: jax.Array | int) -> jax.Array:
    if isinstance(key, (int, np.integer)) and -(2**63) <= key < 2**63:
        key = jax.random.key(int(key), impl=_GENERATOR)
    typed = isinstance(key, jax.Array) and jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
    words: Any = jax.random.key_data(key) if typed else key
    if getattr(words, "shape", None) != (2,) or words.dtype != jnp.uint32:
        raise InvalidInput(
            "must be a seed of at most 64 bits or one threefry key",
            repr(key)[:80],
            "0 or jax.random.key(0)",
            argument="key",
        )
    return jnp.asarray(words)


def rpt(
    inner: Any,
    labels: Labels,
    schedule: Schedule | ArrayLike,
    *,
    key: jax.Array | int = 0,
    per_block: bool = False,
) -> Any:
    """Apply `inner` to the gradient of active blocks times 1/p_k; inactive blocks do not move.

    Each block has an inner state of its own, so momentum, second moments, step counts and weight
    decay of an inactive block do not change. A schedule of learning rates inside `inner` would
    therefore count the updates of a block; one over all steps goes outside: `chain(rpt(trace(0.9),
    ...), scale_by_learning_rate(f))`. Statistics over all parameters, such as a global norm, belong
    before `rpt` in a chain, and so does noise: every block's state would begin with the same key.
    Inside, all these are refused unless `per_block` says that they are meant block by block.
    `rpt(optax.identity(), ...)` at the head of a chain only scales and masks.

    Parameters
    ----------
    inner : optax.GradientTransformation
    labels : Labels
    schedule : array or Progressive
        Probabilities per block, or `Progressive(lengths)` for progressive training (factor 1).
    key : jax key or int
        Two runs with equal keys draw equal sets, and so do two transformations in one chain: give
        them different keys, or the second 1/p_k is one too many.
    per_block : bool

    Returns
    -------
    optax.GradientTransformationExtraArgs
        With state `FrozenState`.
    """
    draws = make_draws(labels, schedule, key)
    optimizer = _check_inner(inner, per_block)

    def init(params: PyTree) -> FrozenState:
        return _initial_state(draws, optimizer, labels, params)

    def update(
        updates: PyTree, state: FrozenState, params: PyTree = None, **extra: Any
    ) -> tuple[PyTree, FrozenState]:
        new = draws.advance(state.rpt)
        blocks = range(labels.count)
        moved, inner_states = _update_blocks(
            optimizer, labels, draws.schedule, blocks, updates, state.inner, params, extra
        )
        leaves, leaf_blocks, structure = labels.match(moved)
        # A product with zero would let NaN through.
        masked = [
            jnp.where(new.active[block], leaf, jnp.zeros_like(leaf))
            for leaf, block in zip(leaves, leaf_blocks, strict=True)
        ]
        states = tuple(
            jax.tree.map(partial(jnp.where, new.active[block]), inner_states[block], old)
            for block, old in enumerate(state.inner)
        )
        return jax.tree_util.tree_unflatten(structure, masked), FrozenState(new, states)

    return optax.GradientTransformationExtraArgs(init, update)


def _initial_state(draws: Draws, optimizer: Any, labels: Labels, params: PyTree) -> FrozenState:
    labels.require_shapes(params)
    inner = tuple(optimizer.init(labels.only(params, block)) for block in range(labels.count))
    return FrozenState(draws.start(), inner)


def _update_blocks(
    optimizer: Any,
    labels: Labels,
    schedule: Schedule,
    blocks: Iterable[int],
    gradient: PyTree,
    states: tuple[Any, ...],
    params: PyTree,
    extra: dict[str, Any],
) -> tuple[PyTree, tuple[Any, ...]]:
    """Return the updates and the states of blocks, as if all of them were active."""
    updates = gradient
    new = []
    for block, state in zip(blocks, states, strict=True):
        # A Python number leaves the type of the gradient alone, weak or not, and so the types of
        # the state.
        factor = float(schedule.factors[block])
        scaled = jax.tree.map(lambda g, f=factor: g * f, labels.only(gradient, block))
        block_params = None if params is None else labels.only(params, block)
        update, new_state = optimizer.update(scaled, state, block_params, **extra)
        updates = fill(update, updates)
        new.append(new_state)
    return updates, tuple(new)


def _check_transformation(transformation: Any, argument: str) -> Any:
    """Return an optax transformation that accepts extra arguments."""
    if not isinstance(transformation, optax.GradientTransformation):
        raise InvalidInput(
            "must be an optax transformation",
            repr(transformation)[:80],
            "such as optax.sgd(0.1)",
            argument=argument,
        )
    return optax.with_extra_args_support(transformation)


def _check_inner(inner: Any, per_block: bool) -> Any:
    """Check, unless `per_block`, that two arrays are updated as each of them is alone."""
    optimizer = _check_transformation(inner, "inner")
    try:
        # Gradients so large that whatever clips does so, and none at all, where only noise is left.
        state, separable = _probe(optimizer, (1e15, 0.0))
    except TypeError as error:
        if "keyword-only" not in str(error):
            return optimizer
        raise InvalidInput(
            "must need no more than a gradient and the loss",
            str(error),
            "optax.lbfgs(linesearch=None) with per_block=True",
            argument="inner",
        ) from None
    except Exception:
        # A transformation made for the user's tree alone, such as a mask, fails when it meets
        # another tree.
        return optimizer
    if per_block:
        return optimizer
    if any(_follows_steps(node) for node in jax.tree.leaves(state, is_leaf=_follows_steps)):
        raise InvalidInput(
            "must have no learning rate that follows the steps: it would follow each block's"
            " updates",
            "a schedule in inner",
            "after=optax.scale_by_learning_rate(f), in a chain behind rpt; or per_block=True",
            argument="inner",
        )
    if not separable:
        raise InvalidInput(
            "must do to a block alone what it does to it beside others",
            "updates that depend on all blocks, such as clipping by a global norm, or noise",
            "before=optax.clip_by_global_norm(1.0), in a chain ahead of rpt; or per_block=True",
            argument="inner",
        )
    return optimizer


def _probe(optimizer: Any, scales: tuple[float, ...]) -> tuple[Any, bool]:
    """Return a state, and whether two arrays are updated as each is alone, for such gradients."""

    @jax.jit
    def answers(scale: jax.Array) -> Any:
        params = {"a": jnp.ones(2), "b": jnp.ones(3)}
        gradient = {"a": jnp.full(2, 3.0) * scale, "b": jnp.ones(3) * scale}
        results = []
        for masked in ({}, {"b": optax.MaskedNode()}, {"a": optax.MaskedNode()}):
            part = {**params, **masked}
            results.append(
                optimizer.update({**gradient, **masked}, optimizer.init(part), part, value=scale)
            )
        (together, state), (first, _), (second, _) = results
        return state, ((together["a"], first["a"]), (together["b"], second["b"]))

    probes = [answers(jnp.float32(scale)) for scale in scales]
    return probes[0][0], all(
        np.allclose(together, alone, rtol=1e-4, atol=0, equal_nan=True)
        for _, pairs in probes
        for together, alone in pairs
    )


def _follows_steps(node: Any) -> bool:
    """True if a part of a state belongs to a schedule."""
    named = type(node).__name__ in ("ScaleByScheduleState", "ReduceLROnPlateauState")
    return named or bool(getattr(node, "hyperparams_states", None))


def partial_value_and_grad(
    loss: Loss, labels: Labels, active: Iterable[Any], *, has_aux: bool = False
) -> Callable[..., tuple[Any, PyTree]]:
    """Like `jax.value_and_grad`, but for the active blocks alone.

    Parameters
    ----------
    loss : callable
        loss(params, *args), a scalar (or a pair with `has_aux`).
    labels : Labels
    active : iterable
        Names of blocks, numbers from 0, or one bool per block.

    Returns
    -------
    callable
        (params, *args) -> (value, gradient). The gradient has the structure of `params` with
        `optax.MaskedNode()` in place of inactive arrays: nothing is computed or stored for them.
    """
    require_labels(labels)
    mask = labels.mask(active)

    def value_and_grad(params: PyTree, *args: Any) -> tuple[Any, PyTree]:
        moving, frozen = labels.split(params, mask)

        def of_active(part: PyTree) -> Any:
            return loss(fill(part, frozen), *args)

        if not mask.any():
            return of_active(moving), moving
        return jax.value_and_grad(of_active, has_aux=has_aux)(moving)

    return value_and_grad


@dataclass(frozen=True, eq=False, repr=False)
class RptSteps:
    """Training steps of RPT or PT, compiled lazily, one per set of active blocks. Made by
    `make_rpt_steps`.

    The state is that of `rpt(inner, ...)`, with those of `before` and `after`: both walk the same
    path from the same state.
    """

    loss: Loss
    labels: Labels
    draws: Draws
    before: Any
    inner: Any
    after: Any
    has_aux: bool
    donate: bool

    @cached_property
    def _advance(self) -> Any:
        return jax.jit(self.draws.advance)

    @cached_property
    def _steps(self) -> dict[bytes, Any]:
        """Compiled steps by active blocks."""
        return {}

    def init(self, params: PyTree) -> FrozenState:
        """The state before the first step."""
        state = _initial_state(self.draws, self.inner, self.labels, params)
        first = self.labels.only(params, 0)
        states = {}
        for name in ("before", "after"):
            # The active blocks change, so the state may hold nothing per parameter.
            make = getattr(self, name).init
            states[name] = make(params)
            shapes = [jax.eval_shape(make, tree) for tree in (first, params)]
            if self.labels.count > 1 and shapes[0] != shapes[1]:
                raise InvalidInput(
                    "must remember nothing of single parameters",
                    "a state that is shaped like params",
                    "momentum and the like belong to inner",
                    argument=name,
                )
        return state._replace(**states)

    def __call__(
        self, params: PyTree, state: FrozenState, *args: Any
    ) -> tuple[PyTree, FrozenState, Any]:
        """Draw a set, update its blocks, and return (params, state, value of the loss before the
        step).

        All arguments that follow the state go to the loss.
        """
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(state)):
            raise InvalidInput(
                "must be called as they are: the active blocks decide what is computed",
                "a call inside jax.jit, vmap, grad or scan",
                "steps(params, state, ...), compiled for each set; or rpt(inner, labels, p) inside"
                " jax.jit",
                argument="steps",
            )
        new: RptState = self._advance(state.rpt)
        # Waits for the draw alone, which depends on no gradient.
        mask = np.asarray(new.active)
        step, arguments = self.prepare(mask, params, state, args)
        value, moved, (before, states, after) = step(*arguments)
        inner = list(state.inner)
        for block, block_state in zip(np.flatnonzero(mask).tolist(), states, strict=True):
            inner[block] = block_state
        return fill(moved, arguments[2]), FrozenState(new, tuple(inner), before, after), value

    def prepare(
        self,
        mask: NDArray[np.bool_],
        params: PyTree,
        state: FrozenState,
        args: tuple[Any, ...] = (),
    ) -> tuple[Any, tuple[Any, ...]]:
        """Return the step of a set under `jax.jit`, and its arguments."""
        name = mask.tobytes()
        if name not in self._steps:
            self._steps[name] = self._compile(mask)
        active, frozen = self.labels.split(params, mask)
        inner = tuple(state.inner[block] for block in np.flatnonzero(mask).tolist())
        return self._steps[name], (active, (state.before, inner, state.after), frozen, args)

    def _compile(self, mask: NDArray[np.bool_]) -> Any:
        """One set of blocks as a compiled function that returns (value, active, states)."""
        gradient_of = partial_value_and_grad(self.loss, self.labels, mask, has_aux=self.has_aux)
        blocks = np.flatnonzero(mask).tolist()

        def step(active: PyTree, states: Any, frozen: PyTree, args: Any) -> Any:
            params = fill(active, frozen)
            value, gradient = gradient_of(params, *args)
            extra = {"value": value[0] if self.has_aux else value}
            before, inner, after = states
            gradient, before = self.before.update(gradient, before, active, **extra)
            updates, inner = _update_blocks(
                self.inner,
                self.labels,
                self.draws.schedule,
                blocks,
                gradient,
                inner,
                params,
                extra,
            )
            updates, after = self.after.update(updates, after, active, **extra)
            return value, optax.apply_updates(active, updates), (before, inner, after)

        return jax.jit(step, donate_argnums=(0, 1) if self.donate else ())


def make_rpt_steps(
    loss: Loss,
    labels: Labels,
    schedule: Schedule | ArrayLike,
    inner: Any,
    *,
    key: jax.Array | int = 0,
    has_aux: bool = False,
    before: Any = None,
    after: Any = None,
    per_block: bool = False,
    donate: bool = False,
) -> RptSteps:
    """Return steps that differentiate and update active blocks only.

    Parameters
    ----------
    loss : callable
        loss(params, *args), a scalar (or (scalar, aux) with `has_aux`).
    labels, schedule, inner, key, per_block
        As for `rpt`.
    before, after : optax.GradientTransformation, optional
        See the gradient of all active blocks before it is scaled, and their updates: the place of
        clipping by a global norm, and of a learning rate that follows the number of steps. They
        receive the loss as `value`.
    donate : bool
        Let a step overwrite the parameters and states it was given, which must not be used again.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from rpttheory.networks import label_blocks
    >>> params = {"a": jnp.ones(2), "b": jnp.ones(3)}
    >>> steps = make_rpt_steps(
    ...     lambda p: jnp.sum(p["a"] ** 2) + jnp.sum(p["b"] ** 2),
    ...     label_blocks(params, lambda path: path), [1.0, 0.5], optax.sgd(0.25),
    ... )
    >>> params, state, value = steps(params, steps.init(params))
    >>> float(value), params["a"].tolist()
    (5.0, [0.5, 0.5])
    """
    if not callable(loss):
        raise InvalidInput(
            "must be a function", type(loss).__name__, "loss(params, batch)", argument="loss"
        )
    return RptSteps(
        loss,
        labels,
        make_draws(labels, schedule, key),
        _check_transformation(before or optax.identity(), "before"),
        _check_inner(inner, per_block),
        _check_transformation(after or optax.identity(), "after"),
        has_aux,
        donate,
    )
