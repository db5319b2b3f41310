"""Rounds of several workers: each trains a part of the network on its own images, and the changes
are averaged.

A number that several workers have trained moves by the mean of its changes, one that none has
trained stands still; so the same round serves federated averaging, where all have the same part,
and independent subnetworks, where hardly any number is shared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jax
import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ...networks.models import WHOLE, Part
from ...networks.pytree import PyTree
from .net import Flat, Parted, batch_of, judgement
from .training import Kind, Run, Spent, Trainer

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Share:
    """What one worker does in a round.

    Parameters
    ----------
    kind : str
    worker : int
    batches : sequence of arrays
        The training images of each local step.
    neurons : mapping
        Which of the neurons of each hidden layer the worker has; all of them by default.
    """

    kind: str
    worker: int
    batches: Sequence[NDArray[np.intp]]
    neurons: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)


class Dealer(ABC):
    """A method as its rounds: who trains what, by which rate, and what is judged.

    Attributes
    ----------
    kinds : dict
        By name; those that `deal` may name.
    workers : int
        How many there are in all, those that rest in a round included.
    momentum, weight_decay : float
        Of the local steps; a worker begins every round without momentum.
    """

    kinds: Mapping[str, Kind]
    workers: int
    momentum: float = 0.0
    weight_decay: float = 0.0

    @abstractmethod
    def deal(self, run: Run, number: int) -> list[Share]:
        """The shares of a round."""

    def factor(self, number: int) -> float:
        """What the learning rate is multiplied by in this round."""
        return 1.0

    def mix(self, number: int) -> float:
        """How far a part that fades in has come in this round, from 0 to 1."""
        return 1.0

    def judged(self, number: int) -> tuple[Part, float]:
        """The part that is judged after so many rounds, and its mix."""
        return WHOLE, 1.0

    def batch(self, run: Run) -> int:
        """Images in a local step."""
        return run.batch


class Rounds(Trainer):
    """The rounds of a dealer on one network.

    A worker receives what has changed since it last had it, and sends the changes of all that it
    trained.
    """

    def __init__(self, network: Parted, dealer: Dealer) -> None:
        self.network = network
        self.dealer = dealer
        self.kinds = dealer.kinds
        start = network.everything(0)
        self._paths = tuple(start)
        self.size = sum(start[path].size for path in network.members(WHOLE))
        self._members = cache(network.members)
        self._step = cache(
            lambda kind: local_step(network, kind, dealer.momentum, dealer.weight_decay)
        )
        self._judged = jax.jit(
            lambda params, batch, mix, part: judgement(
                network.logits(params, batch[0], part, mix), batch
            ),
            static_argnums=3,
        )

    def started(self, run: Run) -> PyTree:
        """Parameters, the round after which each has changed last, and the same of what each worker
        has.
        """
        none = np.full((self.dealer.workers, len(self._paths)), -1, np.int32)
        return self.network.everything(run.seed), np.zeros(len(self._paths), np.int32), none

    def batches_per_epoch(self, run: Run) -> int:
        return len(self.network.data.train[0]) // self.dealer.batch(run)

    def advance(self, run: Run, number: int, tree: PyTree) -> tuple[PyTree, Spent]:
        params: Arrays = {path: np.asarray(leaf) for path, leaf in tree[0].items()}
        changed = np.array(tree[1])
        had = np.array(tree[2])
        shares = self.dealer.deal(run, number)
        rate = np.float32(run.learning_rate * self.dealer.factor(number))
        results = []
        counts = dict[str, float]()
        floats = 0
        batches = 0
        for share in shares:
            kind = self.kinds[share.kind]
            own = {
                path: params[path][self._entries(path, params[path].shape, share)]
                for path in self._members(kind.part)
            }
            places = np.array([self._paths.index(path) for path in own])
            floats += sum(
                own[self._paths[at]].size
                for at in places[changed[places] > had[share.worker, places]].tolist()
            )
            had[share.worker, places] = changed[places]
            results.append((share, own, self._trained(run, number, share, own, rate, batches)))
            floats += sum(own[path].size for path in kind.trained)
            batches += len(share.batches)
            counts[share.kind] = counts.get(share.kind, 0) + len(share.batches) / len(shares)
        params = self._averaged(params, results)
        for share in shares:
            changed[[self._paths.index(path) for path in self.kinds[share.kind].trained]] = (
                number + 1
            )
        return (params, changed, had), Spent(counts, floats / len(shares), batches)

    def _entries(self, path: str, shape: tuple[int, ...], share: Share) -> Any:
        """Which numbers of an array a worker has."""
        cuts = dict(self.network.cuts.get(path, ())) if share.neurons else {}
        if not cuts:
            return ...
        return np.ix_(
            *(
                share.neurons[cuts[axis]] if axis in cuts else range(n)
                for axis, n in enumerate(shape)
            )
        )

    def _trained(
        self, run: Run, number: int, share: Share, own: Arrays, rate: Any, place: int
    ) -> Arrays:
        """Local steps; `place` tells the batches of a round apart."""
        kind = self.kinds[share.kind]
        step = self._step(kind)
        mix = np.float32(self.dealer.mix(number))
        moved: Flat = {path: own[path] for path in kind.trained}
        rest = {path: leaf for path, leaf in own.items() if path not in moved}
        speed: Flat = (
            {path: np.zeros_like(leaf) for path, leaf in moved.items()}
            if self.dealer.momentum
            else {}
        )
        for batch, chosen in enumerate(share.batches, start=place):
            seen = batch_of(self.network.data, chosen, run.seed, number, batch)
            moved, speed = step(moved, rest, speed, seen, rate, mix)
        return {path: np.asarray(leaf) for path, leaf in moved.items()}

    def _averaged(self, params: Arrays, results: Sequence[tuple[Share, Arrays, Arrays]]) -> Arrays:
        """Every number moved by the mean of its changes."""
        found = dict(params)
        for path in dict.fromkeys(path for _, _, trained in results for path in trained):
            change = np.zeros(params[path].shape)
            count = np.zeros(params[path].shape)
            for share, own, trained in results:
                if path in trained:
                    entries = self._entries(path, change.shape, share)
                    change[entries] += trained[path].astype(np.float64) - own[path]
                    count[entries] += 1
            found[path] = (params[path] + change / np.maximum(count, 1)).astype(np.float32)
        return found

    def judged(self, number: int, tree: PyTree, batch: tuple[Any, Any]) -> tuple[Any, Any]:
        part, mix = self.dealer.judged(number)
        own = {path: tree[0][path] for path in self._members(part)}
        found: tuple[Any, Any] = self._judged(own, batch, np.float32(mix), part)
        return found


def local_step(network: Parted, kind: Kind, momentum: float, weight_decay: float) -> Any:
    """A compiled step of SGD: (trained, rest, speed, batch, rate, mix) -> (trained, speed)."""
    factors = dict(zip(kind.trained, kind.factors, strict=True)) if kind.factors else {}

    def step(own: Any, rest: Any, speed: Any, batch: Any, rate: Any, mix: Any) -> Any:
        def loss(own: Any) -> Any:
            logits = network.logits({**own, **rest}, batch[0], kind.part, mix)
            return optax.softmax_cross_entropy_with_integer_labels(logits, batch[1]).mean()

        push = jax.grad(loss)(own)
        if factors:
            push = {path: factors[path] * push[path] for path in own}
        if weight_decay:
            push = {path: push[path] + weight_decay * own[path] for path in own}
        if momentum:
            push = speed = {path: momentum * speed[path] + push[path] for path in own}
        return {path: own[path] - rate * push[path] for path in own}, speed

    return jax.jit(step)
