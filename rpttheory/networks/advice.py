"""Which probabilities for this network, and whether they save anything of what you pay in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..errors import InvalidInput
from ..problem.quantities import weighted_smoothness
from ..report import Document, Report
from ..runs.progress import Event, Watch, unwatched
from ..search import SearchResult, optimal_probabilities
from ..search.bounds import Callback
from ..search.optimal import check_options
from . import advice_report
from .curvature import Curvature, Kind, ggn_operator, hvp_operator, measure_curvature
from .loss import scalar_loss
from .priced import CURRENCIES, CostProfile, Currency, OrderCosts
from .profile import OrderLike, profile_costs
from .recommendation import Recommendation
from .schedules import exponential
from .task import Task

# Beyond this many blocks a sentence does not list their probabilities; the table does.
_LISTED = 8
# The paper's best rate for its network.
_PAPER_RATE = 0.9
# What is measured beside the currency of the answer: what needs no more compiling, and time only if
# it is asked for.
_BESIDE: dict[Currency, tuple[Currency, ...]] = {
    "time": ("time", "flops", "bytes", "memory"),
    "flops": ("flops", "bytes"),
    "bytes": ("bytes", "flops"),
    "memory": ("memory", "flops", "bytes"),
}


@dataclass(frozen=True, eq=False, repr=False)
class Advice(Report):
    """Costs, curvature and what follows from them. Made by `advise`."""

    name: str
    loss: float
    profile: CostProfile
    curvature: Curvature
    recommendations: tuple[Recommendation, ...]
    size_share: Recommendation

    @property
    def best(self) -> Recommendation:
        """The order of least cost at its own probabilities."""
        return max(self.recommendations, key=lambda one: one.saving)

    @property
    def helps(self) -> bool | None:
        """Whether RPT saves 1 % or more in this currency in some order; None where the searches
        leave it open.
        """
        if self.best.helps:
            return True
        return None if any(one.helps is None for one in self.recommendations) else False

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        orders = " or ".join(one.name for one in self.recommendations)
        paid = CURRENCIES[self.profile.currency]
        most = 100 * max(one.most for one in self.recommendations)
        if self.helps:
            best = self.best
            values = best.probabilities
            listed = " ".join(f"{value:.3g}" for value in values)
            p = (
                f"p = ({listed})"
                if values.size <= _LISTED
                else f"p from {values.min():.3g} to {values.max():.3g}"
            )
            return (
                f"By c(P), RPT helps in the model problem: {best.name} with {p} saves"
                f" {100 * best.saving:.1f} % of gradient descent's {paid}; no probabilities in that"
                f" order save more than {100 * best.most:.1f} %."
            )
        if self.helps is None:
            saving = f"a saving of up to {most:.1f} % of {paid} ({orders})"
            return f"Whether RPT helps by c(P) is open: {saving} is not ruled out."
        return (
            "By c(P), RPT does not help here: gradient descent is the optimum of the model"
            f" problem, numerically (no probabilities, {orders}, save more than {most:.1g} % of its"
            f" {paid})."
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values under the schema rpttheory/advise/1."""
        return {
            "schema": "rpttheory/advise/1",
            "name": self.name,
            "loss": self.loss,
            "currency": self.profile.currency,
            "helps": self.helps,
            "verdict": self.verdict,
            "profile": self.profile.to_dict(),
            "curvature": self.curvature.to_dict(),
            "recommendations": [one.to_dict() for one in self.recommendations],
            "size_share": self.size_share.to_dict(),
        }

    def __repr__(self) -> str:
        return (
            f"<Advice for B = {self.profile.labels.count} blocks: helps {self.helps}, best"
            f" {self.best.name}>"
        )

    @property
    def exit_code(self) -> int:
        """0, or 3 if the searches left it open."""
        return 3 if self.helps is None else 0

    def render(self, title: str = "", notes: Sequence[str] = ()) -> Document:
        """Costs, curvature, choices, and the verdict last."""
        return advice_report.document(self, title or self.name, notes)

    def records(self) -> list[dict[str, Any]]:
        """One row per block."""
        labels = self.profile.labels
        tops = self.curvature.block_lambda_max
        models = (*self.recommendations, self.size_share)
        return [
            {"block": name, "size": labels.sizes[k], "lambda_max": float(tops[k])}
            | {one.name: float(one.search.probabilities[k]) for one in models}
            for k, name in enumerate(labels.names)
        ]

    def plot(self, ax: Any = None) -> Any:
        """Draw the probabilities on matplotlib axes and return them; costs and curvature stand
        beside new ones.
        """
        from .pictures import draw_advice, draw_probabilities

        return draw_advice(self) if ax is None else draw_probabilities(ax, self)


