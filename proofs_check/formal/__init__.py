"""The core theorems in Coq, and a check that they compile without axioms and still say what was recorded."""

from .compile import Formality, coqc, formal_status
from .theorems import BEYOND, FORMAL, Formal

__all__ = ["BEYOND", "FORMAL", "Formal", "Formality", "coqc", "formal_status"]
