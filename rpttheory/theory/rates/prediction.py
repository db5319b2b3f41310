"""How many steps will it take: every theorem at gradient descent, the closed form and the optimum, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...certify import Bracket
from ...errors import InvalidInput
from ...problem.blocks import BlocksLike
from ...problem.problem import Problem, as_problem
from ...problem.sampling import NestedSampling
from ...problem.smoothness import SmoothnessLike
from ...reals import FloatArray, Reals
from ...report import Document, Shown, Table, bars, finish, new_axes, number
from ...search.judge import Callback
from ...search.optimal import optimal_probabilities
from .. import rates as theorems
from .rate import number as positive

CHOICES = ("gradient descent", "closed form", "optimum")


@dataclass(frozen=True, eq=False)
class Prediction:
    """One theorem at one choice of probabilities: the stepsize, the number of steps and their expected cost."""

    label: str
    measure: str
    choice: str
    stepsize: Bracket
    steps: Bracket
    cost: Bracket

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            name: {**value.to_dict(), "rigour": value.rigour.name} if isinstance(value, Bracket) else value
            for name, value in vars(self).items()
        }


@dataclass(frozen=True, eq=False, repr=False)
class Rates(Shown):
    """What every theorem promises on one problem.

    Attributes
    ----------
    eps : Bracket
        The accuracy: each theorem's left-hand side is brought down to it.
    squared_distance, gap : Bracket
        ||x_0 - x*||^2 and f(x_0) - f*, as assumed.
    probabilities : dict
        Per choice.
    predictions : tuple of Prediction
        By theorem, then by choice.
    """

    problem: Problem
    eps: Bracket
    squared_distance: Bracket
    gap: Bracket
    probabilities: dict[str, FloatArray]
    predictions: tuple[Prediction, ...]

    def __repr__(self) -> str:
        return f"<Rates: {len(self.predictions) // len(CHOICES)} theorems at eps = {float(self.eps):g}>"

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values under the schema rpttheory/rates/1."""
        return {
            "schema": "rpttheory/rates/1",
            "dimension": self.problem.blocks.dimension,
            "blocks": list(self.problem.blocks.sizes),
            "costs": self.problem.costs.near.tolist(),
            "notes": list(self.problem.notes),
            "eps": float(self.eps),
            "squared_distance": float(self.squared_distance),
            "gap": float(self.gap),
            "probabilities": {name: p.tolist() for name, p in self.probabilities.items()},
            "predictions": [prediction.to_dict() for prediction in self.predictions],
        }

    @property
    def answer(self) -> str:
        """The theorem that promises most for function values, in a sentence."""
        values = [p for p in self.predictions if "f(x" in p.measure and "grad" not in p.measure]
        least = min(values, key=lambda found: found.cost.upper)
        base, best = (
            next(p for p in values if (p.label, p.choice) == (least.label, choice))
            for choice in (CHOICES[0], CHOICES[2])
        )
        return (
            f"To bring {best.measure} down to {float(self.eps):g}, {best.label} promises {number(best.steps)} steps at "
            f"the optimal probabilities, of cost {number(best.cost)} in all, against {number(base.steps)} steps of "
            f"gradient descent, of cost {number(base.cost)}."
        )

    def records(self) -> list[dict[str, Any]]:
        """One row per theorem and choice."""
        return [
            {name: float(value) if isinstance(value, Bracket) else value for name, value in vars(found).items()}
            for found in self.predictions
        ]

    def document(self, title: str = "", notes: Sequence[str] = ()) -> Document:
        """Steps and cost by theorem, and the stepsizes."""
        head = f"d = {self.problem.blocks.dimension}, B = {self.problem.blocks.count}, eps = {float(self.eps):g}"
        assumed = f"||x_0 - x*||^2 = {number(self.squared_distance)}, f(x_0) - f* = {number(self.gap)}"
        if self.problem.total_cost.exact != 1:
            notes = (*notes, f"costs as given; all of them together cost {number(self.problem.total_cost)}")
        lines = [f"{title}: {head}" if title else head, *(f"  note: {note}" for note in self.problem.notes)]
        lines += [f"  start: {assumed}", *(f"  note: {note}" for note in notes)]
        groups = [self.predictions[i : i + len(CHOICES)] for i in range(0, len(self.predictions), len(CHOICES))]
        header = ("theorem", "brings down", *(f"{what}, {choice}" for what in ("steps", "cost") for choice in CHOICES))
        rows = [
            (
                group[0].label,
                group[0].measure,
                *(number(found.steps) for found in group),
                *(number(found.cost) for found in group),
            )
            for group in groups
        ]
        sizes = [(group[0].label, *(number(found.stepsize) for found in group)) for group in groups]
        numbers = frozenset(range(2, len(header)))
        return [
            *lines,
            "",
            Table(header, rows, numbers),
            "",
            Table(("largest stepsize", *CHOICES), sizes, frozenset(range(1, 1 + len(CHOICES)))),
            "",
            "Steps: the least that bring the theorem's right-hand side to eps. Cost: steps times the cost of a step.",
        ]

    def plot(self, ax: Any = None) -> Any:
        """Draw the cost by theorem, relative to gradient descent, on matplotlib axes (new ones by default)."""
        axes = new_axes(9.0) if ax is None else ax
        by_choice = {name: [found for found in self.predictions if found.choice == name] for name in CHOICES}
        labels = [found.label for found in by_choice[CHOICES[0]]]
        base = by_choice[CHOICES[0]]
        ratios = [
            (choice, [float(a.cost / b.cost) for a, b in zip(column, base, strict=True)])
            for choice, column in by_choice.items()
        ]
        bars(axes, ratios, labels)
        axes.set_xticks(np.arange(len(labels)), labels, rotation=20, ha="right")
        axes.set_ylabel("expected cost / gradient descent")
        return finish(axes)


