"""Training up to a budget of cost: one loop for all methods.

Every random choice is a function of the seed and of the number of the step (or epoch) alone, so a
run that goes on from a checkpoint is, bit by bit, the run that was never stopped.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...networks.models import Part
from ...networks.pytree import PyTree
from ...runs.checkpoint import Checkpoint
from ...runs.parallel import Report
from .data import Classes, Images

# Losses are those of the first images only, where there are more (but at its end a run is judged by
# all of the test images), and images are judged so many at a time.
JUDGED = 1500
_PORTION = 500


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
        The losses are computed this many times at equal distances, besides the start.
    validation : bool
        Judge by the validation images instead of the test images.
    epochs : float
        The run ends here at the latest.
    """

    seed: int
    learning_rate: float
    budget: float
    batch: int
    records: int
    validation: bool = False
    epochs: float = math.inf

    def due(self, cost: float, epoch: float) -> int:
        """How many records, besides the first, a run should have by then; all of them at its
        end.
        """
        done = max(cost / self.budget, epoch / self.epochs)
        return self.records if done >= 1 else min(int(done * self.records), self.records - 1)


@dataclass(frozen=True)
class Kind:
    """A kind of step: which part of the network is computed, and which of its parameters are
    trained.
    """

    part: Part
    trained: tuple[str, ...]
    factors: tuple[float, ...] = ()


@dataclass(frozen=True)
class Spent:
    """What a step or round took.

    Attributes
    ----------
    kinds : dict
        Steps of each kind that a worker makes, in the mean over the workers.
    floats : float
        Numbers that a worker sends and receives, in the mean.
    batches : int
        Batches of images used by all workers.
    """

    kinds: Mapping[str, float]
    floats: float
    batches: int


class Trainer(ABC):
    """One method on one network: compiled once for all seeds and learning rates.

    Attributes
    ----------
    kinds : dict
        The kinds of steps it makes, by name.
    size : int
        Parameters of the whole network; a step of SGD sends as many and receives as many.
    """

    network: Any
    kinds: Mapping[str, Kind]
    size: int

    @abstractmethod
    def started(self, run: Run) -> PyTree:
        """All that the next round depends on, besides its number."""

    @abstractmethod
    def advance(self, run: Run, number: int, tree: PyTree) -> tuple[PyTree, Spent]:
        """One step, or one round of several workers."""

    @abstractmethod
    def judged(self, number: int, tree: PyTree, batch: tuple[Any, Any]) -> tuple[Any, Any]:
        """Sums over a portion of images: cross-entropy, and how many are classified rightly."""

    def batches_per_epoch(self, run: Run) -> int:
        """How many of the batches that it uses make an epoch."""
        return len(self.network.data.train[0]) // run.batch

    def run(
        self, run: Run, checkpoint: Checkpoint | None = None, report: Report = lambda text: None
    ) -> Any:
        """Train, and return a JSON-safe dict: `records`, `status` ("finished", "diverged"), `size`,
        `cpu_seconds`.

        A record holds `step`, `epoch`, `kinds` (how many steps of each kind), `cost` (the paper's:
        numbers sent and received, in steps of SGD), `train_loss`, `train_accuracy` and, of test or
        validation images, `loss` and `accuracy`.
        """
        judges = self.network.data.validation if run.validation else self.network.data.test
        per_epoch = self.batches_per_epoch(run)
        tree = self.started(run)
        about: dict[str, Any] = {
            "step": 0,
            "kinds": {},
            "floats": 0,
            "batches": 0,
            "records": [],
            "cpu_seconds": 0.0,
        }
        kept = checkpoint.load() if checkpoint is not None else None
        if checkpoint is not None and kept is not None:
            about = kept[0]
            tree = _tree(kept[1], tree, checkpoint.path)
        step = int(about["step"])
        kinds = dict(about["kinds"])
        records = list(about["records"])
        floats = float(about["floats"])
        batches = int(about["batches"])
        spent = float(about["cpu_seconds"])
        began = time.process_time()
        status = "finished"
        while True:
            cost = floats / (2 * self.size)
            epoch = batches / per_epoch
            due = run.due(cost, epoch)
            if not records or due > run.due(records[-1]["cost"], records[-1]["epoch"]):
                record: dict[str, Any] = {
                    "step": step,
                    "epoch": epoch,
                    "kinds": dict(kinds),
                    "cost": cost,
                }
                record |= self._measured(step, tree, "train_", self.network.data.train)
                record |= self._measured(step, tree, "", judges, all_of_them=due == run.records)
                if not np.isfinite([record["train_loss"], record["loss"]]).all():
                    status = "diverged"
                    break
                records.append(record)
                report(f"loss {record['train_loss']:.3g}")
                about = {
                    "step": step,
                    "kinds": kinds,
                    "floats": floats,
                    "batches": batches,
                    "records": records,
                }
                about["cpu_seconds"] = spent + time.process_time() - began
                if checkpoint is not None:
                    checkpoint.save(about, _arrays(tree))
            if due == run.records:
                break
            tree, took = self.advance(run, step, tree)
            for name, count in took.kinds.items():
                kinds[name] = kinds.get(name, 0) + count
            floats = floats + took.floats
            batches = batches + took.batches
            step = step + 1
        seconds = spent + time.process_time() - began
        return {"status": status, "records": records, "size": self.size, "cpu_seconds": seconds}

    def _measured(
        self,
        step: int,
        tree: PyTree,
        prefix: str,
        judges: tuple[Images, Classes],
        *,
        all_of_them: bool = False,
    ) -> dict[str, float]:
        images, classes = judges if all_of_them else (judges[0][:JUDGED], judges[1][:JUDGED])
        loss = 0.0
        right = 0
        for start in range(0, len(images), _PORTION):
            portion = slice(start, start + _PORTION)
            part, count = self.judged(step, tree, (images[portion], classes[portion]))
            loss = loss + float(part)
            right = right + int(count)
        return {f"{prefix}loss": loss / len(images), f"{prefix}accuracy": right / len(images)}


def _arrays(tree: PyTree) -> dict[str, NDArray[Any]]:
    """The leaves of a tree, by their place."""
    return {f"array{place}": np.asarray(leaf) for place, leaf in enumerate(jax.tree.leaves(tree))}


def _tree(arrays: dict[str, NDArray[Any]], like: PyTree, path: Path) -> PyTree:
    """Arrays from a file in a tree like the given one."""
    leaves, structure = jax.tree_util.tree_flatten(like)
    kept = [arrays[f"array{place}"] for place in range(len(arrays))]
    if [(array.shape, array.dtype) for array in kept] != [
        (leaf.shape, leaf.dtype) for leaf in leaves
    ]:
        raise InvalidInput(
            f"{path}: the checkpoint holds other arrays",
            f"{len(kept)} arrays, not the {len(leaves)} of this network and optimiser",
            "remove the file",
        )
    return jax.tree_util.tree_unflatten(structure, [jnp.asarray(array) for array in kept])
