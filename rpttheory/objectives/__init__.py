"""Functions to minimize, with gradients by blocks and the constants that the theorems need."""

from .linear import LinearModel
from .logistic import Logistic
from .objective import Action, Objective, ProductCache, as_number, check_point, is_whole
from .quadratic import Quadratic
from .ridge import Ridge
from .robust import Robust

__all__ = [
    "Action",
    "LinearModel",
    "Logistic",
    "Objective",
    "ProductCache",
    "Quadratic",
    "Ridge",
    "Robust",
    "as_number",
    "check_point",
    "is_whole",
]
