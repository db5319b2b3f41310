"""Advice for one network: the best probabilities, and how much they save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import InvalidInput
from ..numbers import Bracket
from ..numbers.exact_array import FloatArray
from ..report import BRIEF, Detail, Document, Report, Table, finish, heading, new_axes, number
from ..report.figure import INKS, MARKERS
from ..runs.progress import Event, ProgressCallback, no_progress
from ..search import SearchResult, optimal_probabilities
from ..search.optimal import check_options
from .costs import RESOURCES, CostProfile, OrderCosts, Resource, profile_costs
from .curvature import CAVEAT, Curvature, Kind, check_kind, measure_curvature
from .task import Task
from .training import OrderLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A saving below this share of gradient descent's cost is no reason to change a method.
# Chosen by hand.
_WORTHWHILE = 0.01
# Resources measured beside the one of the answer: those that need no more compiling.
_MEASURED: dict[Resource, tuple[Resource, ...]] = {
    "time": ("time", "flops", "bytes", "memory"),
    "flops": ("flops", "bytes"),
    "bytes": ("bytes", "flops"),
    "memory": ("memory", "flops", "bytes"),
}


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The optimum (NUMERICAL: from products alone) of one cost model, beside gradient descent under
    the same model.

    Attributes
    ----------
    name : str
        The order, "any order" where costs do not depend on it, or "size share" for the paper's
        cost model.
    search : SearchResult
        Bracket of the least L_P (c_0 + sum p_k c_k), and probabilities that attain its upper end.
    gradient_descent : Bracket
        The same quantity at p = 1.
    noise : float
        Standard error of the measured costs, as a share of a full step.
    """

    name: str
    search: SearchResult
    gradient_descent: Bracket
    noise: float = 0.0

    @property
    def saving(self) -> float:
        """The share of gradient descent's cost that `probabilities` save, at least."""
        return max(1 - self.search.upper / self.gradient_descent.lower, 0.0)

    @property
    def largest_saving(self) -> float:
        """The share that no probabilities can exceed, by the bracket."""
        return max(1 - self.search.lower / self.gradient_descent.upper, 0.0)

    @property
    def helps(self) -> bool | None:
        """True for a saving of 1 % or more, False if that is ruled out; None if the bracket or the
        noise of the costs leaves it open.
        """
        if self.saving - self.noise >= _WORTHWHILE:
            return True
        return False if self.largest_saving + self.noise < _WORTHWHILE else None

    @property
    def probabilities(self) -> FloatArray:
        """Per block; all 1, which is gradient descent, unless others save something."""
        return self.search.probabilities if self.helps else np.ones_like(self.search.probabilities)

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {
            "name": self.name,
            "helps": self.helps,
            "saving": self.saving,
            "largest_saving": self.largest_saving,
            "noise": self.noise,
            "probabilities": self.probabilities.tolist(),
            "gradient_descent": self.gradient_descent.to_dict(),
            "search": self.search.to_dict(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Advice(Report):
    """Costs, curvature and the best probabilities by them. Made by `advise`."""

    name: str
    profile: CostProfile
    curvature: Curvature
    recommendations: tuple[Recommendation, ...]
    size_share: Recommendation

    @property
    def best(self) -> Recommendation:
        """The recommendation that saves most, among those that surely help if there are any."""
        return max(self.recommendations, key=lambda choice: (choice.helps is True, choice.saving))

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
        most = 100 * max(choice.largest_saving for choice in self.recommendations)
        if self.helps:
            best = self.best
            p = " ".join(f"{value:.3g}" for value in best.probabilities)
            return (
                f"By c(P), RPT helps in the model problem: {best.name} with p = ({p}) saves"
                f" {100 * best.saving:.1f} % of gradient descent's {resource}; no probabilities in"
                f" that order save more than {100 * best.largest_saving:.1f} %."
            )
        if self.helps is None:
            noise = 100 * max(choice.noise for choice in self.recommendations)
            return (
                "By c(P), it is open whether RPT helps in the model problem: a saving of up to"
                f" {most:.2g} % of {resource} ({orders}) is not ruled out, with a standard error of"
                f" {noise:.1g} %."
            )
        return (
            f"By c(P), RPT does not help here: in the model problem no probabilities, {orders},"
            f" save more than {most:.1g} % of gradient descent's {resource}."
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
        resource = self.profile.resource
        closing = [
            "By the paper's size-share costs the same curvature promises a saving of"
            f" {100 * self.size_share.saving:.1f} %; you pay in {RESOURCES[resource]}:"
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
            "",
            self._block_table(),
            "",
            self._choice_table(),
            "",
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
                f"{choice.search.gap:.1g}",
                choice.search.status,
            ]
            for choice in (*self.recommendations, self.size_share)
        ]
        return Table(("cost model", "optimum / GD", "gap", "search"), rows, frozenset({1, 2}))

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


def advise(
    task: Task,
    *,
    resource: Resource = "time",
    order: OrderLike | Literal["both"] = "both",
    curvature: Kind = "auto",
    tol: float = 1e-3,
    rounds: int = 9,
    progress: ProgressCallback = no_progress,
) -> Advice:
    """Measure costs and curvature of a network at its parameters, and solve the model problem for
    each order.

    The model problem: minimize L_P (c_0 + sum p_k c_k), the smoothness constant of RPT times the
    expected cost of a step in the resource that you pay in, with L the curvature at this one point
    and p falling along the order. Bytes are the same in every order, so for them the best of all
    orders is found unless one is given.

    Parameters
    ----------
    task : Task
    resource : {"time", "flops", "bytes", "memory"}
        Of `profile_costs`. Memory is a mean over steps; the largest step is still a full one.
    order, rounds
        As for `profile_costs`.
    curvature : {"auto", "ggn", "hessian"}
        "auto" is the generalized Gauss-Newton matrix where the task has a model and a criterion,
        else the Hessian.
    tol : float
        Relative gap of the searches, at least ten times the noise of the products (about 1e-6 in
        float32).
    progress : callable, optional
        Called with an `Event` before each part of the work and for each bracket of a search. If it
        raises KeyboardInterrupt in a search, the bracket so far is used, and the later searches
        end at their first.
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
        raise InvalidInput("is unknown", repr(resource), names, argument="resource")
    progress(Event(f"measuring the cost of steps ({resource})"))
    profile = profile_costs(
        task.loss,
        task.params,
        task.batch,
        task.labels,
        order,
        _MEASURED[resource],
        inner=task.inner,
        args=task.args,
        has_aux=task.has_aux,
        rounds=rounds,
    )
    progress(Event("measuring curvature"))
    measured = measure_curvature(task, kind)
    search = _Search(measured, max(tol, 10 * measured.noise), progress)
    sizes = np.array(task.labels.sizes) / sum(task.labels.sizes)
    optimum = search.optimum("size share", costs=sizes)
    size_share = Recommendation("size share", optimum, measured.lambda_max)
    recommendations = []
    # Bytes add up over blocks in any order, so the best order is part of the answer unless one was
    # asked for.
    any_order = resource == "bytes" and len(profile.orders) > 1
    for costs in profile.orders[:1] if any_order else profile.orders:
        name = "any order" if any_order else costs.name
        if any_order and np.allclose(costs.costs, sizes, rtol=1e-12):
            recommendations.append(replace(size_share, name=name))
        else:
            recommendations.append(search.recommend(costs, name))
    return Advice(task.name, profile, measured, tuple(recommendations), size_share)


@dataclass
class _Search:
    """Searches on one curvature; an interruption ends the later ones at their first bracket."""

    curvature: Curvature
    tol: float
    progress: ProgressCallback
    interrupted: bool = False

    def optimum(self, name: str, **costs: Any) -> SearchResult:
        """The optimum for these costs."""
        doing = f"searching for the best probabilities, {name}"
        self.progress(Event(doing))

        def show(event: Event) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            lower, upper = event.bracket or (0, np.inf)
            if np.isfinite(upper):
                self.progress(Event(f"{doing}, gap {(upper - lower) / upper:.1g}"))

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
        """The optimum for measured costs, along their order unless any order will do."""
        forced = {} if name == "any order" else {"overhead": costs.overhead, "order": costs.order}
        return Recommendation(
            name=name,
            search=self.optimum(name, costs=costs.costs, **forced),
            gradient_descent=self.curvature.lambda_max * costs.full_step,
            noise=costs.noise,
        )
