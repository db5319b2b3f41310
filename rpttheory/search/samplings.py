"""Samplings side by side: what each costs by c_M, and a bound below all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..numbers import Bracket
from ..numbers.exact_array import FloatArray
from ..problem.problem import Problem
from ..problem.sampling import (
    IndependentSampling,
    NestedSampling,
    OneOfEachGroup,
    Sampling,
    SingleBlockSampling,
)
from ..problem.sampling.base import SMALLEST
from ..problem.sampling.tau_nice import check_block_budget


@dataclass(frozen=True, eq=False)
class SamplingCost:
    """One row of the comparison of samplings.

    Attributes
    ----------
    key : {"single", "independent", "nested", "budget", "any", "any_within_budget"}
        Its name in JSON. The last two are bounds below every sampling.
    name : str
        Its name in tables.
    cost : Bracket
        c_M of the sampling, or the bound.
    theorem : str
        The statement of the ledger that it rests on.
    sampling : Sampling or None
        None for a bound.
    """

    key: str
    name: str
    cost: Bracket
    theorem: str
    sampling: Sampling | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe values."""
        p = None if self.sampling is None else self.sampling.probabilities.tolist()
        return {
            "lower": self.cost.lower,
            "upper": self.cost.upper,
            "rigor": self.cost.rigor.name,
            "probabilities": p,
            "theorem": self.theorem,
        }


