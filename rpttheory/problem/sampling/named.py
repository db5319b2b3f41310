"""The samplings that have a name: in `--sampling`, in `Problem` and in `attack --where`."""

from ...errors import InvalidInput
from ...numbers.exact_array import Numbers
from .base import Sampling
from .independent import IndependentSampling
from .nested import NestedSampling
from .single_block import SingleBlockSampling

NAMED_SAMPLINGS: dict[str, type[Sampling]] = {
    kind.name: kind for kind in (NestedSampling, IndependentSampling, SingleBlockSampling)
}


def kind_named(name: str) -> type[Sampling]:
    """Return the class of samplings of that name; raise InvalidInput if there is none."""
    if name not in NAMED_SAMPLINGS:
        raise InvalidInput(
            "is unknown", repr(name), "one of " + ", ".join(NAMED_SAMPLINGS), argument="sampling"
        )
    return NAMED_SAMPLINGS[name]


def sampling_named(name: str, probabilities: Numbers) -> Sampling:
    """Return the sampling of that name with the given marginals.

    Parameters
    ----------
    name : {"nested", "independent", "single"}
    probabilities : array
        One per block.

    Returns
    -------
    Sampling

    Examples
    --------
    >>> sampling_named("independent", [0.5, 1.0]).marginals.fractions()
    [Fraction(1, 2), Fraction(1, 1)]
    """
    return kind_named(name)(probabilities)
