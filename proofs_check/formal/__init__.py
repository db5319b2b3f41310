"""The core theorems in Coq, and a check that they compile without axioms and still say what was
recorded.
"""

from ..engine.entry import Formality, Theorems
from .compile import coqc, definitions, formal_status, recorded, user_cache

__all__ = [
    "Formality",
    "Theorems",
    "coqc",
    "definitions",
    "formal_status",
    "recorded",
    "user_cache",
]
