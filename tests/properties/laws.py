"""Laws of sets of blocks: a sampling of the library, and its outcomes written down here from its
definition.
"""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis.strategies import SearchStrategy

from rpttheory import ExplicitSampling, IndependentSampling, NestedSampling, SingleBlockSampling
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.testing import samplings

from .exact import Outcomes, vector_of


@dataclass(frozen=True, eq=False)
class Law:
    """A sampling of the library, its exact marginals, and its outcomes as its definition gives
    them.
    """

    sampling: Any
    p: tuple[Fraction, ...]
    outcomes: Outcomes

    def __repr__(self) -> str:
        return f"Law({self.sampling!r}, {[(str(q), list(active)) for q, active in self.outcomes]})"


def law_of(sampling: Any) -> Law:
    """The outcomes of a sampling by the definition of its kind."""
    if isinstance(sampling, ExplicitSampling):
        weights = sampling.weights.fractions()
        outcomes: list[Any] = [
            (w / sum(weights), tuple(s))
            for w, s in zip(weights, sampling.active.tolist(), strict=True)
        ]
        marginals = [
            sum((q for q, s in outcomes if s[k]), Fraction(0))
            for k in range(sampling.active.shape[1])
        ]
        return Law(sampling, tuple(marginals), outcomes)
    p = vector_of(sampling.probabilities)
    count = len(p)
    if isinstance(sampling, NestedSampling):
        # `def:PTsketch`: the i largest with probability p_i - p_{i+1}, nothing with probability 1 -
        # p_1.
        order = sorted(range(count), key=lambda k: (-p[k], k))
        ranked = [Fraction(1), *(p[k] for k in order), Fraction(0)]
        outcomes = [
            (ranked[i] - ranked[i + 1], tuple(k in order[:i] for k in range(count)))
            for i in range(count + 1)
        ]
    elif isinstance(sampling, IndependentSampling):
        outcomes = []
        for active in itertools.product((False, True), repeat=count):
            probability = Fraction(1)
            for included, chance in zip(active, p, strict=True):
                probability *= chance if included else 1 - chance
            outcomes.append((probability, active))
    else:
        assert isinstance(sampling, SingleBlockSampling)
        outcomes = [(q, tuple(m == k for m in range(count))) for k, q in enumerate(p)]
        outcomes.append((1 - sum(p, Fraction(0)), (False,) * count))
    return Law(sampling, tuple(p), outcomes)


def nested_law(p: FloatArray) -> Law:
    return law_of(NestedSampling(p))


def independent_law(p: FloatArray) -> Law:
    return law_of(IndependentSampling(p))


def explicit_law(sets: list[tuple[bool, ...]], weights: list[Fraction]) -> Law:
    """Sets with weights that are floats; the outcomes divide by their sum."""
    return law_of(ExplicitSampling(sets, [float(weight) for weight in weights]))


def laws(count: int) -> SearchStrategy[Law]:
    """Nested, independent, single-block and explicit laws whose marginals are floats."""
    return samplings(count).map(law_of)


def any_explicit_laws(count: int) -> SearchStrategy[Law]:
    """Marginals that are fractions which no float holds."""
    return samplings(count, kind="fractions").map(law_of)


def either_laws(count: int) -> SearchStrategy[Law]:
    return laws(count) | any_explicit_laws(count)


def nested_laws(count: int) -> SearchStrategy[Law]:
    return samplings(count, kind="nested").map(law_of)