def rates(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Any = None,
    *,
    eps: Any = 1e-3,
    mu: Any = None,
    squared_distance: Any = 1,
    gap: Any = None,
    overhead: Any = 0,
    order: Any = None,
    tol: float = 1e-6,
    callback: Callback | None = None,
) -> Rates:
    """How many steps, at which stepsize and at what cost, for every theorem and three choices of probabilities.

    Parameters
    ----------
    L, blocks, costs, overhead, order
        As for `Problem`.
    eps : number
        Each theorem's left-hand side (a squared distance, a gap of function values, a squared gradient) is brought
        down to this.
    mu : number, optional
        Strong convexity, at most the least eigenvalue of L; without it the theorems that need it are left out.
    squared_distance : number
        ||x_0 - x*||^2.
    gap : number, optional
        f(x_0) - f*; by default the most that L-smoothness allows, lmax ||x_0 - x*||^2 / 2.
    tol : float
        Relative gap at which the search for the optimum stops.

    Examples
    --------
    >>> found = rates([[9.0, 1.0], [1.0, 2.0]], [1, 1], eps=0.01)
    >>> [(p.choice, float(p.steps)) for p in found.predictions if p.label == "our:convexSharp"][:2]
    [('gradient descent', 457.0), ('closed form', 470.0)]
    """
    problem = as_problem(L, blocks, costs, overhead=overhead, order=order)
    problem.require_semidefinite()
    if not problem.lmax.upper > 0:
        raise InvalidInput("L must not be zero", "lambda_max(L) = 0", "a function with curvature")
    given = {"squared_distance": positive(squared_distance, "squared_distance")}
    given["gap"] = problem.lmax * given["squared_distance"] / 2 if gap is None else positive(gap, "gap")
    goal, convexity = positive(eps, "eps"), None if mu is None else positive(mu, "mu")
    optimum = optimal_probabilities(problem, tol=tol, callback=callback)
    all_ones, closed = np.ones(problem.blocks.count), problem.closed_form.probabilities
    chosen = dict(zip(CHOICES, (all_ones, closed, optimum.probabilities), strict=True))
    columns = [_predictions(problem, name, p, goal, convexity, given) for name, p in chosen.items()]
    by_theorem = tuple(found for row in zip(*columns, strict=True) for found in row)
    return Rates(problem, goal, given["squared_distance"], given["gap"], chosen, by_theorem)


def _predictions(
    problem: Problem, choice: str, p: FloatArray, eps: Bracket, mu: Bracket | None, start: dict[str, Bracket]
) -> Iterator[Prediction]:
    """Every theorem at these probabilities."""
    L, L_P, L_M = problem.lmax, problem.lmax, problem.lmax
    if not (p == 1).all():
        there = Problem(problem.smoothness, problem.blocks, problem.costs, NestedSampling(p))
        L_P, L_M = problem.weighted(Reals(p)), there.L_M
    found = [theorems.convex(L_P), theorems.convex_sharp(L_P), theorems.last_iterate(L_P)]
    found += [theorems.generic_convex(L, L_P), theorems.nonconvex(L_P)]
    found.append(replace(theorems.nonconvex(L_M), label="thm:rcdNonconvex with L_M"))
    found += [theorems.generic_nonconvex(L, L_P), theorems.generic_nonconvex_sharp(L, L_P)]
    if mu is not None:
        strongly = [theorems.strongly_convex(L_P, mu), theorems.strongly_convex_sharp(L_P, mu, p)]
        found = [*strongly, theorems.polyak_lojasiewicz(L_M, mu), *found]
    for rate in found:
        steps = rate.iterations(eps, squared_distance=start["squared_distance"], gap=start["gap"])
        few, many = (rate.stepsize(int(end)) for end in (steps.low, steps.high))
        stepsize = Bracket(many.low, few.high, few.rigour)
        yield Prediction(rate.label, rate.measure, choice, stepsize, steps, steps * problem.cost_at(Reals(p)))
