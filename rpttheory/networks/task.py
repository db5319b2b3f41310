"""A loss at a point, with blocks: what costs, curvature and advice are about."""

from __future__ import annotations

import importlib
import os
import runpy
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np

from ..errors import InvalidInput, one_line
from .blocks import Labels, PyTree, label_blocks

Loss = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Task:
    """A loss at a point, with blocks.

    Parameters
    ----------
    loss : callable
        loss(params, batch, *args), a scalar (or (scalar, aux) with `has_aux`).
    params : pytree
    batch : pytree
        Any value that the loss takes.
    labels : Labels, callable or pytree
        As for `label_blocks`.
    model, criterion : callable, optional
        The loss in two parts, criterion(model(params, batch), batch), with a criterion that is
        convex in the outputs. With them curvature is the generalized Gauss-Newton matrix, which is
        positive semidefinite; without, the Hessian.
    name : str
        For titles.
    args : tuple
        Arguments of the loss after the batch.
    has_aux : bool
        True if the loss returns a pair, of which the first is the scalar.
    inner : optax.GradientTransformation, optional
        The optimizer whose steps are measured; SGD by default. The model problem is SGD's.
    """

    loss: Loss
    params: PyTree = field(repr=False)
    batch: Any = field(repr=False)
    labels: Any
    model: Callable[[PyTree, Any], Any] | None = None
    criterion: Callable[[Any, Any], Any] | None = None
    name: str = ""
    args: tuple[Any, ...] = field(default=(), repr=False)
    has_aux: bool = False
    inner: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if (self.model is None) != (self.criterion is None):
            raise InvalidInput(
                "must come with the criterion", "one of the two", "both", argument="model"
            )
        if not isinstance(self.labels, Labels):
            object.__setattr__(self, "labels", label_blocks(self.params, self.labels))
        self.labels.require_shapes(self.params)

    @property
    def data(self) -> tuple[Any, ...]:
        """The arguments of the loss after the parameters."""
        return self.batch, *self.args

    def value(self) -> float:
        """Return the loss at the parameters; raise InvalidInput unless it is a finite real
        scalar.
        """
        try:
            result = jax.jit(self.loss)(self.params, *self.data)
        except Exception as error:
            raise InvalidInput(
                "cannot be computed at params",
                one_line(error),
                "loss(params, batch, *args) alone first",
                argument="loss",
            ) from error
        value = result[0] if self.has_aux and isinstance(result, tuple) else result
        scalar = getattr(value, "shape", None) == () and jnp.issubdtype(value.dtype, jnp.floating)
        if not scalar or (self.has_aux and value is result):
            raise InvalidInput(
                "must return a floating-point scalar, with has_aux a pair (scalar, aux)",
                repr(jax.tree.map(lambda leaf: (str(leaf.dtype), leaf.shape), result))[:80],
                "the mean over the batch",
                argument="loss",
            )
        if not np.isfinite(float(value)):
            raise InvalidInput(
                "must be finite at params",
                f"{float(value)}",
                "other parameters, or another batch",
                argument="loss",
            )
        return float(value)

    @classmethod
    def load(cls, target: str) -> Self:
        """Import MODULE:FACTORY, call the factory and check its result.

        MODULE is a dotted name, looked for in the current folder as well, or the path of a file.
        """
        module, _, factory = target.rpartition(":")
        if not (module and factory.isidentifier()):
            raise InvalidInput(
                "must be a module and a function, with a colon between them",
                repr(target),
                "examples/mlp_digits.py:make",
                argument="factory",
            )
        try:
            if module.endswith(".py"):
                # As `python FILE.py` does: the file may import its neighbors.
                sys.path.insert(0, str(Path(module).absolute().parent))
                names = runpy.run_path(module, run_name=Path(module).stem)
            else:
                sys.path.insert(0, os.getcwd())
                names = vars(importlib.import_module(module))
            result = names[factory]()
            if isinstance(result, cls):
                return result
            loss, params, batch, labels = result
        except InvalidInput:
            raise
        except (Exception, SystemExit) as error:
            raise InvalidInput(
                f"could not be loaded: {target}",
                one_line(error),
                "a function without arguments that returns (loss, params, batch, labels) or"
                " rpttheory.networks.Task(...)",
                argument="factory",
            ) from error
        return cls(loss, params, batch, labels, name=target)
