"""A law as a list, and a generator whose uniforms are known."""

from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from rpttheory.problem.sampling import Sampling


def law(sampling: Sampling) -> list[tuple[Fraction, list[int]]]:
    """The support as (probability, blocks)."""
    return [
        (outcome.probability, np.flatnonzero(outcome.active).tolist())
        for outcome in sampling.support()
    ]


def uniforms(values: ArrayLike) -> np.random.Generator:
    """A generator whose next uniforms are the given ones."""

    class Fixed:
        def random(self, size: Any = None) -> Any:
            return np.reshape(np.asarray(values, dtype=np.float64), size)

    return cast(np.random.Generator, Fixed())
