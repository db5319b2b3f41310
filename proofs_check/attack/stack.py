"""Many problems at once with a point, and where wanted functions and a stepsize."""

from dataclasses import dataclass

from rpttheory.statements.batch import Batch

from .ridge import Numbers, Ridges


@dataclass(frozen=True, eq=False)
class Stack(Batch):
    """n problems with the same blocks; no list of `Problem`s, since a climb looks at thousands a
    second in one array.

    Attributes
    ----------
    x : array of shape (n, d)
        A point, a starting point, or a direction in which the dual is looked at.
    f : Ridges, optional
        Functions that are L-smooth.
    stepsize : array of shape (n,), optional
    steps : int
    """

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
