"""Does RPT save processor time? Compare it with plain training in three cases where it might.

    .venv/bin/python benchmarks/time_won.py [--seeds 4] [--budget 120] [--only
    scratch,finetune,embedding]

A step's price is its processor time over that of a full step, measured in this process; every
method trains until its steps have cost as much as `budget` full ones. Learning rates are the best
of a grid by training loss under seeds of their own. A cached prefix is paid for with a forward pass
over all images at every change of depth.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Callable, Iterator
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false " + os.environ.get("XLA_FLAGS", "")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import jax
import jax.numpy as jnp
import numpy as np
import optax
from sklearn.datasets import load_digits

from rpttheory.networks import exponential, label_blocks, make_rpt_steps
from rpttheory.networks.costs import processor_ratios

WIDTHS, BATCH = (64, 256, 256, 256, 256, 10), 64
LAYERS = len(WIDTHS) - 1
# A cached prefix stays for this many epochs, then the depth is drawn anew.
HELD = 5
RATES = (0.3, 0.1, 0.03)
TUNING_SEEDS = (99, 100)
WORDS, WIDTH, LENGTH, CLASSES = 30_000, 48, 12, 10


def layers(params: Any, x: Any, first: int = 0, last: int = LAYERS) -> Any:
    """The perceptron from one layer to another."""
    for i in range(first, last):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        x = jax.nn.relu(x) if i < LAYERS - 1 else x
    return x


def cross_entropy(logits: Any, y: Any) -> Any:
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def perceptron(seed: int) -> Any:
    keys = jax.random.split(jax.random.key(seed), LAYERS)
    return {
        f"layer{i}": {
            "w": jax.random.normal(keys[i], WIDTHS[i : i + 2]) * (2 / WIDTHS[i]) ** 0.5,
            "b": jnp.zeros(WIDTHS[i + 1]),
        }
        for i in range(LAYERS)
    }


def digits() -> tuple[Any, Any, Any, Any]:
    images, classes = load_digits(return_X_y=True)
    order = np.random.default_rng(7).permutation(len(images))
    x, y = (images[order] / 16).astype(np.float32), classes[order].astype(np.int32)
    return x[:1344], y[:1344], x[1344:], y[1344:]


def batches(count: int, seed: int) -> Iterator[Any]:
    """Places of the images of one step after another, epoch by epoch."""
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(count)
        yield from (order[i : i + BATCH] for i in range(0, count - BATCH + 1, BATCH))


def prices(calls: dict[Any, Callable[[], Any]], full: Any) -> dict[Any, float]:
    """Processor time of each call over that of the full one, medians over rounds in which all take
    turns.
    """
    waiting = {key: lambda call=call: jax.block_until_ready(call()) for key, call in calls.items()}
    _, ratios = processor_ratios(waiting, full, 7)
    return {key: statistics.median(values) for key, values in ratios.items()}


def begun(steps: Any, params: Any, rate: float, seed: int) -> Any:
    """A state with this learning rate and this seed of the draws, so that all share the compiled
    steps.
    """
    state, rate_now = steps.init(params), jnp.float32(rate)
    inner = tuple(
        own._replace(hyperparams={**own.hyperparams, "learning_rate": rate_now})
        for own in state.inner
    )
    key = jax.random.key_data(jax.random.key(seed, impl="threefry2x32"))
    return state._replace(rpt=state.rpt._replace(key=key), inner=inner)


class Digits:
    """Methods on the perceptron, from `start(seed)`; compiled once for all seeds and rates."""

    def __init__(
        self, start: Callable[[int], Any], train: tuple[Any, Any], test: tuple[Any, Any]
    ) -> None:
        self.start, self.train, self.test = start, train, test
        self.labels = label_blocks(perceptron(0), lambda path: path.split("/")[0])
        self._suffix = {k: jax.jit(self._suffix_step(k)) for k in range(LAYERS)}
        self._prefix = {k: jax.jit(lambda p, x, k=k: layers(p, x, 0, k)) for k in range(LAYERS)}
        self._judge = jax.jit(
            lambda p, x, y: (cross_entropy(layers(p, x), y), (layers(p, x).argmax(-1) == y).mean())
        )
        self.p = exponential(LAYERS, 0.7, order="output-first")
        inner = optax.inject_hyperparams(optax.sgd)(learning_rate=0.0)
        self.steps = make_rpt_steps(
            lambda q, x, y: cross_entropy(layers(q, x), y), self.labels, self.p, inner
        )
        self.price = prices(self._calls(), ("cached", 0))

    def _calls(self) -> dict[Any, Callable[[], Any]]:
        """Steps on the layers from k on with those below computed, and cached; and what caching
        takes.
        """
        params, (x, y), calls = perceptron(0), self.train, {}
        for k in range(LAYERS):
            mask, inside = np.arange(LAYERS) >= k, np.asarray(self._prefix[k](params, x))[:BATCH]
            step, arguments = self.steps.prepare(
                mask, params, self.steps.init(params), (x[:BATCH], y[:BATCH])
            )
            calls["computed", k] = lambda step=step, arguments=arguments: step(*arguments)
            own = {f"layer{i}": params[f"layer{i}"] for i in range(k, LAYERS)}
            calls["cached", k] = lambda k=k, own=own, h=inside: self._suffix[k](
                own, h, y[:BATCH], 0.1
            )
            calls["caching", k] = lambda k=k: self._prefix[k](params, x)
        return calls

    def _suffix_step(self, k: int) -> Callable[..., Any]:
        def step(own: Any, h: Any, y: Any, rate: Any) -> Any:
            gradient = jax.grad(lambda p: cross_entropy(layers(p, h, k), y))(own)
            return jax.tree.map(lambda a, g: a - rate * g, own, gradient)

        return step

    def moved(self, params: Any, k: int, h: Any, y: Any, rate: float) -> Any:
        """A step on the layers from k on, from what enters layer k."""
        own = {f"layer{i}": params[f"layer{i}"] for i in range(k, LAYERS)}
        return params | self._suffix[k](own, h, y, rate)

    def run(
        self, method: str, rate: float, seed: int, budget: float
    ) -> list[tuple[float, float, float]]:
        """Training loss, test loss and accuracy at a quarter of the budget and at its end."""
        x, y = self.train
        params, spent, told = self.start(seed), 0.0, []
        rng, places, depth, left = np.random.default_rng(seed), batches(len(x), seed), 0, 0
        state = begun(self.steps, params, rate, seed)
        # A held depth is one draw of the same law for many steps, so that its factor 1/p is left
        # out.
        while spent < budget:
            chosen = next(places)
            if method == "rpt":
                params, state, _ = self.steps(params, state, x[chosen], y[chosen])
                spent += self.price[
                    "computed", LAYERS - max(int(np.asarray(state.rpt.active).sum()), 1)
                ]
            elif method == "sgd":
                params, spent = self.moved(params, 0, x[chosen], y[chosen], rate), spent + 1
            else:
                if left == 0:
                    drawn = int((rng.random() < self.p).sum())
                    depth = 3 if method == "last two, cached" else LAYERS - drawn
                    inside = np.asarray(self._prefix[depth](params, x))
                    spent += self.price["caching", depth]
                    left = HELD * (len(x) // BATCH) if method == "rpt, cached" else -1
                params = self.moved(params, depth, inside[chosen], y[chosen], rate)
                spent, left = spent + self.price["cached", depth], left - 1
            if len(told) < 1 and spent >= budget / 4:
                told.append(self._told(params))
        return [*told, self._told(params)]

    def _told(self, params: Any) -> tuple[float, float, float]:
        (loss, _), (test, accuracy) = (
            self._judge(params, *self.train),
            self._judge(params, *self.test),
        )
        return float(loss), float(test), float(accuracy)


class Embedding:
    """Bags of words by Zipf's law, classes by a hidden embedding; Adam. The table is nearly all
    parameters.
    """

    METHODS = ("adam", "rpt")

    def __init__(self) -> None:
        rng = np.random.default_rng(3)
        law = 1 / np.arange(1, WORDS + 1)
        self.x = rng.choice(WORDS, size=(12_000, LENGTH), p=law / law.sum()).astype(np.int32)
        hidden = rng.standard_normal((WORDS, CLASSES))
        self.y = hidden[self.x].mean(axis=1).argmax(axis=1).astype(np.int32)
        self.labels = label_blocks(
            self.start(0), lambda path: path.split("/")[0], names=["table", "dense"]
        )
        self._judge = jax.jit(
            lambda p, x, y: (self.loss(p, x, y), (self.logits(p, x).argmax(-1) == y).mean())
        )
        inner, params = optax.inject_hyperparams(optax.adam)(learning_rate=0.0), self.start(0)
        self.steps = {
            q: make_rpt_steps(self.loss, self.labels, [q, 1.0], inner) for q in (0.2, 1.0)
        }
        steps, data = self.steps[1.0], (self.x[:BATCH], self.y[:BATCH])
        masks = np.array([[True, True], [False, True]])
        prepared = [steps.prepare(mask, params, steps.init(params), data) for mask in masks]
        calls = {
            place: lambda step=step, arguments=arguments: step(*arguments)
            for place, (step, arguments) in enumerate(prepared)
        }
        self.price = prices(calls, 0)[1]

    @staticmethod
    def start(seed: int) -> Any:
        a, b = jax.random.split(jax.random.key(seed))
        return {
            "table": jax.random.normal(a, (WORDS, WIDTH)),
            "dense": {
                "w": jax.random.normal(b, (WIDTH, CLASSES)) * WIDTH**-0.5,
                "b": jnp.zeros(CLASSES),
            },
        }

    @staticmethod
    def logits(p: Any, x: Any) -> Any:
        return p["table"][x].mean(axis=1) @ p["dense"]["w"] + p["dense"]["b"]

    def loss(self, p: Any, x: Any, y: Any) -> Any:
        return cross_entropy(self.logits(p, x), y)

    def run(
        self, method: str, rate: float, seed: int, budget: float
    ) -> list[tuple[float, float, float]]:
        steps = self.steps[0.2 if method == "rpt" else 1.0]
        params, places, spent, told = self.start(seed), batches(10_000, seed), 0.0, []
        state = begun(steps, params, rate, seed)
        while spent < budget:
            chosen = next(places)
            params, state, _ = steps(params, state, self.x[chosen], self.y[chosen])
            spent += 1.0 if bool(np.asarray(state.rpt.active)[0]) else self.price
            if not told and spent >= budget / 4:
                told.append(self._told(params))
        return [*told, self._told(params)]

    def _told(self, params: Any) -> tuple[float, float, float]:
        loss, _ = self._judge(params, self.x[:2000], self.y[:2000])
        test, accuracy = self._judge(params, self.x[10_000:], self.y[10_000:])
        return float(loss), float(test), float(accuracy)


def report(title: str, place: Any, methods: Any, rates: Any, seeds: int, budget: float) -> None:
    print(f"\n{title}, budget {budget:g} full steps, {seeds} seeds (mean and standard deviation)")
    print(
        "method              rate   training loss at 1/4    at the end           test accuracy at"
        " 1/4  at the end"
    )
    for method in methods:
        tried = {
            rate: [place.run(method, rate, seed, budget)[-1][0] for seed in TUNING_SEEDS]
            for rate in rates
        }
        best = min(
            tried, key=lambda rate: np.inf if np.isnan(tried[rate]).any() else max(tried[rate])
        )
        runs = np.array([place.run(method, best, seed, budget) for seed in range(seeds)])
        mean, spread = runs.mean(axis=0), runs.std(axis=0, ddof=1)
        cells = [f"{mean[t, c]:.4f} +- {spread[t, c]:.4f}" for c in (0, 2) for t in (0, 1)]
        print(f"{method:18s} {best:5g}   " + "     ".join(cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--budget", type=float, default=120)
    parser.add_argument("--only", default="scratch,finetune,embedding")
    given = parser.parse_args()
    x, y, test_x, test_y = digits()
    methods = ("sgd", "rpt", "rpt, cached", "last two, cached")
    for name in given.only.split(","):
        if name == "scratch":
            place: Any = Digits(perceptron, (x, y), (test_x, test_y))
            print("price of a step on the last layers, from k = 0 (all) on, against a full one:")
            for how in ("computed", "cached"):
                print(
                    f"  prefix {how:9s}",
                    " ".join(f"{place.price[how, k]:.2f}" for k in range(LAYERS)),
                )
            report(
                "perceptron on digits from scratch",
                place,
                methods,
                RATES,
                given.seeds,
                given.budget,
            )
        elif name == "finetune":
            place = finetuned(x, y, test_x, test_y)
            report("digits 5-9 after digits 0-4", place, methods, RATES, given.seeds, given.budget)
        else:
            place = Embedding()
            print(f"\nprice of a step without the table: {place.price:.2f}")
            rates = (3e-2, 1e-2, 3e-3)
            report("embedding", place, Embedding.METHODS, rates, given.seeds, given.budget)


def finetuned(x: Any, y: Any, test_x: Any, test_y: Any) -> Digits:
    """Start from a network trained on the digits 0 to 4, and train on the others."""
    low, high, test = y < 5, y >= 5, test_y >= 5
    source = Digits(perceptron, (x[low], y[low]), (test_x[test], test_y[test]))
    started: dict[int, Any] = {}

    def start(seed: int) -> Any:
        if seed not in started:
            params, places = perceptron(seed), batches(int(low.sum()), seed)
            for _ in range(300):
                chosen = next(places)
                params = source.moved(params, 0, x[low][chosen], y[low][chosen], 0.1)
            started[seed] = params
        return started[seed]

    return Digits(start, (x[high], y[high]), (test_x[test], test_y[test]))


if __name__ == "__main__":
    main()
