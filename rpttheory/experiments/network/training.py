"""Training with SGD, PT or RPT up to a budget of cost, in steps that touch active blocks only.

Every random choice is a function of the seed and of the number of the step (or epoch) alone, so a run that
goes on from a checkpoint is, bit by bit, the run that was never stopped.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...networks.draws import Draw
from ...networks.models import Architecture
from ...networks.pytree import Labels, PyTree
from ...networks.steps import make_rpt_steps
from ...reals import FloatArray
from ...runs.checkpoint import Checkpoint
from ...runs.parallel import Report
from .data import Classes, ImageData, Images, augment

# Independent streams of random numbers under one seed.
_ORDER, _AUGMENTATION = 1, 2
# The training loss is that of the first images only, where there are more, and images are judged so many at a time.
JUDGED, _PORTION = 1500, 500


@dataclass(frozen=True, eq=False)
class Network:
    """A network and the images it is trained on."""

    architecture: Architecture
    data: ImageData

    def initial(self, seed: int) -> PyTree:
        """The parameters before the first step."""
        return self.architecture.initial(seed, self.data.shape)

    def labels(self) -> Labels:
        """The blocks."""
        return self.architecture.labels(self.data.shape)

    def steps_per_epoch(self, batch: int) -> int:
        """Whole batches in the training images; an error unless there is one."""
        count = len(self.data.train[0])
        if batch > count:
            raise InvalidInput(
                "batch must not exceed the number of training images", f"{batch} of {count}", "batch=128"
            )
        return count // batch

    def model(self, params: PyTree, batch: tuple[Any, Any]) -> Any:
        """The logits."""
        return self.architecture.module().apply({"params": params}, batch[0])

    @staticmethod
    def criterion(logits: Any, batch: tuple[Any, Any]) -> Any:
        """The mean cross-entropy."""
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch[1]).mean()

    def loss(self, params: PyTree, batch: tuple[Any, Any]) -> Any:
        """The criterion of the model."""
        return self.criterion(self.model(params, batch), batch)


@dataclass(frozen=True)
class Run:
    """What decides one run, apart from network, schedule and optimiser.

    Parameters
    ----------
    seed : int
        Of the initial parameters, the order of images, augmentation, and the active sets.
    learning_rate : float
    budget : float
        The run ends when the paper's cost of its steps reaches this; a step of SGD costs 1.
    batch : int
        Images in a step.
    records : int
        The losses are computed this many times at equal distances of cost, besides the start.
    validation : bool
        Judge by the validation images instead of the test images.
    """

    seed: int
    learning_rate: float
    budget: float
    batch: int
    records: int
    validation: bool = False

    def due(self, cost: float) -> int:
        """How many records, besides the first, a run should have by the time it has cost so much."""
        return self.records if cost >= self.budget else min(int(cost / self.budget * self.records), self.records - 1)


class Trainer:
    """One schedule on one network: compiled once for all seeds and learning rates.

    Parameters
    ----------
    network : Network
    draw : Draw
        Which blocks are active; all of them with probability 1 is SGD.
    momentum, weight_decay : float
        Of the optimiser; inactive blocks keep their momentum and do not decay.
    """

    def __init__(self, network: Network, draw: Draw, *, momentum: float = 0.0, weight_decay: float = 0.0) -> None:
        def optimiser(learning_rate: float) -> Any:
            return optax.chain(
                optax.add_decayed_weights(weight_decay) if weight_decay else optax.identity(),
                optax.sgd(learning_rate, momentum=momentum or None),
            )

        self.network, self.labels = network, network.labels()
        # The learning rate is part of the state, so that a grid of them shares the compiled steps.
        inner = optax.inject_hyperparams(optimiser)(learning_rate=0.0)
        self.steps = make_rpt_steps(network.loss, self.labels, draw, inner)
        self.shares: FloatArray = np.cumsum(draw.order.by_rank(self.labels.sizes)) / sum(self.labels.sizes)
        self._judged = jax.jit(self._judge)

    def run(self, run: Run, checkpoint: Checkpoint | None = None, report: Report = lambda text: None) -> Any:
        """Train, and return a JSON-safe dict: `records`, `status` ("finished", "diverged"), `cpu_seconds`.

        A record holds `step`, `epoch`, `depths` (how many steps had 1, ..., B active blocks), `cost` (the
        paper's), `train_loss`, `train_accuracy` and, of the test or validation images, `loss` and `accuracy`.
        """
        images, classes = self.network.data.train
        judges = self.network.data.validation if run.validation else self.network.data.test
        per_epoch = self.network.steps_per_epoch(run.batch)
        params = self.network.initial(run.seed)
        tree = params, self._started(params, run)
        about: dict[str, Any] = {"step": 0, "depths": [0] * self.labels.count, "records": [], "cpu_seconds": 0.0}
        kept = checkpoint.load() if checkpoint is not None else None
        if checkpoint is not None and kept is not None:
            about, tree = kept[0], _tree(kept[1], tree, checkpoint.path)
        params, state = tree
        step, depths, records = int(about["step"]), np.array(about["depths"]), list(about["records"])
        spent, began = float(about["cpu_seconds"]), time.process_time()
        order: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        status = "finished"
        while True:
            cost = float(self.shares @ depths)
            if not records or run.due(cost) > run.due(records[-1]["cost"]):
                record = {"step": step, "epoch": step / per_epoch, "depths": depths.tolist(), "cost": cost}
                record |= self._measured(params, judges)
                if not np.isfinite([record["train_loss"], record["loss"]]).all():
                    status = "diverged"
                    break
                records.append(record)
                report(f"loss {record['train_loss']:.3g}")
                about = {"step": step, "depths": depths.tolist(), "records": records}
                about["cpu_seconds"] = spent + time.process_time() - began
                if checkpoint is not None:
                    checkpoint.save(about, _arrays((params, state)))
            if cost >= run.budget:
                break
            place = step % per_epoch
            if place == 0 or not order.size:
                order = _generator(run.seed, _ORDER, step // per_epoch).permutation(len(images))
            chosen = order[place * run.batch : (place + 1) * run.batch]
            batch = self._batch(images[chosen], classes[chosen], run.seed, step)
            params, state, _ = self.steps(params, state, batch)
            depths[int(np.asarray(state.rpt.active).sum()) - 1] += 1
            step += 1
        return {"status": status, "records": records, "cpu_seconds": spent + time.process_time() - began}

    def _started(self, params: PyTree, run: Run) -> Any:
        """The optimiser's state before the first step, with this run's key and learning rate."""
        state = self.steps.init(params)
        key = jax.random.key_data(jax.random.key(run.seed, impl="threefry2x32"))
        rate = jnp.asarray(run.learning_rate, jnp.float32)
        inner = tuple(own._replace(hyperparams={**own.hyperparams, "learning_rate": rate}) for own in state.inner)
        return state._replace(rpt=state.rpt._replace(key=key), inner=inner)

    def _batch(self, images: Images, classes: Classes, seed: int, step: int) -> tuple[Images, Classes]:
        if self.network.data.augmented:
            images = augment(images, _generator(seed, _AUGMENTATION, step))
        return images, classes

    def _judge(self, params: PyTree, batch: tuple[Any, Any]) -> tuple[jax.Array, jax.Array]:
        """Sums over a portion of images: cross-entropy, and how many are classified rightly."""
        logits = self.network.model(params, batch)
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch[1])
        return losses.sum(), (logits.argmax(axis=-1) == batch[1]).sum()

    def _measured(self, params: PyTree, judges: tuple[Images, Classes]) -> dict[str, float]:
        found: dict[str, float] = {}
        train = self.network.data.train[0][:JUDGED], self.network.data.train[1][:JUDGED]
        for prefix, (images, classes) in (("train_", train), ("", judges)):
            loss, right = 0.0, 0
            for start in range(0, len(images), _PORTION):
                portion = slice(start, start + _PORTION)
                part, count = self._judged(params, (images[portion], classes[portion]))
                loss, right = loss + float(part), right + int(count)
            found |= {f"{prefix}loss": loss / len(images), f"{prefix}accuracy": right / len(images)}
        return found


def _arrays(tree: PyTree) -> dict[str, NDArray[Any]]:
    """The leaves of a tree, by their place."""
    return {f"array{place}": np.asarray(leaf) for place, leaf in enumerate(jax.tree.leaves(tree))}


def _tree(arrays: dict[str, NDArray[Any]], like: PyTree, path: Path) -> PyTree:
    """Arrays from a file in a tree like the given one."""
    leaves, structure = jax.tree_util.tree_flatten(like)
    kept = [arrays[f"array{place}"] for place in range(len(arrays))]
    if [(array.shape, array.dtype) for array in kept] != [(leaf.shape, leaf.dtype) for leaf in leaves]:
        raise InvalidInput(
            f"{path}: the checkpoint holds other arrays",
            f"{len(kept)} arrays, not the {len(leaves)} of this network and optimiser",
            "remove the file",
        )
    return jax.tree_util.tree_unflatten(structure, [jnp.asarray(array) for array in kept])


def _generator(seed: int, stream: int, number: int) -> np.random.Generator:
    return np.random.default_rng((seed, stream, number))
