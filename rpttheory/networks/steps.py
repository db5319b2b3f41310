"""Steps that really save work: only active blocks are differentiated, one compiled step per set of blocks.

A branch around the loss inside one compiled step (`lax.switch`, `lax.cond`, `lax.scan`) would be more
compact, but XLA's CPU backend runs convolutions inside branches many times slower than outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput
from .draws import Draw
from .pytree import Labels, PyTree, described, require_labels
from .schedules import GivenOrder
from .transform import FrozenState, RptState, block_update, make_counter, require_transformation, rpt

Loss = Callable[..., Any]


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

    def value_and_grad(params: PyTree, *args: Any, **kwargs: Any) -> tuple[Any, PyTree]:
        leaves, blocks, structure = labels.match(params)
        chosen = [bool(mask[block]) for block in blocks]

        def of_active(own: list[Any]) -> Any:
            waiting = iter(own)
            merged = [next(waiting) if on else leaf for on, leaf in zip(chosen, leaves, strict=True)]
            return checked_loss(loss, has_aux)(jax.tree_util.tree_unflatten(structure, merged), *args, **kwargs)

        own = [leaf for on, leaf in zip(chosen, leaves, strict=True) if on]
        value, gradient = jax.value_and_grad(of_active, has_aux=has_aux)(own) if own else (of_active(own), [])
        waiting = iter(gradient)
        merged = [next(waiting) if on else optax.MaskedNode() for on in chosen]
        return value, jax.tree_util.tree_unflatten(structure, merged)

    return value_and_grad


def checked_loss(loss: Loss, has_aux: bool = False) -> Loss:
    """The loss, refusing at trace time anything but a real floating-point scalar."""

    def checked(*args: Any, **kwargs: Any) -> Any:
        result = loss(*args, **kwargs)
        if has_aux and not (isinstance(result, tuple) and len(result) == 2):
            raise InvalidInput("with has_aux the loss must return a pair", type(result).__name__, "(value, aux)")
        value = result[0] if has_aux else result
        real = hasattr(value, "dtype") and jnp.issubdtype(value.dtype, jnp.floating)
        if not real or value.shape != ():
            kind = f"dtype {value.dtype}, shape {value.shape}" if hasattr(value, "dtype") else type(value).__name__
            raise InvalidInput("the loss must be a floating-point scalar", kind, "the mean over the batch")
        return result

    return checked


def require_finite_loss(loss: Loss, params: PyTree, batch: Any) -> float:
    """The value of the loss at the point; an error unless it is a finite scalar."""
    try:
        value = float(jax.jit(checked_loss(loss))(params, batch))
    except InvalidInput:
        raise
    except Exception as error:
        raise InvalidInput("the loss cannot be computed at params", described(error), "loss(params, batch)") from error
    if not np.isfinite(value):
        raise InvalidInput("the loss must be finite at params", f"{value}", "other parameters, or another batch")
    return value


def outcome_step(
    loss: Loss, labels: Labels, factors: NDArray[np.float64], optimizer: Any, mask: NDArray[np.bool_], *, has_aux: bool
) -> Callable[..., tuple[Any, PyTree, tuple[Any, ...]]]:
    """One set of blocks as a compiled function (active, frozen, states, args) -> (value, active, states).

    `active` and `frozen` are the parameters with holes in place of the others; frozen ones pass by.
    """
    gradient_of = partial_value_and_grad(loss, labels, mask, has_aux=has_aux)
    chosen = np.flatnonzero(mask).tolist()

    def step(active: PyTree, frozen: PyTree, states: tuple[Any, ...], args: tuple[Any, ...]) -> Any:
        params = filled(active, frozen)
        value, gradient = gradient_of(params, *args)
        new_states, moved = [], active
        for block, state in zip(chosen, states, strict=True):
            update, state = block_update(optimizer, labels, factors, block, gradient, state, params, {})
            moved = filled(optax.apply_updates(labels.only(active, block), update), moved)
            new_states.append(state)
        return value, moved, tuple(new_states)

    return jax.jit(step)


class RptSteps:
    """Training steps of RPT or PT, compiled lazily, one per set of active blocks. Made by `make_rpt_steps`.

    The state is that of `rpt(inner, ...)`: both walk the same path from the same state.
    """

    def __init__(
        self, loss: Loss, labels: Labels, counter: Any, inner: Any, init: Callable[[PyTree], FrozenState], has_aux: bool
    ) -> None:
        self.loss, self.labels, self.draw = loss, labels, counter.draw
        self._optimizer = require_transformation(inner)
        self._init = init
        self._has_aux = has_aux
        self._advance = jax.jit(counter.advance)
        self._steps: dict[bytes, Callable[..., Any]] = {}

    def init(self, params: PyTree) -> FrozenState:
        """The state before the first step."""
        return self._init(params)

    @property
    def compiled(self) -> tuple[tuple[bool, ...], ...]:
        """The sets of blocks compiled so far."""
        return tuple(tuple(np.frombuffer(mask, dtype=np.bool_).tolist()) for mask in self._steps)

    def __call__(self, params: PyTree, state: FrozenState, *args: Any) -> tuple[PyTree, FrozenState, Any]:
        """Draw a set, update its blocks, and return (params, state, value of the loss before the step)."""
        new: RptState = self._advance(state.rpt)
        # Waits for the draw alone, which depends on no gradient.
        mask = np.asarray(new.active)
        step = self._steps.get(mask.tobytes())
        if step is None:
            step = outcome_step(self.loss, self.labels, self.draw.factors, self._optimizer, mask, has_aux=self._has_aux)
            self._steps[mask.tobytes()] = step
        active, frozen = split(self.labels, params, mask)
        chosen = np.flatnonzero(mask).tolist()
        value, moved, states = step(active, frozen, tuple(state.inner[block] for block in chosen), args)
        inner = list(state.inner)
        for block, own in zip(chosen, states, strict=True):
            inner[block] = own
        return filled(moved, frozen), FrozenState(new, tuple(inner)), value


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
) -> RptSteps:
    """Steps that differentiate and update active blocks only.

    Parameters
    ----------
    loss : callable
        loss(params, *args), a scalar (or (scalar, aux) with `has_aux`).
    labels, schedule, key, costs, overhead, order
        As for `scale_by_rpt`.
    inner : optax.GradientTransformation
        Sees the scaled gradient of the active blocks, as in `rpt`.

    Examples
    --------
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
    counter = make_counter(labels, schedule, key=key, costs=costs, overhead=overhead, order=order)
    frozen = rpt(inner, labels, counter.draw, key=key, costs=costs, overhead=overhead)
    return RptSteps(loss, labels, counter, inner, frozen.init, has_aux)


def split(labels: Labels, params: PyTree, mask: NDArray[np.bool_]) -> tuple[PyTree, PyTree]:
    """The parameters of the active blocks and those of the rest, each with holes for the other."""
    leaves, blocks, structure = labels.match(params)
    hole = optax.MaskedNode()
    parts = [
        jax.tree_util.tree_unflatten(
            structure, [leaf if bool(mask[k]) is side else hole for leaf, k in zip(leaves, blocks, strict=True)]
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
