"""Methods as iterators of steps, and the loop that runs them."""

from .accelerated import NUACDM
from .block_descent import CBCD, RBCD
from .expectation import Moments, exact_moments
from .iterate import Step
from .method import Method, Setting
from .progressive import PT
from .result import Record, RunResult, Trace
from .run import run
from .sketched import GD, RPT, SkGD

__all__ = [
    "CBCD",
    "GD",
    "NUACDM",
    "PT",
    "RBCD",
    "RPT",
    "Method",
    "Moments",
    "Record",
    "RunResult",
    "Setting",
    "SkGD",
    "Step",
    "Trace",
    "exact_moments",
    "run",
]
