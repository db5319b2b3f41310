"""The samplings that have a name: in `--sampling`, in `Problem` and in `attack --where`."""

from ...errors import InvalidInput
from ...numbers.exact_array import FloatArray, Numbers
from .base import Sampling
from .independent import IndependentSampling
from .nested import NestedSampling
from .one_of_each_group import OneOfEachGroup
from .single_block import SingleBlockSampling
from .tau_nice import TauNice

# Samplings that are determined by their probabilities.
NAMED_SAMPLINGS: dict[str, type[Sampling]] = {
    kind.name: kind for kind in (NestedSampling, IndependentSampling, SingleBlockSampling)
}
# Samplings with a number of blocks in each step, named as "tau-nice:3".
BUDGETED = (TauNice.name, OneOfEachGroup.name)


def split_name(name: str) -> tuple[str, int | None]:
    """Return the kind of a sampling and its number of blocks in a step, None if it has none."""
    kind, colon, tau = name.partition(":")
    if kind in NAMED_SAMPLINGS and not colon:
        return kind, None
    if kind in BUDGETED and tau.isdecimal() and len(tau) <= 9:
        return kind, int(tau)
    budgeted = [f"{kind}:2" for kind in BUDGETED]
    raise InvalidInput(
        "must be the name of a sampling",
        repr(name),
        "one of " + ", ".join([*NAMED_SAMPLINGS, *budgeted]),
        argument="sampling",
    )


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
    kind, tau = split_name(name)
    if tau is not None:
        raise InvalidInput(
            f"cannot be combined with the sampling {name}, which fixes all p_k",
            "both",
            "one of the two",
            argument="probabilities",
        )
    return NAMED_SAMPLINGS[kind](probabilities)


def default_sampling(name: str, closed_form: FloatArray, block_L: FloatArray) -> Sampling:
    """Return the sampling of that name with its default probabilities.

    These are proportional to the closed form's, or to L_k within balanced groups.
    """
    kind, tau = split_name(name)
    if tau is None:
        return NAMED_SAMPLINGS[kind].from_closed_form(closed_form)
    if not 1 <= tau <= block_L.size:
        raise InvalidInput(
            f"must name a number of blocks from 1 to {block_L.size}",
            repr(name),
            f"{kind}:1",
            argument="sampling",
        )
    if kind == TauNice.name:
        return TauNice(tau, block_L.size)
    return OneOfEachGroup.balanced(block_L, tau)
