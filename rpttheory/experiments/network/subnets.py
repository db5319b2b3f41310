"""Independent subnetworks: IST deals neurons to workers, ResIST residual blocks.

B. Yuan et al., Distributed Learning of Fully Connected Neural Networks using Independent Subnet
Training (VLDB 2022). C. Dun, C. R. Wolfe, C. M. Jermaine and A. Kyrillidis, ResIST: Layer-Wise
Decomposition of ResNets for Distributed Training (UAI 2022).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...networks.models import Part
from .net import DEAL, Parted, drawn, generator
from .rounds import Dealer, Share
from .training import Kind, Run


class _Local(Dealer):
    """Workers that share the order of the images, and take so many steps between two averages."""

    def __init__(self, network: Parted, workers: int, steps: int, batch: int) -> None:
        self.network = network
        self.workers = workers
        self._steps = steps
        self._batch = batch

    def batch(self, run: Run) -> int:
        return self._batch

    def batches(self, run: Run, number: int, worker: int) -> list[NDArray[np.intp]]:
        """The images of a worker in a round."""
        first = (number * self.workers + worker) * self._steps
        return [
            drawn(self.network.data, run.seed, first + step, self._batch)
            for step in range(self._steps)
        ]


class SubnetDealer(_Local):
    """IST: every round each hidden layer's neurons are dealt to the workers, who train the networks
    between their own.

    In a residual network the hidden layers are those between the two convolutions of a pair, and
    neurons that are normalised together stay together; all else belongs to everybody and is
    averaged.
    """

    def __init__(self, network: Parted, workers: int, steps: int, batch: int) -> None:
        for layer, (groups, _) in network.hidden.items():
            if groups % workers:
                raise InvalidInput(
                    "must divide the groups of every hidden layer for IST",
                    f"{workers} workers, {groups} groups in {layer}",
                    "or another `width`",
                    argument="nodes",
                    suggest={"nodes": groups},
                )
        super().__init__(network, workers, steps, batch)
        part = Part(shrink=workers)
        self.kinds = {"subnet": Kind(part, network.members(part))}

    def deal(self, run: Run, number: int) -> list[Share]:
        rng = generator(run.seed, DEAL, number)
        neurons: list[dict[str, NDArray[np.intp]]] = [{} for _ in range(self.workers)]
        for layer, (groups, size) in self.network.hidden.items():
            dealt = rng.permutation(groups).reshape(self.workers, -1)
            for own, mine in zip(neurons, dealt, strict=True):
                own[layer] = (np.sort(mine)[:, None] * size + np.arange(size)).ravel()
        return [
            Share("subnet", worker, self.batches(run, number, worker), neurons[worker])
            for worker in range(self.workers)
        ]


class ResidualDealer(_Local):
    """ResIST: every round residual blocks are dealt to workers, in whose networks the others are
    the identity.

    Parameters
    ----------
    least : int, optional
        Every worker has at least as many; several may have the same one. Half of them by default.
    """

    momentum = 0.9
    weight_decay = 5e-4

    def __init__(
        self, network: Parted, workers: int, steps: int, batch: int, least: int | None = None
    ) -> None:
        blocks = network.optional
        if not blocks:
            raise InvalidInput(
                "ResIST needs residual blocks to deal",
                "one pair of convolutions in each stage",
                suggest={"model": "resnet20"},
            )
        super().__init__(network, workers, steps, batch)
        least = len(blocks) // 2 if least is None else least
        self._each = min(max(least, math.ceil(len(blocks) / workers)), len(blocks))
        self.kinds = {}
        for present in combinations(range(len(blocks)), self._each):
            part = Part(absent=tuple(name for at, name in enumerate(blocks) if at not in present))
            self.kinds[_listed(present)] = Kind(part, network.members(part))

    def deal(self, run: Run, number: int) -> list[Share]:
        rng = generator(run.seed, DEAL, number)
        waiting: list[int] = []
        shares = []
        for worker in range(self.workers):
            own: list[int] = []
            while len(own) < self._each:
                if set(waiting) <= set(own):
                    waiting += rng.permutation(len(self.network.optional)).tolist()
                own.append(next(block for block in waiting if block not in own))
                waiting.remove(own[-1])
            shares.append(Share(_listed(sorted(own)), worker, self.batches(run, number, worker)))
        return shares

    def judged(self, number: int) -> tuple[Part, float]:
        """All blocks, each scaled by the share of the workers' blocks in all: it was there so
        often.
        """
        return Part(scale=self._each / len(self.network.optional)), 1.0


def _listed(blocks: Sequence[int]) -> str:
    return "blocks " + " ".join(map(str, blocks))
