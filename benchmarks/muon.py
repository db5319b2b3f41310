"""Does RPT save time with Muon? Train a perceptron on the digits to one training loss.

    .venv/bin/python benchmarks/muon.py [--seeds 4] [--repeats 3] [--out muon.json]
    [--picture muon.svg]

Learning rates, Newton-Schulz steps and probabilities are chosen on a seed of their own, by the
operations to the target as XLA counts them, so that the choice does not depend on the machine.
Other seeds are reported, with the processor time of the steps: all methods take turns in every
round, and the median over the rounds counts.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false " + os.environ.get("XLA_FLAGS", "")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import jax
import jax.numpy as jnp
import numpy as np
import optax
from sklearn.datasets import load_digits

from rpttheory.networks import exponential, label_blocks, make_rpt_steps
from rpttheory.networks.costs import CompiledStep
from rpttheory.networks.training import Schedule
from rpttheory.problem.blocks import BlockOrder

WIDTHS = (64, 256, 256, 256, 10)
BLOCKS = len(WIDTHS) - 1
BATCH = 128
TARGET = 0.01
TUNING_SEED = 99
# Losses on all training images are computed so often, outside of the clock.
EVERY = 4
# A run that has not reached the target after this many steps is given up.
MOST_STEPS = 1200
DECAYS = (0.5, 0.3, "uniform depth")


def logits(params: Any, x: Any) -> Any:
    for i in range(BLOCKS):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        x = jax.nn.relu(x) if i < BLOCKS - 1 else x
    return x


def loss(params: Any, x: Any, y: Any) -> Any:
    return optax.softmax_cross_entropy_with_integer_labels(logits(params, x), y).mean()


def perceptron(seed: int) -> Any:
    keys = jax.random.split(jax.random.key(seed), BLOCKS)
    return {
        f"layer{i}": {
            "w": jax.random.normal(keys[i], WIDTHS[i : i + 2]) * (2 / WIDTHS[i]) ** 0.5,
            "b": jnp.zeros(WIDTHS[i + 1]),
        }
        for i in range(BLOCKS)
    }


@cache
def digits() -> tuple[Any, Any, Any, Any]:
    images, classes = load_digits(return_X_y=True)
    order = np.random.default_rng(7).permutation(len(images))
    x, y = (images[order] / 16).astype(np.float32), classes[order].astype(np.int32)
    return x[:1344], y[:1344], x[1344:], y[1344:]


def batches(seed: int) -> Iterator[Any]:
    """Images of one step after another, epoch by epoch."""
    rng = np.random.default_rng(seed)
    x, y, _, _ = digits()
    while True:
        order = rng.permutation(len(x))
        for start in range(0, len(x) - BATCH + 1, BATCH):
            indices = order[start : start + BATCH]
            yield x[indices], y[indices]


@jax.jit
def judge(params: Any) -> tuple[Any, Any]:
    """Training loss and test accuracy, on all images."""
    x, y, test_x, test_y = digits()
    return loss(params, x, y), (logits(params, test_x).argmax(-1) == test_y).mean()


class SetSchedule(Schedule):
    """Independent blocks, or one block at a time. Muon and Adam do not see the factors 1/p."""

    def __init__(self, sampling: str, probability: float) -> None:
        self.sampling = sampling
        self.probability = probability
        self.order = BlockOrder(range(BLOCKS))
        self.factors = np.ones(BLOCKS)

    def active(self, key: jax.Array, step: jax.Array) -> jax.Array:
        if self.sampling == "single":
            return jnp.arange(BLOCKS) == jax.random.randint(key, (), 0, BLOCKS)
        return jax.random.uniform(key, (BLOCKS,)) < self.probability

    def outcomes(self) -> list[Any]:
        masks = [np.array(mask) for mask in itertools.product((False, True), repeat=BLOCKS)]
        return [mask for mask in masks if self.sampling != "single" or mask.sum() == 1]


@dataclass(frozen=True)
class Setting:
    """An optimizer, and the sampling of its blocks."""

    optimizer: str
    rate: float
    newton_schulz: int = 0
    sampling: str = "full"
    probability: Any = 1.0

    @property
    def family(self) -> str:
        """Settings of which the best is reported."""
        if self.optimizer != "muon":
            return {"sgd": "SGD, momentum 0.9", "adamw": "AdamW"}[self.optimizer]
        return {
            "full": "Muon",
            "nested": "RPT with Muon, nested output-first",
            "independent": "Muon, independent blocks",
            "single": "Muon, one block at a time",
        }[self.sampling]

    @property
    def compiled(self) -> Setting:
        """The setting whose compiled steps are the same: rates are arguments."""
        return Setting(self.optimizer, 0.0, self.newton_schulz, self.sampling, self.probability)

    def __str__(self) -> str:
        words = [f"rate {self.rate:g}"]
        if self.newton_schulz:
            words.append(f"{self.newton_schulz} Newton-Schulz steps")
        if self.sampling in ("nested", "independent"):
            words.append(f"p {self.probability}")
        return ", ".join(words)

    def transformation(self) -> Any:
        """The optax transformation, whose learning rate is part of its state."""
        make, options = {
            "sgd": (optax.sgd, {"momentum": 0.9}),
            "adamw": (optax.adamw, {}),
            "muon": (optax.contrib.muon, {"ns_steps": self.newton_schulz}),
        }[self.optimizer]
        return optax.inject_hyperparams(make, static_args=list(options))(
            learning_rate=0.0, **options
        )

    def schedule(self) -> Any:
        """Probabilities of a nested sampling, or another schedule."""
        if self.sampling == "full":
            return np.ones(BLOCKS)
        if self.sampling != "nested":
            return SetSchedule(self.sampling, self.probability)
        if self.probability == "uniform depth":
            return np.arange(1, BLOCKS + 1) / BLOCKS
        return exponential(BLOCKS, self.probability, order="output-first")


def settings() -> list[Setting]:
    """The grid: what is likely to be best first, since the others end sooner then."""
    grid = [Setting("sgd", rate) for rate in (0.1, 0.3, 0.03)]
    grid += [Setting("adamw", rate) for rate in (3e-3, 1e-2, 1e-3)]
    grid += [Setting("muon", rate, steps) for steps in (2, 3, 4, 5) for rate in (0.02, 0.04, 0.01)]
    for steps, rate in itertools.product((2, 3, 5), (0.04, 0.08, 0.02)):
        grid += [Setting("muon", rate, steps, "nested", decay) for decay in DECAYS]
    for steps, rate in itertools.product((2, 3), (0.04, 0.02)):
        grid += [Setting("muon", rate, steps, "independent", p) for p in (0.75, 0.5)]
    for steps, rate in itertools.product((2, 3, 5), (0.04, 0.08)):
        grid.append(Setting("muon", rate, steps, "single"))
    # Beyond the edges of that grid at which its best settings lie.
    for steps in (2, 3):
        grid += [Setting("muon", rate, steps, "nested", 0.15) for rate in (0.04, 0.08)]
        grid.append(Setting("muon", 0.16, steps, "single"))
        grid.append(Setting("muon", 0.08, steps, "independent", 0.75))
    return grid


def rated(state: Any, rate: float) -> Any:
    """A state of an optimizer with this learning rate."""
    return state._replace(hyperparams={**state.hyperparams, "learning_rate": jnp.float32(rate)})


class Trainer:
    """The compiled steps of settings that differ in their rates."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.optimizer = setting.transformation()
        self.labels = label_blocks(perceptron(0), lambda path: path.split("/")[0])
        self.rpt = make_rpt_steps(loss, self.labels, setting.schedule(), self.optimizer)
        self.plain = jax.jit(self._plain)

    def _plain(self, params: Any, state: Any, x: Any, y: Any) -> Any:
        value, gradient = jax.value_and_grad(loss)(params, x, y)
        updates, state = self.optimizer.update(gradient, state, params)
        return optax.apply_updates(params, updates), state, value

    def start(self, rate: float, seed: int) -> tuple[Any, Any, Any]:
        """Parameters, the state of the optimizer, and the step."""
        params = perceptron(seed)
        if self.setting.sampling == "full":
            return params, rated(self.optimizer.init(params), rate), self.plain
        state = self.rpt.init(params)
        inner = tuple(rated(block_state, rate) for block_state in state.inner)
        key = jax.random.key_data(jax.random.key(seed, impl="threefry2x32"))
        rpt_state = state.rpt._replace(key=key)
        return params, state._replace(rpt=rpt_state, inner=inner), self.rpt

    @cached_property
    def kinds(self) -> dict[bytes, CompiledStep]:
        """A step on each set of blocks that can be drawn."""
        params = perceptron(0)
        data = next(batches(0))
        if self.setting.sampling == "full":
            state = self.optimizer.init(params)
            full = np.ones(BLOCKS, dtype=bool).tobytes()
            return {full: CompiledStep(self.plain, (params, state, *data))}
        state = self.rpt.init(params)
        return {
            mask.tobytes(): CompiledStep(*self.rpt.prepare(mask, params, state, data))
            for mask in self.rpt.draws.schedule.outcomes()
        }


