"""The number of steps of every theorem at gradient descent, the closed form and the optimum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import theorems
from ..certificates.problem_latex import escaped, origin, power_of_ten, setting, value
from ..errors import InvalidInput
from ..numbers import Bracket, Rigor
from ..numbers.bracket import round_up
from ..numbers.decimals import decimal_ceiling, decimal_floor
from ..numbers.exact_array import ExactArray, FloatArray, Number, Numbers
from ..problem.arguments import OrderLike
from ..problem.blocks import BlocksLike
from ..problem.problem import Problem, as_problem
from ..problem.sampling import NestedSampling
from ..problem.smoothness import SmoothnessLike
from ..report import BRIEF, Detail, Document, Report, Table, finish, heading, new_axes, number
from ..report.figure import INKS, MARKERS, tip
from ..runs.progress import ProgressCallback, no_progress
from ..search.optimal import optimal_probabilities
from ..search.result import SearchResult
from ..statements.numbering import NUMBERS, named
from .convexity import MuStatus, check_mu, known_mu
from .rate import checked_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CHOICES = ("gradient descent", "closed form", "optimum")
# Theorems that need mu > 0.
NEED_MU = ("thm:rcdStronglyConvex", "our:stronglyConvexSharp", "our:polyakLojasiewicz")
# The name of the last choice where the search for the optimum ended before its gap was closed.
UNFINISHED = "best so far"


@dataclass(frozen=True, eq=False)
class Prediction:
    """One theorem at one choice of probabilities.

    Attributes
    ----------
    label : str
        The theorem.
    measure : str
        What it brings down to eps, such as "E f(x_T) - f*".
    choice : str
        The probabilities, one of `Rates.choices`.
    stepsize : Bracket
        The largest stepsize that the theorem allows for this number of steps.
    steps, cost : Bracket
        Number of steps, and their expected cost.
    """

    label: str
    measure: str
    choice: str
    stepsize: Bracket
    steps: Bracket
    cost: Bracket

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            name: (
                {**value.to_dict(), "rigor": value.rigor.name}
                if isinstance(value, Bracket)
                else value
            )
            for name, value in vars(self).items()
        }


@dataclass(frozen=True, eq=False, repr=False)
class Rates(Report):
    """The stepsize, number of steps and cost that every theorem promises on one problem.

    Attributes
    ----------
    problem : Problem
    eps : Bracket
        The accuracy: each theorem's left-hand side is brought down to it.
    squared_distance, gap : Bracket
        ||x_0 - x*||^2 and f(x_0) - f*, as assumed.
    probabilities : dict
        Per choice: "gradient descent", "closed form", and "optimum" for the least c(P). Where the
        search for it did not finish, the last is called "best so far".
    predictions : tuple of Prediction
        By theorem, then by choice.
    search : SearchResult
        The search for the least c(P), with its status and bracket.
    mu : Bracket or None
        The strong convexity constant.
    left_out : str
        The reason why theorems that need mu are left out; empty if they are not.
    mu_status : {"proved", "assumed"} or None
        "proved" if mu <= lambda_min(L) was proved, "assumed" if L gives no rigorous bound of
        lambda_min(L). Either way f is assumed to be mu-strongly convex, which L does not prove
        unless f is quadratic with Hessian L.

    Examples
    --------
    >>> result = rates([[9.0, 1.0], [1.0, 2.0]], [1, 1], eps=0.01)
    >>> result.choices
    ('gradient descent', 'closed form', 'optimum')
    """

    problem: Problem
    eps: Bracket
    squared_distance: Bracket
    gap: Bracket
    probabilities: dict[str, FloatArray]
    predictions: tuple[Prediction, ...]
    search: SearchResult
    mu: Bracket | None = None
    mu_status: MuStatus | None = None
    left_out: str = ""

    def __repr__(self) -> str:
        unfinished = "" if self.settled else f", search {self.search.status}"
        return (
            f"<Rates: {len(self.predictions) // len(CHOICES)} theorems at eps ="
            f" {float(self.eps):g}{unfinished}>"
        )

    @property
    def settled(self) -> bool:
        """True if the search for the optimum reached its tolerance."""
        return self.search.status == "optimal"

    @property
    def exit_code(self) -> int:
        """0 if the search for the optimum reached its tolerance, else 3."""
        return 0 if self.settled else 3

    @property
    def choices(self) -> tuple[str, ...]:
        """The names of the three choices of probabilities."""
        return tuple(self.probabilities)

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values under the schema rpttheory/rates/1."""
        return {
            "schema": "rpttheory/rates/1",
            "dimension": self.problem.blocks.dimension,
            "blocks": list(self.problem.blocks.sizes),
            "costs": self.problem.costs.float64.tolist(),
            "notes": list(self.problem.notes),
            "eps": _nearest_float(self.eps),
            "squared_distance": _nearest_float(self.squared_distance),
            "gap": _nearest_float(self.gap),
            "mu": None if self.mu is None else _nearest_float(self.mu),
            "mu_status": self.mu_status,
            "left_out": {label: self.left_out for label in NEED_MU if self.left_out},
            "status": self.search.status,
            "message": self.search.message,
            "optimum": self.search.bracket.to_dict(),
            "probabilities": {name: p.tolist() for name, p in self.probabilities.items()},
            "predictions": [prediction.to_dict() for prediction in self.predictions],
        }

    @property
    def answer(self) -> str:
        """One sentence on the theorem of least cost for function values."""
        values = [p for p in self.predictions if "f(x" in p.measure and "grad" not in p.measure]
        least = min(values, key=lambda prediction: prediction.cost.upper)
        base, _, best = (p for p in values if p.label == least.label)
        where = "the probabilities of least c(P)"
        if not self.settled:
            where = (
                "the best probabilities so far (the search for the least c(P) was"
                f" {self.search.status})"
            )
        return (
            f"To bring {best.measure} down to {float(self.eps):g}, {best.label} promises"
            f" {number(best.steps)} steps at {where}, of cost {number(best.cost)} in all, against"
            f" {number(base.steps)} steps of gradient descent, of cost {number(base.cost)}."
        )

    def records(self) -> list[dict[str, Any]]:
        """One row per theorem and choice."""
        return [
            {
                name: float(value) if isinstance(value, Bracket) else value
                for name, value in vars(prediction).items()
            }
            for prediction in self.predictions
        ]

    def render(
        self, title: str = "", notes: Sequence[str] = (), detail: Detail = BRIEF
    ) -> Document:
        """Steps and cost by theorem, and the stepsizes."""
        problem = self.problem
        head = f"d = {problem.blocks.dimension}, B = {problem.blocks.count}, eps = {self.eps:g}"
        if problem.overhead > 0:
            head += f", overhead {float(problem.overhead):g} per step"
        if problem.order is not None:
            head += ", order " + " ".join(map(str, problem.order.rank_to_block))
        lines = heading(title, head, (*problem.notes, *notes, *self._warnings()))
        lines.append(
            f"  start: ||x_0 - x*||^2 = {number(self.squared_distance, detail.digits)}, f(x_0) - f*"
            f" = {number(self.gap, detail.digits)}"
        )
        rows = []
        remarks = {}
        count = len(self.choices)
        for i, prediction in enumerate(self.predictions):
            is_first = i % count == 0
            cells = (number(value, detail.digits) for value in (prediction.steps, prediction.cost))
            rows.append(
                (
                    prediction.label if is_first else "",
                    "GD" if is_first else prediction.choice,
                    *cells,
                    decimal_floor(prediction.stepsize.exact_lower, detail.digits),
                )
            )
            if (i + 1) % count == 0:
                label = prediction.label.partition(" ")[0]
                in_paper = f"{NUMBERS[label]}, " if label in NUMBERS else ""
                remarks[i] = f"{in_paper}bounds {prediction.measure}"
        header = ("theorem", "choice", "steps", "cost", "stepsize")
        work = f"Search: {self.search.method}, {self.search.work}."
        return [
            *lines,
            "",
            Table(header, rows, frozenset({2, 3, 4}), remarks),
            "",
            (
                "Steps: the least that bring the theorem's right-hand side to eps. Cost: steps"
                " times the cost of a step. Stepsize: the largest allowed. GD: gradient descent."
            ),
            self._about_the_last_choice(),
            *([work] if detail.verbose else []),
        ]

    def latex(self) -> str:
        """Return the problem, steps and cost by theorem, and the origin as LaTeX."""
        rows = []
        for prediction in self.predictions:
            label, _, rest = prediction.label.partition(" ")
            theorem = f"{NUMBERS.get(label, label)} {rest}".strip()
            numbers = f"${value(prediction.steps)}$ & ${value(prediction.cost)}$"
            rows.append(f"{escaped(theorem)} & {prediction.choice} & {numbers}")
        table = " \\\\\n".join(["theorem & probabilities & steps & cost", *rows])
        eps = power_of_ten(f"{float(self.eps):g}")
        start = f"$\\|x_0 - x^*\\|^2 = {value(self.squared_distance)}$"
        start += f" and $f(x_0) - f^* = {value(self.gap)}$"
        if self.mu is not None:
            mu = power_of_ten(decimal_floor(self.mu.exact_lower, 6))
            start += rf", with strong convexity $\mu = {mu}$,"
        return (
            f"{setting(self.problem, sampling=False)}\n"
            f"The table has the steps from {start} until the left-hand side of a theorem is at most"
            f" ${eps}$, and their cost.\n\n"
            f"\\begin{{tabular}}{{llrr}}\n{table}\n\\end{{tabular}}\n\n{origin(self.problem)}"
        )

    def _warnings(self) -> list[str]:
        """Return notes on the costs, and on what was not checked or not finished."""
        notes = []
        total = self.problem.total_cost
        if total.exact != 1:
            notes.append(f"a step that updates all blocks costs {number(total)}")
        if not self.settled:
            notes.append(
                f"UNFINISHED: the search for the least c(P) was {self.search.status}:"
                f" {self.search.message}"
            )
        if self.mu is not None and self.mu_status == "proved":
            mu = decimal_floor(self.mu.exact_lower, 6)
            notes.append(
                f"mu = {mu} <= lambda_min(L), proved; that f is mu-strongly convex is assumed (it"
                " is, if quadratic with Hessian L)"
            )
        if self.left_out:
            notes.append(f"left out, as they need mu > 0: {', '.join(NEED_MU)}; {self.left_out}")
        if self.mu_status == "assumed":
            notes.append(
                "mu is your assumption: L gives no proved bound of lambda_min(L), so it was not"
                " checked"
            )
        if any(prediction.steps.rigor is Rigor.NUMERICAL for prediction in self.predictions):
            notes.append(
                "L is known through products only: these numbers are numerical, not proved"
            )
        return notes

    def _about_the_last_choice(self) -> str:
        if self.settled:
            cost = "sum p_k c_k" if self.problem.overhead == 0 else "(c_0 + sum p_k c_k)"
            return (
                f"Optimum: the probabilities of least c(P) = L_P {cost}, which need not be the best"
                " for L_M."
            )
        low = decimal_floor(self.search.lower, 6)
        high = decimal_ceiling(self.search.upper, 6)
        verb = "is" if self.search.rigor is not Rigor.NUMERICAL else "seems to be"
        return (
            f"Best so far: c(P) was not minimized to the tolerance; its least value {verb} in"
            f" [{low}, {high}]."
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the cost by theorem on a log axis, on the current axes or on `ax`; return them."""
        n = len(self.choices)
        first_choices = self.predictions[::n]
        places = range(0, -len(first_choices), -1)
        axes = new_axes(9.0, 1.2 + 0.4 * len(first_choices)) if ax is None else ax
        for index, choice in enumerate(self.choices):
            costs = [float(prediction.cost) for prediction in self.predictions[index::n]]
            for place, cost, prediction in zip(places, costs, first_choices, strict=True):
                (point,) = axes.plot(
                    [cost],
                    [place + 0.25 * (1 - index)],
                    label=choice if place == 0 else None,
                    color=INKS[index],
                    marker=MARKERS[index],
                    linestyle="none",
                )
                tip(point, f"{prediction.label}, {choice}: {cost:.6g}")
        names = [f"{named(p.label)}\n{p.measure}" for p in first_choices]
        axes.set_yticks(list(places), names, fontsize=7, parse_math=False)
        axes.set_xscale("log")
        axes.grid(axis="y", linewidth=0.3)
        axes.set_xlabel(f"expected cost to reach {float(self.eps):g}")
        return finish(axes)


def rates(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Numbers | None = None,
    *,
    eps: Number = 1e-3,
    mu: Number | Literal["auto"] | None = "auto",
    squared_distance: Number = 1,
    gap: Number | None = None,
    overhead: Number = 0,
    order: OrderLike | None = None,
    tol: float = 1e-6,
    progress: ProgressCallback = no_progress,
) -> Rates:
    """Return the number of steps, the stepsize and the cost that the theorems promise for nested
    sampling with three choices of probabilities.

    Parameters
    ----------
    L, blocks, costs, overhead, order
        As for `Problem`.
    eps : number
        Each theorem's left-hand side (a squared distance, a gap of function values, a squared
        gradient) is brought down to this.
    mu : number, "auto" or None
        Strong convexity. A mu above the least eigenvalue of L is refused; where L is known through
        products only that is not checked, and the result says so. By default the ridge of a data
        matrix, or a proved bound of lambda_min(L) up to d = 2000, which is a strong convexity
        constant if f is quadratic with Hessian L. Without one, or with None, the theorems that
        need mu are left out, and the result says why.
    squared_distance : number
        ||x_0 - x*||^2.
    gap : number, optional
        f(x_0) - f*; by default the most that L-smoothness allows, lmax ||x_0 - x*||^2 / 2.
    tol : float
        Relative gap at which the search for the optimum stops.
    progress : callable, optional
        Called with an `Event` whose `bracket` of the optimum narrows. On Ctrl-C, or if it raises
        KeyboardInterrupt, the search ends, and the result says that its last choice is unfinished.

    Returns
    -------
    Rates

    Examples
    --------
    >>> result = rates([[9.0, 1.0], [1.0, 2.0]], [1, 1], eps=0.01)
    >>> [(p.choice, float(p.steps)) for p in result.predictions if p.label == "our:convexSharp"][:2]
    [('gradient descent', 457.0), ('closed form', 470.0)]
    """
    problem = as_problem(L, blocks, costs, overhead=overhead, order=order)
    problem.require_semidefinite()
    if not problem.lmax.upper > 0:
        raise InvalidInput(
            "must not be zero", "lambda_max(L) = 0", "a function with curvature", argument="L"
        )
    start = {"squared_distance": checked_number(squared_distance, "squared_distance")}
    start["gap"] = (
        problem.lmax * start["squared_distance"] / 2 if gap is None else checked_number(gap, "gap")
    )
    goal = checked_number(eps, "eps")
    left_out = "mu = None"
    convexity: Bracket | None = None
    mu_status: MuStatus | None = None
    if isinstance(mu, str) and mu == "auto":
        convexity, left_out = known_mu(problem)
        mu_status = None if convexity is None else "proved"
    elif mu is not None:
        convexity = checked_number(mu, "mu", suggest="auto")
        mu_status = check_mu(problem, convexity)
    search = optimal_probabilities(problem, tol=tol, progress=progress)
    names = CHOICES if search.status == "optimal" else (*CHOICES[:2], UNFINISHED)
    all_ones = np.ones(problem.blocks.count)
    closed = problem.closed_form.probabilities
    choices = dict(zip(names, (all_ones, closed, search.probabilities), strict=True))
    columns = [
        _predictions(problem, name, p, goal, convexity, start) for name, p in choices.items()
    ]
    by_theorem = tuple(prediction for row in zip(*columns, strict=True) for prediction in row)
    return Rates(
        problem,
        goal,
        start["squared_distance"],
        start["gap"],
        choices,
        by_theorem,
        search,
        convexity,
        mu_status,
        left_out if convexity is None else "",
    )


def _nearest_float(value: Bracket) -> float:
    """Return the nearest float to a number that is known exactly, else the midpoint."""
    exact = value.exact
    if exact is None or max(round_up(exact), round_up(-exact)) == math.inf:
        return value.midpoint
    return float(exact)


def _predictions(
    problem: Problem,
    choice: str,
    p: FloatArray,
    eps: Bracket,
    mu: Bracket | None,
    start: dict[str, Bracket],
) -> Iterator[Prediction]:
    """Yield the prediction of every theorem at these probabilities."""
    L = problem.lmax
    L_P = problem.lmax
    L_M = problem.lmax
    if not (p == 1).all():
        nested = Problem(problem.smoothness, problem.blocks, problem.costs, NestedSampling(p))
        L_P = nested.L_P
        L_M = nested.L_M
    applicable = [theorems.convex(L_P), theorems.convex_sharp(L_P), theorems.last_iterate(L_P)]
    applicable += [theorems.generic_convex(L, L_P), theorems.nonconvex(L_P)]
    applicable.append(replace(theorems.nonconvex(L_M), label="thm:rcdNonconvex with L_M"))
    applicable += [theorems.generic_nonconvex(L, L_P), theorems.generic_nonconvex_sharp(L, L_P)]
    if mu is not None:
        strongly = [theorems.strongly_convex(L_P, mu), theorems.strongly_convex_sharp(L_P, mu, p)]
        applicable = [*strongly, theorems.polyak_lojasiewicz(L_M, mu), *applicable]
    for rate in applicable:
        steps = rate.iterations(eps, squared_distance=start["squared_distance"], gap=start["gap"])
        few, many = (rate.stepsize(int(end)) for end in (steps.exact_lower, steps.exact_upper))
        stepsize = Bracket(many.exact_lower, few.exact_upper, few.rigor)
        yield Prediction(
            rate.label,
            rate.measure,
            choice,
            stepsize,
            steps,
            steps * problem.cost_at(ExactArray(p)),
        )
