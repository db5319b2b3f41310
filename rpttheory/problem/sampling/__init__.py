"""Random sets of blocks: which blocks one step of the method updates.

A sampling is a distribution over sets of blocks. Its marginals are taken as exactly the floats
stored, so that marginals, pair probabilities, support and expected cost describe one distribution
without rounding. Probabilities are per block throughout; the order of a nested sampling follows
from them.
"""

from .base import BoolArray, Outcome, Sampling
from .explicit import ExplicitSampling
from .independent import IndependentSampling
from .named import sampling_named
from .nested import NestedSampling
from .single_block import SingleBlockSampling

__all__ = [
    "BoolArray",
    "ExplicitSampling",
    "IndependentSampling",
    "NestedSampling",
    "Outcome",
    "Sampling",
    "SingleBlockSampling",
    "sampling_named",
]
