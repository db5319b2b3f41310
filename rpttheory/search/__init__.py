"""The certified global optimum of c(P), by routes that know nothing of one another."""

from .optimal import optimal_probabilities
from .result import SearchResult

__all__ = ["SearchResult", "optimal_probabilities"]
