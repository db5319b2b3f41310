"""The names of the claim language on a given problem, each computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from ..numbers import Bracket
from ..numbers.exact_array import FloatArray
from ..problem.problem import Problem
from ..problem.sampling import NestedSampling, Sampling, SingleBlockSampling
from ..vocabulary import PER_BLOCK, QUANTITIES
from .at_point import dual_value, gradient_and_value, trial_point

# Samplings with more outcomes than this are not enumerated: 2^12 sets of 12 independent blocks.
_ENUMERATED_BLOCKS = 12


class Quantities(Mapping[str, Bracket | Sequence[Bracket]]):
    """Brackets of the quantities of the claim language, one per block where the name says so.

    Parameters
    ----------
    problem : Problem
    x : array, optional
        The point of `g`, `xLx` and `dual`; by default a fixed vector of small integers.
    optimum_tol : float, optional
        The relative gap of the certified optimum. By default it is only bracketed, without a
        search, by sum c_k L_k and the better of gradient descent and the closed form.

    Examples
    --------
    >>> values = Quantities(Problem([[4.0, 0.0], [0.0, 1.0]], [1, 1]))
    >>> print(values["lmax"], *values["c"])
    4 0.5 0.5
    """

    def __init__(
        self,
        problem: Problem,
        *,
        x: FloatArray | None = None,
        optimum_tol: float | None = None,
    ) -> None:
        self._problem = problem
        self._x = trial_point(problem.blocks.dimension) if x is None else x
        self._optimum_tol = optimum_tol
        self._known: dict[str, Bracket | Sequence[Bracket]] = {}

    def __iter__(self) -> Iterator[str]:
        return (name for name in (*QUANTITIES, *PER_BLOCK) if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        if name == "q":
            return is_enumerable(self._problem.sampling)
        return name in QUANTITIES or name in PER_BLOCK

    def __getitem__(self, name: str) -> Bracket | Sequence[Bracket]:
        if name not in self:
            raise KeyError(name)
        if name not in self._known:
            problem = self._problem
            value: Bracket | Sequence[Bracket]
            match name:
                case "g" | "xLx":
                    squares, product = gradient_and_value(problem, self._x)
                    self._known |= {"g": squares, "xLx": product}
                    return self._known[name]
                case "d" | "B" | "tau":
                    sizes = {
                        "d": problem.blocks.dimension,
                        "B": problem.blocks.count,
                        "tau": problem.sampling.max_blocks,
                    }
                    value = Bracket.of_fraction(Fraction(sizes[name]))
                case "L":
                    value = problem.block_L
                case "p":
                    value = problem.marginals
                case "c":
                    value = tuple(map(Bracket.of_fraction, problem.costs.fractions()))
                case "q":
                    value = tuple(map(Bracket.of_fraction, enumerated_marginals(problem.sampling)))
                case "dual":
                    value = dual_value(problem, self._x)
                case "optimum":
                    value = self._optimum()
                case _:
                    value = getattr(problem, name)
            self._known[name] = value
        return self._known[name]

    def _optimum(self) -> Bracket:
        problem = self._problem
        if self._optimum_tol is not None:
            from ..search.optimal import optimal_probabilities

            return optimal_probabilities(problem, tol=self._optimum_tol).bracket
        upper = Bracket.smallest((problem.c_rounded, problem.gradient_descent))
        lower = problem.one_block_cost
        rigor = min(upper.rigor, lower.rigor)
        return Bracket(min(lower.exact_lower, upper.exact_upper), upper.exact_upper, rigor)


def is_enumerable(sampling: Sampling) -> bool:
    """Return True if the outcomes of a sampling are few enough to be listed."""
    few_outcomes = isinstance(sampling, NestedSampling | SingleBlockSampling)
    return few_outcomes or len(sampling.probabilities) <= _ENUMERATED_BLOCKS


def enumerated_marginals(sampling: Sampling) -> list[Fraction]:
    """Return Prob(block k is updated) as a sum over the outcomes of a sampling."""
    marginals = [Fraction(0)] * len(sampling.probabilities)
    if isinstance(sampling, NestedSampling):
        # The sets grow: a block that enters with one outcome belongs to all that follow.
        remaining = sum((outcome.probability for outcome in sampling.support()), Fraction(0))
        entered = np.zeros(len(marginals), dtype=bool)
        for outcome in sampling.support():
            for k in np.flatnonzero(outcome.active & ~entered).tolist():
                marginals[k] = remaining
            remaining -= outcome.probability
            entered = outcome.active
        return marginals
    for outcome in sampling.support():
        for k in np.flatnonzero(outcome.active).tolist():
            marginals[k] += outcome.probability
    return marginals
