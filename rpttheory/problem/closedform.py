"""The paper's closed-form probabilities, p_k proportional to sqrt(L_k / c_k)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..numbers import Bracket, Rigor
from ..numbers.checks import read_only
from ..numbers.exact_array import ExactArray, FloatArray
from ..report import BRIEF, Detail, Document, Report, Table, bars, finish, heading, new_axes, number
from .blocks import BlockOrder
from .eigen_brackets import nonnegative

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A block with L_k = 0 has an all-zero row, so any positive probability serves it.
PROBABILITY_FLOOR = 1e-150
_EXACT_PAIRS = 40


class PerBlock(Report):
    """A result whose rows, and whose picture, are probabilities per block."""

    probabilities: FloatArray
    order: BlockOrder

    def per_block(self) -> Table:
        """Return probabilities and ranks in a table."""
        rank = self.order.block_to_rank
        rows = [(str(k), f"{p:.6g}", str(rank[k] + 1)) for k, p in enumerate(self.probabilities)]
        return Table(("block", "p", "rank"), rows, frozenset({1, 2}), blocks=True)

    def records(self) -> list[dict[str, Any]]:
        """Return one row per block."""
        rank = self.order.block_to_rank
        return [
            {"block": k, "p": p, "rank": rank[k] + 1}
            for k, p in enumerate(self.probabilities.tolist())
        ]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the probabilities per block on the current axes, or on `ax`; return the axes."""
        axes = new_axes(6.5) if ax is None else ax
        bars(
            axes,
            [("p", self.probabilities.tolist())],
            [f"block {k}" for k in range(len(self.probabilities))],
        )
        axes.set_xlabel("block")
        axes.set_ylabel("probability of an update")
        return finish(axes, legend=False)


@dataclass(frozen=True, eq=False, repr=False)
class ClosedForm(PerBlock):
    """The paper's probabilities, and the upper bound on the optimum that they attain.

    Attributes
    ----------
    probabilities : ndarray
        Per block, rounded to floats; the largest is 1.
    order : BlockOrder
        The blocks in descending order of probability, or the forced order.
    bound : Bracket
        (sum sqrt(L_k c_k))^2, generalized to an overhead and a forced order.

    Examples
    --------
    >>> from rpttheory import closed_form
    >>> closed_form([[4.0, 1.0], [1.0, 1.0]], [1, 1]).probabilities
    array([1. , 0.5])
    """

    probabilities: FloatArray
    order: BlockOrder
    bound: Bracket

    def __repr__(self) -> str:
        return f"<ClosedForm: bound {self.bound} on the optimum, B = {len(self.probabilities)}>"

    def render(
        self, title: str = "", notes: Sequence[str] = (), detail: Detail = BRIEF
    ) -> Document:
        """Return the bound, and probabilities per block."""
        summary = f"closed form: the optimum is at most {number(self.bound, detail.digits)}"
        return [*heading(title, summary, notes), "", self.per_block()]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe values."""
        values = {
            "probabilities": self.probabilities.tolist(),
            "order": list(self.order.rank_to_block),
        }
        return {**values, "bound": {**self.bound.to_dict(), "rigor": self.bound.rigor.name}}


def closed_form_from(
    block_constants: Sequence[Bracket],
    costs: ExactArray,
    *,
    overhead: Fraction = Fraction(0),
    order: BlockOrder | None = None,
) -> ClosedForm:
    """Return the minimizer of the upper bound sum(L_k / p_k) (c_0 + sum(p_k c_k)), and its value,
    from the constants L_k.

    Probabilities are floats, rounded; those below 1e-150 (blocks with L_k = 0 among them) are
    raised to 1e-150. With an overhead c_0, or a forced order, neighboring blocks whose ratios L_k
    / c_k are out of order are pooled.

    Paper: lem:upperBound (lower, tight)
    """
    constants = np.array([max(bracket.midpoint, 0.0) for bracket in block_constants])
    charged = costs.float64.copy()
    exact_costs = [Bracket.of_fraction(cost) for cost in costs.fractions()]
    pools = [[block] for block in range(len(costs))]
    if overhead != 0 or order is not None:
        if order is None:
            ratios = constants / charged
            order = BlockOrder.from_probabilities(ratios / max(ratios.max(), 1e-300))
        # Every step pays the overhead, so it belongs to the first block.
        first = order.rank_to_block[0]
        charged[first] += float(overhead)
        exact_costs[first] += overhead
        pools = _pools(constants, charged, order)
    roots = _relative_roots(
        np.array([constants[pool].sum() for pool in pools]),
        np.array([charged[pool].sum() for pool in pools]),
    )
    probabilities = np.empty(len(costs))
    for pool, root in zip(pools, roots, strict=True):
        probabilities[pool] = root
    probabilities = read_only(np.clip(probabilities, PROBABILITY_FLOOR, 1.0))
    bound = _bound(
        [Bracket.sum(block_constants[k] for k in pool) for pool in pools],
        [Bracket.sum(exact_costs[k] for k in pool) for pool in pools],
    )
    return ClosedForm(probabilities, order or BlockOrder.from_probabilities(probabilities), bound)


def _pools(constants: FloatArray, costs: FloatArray, order: BlockOrder) -> list[list[int]]:
    """Pool adjacent blocks along an order until the ratios L_S / c_S of their sums fall.

    A pool S has p = sqrt(L_S / c_S), and the bound is (sum_S sqrt(L_S c_S))^2.
    """
    from scipy.optimize import isotonic_regression

    ranked = np.array(order.rank_to_block)
    fit = isotonic_regression(
        constants[ranked] / costs[ranked], weights=costs[ranked], increasing=False
    )
    return [ranked[first:last].tolist() for first, last in pairwise(fit.blocks.tolist())]


def _relative_roots(constants: FloatArray, costs: FloatArray) -> FloatArray:
    """Return sqrt(L_k / c_k) over the largest of them, by logarithms where quotients leave the
    range of floats.
    """
    if not (constants > 0).any():
        return np.ones(costs.size)
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        ratios = np.sqrt(constants / constants.max()) / np.sqrt(costs / costs.max())
        if np.isfinite(ratios).all() and ratios.max() > 0:
            return np.asarray(ratios / ratios.max())
        logarithms = (np.log(constants) - np.log(costs)) / 2
        return np.asarray(np.exp(logarithms - logarithms.max()))


def _bound(block_constants: Sequence[Bracket], costs: Sequence[Bracket]) -> Bracket:
    """Return (sum_k sqrt(L_k c_k))^2; the whole line where some L_k may be negative."""
    products = [constant * cost for constant, cost in zip(block_constants, costs, strict=True)]
    if len(products) > 1:
        if min(term.rigor for term in products) is Rigor.NUMERICAL:
            products = [nonnegative(term) for term in products]
        elif any(term.exact_lower < 0 for term in products):
            return Bracket.everything()
    return square_of_root_sum(products)


def square_of_root_sum(terms: Sequence[Bracket]) -> Bracket:
    """Return (sum_k sqrt(x_k))^2 for x_k >= 0.

    Up to 40 exact terms are multiplied out as sum_k x_k + 2 sum_{k<l} sqrt(x_k x_l): roots of
    products are exact more often than products of roots. A single term is returned itself.
    """
    if len(terms) == 1:
        return terms[0]
    if len(terms) <= _EXACT_PAIRS and all(term.exact is not None for term in terms):
        pairs = [(a * b).sqrt() * 2.0 for i, a in enumerate(terms) for b in terms[:i]]
        return Bracket.sum((*terms, *pairs))
    return Bracket.sum(term.sqrt() for term in terms).squared()
