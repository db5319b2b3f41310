"""Samplings in practice: steps and cost to a target, beside what our:functionValues predicts.

Every method uses its theoretical stepsize 1/L_M, for which E[f(x_T) - f*] <= (1 - mu/L_M)^T (f(x_0)
- f*). A step costs the overhead and the share of the coordinates that it updates.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np

from ..datasets import load
from ..methods import GD, Method, SkGD
from ..methods.stepsize import allowed_stepsize
from ..objectives import Logistic, Objective, Quadratic, Ridge
from ..problem.blocks import Blocks
from ..problem.problem import Problem
from ..problem.sampling import NestedSampling, TauNice
from ..report.figure import line, new_figure
from ..report.table import Column, Result
from ..runs.parallel import Report
from ..search.optimal import optimal_probabilities
from ..search.samplings import compare_samplings
from .figure import rendered
from .measure import measure
from .ridge import features
from .runner import Experiment, Instance, Parts, require

OVERHEADS = ("0", "0.1", "1")
SAMPLINGS = ("GD", "single", "independent", "nested", "tau-nice")
# Methods by sampling, with what the theory says about them.
_Predicted = dict[str, tuple[Method, dict[str, float]]]
_KEYS = ("problem", "overhead", "sampling")
_BLOCKS = 6
# Each block of the quadratics has a third of the scale of the one before.
_DECAY = 3.0
_SHIFT = 0.05
_PENALTY = 0.01


def _quadratic(*, coupled: bool) -> Objective:
    """Return a quadratic with one strong common direction, with or without its coupling."""
    rng = np.random.default_rng(0)
    blocks = Blocks([6] * _BLOCKS)
    d = blocks.dimension
    rows = rng.standard_normal((2 * d, d)) + 2 * rng.standard_normal((2 * d, 1))
    scale = _DECAY ** -(blocks.labels / 2)
    L = rows.T @ rows / len(rows) * np.outer(scale, scale)
    if not coupled:
        L = np.where(blocks.labels[:, None] == blocks.labels, L, 0.0)
    return Quadratic((L + L.T) / 2 + _SHIFT * np.eye(d))


def _logistic() -> Objective:
    """Return the classification of wines into those of more than average quality and the others."""
    A, quality = features(load("wine"), "minmax")
    return Logistic(A, np.where(quality > quality.mean(), 1.0, -1.0), _PENALTY)


PROBLEMS: dict[str, Callable[[], Objective]] = {
    "dense": lambda: _quadratic(coupled=True),
    "block-diagonal": lambda: _quadratic(coupled=False),
    "ridge": lambda: Ridge(*features(load("prostate"), "minmax"), _PENALTY),
    "logistic": _logistic,
}


@dataclass(frozen=True)
class Samplings(Experiment):
    """The experiment's parameters.

    Parameters
    ----------
    tau : int
        Blocks in a step of the tau-nice sampling.
    """

    tol: float = 1e-6
    tau: int = 2

    name = "samplings"
    rows = tuple(
        "|".join((problem, overhead, sampling))
        for problem in PROBLEMS
        for overhead in OVERHEADS
        for sampling in SAMPLINGS
    )
    methods = SAMPLINGS
    first_seed = 200
    figure_title = "Cost to the target, relative to what the theorem predicts for gradient descent"
    figure_columns = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        rule = f"must be a whole number from 1 to {_BLOCKS}"
        require(self.tau in range(1, _BLOCKS + 1), "tau", self.tau, rule, 2)

    def instance(self, row: str) -> Instance:
        problem, _, _ = row.split("|")
        objective = PROBLEMS[problem]()
        d = objective.dimension
        sizes = [part.size for part in np.array_split(np.arange(d), _BLOCKS)]
        x0 = np.ones(d) if isinstance(objective, Quadratic) else np.zeros(d)
        return Instance(objective, Blocks(sizes), x0, {})

    def describe(self, row: str) -> Result:
        return dict(zip(_KEYS, row.split("|"), strict=True))

    def parts(self) -> list[tuple[str, int]]:
        return [("run", seed) for seed in range(self.repeats)]

    def compute(self, row: str, part: str, seed: int, report: Report) -> Any:
        _, overhead, name = row.split("|")
        instance, methods = _prepare(self, row.rpartition("|")[0])
        method, theory = methods[name]
        measured = measure(
            method,
            instance.objective,
            instance.blocks,
            x0=instance.x0,
            tol=self.tol,
            seed=[self.first_seed, self.rows.index(row), seed],
            report=report,
            repetitions=1,
        )
        steps = measured["steps"]
        cost = None if steps is None else measured["cost"] + float(overhead) * steps
        return {"steps": steps, "cost": cost, "theory": theory}

    def assemble(self, row: str, parts: Parts) -> Result:
        runs = [dict(parts[name, seed]) for name, seed in sorted(parts)]
        (theory, *_) = [run.pop("theory") for run in runs]
        return {**self.describe(row), "theory": theory, "runs": runs}

    @property
    def columns(self) -> Sequence[Column]:
        def theory(name: str) -> Callable[[Result], float]:
            return lambda r: float(r["theory"][name])

        return (
            *(Column(key, key, itemgetter(key)) for key in _KEYS),
            Column("steps", "steps", lambda r: mean(r, "steps")),
            Column("predicted_steps", "predicted", theory("steps")),
            Column("cost", "cost", lambda r: mean(r, "cost")),
            Column("predicted_cost", "predicted", theory("cost")),
            Column("ratio", "ratio", ratio),
        )

    def notes(self, results: Sequence[Result]) -> list[str]:
        return [
            "Two quadratics with the same diagonal blocks, ridge regression on `prostate` and"
            " logistic regression on `wine`. Steps until f - f* <="
            f" {self.tol:g} (f(x0) - f*), mean over {self.repeats} seed(s),"
            " known to 1 %. Stepsizes 1/L_M. Predicted: the steps after which our:functionValues"
            " guarantees the target in expectation, an upper bound; ratio: steps / predicted steps."
            f" {_BLOCKS} blocks; tau-nice has tau = {self.tau}; nested has the certified"
            " optimum of c_M; the closed forms of the others are in our:singleBlockOptimal and"
            " our:independentFactor."
        ]

    def panel_title(self, result: Result) -> str:
        return str(result["problem"])

    def figure(self, results: Sequence[Result]) -> dict[str, bytes]:
        """Costs by overhead: measured filled, predicted hollow, one panel per problem."""
        figure = new_figure(8, 6.5)
        panels = dict(zip(PROBLEMS, figure.subplots(2, 2, sharex=True).flat, strict=True))
        colors = [line(index)["color"] for index in range(len(SAMPLINGS))]
        reference = {
            (r["problem"], r["overhead"]): r["theory"]["cost"]
            for r in results
            if r["sampling"] == SAMPLINGS[0]
        }
        for result in results:
            base = reference.get((result["problem"], result["overhead"]))
            measured = mean(result, "cost")
            if base is None or measured is None:
                continue
            index = SAMPLINGS.index(result["sampling"])
            place = OVERHEADS.index(result["overhead"]) + 0.13 * (index - 2)
            color = colors[index]
            axes = panels[result["problem"]]
            values = (result["theory"]["cost"] / base, measured / base)
            axes.plot([place, place], values, color=color, linewidth=0.8)
            axes.plot(place, values[0], "o", color=color, markerfacecolor="white")
            axes.plot(place, values[1], "o", color=color)
        for problem, axes in panels.items():
            axes.set_yscale("log")
            axes.set_title(problem, fontsize=9, loc="left")
            axes.set_xticks(range(len(OVERHEADS)), OVERHEADS)
            axes.set_xlabel("overhead of a step, all blocks = 1")
            axes.grid(visible=True, axis="y", linewidth=0.4, alpha=0.4)
        title = f"{self.figure_title}\n(filled: measured; hollow: predicted)"
        looks = {name: {"color": color} for name, color in zip(SAMPLINGS, colors, strict=True)}
        return rendered(figure, title, looks)


@lru_cache(maxsize=16)
def _prepare(experiment: Samplings, row: str) -> tuple[Instance, _Predicted]:
    """A problem with an overhead, and each method with what the theory says about it.

    It is computed once in a process for all runs.
    """
    instance = experiment.instance(f"{row}|")
    overhead = float(row.rpartition("|")[2])
    problem = Problem(instance.objective.smoothness, instance.blocks, overhead=overhead)
    best = optimal_probabilities(problem, objective="c_M", tol=1e-4)
    comparison = compare_samplings(problem, best.probabilities)
    count = problem.blocks.count
    samplings = {row.key: row.sampling for row in comparison.rows if row.sampling is not None}
    samplings |= {"GD": NestedSampling(np.ones(count)), "tau-nice": TauNice(experiment.tau, count)}
    mu = instance.objective.strong_convexity
    assert mu is not None and mu > 0
    methods: _Predicted = {}
    for name, sampling in samplings.items():
        at = problem.with_sampling(sampling)
        stepsize, _ = allowed_stepsize(at.L_M, rule="1/L_M (our:functionValues)")
        steps = math.log(1 / experiment.tol) / -math.log1p(-stepsize * mu)
        # SkGD itself allows 1/L_P; 1/L_M is what our:functionValues allows.
        method = GD() if name == "GD" else SkGD(sampling, stepsize, unsafe=True)
        theory = {
            "L_M": float(at.L_M),
            "c_M": float(at.L_M) * float(at.cost),
            "steps": steps,
            "cost": steps * float(at.cost),
            "mu": mu,
            "bound": float(comparison.bound.cost),
        }
        methods[name] = (method, theory)
    return instance, methods


def mean(result: Result, name: str) -> float | None:
    """The mean of a number over the runs; None if a run missed the target."""
    values = [run[name] for run in result["runs"]]
    return None if None in values else sum(values) / len(values)


def ratio(result: Result) -> float | None:
    """The measured number of steps over the predicted one."""
    steps = mean(result, "steps")
    return None if steps is None else steps / float(result["theory"]["steps"])
