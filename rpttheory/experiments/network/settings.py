"""What the network experiment can be asked for: data, network, budget, methods, learning rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InvalidInput, MissingExtra
from ...machine import install

# What a person types, and what tables and figures show.
METHODS = {
    "sgd": "SGD",
    "sgd-momentum": "SGD, momentum",
    "pt": "PT",
    "pt-partial": "PT, partial",
    "fedavg": "FedAvg",
    "progfed": "ProgFed",
    "ist": "IST",
    "resist": "ResIST",
    "rpt-input": "RPT input-first",
    "rpt-output": "RPT output-first",
    "rpt-curvature": "RPT curvature",
    "rpt-federated": "RPT federated",
}
# Of SGD, PT and RPT the best on the validation images of the digits, by the grid 0.1, 0.05, 0.01;
# of the federated ones ProgFed's own. CIFAR-10 takes the same unless told otherwise.
RATES = dict.fromkeys(METHODS, 0.1) | dict.fromkeys(
    ("rpt-input", "rpt-output", "rpt-curvature"), 0.05
)
# Methods that make the kinds of steps of another.
COSTS_OF = {
    "sgd-momentum": "sgd",
    "fedavg": "sgd",
    "progfed": "pt",
    "pt-partial": "rpt-input",
    "rpt-federated": "rpt-input",
    "rpt-curvature": "rpt-output",
}
# Seeds from here on are for tuning, for costs and for curvature; the reported ones count from 0.
TUNING_SEED = 1_000_000
SPLITS = ("even", "class")
_USUAL = {"batch": 128, "nodes": 4, "clients": 10, "local_steps": 4, "images": 20_000}


@dataclass(frozen=True)
class Settings:
    """Everything that the results depend on, apart from methods and seeds.

    Parameters
    ----------
    data, model : str
    width : int, optional
        Channels of the first stage; the model's own by default.
    budget : float
        The paper's cost at which a run ends, in steps of SGD.
    epochs : float
        A run ends here at the latest.
    images : int, optional
        As many of the training images; all of them by default.
    batch : int
        Images in a step; workers share them.
    nodes : int
        Workers that train at a time.
    clients : int
        Of the federated methods: who holds the images.
    split : str
        How they hold them: "even" or "class".
    local_steps : int
        Of IST and ResIST: steps of a worker between two averages.
    fade_in : bool
        PT and ProgFed mix a new stage with the head before it, and warm up by that.
    decay : float
        The probabilities of RPT are 1, decay, decay^2, ... along the order.
    grid : tuple of float
        Learning rates to choose from on the validation images; empty for the built-in ones.
    learning_rate : float, optional
        One for all methods instead.
    folder : str, optional
        Where CIFAR-10 is; the results do not depend on it.
    """

    data: str = "digits"
    model: str = "resnet20"
    width: int | None = None
    budget: float = 150.0
    epochs: float = 60.0
    images: int | None = None
    batch: int = 128
    nodes: int = 4
    clients: int = 10
    split: str = "even"
    local_steps: int = 4
    fade_in: bool = False
    decay: float = 0.9
    grid: tuple[float, ...] = ()
    learning_rate: float | None = None
    folder: str | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.budget) and self.budget >= 1):
            raise InvalidInput(
                "must be at least 1, a step of SGD",
                f"{self.budget:g}",
                argument="budget",
                suggest={"budget": 150},
            )
        if not self.epochs > 0:
            raise InvalidInput(
                "must be positive", f"{self.epochs:g}", argument="epochs", suggest={"epochs": 60}
            )
        for name in ("batch", "nodes", "clients", "local_steps", "images"):
            if (given := getattr(self, name)) is not None and given < 1:
                raise InvalidInput(
                    "must be at least 1", str(given), argument=name, suggest={name: _USUAL[name]}
                )
        if self.split not in SPLITS:
            raise InvalidInput("unknown split", repr(self.split), "split=" + " or ".join(SPLITS))
        if self.nodes > min(self.clients, self.batch):
            raise InvalidInput(
                "must not exceed `clients` or `batch`",
                str(self.nodes),
                argument="nodes",
                suggest={"nodes": 4},
            )
        if not 0 < self.decay <= 1:
            raise InvalidInput(
                "must lie in (0, 1]", f"{self.decay:g}", argument="decay", suggest={"decay": 0.9}
            )
        if self.grid and self.learning_rate is not None:
            raise InvalidInput(
                "`grid` chooses learning rates itself",
                "`learning_rate` beside it",
                "one of the two",
            )
        for rate in (*self.grid, *([] if self.learning_rate is None else [self.learning_rate])):
            if not (math.isfinite(rate) and rate > 0):
                raise InvalidInput("learning rates must be positive", f"{rate:g}", "such as 0.1")

    def rate(self, method: str) -> float:
        """The learning rate of a method that is not tuned."""
        return RATES[method] if self.learning_rate is None else self.learning_rate

    def to_dict(self, data: str) -> dict[str, Any]:
        """JSON-safe, with the name of the data that was read."""
        from ...networks.models import architecture

        return {
            "data": data,
            "model": self.model,
            "width": architecture(self.model, self.width).width,
            "budget": self.budget,
            "epochs": self.epochs,
            "images": self.images,
            "batch": self.batch,
            "nodes": self.nodes,
            "clients": self.clients,
            "split": self.split,
            "local_steps": self.local_steps,
            "fade_in": self.fade_in,
            "decay": self.decay,
            "grid": list(self.grid),
            "learning_rates": {}
            if self.grid
            else {method: self.rate(method) for method in METHODS},
        }


def check_methods(names: Sequence[str]) -> tuple[str, ...]:
    """Known methods, in the order of the table."""
    for name in names:
        if name not in METHODS:
            raise InvalidInput("unknown method", repr(name), "`methods` with " + ",".join(METHODS))
    return tuple(name for name in METHODS if name in names)


def require_extras() -> None:
    """Raise unless JAX, optax and flax are there."""
    from importlib.util import find_spec

    missing = [name for name in ("jax", "optax", "flax") if find_spec(name) is None]
    if missing:
        raise MissingExtra(
            "the network experiment needs JAX, optax and flax",
            "no module " + ", ".join(map(repr, missing)),
            install("jax,examples"),
        )
