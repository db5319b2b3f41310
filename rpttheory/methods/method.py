"""What a method is to the run loop: a configuration that becomes an engine, which hands out steps in chunks."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..objectives import Objective
from ..problem.blocks import Blocks
from ..reals import FloatArray

IndexArray = NDArray[np.intp]
Action = Callable[[], object]
Kind = TypeVar("Kind")

# What to pass instead, by argument.
_EXAMPLES = {
    "method": "an object such as GradientDescent()",
    "objective": "an object such as Quadratic(L, b)",
    "blocks": "Blocks((1, 2)) for blocks of sizes 1 and 2",
    "order": "BlockOrder((1, 0))",
}


@dataclass(frozen=True, eq=False)
class Setting:
    """What a method is run on; `whole` is the cost of a step that updates every block, the sum of the costs."""

    objective: Objective
    blocks: Blocks
    costs: FloatArray
    whole: float


@dataclass(frozen=True)
class Chunk:
    """The next steps in order, each a function that changes the point in place, and what each costs."""

    actions: list[Action]
    costs: FloatArray


class Engine(ABC):
    """A method at work on one setting: it owns its buffers and changes them in place.

    Attributes
    ----------
    chunk_size : int
        Random numbers are drawn for this many steps at once, whatever the budget, so that a run of 400 steps is the
        beginning of a run of 1000.
    length : int or None
        The number of steps after which the method itself ends.
    theory : str
        The stepsize in use and the statement that allows it.
    """

    chunk_size: int = 1024
    length: int | None = None
    theory: str = ""

    @property
    @abstractmethod
    def state(self) -> dict[str, FloatArray]:
        """Every array that the next step depends on, to be saved and filled again in place."""

    @abstractmethod
    def point(self) -> FloatArray:
        """The present iterate, not to be changed."""

    @abstractmethod
    def chunk(self, first: int, rng: np.random.Generator) -> Chunk:
        """The steps first, ..., first + chunk_size - 1 (counting from 0)."""

    @abstractmethod
    def refresh(self) -> None:
        """Called where a chunk begins: compute afresh what is kept along the way."""


@dataclass(frozen=True, eq=False)
class Method(ABC):
    """A method with its options; nothing happens until `run` starts it on a setting."""

    @property
    @abstractmethod
    def name(self) -> str:
        """A short name for tables and messages."""

    @abstractmethod
    def start(self, setting: Setting, x0: FloatArray) -> Engine:
        """Work out stepsizes and buffers; the engine may keep x0 and change it."""


def check_instance(value: object, kind: type[Kind], name: str) -> Kind:
    """The value itself, refused unless it is what it should be."""
    if not isinstance(value, kind):
        raise InvalidInput(f"{name} must be of type {kind.__name__}", repr(value)[:80], _EXAMPLES[name])
    return value
