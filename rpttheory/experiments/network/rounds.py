"""Rounds of one or several workers: each trains a part of the network on its own images, and the
changes are averaged.

A number that several workers have trained moves by the mean of its changes, one that none has
trained does not move; so the same round serves SGD (one worker, one step), federated averaging,
where all workers have the same part, and independent subnetworks, where hardly any number is
shared.

Every random choice is a function of the seed and of the number of the round alone, so a resumed run
is, bit by bit, the run that was never stopped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jax
import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ...runs.parallel import Report
from ...runs.store import Checkpoint
from .data import Classes, Images, batch_of
from .model import WHOLE, Flat, Network, Part, cross_entropy

Arrays = dict[str, NDArray[Any]]

# Losses are those of the first images only, if there are more (but the final accuracy is that of
# all test images), and images are evaluated so many at a time.
_EVALUATED = 1500
_PORTION = 500


@dataclass(frozen=True)
class Run:
    """Parameters of one run, apart from network and method.

    Parameters
    ----------
    seed : int
        Of the initial parameters, the order of images, augmentation, and the active sets.
    learning_rate : float
    budget : float
        The run ends when the paper's cost of its steps reaches this; a step of SGD costs 1.
    records : int
        The losses are computed this many times at equal distances, besides the start.
    validation : bool
        Evaluate on the validation images instead of the test images.
    epochs : float
        Most epochs of the run.
    """

    seed: int
    learning_rate: float
    budget: float
    records: int
    validation: bool = False
    epochs: float = math.inf

    def due(self, cost: float, epoch: float) -> int:
        """Number of records, besides the first, that a run should have by then; all at its end."""
        done = max(cost / self.budget, epoch / self.epochs)
        return self.records if done >= 1 else min(int(done * self.records), self.records - 1)


@dataclass(frozen=True)
class Kind:
    """A kind of step: the part of the network that is computed, and its trained parameters with the
    factors of their gradients.
    """

    part: Part
    trained: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Share:
    """The work of one worker in a round.

    Parameters
    ----------
    kind : str
    worker : int
    batches : sequence of arrays
        The training images of each local step.
    neurons : mapping
        The neurons of each hidden layer that the worker has; all of them by default.
    """

    kind: str
    worker: int
    batches: Sequence[NDArray[np.intp]]
    neurons: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Method:
    """A method as its rounds: who trains what, at which rate, and which part is evaluated.

    Parameters
    ----------
    kinds : mapping
        Kinds of steps by name.
    assign : callable
        (seed, round) -> the shares of the round.
    batch : int
        Images in a local step.
    workers : int
        How many there are in all, including those that rest in a round.
    momentum, weight_decay : float
        Of the local steps.
    synchronous : bool
        The workers share each batch: they receive what they send, and momentum persists. Otherwise
        a worker receives what has changed since it last had it, and begins without momentum.
    rate_factor : callable
        round -> factor of the learning rate.
    evaluated : callable
        Number of rounds so far -> the part that is evaluated.
    """

    kinds: Mapping[str, Kind]
    assign: Callable[[int, int], list[Share]]
    batch: int
    workers: int = 1
    momentum: float = 0.0
    weight_decay: float = 0.0
    synchronous: bool = False
    rate_factor: Callable[[int], float] = lambda number: 1.0
    evaluated: Callable[[int], Part] = lambda number: WHOLE


@dataclass(frozen=True, eq=False)
class State:
    """State of a run between rounds.

    Attributes
    ----------
    arrays : dict
        Parameters by path, their velocities by "velocity path", the round after which each
        parameter has changed last ("changed"), and the same for the copies of each worker
        ("copies").
    round : int
        Rounds so far.
    kinds : dict
        Steps of each kind, in the mean over workers.
    floats : float
        Numbers sent and received, in the mean over workers.
    batches : int
        Batches used by all workers.
    records : list
    seconds : float
        Processor time.
    """

    arrays: Arrays
    round: int = 0
    kinds: Mapping[str, float] = field(default_factory=dict)
    floats: float = 0
    batches: int = 0
    records: Sequence[Any] = ()
    seconds: float = 0.0


class Trainer:
    """A method on one network: compiled once for all seeds and learning rates."""

    def __init__(self, network: Network, method: Method) -> None:
        self.network = network
        self.method = method
        start = network.everything(0)
        self._paths = tuple(start)
        self.size = sum(start[path].size for path in network.members(WHOLE))
        self._members = cache(network.members)
        self._step = cache(
            lambda kind: local_step(
                network, method.kinds[kind], method.momentum, method.weight_decay
            )
        )
        self._evaluate = jax.jit(self._sums, static_argnums=2)

    def start(self, run: Run) -> State:
        """The state before the first round."""
        params = self.network.everything(run.seed)
        if self.method.synchronous and self.method.momentum:
            params |= {f"velocity {path}": np.zeros_like(leaf) for path, leaf in params.items()}
        count = len(self._paths)
        copies = np.full((self.method.workers, count), -1, np.int32)
        return State({**params, "changed": np.zeros(count, np.int32), "copies": copies})

    def run(
        self, run: Run, checkpoint: Checkpoint | None = None, report: Report = lambda text: None
    ) -> dict[str, Any]:
        """Train, and return a JSON-safe dict: `records`, `status` ("finished", "diverged"), `size`,
        `cpu_seconds`.

        A record holds `step`, `epoch`, `kinds` (how many steps of each kind), `cost` (the paper's:
        numbers sent and received, in steps of SGD), `train_loss`, `train_accuracy` and, of test or
        validation images, `loss` and `accuracy`.
        """
        data = self.network.data
        held_out = data.validation if run.validation else data.test
        per_epoch = len(data.train[0]) // self.method.batch
        state = self.start(run)
        saved = None if checkpoint is None else checkpoint.load(state.arrays)
        if saved is not None:
            state = State(saved[1], **saved[0])
        records = list(state.records)
        began = time.process_time() - state.seconds
        status = "finished"
        while True:
            cost = state.floats / (2 * self.size)
            epoch = state.batches / per_epoch
            due = run.due(cost, epoch)
            if not records or due > run.due(records[-1]["cost"], records[-1]["epoch"]):
                everything = len(held_out[0]) if due == run.records else _EVALUATED
                record: dict[str, Any] = {
                    "step": state.round,
                    "epoch": epoch,
                    "kinds": state.kinds,
                    "cost": cost,
                    **self._measure(state, "train_", *data.train),
                    **self._measure(state, "", *held_out, most=everything),
                }
                if not np.isfinite([record["train_loss"], record["loss"]]).all():
                    status = "diverged"
                    break
                records.append(record)
                report(f"loss {record['train_loss']:.3g}")
                if checkpoint is not None:
                    seconds = time.process_time() - began
                    progress = vars(state) | {"records": records, "seconds": seconds}
                    checkpoint.save(progress, progress.pop("arrays"))
            if due == run.records:
                break
            state = self.advance(run, state)
        seconds = time.process_time() - began
        return {"status": status, "records": records, "size": self.size, "cpu_seconds": seconds}

    def advance(self, run: Run, state: State) -> State:
        """One round."""
        method = self.method
        arrays = dict(state.arrays)
        arrays["copies"] = arrays["copies"].copy()
        shares = method.assign(run.seed, state.round)
        kinds = dict(state.kinds)
        floats = 0
        batches = 0
        results = []
        for share in shares:
            kind = method.kinds[share.kind]
            part = {
                path: arrays[path][self._entries(path, share)] for path in self._members(kind.part)
            }
            sent = sum(part[path].size for path in kind.trained)
            received = sent if method.synchronous else self._receive(arrays, share.worker, part)
            floats += sent + received
            results.append((share, part, self._train(run, state, share, part, batches)))
            batches += len(share.batches)
            kinds[share.kind] = kinds.get(share.kind, 0) + len(share.batches) / len(shares)
        arrays |= results[0][2] if method.synchronous else self._average(arrays, results)
        trained = {path for share in shares for path in method.kinds[share.kind].trained}
        mask = np.isin(self._paths, list(trained))
        arrays["changed"] = np.where(mask, np.int32(state.round + 1), arrays["changed"])
        return State(
            arrays,
            state.round + 1,
            kinds,
            state.floats + floats / len(shares),
            state.batches + batches,
        )

    def _receive(self, arrays: Arrays, worker: int, part: Arrays) -> int:
        """Bring the copies of a worker up to date, and count the numbers that this takes."""
        places = np.array([self._paths.index(path) for path in part])
        changed = arrays["changed"][places]
        stale = places[changed > arrays["copies"][worker, places]]
        arrays["copies"][worker, places] = changed
        return sum(part[self._paths[place]].size for place in stale.tolist())

    def _entries(self, path: str, share: Share) -> Any:
        """Index of the numbers of an array that a worker has."""
        if not share.neurons or path not in self.network.cuts:
            return ...
        axis, layer = self.network.cuts[path]
        return (*[slice(None)] * axis, share.neurons[layer])

    def _train(self, run: Run, state: State, share: Share, part: Arrays, place: int) -> Arrays:
        """Local steps; `place` tells the batches of a round apart."""
        method = self.method
        step = self._step(share.kind)
        rate = np.float32(run.learning_rate * method.rate_factor(state.round))
        moved: Flat = {path: part[path] for path in method.kinds[share.kind].trained}
        frozen = {path: leaf for path, leaf in part.items() if path not in moved}
        velocity: Flat = {}
        if method.momentum:
            velocity = {
                path: state.arrays.get(f"velocity {path}", np.zeros_like(leaf))
                for path, leaf in moved.items()
            }
        for number, indices in enumerate(share.batches, start=place):
            batch = batch_of(self.network.data, indices, run.seed, state.round, number)
            moved, velocity = step(moved, velocity, frozen, batch, rate)
        new = dict(moved)
        if method.synchronous:
            new |= {f"velocity {path}": leaf for path, leaf in velocity.items()}
        return {path: np.asarray(leaf) for path, leaf in new.items()}

    def _average(self, arrays: Arrays, results: Sequence[tuple[Share, Arrays, Arrays]]) -> Arrays:
        """Every number moved by the mean of its changes."""
        new = {}
        for path in dict.fromkeys(path for _, _, trained in results for path in trained):
            change = np.zeros(arrays[path].shape)
            count = np.zeros(arrays[path].shape)
            for share, part, trained in results:
                if path in trained:
                    entries = self._entries(path, share)
                    change[entries] += trained[path].astype(np.float64) - part[path]
                    count[entries] += 1
            new[path] = (arrays[path] + change / np.maximum(count, 1)).astype(np.float32)
        return new

    def _sums(self, params: Flat, batch: tuple[Any, Any], part: Part) -> tuple[Any, Any]:
        """Sums over a batch: cross-entropy, and how many are classified correctly."""
        logits = self.network.logits(params, batch[0], part)
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch[1])
        return losses.sum(), (logits.argmax(axis=-1) == batch[1]).sum()

    def _measure(
        self, state: State, prefix: str, images: Images, classes: Classes, most: int = _EVALUATED
    ) -> dict[str, float]:
        part = self.method.evaluated(state.round)
        params = {path: state.arrays[path] for path in self._members(part)}
        count = min(len(images), most)
        sums = []
        for start in range(0, count, _PORTION):
            portion = slice(start, min(start + _PORTION, count))
            loss, right = self._evaluate(params, (images[portion], classes[portion]), part)
            sums.append((float(loss), int(right)))
        loss, right = (sum(column) for column in zip(*sums, strict=True))
        return {f"{prefix}loss": loss / count, f"{prefix}accuracy": right / count}


def local_step(network: Network, kind: Kind, momentum: float, weight_decay: float) -> Any:
    """A compiled step of SGD: (trained, velocity, frozen, batch, rate) -> (trained, velocity)."""

    def step(trained: Any, velocity: Any, frozen: Any, batch: Any, rate: Any) -> Any:
        def loss(trained: Any) -> Any:
            return cross_entropy(network.logits(trained | frozen, batch[0], kind.part), batch)

        push = jax.grad(loss)(trained)
        push = {path: push[path] * kind.trained[path] for path in trained}
        if weight_decay:
            push = {path: push[path] + weight_decay * trained[path] for path in trained}
        if momentum:
            push = velocity = {path: momentum * velocity[path] + push[path] for path in trained}
        return {path: trained[path] - rate * push[path] for path in trained}, velocity

    return jax.jit(step)
