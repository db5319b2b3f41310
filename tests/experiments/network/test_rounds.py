"""Rounds of every method beside the same rounds in numpy, with gradients by hand."""

from __future__ import annotations

import json
from dataclasses import replace
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
    client_rounds,
    growth_within,
    make_method,
    stage_lengths,
)
from rpttheory.experiments.network.rounds import Method, Run, State, Trainer, orthogonalized
from rpttheory.experiments.network.settings import Settings
from rpttheory.networks import exponential, label_blocks, make_rpt_steps
from rpttheory.runs.store import Checkpoint

pytestmark = pytest.mark.networks

RUN = Run(seed=3, learning_rate=0.2, budget=20.0, records=4)
SETTINGS = Settings(batch=6, nodes=2, clients=4, cost_budget=20.0, decay=0.8)
BLOCKS = ["s", "1", "2", "3", "h"]


def images(count: int, seed: int) -> tuple[Any, Any]:
    pixels = np.random.default_rng(seed).standard_normal((count, 1, 1, 3)).astype(np.float32)
    return pixels, np.arange(count, dtype=np.int32) % 3


DATA = ImageData("noise", images(24, 0), images(5, 1), images(7, 2), False)


class Residual:
    """x = stem' i, then x + v' tanh(u' x) for each of three blocks, then a head: stages of one
    block each.
    """

    data: ClassVar[ImageData] = DATA
    stages: ClassVar[int] = 3

    def everything(self, seed: int) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        shapes = {"stem": (3, 2), **{at + name: (2, 2) for at in "123" for name in "uv"}}
        shapes |= {"head1": (2, 3), "head2": (2, 3), "head3": (2, 3)}
        return {
            path: rng.standard_normal(shape).astype(np.float32) for path, shape in shapes.items()
        }

    def members(self, stages: int | None = None) -> tuple[str, ...]:
        blocks, head = computed(stages)
        return ("stem", *(at + name for at in blocks for name in "uv"), head)

    def labels(self) -> Any:
        start = self.everything(0)
        params = {path: start[path] for path in self.members()}
        return label_blocks(params, lambda path: path[0], names=BLOCKS)

    def logits(self, params: Any, pixels: Any, stages: int | None = None) -> Any:
        blocks, head = computed(stages)
        x = pixels.reshape(-1, 3) @ params["stem"]
        for at in blocks:
            x = x + jnp.tanh(x @ params[at + "u"]) @ params[at + "v"]
        return x @ params[head]

    def steps_per_epoch(self, batch: int) -> int:
        return len(DATA.train[0]) // batch


NETWORK: Any = Residual()


def computed(stages: int | None) -> tuple[str, str]:
    """The blocks of a truncated network, and its head."""
    last = stages or 3
    return "123"[:last], f"head{last}"


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


def round_by_hand(
    method: Method, before: dict[str, Any], number: int, rate: float
) -> dict[str, Any]:
    """Local steps of every worker, and the mean of their changes times 1/p."""
    kind = method.kinds[method.kind_at(RUN.seed, number)]
    images = method.images_at(RUN.seed, number)
    after = {path: leaf.astype(float) for path, leaf in before.items()}
    for worker_images in images:
        params = {path: leaf.astype(float) for path, leaf in before.items()}
        velocity = dict.fromkeys(kind.trained, 0.0)
        for indices in worker_images:
            push = gradient(params, indices, *computed(kind.stages))
            for path in kind.trained:
                velocity[path] = method.momentum * velocity[path] + push[path]
            params |= {path: params[path] - rate * velocity[path] for path in kind.trained}
        for path, factor in kind.trained.items():
            after[path] += factor * (params[path] - before[path]) / len(images)
    return after


def params_of(state: State) -> dict[str, Any]:
    return {path: state.arrays[path] for path in NETWORK.everything(0)}


@cache
def trainer(name: str) -> Trainer:
    """Compiled once for all tests."""
    return Trainer(NETWORK, make_method(SETTINGS, name, NETWORK))


