"""Samplings by the names that the command line knows."""

from __future__ import annotations

from typing import Any

from ...errors import InvalidInput
from .independent import IndependentSampling
from .nested import NestedSampling
from .protocol import Sampling
from .single_block import SingleBlockSampling


def sampling_named(name: str, probabilities: Any) -> Sampling:
    """The sampling called 'nested', 'independent' or 'single' with the given marginals."""
    if name == "nested":
        return NestedSampling(probabilities)
    if name == "independent":
        return IndependentSampling(probabilities)
    if name == "single":
        return SingleBlockSampling(probabilities)
    raise InvalidInput("unknown sampling", repr(name), "nested, independent or single")
