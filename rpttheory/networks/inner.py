"""Transformations that users hand over: what may stand inside, where every block is updated
alone.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]

from ..errors import InvalidInput


def require_transformation(given: Any, name: str = "inner") -> Any:
    """An optax transformation, ready for extra arguments."""
    if not isinstance(given, optax.GradientTransformation):
        raise InvalidInput(
            "must be an optax transformation",
            repr(given)[:80],
            "such as optax.sgd(0.1)",
            argument=name,
        )
    return optax.with_extra_args_support(given)


def require_inner(inner: Any, per_block: bool) -> Any:
    """The inner transformation; unless `per_block`, one that does to two arrays what it does to
    each alone.
    """
    optimizer = require_transformation(inner)
    try:
        # Gradients so large that whatever clips does so, and none at all, where only noise is left.
        state, apart = _apart(optimizer, (1e15, 0.0))
    except TypeError as error:
        if "keyword-only" not in str(error):
            return optimizer
        raise InvalidInput(
            "inner asks for more than a gradient and the loss",
            str(error),
            "optax.lbfgs(linesearch=None) with per_block=True",
        ) from None
    except Exception:
        # One that is made for the user's tree alone, such as a mask, speaks up when it meets
        # another.
        return optimizer
    if per_block:
        return optimizer
    if any(_follows_steps(node) for node in jax.tree.leaves(state, is_leaf=_follows_steps)):
        raise InvalidInput(
            "a learning rate that follows the steps would follow each block's own updates inside",
            "a schedule in inner",
            "after=optax.scale_by_learning_rate(f), in a chain behind rpt; or per_block=True",
        )
    if not apart:
        raise InvalidInput(
            "inner must do to a block what it does beside others",
            "updates that depend on all blocks, such as clipping by a global norm, or noise",
            "before=optax.clip_by_global_norm(1.0), in a chain ahead of rpt; or per_block=True",
        )
    return optimizer


def _apart(optimizer: Any, scales: tuple[float, ...]) -> tuple[Any, bool]:
    """A state, and whether two arrays are updated as each of them is alone, for gradients of these
    sizes.
    """

    @jax.jit
    def answers(scale: jax.Array) -> Any:
        params = {"a": jnp.ones(2), "b": jnp.ones(3)}
        gradient = {"a": jnp.full(2, 3.0) * scale, "b": jnp.ones(3) * scale}
        found = []
        for masked in ({}, {"b": optax.MaskedNode()}, {"a": optax.MaskedNode()}):
            near = {**params, **masked}
            found.append(
                optimizer.update({**gradient, **masked}, optimizer.init(near), near, value=scale)
            )
        (together, state), (first, _), (second, _) = found
        return state, ((together["a"], first["a"]), (together["b"], second["b"]))

    told = [answers(jnp.float32(scale)) for scale in scales]
    pairs = [pair for _, own in told for pair in own]
    return told[0][0], all(
        np.allclose(one, other, rtol=1e-4, atol=0, equal_nan=True) for one, other in pairs
    )


def _follows_steps(node: Any) -> bool:
    """Whether a part of a state belongs to a schedule."""
    named = type(node).__name__ in ("ScaleByScheduleState", "ReduceLROnPlateauState")
    return named or bool(getattr(node, "hyperparams_states", None))
