"""A network to be advised on, and how a user's factory hands it over."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from .loss import Loss, checked_loss
from .pytree import Labels, PyTree, described, label_blocks

_RETURNS = "(loss, params, batch, labels) or rpttheory.networks.Task(...)"


@dataclass(frozen=True, eq=False)
class Task:
    """A loss at a point, with blocks.

    Parameters
    ----------
    loss : callable
        loss(params, batch, *args), a scalar (or (scalar, aux) with `has_aux`).
    params : pytree
    batch : pytree
        Whatever the loss takes.
    labels : Labels, callable or pytree
        As for `label_blocks`.
    model, criterion : callable, optional
        The loss in two parts, criterion(model(params, batch), batch). With them curvature is the
        generalised Gauss-Newton matrix, which is positive semidefinite; without, the Hessian.
    name : str
        For titles.
    args : tuple
        What the loss takes after the batch.
    has_aux : bool
        Whether the loss returns a pair, of which the first is the scalar.
    """

    loss: Loss
    params: PyTree = field(repr=False)
    batch: Any = field(repr=False)
    labels: Labels
    model: Callable[[PyTree, Any], Any] | None = None
    criterion: Callable[[Any, Any], Any] | None = None
    name: str = ""
    args: tuple[Any, ...] = field(default=(), repr=False)
    has_aux: bool = False

    def __init__(
        self,
        loss: Loss,
        params: PyTree,
        batch: Any,
        labels: Labels | Callable[[str], str] | PyTree,
        model: Callable[[PyTree, Any], Any] | None = None,
        criterion: Callable[[Any, Any], Any] | None = None,
        name: str = "",
        args: tuple[Any, ...] = (),
        has_aux: bool = False,
    ) -> None:
        checked_loss(loss)
        if (model is None) != (criterion is None):
            missing = "criterion" if criterion is None else "model"
            raise InvalidInput(
                "model and criterion belong together", f"no {missing}", "both, or neither"
            )
        known = labels if isinstance(labels, Labels) else label_blocks(params, labels)
        known.require_shapes(params)
        values = (loss, params, batch, known, model, criterion, name, tuple(args), has_aux)
        for attribute, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, attribute, value)


def load_task(target: str) -> Task:
    """Import MODULE:FACTORY, call the factory and check what it returns.

    MODULE is a dotted name, looked for in the current folder as well, or the path of a file.
    """
    module_name, colon, factory_name = target.rpartition(":")
    if not (colon and module_name and factory_name.isidentifier()):
        raise InvalidInput(
            "the factory must be given as MODULE:FACTORY",
            repr(target),
            "examples/mlp_digits.py:make",
        )
    module = _module(module_name)
    factory = getattr(module, factory_name, None)
    if not callable(factory):
        found = (
            "no such name"
            if factory is None
            else f"{factory_name} is of type {type(factory).__name__}"
        )
        raise InvalidInput(
            f"{module_name} has no function {factory_name}", found, "the name of a function in it"
        )
    try:
        made = factory()
    except InvalidInput:
        raise
    except (Exception, SystemExit) as error:
        raise InvalidInput(
            f"{target} could not be called", described(error), "a function without arguments"
        ) from error
    if isinstance(made, Task):
        return made
    if not (isinstance(made, (tuple, list)) and len(made) == 4):
        count = f" of {len(made)}" if isinstance(made, (tuple, list)) else ""
        raise InvalidInput(
            f"{target} returned the wrong things", f"a {type(made).__name__}{count}", _RETURNS
        )
    loss, params, batch, labels = made
    return Task(loss, params, batch, labels, name=target)


def _module(name: str) -> Any:
    path = Path(name)
    try:
        if path.suffix == ".py":
            if not path.is_file():
                raise InvalidInput(
                    "the factory's file does not exist", name, "an existing .py file"
                )
            spec = importlib.util.spec_from_file_location(path.stem, path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules.setdefault(path.stem, module)
            spec.loader.exec_module(module)
            return module
        if os.getcwd() not in sys.path:
            sys.path.insert(0, os.getcwd())
        return importlib.import_module(name)
    except InvalidInput:
        raise
    except (Exception, SystemExit) as error:
        raise InvalidInput(
            f"the factory's module {name!r} cannot be imported",
            described(error),
            "run it with Python alone first",
        ) from error
