"""Comparison of samplings by c_M, with a lower bound for all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..numbers import Bracket
from ..numbers.exact_array import FloatArray
from ..problem.closedform import PROBABILITY_FLOOR
from ..problem.problem import Problem
from ..problem.sampling import (
    IndependentSampling,
    NestedSampling,
    OneOfEachGroup,
    Sampling,
    SingleBlockSampling,
)
from ..problem.sampling.tau_nice import check_block_budget
from .result import SearchResult


@dataclass(frozen=True, eq=False)
class SamplingCost:
    """One row of the comparison of samplings.

    Attributes
    ----------
    key : str
        Its key in JSON, and the heading of its probabilities: "single", "independent", "nested",
        "budget" or "nonconvex", the nested sampling of least c_M. "any" and "any_within_budget"
        are lower bounds for all samplings.
    name : str
        Its name in tables.
    cost : Bracket
        c_M of the sampling, or the bound.
    theorem : str
        The label of the statement that it relies on.
    sampling : Sampling or None
        None for a bound.
    obstacle : str
        The reason why the sampling may not be used; empty if it may be.
    """

    key: str
    name: str
    cost: Bracket
    theorem: str
    sampling: Sampling | None = None
    obstacle: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe values."""
        p = None if self.sampling is None else self.sampling.probabilities.tolist()
        values = {
            "lower": self.cost.lower,
            "upper": self.cost.upper,
            "rigor": self.cost.rigor.name,
            "probabilities": p,
            "theorem": self.theorem,
        }
        if isinstance(self.sampling, OneOfEachGroup):
            values["groups"] = list(map(list, self.sampling.groups))
        return values | ({"obstacle": self.obstacle} if self.obstacle else {})


@dataclass(frozen=True, eq=False)
class SamplingComparison:
    """c_M of samplings, and of the cheapest relative to a lower bound for all samplings.

    Attributes
    ----------
    rows : tuple of SamplingCost
        Samplings first, then the bounds.
    backprop : bool
        True if a step pays for its deepest block.
    budget : int or None
        The largest number of blocks that a step may update.

    Examples
    --------
    >>> result = compare_samplings(Problem([[9.0, 0.0], [0.0, 1.0]], [1, 1]), [1.0, 1.0])
    >>> print(f"{result['single'].cost:.6f} {result['any'].cost:.6f}", result.best.name)
    5.000000 5.000000 one block at a time
    """

    rows: tuple[SamplingCost, ...]
    backprop: bool = False
    budget: int | None = None

    def __getitem__(self, key: str) -> SamplingCost:
        return {row.key: row for row in self.rows}[key]

    @property
    def best(self) -> SamplingCost:
        """The sampling of least cost that may be used; in a tie the first."""
        rows = [row for row in self.rows if row.sampling is not None and not row.obstacle]
        least = min(row.cost.upper for row in rows)
        return next(row for row in rows if row.cost.upper <= least * (1 + _TIE))

    @property
    def bound(self) -> SamplingCost:
        """The bound that the best sampling is compared with."""
        return self.rows[-1]

    @property
    def factor(self) -> Bracket:
        """The cost of `best` divided by the least cost of any sampling; between 1 and `upper`."""
        lower = self.bound.cost.exact_lower
        rigor = min(self.best.cost.rigor, self.bound.cost.rigor)
        if lower <= 0 or self.best.cost.upper == math.inf:
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
    nonconvex: SearchResult | None = None,
) -> SamplingComparison:
    """Compare single-block, independent and nested sampling by c_M = L_M times the cost of a step.

    Parameters
    ----------
    problem : Problem
        L, blocks, costs and overhead. Its sampling is ignored.
    nested_probabilities : array
        Probabilities of the nested sampling.
    budget : int, optional
        The largest number of blocks that a step may update. Adds one block of each group.
    backprop : bool
        A step pays for all blocks up to its deepest one, as in backpropagation. Depth counts from
        the output: along `problem.order`, or along the numbers of the blocks if there is none.
    nonconvex : SearchResult, optional
        The optimum of c_M over nested samplings of this problem. Adds the sampling that attains its
        upper end.

    Returns
    -------
    SamplingComparison

    Examples
    --------
    >>> result = compare_samplings(Problem([[1.0, 1.0], [1.0, 1.0]], [1, 1]), [1.0, 1.0])
    >>> f"{result['nested'].cost:.6f} {result['single'].cost:.6f}"
    '2.000000 1.000000'

    Paper: our:anySampling
    Paper: our:singleBlockOptimal
    Paper: our:independentFactor
    Paper: our:blockBudget
    Paper: our:backpropagation
    """
    count = problem.blocks.count
    if budget is not None:
        check_block_budget(budget, count, "budget")
    order = range(count) if problem.order is None else problem.order.rank_to_block
    depth_order = list(order) if backprop else None
    constants = _curvatures(problem)
    samplings: dict[str, Sampling] = {
        "single": SingleBlockSampling(constants / constants.sum()),
        "independent": IndependentSampling(independent_probabilities(problem, constants)),
        "nested": NestedSampling(nested_probabilities),
    }
    if nonconvex is not None:
        samplings["nonconvex"] = NestedSampling(nonconvex.probabilities)
    if budget is not None:
        samplings["budget"] = OneOfEachGroup.balanced(
            constants, _group_count(problem, constants, budget)
        )
    must_nest = problem.order is not None and not backprop and budget is None
    rows = []
    for key, sampling in samplings.items():
        # The bracket is about the costs of backpropagation only along the order it was found for.
        comparable = depth_order is None or problem.order is not None
        if key == "nonconvex" and nonconvex is not None and comparable:
            cost = nonconvex.bracket
        else:
            cost = _cost(problem, sampling, depth_order)
        theorem = _THEOREMS[key] if depth_order is None else _THEOREMS["backprop"]
        obstacle = ""
        if budget is not None and sampling.max_blocks > budget:
            obstacle = "exceeds the budget"
        elif must_nest and not isinstance(sampling, NestedSampling):
            obstacle = "ignores the order"
        rows.append(SamplingCost(key, _NAMES[key], cost, theorem, sampling, obstacle))
    rows.append(_bound(problem, None, depth_order))
    if budget is not None:
        rows.append(_bound(problem, budget, depth_order))
    return SamplingComparison(tuple(rows), backprop, budget)


