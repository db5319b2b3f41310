"""L with blocks, costs and a sampling, and the quantities of the paper, each computed once."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from ..errors import InvalidInput
from ..numbers import Bracket, Rigor
from ..numbers.checks import check_probabilities
from ..numbers.exact_array import (
    ExactArray,
    FloatArray,
    Number,
    Numbers,
    exact_array,
    exact_number,
)
from ..report import BRIEF, Detail, Document, Report, heading
from . import problem_report
from .arguments import OrderLike, as_costs, as_order, as_probabilities
from .blocks import BlockOrder, Blocks, BlocksLike
from .closedform import ClosedForm, closed_form_from
from .eigen_brackets import (
    Effort,
    check_effort,
    clc,
    is_block_diagonal,
    lambda_max,
    lambda_max_of_blocks,
    lambda_max_of_clc,
    lambda_min,
)
from .sampling import Sampling, sampling_named
from .sampling.base import expected_cost
from .sampling.named import NAMED_SAMPLINGS, default_sampling, split_name
from .semidefinite import require_positive_semidefinite
from .smoothness import Smoothness, SmoothnessLike, arranged


class Problem(Report):
    """A smoothness matrix with blocks, costs and a sampling.

    Each quantity of the paper is a Bracket, computed on first use and cached. Two that are
    known to be equal, such as L_P and L_M for a block-diagonal L, are the same object, so that
    L_M <= L_P is PROVED.

    Parameters
    ----------
    L : array, sparse matrix, LinearOperator or Smoothness
    blocks : Blocks, sequence of int or str
        Sizes, ``"6x8"``, ``"each"``, or `Blocks.from_labels` for blocks that are not consecutive.
    costs : array or str, optional
        One positive number per block, used without scaling; or "size" (the default), block sizes
        divided by d; or "equal".
    sampling : Sampling or {"nested", "independent", "single", "tau-nice:TAU", "groups:TAU"}
        The last two update TAU blocks in every step: any TAU of them with equal probabilities, or
        one of each of TAU groups with about equal sums of L_k.
    probabilities : array, optional
        Marginals of a sampling given by name, the closed form by default (scaled to sum 1 for
        "single"). "tau-nice" and "groups" have their own.
    order : BlockOrder or sequence of int, optional
        A forced order, along which the probabilities must not increase.
    overhead : number
        Fixed cost of a step, c_0.
    effort : {"fast", "sharp", "exact"}
        How narrow the brackets are.

    Examples
    --------
    >>> problem = Problem([[4.0, 1.0], [1.0, 2.0]], [1, 1], probabilities=[1.0, 0.5])
    >>> print(f"{problem.L_P:.6f}", problem.cost)
    5.414214 0.75
    """

    def __init__(
        self,
        L: SmoothnessLike,
        blocks: BlocksLike,
        costs: Numbers | None = None,
        sampling: Sampling | str = "nested",
        probabilities: Numbers | None = None,
        order: OrderLike | None = None,
        overhead: Number = 0,
        *,
        effort: Effort = "fast",
    ) -> None:
        check_effort(effort)
        self.effort: Effort = effort
        self.smoothness: Smoothness
        self.blocks: Blocks
        self.arrangement: NDArray[np.intp] | None
        self.smoothness, self.blocks, self.arrangement = arranged(L, blocks)
        count = self.blocks.count
        self.costs: ExactArray = as_costs(costs, self.blocks)
        self.overhead: Fraction = exact_number(overhead, "overhead")
        if self.overhead < 0:
            raise InvalidInput(
                "must be a non-negative number",
                str(overhead),
                "for none",
                argument="overhead",
                suggest={"overhead": 0},
            )
        self.order: BlockOrder | None = None if order is None else as_order(order, count)
        self._sampling_or_name = sampling
        if isinstance(sampling, str):
            split_name(sampling)
            if probabilities is not None:
                self._sampling_or_name = sampling_named(
                    sampling, as_probabilities(probabilities, self.blocks)
                )
        elif probabilities is not None:
            raise InvalidInput(
                "probabilities and a sampling that has its own cannot both be given",
                f"probabilities and {type(sampling).__name__}",
                "one of the two",
            )
        elif not isinstance(sampling, Sampling):
            detail = f"{type(sampling).__name__}: {sampling!r}"[:80]
            raise InvalidInput(
                "must be a Sampling or its name",
                detail,
                ", ".join(NAMED_SAMPLINGS),
                argument="sampling",
            )
        else:
            check_probabilities(sampling.marginals, count)
        if self.order is not None and not isinstance(self._sampling_or_name, str):
            ranked = [
                self._sampling_or_name.marginals.fraction(block)
                for block in self.order.rank_to_block
            ]
            if any(after > before for before, after in pairwise(ranked)):
                detail = f"{[float(p) for p in ranked[:8]]} along it"
                raise InvalidInput(
                    "must not increase along the order",
                    detail,
                    "another order, or none",
                    argument="probabilities",
                )
        # Sharper brackets must not change the probabilities: they are those of this problem.
        self._origin: Problem | None = None

    def with_effort(self, effort: Effort) -> Problem:
        """Return the same problem with sharper brackets."""
        sharper = self._variant(self._sampling_or_name, self.order, effort)
        sharper._origin = self._origin or self
        return sharper

    def with_sampling(self, sampling: Sampling) -> Problem:
        """Return the problem with another sampling and without forced order."""
        result = self._variant(sampling, None, self.effort)
        # These do not depend on the sampling.
        shared = ("block_L", "lmax", "is_block_diagonal")
        vars(result).update({name: vars(self)[name] for name in shared if name in vars(self)})
        return result

    def with_order(self, order: OrderLike) -> Problem:
        """Return the same problem with a forced order."""
        return self._variant(self._sampling_or_name, order, self.effort)

    def _variant(
        self, sampling: Sampling | str, order: OrderLike | None, effort: Effort
    ) -> Problem:
        result = Problem(
            self.smoothness,
            self.blocks,
            self.costs,
            sampling,
            None,
            order,
            self.overhead,
            effort=effort,
        )
        result.arrangement = self.arrangement
        return result

    def __repr__(self) -> str:
        sampling = self._sampling_or_name
        name = sampling if isinstance(sampling, str) else sampling.name
        return (
            f"<Problem of d = {self.blocks.dimension} in B = {self.blocks.count} blocks, sampling"
            f" {name}>"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on L for reports: that it was symmetrized, if it was."""
        return self.smoothness.notes

    def render(
        self, title: str = "", notes: Sequence[str] = (), detail: Detail = BRIEF
    ) -> Document:
        """Return the quantities of the paper, and the blocks."""
        lines = heading(title, problem_report.head(self), (*self.notes, *notes))
        tables = problem_report.quantities(self, detail), "", problem_report.blocks(self, detail)
        return [*lines, "", *tables]

    def records(self) -> list[dict[str, Any]]:
        """Return one row per block."""
        columns = (
            self.blocks.sizes,
            self.costs.float64.tolist(),
            self.block_L,
            self.probabilities.tolist(),
        )
        return [
            {"block": self.blocks.name(k), "size": size, "cost": c, "L_k": float(L), "p": p}
            for k, (size, c, L, p) in enumerate(zip(*columns, strict=True))
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the problem and the quantities of the paper as JSON-safe values."""
        quantities: dict[str, Bracket] = {
            name: getattr(self, name) for name in ("lmax", "L_P", "L_M", "cost", "c_P", "closed")
        }
        return {
            "dimension": self.blocks.dimension,
            "blocks": list(self.blocks.sizes),
            "costs": self.costs.float64.tolist(),
            "probabilities": self.probabilities.tolist(),
            "notes": list(self.notes),
            "quantities": {
                name: {**bracket.to_dict(), "rigor": bracket.rigor.name}
                for name, bracket in quantities.items()
            },
        }

    @property
    def plain(self) -> bool:
        """True if there is neither an overhead nor a forced order."""
        return self.overhead == 0 and self.order is None

    @cached_property
    def sampling(self) -> Sampling:
        """The random set of blocks that a step updates."""
        if not isinstance(self._sampling_or_name, str):
            return self._sampling_or_name
        if self._origin is not None:
            return self._origin.sampling
        block_L = np.array([float(constant) for constant in self.block_L])
        return default_sampling(self._sampling_or_name, self.closed_form.probabilities, block_L)

    @property
    def probabilities(self) -> FloatArray:
        """p_k = Prob(block k is updated), as the nearest doubles."""
        return self.sampling.probabilities

    @cached_property
    def marginals(self) -> tuple[Bracket, ...]:
        """p_k exactly, also where they are no doubles."""
        return tuple(map(Bracket.of_fraction, self.sampling.marginals.fractions()))

    @cached_property
    def closed_form(self) -> ClosedForm:
        """The paper's probabilities, p_k proportional to sqrt(L_k / c_k), with their bound."""
        if self._origin is not None:
            return self._origin.closed_form
        return closed_form_from(self.block_L, self.costs, overhead=self.overhead, order=self.order)

    def require_semidefinite(self) -> None:
        """Raise if L has an eigenvalue below zero by more than rounding explains. Checked once."""
        _ = self._semidefinite

    @cached_property
    def _semidefinite(self) -> None:
        require_positive_semidefinite(self.smoothness)

    @cached_property
    def is_block_diagonal(self) -> bool:
        """True if every entry of L outside the diagonal blocks is zero."""
        return is_block_diagonal(self.smoothness, self.blocks)

    @cached_property
    def block_L(self) -> tuple[Bracket, ...]:
        """L_k."""
        if self.blocks.count == 1:
            return (lambda_max(self.smoothness, None, self.effort),)
        return lambda_max_of_blocks(self.smoothness, self.blocks, self.effort)

    @cached_property
    def lmax(self) -> Bracket:
        """lambda_max(L)."""
        if self.is_block_diagonal or self.blocks.count == 1:
            return Bracket.largest(self.block_L)
        return lambda_max(self.smoothness, None, self.effort)

    @cached_property
    def mu(self) -> Bracket:
        """lambda_min(L)."""
        return lambda_min(self.smoothness, self.effort)

    @cached_property
    def L_P(self) -> Bracket:
        """lambda_max(P^-1/2 L P^-1/2)."""
        return self.weighted(self.sampling.marginals)

    def weighted(self, p: ExactArray) -> Bracket:
        """Return L_P at other probabilities."""
        if (p.float64 == p.float64[0]).all() and len(set(p.fractions())) == 1:
            return self.lmax / p.fraction(0)
        if self.is_block_diagonal:
            return Bracket.largest(L / q for L, q in zip(self.block_L, p.fractions(), strict=True))
        return lambda_max(self.smoothness, p[self.blocks.labels], self.effort)

    @property
    def expected_clc(self) -> FloatArray | sp.sparray | LinearOperator:
        """E[CLC], in the form and with the coordinates of L."""
        moment = clc(self.smoothness, self.blocks, self.sampling)
        if self.arrangement is None:
            return moment
        places = np.argsort(self.arrangement)
        permutation = sp.eye_array(self.blocks.dimension, format="csr")[places]
        if isinstance(moment, LinearOperator):
            permutation = aslinearoperator(permutation)
        return permutation @ moment @ permutation.T

    @cached_property
    def L_M(self) -> Bracket:
        """lambda_max(E[CLC])."""
        certain = all(p == 1 for p in self.sampling.marginals.fractions())
        if self.is_block_diagonal or certain or self.blocks.count == 1:
            return self.L_P
        if self.sampling.max_blocks == 1:
            quotients = zip(self.block_L, self.sampling.marginals.fractions(), strict=True)
            return Bracket.largest(L / q for L, q in quotients)
        return lambda_max_of_clc(self.smoothness, self.blocks, self.sampling, self.effort)

    @cached_property
    def cost(self) -> Bracket:
        """c_0 + sum p_k c_k, the expected cost of a step."""
        return self.cost_at(self.sampling.marginals)

    def cost_at(self, p: ExactArray) -> Bracket:
        """Return the expected cost of a step at other probabilities."""
        return expected_cost(p, self.costs) + self.overhead

    @cached_property
    def total_cost(self) -> Bracket:
        """c_0 + sum c_k, the cost of a gradient descent step."""
        return Bracket.of_fraction(sum(self.costs.fractions(), self.overhead))

    @cached_property
    def gradient_descent(self) -> Bracket:
        """c(P) at p = 1."""
        return self.lmax * self.total_cost

    @cached_property
    def c_P(self) -> Bracket:
        """L_P times the expected cost of a step.

        The theorems' bound on the total expected cost of RPT is proportional to it.

        Paper: eq:complexity
        """
        return self.L_P * self.cost

    @cached_property
    def c_M(self) -> Bracket:
        """L_M times the expected cost of a step."""
        return self.L_M * self.cost

    @cached_property
    def optimum(self) -> Bracket:
        """The least c(P) over all probabilities: `rpttheory.optimum` with its default tolerance."""
        from ..search.optimal import optimum

        return optimum(self)

    @cached_property
    def closed(self) -> Bracket:
        """The upper bound (sum sqrt(L_k c_k))^2, generalized to an overhead and a forced order."""
        if self._origin is None:
            return self.closed_form.bound
        return closed_form_from(
            self.block_L, self.costs, overhead=self.overhead, order=self.order
        ).bound

    @cached_property
    def c_rounded(self) -> Bracket:
        """c(P) at the closed-form probabilities rounded to doubles."""
        p = ExactArray(self.closed_form.probabilities)
        return self.c_P if self.at_closed_form else self.weighted(p) * self.cost_at(p)

    @cached_property
    def c_closed(self) -> Bracket:
        """c(P) at the closed-form probabilities before rounding.

        The whole line with an overhead or a forced order, or where some L_k may be zero.

        If a p <= r <= b p for two choices p and r then c(r) <= (b/a) c(p), so that c(P) at the
        doubles bounds c(P) at irrational probabilities.
        """
        if not self.plain or any(L.exact_lower <= 0 for L in self.block_L):
            return Bracket.everything()
        roots = [(L / c).sqrt() for L, c in zip(self.block_L, self.costs.fractions(), strict=True)]
        exact = [root.exact for root in roots if root.exact is not None]
        if len(exact) == len(roots):
            p = exact_array([root / max(exact) for root in exact], "p")
            return self.weighted(p) * self.cost_at(p)
        doubles = self.closed_form.probabilities.tolist()
        quotients = [root / Fraction(q) for root, q in zip(roots, doubles, strict=True)]
        low = min(Fraction(quotient.exact_lower) for quotient in quotients)
        high = max(Fraction(quotient.exact_upper) for quotient in quotients)
        return self.c_rounded * Bracket(low / high, high / low, Rigor.EXACT)

    @cached_property
    def one_block_cost(self) -> Bracket:
        """sum c_k L_k; at most c(P).

        Without overhead this is the c_M of one block at a time with p_k proportional to L_k.
        """
        costs = self.costs.fractions()
        return Bracket.sum(L * c for L, c in zip(self.block_L, costs, strict=True))

    @property
    def at_closed_form(self) -> bool:
        """True if the probabilities are those of the closed form."""
        p = self.closed_form.probabilities
        return self.sampling.marginals.exact is None and np.array_equal(p, self.probabilities)


def as_problem(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Numbers | None = None,
    **more: Any,
) -> Problem:
    """Return a Problem as it is, or make one from L, blocks, costs and its options."""
    if isinstance(L, Problem):
        more = {"blocks": blocks, "costs": costs, **more}
        redundant = [name for name, value in more.items() if not _is_default(name, value)]
        if redundant:
            detail = ", ".join(redundant) + " beside a Problem"
            remedy = "Problem(L, blocks, ...)"
            raise InvalidInput(
                "a Problem has blocks, costs and a sampling of its own", detail, remedy
            )
        return L
    if blocks is None:
        raise InvalidInput(
            "must be given",
            "none",
            "sizes that add up to d, such as [1, 2], or 'each'",
            argument="blocks",
        )
    return Problem(L, blocks, costs, **more)


def _is_default(name: str, value: Any) -> bool:
    return (
        value is None
        or (name == "sampling" and value == "nested")
        or (name == "overhead" and value == 0)
    )
