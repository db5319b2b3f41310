"""Methods with one run loop and one trace."""

from __future__ import annotations

from .gradient_descent import GradientDescent
from .grid import Every, Geometric, Grid
from .method import Method, Problem
from .rpt import RPT
from .run import RunResult, run
from .sketched import Sketched
from .trace import Record, Trace

__all__ = [
    "RPT",
    "Every",
    "Geometric",
    "GradientDescent",
    "Grid",
    "Method",
    "Problem",
    "Record",
    "RunResult",
    "Sketched",
    "Trace",
    "run",
]
