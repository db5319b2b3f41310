"""Random and adversarial instances in stacks, with integers for entries so that every float is
exact.

Probabilities are 1 / r_k with integers r_k. Then E[CLC] of the nested sampling has entries L_ij
min(r_i, r_j), and the pencil (L, P) of L_P becomes (R L R, R) by congruence: both are exact as
well.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rpttheory import Blocks
from rpttheory.numbers.exact_array import FloatArray

from ..engine.entry import Trial

PARTITIONS = (
    (1,),
    (1, 1),
    (2, 1),
    (1, 1, 1),
    (2, 2),
    (1, 2, 1),
    (1, 1, 1, 1),
    (3, 1, 2),
    (2, 2, 2),
    (1,) * 6,
    (4, 3, 1),
)


@dataclass(frozen=True)
class Batch:
    """n problems with the same blocks, in integers; no `Problem`s, since proofs are checked without
    the package.

    Attributes
    ----------
    L : array of shape (n, d, d)
        Integer positive semidefinite matrices.
    r : array of shape (n, B)
        Integers, the least of each row 1: p = 1 / r.
    costs : array of shape (n, B)
        Positive integers, not normalised.
    """

    blocks: Blocks
    family: str
    L: FloatArray
    r: FloatArray
    costs: FloatArray

    @property
    def per_coordinate(self) -> FloatArray:
        """r repeated along the coordinates of each block."""
        return self.r[:, self.blocks.labels]

    @property
    def second_moment(self) -> FloatArray:
        """E[CLC] of the nested sampling."""
        r = self.per_coordinate
        return self.L * np.minimum(r[:, :, None], r[:, None, :])

    @property
    def weighted(self) -> tuple[FloatArray, FloatArray]:
        """Matrices and weights whose pencil has L_P as its largest eigenvalue."""
        r = self.per_coordinate
        return self.L * (r[:, :, None] * r[:, None, :]), r

    def describe(self, index: int) -> str:
        """One problem in words."""
        matrix = self.L[index].astype(int).tolist()
        return (
            f"blocks {self.blocks.sizes}, L = {matrix}, 1/p = {self.r[index].astype(int).tolist()}"
        )


def batches(trial: Trial, count: int) -> Iterator[Batch]:
    """At least `count` problems in all, over every partition and family."""
    each = -(-trial.instances(count) // (len(PARTITIONS) * len(FAMILIES)))
    for sizes in PARTITIONS:
        blocks = Blocks(sizes)
        for family, make in FAMILIES.items():
            L = make(trial.rng, each, blocks)
            r = np.rint(
                2.0
                ** trial.rng.uniform(0, trial.rng.choice([0.0, 3.0, 10.0]), (each, blocks.count))
            )
            r[np.arange(each), trial.rng.integers(blocks.count, size=each)] = 1.0
            costs = np.rint(2.0 ** trial.rng.uniform(0, 8, (each, blocks.count)))
            yield Batch(blocks, family, L, r, costs)


def _gram(factors: FloatArray) -> FloatArray:
    return np.asarray(factors.transpose(0, 2, 1) @ factors)


def _of_rank(
    rng: np.random.Generator, n: int, blocks: Blocks, rank: int, largest: int
) -> FloatArray:
    return _gram(
        rng.integers(-largest, largest + 1, (n, rank, blocks.dimension)).astype(np.float64)
    )


def _full(rng: np.random.Generator, n: int, blocks: Blocks) -> FloatArray:
    return _of_rank(rng, n, blocks, blocks.dimension + 1, 4)


def _graded(rng: np.random.Generator, n: int, blocks: Blocks) -> FloatArray:
    scale = 2.0 ** rng.integers(0, 11, (n, 1, blocks.dimension))
    return _gram(rng.integers(-3, 4, (n, blocks.dimension, blocks.dimension)) * scale)


def _nearly_coupled(rng: np.random.Generator, n: int, blocks: Blocks) -> FloatArray:
    """A dominating rank-one part, close to the tight construction."""
    strong = rng.integers(-60, 61, (n, 1, blocks.dimension))
    weak = rng.integers(-1, 2, (n, 2, blocks.dimension))
    return _gram(np.concatenate((strong, weak), axis=1).astype(np.float64))


def _block_diagonal(rng: np.random.Generator, n: int, blocks: Blocks) -> FloatArray:
    same: NDArray[np.bool_] = blocks.labels[:, None] == blocks.labels[None, :]
    return _full(rng, n, blocks) * same


FAMILIES: dict[str, Callable[[np.random.Generator, int, Blocks], FloatArray]] = {
    "full": _full,
    "rank one": partial(_of_rank, rank=1, largest=9),
    "low rank": partial(_of_rank, rank=2, largest=5),
    "graded": _graded,
    "nearly coupled": _nearly_coupled,
    "block-diagonal": _block_diagonal,
}