def advise(
    task: Task,
    *,
    currency: Currency = "time",
    order: OrderLike = "both",
    curvature: Literal["auto", "ggn", "hessian"] = "auto",
    tol: float = 1e-3,
    rounds: int = 9,
    callback: Callback | None = None,
    watch: Watch = unwatched,
) -> Advice:
    """Measure costs and curvature of a network at its parameters, and solve the model problem for
    each order.

    The model problem: minimise L_P (c_0 + sum p_k c_k), the smoothness constant of RPT times the
    expected cost of a step in the currency that you pay in, with L the curvature at this one point
    and p falling along the order. Bytes are the same in every order, so for them the best of all
    orders is found unless one is given.

    Parameters
    ----------
    task : Task
    currency : {"time", "flops", "bytes", "memory"}
        Of `profile_costs`. Memory is a mean over steps: the largest step is a full one all the
        same.
    order, rounds
        As for `profile_costs`.
    curvature : {"auto", "ggn", "hessian"}
        "auto" is the generalised Gauss-Newton matrix where the task has a model and a criterion,
        else the Hessian.
    tol : float
        Relative gap of the searches, at least ten times the noise of the products (about 1e-6 in
        float32).
    callback : callable, optional
        Called with (lower, upper) during a search.
    watch : callable, optional
        Called with an `Event` before each part of the work.

    Raises
    ------
    Unfinished
        On Ctrl-C after the costs were measured, with them; during a search its bracket so far is
        used instead.
    """
    if not isinstance(task, Task):
        raise InvalidInput(
            "advise takes a Task", type(task).__name__, "Task(loss, params, batch, labels)"
        )
    check_options(tol, "auto", "convex")
    kind = _kind(task, curvature)
    if currency not in _BESIDE:
        raise InvalidInput("unknown currency", repr(currency), "one of " + ", ".join(_BESIDE))
    watch(Event(f"measuring the cost of steps ({currency})"))
    profile = profile_costs(
        task.loss,
        task.params,
        task.batch,
        task.labels,
        order,
        _BESIDE[currency],
        args=task.args,
        has_aux=task.has_aux,
        rounds=rounds,
    )
    try:
        return _advised(task, profile, kind, tol, callback, watch)
    except KeyboardInterrupt:
        raise Unfinished(profile) from None


class Unfinished(KeyboardInterrupt):
    """Stopped from the keyboard after the costs were measured and before there was any advice."""

    def __init__(self, profile: CostProfile) -> None:
        super().__init__("stopped before there was any advice")
        self.profile = profile


def _advised(
    task: Task,
    profile: CostProfile,
    kind: Kind,
    tol: float,
    callback: Callback | None,
    watch: Watch,
) -> Advice:
    """Curvature and searches; one that is stopped leaves its bracket, and the next ones end at
    their first.
    """
    watch(Event(f"measuring curvature ({kind})"))
    labels = task.labels
    if kind == "ggn":
        assert task.model is not None and task.criterion is not None
        operator = ggn_operator(task.model, task.criterion, task.params, task.batch, labels)
    else:
        loss = scalar_loss(task.loss, task.has_aux)
        operator = hvp_operator(loss, task.params, (task.batch, *task.args), labels)
    measured = measure_curvature(operator, labels, kind)
    tol = max(tol, 10 * measured.noise)
    recommendations = []
    # Bytes add up over blocks in whatever order, so that the best order is part of the answer
    # unless one was asked for.
    any_order = profile.currency == "bytes" and len(profile.orders) > 1
    for costs in () if any_order else profile.orders:
        watch(Event(f"searching for the best probabilities, {costs.name}"))
        recommendations.append(_recommend(measured, costs, tol, callback))
        if recommendations[-1].search.status == "interrupted":
            callback = _stop
    watch(Event("searching for the best probabilities by size share"))
    free = optimal_probabilities(measured.operator, labels.blocks, tol=tol, callback=callback)
    if any_order:
        watch(Event("searching for the best probabilities, any order"))
        recommendations.append(_recommend_any(measured, profile.orders[0], free, tol, callback))
    return Advice(
        name=task.name,
        loss=profile.loss,
        profile=profile,
        curvature=measured,
        recommendations=tuple(recommendations),
        size_share=Recommendation("size share", free, measured.lambda_max),
    )


def _recommend(
    curvature: Curvature, costs: OrderCosts, tol: float, callback: Callback | None
) -> Recommendation:
    blocks = curvature.labels.blocks
    search = optimal_probabilities(
        curvature.operator,
        blocks,
        costs.costs,
        overhead=costs.overhead,
        order=costs.order,
        tol=tol,
        callback=callback,
    )
    rate = exponential(blocks.count, _PAPER_RATE, order=costs.order)
    return Recommendation(
        name=costs.name,
        search=search,
        gradient_descent=curvature.lambda_max * costs.expected_cost(np.ones(blocks.count)),
        paper_rate=weighted_smoothness(curvature.operator, blocks, probabilities=rate)
        * costs.expected_cost(rate),
    )


def _recommend_any(
    curvature: Curvature,
    costs: OrderCosts,
    by_size: SearchResult,
    tol: float,
    callback: Callback | None,
) -> Recommendation:
    """With costs that add up over blocks in whatever order; those of equal numbers are shares of
    the parameters.
    """
    blocks = curvature.labels.blocks
    search = by_size
    if not np.allclose(costs.measured, costs.size_share, rtol=1e-12):
        search = optimal_probabilities(
            curvature.operator, blocks, costs.costs, tol=tol, callback=callback
        )
    return Recommendation(
        "any order", search, curvature.lambda_max * costs.expected_cost(np.ones(blocks.count))
    )


def _stop(lower: float, upper: float) -> None:
    raise KeyboardInterrupt


def _kind(task: Task, curvature: str) -> Kind:
    if curvature not in ("auto", "ggn", "hessian"):
        raise InvalidInput("unknown curvature", repr(curvature), "'auto', 'ggn' or 'hessian'")
    if curvature == "ggn" and task.model is None:
        raise InvalidInput(
            "a GGN needs the loss in two parts",
            "no model and criterion",
            "Task(model=..., criterion=...)",
        )
    if curvature == "hessian" or task.model is None:
        return "hessian"
    return "ggn"
