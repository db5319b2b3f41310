"""Federated training: clients with images of their own, some of whom train for an epoch in each
round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...networks.draws import Randomized
from ...networks.pytree import Labels
from .blocks import block_kind, block_kinds
from .data import ImageData
from .net import DEAL, SPLIT, Parted, generator
from .progressive import Growing, Growth
from .rounds import Dealer, Share
from .training import Run


@dataclass(frozen=True)
class Clients:
    """Who holds which images, and how many of them work in a round.

    Parameters
    ----------
    data : ImageData
    count, active : int
    batch : int
        Images in a local step.
    by_class : bool
        Images are sorted by class and cut into two pieces for each client, instead of dealt evenly.
    """

    data: ImageData
    count: int
    active: int
    batch: int
    by_class: bool = False

    def shares(self, run: Run, number: int, kind: str) -> list[Share]:
        """A random choice of clients, with one epoch of each."""
        rng = generator(run.seed, DEAL, number)
        chosen = rng.choice(self.count, self.active, replace=False)
        own = _split(self, run.seed)
        return [
            Share(kind, int(client), self._epoch(rng.permutation(own[client]))) for client in chosen
        ]

    def _epoch(self, order: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        whole = max(len(order) // self.batch, 1)
        return list(order[: whole * self.batch].reshape(whole, -1))


@lru_cache(maxsize=2)
def _split(clients: Clients, seed: int) -> list[NDArray[np.intp]]:
    rng = generator(seed, SPLIT)
    classes = clients.data.train[1]
    order = rng.permutation(len(classes))
    if not clients.by_class:
        return np.array_split(order, clients.count)
    pieces = np.array_split(order[np.argsort(classes[order], kind="stable")], 2 * clients.count)
    pairs = rng.permutation(2 * clients.count).reshape(clients.count, 2)
    return [np.concatenate([pieces[one], pieces[other]]) for one, other in pairs]


class _Federated(Dealer):
    """Clients that train for an epoch: SGD with momentum, and a rate that falls as a cosine over
    the rounds.
    """

    clients: Clients
    total: int
    momentum = 0.9

    def batch(self, run: Run) -> int:
        return self.clients.batch

    def counted(self, number: int) -> int:
        """The rounds before this one that let the rate fall."""
        return number

    def factor(self, number: int) -> float:
        return (1 + math.cos(math.pi * min(self.counted(number) / self.total, 1.0))) / 2


class ProgFedDealer(Growing, _Federated):
    """ProgFed: progressive training by clients; the rate stands still in a warm-up."""

    def __init__(
        self, network: Parted, clients: Clients, growth: Growth, fade: bool = False
    ) -> None:
        super().__init__(network, growth, fade)
        self.clients = clients
        self.workers = clients.count
        self.total = growth.total

    def counted(self, number: int) -> int:
        return self.growth.at(number)[2]

    def deal(self, run: Run, number: int) -> list[Share]:
        return self.clients.shares(run, number, self.kind(number))


class FederatedDealer(_Federated):
    """RPT by clients: one draw of active blocks a round, which alone are sent; all of them always
    is FedAvg.
    """

    def __init__(self, labels: Labels, clients: Clients, draw: Randomized, total: int) -> None:
        self.clients = clients
        self.workers = clients.count
        self.total = total
        self._draw = draw
        self.kinds = block_kinds(labels, draw)

    def deal(self, run: Run, number: int) -> list[Share]:
        threshold = generator(run.seed, DEAL, number, 1).random()
        depth = int((self._draw.probabilities > threshold).sum())
        return self.clients.shares(run, number, block_kind(self._draw, depth))
