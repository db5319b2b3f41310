"""The numbers of the paper as functions, each giving a Bracket: lambda_max, L_P, E[CLC], L_M, L_k,
c(P), c_M.

L may be an ndarray, a scipy sparse matrix, a LinearOperator or a Smoothness, and a `Problem` may
stand in for all of it; whoever wants several of these numbers takes them from one Problem, which
computes each once. Costs are taken as they are: c(P) is proportional to them, so normalizing is the
caller's choice.
"""

from __future__ import annotations

from typing import Any

from ..numbers import Bracket
from ..numbers.checks import check_costs, check_probabilities
from . import spectral
from .blocks import BlocksLike
from .closedform import ClosedForm
from .problem import Problem, as_problem
from .sampling import Sampling, marginals
from .smoothness import SmoothnessLike, as_smoothness
from .spectral import Effort


def lambda_max(L: SmoothnessLike | Problem, *, effort: Effort = "fast") -> Bracket:
    """The largest eigenvalue of L.

    Parameters
    ----------
    L : array, sparse matrix, LinearOperator, Smoothness or Problem
        Symmetric. A LinearOperator gives a NUMERICAL bracket, everything explicit a rigorous one.
    effort : {"fast", "sharp", "exact"}
        "fast": one Cholesky factorization, relative width about d^2 2^-53. "sharp": a residual
        bound, about d times narrower. "exact": rational arithmetic up to d = 60, neighboring
        floats or the exact fraction.

    Examples
    --------
    >>> import numpy as np
    >>> print(lambda_max(np.ones((3, 3)), effort="exact"))
    3
    """
    if isinstance(L, Problem):
        return _at(L, effort).lmax
    return spectral.top(as_smoothness(L), None, effort)


def block_smoothness(
    L: SmoothnessLike | Problem, blocks: BlocksLike | None = None, *, effort: Effort = "fast"
) -> tuple[Bracket, ...]:
    """L_k, the largest eigenvalue of each diagonal block.

    Examples
    --------
    >>> print(*block_smoothness([[4.0, 1.0], [1.0, 2.0]], "each"))
    4 2
    """
    return _at(as_problem(L, blocks), effort).block_L


def weighted_smoothness(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    *,
    probabilities: Any = None,
    effort: Effort = "fast",
) -> Bracket:
    """L_P = lambda_max(P^-1/2 L P^-1/2) for probabilities per block, the closed form by default.

    Examples
    --------
    >>> L = [[4.0, 1.0], [1.0, 2.0]]
    >>> print(f"{weighted_smoothness(L, [1, 1], probabilities=[1.0, 0.5]):.6f}")
    5.414214
    """
    problem = _at(as_problem(L, blocks), effort)
    if probabilities is None:
        return problem.L_P
    return problem.weighted(check_probabilities(probabilities, problem.blocks.count))


def second_moment_smoothness(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    *,
    sampling: Sampling | str = "nested",
    probabilities: Any = None,
    effort: Effort = "fast",
) -> Bracket:
    """L_M = lambda_max(E[CLC]) for any sampling.

    Examples
    --------
    >>> L = [[4.0, 1.0], [1.0, 2.0]]
    >>> print(second_moment_smoothness(L, [1, 1], probabilities=[1.0, 0.5], effort="exact"))
    5
    """
    return _at(as_problem(L, blocks, sampling=sampling, probabilities=probabilities), effort).L_M


def expected_clc(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    *,
    sampling: Sampling | str = "nested",
    probabilities: Any = None,
) -> Any:
    """E[CLC]: block (k, l) of L times p_kl / (p_k p_l), in the form in which L was given.

    Examples
    --------
    >>> expected_clc([[4.0, 1.0], [1.0, 2.0]], [1, 1], probabilities=[1.0, 0.5])
    array([[4., 1.],
           [1., 4.]])
    """
    problem = as_problem(L, blocks, sampling=sampling, probabilities=probabilities)
    return spectral.clc(problem.smoothness, problem.blocks, problem.sampling)


def expected_cost(probabilities: Any, costs: Any) -> Bracket:
    """sum_k p_k c_k, the expected cost of a step, which depends on the marginals alone.

    Examples
    --------
    >>> print(expected_cost([1.0, 0.5], [1, 2]))
    2
    """
    p = check_probabilities(probabilities)
    return marginals.expected_cost(p, check_costs(costs, len(p)))


def complexity(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Any = None,
    *,
    probabilities: Any = None,
    overhead: Any = 0,
    effort: Effort = "fast",
) -> Bracket:
    """c(P) = L_P sum_k p_k c_k, to which the expected cost of RPT is proportional.

    Paper: eq:complexity

    Examples
    --------
    >>> print(f"{complexity([[4.0, 1.0], [1.0, 2.0]], [1, 1], probabilities=[1.0, 0.5]):.6f}")
    4.060660
    """
    problem = _at(as_problem(L, blocks, costs, overhead=overhead), effort)
    if probabilities is None:
        return problem.c_P
    p = check_probabilities(probabilities, problem.blocks.count)
    return problem.weighted(p) * problem.cost_at(p)


def second_moment_complexity(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Any = None,
    *,
    sampling: Sampling | str = "nested",
    probabilities: Any = None,
    overhead: Any = 0,
    effort: Effort = "fast",
) -> Bracket:
    """c_M = L_M sum_k p_k c_k, which may replace c(P) in the nonconvex regime.

    Examples
    --------
    >>> L = [[4.0, 1.0], [1.0, 2.0]]
    >>> print(second_moment_complexity(L, [1, 1], probabilities=[1.0, 0.5], effort="exact"))
    3.75
    """
    made = as_problem(
        L, blocks, costs, sampling=sampling, probabilities=probabilities, overhead=overhead
    )
    return _at(made, effort).c_M


def closed_form(
    L: SmoothnessLike | Problem,
    blocks: BlocksLike | None = None,
    costs: Any = None,
    *,
    overhead: Any = 0,
    order: Any = None,
) -> ClosedForm:
    """The paper's probabilities, which minimize the upper bound sum(L_k / p_k) (c_0 + sum(p_k
    c_k)), and its value.

    Probabilities are floats, rounded; those below 1e-150 (blocks with L_k = 0 among them) are
    raised to 1e-150. With an overhead c_0, or a forced order, neighboring blocks whose ratios L_k
    / c_k are out of order are pooled.

    Paper: lem:upperBound (lower, tight)

    Examples
    --------
    >>> import numpy as np
    >>> found = closed_form(np.diag([9.0, 4.0, 1.0]), "each")
    >>> found.order.rank_to_block
    (0, 1, 2)
    """
    return as_problem(L, blocks, costs, overhead=overhead, order=order).closed_form


def _at(problem: Problem, effort: Effort) -> Problem:
    return problem if problem.effort == effort else problem.with_effort(effort)