@dataclass(frozen=True, eq=False)
class SamplingComparison:
    """What samplings cost by c_M, and how far the cheapest is from the best of all.

    Attributes
    ----------
    rows : tuple of SamplingCost
        Samplings first, then the bounds.
    backprop : bool
        True if a step pays for its deepest block.
    note : str
        The reason why samplings were left out; empty if none were.

    Examples
    --------
    >>> result = compare_samplings(Problem([[9.0, 0.0], [0.0, 1.0]], [1, 1]), [1.0, 1.0])
    >>> print(f"{result['single'].cost:.6f} {result['any'].cost:.6f}", result.best.name)
    5.000000 5.000000 one block at a time
    """

    rows: tuple[SamplingCost, ...]
    backprop: bool = False
    note: str = ""

    def __getitem__(self, key: str) -> SamplingCost:
        return {row.key: row for row in self.rows}[key]

    @property
    def best(self) -> SamplingCost:
        """The sampling of least cost; under a budget, of those that keep to it."""
        admissible = ("single", "budget") if self._has_budget else None
        rows = [
            row
            for row in self.rows
            if row.sampling is not None and (admissible is None or row.key in admissible)
        ]
        return min(rows, key=lambda row: row.cost.upper)

    @property
    def bound(self) -> SamplingCost:
        """The bound that the best sampling is compared with."""
        return self["any_within_budget" if self._has_budget else "any"]

    @property
    def _has_budget(self) -> bool:
        return any(row.key == "budget" for row in self.rows)

    @property
    def factor(self) -> Bracket:
        """The cost of the best sampling divided by the least cost of all, from 1 upwards."""
        lower = self.bound.cost.exact_lower
        rigor = min(self.best.cost.rigor, self.bound.cost.rigor)
        if lower <= 0:
            return Bracket(1, math.inf, rigor)
        most = Fraction(self.best.cost.exact_upper) / Fraction(lower)
        return Bracket(1, max(most, Fraction(1)), rigor)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe values, one key per row."""
        return {row.key: row.to_dict() for row in self.rows}


def compare_samplings(
    problem: Problem,
    nested_probabilities: FloatArray,
    *,
    budget: int | None = None,
    backprop: bool = False,
) -> SamplingComparison:
    """Compare single-block, independent and nested sampling by c_M = L_M times the cost of a step.

    Parameters
    ----------
    problem : Problem
        L, blocks, costs and overhead. Its own sampling plays no part.
    nested_probabilities : array
        Probabilities of the nested sampling.
    budget : int, optional
        The largest number of blocks that a step may update. Adds one block of each group.
    backprop : bool
        A step pays for all blocks up to its deepest one, as in backpropagation. Blocks are listed
        from the output, in the order of the problem if it has one.

    Returns
    -------
    SamplingComparison

    Examples
    --------
    >>> result = compare_samplings(Problem([[1.0, 1.0], [1.0, 1.0]], [1, 1]), [1.0, 1.0])
    >>> f"{result['nested'].cost:.6f} {result['single'].cost:.6f}"
    '2.000000 1.000000'

    Paper: our:anySampling, our:singleBlockOptimal, our:independentFactor, our:blockBudget,
    our:backpropagation
    """
    count = problem.blocks.count
    if budget is not None:
        check_block_budget(budget, count, "budget")
    order = range(count) if problem.order is None else problem.order.rank_to_block
    depth_order = list(order) if backprop else None
    rows = []
    constants = np.array([float(constant) for constant in problem.block_L])
    flat = [k for k, constant in enumerate(problem.block_L) if constant.exact_lower <= 0]
    note = ""
    if flat:
        note = f"samplings with p_k proportional to L_k are left out: L_{flat[0]} may be zero"
    else:
        single = constants / constants.sum()
        rows += _row(problem, "single", SingleBlockSampling, single, depth_order)
        independent = independent_probabilities(problem, constants)
        rows += _row(problem, "independent", IndependentSampling, independent, depth_order)
    rows += _row(problem, "nested", NestedSampling, nested_probabilities, depth_order)
    if budget is not None and not flat:
        sampling = OneOfEachGroup.balanced(constants, budget)
        cost = _cost(problem, sampling, depth_order)
        rows.append(SamplingCost("budget", _NAMES["budget"], cost, "our:blockBudget", sampling))
    rows.append(_bound(problem, None, depth_order))
    if budget is not None and not flat:
        rows.append(_bound(problem, budget, depth_order))
    return SamplingComparison(tuple(rows), backprop, note)


_NAMES = {
    "single": "one block at a time",
    "independent": "independent blocks",
    "nested": "nested (RPT)",
    "budget": "one block of each group",
    "any": "no sampling costs less than",
    "any_within_budget": "none within the budget",
}
_THEOREMS = {
    "single": "our:singleBlockOptimal",
    "independent": "our:independentFactor",
    "nested": "lem:key_quantity",
}


def independent_probabilities(problem: Problem, constants: FloatArray) -> FloatArray:
    """Return p_k = min(1, s L_k / lmax) with s = sqrt(c_0 lmax / sum c_k L_k).

    Without an overhead that s is 0, and every s <= 1 is within a factor 1 + s of the bound. Then
    s = lmax / sum L_k, for which a step updates one block on average.
    """
    lmax = float(problem.lmax)
    scale = math.sqrt(float(problem.overhead) * lmax / (problem.costs.float64 @ constants))
    if scale == 0:
        scale = lmax / constants.sum()
    return np.clip(scale * constants / lmax, SMALLEST, 1.0)


def _row(
    problem: Problem,
    key: str,
    kind: type[Sampling],
    p: FloatArray,
    depth_order: Sequence[int] | None,
) -> list[SamplingCost]:
    sampling = kind(p)
    theorem = _THEOREMS[key]
    if key == "nested" and depth_order is not None:
        theorem = "our:backpropagation"
    cost = _cost(problem, sampling, depth_order)
    return [SamplingCost(key, _NAMES[key], cost, theorem, sampling)]


def _cost(problem: Problem, sampling: Sampling, depth_order: Sequence[int] | None) -> Bracket:
    """Return c_M = L_M times the expected cost of a step."""
    other = problem.with_sampling(sampling)
    if depth_order is None:
        return other.c_M
    return other.L_M * _backprop_cost(problem, sampling, depth_order)


def _backprop_cost(problem: Problem, sampling: Sampling, depth_order: Sequence[int]) -> Bracket:
    """Return c_0 + sum over ranks k of c_k Prob(a block of rank k or more is updated)."""
    costs = problem.costs.fractions()
    reached = _reach_probabilities(sampling, depth_order)
    terms = [q * costs[block] for q, block in zip(reached, depth_order, strict=True)]
    return Bracket.sum(terms) + problem.overhead


def _reach_probabilities(sampling: Sampling, depth_order: Sequence[int]) -> list[Bracket]:
    """Return, for each rank, the probability that this rank or a deeper one is updated."""
    p = sampling.marginals.fractions()
    count = len(p)
    if isinstance(sampling, NestedSampling):
        ranked = [p[block] for block in depth_order]
        return [Bracket.of_fraction(max(ranked[rank:])) for rank in range(count)]
    if isinstance(sampling, IndependentSampling):
        groups: Sequence[Sequence[int]] = [[block] for block in range(count)]
    elif isinstance(sampling, OneOfEachGroup):
        groups = sampling.groups
    else:
        groups = [range(count)]
    group_of = {block: number for number, group in enumerate(groups) for block in group}
    # From the deepest rank upwards: the probability that a group has drawn none of these blocks.
    idle = [Fraction(1)] * len(groups)
    reached = []
    for block in reversed(depth_order):
        idle[group_of[block]] -= p[block]
        none = math.prod(map(Bracket.of_fraction, idle), start=Bracket.point(1.0))
        reached.append(1 - none)
    return reached[::-1]


def _bound(problem: Problem, budget: int | None, depth_order: Sequence[int] | None) -> SamplingCost:
    """Return c_0 lmax + sum c_k L_k, the bound below every sampling, or its like for the model.

    Under a budget of tau blocks L_M is also at least sum L_k / tau. Where a step pays for its
    deepest block, L_k becomes the largest L_j of the blocks that are at least as deep.
    """
    constants = list(problem.block_L)
    if depth_order is not None:
        for rank in range(len(constants) - 2, -1, -1):
            pair = (constants[depth_order[rank]], constants[depth_order[rank + 1]])
            constants[depth_order[rank]] = Bracket.largest(pair)
    costs = problem.costs.fractions()
    useful = Bracket.sum(L * c for L, c in zip(constants, costs, strict=True))
    key, theorem = "any", "our:anySampling" if depth_order is None else "our:backpropagation"
    level = problem.lmax
    if budget is not None:
        key, theorem = "any_within_budget", "our:blockBudget"
        level = Bracket.largest((level, Bracket.sum(problem.block_L) / budget))
    return SamplingCost(key, _NAMES[key], level * problem.overhead + useful, theorem)