@pytest.mark.parametrize("name", ["pt", "progfed", "rpt-federated"])
def test_workers_train_apart_and_are_averaged(name: str) -> None:
    """A worker sends the parameters that it trains; a client receives its whole network."""
    tested = trainer(name)
    method = tested.method
    state = tested.start(RUN)
    kinds = set()
    done = 0.0
    for number in range(16):
        before = state
        state = tested.advance(RUN, state)
        rate = 0.2 if name == "pt" else 0.1 * (1 + np.cos(np.pi * done))
        expected = round_by_hand(method, params_of(before), number, rate)
        for path, leaf in expected.items():
            assert state.arrays[path] == pytest.approx(leaf, abs=2e-5), path
        name_of_kind = method.kind_at(RUN.seed, number)
        kind = method.kinds[name_of_kind]
        received = kind.trained if name == "pt" else NETWORK.members(kind.stages)
        floats = sum(expected[path].size for path in (*kind.trained, *received))
        assert state.floats - before.floats == floats
        done += floats / (2 * 36) / RUN.budget
        images = method.images_at(RUN.seed, number)
        batches = sum(map(len, images))
        assert state.batches - before.batches == batches
        steps = state.kinds[name_of_kind] - before.kinds.get(name_of_kind, 0)
        assert steps == batches / len(images)
        kinds.add(name_of_kind)
    assert len(kinds) > 2


@pytest.mark.parametrize("name", ["pt", "progfed"])
def test_progressive_training_trains_what_is_new_and_then_the_truncated_network(name: str) -> None:
    method = trainer(name).method
    lengths = growth_within(SETTINGS, NETWORK, federated=name == "progfed")
    expected = [kind for kind, length in lengths.items() for _ in range(length)]
    expected += ["stage 3"] * 5
    assert [method.kind_at(RUN.seed, number) for number in range(len(expected))] == expected
    members = [set(NETWORK.members(stage)) for stage in (1, 2, 3)]
    for number in (1, 2, 3):
        assert set(method.kinds[f"stage {number}"].trained) == members[number - 1]
        assert method.kinds[f"stage {number}"].stages == (number if number < 3 else None)
    for number in (2, 3):
        new = members[number - 1] - members[number - 2]
        assert set(method.kinds[f"stage {number}, new"].trained) == new


def test_clients_hold_all_images_and_train_on_their_own() -> None:
    method = make_method(replace(SETTINGS, nodes=4, batch=8), "fedavg", NETWORK)
    first, second = (
        [np.concatenate(images) for images in method.images_at(RUN.seed, number)]
        for number in (0, 1)
    )
    assert sorted(np.concatenate(first)) == list(range(24))
    assert {frozenset(images) for images in first} == {frozenset(images) for images in second}
    assert [images.tolist() for images in first] != [images.tolist() for images in second]


def test_growth_stays_within_bytes_and_rounds() -> None:
    for federated in (False, True):
        name = "progfed" if federated else "pt"
        lengths = growth_within(SETTINGS, NETWORK, federated)
        last = trainer(name).run(RUN)["records"][-1]
        assert last["cost"] >= 20.0 and abs(last["step"] - sum(lengths.values())) <= 1
    for epochs in (3.0, 3.25):
        limited = growth_within(replace(SETTINGS, epochs=epochs), NETWORK, federated=False)
        total = sum(n for name, n in limited.items() if not name.endswith("new"))
        assert sum(limited.values()) <= 4 * epochs < sum(stage_lengths(3, total + 1).values())


def test_rounds_of_clients_fill_the_epochs() -> None:
    """24 images of 5 clients in batches of 3 are 4 x 5 + 4: 1 batch for each; 8 make an epoch."""
    assert client_rounds(replace(SETTINGS, clients=5, epochs=10.0), 24) == 40.0
    # Of 10 clients with 24 or 25 of 246 images each, 6 have 5 batches of 5 and 4 have 4.
    uneven = replace(SETTINGS, batch=10, clients=10, epochs=10.0)
    assert client_rounds(uneven, 246) == pytest.approx(490 / (2 * 4.6))


def test_kinds_of_steps_are_counted_beside_a_step_on_the_whole_network() -> None:
    costs = kind_costs(trainer("pt"), 4, lambda text: None)
    assert set(costs) == {"whole", *trainer("pt").method.kinds} and costs["whole"]["time"] == 1.0
    flops = {name: counts["flops"] for name, counts in costs.items()}
    assert flops["stage 3"] == flops["whole"] > flops["stage 3, new"]
    assert flops["whole"] > flops["stage 2"] > flops["stage 1"] > 0
    assert min(counts["memory"] for counts in costs.values()) >= 0


