"""The optional oracle PEPit: worst cases of the rates over whole classes of functions, as
independent evidence.
"""

from .comparison import Comparison, comparisons, sharp_factor
from .worst_case import EXAMPLES, example, uniform_coordinate, worst_average, worst_step

__all__ = [
    "EXAMPLES",
    "Comparison",
    "comparisons",
    "example",
    "sharp_factor",
    "uniform_coordinate",
    "worst_average",
    "worst_step",
]
