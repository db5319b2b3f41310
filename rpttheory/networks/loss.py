"""A user's loss: checked for what it is and what it returns, and its errors told in three lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..errors import InvalidInput
from .pytree import PyTree, described

Loss = Callable[..., Any]


def checked_loss(loss: Loss, has_aux: bool = False) -> Loss:
    """The loss, refusing at trace time anything but a real floating-point scalar."""
    if not callable(loss):
        raise InvalidInput("loss must be a function", type(loss).__name__, "loss(params, batch)")

    def checked(*args: Any, **kwargs: Any) -> Any:
        try:
            result = loss(*args, **kwargs)
        except InvalidInput:
            raise
        except Exception as error:
            # Inside a step the traceback is one of JAX; the cause stays attached.
            raise InvalidInput(
                "the loss cannot be computed at params",
                described(error),
                "loss(params, *args) alone first",
            ) from error
        if has_aux and not (isinstance(result, tuple) and len(result) == 2):
            raise InvalidInput(
                "with has_aux the loss must return a pair", type(result).__name__, "(value, aux)"
            )
        value = result[0] if has_aux else result
        real = hasattr(value, "dtype") and jnp.issubdtype(value.dtype, jnp.floating)
        if not real or value.shape != ():
            kind = (
                f"dtype {value.dtype}, shape {value.shape}"
                if hasattr(value, "dtype")
                else type(value).__name__
            )
            raise InvalidInput(
                "the loss must be a floating-point scalar", kind, "the mean over the batch"
            )
        return result

    return checked


def scalar_loss(loss: Loss, has_aux: bool) -> Callable[[PyTree, tuple[Any, ...]], Any]:
    """The value alone as a function of the parameters and of all other arguments."""

    def value(params: PyTree, args: tuple[Any, ...]) -> Any:
        result = checked_loss(loss, has_aux)(params, *args)
        return result[0] if has_aux else result

    return value


def require_finite_loss(loss: Loss, params: PyTree, *args: Any) -> float:
    """The value of the loss at the point; an error unless it is a finite scalar."""
    value = float(jax.jit(checked_loss(loss))(params, *args))
    if not np.isfinite(value):
        raise InvalidInput(
            "the loss must be finite at params", f"{value}", "other parameters, or another batch"
        )
    return value
