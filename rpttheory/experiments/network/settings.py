"""Settings of the network experiment: data, network, budget, methods, learning rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from ...errors import InvalidInput, MissingExtra
from ...machine import install


class MethodInfo(NamedTuple):
    """A method's name in tables, the method whose kinds of steps it makes, its learning rate, and
    the numbers of its color and dashes in figures.
    """

    title: str
    costs_of: str
    learning_rate: float
    ink: int
    dashes: int


# By the names that a user types. The learning rates of SGD, PT and RPT are the best of 0.1, 0.05
# and 0.01 on the validation images of the digits; those of the federated methods are ProgFed's.
# CIFAR-10 has the same defaults. Those of Muon were not tuned. No two methods share both color and
# dashes.
METHODS = {
    "sgd": MethodInfo("SGD", "sgd", 0.1, 0, 0),
    "sgd-momentum": MethodInfo("SGD, momentum", "sgd", 0.1, 0, 5),
    "pt": MethodInfo("PT", "pt", 0.1, 3, 0),
    "fedavg": MethodInfo("FedAvg", "sgd", 0.1, 5, 0),
    "progfed": MethodInfo("ProgFed", "pt", 0.1, 5, 1),
    "rpt-input": MethodInfo("RPT input-first", "rpt-input", 0.05, 1, 1),
    "rpt-output": MethodInfo("RPT output-first", "rpt-output", 0.05, 2, 2),
    "rpt-federated": MethodInfo("RPT federated", "rpt-input", 0.1, 4, 4),
    "muon": MethodInfo("Muon", "rpt-muon", 0.02, 6, 0),
    "rpt-muon": MethodInfo("RPT with Muon", "rpt-muon", 0.02, 7, 3),
}
# Pairs of convolutions in each stage, and channels of the first stage. He et al., Deep Residual
# Learning for Image Recognition (CVPR 2016): their networks for CIFAR-10 with three stages of n
# pairs, 6n + 2 layers (with projections, 22 blocks for n = 3; 16 and 10 for n = 2 and 1, which
# train sooner), and their ResNet-18 with four stages of two pairs (21 blocks).
MODELS = {
    "resnet20": ((3, 3, 3), 8),
    "resnet18": ((2, 2, 2, 2), 64),
    "resnet14": ((2, 2, 2), 8),
    "resnet8": ((1, 1, 1), 8),
}
# Seeds from here on are for tuning; the reported ones count from 0.
TUNING_SEED = 1_000_000
# Values to suggest for settings without a default.
_EXAMPLES = {"width": 8, "images": 1000, "learning_rate": 0.1}


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
        Most epochs of a run.
    images : int, optional
        Number of training images; all of them by default.
    batch : int
        Images in a step, shared by the workers.
    nodes : int
        Workers that train at the same time.
    clients : int
        Clients that hold the images, for federated methods.
    decay : float
        The probabilities of RPT are 1, decay, decay^2, ... along the order.
    newton_schulz : int
        Newton-Schulz steps of Muon.
    learning_rates : tuple of float
        Learning rates to choose from on the validation images; empty for the built-in ones.
    learning_rate : float, optional
        One for all methods instead.
    folder : str, optional
        The folder of CIFAR-10; the results do not depend on it.
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
    decay: float = 0.9
    newton_schulz: int = 5
    learning_rates: tuple[float, ...] = ()
    learning_rate: float | None = None
    folder: str | None = None

    def __post_init__(self) -> None:
        at_least_one = ("width", "images", "batch", "nodes", "clients", "cost_budget")
        for name in (*at_least_one, "newton_schulz"):
            value = getattr(self, name)
            self._require(name, value is None or 1 <= value < math.inf, "must be at least 1")
        self._require("model", self.model in MODELS, f"must be one of {', '.join(MODELS)}")
        self._require("epochs", self.epochs > 0, "must be positive")
        self._require("decay", 0 < self.decay <= 1, "must lie in (0, 1]")
        few = self.nodes <= min(self.clients, self.batch)
        self._require("nodes", few, "must not exceed `clients` or `batch`")
        rates = self.learning_rates or (0.1 if self.learning_rate is None else self.learning_rate,)
        positive = all(0 < rate < math.inf for rate in rates)
        single = not self.learning_rates or self.learning_rate is None
        rule = "must be positive, or chosen from positive `learning_rates`"
        self._require("learning_rate", positive and single, rule)

    def _require(self, name: str, valid: bool, rule: str) -> None:
        if not valid:
            default = getattr(type(self), name) or _EXAMPLES[name]
            raise InvalidInput(
                rule, repr(getattr(self, name)), argument=name, suggest={name: default}
            )

    @property
    def pairs(self) -> tuple[int, ...]:
        """Pairs of convolutions in each stage of the model."""
        return MODELS[self.model][0]

    @property
    def channels(self) -> int:
        """Channels of the first stage."""
        return MODELS[self.model][1] if self.width is None else self.width

    def rate(self, method: str) -> float:
        """The learning rate of a method that is not tuned."""
        return METHODS[method].learning_rate if self.learning_rate is None else self.learning_rate

    def to_dict(self, data: str) -> dict[str, Any]:
        """JSON-safe values, with the name of the data that was read."""
        rates = {} if self.learning_rates else {method: self.rate(method) for method in METHODS}
        values = asdict(self) | {
            "dataset": data,
            "width": self.channels,
            "rate_by_method": rates,
        }
        del values["folder"], values["learning_rate"]
        return values


def check_methods(names: Sequence[str]) -> tuple[str, ...]:
    """Return the methods in the order of the table; raise InvalidInput for an unknown one."""
    for name in names:
        if name not in METHODS:
            raise InvalidInput(
                "is not one of the choices", repr(name), ",".join(METHODS), argument="methods"
            )
    return tuple(name for name in METHODS if name in names)


def require_extras() -> None:
    """Raise MissingExtra unless JAX, optax and flax are installed."""
    from importlib.util import find_spec

    missing = [name for name in ("jax", "optax", "flax") if find_spec(name) is None]
    if missing:
        raise MissingExtra(
            "the network experiment needs JAX, optax and flax",
            "no module " + ", ".join(map(repr, missing)),
            install("jax,examples"),
        )