trainer_of = cache(Trainer)


@dataclass
class Trajectory:
    """One run, up to the target: losses at records, and what every step took."""

    losses: list[float]
    accuracy: float
    operations: list[float]
    seconds: list[float]

    def reached(self, per_step: list[float]) -> float:
        """The sum over the steps up to the target, on a straight line in log loss between two
        records; infinite if the target was not reached."""
        if not self.losses[-1] <= TARGET:
            return float("inf")
        sums = np.concatenate([[0.0], np.cumsum(per_step)])[::EVERY]
        logs = np.log(self.losses)
        share = (logs[-2] - np.log(TARGET)) / (logs[-2] - logs[-1])
        return float(sums[-2] + share * (sums[-1] - sums[-2]))


def run(setting: Setting, seed: int, most: float = np.inf) -> Trajectory:
    """Train to the target; stop once the steps have taken `most` operations."""
    params, state, step = trainer_of(setting.compiled).start(setting.rate, seed)
    full = np.ones(BLOCKS, dtype=bool).tobytes()
    trajectory = Trajectory([float(judge(params)[0])], 0.0, [], [])
    data = batches(seed)
    while len(trajectory.seconds) < MOST_STEPS and sum(trajectory.operations) < most:
        for _ in range(EVERY):
            x, y = next(data)
            began = time.process_time()
            params, state, _ = step(params, state, x, y)
            jax.block_until_ready(params)
            trajectory.seconds.append(time.process_time() - began)
            mask = full if setting.sampling == "full" else np.asarray(state.rpt.active).tobytes()
            trajectory.operations.append(operations(setting.compiled, mask))
        value, accuracy = judge(params)
        trajectory.losses.append(float(value))
        trajectory.accuracy = float(accuracy)
        if not np.isfinite(trajectory.losses[-1]) or trajectory.losses[-1] <= TARGET:
            break
    return trajectory


