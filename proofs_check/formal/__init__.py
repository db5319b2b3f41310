"""The core theorems in Coq, and a check that they compile without axioms and still say what was
recorded.
"""

from .compile import Formality, Theorems, coqc, definitions, formal_status, recorded, user_cache
from .theorems import FORMAL, Count, Formal, counts

__all__ = [
    "FORMAL",
    "Count",
    "Formal",
    "Formality",
    "Theorems",
    "coqc",
    "counts",
    "definitions",
    "formal_status",
    "recorded",
    "user_cache",
]
