"""Families of matrices."""

from .tight import block_diagonal_matrix, tight_matrix

__all__ = ["block_diagonal_matrix", "tight_matrix"]
