"""Functions to minimise, with gradients by blocks and the constants that the theorems need."""

from .linear_model import LinearModel
from .logistic import Logistic
from .protocol import Objective, Tracker, as_number, check_point
from .quadratic import Quadratic
from .ridge import Ridge
from .robust import Robust

__all__ = [
    "LinearModel",
    "Logistic",
    "Objective",
    "Quadratic",
    "Ridge",
    "Robust",
    "Tracker",
    "as_number",
    "check_point",
]
