"""Randomized Progressive Training: SkGD with the nested PT-sketch."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from ..problem.quantities import closed_form
from ..problem.sampling import NestedSampling
from ..reals import FloatArray
from ..validation import check_probabilities
from .method import Engine, Method, Setting
from .sketched import sketched_engine


@dataclass(frozen=True, eq=False)
class RPT(Method):
    """Randomized Progressive Training, `alg:rpt`.

    Parameters
    ----------
    probabilities : array, optional
        One per block; the order in which blocks are admitted follows from them. By default the closed form of
        `lem:upperBound` for the costs of the run.
    stepsize : float, optional
        1 / L_P by default (1 / L_M where f is not convex), as for `Sketched`.
    unsafe : bool
        Allow a stepsize above that.
    """

    probabilities: ArrayLike | None = None
    stepsize: float | None = None
    unsafe: bool = False

    @property
    def name(self) -> str:
        return "RPT"

    def start(self, setting: Setting, x0: FloatArray) -> Engine:
        chosen = self.probabilities
        if chosen is None:
            chosen = closed_form(setting.objective.smoothness, setting.blocks, setting.costs).probabilities
        sampling = NestedSampling(check_probabilities(chosen, setting.blocks.count))
        return sketched_engine(setting, x0, sampling, self.stepsize, unsafe=self.unsafe)