@cache
def operations(setting: Setting, mask: bytes) -> float:
    """Operations of a step on a set of blocks, for a setting without its rate."""
    return trainer_of(setting).kinds[mask].count("flops")


def tune(grid: list[Setting], log: Path) -> dict[str, Setting]:
    """The best setting of each family on the tuning seed, and of Muon with five Newton-Schulz
    steps. Totals in the log are not computed again."""
    totals = json.loads(log.read_text()) if log.exists() else {}
    best: dict[str, tuple[float, Setting]] = {}
    for setting in grid:
        families = [setting.family]
        if setting.family == "Muon" and setting.newton_schulz == 5:
            families.append("Muon, 5 Newton-Schulz steps")
        most = max(1.2 * best[family][0] if family in best else np.inf for family in families)
        name = f"{setting.family}: {setting}"
        if name not in totals:
            trajectory = run(setting, TUNING_SEED, most)
            totals[name] = trajectory.reached(trajectory.operations)
            log.write_text(json.dumps(totals, indent=1))
        total = totals[name]
        for family in families:
            if total < best.get(family, (np.inf,))[0]:
                best[family] = (total, setting)
        print(f"{total / 1e9:8.2f} GFLOP  {name}", flush=True)
    return {family: setting for family, (_, setting) in best.items()}


