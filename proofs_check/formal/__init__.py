"""The core theorems in Coq, and a check that they compile without axioms and still say what was recorded."""

from .compile import Formality, Theorems, coqc, formal_status, recorded, user_cache
from .theorems import FORMAL, Formal

__all__ = ["FORMAL", "Formal", "Formality", "Theorems", "coqc", "formal_status", "recorded", "user_cache"]
