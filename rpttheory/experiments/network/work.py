"""The paper's network experiment: SGD, PT and RPT on one network, up to one budget of the paper's cost.

The paper's cost of a step is the share of the parameters in active blocks, so a step of SGD costs 1.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...runs.parallel import Report
from .settings import TUNING_SEED, Settings

if TYPE_CHECKING:
    from ...networks.draws import Draw
    from ...networks.pytree import Labels
    from .training import Network, Trainer

_RECORDS, _TUNING_RECORDS = 24, 3
# Samples of each outcome when processor times are measured.
_ROUNDS = 5
# Relative gap of the search for probabilities, and images in the batch at which curvature is taken.
_GAP, _CURVATURE_BATCH = 1e-2, 128
# The optimiser that benchmarks of ResNets have agreed upon (Benchopt, arXiv:2206.13424), for SGD as in the paper.
_MOMENTUM, _WEIGHT_DECAY = 0.9, 5e-4


@cache
def network_of(settings: Settings) -> Network:
    """The network and its images, read once in a process."""
    from ...networks.models import architecture
    from .data import load_images
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
    from ...networks.draws import Progressive, Randomized
    from ...networks.schedules import exponential

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
    from ...networks.schedules import progfed_schedule

    shares = np.cumsum(sizes) / sum(sizes)
    total = math.ceil(budget)
    while np.dot(lengths := progfed_schedule(len(sizes), total), shares) < budget:
        total += 1
    return lengths


def measure_costs(settings: Settings, compiled: Path | None, report: Report) -> dict[str, Any]:
    """Processor time of a step by the number of active blocks, in both orders."""
    _prepare(compiled)
    from ...networks.profile import profile_costs

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
    from ...networks.curvature import CAVEAT, ggn_operator
    from ...networks.profile import profile_costs
    from ...search import optimal_probabilities

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
        callback=lambda lower, upper: report(f"optimum at most {upper:.4g}"),
    )
    return {"probabilities": found.probabilities.tolist(), "search": found.to_dict(), "caveat": CAVEAT}


def train(
    settings: Settings,
    method: str,
    seed: int,
    learning_rate: float,
    probabilities: tuple[float, ...] | None,
    path: Path,
    compiled: Path | None,
    report: Report,
) -> dict[str, Any]:
    """One run of one method; a seed from `TUNING_SEED` on is judged by the validation images."""
    _prepare(compiled)
    from ...runs.checkpoint import Checkpoint
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
    result = trainer.run(run, Checkpoint(path, identity), report)
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
