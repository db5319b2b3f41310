"""The samplings that have a name: in `--sampling`, in `Problem` and in `attack --where`."""

from typing import Any

from ...errors import InvalidInput
from .base import Sampling
from .independent import IndependentSampling
from .nested import NestedSampling
from .single_block import SingleBlockSampling

KINDS: dict[str, type[Sampling]] = {
    kind.name: kind for kind in (NestedSampling, IndependentSampling, SingleBlockSampling)
}


def kind_named(name: str) -> type[Sampling]:
    """Return the class of samplings of that name; raise InvalidInput if there is none."""
    if name not in KINDS:
        raise InvalidInput(
            "is unknown", repr(name), "one of " + ", ".join(KINDS), argument="sampling"
        )
    return KINDS[name]


def sampling_named(name: str, probabilities: Any) -> Sampling:
    """Return the sampling of that name with the given marginals."""
    return kind_named(name)(probabilities)
