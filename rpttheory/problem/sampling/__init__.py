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
from .one_of_each_group import OneOfEachGroup
from .single_block import SingleBlockSampling
from .tau_nice import TauNice

__all__ = [
    "BoolArray",
    "ExplicitSampling",
    "IndependentSampling",
    "NestedSampling",
    "OneOfEachGroup",
    "Outcome",
    "Sampling",
    "SingleBlockSampling",
    "TauNice",
    "sampling_named",
]