def report(chosen: dict[str, Setting], seeds: int, repeats: int) -> dict[str, Any]:
    """Run the chosen settings on the reported seeds, in rounds in which all take turns."""
    timings: dict[Any, list[float]] = {}
    results: dict[str, Any] = {}
    for family, setting in chosen.items():
        results[family] = {"setting": str(setting), "runs": {}}
        run(setting, 0)  # compiles the steps
    for repeat in range(repeats):
        for seed in range(seeds):
            for family, setting in chosen.items():
                trajectory = run(setting, seed)
                timings.setdefault((family, seed), []).append(
                    trajectory.reached(trajectory.seconds)
                )
                sums = np.concatenate([[0.0], np.cumsum(trajectory.operations)])[::EVERY] / 1e9
                results[family]["runs"][str(seed)] = {
                    "seconds": statistics.median(timings[family, seed]),
                    "gflop": trajectory.reached(trajectory.operations) / 1e9,
                    "steps": trajectory.reached([1.0] * len(trajectory.seconds)),
                    "accuracy": trajectory.accuracy,
                    "curve": [sums.tolist(), trajectory.losses],
                }
        print(f"round {repeat + 1} of {repeats}", flush=True)
    return results


def show(results: dict[str, Any]) -> None:
    """Print a table of means and standard deviations over the seeds."""
    print("\n| method | chosen | GFLOP | processor time, s | steps | test accuracy |")
    print("|---|---|---:|---:|---:|---:|")
    for family, result in results.items():
        runs = list(result["runs"].values())
        cells = []
        for key, form in (
            ("gflop", ".1f"),
            ("seconds", ".3f"),
            ("steps", ".0f"),
            ("accuracy", ".3f"),
        ):
            values = [record[key] for record in runs]
            spread = statistics.stdev(values) if len(values) > 1 else 0.0
            cells.append(f"{statistics.fmean(values):{form}} ± {spread:{form}}")
        print(f"| {family} | {result['setting']} | " + " | ".join(cells) + " |")


def draw(results: dict[str, Any], path: str) -> None:
    """Training loss against operations, and the time to the target of each seed."""
    from rpttheory.report.figure import INKS, MARKERS, new_figure

    figure = new_figure(9.6, 3.8)
    curves, times = figure.subplots(1, 2)
    names = list(results)
    for index, (family, result) in enumerate(results.items()):
        ink = INKS[index % len(INKS)]
        runs = list(result["runs"].values())
        for number, record in enumerate(runs):
            label = family if number == 0 else None
            curves.plot(*record["curve"], color=ink, linewidth=0.9, alpha=0.8, label=label)
        seconds = [record["seconds"] for record in runs]
        marker = MARKERS[index % len(MARKERS)]
        times.plot(seconds, [index] * len(seconds), marker, color=ink, fillstyle="none")
        times.plot([statistics.fmean(seconds)], [index], "|", color=ink, markersize=18)
    curves.set_yscale("log")
    curves.axhline(TARGET, color="0.6", linewidth=0.8)
    curves.set(xlabel="operations, GFLOP", ylabel="training loss")
    times.set_yticks(range(len(names)), names)
    times.invert_yaxis()
    times.set_xlim(left=0)
    times.set_xlabel(f"processor time to a training loss of {TARGET:g}, s")
    for axes in (curves, times):
        axes.grid(visible=True, linewidth=0.4, alpha=0.4)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", default="muon.json")
    parser.add_argument("--picture")
    parser.add_argument("--draw-only", action="store_true", help="draw the results in --out again")
    options = parser.parse_args()
    if not options.draw_only:
        chosen = tune(settings(), Path(options.out).with_suffix(".tuning.json"))
        results = report(chosen, options.seeds, options.repeats)
        Path(options.out).write_text(json.dumps(results))
    results = json.loads(Path(options.out).read_text())
    show(results)
    if options.picture:
        draw(results, options.picture)


if __name__ == "__main__":
    main()
