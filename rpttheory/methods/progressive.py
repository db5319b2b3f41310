"""Progressive Training: first block 1, then blocks 1 and 2, and so on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np

from ..errors import InvalidInput
from ..numbers.bracket import Bracket
from ..objectives.objective import is_whole
from ..problem.blocks import BlockOrder
from ..problem.quantities import lmax
from .iterate import Step
from .method import Method, Setting
from .stepsize import allowed_stepsize

_THEORY = "stepsize 1/lambda_max of L on the active blocks"


@dataclass(frozen=True, eq=False)
class PT(Method):
    """Progressive Training: in stage b, T_b steps x <- x - gamma_b f'(x) on the first b blocks.

    Paper: alg:MAIN-COMPACT

    gamma_b is the inverse of the largest eigenvalue of the part of L that belongs to the first b
    blocks, so that f decreases at every step. The run ends with the last stage; it need not
    converge unless that stage is long.

    Parameters
    ----------
    lengths : sequence of int
        T_1, ..., T_B, zeros allowed.
    order : BlockOrder or sequence of int, optional
        The order in which blocks are added; by default the order of the blocks.

    Examples
    --------
    >>> PT.progfed(600, 3).lengths
    (100, 100, 400)
    """

    lengths: Sequence[int]
    order: BlockOrder | Sequence[int] | None = None

    name = "PT"

    @classmethod
    def progfed(cls, total: int, count: int) -> PT:
        """ProgFed's stages for B = `count` blocks: T/(2B) steps each, the rest in the last stage.

        Wang et al., "ProgFed: effective, communication, and computation efficient federated
        learning by progressive training", ICML 2022.
        """
        if not (is_whole(total, 1) and is_whole(count, 1)):
            what = "ProgFed needs at least one step and one block"
            raise InvalidInput(what, f"total={total!r}, count={count!r}", "progfed(1000, 3)")
        early = int(total) // (2 * int(count))
        last = int(total) - early * (int(count) - 1)
        return cls((early,) * (int(count) - 1) + (last,))

    @property
    def length(self) -> int | None:
        return int(sum(self.lengths)) if _are_lengths(self.lengths) else None

    def steps(self, setting: Setting, rng: np.random.Generator) -> Iterator[Step]:
        count = setting.blocks.count
        if not _are_lengths(self.lengths) or len(self.lengths) != count or not sum(self.lengths):
            raise InvalidInput(
                f"must be {count} whole numbers, not all zero",
                repr(self.lengths)[:80],
                f"progfed(1000, {count})",
                argument="lengths",
            )
        order = setting.order(self.order)
        stages = []
        for stage, length in enumerate(self.lengths):
            if length:
                rule = f"1/lambda_max of L on the first {stage + 1} block(s)"
                constant = _prefix_lambda_max(setting, order, stage + 1)
                gamma, _ = allowed_stepsize(constant, rule=rule)
                active = np.isin(np.arange(count), order.rank_to_block[: stage + 1])
                stages.append(repeat(Step(active, np.full(count, gamma), _THEORY), int(length)))
        return chain.from_iterable(stages)


def _are_lengths(lengths: object) -> bool:
    if not isinstance(lengths, (Sequence, np.ndarray)):
        return False
    return all(is_whole(length, 0) for length in lengths)


def _prefix_lambda_max(setting: Setting, order: BlockOrder, first: int) -> Bracket:
    """lambda_max of the part of L that belongs to the first so many blocks of an order."""
    blocks = setting.blocks
    L = setting.objective.smoothness
    if first == blocks.count:
        return lmax(L)
    members = np.isin(blocks.labels, order.rank_to_block[:first])
    return lmax(L.restrict(np.flatnonzero(members)))
