"""Comparison of gradient descent, the closed form, the certified optimum and samplings."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certificates.writer import certificate
from ..errors import InvalidInput, OutOfTime
from ..numbers import Bracket, Rigor
from ..numbers.decimals import decimal_ceiling
from ..numbers.exact_array import FloatArray, Number, Numbers
from ..problem.arguments import OrderLike
from ..problem.blocks import BlocksLike
from ..problem.problem import Problem, as_problem
from ..problem.sampling import NestedSampling, OneOfEachGroup
from ..problem.sampling.tau_nice import check_block_budget
from ..problem.smoothness import SmoothnessLike
from ..report import BRIEF, Detail, Document, Report, number
from ..runs.progress import Event, ProgressCallback, no_progress
from . import comparison_pictures, comparison_report
from .optimal import check_options, optimal_probabilities
from .result import SearchResult, Status
from .samplings import SamplingComparison, compare_samplings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Each node of the search over orders factors dense matrices. Chosen by hand.
_NONCONVEX_DIMENSION = 600
# Seconds for the search over orders, if no time limit is set.
_ORDERS_TIME_LIMIT = 20.0


@dataclass(frozen=True, eq=False)
class Choice:
    """One choice of probabilities for nested sampling, with its cost.

    Attributes
    ----------
    name : str
        Its name in the table of costs.
    cost : Bracket
        c(P).
    note : str
        How the cost was computed.
    key : str
        The heading of the probabilities in reports; empty if they are not listed.
    probabilities : ndarray or None
        Per block.
    search : SearchResult or None
        The search that found them.
    """

    name: str
    cost: Bracket
    note: str
    key: str = ""
    probabilities: FloatArray | None = None
    search: SearchResult | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Report):
    """The cost of each choice of probabilities, and of each sampling, for one L and its blocks.

    Attributes
    ----------
    problem : Problem
        Its `gradient_descent` is the cost of p = 1, its `closed_form` the paper's probabilities
        with their bound, and its `c_rounded` a bracket of c(P) at them.
    optimal : SearchResult
        The certified optimum of c(P).
    samplings : SamplingComparison
        c_M of one block at a time, independent blocks, nested sampling and others, and a lower
        bound for all samplings.
    nonconvex : SearchResult or None
        The certified optimum of c_M over nested samplings, if requested and not left out.
    left_out : str
        The reason why c_M was not minimized; empty if it was, or was not requested.

    Examples
    --------
    >>> result = compare([[9.0, 0.0], [0.0, 1.0]], [1, 1])
    >>> f"{result.problem.gradient_descent:.6f} {result.optimal.bracket:.6f}"
    '9.000000 5.000000'
    """

    problem: Problem
    optimal: SearchResult
    samplings: SamplingComparison
    nonconvex: SearchResult | None = None
    left_out: str = ""

    def __repr__(self) -> str:
        return (
            f"<Comparison: optimum {self.optimal.bracket} against {self.problem.gradient_descent}"
            " of gradient descent>"
        )

    def render(
        self, title: str = "", notes: Sequence[str] = (), detail: Detail = BRIEF
    ) -> Document:
        """Return costs, samplings, probabilities per block, and what they mean in plain words."""
        return comparison_report.document(self, title, notes, detail)

    def records(self) -> list[dict[str, Any]]:
        """One row per block."""
        problem = self.problem
        columns: dict[str, Sequence[Any]] = {
            "block": [problem.blocks.name(k) for k in range(problem.blocks.count)],
            "size": problem.blocks.sizes,
            "cost": problem.costs.float64.tolist(),
            "L_k": [float(constant) for constant in problem.block_L],
            **{name: p.tolist() for name, p in self.probabilities.items()},
        }
        if self.group_of is not None:
            columns["group"] = self.group_of
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    @property
    def probabilities(self) -> dict[str, FloatArray]:
        """The probabilities of each choice and of each sampling, by their headings.

        Those of nested sampling are "optimal".
        """
        columns = {
            choice.key: choice.probabilities
            for choice in self.choices
            if choice.probabilities is not None
        }
        for row in self.samplings.rows:
            if row.sampling is None or row.key == "nested":
                continue
            p = row.sampling.probabilities
            # An interrupted search over orders may have no better point than "optimal".
            if row.key != "nonconvex" or not np.array_equal(p, self.optimal.probabilities):
                columns[row.key] = p
        return columns

    @property
    def group_of(self) -> list[int] | None:
        """The number of each block's group, if one block of each group is drawn; else None."""
        for row in self.samplings.rows:
            if isinstance(row.sampling, OneOfEachGroup):
                pairs = [(k, n) for n, group in enumerate(row.sampling.groups) for k in group]
                return [number for _, number in sorted(pairs)]
        return None

    def plot(self, ax: Axes | None = None, *, kind: str = "probabilities", title: str = "") -> Axes:
        """Draw on the current axes, or on `ax`; return the axes.

        Parameters
        ----------
        kind : {"probabilities", "costs"}
            Probabilities per block, or the certified interval of the optimum beside every other
            cost.
        """
        return comparison_pictures.plot(self, kind, ax, title)

    @property
    def given(self) -> Bracket | None:
        """c(P) at the probabilities of the problem; None if those are the closed form's."""
        return None if self.problem.at_closed_form else self.problem.c_P

    @property
    def choices(self) -> list[Choice]:
        """The probabilities that are compared by c(P)."""
        problem = self.problem
        formula = "(sum sqrt(L_k c_k))^2" if problem.plain else "with overhead or order"
        rows = [Choice("gradient descent", problem.gradient_descent, "p = 1")]
        if problem.overhead == 0:
            rows.append(Choice("uniform p", problem.gradient_descent, "any constant p"))
        closed = problem.closed_form
        rows += [
            Choice("closed form, bound", closed.bound, formula),
            Choice(
                "closed form, value",
                problem.c_rounded,
                "c(P) at its p",
                "closed form",
                closed.probabilities,
            ),
        ]
        search = self.optimal
        note = f"gap {decimal_ceiling(search.gap, 1)}"
        if search.status != "optimal":
            note = f"{search.status}, {note}"
        p = search.probabilities
        rows.append(Choice("optimum of c(P)", search.bracket, note, "optimal", p, search))
        if self.given is not None:
            rows.append(
                Choice("your p", self.given, "c(P) at your p", "your p", problem.probabilities)
            )
        return rows

    def latex(self) -> str:
        """Return the problem, the cost of each choice of probabilities, and the origin as LaTeX."""
        return comparison_report.latex(self)

    def certificate(self) -> dict[str, Any]:
        """Return a certificate of the bracket of the optimum of c(P), for `rpttheory check`."""
        result = self.optimal
        if result.rigor is Rigor.NUMERICAL:
            raise InvalidInput(
                "must be known by its entries for a certificate",
                "an L known through products",
                "an array",
                argument="L",
            )
        ends = (
            [">=", "optimum", str(Fraction(result.lower))],
            ["<=", "optimum", str(Fraction(result.upper))],
        )
        # A reader takes the probabilities that are printed for those of the optimum.
        problem = self.problem.with_sampling(NestedSampling(result.probabilities))
        if self.problem.order is not None:
            problem = problem.with_order(self.problem.order)
        return certificate(problem, [(end, "PROVED") for end in ends], result)

    @property
    def speedup(self) -> Bracket:
        """The best possible speed-up of RPT over gradient descent by c(P), as a bracket."""
        return comparison_report.quotient(self.problem.gradient_descent, self.optimal.bracket)

    @property
    def helps(self) -> bool | None:
        """True if the optimum of c(P) is below gradient descent, False if they agree within the
        tolerance of the search, else None. True is proved unless a side is NUMERICAL.
        """
        if self.optimal.upper < self.problem.gradient_descent.lower:
            return True
        return False if self.optimal.status == "optimal" else None

    @property
    def status(self) -> Status:
        """ "optimal" if every search reached its tolerance, else the first other status."""
        if self.nonconvex is None or self.optimal.status != "optimal":
            return self.optimal.status
        return self.nonconvex.status

    @property
    def settled(self) -> bool:
        """True if every search reached its tolerance."""
        return self.status == "optimal"

    @property
    def exit_code(self) -> int:
        """0 if every search reached its tolerance, else 3."""
        return 0 if self.settled else 3

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values under the schema rpttheory/compare/1."""
        problem = self.problem
        closed_form = problem.closed_form
        result: dict[str, Any] = {
            "schema": "rpttheory/compare/1",
            "status": self.status,
            "dimension": problem.blocks.dimension,
            "blocks": list(problem.blocks.sizes),
            "costs": problem.costs.float64.tolist(),
            "notes": list(problem.notes),
            "gradient_descent": _cost(problem.gradient_descent),
            "closed_form": {
                **_cost(problem.c_rounded),
                "bound": closed_form.bound.midpoint,
                "probabilities": closed_form.probabilities.tolist(),
            },
            "optimal": self.optimal.to_dict(),
            "samplings": self.samplings.to_dict(),
            "nonconvex": None if self.nonconvex is None else self.nonconvex.to_dict(),
        }
        if self.left_out:
            result["left_out"] = self.left_out
        if self.given is not None:
            p = problem.probabilities.tolist()
            result["given"] = {**_cost(self.given), "probabilities": p}
        if problem.overhead > 0:
            result["overhead"] = float(problem.overhead)
        if problem.order is not None:
            result["order"] = list(problem.order.rank_to_block)
        if self.samplings.backprop:
            result["backprop"] = True
        if self.samplings.budget is not None:
            result["budget"] = self.samplings.budget
        return result


def _cost(bracket: Bracket) -> dict[str, Any]:
    return {"cost": bracket.midpoint, "bracket": bracket.to_dict()}


def compare(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Numbers | None = None,
    *,
    overhead: Number = 0,
    order: OrderLike | None = None,
    probabilities: Numbers | None = None,
    budget: int | None = None,
    backprop: bool = False,
    orders: bool = False,
    tol: float = 1e-6,
    time_limit: float | None = None,
    rng: np.random.Generator | int | None = None,
    progress: ProgressCallback = no_progress,
) -> Comparison:
    """Compare gradient descent, the closed form, the certified optimum, and samplings.

    Parameters
    ----------
    L, blocks, costs, overhead, order, tol, rng
        As for `optimal_probabilities`.
    probabilities : sequence, optional
        Probabilities of your own, compared with the others.
    budget : int, optional
        The largest number of blocks that a step may update. Samplings that exceed it are shown
        but not recommended.
    backprop : bool
        A step pays for all blocks up to its deepest one, as in backpropagation. Blocks are listed
        from the output of the network, or `order` lists them so.
    orders : bool
        Also search for the nested sampling of least c_M, over all orders of the blocks. That
        search is left out for d > 600, and for an L known through products only.
    time_limit : float, optional
        Seconds for all searches together. They then return the best bracket so far, as on Ctrl-C.
        By default only the search over orders is limited, to 20 seconds.
    progress : callable, optional
        Called with an `Event` when a part of the work begins or ends, and as the `bracket` of a
        search narrows. On Ctrl-C, or if it raises KeyboardInterrupt during a search, the best
        bracket so far is returned.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> result = compare([[9.0, 1.0], [1.0, 2.0]], [1, 1])
    >>> result.helps, f"{result.speedup:.3f}", result.samplings.best.key
    (True, '1.406', 'single')
    """
    check_options(tol, time_limit=time_limit)
    if time_limit is not None:
        progress = _with_time_limit(time_limit, progress)
    problem = as_problem(
        L, blocks, costs, probabilities=probabilities, overhead=overhead, order=order
    )
    if budget is not None:
        check_block_budget(budget, problem.blocks.count, "budget")
    if backprop and problem.order is None:
        problem = problem.with_order(range(problem.blocks.count))
    options: dict[str, Any] = {"tol": tol, "rng": rng, "progress": progress}
    progress(Event("optimum of c(P)"))
    optimal = optimal_probabilities(problem, **options)
    bracket = number(optimal.bracket)
    message = f"optimum of c(P): {bracket}, gap {optimal.gap:.1g}, {optimal.status}"
    progress(Event(message, milestone=True))
    nonconvex = None
    left_out = _out_of_reach(problem, optimal) if orders else ""
    if orders and not left_out:
        progress(Event(f"optimum of c_M, over orders of {problem.blocks.count} blocks"))
        if time_limit is None:
            options["progress"] = _with_time_limit(_ORDERS_TIME_LIMIT, progress)
        nonconvex = _at_most_nested(
            problem, optimal, optimal_probabilities(problem, objective="c_M", **options)
        )
    progress(Event("c_M of samplings"))
    samplings = compare_samplings(
        problem, optimal.probabilities, budget=budget, backprop=backprop, nonconvex=nonconvex
    )
    return Comparison(problem, optimal, samplings, nonconvex, left_out)


def _at_most_nested(
    problem: Problem, optimal: SearchResult, nonconvex: SearchResult
) -> SearchResult:
    """Return a search for the least c_M that ends no higher than the c_M of gradient descent, and
    of the probabilities of least c(P).
    """
    if nonconvex.status == "optimal":
        return nonconvex
    for p in (np.ones(problem.blocks.count), optimal.probabilities):
        cost = problem.with_sampling(NestedSampling(p)).c_M
        if cost.upper < nonconvex.upper:
            nonconvex = replace(
                nonconvex,
                upper=cost.upper,
                probabilities=p,
                order=optimal.order,
                rigor=min(nonconvex.rigor, cost.rigor),
            )
    return nonconvex


def _with_time_limit(seconds: float, progress: ProgressCallback) -> ProgressCallback:
    """Return a callback that ends a search after a number of seconds."""
    end = time.perf_counter() + seconds

    def report(event: Event) -> None:
        if event.bracket is not None and time.perf_counter() > end:
            raise OutOfTime
        progress(event)

    return report


def _out_of_reach(problem: Problem, optimal: SearchResult) -> str:
    """Return the reason why the search over orders is left out; "" if it is not."""
    if optimal.status == "interrupted":
        return "the search for the optimum of c(P) was stopped"
    # It factors dense matrices many times: it is for moderate sizes with known entries.
    if problem.smoothness.explicit() is None:
        return "L is known through products only"
    if problem.blocks.dimension > _NONCONVEX_DIMENSION:
        return f"d = {problem.blocks.dimension} is above {_NONCONVEX_DIMENSION}"
    return ""
