"""The methods of the network experiment, as the rounds they consist of.

SGD and RPT update active blocks of the whole network. Progressive training follows H.-P. Wang, S.
U. Stich, Y. He and M. Fritz, ProgFed: Effective, Communication, and Computation Efficient Federated
Learning by Progressive Training (ICML 2022); federated averaging, H. B. McMahan et al.,
Communication-Efficient Learning of Deep Networks from Decentralized Data (AISTATS 2017). RPT with
Muon is that of K. Gruntkowska, Y. Maziane, Z. Qu and P. Richtárik, Drop-Muon: Update Less, Converge
Faster (arXiv:2510.02239).
"""

from __future__ import annotations

import math
import statistics
from functools import lru_cache
from itertools import count

import jax
import numpy as np
from numpy.typing import NDArray

from ...methods import PT
from ...networks.blocks import Labels
from ...networks.training import OrderLike, Randomized, exponential, make_draws
from .data import ImageData, batch_indices, generator
from .model import Network
from .rounds import ImagesAt, Kind, KindAt, Method
from .settings import Settings

# Streams of random numbers, besides those of the images.
_SPLIT = 3
_ASSIGN = 4
# A warm-up lasts one fifth of an early stage, as in ProgFed.
_WARM_UP = 5
# Active sets that are drawn at a time; chosen by hand, not tuned.
_CHUNK = 256
# The optimizer that benchmarks of ResNets have agreed upon (Benchopt, arXiv:2206.13424), for SGD as
# in the paper.
_MOMENTUM = 0.9
_WEIGHT_DECAY = 5e-4
_MUON_MOMENTUM = 0.95


def make_method(settings: Settings, name: str, network: Network) -> Method:
    """Return the rounds of a method."""
    federated = name in ("fedavg", "progfed", "rpt-federated")
    if name in ("pt", "progfed"):
        lengths = growth_within(settings, network, federated)
        kinds = stage_kinds(network)
        kind_at = _by_stage(lengths)
    else:
        labels = network.labels()
        schedule = Randomized(_probabilities(settings, name, labels.count))
        kinds = block_kinds(labels, schedule)
        kind_at = _by_round(schedule) if federated else _by_step(labels, schedule)
    momentum = _MOMENTUM if federated or name == "sgd-momentum" else 0.0
    newton_schulz = 0
    if name.endswith("muon"):
        momentum = _MUON_MOMENTUM
        newton_schulz = settings.newton_schulz
        # Muon's step has the same size whatever the gradient is multiplied with.
        kinds = {f"Muon {at}": Kind(dict.fromkeys(kinds[at].trained, 1.0)) for at in kinds}
        sgd_kind_at = kind_at
        kind_at = lambda seed, number: f"Muon {sgd_kind_at(seed, number)}"  # noqa: E731
    weight_decay = _WEIGHT_DECAY if name == "sgd-momentum" else 0.0
    images_at = _client_images(settings, network.data)
    batch = settings.batch // settings.nodes
    if not federated:
        images_at = _all_images(settings, network.data)
        batch = settings.batch
    return Method(
        kinds, kind_at, images_at, batch, momentum, weight_decay, newton_schulz, federated
    )


def _probabilities(settings: Settings, name: str, blocks: int) -> NDArray[np.float64]:
    if not name.startswith("rpt"):
        return np.ones(blocks)
    output_first = name in ("rpt-output", "rpt-muon")
    order: OrderLike = "output-first" if output_first else "input-first"
    return exponential(blocks, settings.decay, order=order)


