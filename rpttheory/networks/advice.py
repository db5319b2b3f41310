"""Advice for one network: the best probabilities, and how much they save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import InvalidInput
from ..numbers import Bracket
from ..numbers.decimals import decimal_ceiling
from ..numbers.exact_array import FloatArray
from ..problem.problem import Problem
from ..report import BRIEF, Detail, Document, Report, Table, finish, heading, new_axes, number
from ..report.figure import INKS, MARKERS
from ..runs.progress import Event, ProgressCallback, no_progress
from ..search import SearchResult, optimal_probabilities
from ..search.optimal import check_options
from ..search.samplings import SamplingComparison, compare_samplings
from .costs import RESOURCES, CostProfile, OrderCosts, Resource, profile_costs
from .curvature import CAVEAT, Curvature, Kind, check_kind, measure_curvature
from .task import Task
from .training import OrderLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# RPT helps if it saves at least this share of gradient descent's cost. Chosen by hand.
_WORTHWHILE = 0.01
# Verdicts allow for this many standard errors of the measured costs.
_ERRORS = 3.0
# A step on the first block pays for the later layers if it costs more than overhead and block
# together by this share of a full step.
_PASSED_LAYERS = 0.1
# Resources measured along with the requested one: those that need no further compilation.
_MEASURED: dict[Resource, tuple[Resource, ...]] = {
    "time": ("time", "flops", "bytes", "memory"),
    "flops": ("flops", "bytes"),
    "bytes": ("bytes", "flops"),
    "memory": ("memory", "flops", "bytes"),
}


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The optimum under one cost model, compared with gradient descent.

    All numbers are NUMERICAL, because the curvature is known through products only.

    Attributes
    ----------
    name : str
        The order, "any order" where costs do not depend on it, or "size share" for the paper's
        cost model.
    search : SearchResult
        Bracket of the least L_P (c_0 + sum p_k c_k), and probabilities that attain its upper end.
    gradient_descent : Bracket
        The same quantity at p = 1.
    least_saving, largest_saving : float
        The share of gradient descent's cost that `search.probabilities` save at least, and the
        share that no probabilities exceed. Both allow for the bracket of the search and for
        measured costs that err by three standard errors.
    """

    name: str
    search: SearchResult
    gradient_descent: Bracket
    least_saving: float
    largest_saving: float

    @property
    def saving(self) -> float:
        """The share that `search.probabilities` save, with costs exactly as measured."""
        return max(1 - self.search.upper / self.gradient_descent.lower, 0.0)

    @property
    def helps(self) -> bool | None:
        """True for a saving of 1 % or more, False if that is ruled out; None if the bracket or the
        spread of the measured costs leaves it open.
        """
        if self.least_saving >= _WORTHWHILE:
            return True
        return False if self.largest_saving < _WORTHWHILE else None

    @property
    def probabilities(self) -> FloatArray:
        """`search.probabilities` if they help, else all 1, which is gradient descent."""
        return self.search.probabilities if self.helps else np.ones_like(self.search.probabilities)

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            "name": self.name,
            "helps": self.helps,
            "saving": self.saving,
            "least_saving": self.least_saving,
            "largest_saving": self.largest_saving,
            "probabilities": self.probabilities.tolist(),
            "gradient_descent": self.gradient_descent.to_dict(),
            "search": self.search.to_dict(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Advice(Report):
    """Costs, curvature and the best probabilities, as returned by `advise`.

    Attributes
    ----------
    name : str
        The name of the task.
    profile : CostProfile
        The measured costs of steps.
    curvature : Curvature
    recommendations : tuple of Recommendation
        One for each order, or one for any order.
    size_share : Recommendation
        The one for costs proportional to block sizes.
    samplings : SamplingAdvice or None
        The comparison of samplings, if one was made.
    """

    name: str
    profile: CostProfile
    curvature: Curvature
    recommendations: tuple[Recommendation, ...]
    size_share: Recommendation
    samplings: SamplingAdvice | None = None

    @property
    def best(self) -> Recommendation:
        """The recommendation with the largest `least_saving`."""
        return max(self.recommendations, key=lambda choice: choice.least_saving)

    @property
    def helps(self) -> bool | None:
        """True if RPT saves 1 % or more in this resource in some order; None if that is open."""
        answers = [choice.helps for choice in self.recommendations]
        return True if True in answers else None if None in answers else False

    @property
    def exit_code(self) -> int:
        """0, or 3 if it is open whether RPT helps."""
        return 3 if self.helps is None else 0

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        orders = " or ".join(choice.name for choice in self.recommendations)
        resource = RESOURCES[self.profile.resource]
        largest = 100 * max(choice.largest_saving for choice in self.recommendations)
        best = self.best
        if self.helps:
            p = " ".join(f"{value:.3g}" for value in best.probabilities)
            return (
                f"By c(P), RPT helps in the model problem: {best.name} with p = ({p}) saves"
                f" {100 * best.saving:.1f} % of gradient descent's {resource}"
                f" (between {100 * best.least_saving:.1f} and {100 * best.largest_saving:.1f} %)."
            )
        if self.helps is None:
            remedy = "a smaller --tol"
            if self.profile.orders[0].errors.any():
                remedy = "more --rounds, or a machine with less load"
            return (
                f"By c(P), it is too close to call whether RPT helps in the model problem: it saves"
                f" between {100 * best.least_saving:.2g} and {decimal_ceiling(largest, 2)} % of"
                f" {resource} ({orders}). Try {remedy}."
            )
        return (
            f"By c(P), RPT does not help here: in the model problem no probabilities, {orders},"
            f" save more than {decimal_ceiling(largest, 2)} % of gradient descent's {resource}."
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values under the schema rpttheory/advise/2."""
        return {
            "schema": "rpttheory/advise/2",
            "name": self.name,
            "loss": self.profile.loss,
            "resource": self.profile.resource,
            "helps": self.helps,
            "verdict": self.verdict,
            "profile": self.profile.to_dict(),
            "curvature": self.curvature.to_dict(),
            "recommendations": [choice.to_dict() for choice in self.recommendations],
            "size_share": self.size_share.to_dict(),
            "samplings": None if self.samplings is None else self.samplings.to_dict(),
        }

    def __repr__(self) -> str:
        return f"<Advice on {self.profile.labels.count} blocks: helps {self.helps}>"

    def render(
        self, title: str = "", notes: Sequence[str] = (), detail: Detail = BRIEF
    ) -> Document:
        """Costs, curvature, choices, and the verdict last."""
        labels = self.profile.labels
        curvature = self.curvature
        head = f"d = {sum(labels.sizes)}, B = {labels.count}, loss {self.profile.loss:.6g}"
        about = [f"lambda_max = {number(curvature.lambda_max, detail.digits)}"]
        about.append(f"noise of products {curvature.noise:.1g}")
        if curvature.shift:
            about.append(f"of the Hessian plus {curvature.shift:.3g} I, which is positive")
        warnings = [f"  warning: {curvature.warning}"] if curvature.warning else []
        resource = self.profile.resource
        closing = [
            "With costs proportional to block sizes, as in the paper, RPT would save"
            f" {100 * self.size_share.saving:.1f} %. In {RESOURCES[resource]}:"
        ]
        if resource == "memory":
            closing.append("  note: a mean over steps; the largest step is a full one")
        return [
            *heading(title or self.name or "", head, notes),
            "",
            *self.profile.render(detail=detail),
            "",
            f"curvature ({curvature.kind}): {CAVEAT}",
            "  " + ", ".join(about),
            *warnings,
            "",
            self._block_table(),
            "",
            self._choice_table(),
            "",
            *([] if self.samplings is None else self.samplings.render()),
            *closing,
            self.verdict,
        ]

    def _block_table(self) -> Table:
        columns = list(self.records()[0])
        rows = [
            [cell if isinstance(cell, str) else f"{cell:.4g}" for cell in record.values()]
            for record in self.records()
        ]
        return Table(columns, rows, frozenset(range(1, len(columns))), blocks=True)

    def _choice_table(self) -> Table:
        """Costs over gradient descent's: below 1 is a saving."""
        rows = [
            [
                choice.name,
                f"{choice.search.upper / choice.gradient_descent.midpoint:.4f}",
                f"{1 - choice.largest_saving:.4f} to {1 - choice.least_saving:.4f}",
                f"{choice.search.gap:.1g}",
                choice.search.status,
            ]
            for choice in (*self.recommendations, self.size_share)
        ]
        header = ("cost model", "optimum / GD", "within three standard errors", "gap", "search")
        return Table(header, rows, frozenset({1, 2, 3}))

    def records(self) -> list[dict[str, Any]]:
        """One row per block."""
        labels = self.profile.labels
        largest = self.curvature.block_lambda_max
        return [
            {"block": name, "size": labels.sizes[k], "lambda_max": largest[k].midpoint}
            | {
                f"p, {choice.name}": float(choice.search.probabilities[k])
                for choice in (*self.recommendations, self.size_share)
            }
            for k, name in enumerate(labels.names)
        ]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the optimal probabilities on the current axes, or on `ax`; return the axes."""
        axes = new_axes(7.0) if ax is None else ax
        names = self.profile.labels.names
        for index, choice in enumerate((*self.recommendations, self.size_share)):
            # Markers of several sizes, because both orders may well agree.
            axes.plot(
                choice.search.probabilities,
                color=INKS[index],
                marker=MARKERS[index],
                markersize=10 - 3 * index,
                fillstyle="none",
                label=choice.name,
            )
        axes.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize=8)
        axes.set_ylim(0, 1.05)
        axes.set_ylabel("probability of an update")
        return finish(axes, "optimal probabilities of the model problem")


@dataclass(frozen=True, eq=False)
class SamplingAdvice:
    """Comparison of samplings by c_M, L_M times the mean cost of a step.

    Attributes
    ----------
    comparison : SamplingComparison
    first_alone, added_up : float
        The cost of a step on the first block alone, as measured and if costs of blocks add up. A
        full step costs 1.
    gradient_descent : Bracket
        lambda_max times the cost of a full step.
    """

    comparison: SamplingComparison
    first_alone: float
    added_up: float
    gradient_descent: Bracket

    @property
    def conclusion(self) -> str:
        """The best sampling by each quantity, and the reason."""
        best = self.comparison.best
        by_c_M = (
            f"By c_M, which nonconvex theorems use, {best.name} is cheapest,"
            f" {self._ratio(best.cost.upper)} of gradient descent and at most"
            f" {decimal_ceiling(self.comparison.factor.upper, 3)} times the least of all samplings."
        )
        alone = (
            f"A step on the first block alone costs {self.first_alone:.2f} of a full one, where"
            f" costs that add up would give {self.added_up:.2f}"
        )
        if self.comparison.backprop:
            return (
                f"{alone}: backpropagation passes all later layers, so a step pays for its deepest"
                f" block. Then nested sampling is the best of all samplings by c(P). {by_c_M}"
            )
        return (
            f"{alone}: costs of blocks add up. Then all samplings with the same probabilities are"
            f" equal by c(P). {by_c_M}"
        )

    def _ratio(self, cost: float) -> str:
        return f"{cost / self.gradient_descent.midpoint:.4f}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            "first_alone": self.first_alone,
            "added_up": self.added_up,
            "backprop": self.comparison.backprop,
            "gradient_descent": self.gradient_descent.to_dict(),
            "conclusion": self.conclusion,
            **self.comparison.to_dict(),
        }

    def render(self) -> Document:
        """One row per sampling, and the conclusion."""
        rows = [(row.name, self._ratio(row.cost.upper)) for row in self.comparison.rows]
        table = Table(("sampling", "c_M / GD"), rows, frozenset({1}))
        return [table, "", self.conclusion, ""]


def advise(
    task: Task,
    *,
    resource: Resource = "time",
    order: OrderLike | Literal["both"] = "both",
    inner: Any = None,
    curvature: Kind = "auto",
    tol: float = 1e-3,
    rounds: int = 15,
    progress: ProgressCallback = no_progress,
) -> Advice:
    """Measure costs and curvature of a network at its parameters, and solve the model problem for
    each order.

    The model problem: minimize L_P (c_0 + sum p_k c_k), the smoothness constant of RPT times the
    expected cost of a step in the resource that you pay in, with L the curvature at this one point
    and p falling along the order. It is the model of plain gradient steps, whatever the optimizer
    whose steps are measured. If `order` is "both", the best of all orders is found for bytes, which
    do not depend on it, and other samplings are compared by c_M for all resources but memory.

    Parameters
    ----------
    task : Task
    resource : {"time", "flops", "bytes", "memory"}
        Of `profile_costs`. Memory is a mean over steps; the largest step is still a full one.
    order, rounds
        As for `profile_costs`.
    inner : optax.GradientTransformation, optional
        The optimizer whose steps are measured, by default that of the task.
    curvature : {"auto", "ggn", "hessian"}
        "auto" is the generalized Gauss-Newton matrix where the task has a model and a criterion,
        else the Hessian.
    tol : float
        Relative gap of the searches, at least ten times the noise of the products (about 1e-6 in
        float32).
    progress : callable, optional
        Called with an `Event` before each part of the work and for each bracket of a search. If it
        raises KeyboardInterrupt in a search, the bracket so far is used, and later searches end at
        their first bracket.
    """
    if not isinstance(task, Task):
        raise InvalidInput(
            "must be a Task",
            type(task).__name__,
            "Task(loss, params, batch, labels)",
            argument="task",
        )
    check_options(tol)
    kind = check_kind(task, curvature)
    if resource not in _MEASURED:
        names = " or ".join(_MEASURED)
        raise InvalidInput("is not one of the choices", repr(resource), names, argument="resource")
    progress(Event(f"measuring the cost of steps ({resource})"))
    profile = profile_costs(
        task.loss,
        task.params,
        task.batch,
        task.labels,
        order,
        _MEASURED[resource],
        inner=task.inner if inner is None else inner,
        args=task.args,
        has_aux=task.has_aux,
        rounds=rounds,
    )
    progress(Event("measuring curvature"))
    measured = measure_curvature(task, kind)
    search = _Search(measured, max(tol, 10 * measured.noise), progress)
    sizes = np.array(task.labels.sizes) / sum(task.labels.sizes)
    optimum = search.optimum("size share", costs=sizes)
    size_share = _exact("size share", optimum, measured.lambda_max)
    recommendations = []
    # Bytes add up over blocks in any order, so the best order is part of the answer unless one was
    # asked for.
    both = len(profile.orders) > 1
    any_order = resource == "bytes" and both
    for costs in profile.orders[:1] if any_order else profile.orders:
        name = "any order" if any_order else costs.name
        if any_order and np.allclose(costs.costs, sizes, rtol=1e-12):
            recommendations.append(replace(size_share, name=name))
        else:
            recommendations.append(search.recommend(costs, name))
    samplings = None
    if both and resource != "memory" and not search.interrupted:
        progress(Event("comparing samplings"))
        samplings = _compare_samplings(measured, profile, recommendations[-1].search)
    return Advice(task.name, profile, measured, tuple(recommendations), size_share, samplings)


def _compare_samplings(
    curvature: Curvature, profile: CostProfile, search: SearchResult
) -> SamplingAdvice:
    """Compare samplings, where a step pays for its blocks or for its deepest one.

    The measured cost of the first block alone tells the two apart, since backpropagation reaches it
    through all other blocks.
    """
    costs = profile.along("output-first")
    first_alone = float(profile.along("input-first").measured[0])
    added_up = costs.overhead + float(costs.costs[0])
    backprop = first_alone > added_up + _PASSED_LAYERS
    problem = Problem(
        curvature.operator,
        curvature.labels.blocks,
        costs.costs,
        order=costs.order if backprop else None,
        overhead=costs.overhead,
    )
    comparison = compare_samplings(problem, search.probabilities, backprop=backprop)
    full = curvature.lambda_max * costs.full_step
    return SamplingAdvice(comparison, first_alone, added_up, full)


def _exact(name: str, search: SearchResult, gradient_descent: Bracket) -> Recommendation:
    """Return the recommendation for costs without measurement errors."""
    return Recommendation(
        name,
        search,
        gradient_descent,
        least_saving=max(1 - search.upper / gradient_descent.lower, 0.0),
        largest_saving=max(1 - search.lower / gradient_descent.upper, 0.0),
    )


@dataclass
class _Search:
    """Searches on one curvature; an interruption ends the later ones at their first bracket."""

    curvature: Curvature
    tol: float
    progress: ProgressCallback
    interrupted: bool = False

    def optimum(self, name: str, **costs: Any) -> SearchResult:
        """Return the search result for these costs."""
        message = f"searching for the best probabilities, {name}"
        self.progress(Event(message))

        def show(event: Event) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            lower, upper = event.bracket or (0, np.inf)
            if np.isfinite(upper):
                self.progress(Event(f"{message}, gap {(upper - lower) / upper:.1g}"))

        result = optimal_probabilities(
            self.curvature.operator,
            self.curvature.labels.blocks,
            tol=self.tol,
            progress=show,
            **costs,
        )
        self.interrupted |= result.status == "interrupted"
        return result

    def recommend(self, costs: OrderCosts, name: str) -> Recommendation:
        """Return the recommendation for measured costs, allowing for their errors."""
        result = self._priced(costs, name)
        errors = costs.errors
        if not errors.any():
            return result
        if not np.isfinite(errors).all():
            return replace(result, least_saving=0.0, largest_saving=1.0)
        lowest = self._priced(costs.shifted(-_ERRORS), f"{name}, least costs of partial steps")
        highest = costs.shifted(_ERRORS)
        p = result.search.probabilities
        scale = highest.expected(p) / costs.expected(p) * costs.full_step / highest.full_step
        return replace(
            result,
            least_saving=max(1 - scale * (1 - result.least_saving), 0.0),
            largest_saving=max(lowest.largest_saving, result.largest_saving),
        )

    def _priced(self, costs: OrderCosts, name: str) -> Recommendation:
        forced = {} if name == "any order" else {"overhead": costs.overhead, "order": costs.order}
        optimum = self.optimum(name, costs=costs.costs, **forced)
        return _exact(name, optimum, self.curvature.lambda_max * costs.full_step)
