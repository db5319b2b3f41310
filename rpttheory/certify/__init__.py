"""Numbers one may rely on: brackets whose every rounding is accounted for, and verdicts on them."""

from .bracket import Bracket
from .eigenvalue import bracket_top, bracket_top_of_diagonal, prove_upper
from .guard import arithmetic_is_sound, arithmetic_problem
from .pencil import Explicit
from .verdict import Rigour, Verdict

__all__ = [
    "Bracket",
    "Explicit",
    "Rigour",
    "Verdict",
    "arithmetic_is_sound",
    "arithmetic_problem",
    "bracket_top",
    "bracket_top_of_diagonal",
    "prove_upper",
]
