"""One problem in fractions: what a claim falls on, what is shown, saved and decided again."""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...eigen.exact import definiteness
from ...errors import InvalidInput
from ...problem.problem import Problem
from ...problem.sampling import ExplicitSampling
from ...problem.sampling.named import KINDS
from ...statements.batch import Batch


@dataclass(frozen=True)
class Instance:
    """A matrix, blocks, costs and a law, all in fractions.

    Attributes
    ----------
    law : tuple of Fraction, optional
        Probabilities per block; for the sampling "explicit" the weights of all sets of blocks, from
        the empty one to the whole one; None for the closed form, whose doubles the library
        computes.
    """

    sizes: tuple[int, ...]
    L: tuple[tuple[Fraction, ...], ...]
    costs: tuple[Fraction, ...]
    sampling: str
    law: tuple[Fraction, ...] | None

    @property
    def sets(self) -> list[tuple[list[int], Fraction]]:
        """The sets of blocks of an explicit law, with their weights."""
        every = itertools.product((0, 1), repeat=len(self.sizes))
        return [
            ([k for k, one in enumerate(s) if one], w)
            for s, w in zip(every, self.law or (), strict=False)
            if w
        ]

    def problem(self) -> Problem:
        """The problem as the library sees it."""
        given: dict[str, Any] = {"sampling": self.sampling}
        if self.sampling == "explicit":
            masks = [[k in chosen for k in range(len(self.sizes))] for chosen, _ in self.sets]
            given = {"sampling": ExplicitSampling(masks, [weight for _, weight in self.sets])}
        elif self.law is not None:
            given["probabilities"] = list(self.law)
        return Problem(
            np.array([list(row) for row in self.L], dtype=object),
            self.sizes,
            list(self.costs),
            **given,
        )

    def floats(self) -> Batch:
        """A stack of this one problem."""
        problem = self.problem()
        every = np.arange(len(self.sizes))
        L = np.array([[list(map(float, row)) for row in self.L]])
        costs = np.array([list(map(float, self.costs))])
        pairs = problem.sampling.pair_ratio(every[:, None], every[None, :])
        return Batch(problem.blocks, L, problem.probabilities[None], costs, pairs=pairs[None])

    @property
    def length(self) -> int:
        """How much there is to read: the sum of all numerators and denominators, and a little for
        each sign.
        """
        d = range(len(self.L))
        numbers = [self.L[i][j] for i in d for j in range(i, len(self.L))]
        numbers += [*self.costs, *(self.law or ())]
        return sum(2 * abs(x.numerator) + 2 * x.denominator - 2 + (x < 0) for x in numbers)

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values; fractions are text."""
        law: Any = None if self.law is None else [str(value) for value in self.law]
        return {
            "blocks": list(self.sizes),
            "L": [[str(value) for value in row] for row in self.L],
            "costs": [str(value) for value in self.costs],
            "sampling": self.sampling,
            "law": law,
        }

    def lines(self) -> list[str]:
        """For people to read."""
        return described(self.problem(), closed=self.law is None)


def described(problem: Problem, *, closed: bool = False) -> list[str]:
    """A problem for people to read, in fractions."""
    entries = problem.smoothness.rational()
    L = (
        repr(problem.smoothness)
        if entries is None
        else "; ".join(" ".join(map(str, row)) for row in entries)
    )
    sampling = problem.sampling
    kind = next((name for name, made in KINDS.items() if isinstance(sampling, made)), "explicit")
    law = (
        "p = the closed form"
        if closed
        else f"p = {' '.join(map(str, sampling.marginals.fractions()))}"
    )
    if kind == "explicit":
        sets = (
            (np.flatnonzero(one.active).tolist(), one.probability) for one in sampling.support()
        )
        law = "Prob " + ", ".join(
            f"{{{' '.join(map(str, blocks))}}} = {chance}" for blocks, chance in sets
        )
    costs = " ".join(map(str, problem.costs.fractions()))
    return [
        f"blocks {list(problem.blocks.sizes)}, L = [{L}]",
        f"costs {costs}",
        f"{kind} sampling, {law}",
    ]


def read_instance(found: Any) -> Instance:
    """The instance that `Instance.to_dict` wrote; raises `InvalidInput` where it is none, or L is
    indefinite.
    """
    try:
        L = tuple(tuple(map(Fraction, row)) for row in found["L"])
        law = None if found["law"] is None else tuple(map(Fraction, found["law"]))
        instance = Instance(
            tuple(found["blocks"]), L, tuple(map(Fraction, found["costs"])), found["sampling"], law
        )
        instance.problem()
        semidefinite = definiteness([list(row) for row in L])
    except InvalidInput:
        raise
    except (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError) as error:
        raise InvalidInput(
            "not an instance that was saved here", str(error), "a file saved here"
        ) from None
    if semidefinite is None or semidefinite < 0:
        raise InvalidInput(
            "must be positive semidefinite",
            "a negative eigenvalue",
            "the file as it was saved",
            argument="L",
        )
    return instance
