"""The paper's network experiment: SGD, PT and RPT on one network, up to one budget of the paper's cost.

The paper's cost of a step is the share of the parameters in active blocks, so a step of SGD costs 1.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from .draws import Draw
    from .pytree import Labels
    from .training import Network, Trainer

# What a person types, and what tables and figures show.
METHODS = {
    "sgd": "SGD",
    "sgd-momentum": "SGD, momentum",
    "pt": "PT",
    "rpt-input": "RPT input-first",
    "rpt-output": "RPT output-first",
    "rpt-curvature": "RPT curvature",
}
# The paper's grid.
GRID = (1.0, 0.5, 0.1, 0.05, 0.01, 0.001)
# Best of the grid on the validation images, by `rpttheory experiment network --tune`.
RATES = {
    "digits": {"sgd": 0.1, "sgd-momentum": 0.05, "pt": 0.1, "rpt-input": 0.1, "rpt-output": 0.1, "rpt-curvature": 0.1},
    "cifar10": {"sgd": 0.1, "sgd-momentum": 0.05, "pt": 0.1, "rpt-input": 0.1, "rpt-output": 0.1, "rpt-curvature": 0.1},
}
# Seeds from here on are for tuning, for costs and for curvature; the reported ones count from 0.
TUNING_SEED = 1_000_000
_RECORDS, _TUNING_RECORDS = 24, 3
# Samples of each outcome when processor times are measured.
_ROUNDS = 5
# Relative gap of the search for probabilities, and images in the batch at which curvature is taken.
_GAP, _CURVATURE_BATCH = 1e-2, 128
# The optimiser that benchmarks of ResNets have agreed upon (Benchopt, arXiv:2206.13424), for SGD as in the paper.
_MOMENTUM, _WEIGHT_DECAY = 0.9, 5e-4

Report = Callable[[float], None]


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
    batch : int
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
    batch: int = 128
    decay: float = 0.9
    grid: tuple[float, ...] = ()
    learning_rate: float | None = None
    folder: str | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.budget) and self.budget >= 1):
            raise InvalidInput("--budget must be at least 1, a step of SGD", f"{self.budget:g}", "--budget 150")
        if self.batch < 1:
            raise InvalidInput("--batch must be at least 1", str(self.batch), "--batch 128")
        if not 0 < self.decay <= 1:
            raise InvalidInput("--decay must lie in (0, 1]", f"{self.decay:g}", "--decay 0.9")
        if self.grid and self.learning_rate is not None:
            raise InvalidInput("--tune chooses learning rates itself", "--learning-rate beside it", "one of the two")
        for rate in (*self.grid, *([] if self.learning_rate is None else [self.learning_rate])):
            if not (math.isfinite(rate) and rate > 0):
                raise InvalidInput("learning rates must be positive", f"{rate:g}", "such as 0.1")

    def rate(self, method: str) -> float:
        """The learning rate of a method that is not tuned."""
        return RATES[self.data][method] if self.learning_rate is None else self.learning_rate

    def to_dict(self, data: str) -> dict[str, Any]:
        """JSON-safe, with the name of the data that was read."""
        from .models import architecture

        return {
            "data": data,
            "model": self.model,
            "width": architecture(self.model, self.width).width,
            "budget": self.budget,
            "batch": self.batch,
            "decay": self.decay,
            "grid": list(self.grid),
            "learning_rates": {} if self.grid else {method: self.rate(method) for method in METHODS},
        }


def check_methods(names: Sequence[str]) -> tuple[str, ...]:
    """Known methods, in the order of the table."""
    for name in names:
        if name not in METHODS:
            raise InvalidInput("unknown method", repr(name), "--methods with " + ",".join(METHODS))
    return tuple(name for name in METHODS if name in names)


def require_extras() -> None:
    """Raise unless JAX, optax and flax are there."""
    from importlib.util import find_spec

    missing = [name for name in ("jax", "optax", "flax") if find_spec(name) is None]
    if missing:
        raise MissingExtra(
            "the network experiment needs JAX, optax and flax",
            "no module " + ", ".join(map(repr, missing)),
            'pip install "rpttheory[jax,examples]"',
        )


@cache
def network_of(settings: Settings) -> Network:
    """The network and its images, read once in a process."""
    from .data import load_images
    from .models import architecture
    from .training import Network

    return Network(architecture(settings.model, settings.width), load_images(settings.data, settings.folder))


@cache
def trainer_of(settings: Settings, method: str, probabilities: tuple[float, ...] | None) -> Trainer:
    """The trainer of a method, compiled once in a process; `probabilities` are for rpt-curvature."""
    from .training import Trainer

    network = network_of(settings)
    draw = schedule(settings, method, network.labels(), probabilities)
    if method == "sgd-momentum":
        return Trainer(network, draw, momentum=_MOMENTUM, weight_decay=_WEIGHT_DECAY)
    return Trainer(network, draw)


def schedule(settings: Settings, method: str, labels: Labels, probabilities: tuple[float, ...] | None) -> Draw:
    """Which blocks a method updates when."""
    from .draws import Progressive, Randomized
    from .schedules import exponential

    if method == "pt":
        return Progressive(progressive_lengths(labels.sizes, settings.budget), order=labels.input_first)
    if probabilities is not None:
        return Randomized(probabilities, order=labels.output_first)
    if method in ("rpt-input", "rpt-output"):
        order = labels.input_first if method == "rpt-input" else labels.output_first
        return Randomized(exponential(labels.count, settings.decay, order=order), order=order)
    return Randomized(np.ones(labels.count), order=labels.input_first)


def progressive_lengths(sizes: Sequence[int], budget: float) -> tuple[int, ...]:
    """ProgFed's lengths for the fewest steps whose cost reaches the budget.

    Examples
    --------
    >>> progressive_lengths([10, 30], 10)
    (3, 10)
    """
    from .schedules import progfed_schedule

    shares = np.cumsum(sizes) / sum(sizes)
    total = math.ceil(budget)
    while np.dot(lengths := progfed_schedule(len(sizes), total), shares) < budget:
        total += 1
    return lengths


def measure_costs(settings: Settings, compiled: Path | None, report: Report) -> dict[str, Any]:
    """Processor time of a step by the number of active blocks, in both orders."""
    _prepare(compiled)
    from .profile import profile_costs

    network = network_of(settings)
    images, classes = network.data.train
    batch = images[: settings.batch], classes[: settings.batch]
    params = network.initial(TUNING_SEED)
    return profile_costs(network.loss, params, batch, network.labels(), rounds=_ROUNDS).to_dict()


def find_probabilities(settings: Settings, compiled: Path | None, report: Report) -> dict[str, Any]:
    """The optimum of the model problem output-first: Gauss-Newton curvature at the start, costs and overhead in flops.

    Flops, because they repeat: with processor times every machine would train with other probabilities.
    """
    _prepare(compiled)
    from ..search import optimal_probabilities
    from .curvature import CAVEAT, ggn_operator
    from .profile import profile_costs

    network = network_of(settings)
    labels, params = network.labels(), network.initial(TUNING_SEED)
    images, classes = network.data.train
    batch = images[:_CURVATURE_BATCH], classes[:_CURVATURE_BATCH]
    costs = profile_costs(network.loss, params, batch, labels, "output-first", "flops")["output-first"]
    operator = ggn_operator(network.model, network.criterion, params, batch, labels)
    found = optimal_probabilities(
        operator,
        labels.blocks,
        costs.costs,
        overhead=costs.overhead,
        order=costs.order,
        tol=_GAP,
        callback=lambda lower, upper: report(upper),
    )
    return {"probabilities": found.probabilities.tolist(), "search": found.to_dict(), "caveat": CAVEAT}


def train(
    settings: Settings,
    method: str,
    seed: int,
    learning_rate: float,
    probabilities: tuple[float, ...] | None,
    path: Path,
    write: Callable[[Path, bytes], None],
    compiled: Path | None,
    report: Report,
) -> dict[str, Any]:
    """One run of one method; a seed from `TUNING_SEED` on is judged by the validation images."""
    _prepare(compiled)
    from .checkpoint import Checkpoint
    from .training import Run

    tuning = seed >= TUNING_SEED
    records = _TUNING_RECORDS if tuning else _RECORDS
    run = Run(seed, learning_rate, settings.budget, settings.batch, records, validation=tuning)
    trainer = trainer_of(settings, method, probabilities)
    identity = settings.to_dict(trainer.network.data.name) | {
        "method": method,
        "seed": seed,
        "learning_rate": learning_rate,
        "probabilities": None if probabilities is None else list(probabilities),
    }
    result = trainer.run(run, Checkpoint(path, identity, write), report)
    return {"method": method, "seed": seed, "learning_rate": learning_rate, **result}


def _prepare(compiled: Path | None) -> None:
    """One thread per process, and a folder of compiled steps that processes share."""
    flag = "--xla_cpu_multi_thread_eigen=false"
    flags = os.environ.get("XLA_FLAGS", "")
    if flag not in flags:
        os.environ["XLA_FLAGS"] = f"{flags} {flag}".strip()
    if compiled is not None:
        import jax

        jax.config.update("jax_compilation_cache_dir", str(compiled))  # type: ignore[no-untyped-call]
