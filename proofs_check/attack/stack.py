"""Many problems at once with a point, and where wanted functions and a stepsize."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rpttheory.reals import FloatArray
from rpttheory.theory.attack import stack

from .ridge import Numbers, Ridges


@dataclass(frozen=True, eq=False)
class Stack(stack.Stack):
    """n problems with the same blocks; no list of `Problem`s, since a climb looks at thousands a second in one array.

    Attributes
    ----------
    x : array of shape (n, d)
        A point, a starting point, or a direction in which the dual is looked at.
    f : Ridges, optional
        Functions that are L-smooth.
    stepsize : array of shape (n,), optional
    steps : int
    """

    x: Numbers
    f: Ridges | None = None
    stepsize: Numbers | None = None
    steps: int = 0

    @property
    def function(self) -> Ridges:
        """The functions of statements that speak of some."""
        assert self.f is not None
        return self.f

    @property
    def step(self) -> Numbers:
        """The stepsizes of statements that speak of steps."""
        assert self.stepsize is not None
        return self.stepsize

    @cached_property
    def dual(self) -> FloatArray:
        """v'Lv with the costs for traces: at most c(P) for every P, by weak duality."""
        return self.dual_of(self.costs)

    def dual_of(self, traces: FloatArray) -> FloatArray:
        """v'Lv where v_k is x_k stretched to the length sqrt(t_k)."""
        squares = np.add.reduceat(self.x * self.x, self.blocks.starts, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            v = self.x * np.sqrt(traces / squares)[:, self.blocks.labels]
        return np.asarray(np.einsum("ni,nij,nj->n", v, self.L, v, optimize=False))
