"""RPT and progressive training for JAX models: blocks, transformations, measured costs, curvature,
advice.

The names load on first use, so that importing this package needs neither JAX nor optax; using it
does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtra
from ..machine import install

if TYPE_CHECKING:
    from .advice import advise as advise
    from .blocks import Labels as Labels
    from .blocks import hold_statistics as hold_statistics
    from .blocks import label_blocks as label_blocks
    from .costs import profile_costs as profile_costs
    from .curvature import measure_curvature as measure_curvature
    from .task import Task as Task
    from .training import Progressive as Progressive
    from .training import exponential as exponential
    from .training import make_rpt_steps as make_rpt_steps
    from .training import partial_value_and_grad as partial_value_and_grad
    from .training import rpt as rpt

_NAMES = {
    "advice": "advise",
    "blocks": "Labels hold_statistics label_blocks",
    "costs": "profile_costs",
    "curvature": "measure_curvature",
    "task": "Task",
    "training": "Progressive exponential make_rpt_steps partial_value_and_grad rpt",
}
_MODULE = {name: module for module, names in _NAMES.items() for name in names.split()}
_EXTRA = frozenset({"jax", "jaxlib", "optax"})

__all__ = sorted(_MODULE)


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _EXTRA:
            raise
        raise MissingExtra(
            "rpttheory.networks needs JAX and optax",
            f"no module {missing!r}",
            install("jax"),
        ) from error


def __dir__() -> list[str]:
    return [*globals(), *__all__]