def test_steps_of_muon_are_counted_beside_a_step_of_sgd() -> None:
    costs = kind_costs(trainer("rpt-muon"), 4, lambda text: None)
    assert set(costs) == {"whole", *trainer("muon").method.kinds, *trainer("rpt-muon").method.kinds}
    assert costs["whole"]["time"] == 1.0
    assert costs["Muon whole"]["flops"] > 2 * costs["whole"]["flops"]
    assert costs["Muon output-first 1"]["flops"] < costs["Muon whole"]["flops"]


@pytest.mark.parametrize("name", ["rpt-input", "rpt-output", "sgd-momentum"])
def test_rounds_of_one_worker_are_the_steps_of_rpt(name: str) -> None:
    """The same sets, factors, momentum and decay as `make_rpt_steps` with the seed as its key."""
    tested = trainer(name)
    labels = NETWORK.labels()
    start = NETWORK.everything(RUN.seed)
    params = {path: jnp.asarray(start[path]) for path in NETWORK.members()}

    def loss(params: Any, batch: Any) -> Any:
        logits = NETWORK.logits(params, batch[0])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch[1]).mean()

    if name == "sgd-momentum":
        p = np.ones(5)
        inner = optax.chain(optax.add_decayed_weights(5e-4), optax.sgd(0.2, momentum=0.9))
    else:
        p = exponential(5, 0.8, order="output-first" if name == "rpt-output" else "input-first")
        inner = optax.sgd(0.2)
    steps = make_rpt_steps(loss, labels, p, inner, key=RUN.seed)
    steps_state = steps.init(params)
    state = tested.start(RUN)
    epoch = []
    for number in range(4):
        ((indices,),) = tested.method.images_at(RUN.seed, number)
        epoch += indices.tolist()
        before = state
        state = tested.advance(RUN, state)
        batch = DATA.train[0][indices], DATA.train[1][indices]
        params, steps_state, _ = steps(params, steps_state, batch)
        for path, leaf in params.items():
            assert state.arrays[path] == pytest.approx(np.asarray(leaf), abs=1e-6)
        sizes = np.dot(np.asarray(steps_state.rpt.active), labels.sizes)
        assert state.floats - before.floats == 2 * sizes
    updates = int(steps_state.rpt.updates.min())
    assert updates == 4 if name == "sgd-momentum" else 0 < updates < 4
    assert sorted(epoch) == list(range(24))


@pytest.mark.parametrize("name", ["muon", "rpt-muon"])
def test_muon_takes_the_orthogonalized_momentum_of_active_blocks(name: str) -> None:
    """Inactive blocks keep parameters and momentum, and no step is multiplied by 1/p."""
    tested = trainer(name)
    method = tested.method
    state = tested.start(RUN)
    velocity = {path: np.zeros_like(leaf, dtype=float) for path, leaf in params_of(state).items()}
    kinds = set()
    for number in range(16):
        before = {path: leaf.astype(float) for path, leaf in params_of(state).items()}
        state = tested.advance(RUN, state)
        ((indices,),) = method.images_at(RUN.seed, number)
        push = gradient(before, indices, *computed(None))
        kind = method.kinds[method.kind_at(RUN.seed, number)]
        for path in kind.trained:
            velocity[path] = 0.95 * velocity[path] + push[path]
            nesterov = push[path] + 0.95 * velocity[path]
            step = orthogonalized(jnp.asarray(nesterov), SETTINGS.newton_schulz)
            before[path] = before[path] - RUN.learning_rate * np.asarray(step)
        for path, leaf in before.items():
            assert params_of(state)[path] == pytest.approx(leaf, abs=1e-4), path
        kinds.add(len(kind.trained))
    assert kinds == {8} if name == "muon" else len(kinds) > 2


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (3, 3, 2, 5)])
def test_a_first_step_of_muon_is_that_of_optax(shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    matrix = jnp.asarray(array.reshape(-1, shape[-1]))
    optimizer = optax.contrib.muon(1.0, ns_steps=3)
    update, _ = optimizer.update(matrix, optimizer.init(matrix), matrix)
    step = orthogonalized(jnp.asarray(array), 3)
    assert step.shape == shape
    assert np.asarray(step).reshape(matrix.shape) == pytest.approx(-np.asarray(update), abs=1e-4)


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


@pytest.mark.parametrize("name", ["sgd-momentum", "rpt-input", "progfed"])
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
