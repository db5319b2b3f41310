"""Methods with one run loop and one trace."""

from .accelerated import Accelerated
from .cyclic import CyclicBlockDescent
from .expectation import Moments, exact_moments, exact_second_moments
from .gradient_descent import GradientDescent
from .grid import Every, Geometric, Grid
from .method import Method, Setting
from .progressive import ProgressiveTraining
from .random_block import RandomBlockDescent
from .result import RunResult
from .rpt import RPT
from .run import run
from .sketched import Sketched
from .trace import Record, Trace

__all__ = [
    "RPT",
    "Accelerated",
    "CyclicBlockDescent",
    "Every",
    "Geometric",
    "GradientDescent",
    "Grid",
    "Method",
    "Moments",
    "ProgressiveTraining",
    "RandomBlockDescent",
    "Record",
    "RunResult",
    "Setting",
    "Sketched",
    "Trace",
    "exact_moments",
    "exact_second_moments",
    "run",
]