def _by_step(labels: Labels, schedule: Randomized) -> KindAt:
    """Draw the active sets of `make_rpt_steps` with the seed as its key."""

    @lru_cache(maxsize=2)
    def depths(seed: int, chunk: int) -> list[int]:
        """Number of active blocks in each round of a chunk; earlier ones are drawn again."""
        draws = make_draws(labels, schedule, seed)
        _, states = jax.lax.scan(
            lambda state, _: (draws.advance(state),) * 2,
            draws.start(),
            None,
            _CHUNK * (chunk + 1),
        )
        sums: list[int] = np.asarray(states.active).sum(axis=1)[-_CHUNK:].tolist()
        return sums

    def kind_at(seed: int, number: int) -> str:
        return _block_kind(schedule, depths(seed, number // _CHUNK)[number % _CHUNK])

    return kind_at


def _by_round(schedule: Randomized) -> KindAt:
    """Draw one active set for all clients of a round."""

    def kind_at(seed: int, number: int) -> str:
        threshold = generator(seed, _ASSIGN, number, 1).random()
        return _block_kind(schedule, int((schedule.probabilities > threshold).sum()))

    return kind_at


def _by_stage(lengths: dict[str, int]) -> KindAt:
    """Train in stages of these lengths; the last one does not end."""
    names = np.repeat(list(lengths), list(lengths.values())).tolist()
    return lambda seed, number: str(names[min(number, len(names) - 1)])


def _all_images(settings: Settings, data: ImageData) -> ImagesAt:
    """Take one step a round, on the next batch of all images."""
    return lambda seed, number: [[batch_indices(data, seed, number, settings.batch)]]


def _client_images(settings: Settings, data: ImageData) -> ImagesAt:
    """Let some clients, chosen at random in each round, train for an epoch on their images, which
    are split evenly.
    """
    batch = settings.batch // settings.nodes

    @lru_cache(maxsize=2)
    def split(seed: int) -> list[NDArray[np.intp]]:
        order = generator(seed, _SPLIT).permutation(len(data.train[1]))
        return np.array_split(order, settings.clients)

    def images_at(seed: int, number: int) -> list[list[NDArray[np.intp]]]:
        rng = generator(seed, _ASSIGN, number)
        batches = []
        for client in rng.choice(settings.clients, settings.nodes, replace=False).tolist():
            order = rng.permutation(split(seed)[client])
            steps = _local_steps(len(order), batch)
            batches.append(list(order[: steps * batch].reshape(steps, -1)))
        return batches

    return images_at


def _local_steps(images: int, batch: int) -> int:
    """Steps of a client in a round; images that fill no batch are left out."""
    return max(images // batch, 1)


def client_rounds(settings: Settings, images: int) -> float:
    """Return the expected number of rounds of clients that use as many batches as the epochs
    have.
    """
    batch = settings.batch // settings.nodes
    sizes = [len(part) for part in np.array_split(np.arange(images), settings.clients)]
    steps = settings.nodes * statistics.fmean(_local_steps(size, batch) for size in sizes)
    return settings.epochs * (images // batch) / steps


def block_kinds(labels: Labels, schedule: Randomized) -> dict[str, Kind]:
    """Return the steps that a schedule can ask for, by name."""
    kinds = {}
    for mask in schedule.outcomes():
        trained = {
            path: float(schedule.factors[block])
            for path, block in zip(labels.paths, labels.leaf_blocks, strict=True)
            if mask[block]
        }
        kinds[_block_kind(schedule, int(mask.sum()))] = Kind(trained)
    return kinds


def _block_kind(schedule: Randomized, depth: int) -> str:
    """The name of a step on so many blocks."""
    first = "input-first" if schedule.order.rank_to_block[0] == 0 else "output-first"
    return "whole" if depth == schedule.factors.size else f"{first} {depth}"


def stage_kinds(network: Network) -> dict[str, Kind]:
    """Return steps on each truncated network, and, for warm-ups, on the parameters that are new in
    it.
    """
    kinds: dict[str, Kind] = {}
    earlier: set[str] = set()
    for stage in range(1, network.stages + 1):
        stages = stage if stage < network.stages else None
        members = network.members(stages)
        kinds[f"stage {stage}"] = Kind(dict.fromkeys(members, 1.0), stages)
        if stage > 1:
            new = [path for path in members if path not in earlier]
            kinds[f"stage {stage}, new"] = Kind(dict.fromkeys(new, 1.0), stages)
        earlier.update(members)
    return kinds


def stage_lengths(stages: int, total: int) -> dict[str, int]:
    """Return ProgFed's stages by name: early ones last T/(2S), the last one the rest; after each
    growth comes a warm-up, not counted in T.

    Examples
    --------
    >>> stage_lengths(2, 8)
    {'stage 1': 2, 'stage 2, new': 1, 'stage 2': 6}
    """
    lengths: dict[str, int] = {}
    early, *_ = counts = PT.progfed(total, stages).lengths
    for stage, length in enumerate(counts, start=1):
        if stage > 1:
            lengths[f"stage {stage}, new"] = math.ceil(early / _WARM_UP)
        lengths[f"stage {stage}"] = length
    return lengths


def growth_within(settings: Settings, network: Network, federated: bool) -> dict[str, int]:
    """Return the longest stages within the budget of bytes and of epochs."""
    most = settings.epochs * network.steps_per_epoch(settings.batch)
    if federated:
        most = client_rounds(settings, len(network.data.train[0]))
    sizes = {path: leaf.size for path, leaf in network.everything(0).items()}
    costs = {
        name: kind.floats(network, sizes, federated) for name, kind in stage_kinds(network).items()
    }
    largest = settings.cost_budget * costs[f"stage {network.stages}"]

    def fits(lengths: dict[str, int]) -> bool:
        total = sum(length * costs[name] for name, length in lengths.items())
        return total <= largest and sum(lengths.values()) <= most

    totals = (T for T in count(1) if not fits(stage_lengths(network.stages, T + 1)))
    return stage_lengths(network.stages, next(totals))
