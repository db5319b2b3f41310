"""Exact input, brackets whose every rounding is accounted for, and verdicts on them."""

from .arithmetic_guard import arithmetic_is_sound, arithmetic_problem
from .bracket import Bracket
from .exact_array import ExactArray, FloatArray, exact_array, exact_number
from .verdict import Rigor, Verdict

__all__ = [
    "Bracket",
    "ExactArray",
    "FloatArray",
    "Rigor",
    "Verdict",
    "arithmetic_is_sound",
    "arithmetic_problem",
    "exact_array",
    "exact_number",
]
