"""Settings of the network experiment: data, network, budget, methods, learning rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...errors import InvalidInput, MissingExtra
from ...machine import install

# The names that a user types, and those in tables and figures.
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
# of the federated ones ProgFed's. CIFAR-10 takes the same unless told otherwise.
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


@dataclass(frozen=True)
class Settings:
    """Everything that the results depend on, apart from methods and repeats.

    Parameters
    ----------
    dataset, model : str
    width : int, optional
        Channels of the first stage; the model's default if omitted.
    cost_budget : float
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
    decay : float
        The probabilities of RPT are 1, decay, decay^2, ... along the order.
    learning_rates : tuple of float
        Learning rates to choose from on the validation images; empty for the built-in ones.
    learning_rate : float, optional
        One for all methods instead.
    folder : str, optional
        Where CIFAR-10 is; the results do not depend on it.
    """

    dataset: str = "digits"
    model: str = "resnet20"
    width: int | None = None
    cost_budget: float = 150.0
    epochs: float = 60.0
    images: int | None = None
    batch: int = 128
    nodes: int = 4
    clients: int = 10
    split: str = "even"
    local_steps: int = 4
    decay: float = 0.9
    learning_rates: tuple[float, ...] = ()
    learning_rate: float | None = None
    folder: str | None = None

    def __post_init__(self) -> None:
        rates = (
            *self.learning_rates,
            *([] if self.learning_rate is None else [self.learning_rate]),
        )
        counts = {
            name: 1 if getattr(self, name) is None else getattr(self, name)
            for name in ("batch", "nodes", "clients", "local_steps", "images")
        }
        rules: dict[str, tuple[bool, str]] = {
            "cost_budget": (
                math.isfinite(self.cost_budget) and self.cost_budget >= 1,
                "must be at least 1",
            ),
            "epochs": (self.epochs > 0, "must be positive"),
            **{name: (count >= 1, "must be at least 1") for name, count in counts.items()},
            "split": (self.split in SPLITS, "must be " + " or ".join(SPLITS)),
            "decay": (0 < self.decay <= 1, "must lie in (0, 1]"),
            "learning_rate": (
                all(math.isfinite(rate) and rate > 0 for rate in rates)
                and not (self.learning_rates and self.learning_rate is not None),
                "must be positive, or chosen from positive `learning_rates`",
            ),
        }
        if counts["nodes"] > min(counts["clients"], counts["batch"]):
            rules["nodes"] = (False, "must not exceed clients or batch")
        for name, (holds, rule) in rules.items():
            if not holds:
                default = getattr(type(self), name)
                raise InvalidInput(
                    rule, repr(getattr(self, name)), f"{default or 0.1}", argument=name
                )

    def rate(self, method: str) -> float:
        """The learning rate of a method that is not tuned."""
        return RATES[method] if self.learning_rate is None else self.learning_rate

    def to_dict(self, data: str) -> dict[str, Any]:
        """JSON-safe, with the name of the data that was read."""
        from .model import architecture

        values = asdict(self) | {
            "dataset": data,
            "width": architecture(self.model, self.width).width,
            "rate_by_method": {}
            if self.learning_rates
            else {method: self.rate(method) for method in METHODS},
        }
        del values["folder"], values["learning_rate"]
        return values


def check_methods(names: Sequence[str]) -> tuple[str, ...]:
    """Known methods, in the order of the table."""
    for name in names:
        if name not in METHODS:
            raise InvalidInput("is unknown", repr(name), ",".join(METHODS), argument="methods")
    return tuple(name for name in METHODS if name in names)


def require_extras() -> None:
    """Raise unless JAX, optax and flax are installed."""
    from importlib.util import find_spec

    missing = [name for name in ("jax", "optax", "flax") if find_spec(name) is None]
    if missing:
        raise MissingExtra(
            "the network experiment needs JAX, optax and flax",
            "no module " + ", ".join(map(repr, missing)),
            install("jax,examples"),
        )
