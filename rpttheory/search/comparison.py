"""Gradient descent, the closed form and the certified optimum side by side on one matrix."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
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
from ..problem.smoothness import SmoothnessLike
from ..report import BRIEF, Detail, Document, Report, number
from ..runs.progress import Event, ProgressCallback, no_progress
from . import comparison_pictures, comparison_report
from .optimal import check_options, optimal_probabilities
from .orders import EXACT_BLOCKS
from .result import SearchResult, Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NONCONVEX_DIMENSION = 600
OBJECTIVES = ("auto", "c_P", "both")


@dataclass(frozen=True, eq=False)
class Choice:
    """One choice of probabilities and its cost: what tables, CSV files and pictures show.

    Attributes
    ----------
    name : str
        In the table of costs.
    cost : Bracket
        c(P), or c_M where the name says so.
    note : str
        How the cost was found.
    column : str
        The heading of the probabilities in tables and pictures; empty if none are shown.
    key : str
        The heading of the probabilities in CSV files.
    probabilities : ndarray or None
        Per block.
    search : SearchResult or None
        The search that found them.
    """

    name: str
    cost: Bracket
    note: str
    column: str = ""
    key: str = ""
    probabilities: FloatArray | None = None
    search: SearchResult | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Report):
    """The cost of each choice of probabilities for one L, its blocks and their costs.

    Attributes
    ----------
    problem : Problem
        Its `gradient_descent` is the cost of p = 1 (every constant p costs the same), its
        `closed_form` the paper's probabilities with their bound, and its `c_rounded` the exact c(P)
        at them.
    optimal : SearchResult
        The certified optimum of c(P).
    nonconvex : SearchResult or None
        The certified optimum of c_M over nested samplings, where it was searched for.
    left_out : str
        The reason why c_M was not searched for; empty if it was, or was not requested.

    Examples
    --------
    >>> result = compare([[9.0, 0.0], [0.0, 1.0]], [1, 1], objective="c_P")
    >>> f"{result.problem.gradient_descent:.6f} {result.optimal.bracket:.6f}"
    '9.000000 5.000000'
    """

    problem: Problem
    optimal: SearchResult
    nonconvex: SearchResult | None
    left_out: str = ""

    def __repr__(self) -> str:
        return (
            f"<Comparison: optimum {self.optimal.bracket} against {self.problem.gradient_descent}"
            " of gradient descent>"
        )

    def render(
        self, title: str = "", notes: Sequence[str] = (), detail: Detail = BRIEF
    ) -> Document:
        """Costs, probabilities per block, and what they mean in plain words."""
        return comparison_report.document(self, title, notes, detail)

    def records(self) -> list[dict[str, Any]]:
        """One row per block."""
        problem = self.problem
        columns = {choice.key: choice.probabilities for choice in self.choices if choice.key}
        return [
            {
                "block": problem.blocks.name(k),
                "size": size,
                "cost": float(problem.costs.float64[k]),
                "L_k": float(problem.block_L[k]),
                **{name: float(p[k]) for name, p in columns.items() if p is not None},
            }
            for k, size in enumerate(problem.blocks.sizes)
        ]

    def plot(self, ax: Axes | None = None, *, kind: str = "probabilities", title: str = "") -> Axes:
        """Draw on matplotlib axes, new ones by default, and return the axes.

        Parameters
        ----------
        kind : {"probabilities", "costs"}
            Probabilities per block, or the certified interval of the optimum beside every other
            cost.
        """
        return comparison_pictures.plot(self, kind, ax, title)

    @property
    def given(self) -> Bracket | None:
        """c(P) at the probabilities that the problem was given; None where those are the closed
        form's.
        """
        return None if self.problem.at_closed_form else self.problem.c_P

    @property
    def choices(self) -> list[Choice]:
        """The rows of the comparison."""
        problem = self.problem
        formula = "(sum sqrt(L_S c_S))^2 over pools S of blocks"
        if problem.plain:
            formula = "(sum sqrt(L_k c_k))^2"
        rows = [Choice("gradient descent", problem.gradient_descent, "p = 1")]
        if problem.overhead == 0:
            note = "any constant p: c(P) does not change with its scale"
            rows.append(Choice("uniform p", problem.gradient_descent, note))
        closed = problem.closed_form
        rows += [
            Choice("closed form, its bound", closed.bound, formula),
            Choice(
                "closed form, exact",
                problem.c_rounded,
                "c(P) at its probabilities",
                "closed form p",
                "closed form",
                closed.probabilities,
            ),
            _found("optimum of c(P)", "p for c(P)", "optimal", self.optimal),
        ]
        if self.nonconvex is not None:
            rows.append(_found("optimum of c_M, nested", "p for c_M", "nonconvex", self.nonconvex))
        if self.given is not None:
            p = problem.probabilities
            rows.append(Choice("p as given", self.given, "c(P) at them", "p as given", "given", p))
        if self.one_block_at_a_time is not None:
            overhead = "" if problem.overhead == 0 else "c_0 sum L_k + "
            note = f"another sampling, p_k = L_k / sum L_j: {overhead}sum c_k L_k"
            rows.append(Choice("c_M, one block at a time", self.one_block_at_a_time, note))
        return rows

    @property
    def one_block_at_a_time(self) -> Bracket | None:
        """c_M of drawing one block at a time with p_k = L_k / sum_j L_j: c_0 sum L_k + sum c_k L_k.

        E[CLC] is then block-diagonal, so L_M = sum L_k. None for a forced order, which is about
        nested sampling, and where an L_k is not known to be positive, since its block would never
        be drawn.
        """
        problem = self.problem
        if problem.order is not None or any(
            constant.exact_lower <= 0 for constant in problem.block_L
        ):
            return None
        return problem.one_block_cost + Bracket.sum(problem.block_L) * problem.overhead

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
        return certificate(self.problem, [(end, "PROVED") for end in ends], result)

    @property
    def speedup(self) -> Bracket:
        """The best possible speed-up of RPT over gradient descent by c(P), as a bracket."""
        return comparison_report.quotient(self.problem.gradient_descent, self.optimal.bracket)

    @property
    def helps(self) -> bool | None:
        """True if the optimum of c(P) is below gradient descent, False if they agree within a
        closed gap, else None.

        This is about c(P) alone: c_M may be smaller. It is proved only where neither side is
        NUMERICAL.
        """
        if self.optimal.upper < self.problem.gradient_descent.lower:
            return True
        return False if self.optimal.status == "optimal" else None

    @property
    def status(self) -> Status:
        """ "optimal" if every search reached its tolerance, else the status of the first that did
        not.
        """
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
            "nonconvex": None if self.nonconvex is None else self.nonconvex.to_dict(),
        }
        if self.one_block_at_a_time is not None:
            result["one_block_at_a_time"] = {"measure": "c_M", **_cost(self.one_block_at_a_time)}
        if self.left_out:
            result["left_out"] = self.left_out
        if self.given is not None:
            p = problem.probabilities.tolist()
            result["given"] = {**_cost(self.given), "probabilities": p}
        if problem.overhead > 0:
            result["overhead"] = float(problem.overhead)
        if problem.order is not None:
            result["order"] = list(problem.order.rank_to_block)
        return result


def _found(name: str, column: str, key: str, search: SearchResult) -> Choice:
    """The row of a search, whose bracket encloses the optimum in any case."""
    note = f"{search.method}, gap {decimal_ceiling(search.gap, 1)}, {search.products} products"
    note += f", {search.factorizations} factorizations"
    if search.status != "optimal":
        name += f" ({search.status})"
        column += " so far"
        note += f", {search.status}"
    if key == "nonconvex":
        note += ", order proved best" if search.order_proved else ", order not proved best"
        # An interrupted search without a point of its own returns gradient descent.
        if search.status == "interrupted" and (search.probabilities == 1).all():
            return Choice(name, search.bracket, note, search=search)
    return Choice(name, search.bracket, note, column, key, search.probabilities, search)


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
    objective: str = "auto",
    tol: float = 1e-6,
    time_limit: float | None = None,
    rng: np.random.Generator | int | None = None,
    progress: ProgressCallback = no_progress,
) -> Comparison:
    """Compare gradient descent, the closed form and the certified optimum.

    Parameters
    ----------
    L, blocks, costs, overhead, order, tol, rng
        As for `optimal_probabilities`.
    probabilities : sequence, optional
        Probabilities of your own, compared with the others.
    objective : {"auto", "c_P", "both"}
        Minimize c(P) alone, or also c_M, the latter over all orders of the blocks. "auto"
        searches for the least c_M where the best order can be proved. That search is left out in
        any case for d > 600, and for an L known through products only.
    time_limit : float, optional
        Seconds for all searches together. They then return the best bracket so far, as on Ctrl-C.
    progress : callable, optional
        Called with an `Event` when a search begins or ends, and as its `bracket` narrows. On
        Ctrl-C, or if it raises KeyboardInterrupt during a search, the best bracket so far is
        returned.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> result = compare([[9.0, 1.0], [1.0, 2.0]], [1, 1], objective="c_P")
    >>> result.helps, f"{result.speedup:.3f}"
    (True, '1.406')
    """
    if objective not in OBJECTIVES:
        raise InvalidInput(
            "is unknown", repr(objective), ", ".join(OBJECTIVES), argument="objective"
        )
    check_options(tol, time_limit=time_limit)
    if time_limit is not None:
        progress = _with_time_limit(time_limit, progress)
    problem = as_problem(
        L, blocks, costs, probabilities=probabilities, overhead=overhead, order=order
    )
    options: dict[str, Any] = {"tol": tol, "rng": rng, "progress": progress}
    progress(Event("optimum of c(P)"))
    optimal = optimal_probabilities(problem, **options)
    bracket = number(optimal.bracket)
    message = f"optimum of c(P): {bracket}, gap {optimal.gap:.1g}, {optimal.status}"
    progress(Event(message, milestone=True))
    if objective == "c_P":
        return Comparison(problem, optimal, None)
    left_out = _out_of_reach(problem, optimal, requested=objective == "both")
    if left_out:
        return Comparison(problem, optimal, None, left_out)
    progress(Event(f"optimum of c_M, over orders of {problem.blocks.count} blocks"))
    return Comparison(problem, optimal, optimal_probabilities(problem, objective="c_M", **options))


def _with_time_limit(seconds: float, progress: ProgressCallback) -> ProgressCallback:
    """Return a callback that ends a search after so many seconds."""
    end = time.perf_counter() + seconds

    def report(event: Event) -> None:
        if event.bracket is not None and time.perf_counter() > end:
            raise OutOfTime
        progress(event)

    return report


def _out_of_reach(problem: Problem, optimal: SearchResult, *, requested: bool) -> str:
    """Return the reason why the search over orders is left out; "" if it is not."""
    if optimal.status == "interrupted":
        return "the search before it was stopped"
    # It factors dense matrices many times: it is for moderate sizes with known entries.
    if problem.smoothness.explicit() is None:
        return "L is known through products only"
    if problem.blocks.dimension > _NONCONVEX_DIMENSION:
        return f"d = {problem.blocks.dimension} is above {_NONCONVEX_DIMENSION}"
    one_order = problem.order is not None or optimal.method == "formula"
    if not requested and problem.blocks.count > EXACT_BLOCKS and not one_order:
        return (
            f"no order of more than {EXACT_BLOCKS} blocks can be proved best; the objective 'both'"
            " searches for a good one"
        )
    return ""
