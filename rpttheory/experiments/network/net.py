"""A network and the images it is trained on, whole and in parts, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

import flax.traverse_util
import jax
import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ...errors import InvalidInput
from ...networks.models import WHOLE, Architecture, Part
from ...networks.pytree import Labels, PyTree
from .data import Classes, ImageData, Images, augment

# Independent streams of random numbers under one seed.
_ORDER = 1
_AUGMENTATION = 2
SPLIT = 3
DEAL = 4

# Parameters by path, such as "stem/conv/kernel".
Flat = Mapping[str, Any]


class Parted(Protocol):
    """What methods that train parts of a network must know of it."""

    @property
    def data(self) -> ImageData: ...

    @property
    def stages(self) -> int: ...

    @property
    def optional(self) -> tuple[str, ...]: ...

    @property
    def hidden(self) -> Mapping[str, tuple[int, int]]: ...

    @property
    def cuts(self) -> Mapping[str, tuple[tuple[int, str], ...]]: ...

    def everything(self, seed: int) -> dict[str, NDArray[Any]]:
        """The initial parameters, those of the heads of truncated networks included."""

    def members(self, part: Part) -> tuple[str, ...]:
        """The parameters of a part."""

    def logits(self, params: Flat, images: Any, part: Part, mix: Any) -> Any:
        """What a part answers."""


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
                "must not exceed the number of training images",
                f"{batch} of {count}",
                argument="batch",
                suggest={"batch": 128},
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

    @property
    def stages(self) -> int:
        return len(self.architecture.stage_ends)

    @property
    def optional(self) -> tuple[str, ...]:
        return self.architecture.optional

    @cached_property
    def hidden(self) -> Mapping[str, tuple[int, int]]:
        return self.architecture.hidden()

    @cached_property
    def cuts(self) -> Mapping[str, tuple[tuple[int, str], ...]]:
        return self.architecture.cuts()

    def everything(self, seed: int) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {}
        for part in (*(Part(stages=stage) for stage in range(1, self.stages)), WHOLE):
            drawn = flat(self.architecture.initial(seed, self.data.shape, part))
            found |= {path: np.asarray(leaf) for path, leaf in drawn.items()}
        return found

    def members(self, part: Part) -> tuple[str, ...]:
        drawn = jax.eval_shape(lambda: self.architecture.initial(0, self.data.shape, part))
        return tuple(flat(drawn))

    def logits(self, params: Flat, images: Any, part: Part, mix: Any) -> Any:
        tree = flax.traverse_util.unflatten_dict(dict(params), sep="/")  # type: ignore[no-untyped-call]
        return self.architecture.module(part).apply({"params": tree}, images, mix)


def flat(tree: PyTree) -> dict[str, Any]:
    """Nested dicts as one, by path."""
    found: dict[str, Any] = flax.traverse_util.flatten_dict(tree, sep="/")  # type: ignore[no-untyped-call]
    return found


def judgement(logits: Any, batch: tuple[Any, Any]) -> tuple[Any, Any]:
    """Sums over a batch: cross-entropy, and how many are classified rightly."""
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch[1])
    return losses.sum(), (logits.argmax(axis=-1) == batch[1]).sum()


def drawn(data: ImageData, seed: int, number: int, size: int) -> NDArray[np.intp]:
    """The images of the batch of this number; every epoch has an order of its own, without what is
    left over.
    """
    per_epoch = len(data.train[0]) // size
    epoch, place = divmod(number, per_epoch)
    return _order(seed, epoch, len(data.train[0]))[place * size : (place + 1) * size]


@lru_cache(maxsize=2)
def _order(seed: int, epoch: int, count: int) -> NDArray[np.intp]:
    return generator(seed, _ORDER, epoch).permutation(count)


def batch_of(
    data: ImageData, chosen: NDArray[np.intp], seed: int, *number: int
) -> tuple[Images, Classes]:
    """These training images, as the batch of this number (or numbers) sees them."""
    images = data.train[0][chosen]
    classes = data.train[1][chosen]
    if data.augmented:
        images = augment(images, generator(seed, _AUGMENTATION, *number))
    return images, classes


def generator(seed: int, *stream: int) -> np.random.Generator:
    """Random numbers of their own for every stream."""
    return np.random.default_rng((seed, *stream))
