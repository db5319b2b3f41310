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
    from .advice import Advice as Advice
    from .advice import Unfinished as Unfinished
    from .advice import advise as advise
    from .curvature import Curvature as Curvature
    from .curvature import ggn_operator as ggn_operator
    from .curvature import hvp_operator as hvp_operator
    from .curvature import measure_curvature as measure_curvature
    from .draws import Progressive as Progressive
    from .draws import Randomized as Randomized
    from .priced import CostProfile as CostProfile
    from .profile import profile_costs as profile_costs
    from .pytree import Labels as Labels
    from .pytree import label_blocks as label_blocks
    from .recommendation import Recommendation as Recommendation
    from .running import hold_statistics as hold_statistics
    from .schedules import exponential as exponential
    from .schedules import linear as linear
    from .schedules import progfed_schedule as progfed_schedule
    from .stepcost import Counts as Counts
    from .stepcost import program_counts as program_counts
    from .stepcost import step_counts as step_counts
    from .steps import RptSteps as RptSteps
    from .steps import make_rpt_steps as make_rpt_steps
    from .steps import partial_value_and_grad as partial_value_and_grad
    from .task import Task as Task
    from .task import load_task as load_task
    from .transform import RptState as RptState
    from .transform import rpt as rpt
    from .transform import scale_by_rpt as scale_by_rpt

_NAMES = {
    "advice": "Advice Unfinished advise",
    "curvature": "Curvature ggn_operator hvp_operator measure_curvature",
    "draws": "Progressive Randomized",
    "priced": "CostProfile",
    "profile": "profile_costs",
    "pytree": "Labels label_blocks",
    "recommendation": "Recommendation",
    "running": "hold_statistics",
    "schedules": "exponential linear progfed_schedule",
    "stepcost": "Counts program_counts step_counts",
    "steps": "RptSteps make_rpt_steps partial_value_and_grad",
    "task": "Task load_task",
    "transform": "RptState rpt scale_by_rpt",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}
_EXTRA = frozenset({"jax", "jaxlib", "optax"})

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
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
