"""Rounds of every method beside the same rounds in numpy, with gradients by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")

import jax.numpy as jnp
import numpy as np
import optax

from rpttheory.experiments.network.data import ImageData
from rpttheory.experiments.network.experiment import kind_costs
from rpttheory.experiments.network.methods import (
    averaged,
    client_rounds,
    growing,
    growth_within,
    make_method,
    stage_lengths,
    synchronous,
)
from rpttheory.experiments.network.model import WHOLE, Part
from rpttheory.experiments.network.rounds import Method, Run, State, Trainer
from rpttheory.experiments.network.settings import Settings
from rpttheory.networks import label_blocks, make_rpt_steps
from rpttheory.networks.training import Randomized
from rpttheory.runs.store import Checkpoint
from tests.refusals import refuses

pytestmark = pytest.mark.networks

RUN = Run(seed=3, learning_rate=0.2, budget=20.0, records=4)
SETTINGS = Settings(batch=6, nodes=2, clients=4, local_steps=2, cost_budget=20.0)
PROBABILITIES = {"s": 1.0, "1": 0.8, "2": 0.6, "3": 0.5, "h": 0.4}


def images(count: int, seed: int) -> tuple[Any, Any]:
    pixels = np.random.default_rng(seed).standard_normal((count, 1, 1, 3)).astype(np.float32)
    return pixels, np.arange(count, dtype=np.int32) % 3


DATA = ImageData("noise", images(24, 0), images(5, 1), images(7, 2), False)


@dataclass
class Residual:
    """x = stem' i, then x + scale v' tanh(u' x) for each of three blocks, then a head: stages of
    one block each.
    """

    optional: tuple[str, ...] = ("1", "2", "3")
    data: ClassVar[ImageData] = DATA
    stages: ClassVar[int] = 3
    hidden: ClassVar[dict[str, Any]] = {at: np.array([[0], [1]]) for at in "123"}
    cuts: ClassVar[dict[str, Any]] = {
        at + name: (axis, at) for at in "123" for name, axis in (("u", 1), ("v", 0))
    }

    def everything(self, seed: int) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        shapes = {"stem": (3, 2), **{at + name: (2, 2) for at in "123" for name in "uv"}}
        shapes |= {"head1": (2, 3), "head2": (2, 3), "head3": (2, 3)}
        return {
            path: rng.standard_normal(shape).astype(np.float32) for path, shape in shapes.items()
        }

    def members(self, part: Part) -> tuple[str, ...]:
        blocks, head = computed(part)
        return ("stem", *(at + name for at in blocks for name in "uv"), head)

    def labels(self) -> Any:
        start = self.everything(0)
        params = {path: start[path] for path in self.members(WHOLE)}
        return label_blocks(params, lambda path: path[0], names=list(PROBABILITIES))

    def logits(self, params: Any, pixels: Any, part: Part) -> Any:
        blocks, head = computed(part)
        x = pixels.reshape(-1, 3) @ params["stem"]
        for at in blocks:
            x = x + part.scale * jnp.tanh(x @ params[at + "u"]) @ params[at + "v"]
        return x @ params[head]


NETWORK: Any = Residual()


def computed(part: Part) -> tuple[str, str]:
    """The blocks of a part, and its head."""
    last = part.stages or 3
    return "".join(at for at in "123"[:last] if at not in part.absent), f"head{last}"


def gradient(params: dict[str, Any], indices: Any, blocks: str, head: str) -> dict[str, Any]:
    """By hand, in double precision."""
    pixels = DATA.train[0][indices].reshape(-1, 3).astype(float)
    classes = DATA.train[1][indices]
    inputs = [pixels @ params["stem"]]
    active = []
    for at in blocks:
        active.append(np.tanh(inputs[-1] @ params[at + "u"]))
        inputs.append(inputs[-1] + active[-1] @ params[at + "v"])
    logits = inputs[-1] @ params[head]
    push = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    push[np.arange(len(classes)), classes] -= 1
    push /= len(classes)
    gradients = {head: inputs[-1].T @ push}
    push = push @ params[head].T
    for at, before, hidden in reversed(list(zip(blocks, inputs, active, strict=False))):
        gradients[at + "v"] = hidden.T @ push
        inner = push @ params[at + "v"].T * (1 - hidden**2)
        gradients[at + "u"] = before.T @ inner
        push = push + inner @ params[at + "u"].T
    return gradients | {"stem": pixels.T @ push}


def entries(path: str, share: Any) -> Any:
    """The numbers of an array that a worker has."""
    neurons = share.neurons.get(path[0], slice(None))
    return (slice(None), neurons) if path.endswith("u") else (neurons,)


def round_by_hand(method: Method, before: dict[str, Any], number: int) -> dict[str, Any]:
    """Local steps of every worker, and the mean of the numbers that each has trained."""
    sums = {path: np.zeros(leaf.shape) for path, leaf in before.items()}
    counts = {path: np.zeros(leaf.shape) for path, leaf in before.items()}
    rate = RUN.learning_rate * method.rate_factor(number)
    for share in method.assign(RUN.seed, number):
        kind = method.kinds[share.kind]
        params = {
            path: leaf[entries(path, share) if path in Residual.cuts else ...].astype(float)
            for path, leaf in before.items()
        }
        velocity = dict.fromkeys(kind.trained, 0.0)
        for indices in share.batches:
            push = gradient(params, indices, *computed(kind.part))
            for path, factor in kind.trained.items():
                decay = method.weight_decay * params[path]
                velocity[path] = method.momentum * velocity[path] + factor * push[path] + decay
            params |= {path: params[path] - rate * velocity[path] for path in kind.trained}
        for path in kind.trained:
            index = entries(path, share) if path in Residual.cuts else ...
            sums[path][index] += params[path]
            counts[path][index] += 1
    return {
        path: np.where(counts[path] > 0, sums[path] / np.maximum(counts[path], 1), leaf)
        for path, leaf in before.items()
    }


def params_of(state: State) -> dict[str, Any]:
    return {path: state.arrays[path] for path in NETWORK.everything(0)}


@cache
def trainer(name: str) -> Trainer:
    """Compiled once for all tests."""
    lengths = stage_lengths(3, 24)  # stages of 4 rounds and warm-ups of one
    schedule = Randomized(list(PROBABILITIES.values()))
    labels = NETWORK.labels()
    if name in ("pt", "progfed"):
        method = growing(SETTINGS, NETWORK, lengths, federated=name == "progfed")
    elif name == "rpt-input":
        method = synchronous(SETTINGS, DATA, labels, schedule, 0.5, 0.01)
    elif name == "rpt-federated":
        method = averaged(SETTINGS, DATA, labels, schedule, 10)
    else:
        method = make_method(SETTINGS, name, NETWORK)
    return Trainer(NETWORK, method)


@pytest.mark.parametrize("name", ["pt", "progfed", "rpt-federated", "ist", "resist"])
def test_workers_train_apart_and_are_averaged(name: str) -> None:
    """Sent is what is trained; received is what has changed since the worker last had it."""
    tested = trainer(name)
    method = tested.method
    state = tested.start(RUN)
    versions: dict[Any, int] = {}
    changed = dict.fromkeys(params_of(state), 0)
    kinds = set()
    for number in range(12):
        before = state
        state = tested.advance(RUN, state)
        expected = round_by_hand(method, params_of(before), number)
        for path, leaf in expected.items():
            assert state.arrays[path] == pytest.approx(leaf, abs=2e-5), path
        shares = method.assign(RUN.seed, number)
        floats = 0
        for share in shares:
            kind = method.kinds[share.kind]
            sizes = {
                path: expected[path][entries(path, share) if path in Residual.cuts else ...].size
                for path in NETWORK.members(kind.part)
            }
            floats += sum(sizes[path] for path in kind.trained)
            floats += sum(
                size
                for path, size in sizes.items()
                if changed[path] > versions.get((share.worker, path), -1)
            )
            versions |= {(share.worker, path): changed[path] for path in sizes}
            kinds.add(share.kind)
        for share in shares:
            changed |= dict.fromkeys(method.kinds[share.kind].trained, number + 1)
        assert state.floats - before.floats == floats / len(shares)
        batches = sum(len(share.batches) for share in shares)
        assert state.batches - before.batches == batches
        steps = sum(state.kinds.values()) - sum(before.kinds.values())
        assert steps == pytest.approx(batches / len(shares))
    assert len(kinds) > 2 or name == "ist"


@pytest.mark.parametrize("name", ["pt", "progfed"])
def test_progressive_training_trains_what_is_new_and_then_the_truncated_network(name: str) -> None:
    method = trainer(name).method
    kinds = [method.assign(RUN.seed, number)[0].kind for number in (0, 3, 4, 5, 8, 9, 10, 99)]
    stages = ["1", "1", "2, new", "2", "2", "3, new", "3", "3"]
    assert kinds == [f"stage {stage}" for stage in stages]
    members = [set(NETWORK.members(Part(stages=stage))) for stage in (1, 2, 3)]
    for number in (1, 2, 3):
        assert set(method.kinds[f"stage {number}"].trained) == members[number - 1]
    for number in (2, 3):
        new = members[number - 1] - members[number - 2]
        assert set(method.kinds[f"stage {number}, new"].trained) == new
    parts = [method.evaluated(number).stages for number in (0, 4, 5, 9, 10, 99)]
    assert parts == [1, 1, 2, 2, None, None]
    counted = [0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9]
    rates = [(1 + np.cos(np.pi * n / 24)) / 2 if name == "progfed" else 1.0 for n in counted]
    assert [method.rate_factor(number) for number in range(12)] == pytest.approx(rates)


@pytest.mark.parametrize("split", ["even", "class"])
def test_clients_hold_all_images_and_train_on_their_own(split: str) -> None:
    settings = replace(SETTINGS, split=split, nodes=4, batch=8)
    method = make_method(settings, "fedavg", NETWORK)
    first, second = (
        {share.worker: np.concatenate(share.batches) for share in method.assign(RUN.seed, number)}
        for number in (0, 1)
    )
    assert sorted(np.concatenate(list(first.values()))) == list(range(24))
    for client, indices in first.items():
        assert sorted(indices) == sorted(second[client])
        assert list(indices) != list(second[client])
    classes = [len(set(DATA.train[1][indices].tolist())) for indices in first.values()]
    assert max(classes) <= 2 or split == "even"


def test_independent_subnets_share_the_neurons_and_the_images() -> None:
    shares = trainer("ist").method.assign(RUN.seed, 1)
    for layer in "123":
        assert sorted(np.concatenate([share.neurons[layer] for share in shares])) == [0, 1]
    used = np.concatenate([indices for share in shares for indices in share.batches])
    assert len(set(used.tolist())) == 12
    assert trainer("resist").method.evaluated(3) == Part(scale=2 / 3)


@pytest.mark.parametrize(("count", "workers"), [(9, 4), (4, 4), (5, 2), (3, 4), (2, 3), (1, 2)])
def test_every_block_has_a_worker_and_every_worker_half_of_them(count: int, workers: int) -> None:
    network: Any = Residual(optional=tuple("abcdefghi"[:count]))
    method = make_method(replace(SETTINGS, nodes=workers), "resist", network)
    rounds = []
    for number in range(5):
        present = [share.kind.split()[1:] for share in method.assign(RUN.seed, number)]
        assert {block for blocks in present for block in blocks} == set(map(str, range(count)))
        assert all(len(set(blocks)) == len(blocks) >= count // 2 for blocks in present)
        rounds.append(present)
    assert any(present != rounds[0] for present in rounds) or count == len(rounds[0][0])


def test_networks_that_cannot_be_divided_are_refused() -> None:
    with refuses("nodes"):
        make_method(replace(SETTINGS, nodes=3), "ist", NETWORK)
    with refuses("model"):
        make_method(SETTINGS, "resist", Residual(optional=()))  # type: ignore[arg-type]


def test_growth_stays_within_bytes_and_rounds() -> None:
    lengths = growth_within(NETWORK, budget=20.0, most=1000)
    method = growing(SETTINGS, NETWORK, lengths, federated=False)
    last = Trainer(NETWORK, method).run(RUN)["records"][-1]
    assert last["cost"] >= 20.0 and abs(last["step"] - sum(lengths.values())) <= 1
    for most in (12, 13):
        limited = growth_within(NETWORK, budget=20.0, most=most)
        total = sum(n for name, n in limited.items() if not name.endswith("new"))
        assert sum(limited.values()) <= most < sum(stage_lengths(3, total + 1).values())


def test_the_cosine_ends_with_the_epochs() -> None:
    """8 images for each of 3 clients fill 2 batches of 3: 8 batches an epoch, 4 a round."""
    assert client_rounds(replace(SETTINGS, clients=3, epochs=10.0), 24) == 20.0


def test_kinds_of_steps_are_counted_beside_a_step_on_the_whole_network() -> None:
    method = trainer("pt").method
    kinds = {**method.kinds, **trainer("ist").method.kinds}
    costs = kind_costs(Trainer(NETWORK, replace(method, kinds=kinds)), 4, lambda text: None)
    assert set(costs) == {"whole", *kinds} and costs["whole"]["time"] == 1.0
    flops = {name: counts["flops"] for name, counts in costs.items()}
    assert flops["stage 3"] == flops["whole"] > flops["stage 3, new"]
    assert flops["whole"] > flops["subnet"] > 0
    assert flops["whole"] > flops["stage 2"] > flops["stage 1"] > 0
    assert min(counts["memory"] for counts in costs.values()) >= 0


def test_rounds_of_one_worker_are_the_steps_of_rpt() -> None:
    """The same sets, factors, momentum and decay as `make_rpt_steps` with the seed as its key."""
    tested = trainer("rpt-input")
    labels = NETWORK.labels()
    start = NETWORK.everything(RUN.seed)
    params = {path: jnp.asarray(start[path]) for path in NETWORK.members(WHOLE)}

    def loss(params: Any, batch: Any) -> Any:
        logits = NETWORK.logits(params, batch[0], WHOLE)
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch[1]).mean()

    inner = optax.chain(optax.add_decayed_weights(0.01), optax.sgd(0.2, momentum=0.5))
    p = list(PROBABILITIES.values())
    steps = make_rpt_steps(loss, labels, p, inner, key=RUN.seed)
    steps_state = steps.init(params)
    state = tested.start(RUN)
    epoch = []
    for number in range(4):
        (share,) = tested.method.assign(RUN.seed, number)
        (indices,) = share.batches
        epoch += indices.tolist()
        before = state
        state = tested.advance(RUN, state)
        batch = DATA.train[0][indices], DATA.train[1][indices]
        params, steps_state, _ = steps(params, steps_state, batch)
        for path, leaf in params.items():
            assert state.arrays[path] == pytest.approx(np.asarray(leaf), abs=1e-6)
        sizes = np.dot(np.asarray(steps_state.rpt.active), labels.sizes)
        assert state.floats - before.floats == 2 * sizes
    assert 0 < int(steps_state.rpt.updates.min()) < 4
    assert sorted(epoch) == list(range(24))


def test_records_come_at_equal_costs_and_a_run_ends_with_its_budget_or_epochs() -> None:
    tested = trainer("rpt-input")
    records = tested.run(RUN)["records"]
    assert len(records) == 5 and records[-1]["accuracy"] * 7 == round(records[-1]["accuracy"] * 7)
    for place, record in enumerate(records):
        assert 20 * place / 4 <= record["cost"] < 20 * place / 4 + 1
        assert record["step"] == sum(record["kinds"].values()) == 4 * record["epoch"]
    tuning = replace(RUN, validation=True, epochs=1.0, records=4)
    validated = tested.run(tuning)["records"]
    assert [record["epoch"] for record in validated] == pytest.approx([0, 0.25, 0.5, 0.75, 1.0])
    assert validated[0]["train_loss"] == records[0]["train_loss"]
    assert validated[-1]["accuracy"] * 5 == round(validated[-1]["accuracy"] * 5)
    diverged = tested.run(replace(RUN, learning_rate=1e30))
    assert diverged["status"] == "diverged" and json.dumps(diverged, allow_nan=False)


class Killed(BaseException):
    pass


@pytest.mark.parametrize("name", ["rpt-input", "progfed", "ist"])
def test_interrupted_rounds_have_the_same_bits(name: str, tmp_path: Path) -> None:
    tested = trainer(name)
    whole = Checkpoint(tmp_path / "whole", {})
    expected = tested.run(RUN, whole)
    saves = []

    class Fatal(Checkpoint):
        def save(self, progress: Any, arrays: Any) -> None:
            super().save(progress, arrays)
            saves.append(progress)
            if len(saves) == 3:
                raise Killed

    with pytest.raises(Killed):
        tested.run(RUN, Fatal(tmp_path / "stopped", {}))
    stopped = Checkpoint(tmp_path / "stopped", {})
    resumed = tested.run(RUN, stopped)
    assert resumed["records"] == expected["records"] and len(resumed["records"]) == 5
    like = tested.start(RUN).arrays
    ends = [checkpoint.load(like) for checkpoint in (whole, stopped)]
    assert ends[0] is not None and ends[1] is not None
    for path, array in ends[0][1].items():
        assert np.array_equal(array, ends[1][1][path])
