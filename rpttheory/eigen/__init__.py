"""Certified bounds of lambda_max: dense, sparse, Gram and exact rational matrices."""

from .lambda_max import bracket_lambda_max, bracket_lambda_max_of_diagonal, prove_psd
from .pencil import EntrywiseMatrix

__all__ = [
    "EntrywiseMatrix",
    "bracket_lambda_max",
    "bracket_lambda_max_of_diagonal",
    "prove_psd",
]
