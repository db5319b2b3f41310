"""The judge of a search: certifies every point a route proposes and keeps the best two numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..eigen import prove_psd
from ..numbers import Bracket, Rigour, Verdict
from ..numbers.exact_array import FloatArray
from ..problem.spectral import Effort
from .certificate import Upper, lower_bound, probabilities_from, upper_bound
from .program import Program

Callback = Callable[[float, float], object]


@dataclass
class Judge:
    """The best certified bounds so far, and what was spent on them.

    Routes call `propose`; nothing else they say is believed. `estimate` only tells the user how a
    route sees its own progress.
    """

    program: Program
    tol: float
    callback: Callback | None = None
    lower: float = 0.0
    upper: float = math.inf
    best: Upper | None = None
    dual: FloatArray | None = None
    rigours: list[Rigour] = field(default_factory=list)
    factorisations: int = 0

    @property
    def gap(self) -> float:
        """(upper - lower) / upper of the certified bounds."""
        if self.upper == 0:
            return 0.0
        return (self.upper - self.lower) / self.upper if math.isfinite(self.upper) else math.inf

    @property
    def satisfied(self) -> bool:
        """Whether the certified gap is within the tolerance."""
        return self.gap <= self.tol

    @property
    def rigour(self) -> Rigour:
        """The weakest rigour of any bound that was kept."""
        return min(self.rigours)

    def propose(
        self,
        q: FloatArray | None = None,
        V: FloatArray | None = None,
        *,
        vector: FloatArray | None = None,
        effort: Effort = "fast",
    ) -> None:
        """Certify a primal point, a dual point or both. `vector` may help to bound L_P at q."""
        if V is not None:
            V = self.program.fitted(V)
            lower, rigour = lower_bound(self.program, V)
            if lower > self.lower or self.dual is None:
                self.lower = max(lower, self.lower)
                self.dual = V
                self.rigours.append(rigour)
        if q is not None:
            upper = upper_bound(self.program, q, vector=vector, effort=effort)
            if upper.value < self.upper or self.best is None:
                self.upper = upper.value
                self.best = upper
                self.rigours.append(upper.rigour)
        self.estimate(self.lower, self.upper)

    def try_to_close(self, q: FloatArray, V: FloatArray) -> bool:
        """Whether one factorisation proves the gap closed at q and V; cheaper than measuring how
        far it is.

        Where L has no entries to factor this is an ordinary proposal.
        """
        explicit = self.program.smoothness.explicit()
        if explicit is None:
            self.propose(q, V, vector=generic_vector(V))
            return self.satisfied
        self.propose(V=V)
        p, floored = probabilities_from(self.program, q)
        cost = self.program.expected_cost(p)
        target = self.lower / (1 - 0.95 * self.tol)
        level = (Bracket.point(target) / cost).lower
        self.factorisations += 1
        sharp = self.tol < 1e-8
        if prove_psd(explicit, self.program.blocks.expand(p), level, sharp=sharp) is Verdict.PROVED:
            value = (Bracket.point(level) * cost).upper
            if value < self.upper:
                self.upper = value
                self.best = Upper(p, value, Rigour.ROUNDED, floored)
                self.rigours.append(Rigour.ROUNDED)
        self.estimate(self.lower, self.upper)
        return self.satisfied

    def estimate(self, lower: float, upper: float) -> None:
        """Pass a bracket on to whoever watches, until they have seen enough: what is left to
        certify is certified.
        """
        watch = self.callback
        self.callback = None
        if watch is not None:
            watch(lower, upper)
            self.callback = watch

    def propose_gradient_descent(self) -> None:
        """p = 1 and the top eigenvector spread over the blocks: a bracket that is always at
        hand.
        """
        program = self.program
        x = program.smoothness.leading_eigenpair().vector
        norms = np.sqrt(np.add.reduceat(x * x, program.blocks.starts))
        scale = np.sqrt(program.costs) / np.where(norms > 0, norms, 1.0)
        self.propose(
            np.ones(program.blocks.count), (scale[program.blocks.labels] * x)[:, None], vector=x
        )


def generic_vector(V: FloatArray) -> FloatArray:
    """A generic vector in the range of V: columns of a good dual factor are top vectors of the
    pencil.
    """
    return np.asarray(V @ np.random.default_rng(7).standard_normal(V.shape[1]))