# Costs that differ by less are equal up to the rounding of the probabilities.
_TIE = 1e-9
_NAMES = {
    "single": "one block at a time",
    "independent": "independent blocks",
    "nested": "nested (RPT)",
    "nonconvex": "nested, least c_M",
    "budget": "one block per group",
    "any": "no sampling is below",
    "any_within_budget": "none in the budget",
}
_THEOREMS = {
    "single": "our:singleBlockOptimal",
    "independent": "our:independentFactor",
    "nested": "lem:key_quantity",
    "nonconvex": "our:secondMomentConvex",
    "budget": "our:blockBudget",
    "any": "our:anySampling",
    "any_within_budget": "our:blockBudget",
    "backprop": "our:backpropagation",
}


def _curvatures(problem: Problem) -> FloatArray:
    """Return L_k rounded up, so that a quotient L_k / p_k with p_k proportional to it is bounded.

    A block with L_k = 0 has only zeros in its rows of L, so its probability does not change L_M. It
    gets a negligible value; if L = 0, all blocks get equal values.
    """
    upper = [max(constant.upper, 0.0) for constant in problem.block_L]
    constants = np.where(np.isfinite(upper), upper, [float(value) for value in problem.block_L])
    if not constants.any():
        return np.ones(constants.size)
    return np.asarray(np.maximum(constants, PROBABILITY_FLOOR * constants.sum()))


def independent_probabilities(problem: Problem, constants: FloatArray) -> FloatArray:
    """Return p_k = min(1, s L_k / lmax) with s = sqrt(c_0 lmax / sum c_k L_k).

    Without an overhead that s is 0, and every s <= 1 is within a factor 1 + s of the bound. Then
    s = lmax / sum L_k, for which a step updates one block on average.
    """
    per_step = _blocks_per_step(problem, constants)
    shares = constants / constants.sum()
    p = shares if per_step == 0 else per_step * shares
    return np.asarray(np.clip(p, PROBABILITY_FLOOR, 1.0))


def _blocks_per_step(problem: Problem, constants: FloatArray) -> float:
    """Return s sum L_k / lmax with the s of our:independentFactor.

    It is the mean number of blocks in a step if no p_k reaches 1.
    """
    lmax = float(problem.lmax)
    if lmax <= 0:
        return 0.0
    total = float(constants.sum())  # quotients by it neither underflow nor overflow
    useful = float(problem.costs.float64 @ (constants / total))
    return math.sqrt(float(problem.overhead) / (lmax / total * useful))


def _group_count(problem: Problem, constants: FloatArray, budget: int) -> int:
    """Return about the mean number of blocks that independent sampling updates in a step.

    At most `budget`, and at most one group for each block with curvature.
    """
    curved = int((constants > 2 * PROBABILITY_FLOOR * constants.sum()).sum())
    return max(1, min(budget, curved, round(_blocks_per_step(problem, constants))))


def _cost(problem: Problem, sampling: Sampling, depth_order: Sequence[int] | None) -> Bracket:
    """Return c_M = L_M times the expected cost of a step."""
    variant = problem.with_sampling(sampling)
    if depth_order is None:
        return variant.c_M
    return variant.L_M * _backprop_cost(problem, sampling, depth_order)


def _backprop_cost(problem: Problem, sampling: Sampling, depth_order: Sequence[int]) -> Bracket:
    """Return c_0 + sum over ranks k of c_k Prob(a block of rank k or deeper is updated)."""
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
        all_idle = math.prod(map(Bracket.of_fraction, idle), start=Bracket.point(1.0))
        reached.append(1 - all_idle)
    return reached[::-1]


def _bound(problem: Problem, budget: int | None, depth_order: Sequence[int] | None) -> SamplingCost:
    """Return c_0 lmax + sum c_k L_k, a lower bound on c_M of all samplings.

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
    key = "any"
    level = problem.lmax
    if budget is not None:
        key = "any_within_budget"
        level = Bracket.largest((level, Bracket.sum(problem.block_L) / budget))
    theorem = _THEOREMS[key] if depth_order is None else _THEOREMS["backprop"]
    return SamplingCost(key, _NAMES[key], level * problem.overhead + useful, theorem)
