"""Worst cases over whole classes of functions, by the performance-estimation package PEPit: an
independent oracle.

The class is that of the theorems with L = L_P P, which is as large as L allows: f convex, L_P
P-smooth and mu-strongly convex. With h = f - mu |x|^2 / 2 and E = L_P P - mu I such functions are
the convex E-smooth ones, and values and gradients at finitely many points belong to one exactly
when h_i >= h_j + <q_j, x_i - x_j> + |q_i - q_j|^2_{E^-1} / 2 for every pair (Taylor, Hendrickx and
Glineur 2017, after the change of variables E^1/2 x). What comes out is the answer of a numerical
solver: evidence, and no proof. Everything is in units in which L_P = 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

from rpttheory import NestedSampling
from rpttheory.errors import InvalidInput, MissingExtra
from rpttheory.machine import install
from rpttheory.numbers.checks import check_probabilities

# The exact worst cases of the two settings below, ((gamma mu - 1)^2 + d - 1) / d at gamma = 2 / (mu
# + L), mu = 1/10.
EXAMPLES = {2: Fraction(101, 121), 3: Fraction(323, 363)}


def pepit(part: str = "") -> Any:
    """The package or a module of it, or an error that says which extra brings it."""
    try:
        return import_module(f"PEPit{part}")
    except ImportError:
        raise MissingExtra(
            "worst cases need the package PEPit", "it is not installed", install("pep")
        ) from None


def example(d: int) -> float:
    """PEPit's own example of randomized coordinate descent on d blocks: mu = 0.1, L = 1, gamma = 2
    / (mu + L).
    """
    return _coordinate_descent(d, 0.1, 2 / 1.1)


def uniform_coordinate(d: int, mu: float) -> float:
    """PEPit's example at gamma_PEPit = 1 and L = 1.

    One of d blocks is drawn and moves by gamma_PEPit times its gradient, while SkGD moves it by
    gamma / p = gamma d: so this is SkGD at gamma = 1/d = 1/L_P, with p_k = 1/d and L = I.
    """
    return _coordinate_descent(d, mu, 1.0)


def _coordinate_descent(d: int, mu: float, gamma: float) -> float:
    examples = pepit(".examples.stochastic_and_randomized_convex_minimization")
    worst = examples.wc_randomized_coordinate_descent_smooth_strongly_convex
    return float(worst(L=1, mu=mu, gamma=gamma, d=d, solver="SCS", verbose=-1)[0])


@dataclass(frozen=True)
class _Class:
    """The points of a performance-estimation problem over one class of functions."""

    problem: Any
    partition: Any
    weights: Sequence[float]
    mu: float
    known: list[tuple[Any, Any, Any]]

    def add(self, x: Any) -> tuple[Any, Any]:
        """The value and the gradient of f at a new point, tied to those at the points before."""
        module = pepit()
        h = module.Expression()
        q = module.Point()
        self._tie(x, h, q)
        return h + self.mu / 2 * x**2, q + self.mu * x

    def minimum(self) -> None:
        """The minimizer is 0, with value 0."""
        module = pepit()
        self.known.append((module.null_point, module.null_expression, module.null_point))

    def _tie(self, x: Any, h: Any, q: Any) -> None:
        for y, g, r in self.known:
            gap = self.squared(q - r)
            self.problem.add_constraint(h >= g + r * (x - y) + gap / 2)
            self.problem.add_constraint(g >= h + q * (y - x) + gap / 2)
        self.known.append((x, h, q))

    def squared(self, q: Any) -> Any:
        """|q|^2 in the norm of E^-1."""
        parts = enumerate(self.weights)
        return sum(self.partition.get_block(q, k) ** 2 / (p - self.mu) for k, p in parts)


def _class(p: Sequence[float], mu: float) -> _Class:
    weights = check_probabilities(p).float64.tolist()
    if not 0 <= mu < min(weights):
        raise InvalidInput(
            "must be at least 0 and below L_P p_min",
            f"mu = {mu}",
            f"p_min = {min(weights)}",
            argument="mu",
        )
    problem = pepit().PEP()
    found = _Class(problem, problem.declare_block_partition(d=len(weights)), weights, mu, [])
    found.minimum()
    return found


def worst_step(p: Sequence[float], mu: float) -> float:
    """The largest E|x_1 - x*|^2 / |x_0 - x*|^2 of a step at gamma = 1/L_P; it is the same for every
    sampling.

    By unbiasedness E|x_1|^2 = |x_0|^2 - 2 gamma <g, x_0> + gamma^2 |g|^2_{P^-1}.
    """
    functions = _class(p, mu)
    x = functions.problem.set_initial_point()
    functions.problem.set_initial_condition(x**2 <= 1)
    _, g = functions.add(x)
    blocks = [functions.partition.get_block(g, k) for k in range(len(functions.weights))]
    spread = sum(block**2 / q for block, q in zip(blocks, functions.weights, strict=True))
    functions.problem.set_performance_metric(x**2 - 2 * (g * x) + spread)
    return _solve(functions)


def worst_average(p: Sequence[float], steps: int, gamma: float = 1.0) -> float:
    """The largest E f(x_bar_T) - f* over |x_0 - x*|^2, of the nested sampling, for convex
    functions.
    """
    functions = _class(p, 0.0)
    x = functions.problem.set_initial_point()
    functions.problem.set_initial_condition(x**2 <= 1)
    outcomes = [o for o in NestedSampling(functions.weights).support() if o.probability > 0]
    value, gradient = functions.add(x)
    paths = [(1.0, x, x, value, gradient)]
    for _ in range(steps):
        following = []
        for weight, x, total, _, g in paths:
            for outcome in outcomes:
                moves = [k for k, active in enumerate(outcome.active.tolist()) if active]
                step = sum(
                    (functions.partition.get_block(g, k) / functions.weights[k] for k in moves),
                    0 * g,
                )
                y = x - gamma * step
                following.append(
                    (weight * float(outcome.probability), y, total + y, *functions.add(y))
                )
        paths = following
    if steps:
        paths = [
            (w, x, total, functions.add(total / (steps + 1))[0], g) for w, x, total, _, g in paths
        ]
    functions.problem.set_performance_metric(
        sum(weight * value for weight, _, _, value, _ in paths)
    )
    return _solve(functions)


def _solve(functions: _Class) -> float:
    # The interior-point solver that comes with cvxpy gives up on the degenerate ones.
    return float(functions.problem.solve(wrapper="cvxpy", solver="SCS", verbose=0))
