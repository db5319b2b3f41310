"""Rounds of one or several workers: each trains the same parameters on its images, and the changes
are averaged.

SGD and RPT are the case of one worker and one step: workers that share each batch would take the
same steps.

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
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ...runs.parallel import Report
from ...runs.store import Checkpoint
from .data import Classes, Images, batch_of
from .model import Flat, Network, cross_entropy

Arrays = dict[str, NDArray[Any]]
# (seed, round) -> the kind of its steps, or for each worker the training images of each step.
KindAt = Callable[[int, int], str]
ImagesAt = Callable[[int, int], Sequence[Sequence[NDArray[np.intp]]]]

# Losses are those of the first images only, if there are more (but the final accuracy is that of
# all test images), and images are evaluated in portions.
_EVALUATED = 1500
_PORTION = 500
# Coefficients of Muon's Newton-Schulz iteration.
_QUINTIC = (3.4445, -4.7750, 2.0315)


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

    def due(self, progress: float) -> int:
        """Number of records, besides the first, that a run should have by then; all at its end."""
        return self.records if progress >= 1 else int(progress * self.records)


@dataclass(frozen=True)
class Kind:
    """A kind of step.

    Parameters
    ----------
    trained : mapping
        The trained parameters, with the factors of their changes: 1/p for RPT.
    stages : int, optional
        The stages of the truncated network that is computed; the whole network if omitted.
    """

    trained: Mapping[str, float]
    stages: int | None = None

    def floats(self, network: Network, sizes: Mapping[str, int], federated: bool) -> int:
        """Numbers that a worker sends and receives in a round.

        Workers that share each batch receive what they send. A client may have missed any round
        before, so it receives the network that it trains.
        """
        received = network.members(self.stages) if federated else self.trained
        return sum(sizes[path] for path in (*self.trained, *received))


@dataclass(frozen=True, eq=False)
class Method:
    """A method as its rounds: which parameters are trained on which images.

    Parameters
    ----------
    kinds : mapping
        Kinds of steps by name.
    kind_at, images_at : callable
        (seed, round) -> the kind of its steps, and for each worker the images of each step.
    batch : int
        Images in a local step.
    momentum, weight_decay : float
        Of the local steps.
    newton_schulz : int
        Muon's Newton-Schulz steps; 0 for SGD.
    federated : bool
        Clients take several steps between two averages, begin each round without momentum, and
        their learning rate falls as a cosine to 0 at the end of the run.
    """

    kinds: Mapping[str, Kind]
    kind_at: KindAt
    images_at: ImagesAt
    batch: int
    momentum: float = 0.0
    weight_decay: float = 0.0
    newton_schulz: int = 0
    federated: bool = False

    def step(self, network: Network, kind: Kind) -> Any:
        """Return the compiled local step of a kind."""
        return local_step(network, kind, self.momentum, self.weight_decay, self.newton_schulz)


@dataclass(frozen=True, eq=False)
class State:
    """State of a run between rounds.

    Attributes
    ----------
    arrays : dict
        Parameters by path, and their velocities by "velocity path".
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
        self._members = cache(network.members)
        sizes = {path: leaf.size for path, leaf in network.everything(0).items()}
        self.size = sum(sizes[path] for path in self._members(None))
        self._floats = {
            name: kind.floats(network, sizes, method.federated)
            for name, kind in method.kinds.items()
        }
        self._step = cache(lambda kind: method.step(network, method.kinds[kind]))
        self._evaluate = jax.jit(self._sums, static_argnums=2)

    def start(self, run: Run) -> State:
        """The state before the first round."""
        params = self.network.everything(run.seed)
        if self.method.momentum and not self.method.federated:
            params |= {f"velocity {path}": np.zeros_like(leaf) for path, leaf in params.items()}
        return State(params)

    def cost(self, state: State) -> float:
        """The paper's cost so far: numbers sent and received, in steps of SGD."""
        return state.floats / (2 * self.size)

    def epoch(self, state: State) -> float:
        """Epochs so far."""
        return state.batches / (len(self.network.data.train[0]) // self.method.batch)

    def progress(self, run: Run, state: State) -> float:
        """The share of the run that is over, by cost or by epochs."""
        return max(self.cost(state) / run.budget, self.epoch(state) / run.epochs)

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
        state = self.start(run)
        saved = None if checkpoint is None else checkpoint.load(state.arrays)
        if saved is not None:
            state = State(saved[1], **saved[0])
        records = list(state.records)
        recorded = run.due(self.progress(run, state))
        began = time.process_time() - state.seconds
        status = "finished"
        while True:
            due = run.due(self.progress(run, state))
            if not records or due > recorded:
                recorded = due
                everything = len(held_out[0]) if due == run.records else _EVALUATED
                record: dict[str, Any] = {
                    "step": state.round,
                    "epoch": self.epoch(state),
                    "kinds": state.kinds,
                    "cost": self.cost(state),
                    **self._measure(run, state, "train_", *data.train),
                    **self._measure(run, state, "", *held_out, most=everything),
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
        name = self.method.kind_at(run.seed, state.round)
        kind = self.method.kinds[name]
        images = self.method.images_at(run.seed, state.round)
        batches = 0
        results = []
        for worker_images in images:
            results.append(self._train(run, state, name, worker_images, batches))
            batches += len(worker_images)
        arrays = {**state.arrays, **results[0][1]}
        for path, factor in kind.trained.items():
            old = state.arrays[path].astype(np.float64)
            mean = np.mean([trained[path] - old for trained, _ in results], axis=0)
            arrays[path] = (old + factor * mean).astype(np.float32)
        steps = state.kinds.get(name, 0) + batches / len(images)
        return State(
            arrays,
            state.round + 1,
            {**state.kinds, name: steps},
            state.floats + self._floats[name],
            state.batches + batches,
        )

    def _train(
        self,
        run: Run,
        state: State,
        name: str,
        images: Sequence[NDArray[np.intp]],
        place: int,
    ) -> tuple[Arrays, Arrays]:
        """Take local steps; return the trained parameters and the velocities that persist. `place`
        tells the batches of a round apart.
        """
        method = self.method
        kind = method.kinds[name]
        trained: Flat = {path: state.arrays[path] for path in kind.trained}
        frozen = {
            path: state.arrays[path]
            for path in self._members(kind.stages)
            if path not in kind.trained
        }
        velocity: Flat = {}
        if method.momentum:
            velocity = {
                path: state.arrays.get(f"velocity {path}", np.zeros_like(leaf))
                for path, leaf in trained.items()
            }
        rate = run.learning_rate
        if method.federated:
            rate *= (1 + math.cos(math.pi * self.progress(run, state))) / 2
        step = self._step(name)
        for number, indices in enumerate(images, start=place):
            batch = batch_of(self.network.data, indices, run.seed, state.round, number)
            trained, velocity = step(trained, velocity, frozen, batch, np.float32(rate))
        persistent = {} if method.federated else velocity
        return (
            {path: np.asarray(leaf) for path, leaf in trained.items()},
            {f"velocity {path}": np.asarray(leaf) for path, leaf in persistent.items()},
        )

    def _sums(self, params: Flat, batch: tuple[Any, Any], stages: int | None) -> tuple[Any, Any]:
        """Sums over a batch: cross-entropy, and how many are classified correctly."""
        logits = self.network.logits(params, batch[0], stages)
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch[1])
        return losses.sum(), (logits.argmax(axis=-1) == batch[1]).sum()

    def _measure(
        self,
        run: Run,
        state: State,
        prefix: str,
        images: Images,
        classes: Classes,
        most: int = _EVALUATED,
    ) -> dict[str, float]:
        """Mean loss and accuracy of the network that was trained last."""
        name = self.method.kind_at(run.seed, max(state.round - 1, 0))
        stages = self.method.kinds[name].stages
        params = {path: state.arrays[path] for path in self._members(stages)}
        count = min(len(images), most)
        sums = []
        for start in range(0, count, _PORTION):
            portion = slice(start, min(start + _PORTION, count))
            loss, right = self._evaluate(params, (images[portion], classes[portion]), stages)
            sums.append((float(loss), int(right)))
        loss, right = (sum(column) for column in zip(*sums, strict=True))
        return {f"{prefix}loss": loss / count, f"{prefix}accuracy": right / count}


def local_step(
    network: Network,
    kind: Kind,
    momentum: float = 0.0,
    weight_decay: float = 0.0,
    newton_schulz: int = 0,
) -> Any:
    """A compiled step of SGD or Muon: (trained, velocity, frozen, batch, rate) -> (trained,
    velocity).
    """

    def step(trained: Any, velocity: Any, frozen: Any, batch: Any, rate: Any) -> Any:
        def loss(trained: Any) -> Any:
            return cross_entropy(network.logits(trained | frozen, batch[0], kind.stages), batch)

        push = gradient = jax.grad(loss)(trained)
        if weight_decay:
            push = {path: push[path] + weight_decay * trained[path] for path in trained}
        if momentum:
            push = velocity = {path: momentum * velocity[path] + push[path] for path in trained}
        if newton_schulz:
            nesterov = {path: gradient[path] + momentum * push[path] for path in trained}
            push = {path: orthogonalized(leaf, newton_schulz) for path, leaf in nesterov.items()}
        return {path: trained[path] - rate * push[path] for path in trained}, velocity

    return jax.jit(step)


def orthogonalized(array: Any, steps: int) -> Any:
    """Return Muon's step: the gradient with singular values near 1, times sqrt(max(1, out / in)).

    An array is a matrix of its last axis (out) by all others (in), so a vector has in = 1. K.
    Jordan et al., Muon: An optimizer for hidden layers in neural networks (2024).
    """
    matrix = array.reshape(-1, array.shape[-1])
    scale = max(1.0, matrix.shape[1] / matrix.shape[0]) ** 0.5
    tall = matrix.shape[0] > matrix.shape[1]
    wide = matrix.T if tall else matrix
    wide = wide / (jnp.linalg.norm(wide) + 1e-8)
    for _ in range(steps):
        gram = wide @ wide.T
        wide = _QUINTIC[0] * wide + (_QUINTIC[1] * gram + _QUINTIC[2] * gram @ gram) @ wide
    return scale * (wide.T if tall else wide).reshape(array.shape)
