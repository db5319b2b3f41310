"""Where does RPT win processor time? Three places where it might, each against plain training, with seeds.

    .venv/bin/python benchmarks/time_won.py [--seeds 5] [--budget 1200] [--only scratch,finetune,embedding]

A step's price is its processor time over that of a full step, measured in this process; every method trains until
its steps have cost as much as `budget` full ones. Learning rates are the best of a grid by training loss under a seed
of their own. A cached prefix is paid for with a forward pass over all images at every change of depth.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
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

WIDTHS, BATCH = (64, 256, 256, 256, 256, 10), 64
LAYERS = len(WIDTHS) - 1
# A cached prefix stays for this many epochs, then the depth is drawn anew.
HELD = 5
RATES = (0.3, 0.1, 0.03)
TUNING_SEED = 99
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


def processor(call: Callable[[], Any], repeats: int = 40) -> float:
    """Seconds of one call: the least median of three."""
    jax.block_until_ready(call())
    found = []
    for _ in range(3):
        taken = []
        for _ in range(repeats):
            began = time.process_time()
            jax.block_until_ready(call())
            taken.append(time.process_time() - began)
        found.append(statistics.median(taken))
    return min(found)


class Digits:
    """Methods on the perceptron, from `start(seed)`; compiled once for all seeds and rates."""

    def __init__(self, start: Callable[[int], Any], train: tuple[Any, Any], test: tuple[Any, Any]) -> None:
        self.start, self.train, self.test = start, train, test
        self.labels = label_blocks(perceptron(0), lambda path: path.split("/")[0])
        self._suffix = {k: jax.jit(self._suffix_step(k)) for k in range(LAYERS)}
        self._prefix = {k: jax.jit(lambda p, x, k=k: layers(p, x, 0, k)) for k in range(LAYERS)}
        self._judge = jax.jit(lambda p, x, y: (cross_entropy(layers(p, x), y), (layers(p, x).argmax(-1) == y).mean()))
        params, (x, y) = perceptron(0), train
        self._full = processor(lambda: self._suffix[0](params, x[:BATCH], y[:BATCH], 0.1))
        self.price, self.caching = [], []
        for k in range(LAYERS):
            inside = np.asarray(self._prefix[k](params, x))
            self.price.append(processor(lambda k=k, h=inside: self._suffix[k](params, h[:BATCH], y[:BATCH], 0.1)))
            self.caching.append(processor(lambda k=k: self._prefix[k](params, x)) if k else 0.0)
        self.price, self.caching = ([own / self._full for own in some] for some in (self.price, self.caching))
        self.partial = self._partial_prices()

    def _suffix_step(self, k: int) -> Callable[..., Any]:
        def step(params: Any, h: Any, y: Any, rate: Any) -> Any:
            own = {f"layer{i}": params[f"layer{i}"] for i in range(k, LAYERS)}
            gradient = jax.grad(lambda p: cross_entropy(layers(p, h, k), y))(own)
            return params | jax.tree.map(lambda a, g: a - rate * g, own, gradient)

        return step

    def _steps(self, p: Any, rate: float, seed: int = 0) -> Any:
        loss = lambda q, x, y: cross_entropy(layers(q, x), y)  # noqa: E731
        return make_rpt_steps(loss, self.labels, p, optax.sgd(rate), key=seed)

    def _partial_prices(self) -> list[float]:
        """A step that updates the layers from k on and computes those below."""
        params, (x, y) = perceptron(0), self.train
        steps, found = self._steps(np.ones(LAYERS), 0.1), []
        for k in range(LAYERS):
            mask = np.arange(LAYERS) >= k
            step, given, _ = steps.prepared(mask, params, steps.init(params), (x[:BATCH], y[:BATCH]), {})
            found.append(processor(lambda step=step, given=given: step(*given)) / self._full)
        return found

    def run(self, method: str, rate: float, seed: int, budget: float) -> list[tuple[float, float, float]]:
        """Training loss, test loss and accuracy at a quarter of the budget and at its end."""
        x, y = self.train
        params, spent, told = self.start(seed), 0.0, []
        rng, places, depth, left = np.random.default_rng(seed), batches(len(x), seed), 0, 0
        p = exponential(LAYERS, 0.7, order="output-first")
        steps = self._steps(p, rate, seed) if method == "rpt" else None
        state = None if steps is None else steps.init(params)
        # A held depth is one draw of the same law for many steps, so that its factor 1/p is left out.
        while spent < budget:
            chosen = next(places)
            if steps is not None:
                params, state, _ = steps(params, state, x[chosen], y[chosen])
                spent += self.partial[LAYERS - int(np.asarray(state.rpt.active).sum())]
            elif method == "sgd":
                params, spent = self._suffix[0](params, x[chosen], y[chosen], rate), spent + 1
            else:
                if left == 0:
                    drawn = int((rng.random() < p).sum())
                    depth = 3 if method == "last two, cached" else LAYERS - drawn
                    inside, spent = np.asarray(self._prefix[depth](params, x)), spent + self.caching[depth]
                    left = HELD * (len(x) // BATCH) if method == "rpt, cached" else -1
                params = self._suffix[depth](params, inside[chosen], y[chosen], rate)
                spent, left = spent + self.price[depth], left - 1
            if len(told) < 1 and spent >= budget / 4:
                told.append(self._told(params))
        return [*told, self._told(params)]

    def _told(self, params: Any) -> tuple[float, float, float]:
        (loss, _), (test, accuracy) = self._judge(params, *self.train), self._judge(params, *self.test)
        return float(loss), float(test), float(accuracy)


class Embedding:
    """Bags of words by Zipf's law, classes by a hidden embedding; Adam. The table is nearly all parameters."""

    METHODS = ("adam", "rpt")

    def __init__(self) -> None:
        rng = np.random.default_rng(3)
        law = 1 / np.arange(1, WORDS + 1)
        self.x = rng.choice(WORDS, size=(12_000, LENGTH), p=law / law.sum()).astype(np.int32)
        hidden = rng.standard_normal((WORDS, CLASSES))
        self.y = hidden[self.x].mean(axis=1).argmax(axis=1).astype(np.int32)
        self.labels = label_blocks(self.start(0), lambda path: path.split("/")[0], names=["table", "dense"])
        self._judge = jax.jit(lambda p, x, y: (self.loss(p, x, y), (self.logits(p, x).argmax(-1) == y).mean()))
        steps, params = self._steps([1.0, 1.0], 1e-2), self.start(0)
        given = [
            steps.prepared(np.array(mask), params, steps.init(params), (self.x[:BATCH], self.y[:BATCH]), {})
            for mask in ((True, True), (False, True))
        ]
        both, dense = (processor(lambda step=step, own=own: step(*own), 15) for step, own, _ in given)
        self.price = dense / both

    @staticmethod
    def start(seed: int) -> Any:
        a, b = jax.random.split(jax.random.key(seed))
        return {
            "table": jax.random.normal(a, (WORDS, WIDTH)),
            "dense": {"w": jax.random.normal(b, (WIDTH, CLASSES)) * WIDTH**-0.5, "b": jnp.zeros(CLASSES)},
        }

    @staticmethod
    def logits(p: Any, x: Any) -> Any:
        return p["table"][x].mean(axis=1) @ p["dense"]["w"] + p["dense"]["b"]

    def loss(self, p: Any, x: Any, y: Any) -> Any:
        return cross_entropy(self.logits(p, x), y)

    def _steps(self, p: Any, rate: float, seed: int = 0) -> Any:
        return make_rpt_steps(self.loss, self.labels, p, optax.adam(rate), key=seed)

    def run(self, method: str, rate: float, seed: int, budget: float) -> list[tuple[float, float, float]]:
        steps = self._steps([0.2 if method == "rpt" else 1.0, 1.0], rate, seed)
        params, places, spent, told = self.start(seed), batches(10_000, seed), 0.0, []
        state = steps.init(params)
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
    print("method              rate   training loss at 1/4    at the end           test accuracy at 1/4  at the end")
    for method in methods:
        tried = {rate: place.run(method, rate, TUNING_SEED, budget)[-1][0] for rate in rates}
        best = min(tried, key=lambda rate: tried[rate] if np.isfinite(tried[rate]) else np.inf)
        runs = np.array([place.run(method, best, seed, budget) for seed in range(seeds)])
        mean, spread = runs.mean(axis=0), runs.std(axis=0, ddof=1)
        cells = [f"{mean[t, c]:.4f} +- {spread[t, c]:.4f}" for c in (0, 2) for t in (0, 1)]
        print(f"{method:18s} {best:5g}   " + "     ".join(cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=1200)
    parser.add_argument("--only", default="scratch,finetune,embedding")
    given = parser.parse_args()
    x, y, test_x, test_y = digits()
    methods = ("sgd", "rpt", "rpt, cached", "last two, cached")
    for name in given.only.split(","):
        if name == "scratch":
            place: Any = Digits(perceptron, (x, y), (test_x, test_y))
            print("price of a step on the last layers, from k = 0 (all) on, against a full one:")
            print("  prefix computed", " ".join(f"{cost:.2f}" for cost in place.partial))
            print("  prefix cached  ", " ".join(f"{cost:.2f}" for cost in place.price))
            report("perceptron on digits from scratch", place, methods, RATES, given.seeds, given.budget)
        elif name == "finetune":
            report("digits 5-9 after digits 0-4", finetuned(x, y, test_x, test_y), methods, RATES, given.seeds,
                   given.budget / 4)  # fmt: skip
        else:
            place = Embedding()
            print(f"\nprice of a step without the table: {place.price:.2f}")
            rates = (3e-2, 1e-2, 3e-3)
            report("embedding", place, Embedding.METHODS, rates, given.seeds, given.budget / 2)


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
                params = source._suffix[0](params, x[low][chosen], y[low][chosen], 0.1)
            started[seed] = params
        return started[seed]

    return Digits(start, (x[high], y[high]), (test_x[test], test_y[test]))


if __name__ == "__main__":
    main()
