"""A matrix with blocks, costs and a sampling, and every quantity of the paper on it, computed once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..certify import Bracket
from ..errors import InvalidInput
from ..reals import FloatArray, Reals
from ..validation import check_costs, check_probabilities
from .blocks import Blocks, BlocksLike, as_blocks
from .closedform import ClosedForm, closed_form_bound, closed_form_from
from .quantities import (
    Effort,
    block_smoothness,
    expected_cost,
    is_block_diagonal,
    lambda_max,
    second_moment_smoothness,
    weighted_smoothness,
)
from .sampling import Sampling, sampling_named
from .smoothness import Smoothness, SmoothnessLike, as_smoothness


@dataclass(frozen=True, eq=False)
class Instance:
    """One problem: L, blocks, costs, sampling. Made by `make_instance`.

    Where two quantities are the same number by definition (L_P and L_M for a block-diagonal L, say)
    they are the same Bracket object, so that the tie between them is seen as one.
    """

    smoothness: Smoothness
    blocks: Blocks
    costs: Reals
    sampling: Sampling
    closed_form: ClosedForm
    effort: Effort = "fast"

    def with_effort(self, effort: Effort) -> Instance:
        """The same problem with sharper brackets."""
        return replace(self, effort=effort)

    @property
    def probabilities(self) -> FloatArray:
        """p_k = Prob(block k is updated)."""
        return self.sampling.probabilities

    @cached_property
    def marginals(self) -> tuple[Bracket, ...]:
        """p_k exactly, also where they are no floats."""
        return tuple(map(Bracket.of_fraction, self.sampling.marginals.fractions()))

    @cached_property
    def _block_diagonal(self) -> bool:
        return is_block_diagonal(self.smoothness, self.blocks)

    @cached_property
    def block_L(self) -> tuple[Bracket, ...]:
        """L_k."""
        if self.blocks.count == 1:
            return (lambda_max(self.smoothness, effort=self.effort),)
        return block_smoothness(self.smoothness, self.blocks, effort=self.effort)

    @cached_property
    def lmax(self) -> Bracket:
        """lambda_max(L)."""
        if self._block_diagonal or self.blocks.count == 1:
            return self.maxL
        return lambda_max(self.smoothness, effort=self.effort)

    @cached_property
    def L_P(self) -> Bracket:
        """lambda_max(P^-1/2 L P^-1/2)."""
        return self.weighted(self.sampling.marginals)

    def weighted(self, p: Reals) -> Bracket:
        """L_P at other probabilities."""
        if (p.near == p.near[0]).all() and len(set(p.fractions())) == 1:
            return self.lmax / p.fraction(0)
        if self._block_diagonal:
            return Bracket.largest(L / q for L, q in zip(self.block_L, p.fractions(), strict=True))
        return weighted_smoothness(self.smoothness, p, self.blocks, effort=self.effort)

    @cached_property
    def L_M(self) -> Bracket:
        """lambda_max(E[CLC])."""
        certain = all(p == 1 for p in self.sampling.marginals.fractions())
        if self._block_diagonal or certain or self.blocks.count == 1:
            return self.L_P
        return second_moment_smoothness(self.smoothness, self.sampling, self.blocks, effort=self.effort)

    @cached_property
    def pmin(self) -> Bracket:
        """The smallest probability."""
        return Bracket.of_fraction(min(self.sampling.marginals.fractions()))

    @cached_property
    def cost(self) -> Bracket:
        """sum p_k c_k."""
        return self.sampling.expected_cost(self.costs)

    @cached_property
    def total_cost(self) -> Bracket:
        """sum c_k, the cost of a gradient descent step."""
        return Bracket.of_fraction(sum(self.costs.fractions(), Fraction(0)))

    @cached_property
    def gradient_descent(self) -> Bracket:
        """c(P) at p = 1."""
        return self.lmax * self.total_cost

    @cached_property
    def c_P(self) -> Bracket:
        """L_P sum p_k c_k."""
        return self.L_P * self.cost

    @cached_property
    def closed(self) -> Bracket:
        """(sum sqrt(L_k c_k))^2."""
        return closed_form_bound(self.block_L, self.costs)

    @cached_property
    def c_closed(self) -> Bracket:
        """c(P) at the closed-form probabilities."""
        p = self.closed_form.probabilities
        if self.sampling.marginals.exact is None and np.array_equal(p, self.probabilities):
            return self.c_P
        return self.weighted(Reals(p)) * expected_cost(p, self.costs)

    @cached_property
    def sumL(self) -> Bracket:
        """sum L_k."""
        return Bracket.sum(self.block_L)

    @cached_property
    def maxL(self) -> Bracket:
        """max L_k."""
        return Bracket.largest(self.block_L)

    @cached_property
    def sumcL(self) -> Bracket:
        """sum c_k L_k."""
        return Bracket.sum(L * c for L, c in zip(self.block_L, self.costs.fractions(), strict=True))

    def quantity(self, name: str) -> Bracket:
        """A quantity by the name it has in a user's claim."""
        if name == "d":
            return Bracket.point(float(self.blocks.dimension))
        if name == "B":
            return Bracket.point(float(self.blocks.count))
        value = getattr(self, name)
        assert isinstance(value, Bracket)
        return value


def make_instance(
    L: SmoothnessLike,
    blocks: BlocksLike,
    *,
    costs: Any = None,
    probabilities: Any = None,
    sampling: Sampling | str = "nested",
) -> Instance:
    """Put a problem together. Costs default to block sizes over d, probabilities to the closed form.

    Parameters
    ----------
    L : array, sparse matrix, LinearOperator or Smoothness
    blocks : Blocks
    costs : array, optional
        One positive number per block, used as given.
    probabilities : array, optional
        Marginals of a sampling given by name. The closed form is scaled to sum 1 for "single".
    sampling : Sampling or {"nested", "independent", "single"}
    """
    form = as_smoothness(L)
    blocks = as_blocks(blocks, form.dimension)
    c = check_costs(blocks.shares if costs is None else costs, blocks.count)
    constants = block_smoothness(form, blocks)
    closed = closed_form_from(constants, c)
    if isinstance(sampling, str):
        if probabilities is not None:
            p = check_probabilities(probabilities, blocks.count)
        elif sampling == "single":
            p = Reals(closed.probabilities / closed.probabilities.sum())
        else:
            p = Reals(closed.probabilities)
        sampling = sampling_named(sampling, p)
    elif probabilities is not None:
        raise InvalidInput(
            "probabilities and a sampling that has its own cannot both be given",
            f"probabilities and {type(sampling).__name__}",
            "one of the two",
        )
    check_probabilities(sampling.marginals, blocks.count)
    instance = Instance(form, blocks, c, sampling, closed)
    if blocks.count > 1:
        instance.__dict__["block_L"] = constants  # already known at this effort
    return instance
