"""Steps that really save work: only active blocks are differentiated, one compiled step per set of
blocks.

A branch around the loss inside one compiled step (`lax.switch`, `lax.cond`, `lax.scan`) would be
more compact, but XLA's CPU backend runs convolutions inside branches many times slower than
outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput
from .draws import Draw
from .inner import require_inner, require_transformation
from .loss import Loss, checked_loss
from .pytree import Labels, PyTree, require_labels
from .schedules import GivenOrder
from .transform import Counter, FrozenState, RptState, block_update, make_counter


class Around(NamedTuple):
    """The transformations of a step: of all active gradients, of one block's, and of all active
    updates.
    """

    before: Any
    inner: Any
    after: Any


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
    checked = checked_loss(loss, has_aux)

    def value_and_grad(params: PyTree, *args: Any, **kwargs: Any) -> tuple[Any, PyTree]:
        leaves, blocks, structure = labels.match(params)
        chosen = [bool(mask[block]) for block in blocks]

        def of_active(own: list[Any]) -> Any:
            waiting = iter(own)
            merged = [
                next(waiting) if on else leaf for on, leaf in zip(chosen, leaves, strict=True)
            ]
            return checked(jax.tree_util.tree_unflatten(structure, merged), *args, **kwargs)

        own = [leaf for on, leaf in zip(chosen, leaves, strict=True) if on]
        value, gradient = (
            jax.value_and_grad(of_active, has_aux=has_aux)(own) if own else (of_active(own), [])
        )
        waiting = iter(gradient)
        merged = [next(waiting) if on else optax.MaskedNode() for on in chosen]
        return value, jax.tree_util.tree_unflatten(structure, merged)

    return value_and_grad


def outcome_step(
    loss: Loss,
    labels: Labels,
    factors: NDArray[np.float64],
    around: Around,
    mask: NDArray[np.bool_],
    *,
    has_aux: bool,
    donate: bool = False,
) -> Any:
    """One set of blocks as a compiled function (active, frozen, states, args, kwargs) -> (value,
    active, states).

    `active` and `frozen` are the parameters with holes in place of the others; frozen ones pass by.
    `states` are those of `before`, of each active block, and of `after`.
    """
    gradient_of = partial_value_and_grad(loss, labels, mask, has_aux=has_aux)
    chosen = np.flatnonzero(mask).tolist()

    def step(
        active: PyTree, states: Any, frozen: PyTree, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        params = filled(active, frozen)
        value, gradient = gradient_of(params, *args, **kwargs)
        extra = {"value": value[0] if has_aux else value}
        before, inner, after = states
        gradient, before = around.before.update(gradient, before, active, **extra)
        moved = gradient
        new = []
        for block, state in zip(chosen, inner, strict=True):
            update, state = block_update(
                around.inner, labels, factors, block, gradient, state, params, extra
            )
            moved = filled(update, moved)
            new.append(state)
        updates, after = around.after.update(moved, after, active, **extra)
        return value, optax.apply_updates(active, updates), (before, tuple(new), after)

    return jax.jit(step, donate_argnums=(0, 1) if donate else ())


class RptSteps:
    """Training steps of RPT or PT, compiled lazily, one per set of active blocks. Made by
    `make_rpt_steps`.

    The state is that of `rpt(inner, ...)`, with what `before` and `after` remember: both walk the
    same path from the same state.
    """

    def __init__(
        self,
        loss: Loss,
        labels: Labels,
        counter: Counter,
        around: Around,
        has_aux: bool,
        donate: bool,
    ):
        self.loss = loss
        self.labels = labels
        self.draw = counter.draw
        self._counter = counter
        self._around = around
        self._options = {"has_aux": has_aux, "donate": donate}
        self._advance = jax.jit(counter.advance)
        self._steps: dict[tuple[bytes, tuple[tuple[str, Any], ...]], Any] = {}

    def init(self, params: PyTree) -> FrozenState:
        """The state before the first step."""
        self.labels.require_shapes(params)
        inner = tuple(
            self._around.inner.init(self.labels.only(params, block))
            for block in range(self.labels.count)
        )
        before, after = (self._outside(name, params) for name in ("before", "after"))
        return FrozenState(self._counter.start(), inner, before, after)

    def _outside(self, name: str, params: PyTree) -> Any:
        """The state of `before` or `after`; the active blocks change, so it may hold nothing per
        parameter.
        """
        transformation = getattr(self._around, name)
        alone, together = (
            jax.tree.map(
                lambda leaf: (leaf.shape, leaf.dtype), jax.eval_shape(transformation.init, tree)
            )
            for tree in (self.labels.only(params, 0), params)
        )
        if self.labels.count > 1 and alone != together:
            raise InvalidInput(
                "must remember nothing of single parameters",
                "a state that is shaped like params",
                "momentum and the like belong to inner",
                argument=name,
            )
        return transformation.init(params)

    @property
    def compiled(self) -> tuple[tuple[bool, ...], ...]:
        """The sets of blocks compiled so far."""
        return tuple(
            dict.fromkeys(
                tuple(np.frombuffer(mask, dtype=np.bool_).tolist()) for mask, _ in self._steps
            )
        )

    def __call__(
        self, params: PyTree, state: FrozenState, *args: Any, **kwargs: Any
    ) -> tuple[PyTree, FrozenState, Any]:
        """Draw a set, update its blocks, and return (params, state, value of the loss before the
        step).

        All that follows the state goes to the loss. A keyword that is text, a truth value, None or
        a function is a constant of the compiled step.
        """
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(state)):
            raise InvalidInput(
                "steps cannot be compiled as a whole: which blocks are active decides what is"
                " computed",
                "a call inside jax.jit, vmap, grad or scan",
                "steps(params, state, ...) as it is, compiled for each set; or rpt(inner, labels,"
                " p) inside jax.jit",
            )
        new: RptState = self._advance(state.rpt)
        # Waits for the draw alone, which depends on no gradient.
        mask = np.asarray(new.active)
        step, arguments, frozen = self.prepared(mask, params, state, args, kwargs)
        value, moved, (before, states, after) = step(*arguments)
        inner = list(state.inner)
        for block, own in zip(np.flatnonzero(mask).tolist(), states, strict=True):
            inner[block] = own
        return filled(moved, frozen), FrozenState(new, tuple(inner), before, after), value

    def prepared(
        self,
        mask: NDArray[np.bool_],
        params: PyTree,
        state: FrozenState,
        args: Any,
        kwargs: dict[str, Any],
    ) -> tuple[Any, tuple[Any, ...], PyTree]:
        """The compiled step of a set, its arguments, and the parameters that pass it by."""
        fixed = tuple(
            sorted((name, value) for name, value in kwargs.items() if _is_constant(value))
        )
        step = self._steps.get((mask.tobytes(), fixed))
        if step is None:
            loss = partial(self.loss, **dict(fixed)) if fixed else self.loss
            step = outcome_step(
                loss, self.labels, self.draw.factors, self._around, mask, **self._options
            )
            self._steps[mask.tobytes(), fixed] = step
        active, frozen = split(self.labels, params, mask)
        states = (
            state.before,
            tuple(state.inner[block] for block in np.flatnonzero(mask).tolist()),
            state.after,
        )
        moving = {name: value for name, value in kwargs.items() if not _is_constant(value)}
        return step, (active, states, frozen, args, moving), frozen


def make_rpt_steps(
    loss: Loss,
    labels: Labels,
    schedule: Draw | ArrayLike,
    inner: Any,
    *,
    key: jax.Array | int = 0,
    costs: ArrayLike | None = None,
    overhead: float = 0.0,
    order: GivenOrder | None = None,
    has_aux: bool = False,
    before: Any = None,
    after: Any = None,
    per_block: bool = False,
    donate: bool = False,
) -> RptSteps:
    """Steps that differentiate and update active blocks only.

    Parameters
    ----------
    loss : callable
        loss(params, *args, **kwargs), a scalar (or (scalar, aux) with `has_aux`).
    labels, schedule, key, costs, overhead, order
        As for `scale_by_rpt`.
    inner, per_block
        As for `rpt`: sees the scaled gradient of the active blocks, one by one.
    before, after : optax.GradientTransformation, optional
        See the gradient of all active blocks before it is scaled, and their updates: the place of
        clipping by a global norm, and of a learning rate that follows the number of steps. They are
        given the loss as `value`.
    donate : bool
        Let a step write over the parameters and states it was given, which must not be used again.

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
    checked_loss(loss)
    counter = make_counter(labels, schedule, key=key, costs=costs, overhead=overhead, order=order)
    outside = (optax.identity() if one is None else one for one in (before, after))
    first, last = (
        require_transformation(one, name)
        for one, name in zip(outside, ("before", "after"), strict=True)
    )
    return RptSteps(
        loss, labels, counter, Around(first, require_inner(inner, per_block), last), has_aux, donate
    )


def split(labels: Labels, params: PyTree, mask: NDArray[np.bool_]) -> tuple[PyTree, PyTree]:
    """The parameters of the active blocks and those of the rest, each with holes for the other."""
    leaves, blocks, structure = labels.match(params)
    hole = optax.MaskedNode()
    parts = [
        jax.tree_util.tree_unflatten(
            structure,
            [
                leaf if bool(mask[k]) is side else hole
                for leaf, k in zip(leaves, blocks, strict=True)
            ],
        )
        for side in (True, False)
    ]
    return parts[0], parts[1]


def filled(tree: PyTree, other: PyTree) -> PyTree:
    """`tree` with its holes filled from `other`."""
    return jax.tree.map(
        lambda own, rest: rest if isinstance(own, optax.MaskedNode) else own,
        tree,
        other,
        is_leaf=lambda node: isinstance(node, optax.MaskedNode),
    )


def _is_constant(value: Any) -> bool:
    plain = value is None or isinstance(value, (bool, str))
    return plain or (callable(value) and jax.tree.leaves(value) == [value])
