"""The numbers of the paper as functions that return a Bracket, named as in the claim language.

L may be an array, a scipy sparse matrix, a LinearOperator, a Smoothness or a `Problem`, which has
blocks, costs and a sampling of its own. If you need several of these numbers, make one Problem: it
computes each of them once. Costs are not normalized, and c(P) is proportional to them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..numbers import Bracket
from ..numbers.checks import check_costs, check_probabilities
from ..numbers.exact_array import FloatArray, Number, Numbers
from . import eigen_brackets
from .arguments import OrderLike
from .blocks import BlocksLike
from .closedform import ClosedForm
from .eigen_brackets import Effort
from .problem import Problem, as_problem
from .sampling import Sampling
from .sampling.base import expected_cost
from .smoothness import SmoothnessLike, as_smoothness

if TYPE_CHECKING:
    from scipy.sparse import sparray
    from scipy.sparse.linalg import LinearOperator


def lmax(L: SmoothnessLike | Problem, *, effort: Effort = "fast") -> Bracket:
    """Return the largest eigenvalue of L.

    Parameters
    ----------
    L : array, sparse matrix, LinearOperator, Smoothness or Problem
        Symmetric. A LinearOperator gives a NUMERICAL bracket, everything else a rigorous one.
    effort : {"fast", "sharp", "exact"}
        "fast": one Cholesky factorization, relative width about d^2 2^-53. "sharp": a residual
        bound, about d times narrower. "exact": rational arithmetic up to d = 60, neighboring
        floats or the exact fraction.

    Returns
    -------
    Bracket

    Examples
    --------
    >>> import numpy as np
    >>> print(lmax(np.ones((3, 3)), effort="exact"))
    3
    """
    if isinstance(L, Problem):
        return _with_effort(L, effort).lmax
    return eigen_brackets.lambda_max(as_smoothness(L), None, effort)


def block_L(
    L: SmoothnessLike | Problem, blocks: BlocksLike | None = None, *, effort: Effort = "fast"
) -> tuple[Bracket, ...]:
    """Return L_k, the largest eigenvalue of each diagonal block.

    Parameters
    ----------
    L, effort
        As for `lmax`.
    blocks : Blocks, sequence of int or str
        As for `Problem`.

    Returns
    -------
    tuple of Bracket
        One per block.

    Examples
    --------
    >>> print(*block_L([[4.0, 1.0], [1.0, 2.0]], "each"))
    4 2
    """
    return _with_effort(as_problem(L, blocks), effort).block_L


def L_P(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    probabilities: Numbers | None = None,
    *,
    effort: Effort = "fast",
) -> Bracket:
    """Return L_P = lambda_max(P^-1/2 L P^-1/2).

    Parameters
    ----------
    L, blocks, effort
        As for `block_L`.
    probabilities : array, optional
        One per block; those of the closed form by default.

    Returns
    -------
    Bracket

    Examples
    --------
    >>> print(f"{L_P([[4.0, 1.0], [1.0, 2.0]], [1, 1], [1.0, 0.5]):.6f}")
    5.414214
    """
    problem = _with_effort(as_problem(L, blocks), effort)
    if probabilities is None:
        return problem.L_P
    return problem.weighted(check_probabilities(probabilities, problem.blocks.count))


def L_M(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    probabilities: Numbers | None = None,
    *,
    sampling: Sampling | str = "nested",
    effort: Effort = "fast",
) -> Bracket:
    """Return L_M = lambda_max(E[CLC]), which is at most L_P.

    Paper: lem:key_quantity

    Parameters
    ----------
    L, blocks, probabilities, effort
        As for `L_P`.
    sampling : Sampling or {"nested", "independent", "single"}
        A `Sampling` has probabilities of its own.

    Returns
    -------
    Bracket

    Examples
    --------
    >>> print(L_M([[4.0, 1.0], [1.0, 2.0]], [1, 1], [1.0, 0.5], effort="exact"))
    5
    """
    problem = as_problem(L, blocks, sampling=sampling, probabilities=probabilities)
    return _with_effort(problem, effort).L_M


def expected_clc(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    probabilities: Numbers | None = None,
    *,
    sampling: Sampling | str = "nested",
) -> FloatArray | sparray | LinearOperator:
    """Return E[CLC]: block (k, l) of L times p_kl / (p_k p_l).

    Parameters
    ----------
    L, blocks, probabilities, sampling
        As for `L_M`.

    Returns
    -------
    ndarray, sparse array or LinearOperator
        In the form of L.

    Examples
    --------
    >>> expected_clc([[4.0, 1.0], [1.0, 2.0]], [1, 1], [1.0, 0.5])
    array([[4., 1.],
           [1., 4.]])
    """
    return as_problem(L, blocks, sampling=sampling, probabilities=probabilities).expected_clc


def cost(probabilities: Numbers, costs: Numbers) -> Bracket:
    """Return sum_k p_k c_k, the expected cost of a step, exactly.

    Parameters
    ----------
    probabilities, costs : array
        One number per block.

    Returns
    -------
    Bracket

    Examples
    --------
    >>> print(cost([1.0, 0.5], [1, 2]))
    2
    """
    p = check_probabilities(probabilities)
    return expected_cost(p, check_costs(costs, len(p)))


def c_P(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    probabilities: Numbers | None = None,
    costs: Numbers | None = None,
    *,
    overhead: Number = 0,
    effort: Effort = "fast",
) -> Bracket:
    """Return c(P) = L_P (c_0 + sum_k p_k c_k), to which the expected cost of RPT is proportional.

    Paper: eq:complexity

    Parameters
    ----------
    L, blocks, probabilities, effort
        As for `L_P`.
    costs, overhead
        As for `Problem`.

    Returns
    -------
    Bracket

    Examples
    --------
    >>> print(f"{c_P([[4.0, 1.0], [1.0, 2.0]], [1, 1], [1.0, 0.5]):.6f}")
    4.060660
    """
    problem = _with_effort(as_problem(L, blocks, costs, overhead=overhead), effort)
    if probabilities is None:
        return problem.c_P
    p = check_probabilities(probabilities, problem.blocks.count)
    return problem.weighted(p) * problem.cost_at(p)


def c_M(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    probabilities: Numbers | None = None,
    costs: Numbers | None = None,
    *,
    sampling: Sampling | str = "nested",
    overhead: Number = 0,
    effort: Effort = "fast",
) -> Bracket:
    """Return c_M = L_M (c_0 + sum_k p_k c_k), which may replace c(P) in the nonconvex regime.

    Parameters
    ----------
    L, blocks, probabilities, sampling, effort
        As for `L_M`.
    costs, overhead
        As for `Problem`.

    Returns
    -------
    Bracket

    Examples
    --------
    >>> print(c_M([[4.0, 1.0], [1.0, 2.0]], [1, 1], [1.0, 0.5], effort="exact"))
    3.75
    """
    problem = as_problem(
        L, blocks, costs, sampling=sampling, probabilities=probabilities, overhead=overhead
    )
    return _with_effort(problem, effort).c_M


def closed_form(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Numbers | None = None,
    *,
    overhead: Number = 0,
    order: OrderLike | None = None,
) -> ClosedForm:
    """Return the paper's probabilities, and the upper bound on the optimum that they attain.

    They minimize sum(L_k / p_k) (c_0 + sum(p_k c_k)). Without c_0 and a forced order, p_k is
    proportional to sqrt(L_k / c_k); otherwise neighboring blocks whose ratios L_k / c_k are out of
    order are pooled.

    Paper: lem:upperBound (lower, tight)

    Parameters
    ----------
    L, blocks, costs, overhead, order
        As for `Problem`.

    Returns
    -------
    ClosedForm
        Its probabilities are rounded to floats, and to 1e-150 from below, also where L_k = 0.

    Examples
    --------
    >>> import numpy as np
    >>> closed_form(np.diag([9.0, 4.0, 1.0]), "each").order.rank_to_block
    (0, 1, 2)
    """
    return as_problem(L, blocks, costs, overhead=overhead, order=order).closed_form


def _with_effort(problem: Problem, effort: Effort) -> Problem:
    return problem if problem.effort == effort else problem.with_effort(effort)
