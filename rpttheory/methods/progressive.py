"""Progressive Training: first block 1, then blocks 1 and 2, and so on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..certify.bracket import Bracket
from ..errors import InvalidInput
from ..problem.blocks import BlockOrder, Blocks
from ..problem.quantities import lambda_max
from ..problem.smoothness import DiagonalSmoothness, OperatorSmoothness, Smoothness, as_smoothness
from ..reals import FloatArray
from .method import Engine, IndexArray, Method, Setting, check_instance
from .schedule import BlockEngine, Schedule, Update
from .stepsize import allowed_stepsize, stepsizes_in_words


@dataclass(frozen=True, eq=False)
class ProgressiveTraining(Method):
    """PT, the paper's first algorithm: in stage b, T_b steps x <- x - gamma_b G_b f(x) on the first b blocks.

    Paper: alg:MAIN-COMPACT

    The run ends with the last stage. Nothing makes it converge unless that stage is long.

    Parameters
    ----------
    lengths : sequence of int
        T_1, ..., T_B, zeros allowed.
    stepsizes : array, optional
        gamma_1, ..., gamma_B. By default the inverse of the largest eigenvalue of the part of L that belongs to the
        first b blocks, for which f falls at every step.
    order : BlockOrder, optional
        Which blocks come first; by default the order of the blocks.
    unsafe : bool
        Allow larger stepsizes.

    Examples
    --------
    >>> ProgressiveTraining.progfed(600, 3).lengths
    (100, 100, 400)
    """

    lengths: Sequence[int]
    stepsizes: ArrayLike | None = None
    order: BlockOrder | None = None
    unsafe: bool = False

    @classmethod
    def progfed(
        cls, total: int, count: int, *, stepsizes: ArrayLike | None = None, order: BlockOrder | None = None
    ) -> ProgressiveTraining:
        """ProgFed's schedule for B = `count` blocks: T_1 = ... = T_{B-1} = T/(2B), the rest to the last stage.

        Wang et al., "ProgFed: effective, communication, and computation efficient federated learning by progressive
        training", ICML 2022.
        """
        if not all(_is_whole(number) and number >= 1 for number in (total, count)):
            raise InvalidInput(
                "ProgFed needs at least one step and one block", f"total={total!r}, count={count!r}", "progfed(1000, 3)"
            )
        steps, stages = int(total), int(count)
        early = steps // (2 * stages)
        return cls((*[early] * (stages - 1), steps - early * (stages - 1)), stepsizes, order)

    @property
    def name(self) -> str:
        return "PT"

    def start(self, setting: Setting, x0: FloatArray) -> Engine:
        count = setting.blocks.count
        lengths = self._checked_lengths(count)
        order = BlockOrder(range(count)) if self.order is None else check_instance(self.order, BlockOrder, "order")
        given = [None] * count if self.stepsizes is None else np.asarray(self.stepsizes, dtype=object).ravel().tolist()
        for name, entries in (("order", order.rank_to_block), ("stepsizes", given)):
            if len(entries) != count:
                raise InvalidInput(f"{name} must have one entry per block, {count} in all", f"{len(entries)}", "none")
        table = np.zeros((count, count))
        for stage in range(count):
            chosen = list(order.rank_to_block[: stage + 1])
            if lengths[stage] or given[stage] is not None:
                top = top_of_blocks(setting.objective.smoothness, setting.blocks, chosen)
                rule = f"1/lambda_max of L on the first {stage + 1} block(s)"
                table[stage, chosen] = allowed_stepsize(top, given[stage], unsafe=self.unsafe, rule=rule).value
        theory = stepsizes_in_words(self.stepsizes, "1/lambda_max of L on the active blocks")
        return BlockEngine(setting, x0, _Stages(lengths, table), theory)

    def _checked_lengths(self, count: int) -> list[int]:
        lengths = list(self.lengths) if isinstance(self.lengths, (Sequence, np.ndarray)) else [self.lengths]
        whole = all(_is_whole(T) and T >= 0 for T in lengths)
        if len(lengths) != count or not whole or not sum(lengths):
            raise InvalidInput(
                f"lengths must be {count} whole numbers, not all zero", repr(lengths)[:80], f"progfed(1000, {count})"
            )
        return [int(T) for T in lengths]


def _is_whole(number: object) -> bool:
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def top_of_blocks(L: Smoothness, blocks: Blocks, chosen: Sequence[int]) -> Bracket:
    """lambda_max of the principal submatrix of L that belongs to some blocks."""
    members = np.isin(blocks.labels, chosen)
    if members.all():
        return lambda_max(L)
    first, last = int(np.argmax(members)), members.size - int(np.argmax(members[::-1]))
    if members[first:last].all():
        return lambda_max(L.restrict(slice(first, last)))
    if isinstance(L, DiagonalSmoothness):
        return lambda_max(DiagonalSmoothness(L.given[members]))
    explicit = L.explicit()
    if explicit is not None and explicit.slack is None:
        return lambda_max(as_smoothness(explicit.matrix[members][:, members]))

    def product(x: FloatArray) -> FloatArray:
        padded = np.zeros((L.dimension, x.shape[1]))
        padded[members] = x
        return L.matmat(padded)[members]

    return lambda_max(OperatorSmoothness(int(members.sum()), product, counter=L.counter))


class _Stages(Schedule):
    """Outcome b: the blocks of stage b."""

    def __init__(self, lengths: Sequence[int], table: FloatArray) -> None:
        self._ends = np.cumsum(lengths)
        self._table = table
        self.length = int(self._ends[-1])

    def draw(self, first: int, rng: np.random.Generator) -> IndexArray:
        stages = np.searchsorted(self._ends, np.arange(first, first + self.chunk_size), side="right")
        return np.minimum(stages, self._ends.size - 1)

    def update(self, outcome: int) -> Update:
        # A stage gives every one of its blocks a positive stepsize.
        stepsizes = np.asarray(self._table[outcome])
        return Update(stepsizes > 0, stepsizes)
