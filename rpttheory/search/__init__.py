"""The certified optimum of c(P) and c_M, and comparisons of choices of probabilities with it."""

from .comparison import Choice, Comparison, compare
from .optimal import optimal_probabilities, optimum
from .result import SearchResult
from .samplings import SamplingComparison, SamplingCost, compare_samplings

__all__ = [
    "Choice",
    "Comparison",
    "SamplingComparison",
    "SamplingCost",
    "SearchResult",
    "compare",
    "compare_samplings",
    "optimal_probabilities",
    "optimum",
]
