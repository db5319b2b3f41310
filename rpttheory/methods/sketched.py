"""Sketched gradient descent: x <- x - gamma C f'(x) with any law of sets of blocks."""

from dataclasses import dataclass

import numpy as np

from ..certify.bracket import Bracket
from ..errors import InvalidInput
from ..problem.quantities import second_moment_smoothness, weighted_smoothness
from ..problem.sampling import NestedSampling, Sampling
from ..reals import FloatArray
from ..validation import check_probabilities
from .method import Engine, IndexArray, Method, Setting
from .schedule import BlockEngine, Schedule, Update
from .stepsize import allowed_stepsize

# Masks drawn at once hold about this many entries.
_MASK_ENTRIES = 2**20


@dataclass(frozen=True, eq=False)
class Sketched(Method):
    """SkGD: x <- x - gamma C f'(x), where C = Diag(1/p_k) on the blocks that the sampling returns.

    Parameters
    ----------
    sampling : Sampling
        Any law of sets of blocks.
    stepsize : float, optional
        By default 1 / L_P where f is convex and 1 / L_M where it is not: the largest that
        `thm:rcdStronglyConvex`, the sharp form of `thm:rcdConvex` and `thm:rcdNonconvex` allow.
    unsafe : bool
        Allow a stepsize above that.
    """

    sampling: Sampling
    stepsize: float | None = None
    unsafe: bool = False

    @property
    def name(self) -> str:
        return "SkGD"

    def start(self, setting: Setting, x0: FloatArray) -> Engine:
        if not hasattr(self.sampling, "probabilities"):
            raise InvalidInput("sampling must be a Sampling", repr(self.sampling)[:80], "NestedSampling([0.5, 1.0])")
        return sketched_engine(setting, x0, self.sampling, self.stepsize, unsafe=self.unsafe)


def sketched_engine(
    setting: Setting, x0: FloatArray, sampling: Sampling, stepsize: float | None, *, unsafe: bool
) -> Engine:
    """SkGD with a sampling: stepsize from the theorem that applies, outcomes from the law."""
    check_probabilities(sampling.marginals, setting.blocks.count)
    constant, rule = sketch_constant(setting, sampling)
    gamma = allowed_stepsize(constant, stepsize, unsafe=unsafe, rule=rule)
    schedule: Schedule
    if isinstance(sampling, NestedSampling):
        schedule = _Nested(sampling.probabilities, gamma.value)
    else:
        schedule = _Masks(sampling, gamma.value)
    return BlockEngine(setting, x0, schedule, str(gamma))


def sketch_constant(setting: Setting, sampling: Sampling) -> tuple[Bracket, str]:
    """The constant whose inverse bounds the stepsize, and the rule in words."""
    L = setting.objective.smoothness
    if setting.objective.strong_convexity is None:
        return second_moment_smoothness(L, setting.blocks, sampling=sampling), "1/L_M (thm:rcdNonconvex)"
    rule = "1/L_P (thm:rcdStronglyConvex)" if setting.objective.strong_convexity else "1/L_P (thm:rcdConvex, sharp)"
    return weighted_smoothness(L, setting.blocks, probabilities=sampling.marginals), rule


class _Nested(Schedule):
    """Outcome i: the i blocks of largest probability (ties enter together)."""

    def __init__(self, probabilities: FloatArray, stepsize: float) -> None:
        self._probabilities = probabilities
        self._ascending = np.sort(probabilities)
        self._scales = stepsize / probabilities

    def draw(self, first: int, rng: np.random.Generator) -> IndexArray:
        # The same uniforms and the same law as NestedSampling.draw: block k is active if p_k > u.
        uniforms = rng.random(self.chunk_size)
        below = np.searchsorted(self._ascending, uniforms, side="right")
        return np.asarray(self._ascending.size - below, dtype=np.intp)

    def update(self, outcome: int) -> Update:
        least = self._ascending[self._ascending.size - outcome] if outcome else np.inf
        return Update(self._probabilities >= least, self._scales)


class _Masks(Schedule):
    """Any sampling: the sets met so far are numbered as they come."""

    def __init__(self, sampling: Sampling, stepsize: float) -> None:
        self._sampling = sampling
        self._stepsize = stepsize
        self._numbers: dict[bytes, int] = {}
        self._sets: list[bytes] = []
        self.chunk_size = max(1, min(Schedule.chunk_size, _MASK_ENTRIES // sampling.probabilities.size))

    def draw(self, first: int, rng: np.random.Generator) -> IndexArray:
        masks = self._sampling.draw(rng, self.chunk_size)
        numbers = []
        for mask in masks:
            key = mask.tobytes()
            number = self._numbers.setdefault(key, len(self._sets))
            if number == len(self._sets):
                self._sets.append(key)
            numbers.append(number)
        return np.array(numbers, dtype=np.intp)

    def update(self, outcome: int) -> Update:
        active = np.frombuffer(self._sets[outcome], dtype=np.bool_)
        return Update(active, self._stepsize * self._sampling.sketch(active))

    def forget(self) -> None:
        self._numbers.clear()
        self._sets.clear()
