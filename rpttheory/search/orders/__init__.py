"""The least c_M over probabilities and over the orders of the blocks."""

from .search import EXACT_BLOCKS, solve

__all__ = ["EXACT_BLOCKS", "solve"]
