"""Samplings by the names that the command line knows."""

from typing import Any

from ...errors import InvalidInput
from .base import Sampling
from .independent import IndependentSampling
from .nested import NestedSampling
from .single_block import SingleBlockSampling

KINDS: dict[str, Any] = {
    "nested": NestedSampling,
    "independent": IndependentSampling,
    "single": SingleBlockSampling,
}


def check_kind(name: str) -> str:
    """Raise on the name of no sampling."""
    if name not in KINDS:
        raise InvalidInput("unknown sampling", repr(name), "nested, independent or single")
    return name


def sampling_named(name: str, probabilities: Any) -> Sampling:
    """The sampling called 'nested', 'independent' or 'single' with the given marginals."""
    sampling: Sampling = KINDS[check_kind(name)](probabilities)
    return sampling
