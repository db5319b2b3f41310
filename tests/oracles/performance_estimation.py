"""Worst cases over whole classes of functions, by the performance-estimation package PEPit.

The class is that of the theorems with L = L_P P, which is as large as L allows: f convex, L_P
P-smooth and mu-strongly convex. With h = f - mu |x|^2 / 2 and E = L_P P - mu I such functions are
the convex E-smooth ones. Values and gradients at finitely many points belong to one exactly when
h_i >= h_j + <q_j, x_i - x_j> + |q_i - q_j|^2_{E^-1} / 2 for every pair (Taylor, Hendrickx and
Glineur 2017, after the change of variables E^1/2 x). The answers come from a numerical solver:
they are evidence, not proof. Everything is in units in which L_P = 1.
"""

from collections.abc import Sequence
from typing import Any

import PEPit
from PEPit.examples.stochastic_and_randomized_convex_minimization import (
    wc_randomized_coordinate_descent_smooth_strongly_convex as worst_coordinate_descent,
)

from rpttheory import NestedSampling


def coordinate_descent(d: int, mu: float, gamma: float) -> float:
    """Return the worst case of PEPit's own example with L = 1.

    One of d blocks is drawn and moves by gamma times its gradient. SkGD moves it by gamma / p =
    gamma d, so this is SkGD with p_k = 1/d, L = I and the stepsize gamma / d.
    """
    worst, _ = worst_coordinate_descent(L=1, mu=mu, gamma=gamma, d=d, solver="SCS", verbose=-1)
    return float(worst)


class FunctionClass:
    """A performance-estimation problem over the class, from |x_0|^2 <= 1, with the minimum 0 at
    x = 0.
    """

    def __init__(self, p: Sequence[float], mu: float) -> None:
        self.p = p
        self.mu = mu
        self.problem = PEPit.PEP()
        self.partition = self.problem.declare_block_partition(d=len(p))
        self.points = [(PEPit.null_point, PEPit.null_expression, PEPit.null_point)]
        self.x0 = self.problem.set_initial_point()
        self.problem.set_initial_condition(self.x0**2 <= 1)

    def evaluate(self, x: Any) -> tuple[Any, Any]:
        """Return the value and the gradient of f at a new point."""
        h = PEPit.Expression()
        q = PEPit.Point()
        for y, value, slope in self.points:
            gap = sum(
                self.partition.get_block(q - slope, k) ** 2 / (p - self.mu)
                for k, p in enumerate(self.p)
            )
            self.problem.add_constraint(h >= value + slope * (x - y) + gap / 2)
            self.problem.add_constraint(value >= h + q * (y - x) + gap / 2)
        self.points.append((x, h, q))
        return h + self.mu / 2 * x**2, q + self.mu * x

    def largest(self, metric: Any) -> float:
        """Return the largest value of a metric over the class."""
        self.problem.set_performance_metric(metric)
        # cvxpy's own interior-point solver gives up on the degenerate problems.
        return float(self.problem.solve(wrapper="cvxpy", solver="SCS", verbose=0))


def worst_step(p: Sequence[float], mu: float) -> float:
    """Return the largest E|x_1 - x*|^2 / |x_0 - x*|^2 of a step at gamma = 1/L_P.

    It is the same for every sampling: E|x_1|^2 = |x_0|^2 - 2 gamma <g, x_0> + gamma^2
    |g|^2_{P^-1}.
    """
    functions = FunctionClass(p, mu)
    x = functions.x0
    _, g = functions.evaluate(x)
    spread = sum(functions.partition.get_block(g, k) ** 2 / q for k, q in enumerate(p))
    return functions.largest(x**2 - 2 * (g * x) + spread)


def worst_average(p: Sequence[float], steps: int, gamma: float = 1.0) -> float:
    """Return the largest E f(x_bar_T) - f* over |x_0 - x*|^2, of nested sampling, for convex f."""
    functions = FunctionClass(p, 0.0)
    outcomes = [o for o in NestedSampling(p).support() if o.probability > 0]
    _, gradient = functions.evaluate(functions.x0)
    paths = [(1.0, functions.x0, functions.x0, gradient)]
    for _ in range(steps):
        following = []
        for weight, x, total, gradient in paths:
            for outcome in outcomes:
                active = [k for k, is_active in enumerate(outcome.active.tolist()) if is_active]
                move = sum(
                    (functions.partition.get_block(gradient, k) / p[k] for k in active),
                    PEPit.null_point,
                )
                y = x - gamma * move
                probability = weight * float(outcome.probability)
                following.append((probability, y, total + y, functions.evaluate(y)[1]))
        paths = following
    values = [weight * functions.evaluate(total / (steps + 1))[0] for weight, _, total, _ in paths]
    return functions.largest(sum(values))
