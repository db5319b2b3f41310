"""One problem in fractions, on which a statement is decided and which the result shows."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..problem.problem import Problem
from ..problem.sampling import ExplicitSampling, OneOfEachGroup
from ..problem.sampling.named import NAMED_SAMPLINGS
from ..statements.batch import Batch, ExactBatch, subsets
from ..statements.piecewise import Numbers, Piecewise, Shape

Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]


@dataclass(frozen=True)
class Function:
    """One function of `Piecewise`, in fractions; None is a row without a threshold."""

    rows: Matrix
    thresholds: tuple[Fraction | None, ...]
    mu: Fraction
    shape: Shape

    def line(self) -> str:
        """Return the function on one line."""
        pieces = (
            f"({' '.join(map(str, row))}) {'without threshold' if t is None else f'to {t}'}"
            for row, t in zip(self.rows, self.thresholds, strict=True)
        )
        return f"f: {self.shape}, mu = {self.mu}, rows {', '.join(pieces)}"


@dataclass(frozen=True)
class Instance:
    """A matrix, blocks, costs and a sampling, and where a statement speaks of them a point, a
    function, a stepsize and a number of steps. All numbers are fractions.

    Attributes
    ----------
    distribution : tuple of Fraction, optional
        Probabilities per block; for the sampling "explicit" the weights of all sets of blocks, from
        the empty one to the whole one; None for the closed form, whose doubles the library
        computes.
    """

    sizes: tuple[int, ...]
    L: Matrix
    costs: Vector
    sampling: str
    distribution: Vector | None
    x: Vector | None = None
    function: Function | None = None
    stepsize: Fraction | None = None
    steps: int = 0

    def problem(self) -> Problem:
        """Return the problem as the library sees it."""
        options: dict[str, Any] = {"sampling": self.sampling}
        kind, _, tau = self.sampling.partition(":")
        if kind == "explicit":
            masks = zip(subsets(len(self.sizes)), self.distribution or (), strict=False)
            positive = [(mask, weight) for mask, weight in masks if weight]
            options = {"sampling": ExplicitSampling(*zip(*positive, strict=True))}
        elif kind == OneOfEachGroup.name:
            groups = groups_in_turn(len(self.sizes), int(tau))
            p = np.array(self.distribution, dtype=object)
            options = {"sampling": OneOfEachGroup(groups, p)}
        elif kind in NAMED_SAMPLINGS and self.distribution is not None:
            options["probabilities"] = list(self.distribution)
        L = np.array([list(row) for row in self.L], dtype=object)
        return Problem(L, self.sizes, list(self.costs), **options)

    def floats(self) -> Batch:
        """Return a batch of this one problem in floats."""
        problem = self.problem()
        every = np.arange(len(self.sizes))
        pairs = problem.sampling.pair_ratio(every[:, None], every[None, :])
        p = problem.probabilities[None]
        options = self._parts(float)
        max_blocks = np.array([float(problem.sampling.max_blocks)])
        return Batch(problem.blocks, p=p, pairs=pairs[None], max_blocks=max_blocks, **options)

    @cached_property
    def exact(self) -> ExactBatch:
        """A batch of this one problem in fractions."""
        problem = self.problem().with_effort("exact")
        p = np.array([problem.sampling.marginals.fractions()], dtype=object)
        weights = None
        if self.sampling == "explicit" and self.distribution is not None:
            total = sum(self.distribution)
            weights = np.array([[weight / total for weight in self.distribution]], dtype=object)
        return ExactBatch(
            problem.blocks, p=p, problem=problem, weights=weights, **self._parts(object)
        )

    def _parts(self, dtype: type) -> dict[str, Any]:
        """Return the fields of a batch, apart from the probabilities."""

        def stacked(values: Any) -> Numbers:
            return np.array([values], dtype=dtype)

        f = self.function
        function = None
        if f is not None:
            limits = [np.inf if limit is None else limit for limit in f.thresholds]
            function = Piecewise(stacked(f.rows), stacked(limits), stacked(f.mu), f.shape)
        return {
            "L": stacked(self.L),
            "costs": stacked(self.costs),
            "x": None if self.x is None else stacked(self.x),
            "f": function,
            "stepsize": None if self.stepsize is None else stacked(self.stepsize),
            "steps": self.steps,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe values; fractions are text."""
        values = {name: _as_text(value) for name, value in vars(self).items() if name != "exact"}
        if self.function is not None:
            parts = vars(self.function).items()
            values["function"] = {name: _as_text(value) for name, value in parts}
        return values

    def lines(self) -> list[str]:
        """Return the instance for people to read."""
        lines = described(self.problem(), closed=self.distribution is None)
        if self.x is not None:
            lines.append(f"x = {' '.join(map(str, self.x))}")
        if self.function is not None:
            lines.append(self.function.line())
        if self.stepsize is not None:
            lines.append(f"stepsize {self.stepsize}, {self.steps} steps")
        return lines


def groups_in_turn(count: int, tau: int) -> list[list[int]]:
    """Return `tau` groups of blocks, to which the blocks are dealt in turn."""
    return [list(range(first, count, tau)) for first in range(tau)]


def described(problem: Problem, *, closed: bool = False) -> list[str]:
    """Return a problem for people to read, in fractions."""
    entries = problem.smoothness.rational()
    L = (
        repr(problem.smoothness)
        if entries is None
        else "; ".join(" ".join(map(str, row)) for row in entries)
    )
    sampling = problem.sampling
    distribution = (
        "p = the closed form"
        if closed
        else f"p = {' '.join(map(str, sampling.marginals.fractions()))}"
    )
    if sampling.name not in NAMED_SAMPLINGS:
        distribution = "Prob " + ", ".join(
            f"{{{' '.join(map(str, np.flatnonzero(outcome.active)))}}} = {outcome.probability}"
            for outcome in sampling.support()
        )
    costs = " ".join(map(str, problem.costs.fractions()))
    return [
        f"blocks {list(problem.blocks.sizes)}, L = [{L}]",
        f"costs {costs}",
        f"{sampling.name} sampling, {distribution}",
    ]


def _as_text(value: Any) -> Any:
    """Return fractions as text, and tuples as lists."""
    if isinstance(value, tuple):
        return [_as_text(part) for part in value]
    return str(value) if isinstance(value, Fraction) else value
