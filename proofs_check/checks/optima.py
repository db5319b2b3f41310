"""Small random problems with their certified optima, for checks of statements about the optimum."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from rpttheory import Blocks, SearchResult, optimal_probabilities
from rpttheory.numbers import Rigour
from rpttheory.numbers.exact_array import FloatArray

from ..engine.entry import Check, Evidence, Finding, Trial, failed, held
from .instances import batches


@dataclass(frozen=True)
class Solved:
    """A problem with integer L and integer costs (not normalised), and what the search found."""

    blocks: Blocks
    L: FloatArray
    costs: FloatArray
    found: SearchResult

    def describe(self) -> str:
        """The problem in words."""
        matrix = self.L.astype(int).tolist()
        costs = self.costs.astype(int).tolist()
        return f"blocks {self.blocks.sizes}, L = {matrix}, c = {costs}"


def solved(trial: Trial, count: int, tol: float = 1e-6) -> Iterator[Solved]:
    """Problems without zero diagonal entries, of every partition and family, each solved to a
    relative gap.
    """
    for batch in batches(trial, count):
        for L, costs in zip(batch.L, batch.costs, strict=True):
            if (np.diagonal(L) > 0).all():
                found = optimal_probabilities(L, batch.blocks, costs, tol=tol)
                if found.status != "optimal" or found.rigour is Rigour.NUMERICAL:
                    raise ArithmeticError(
                        f"no certificate for L = {L.tolist()}, c = {costs.tolist()}"
                    )
                yield Solved(batch.blocks, L, costs, found)


def never_contradicted(
    links: Callable[[Solved], list[tuple[float, float]]], count: int = 60
) -> Check:
    """A check of inequalities, each given by a lower bound of its left and an upper bound of its
    right side.

    An instance speaks against a link only where these bounds do: rigorous, and no proof where they
    do not.
    """

    def run(trial: Trial) -> Finding:
        total = 0
        for problem in solved(trial, count):
            for number, (left, right) in enumerate(links(problem)):
                if left > right:
                    return failed(
                        f"{problem.describe()}: inequality {number + 1}, {left:.6g} > {right:.6g}"
                    )
            total += 1
        return held(f"{total} problems, none of which contradicts it")

    return Check(Evidence.RIGOROUS, run)
