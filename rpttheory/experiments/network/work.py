"""The paper's network experiment: SGD, PT, RPT and their neighbours on one network, up to one
budget.

The paper's cost of a step is the share of the parameters in active blocks, so a step of SGD costs
1: it is what workers that share each batch send to each other.
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
    from .net import Network
    from .rounds import Dealer
    from .training import Trainer

_RECORDS = 16
_TUNING_RECORDS = 3
# Relative gap of the search for probabilities, and images in the batch at which curvature is taken.
_GAP = 1e-2
_CURVATURE_BATCH = 128
# The optimiser that benchmarks of ResNets have agreed upon (Benchopt, arXiv:2206.13424), for SGD as
# in the paper.
_MOMENTUM = 0.9
_WEIGHT_DECAY = 5e-4


@cache
def network_of(settings: Settings) -> Network:
    """The network and its images, read once in a process."""
    from dataclasses import replace

    from ...networks.models import architecture
    from .data import load_images
    from .net import Network

    data = load_images(settings.data, settings.folder)
    data = replace(data, train=(data.train[0][: settings.images], data.train[1][: settings.images]))
    return Network(architecture(settings.model, settings.width), data)


@cache
def trainer_of(settings: Settings, method: str, probabilities: tuple[float, ...] | None) -> Trainer:
    """The trainer of a method, compiled once in a process; `probabilities` are for
    rpt-curvature.
    """
    from .blocks import BlockTrainer
    from .rounds import Rounds

    network = network_of(settings)
    if method in ("pt", "fedavg", "progfed", "ist", "resist", "rpt-federated"):
        return Rounds(network, dealer_of(settings, method, network))
    draw = schedule(settings, method, network, probabilities)
    if method == "sgd-momentum":
        return BlockTrainer(network, draw, momentum=_MOMENTUM, weight_decay=_WEIGHT_DECAY)
    return BlockTrainer(network, draw)


def dealer_of(settings: Settings, method: str, network: Network) -> Dealer:
    """The rounds of a method that trains parts of the network, or by several workers."""
    from ...networks.draws import Randomized
    from .federated import Clients, FederatedDealer, ProgFedDealer
    from .progressive import ProgressiveDealer, growth_within
    from .subnets import ResidualDealer, SubnetDealer

    batch = settings.batch // settings.nodes
    if method in ("ist", "resist"):
        made = SubnetDealer if method == "ist" else ResidualDealer
        return made(network, settings.nodes, settings.local_steps, batch)
    if method == "pt":
        growth = growth_within(network, settings.budget, most_steps(settings, network))
        return ProgressiveDealer(network, growth, settings.fade_in)
    rounds = settings.epochs * settings.clients / settings.nodes
    clients = Clients(
        network.data, settings.clients, settings.nodes, batch, settings.split == "class"
    )
    if method == "progfed":
        growth = growth_within(network, settings.budget, rounds)
        return ProgFedDealer(network, clients, growth, settings.fade_in)
    labels = network.labels()
    draw = schedule(settings, "rpt-input" if method == "rpt-federated" else "sgd", network, None)
    assert isinstance(draw, Randomized)  # neither of the two is progressive
    share = float(np.dot(draw.probabilities, labels.sizes)) / sum(labels.sizes)
    return FederatedDealer(labels, clients, draw, math.ceil(min(settings.budget / share, rounds)))


def most_steps(settings: Settings, network: Network) -> int:
    """Steps until a run ends by its epochs."""
    return math.ceil(settings.epochs * network.steps_per_epoch(settings.batch))


def schedule(
    settings: Settings, method: str, network: Network, probabilities: tuple[float, ...] | None
) -> Draw:
    """Which blocks a method updates when."""
    from ...networks.draws import Progressive, Randomized
    from ...networks.schedules import exponential

    labels = network.labels()
    if method == "pt-partial":
        lengths = progressive_lengths(labels.sizes, settings.budget, most_steps(settings, network))
        return Progressive(lengths, order=labels.input_first)
    if probabilities is not None:
        return Randomized(probabilities, order=labels.output_first)
    if method in ("rpt-input", "rpt-output"):
        order = labels.input_first if method == "rpt-input" else labels.output_first
        return Randomized(exponential(labels.count, settings.decay, order=order), order=order)
    return Randomized(np.ones(labels.count), order=labels.input_first)


def progressive_lengths(
    sizes: Sequence[int], budget: float, most: float = math.inf
) -> tuple[int, ...]:
    """ProgFed's lengths for the fewest steps whose cost reaches the budget, or for as many as there
    may be.

    Examples
    --------
    >>> progressive_lengths([10, 30], 10)
    (3, 10)
    """
    from ...networks.schedules import progfed_schedule

    shares = np.cumsum(sizes) / sum(sizes)
    total = math.ceil(min(budget, most))
    while np.dot(lengths := progfed_schedule(len(sizes), total), shares) < budget and total < most:
        total += 1
    return lengths


def measure_costs(
    settings: Settings, method: str, compiled: Path | None, report: Report
) -> dict[str, Any]:
    """What the steps of a method take a worker that has its share of the batch, by kind of step."""
    _prepare(compiled)
    from .costs import kind_costs

    trainer = trainer_of(settings, method, None)
    return kind_costs(trainer.network, trainer.kinds, settings.batch // settings.nodes, report)


def find_probabilities(settings: Settings, compiled: Path | None, report: Report) -> dict[str, Any]:
    """The optimum of the model problem output-first: Gauss-Newton curvature at the start, costs and
    overhead in flops.

    Flops, because they repeat: with processor times every machine would train with other
    probabilities.
    """
    _prepare(compiled)
    from ...networks.curvature import CAVEAT, ggn_operator
    from ...networks.profile import profile_costs
    from ...search import optimal_probabilities

    network = network_of(settings)
    labels = network.labels()
    params = network.initial(TUNING_SEED)
    images, classes = network.data.train
    batch = images[:_CURVATURE_BATCH], classes[:_CURVATURE_BATCH]
    costs = profile_costs(network.loss, params, batch, labels, "output-first", "flops")[
        "output-first"
    ]
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
    return {
        "probabilities": found.probabilities.tolist(),
        "search": found.to_dict(),
        "caveat": CAVEAT,
    }


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
    run = Run(
        seed, learning_rate, settings.budget, settings.batch, records, tuning, settings.epochs
    )
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
