"""Functions to minimise, with gradients by blocks and the constants that the theorems need."""

from __future__ import annotations

from .linear_model import LinearModel
from .protocol import Objective, Tracker, check_point
from .quadratic import Quadratic
from .ridge import Ridge

__all__ = ["LinearModel", "Objective", "Quadratic", "Ridge", "Tracker", "check_point"]
