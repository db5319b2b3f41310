"""Functions to minimize, with gradients by blocks and the constants that the theorems need."""

from .linear import LinearModel, Logistic, Ridge, Robust
from .objective import Action, Objective, ProductCache
from .quadratic import Quadratic

__all__ = [
    "Action",
    "LinearModel",
    "Logistic",
    "Objective",
    "ProductCache",
    "Quadratic",
    "Ridge",
    "Robust",
]
