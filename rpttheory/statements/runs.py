"""Statements about functions and iterates: their two sides, for floats and for fractions.

Expectations are sums over all sequences of sketches. The strongly convex statements are written as
decrease promised <= decrease made, which is the same inequality: a step that hardly moves says
nothing about how sharp a rate is. The minimizer is 0 and the least value f* is 0.
"""

from functools import partial
from math import prod

import numpy as np

from ..numbers import Bracket
from .batch import Batch, ExactBatch
from .piecewise import Numbers
from .sharp_factor import theta, theta_bounds
from .table import ComputedStatement, Sides, StepLimit
from .walk import sketches, walk

# L_P >= lambda_max(L), because P <= I: so 1/(4 L_P) is the smaller of the two limits in
# thm:oldConvex.
FULL = StepLimit("1/L_P", lambda batch: batch.L_P)
LONGER = StepLimit("6/(5 L_P)", lambda batch: batch.L_P * 5 / 6)
LONG = StepLimit("3/(2 L_P)", lambda batch: batch.L_P * 2 / 3)
HALF = StepLimit("1/(2 L_P)", lambda batch: 2 * batch.L_P)
QUARTER = StepLimit("min(1/(4 A), 1/(2 L))", lambda batch: 4 * batch.L_P)
MOMENT = StepLimit("1/L_M", lambda batch: batch.L_M)
GENERIC = StepLimit("1/sqrt(L A T)", lambda batch: batch.lmax * batch.L_P * batch.steps, power=2)


def start_value(batch: Batch) -> Numbers:
    """Return f(x_0)."""
    return batch.function.value(batch.point[:, None, :])[:, 0]


def start_gradient(batch: Batch) -> Numbers:
    """Return the gradient at x_0."""
    return batch.function.gradient(batch.point[:, None, :])[:, 0]


def squared_distance(batch: Batch) -> Numbers:
    """Return |x_0|^2."""
    return np.asarray((batch.point * batch.point).sum(axis=1))


def _mean_square(batch: Batch, steps: int, noise: Numbers | None = None) -> Numbers:
    """Return E|x_T|^2."""
    *_, last = walk(batch, steps, noise)
    return last.mean((last.x * last.x).sum(axis=2))


def _last_value(batch: Batch) -> Numbers:
    """Return E f(x_T)."""
    *_, last = walk(batch, batch.steps)
    return last.mean(batch.function.value(last.x))


def _value_of_mean(batch: Batch, iterates: int, noise: Numbers | None = None) -> Numbers:
    """Return E f(x_bar) for the mean of x_0, ..., x_{iterates - 1}."""
    *_, last = walk(batch, iterates - 1, noise)
    return last.mean(batch.function.value(last.total / iterates))


def _gradient_squares(batch: Batch, steps: int, noise: Numbers | None = None) -> list[Numbers]:
    """Return E|grad f(x_t)|^2 for t = 0, ..., steps."""
    return [
        state.mean((state.gradient * state.gradient).sum(axis=2))
        for state in walk(batch, steps, noise)
    ]


def _mean(values: list[Numbers]) -> Numbers:
    return np.asarray(sum(values[1:], values[0]) / len(values))


def weighted_gradient(batch: Batch) -> Sides:
    gradient = start_gradient(batch)
    square = (gradient * gradient / batch.per_coordinate).sum(axis=1)
    return square, 2 * batch.L_P * start_value(batch)


def sketched_gradient(batch: Batch) -> Sides:
    gradient = start_gradient(batch)
    probabilities, diagonals = sketches(batch)
    squares = ((diagonals * gradient[:, None, :]) ** 2).sum(axis=2)
    return (probabilities * squares).sum(axis=1), 2 * batch.L_P * start_value(batch)


def strongly_convex(batch: Batch) -> Sides:
    square = squared_distance(batch)
    promised = 1 - (1 - batch.step * batch.function.mu) ** batch.steps
    return promised * square, square - _mean_square(batch, batch.steps)


def _one_step(batch: Batch, promised: Numbers) -> Sides:
    square = squared_distance(batch)
    return promised * square, square - _mean_square(batch, 1)


def _theta(batch: Batch, s: Numbers) -> Numbers:
    # A smaller stepsize is the largest one of the greater smoothness P / gamma.
    if isinstance(batch, ExactBatch):
        bounds = theta_bounds(s[0], batch.p.min(), batch.p.max())
        return np.array([Bracket(*bounds)], dtype=object)
    return theta(batch.p, s)


def strongly_convex_sharp(batch: Batch) -> Sides:
    s = batch.step * batch.function.mu
    return _one_step(batch, 2 * s - _theta(batch, s))


def strongly_convex_conjecture(batch: Batch) -> Sides:
    s = batch.step * batch.function.mu
    return _one_step(batch, 2 * s - s * s / batch.p.min(axis=1))


def strongly_convex_simple(batch: Batch) -> Sides:
    s = batch.step * batch.function.mu
    least = batch.p.min(axis=1)
    return _one_step(batch, 2 * s * least / (least + s))


def function_values(batch: Batch) -> Sides:
    gap = start_value(batch)
    promised = 1 - (1 - batch.step * batch.function.mu) ** batch.steps
    return promised * gap, gap - _last_value(batch)


def last_iterate(batch: Batch) -> Sides:
    return _last_value(batch), squared_distance(batch) / ((3 * batch.steps + 1) * batch.step)


def long_step(batch: Batch) -> Sides:
    return _last_value(batch), squared_distance(batch) * 9 / (50 * batch.step)


def like_descent(batch: Batch) -> Sides:
    # L_P appears once, so that its bracket widens nothing.
    return _last_value(batch), squared_distance(batch) / (
        2 / batch.L_P + 4 * batch.steps * batch.step
    )


def convex(batch: Batch) -> Sides:
    right = squared_distance(batch) / (batch.step * (batch.steps + 1))
    return _value_of_mean(batch, batch.steps + 1), right


def convex_sharp(batch: Batch) -> Sides:
    left, right = convex(batch)
    return left, right / 2


def convex_by_L_M(batch: Batch) -> Sides:
    last = _last_value(batch)
    decrease = start_value(batch) - last
    left = batch.steps * last - decrease / batch.p.min(axis=1)
    return left, squared_distance(batch) / (2 * batch.step)


def weighted_mean(batch: Batch) -> Sides:
    most = batch.p.max(axis=1)
    total_weight = batch.steps + 1 / most
    *_, last = walk(batch, batch.steps)
    total = last.total + (1 / most - 1)[:, None, None] * last.x
    left = last.mean(batch.function.value(total / total_weight[:, None, None]))
    return left, squared_distance(batch) / (2 * batch.step * total_weight)


def old_convex(batch: Batch) -> Sides:
    right = 2 * batch.step * start_value(batch) + squared_distance(batch)
    return _value_of_mean(batch, batch.steps), right / (batch.step * batch.steps)


def generic_convex(batch: Batch) -> Sides:
    right = 2 * squared_distance(batch) / (3 * batch.step * batch.steps)
    return _value_of_mean(batch, batch.steps), right


def _nonconvex_bound(batch: Batch) -> Numbers:
    return np.asarray(2 * start_value(batch) / (batch.step * (batch.steps + 1)))


def nonconvex(batch: Batch) -> Sides:
    *_, last = walk(batch, batch.steps)
    return last.mean(last.least), _nonconvex_bound(batch)


def random_iterate(batch: Batch) -> Sides:
    return _mean(_gradient_squares(batch, batch.steps)), _nonconvex_bound(batch)


def one_step(batch: Batch) -> Sides:
    gradient = start_gradient(batch)
    decrease = start_value(batch) - _last_value(batch)
    return batch.step / 2 * (gradient * gradient).sum(axis=1), decrease


def _noise(batch: Batch) -> Numbers:
    """Return noise that carries a step of gamma as far as the starting point is from 0."""
    return np.asarray(batch.point / batch.step[:, None])


def noisy_convex(batch: Batch, twice_m: int = 2) -> Sides:
    """m = 1 for gamma <= 1/L_P, and 1/2 for gamma <= 3/(2 L_P)."""
    noise = _noise(batch)
    left = _value_of_mean(batch, batch.steps + 1, noise)
    square = (noise * noise / batch.per_coordinate).sum(axis=1)
    bound = squared_distance(batch) / (batch.step * (batch.steps + 1))
    return left, (bound + batch.step * square) / twice_m


def noisy_strongly_convex(batch: Batch) -> Sides:
    noise = _noise(batch)
    step = batch.step
    mu = batch.function.mu
    square = (noise * noise / batch.per_coordinate).sum(axis=1)
    right = (1 - step * mu) ** batch.steps * squared_distance(batch) + step / mu * square
    return _mean_square(batch, batch.steps, noise), right


def noisy_nonconvex(batch: Batch) -> Sides:
    noise = _noise(batch)
    left = _mean(_gradient_squares(batch, batch.steps, noise))
    return left, _nonconvex_bound(batch) + (noise * noise).sum(axis=1)


def generic_nonconvex(batch: Batch) -> Sides:
    growth = _growth(batch)
    left = np.min(_gradient_squares(batch, batch.steps - 1), axis=0)
    right = 2 * start_value(batch) / (batch.step * batch.steps)
    return left, prod([growth] * batch.steps) * right


def generic_nonconvex_sharp(batch: Batch) -> Sides:
    """L A gamma / (1 - q^-T) is q^T / (gamma (1 + q + ... + q^(T-1))), and falls with 1/q."""
    inverse = 1 / _growth(batch)
    left = np.min(_gradient_squares(batch, batch.steps - 1), axis=0)
    powers = sum(prod([inverse] * t) for t in range(1, batch.steps + 1))
    return left, start_value(batch) / (batch.step * powers)


def _growth(batch: Batch) -> Numbers:
    """Return 1 + L A gamma^2."""
    return np.asarray(1 + batch.lmax * batch.L_P * batch.step**2)


# Statements about several steps are attacked on few blocks, because every sequence of sketches is
# enumerated; one block is for what is tight in one dimension.
_statement = partial(ComputedStatement, partitions=((1, 1), (1,), (2, 1), (1, 1, 1)))
_SINGLETONS = ((1, 1), (1, 1, 1), (1, 1, 1, 1))
_DESCENT = "E f(x_T) - f* <= L_P |x_0 - x*|^2 / (2 (1 + 2 T gamma L_P))"
_LEAST_GRADIENT = "E min_{t <= T} |grad f(x_t)|^2 <= 2 (f(x_0) - f*) / (gamma (T + 1)), gamma <= "

RUN_STATEMENTS: tuple[ComputedStatement, ...] = (
    ComputedStatement(
        "lem:generalizedSmoothness",
        "|grad f(x)|_W^2 <= 2 A (f(x) - f*), W = P^-1 with one probability per coordinate",
        weighted_gradient,
        "any",
        tight="a quadratic, at W^1/2 times the top eigenvector of W^1/2 L W^1/2",
        partitions=_SINGLETONS,
    ),
    ComputedStatement(
        "lem:secondMoment",
        "E|C grad f(x)|^2 <= 2 L_P (f(x) - f*)",
        sketched_gradient,
        "any",
        tight="a quadratic, at P^-1/2 times the top eigenvector of P^-1/2 L P^-1/2",
    ),
    _statement(
        "thm:rcdStronglyConvex",
        "1 - (1 - gamma mu)^T <= 1 - E|x_T - x*|^2 / |x_0 - x*|^2",
        strongly_convex,
        "strongly convex",
        FULL,
        (1, 2, 3),
        tight="L = mu I with equal probabilities at gamma = 1/L_P; for mu below L_P p_min"
        " our:stronglyConvexSharp is better",
    ),
    ComputedStatement(
        "our:stronglyConvexSharp",
        "2 s - theta <= 1 - E|x_1 - x*|^2 / |x_0 - x*|^2 at gamma = 1/L_P, s = mu / L_P",
        strongly_convex_sharp,
        "strongly convex",
        FULL,
        (1,),
        tight="a quadratic with mu I <= H <= L_P P, in a rotated frame where probabilities differ",
        largest_step=True,
    ),
    ComputedStatement(
        "our:stronglyConvexConjecture",
        "2 s - s^2 / p_min <= 1 - E|x_1 - x*|^2 / |x_0 - x*|^2 at gamma = 1/L_P, s = mu / L_P",
        strongly_convex_conjecture,
        "strongly convex",
        FULL,
        (1,),
        loose="it is false, and falls here: our:stronglyConvexWhen says where it holds",
        largest_step=True,
    ),
    ComputedStatement(
        "our:stronglyConvexSimple",
        "2 s p_min / (p_min + s) <= 1 - E|x_1 - x*|^2 / |x_0 - x*|^2, s = gamma mu, gamma <= 1/L_P",
        strongly_convex_simple,
        "strongly convex",
        FULL,
        (1,),
        tight="where s = p_min: L = mu I with equal probabilities at gamma = 1/L_P",
    ),
    _statement(
        "our:functionValues",
        "1 - (1 - gamma mu)^T <= 1 - E[f(x_T) - f*] / (f(x_0) - f*), gamma <= 1/L_M",
        function_values,
        "strongly convex",
        MOMENT,
        (1, 2, 3),
        tight="f = L x^2/2 on a line at gamma = 1/L_M",
    ),
    _statement(
        "our:lastIterate",
        "E f(x_T) - f* <= |x_0 - x*|^2 / ((3 T + 1) gamma), gamma <= 1/L_P, T >= 1",
        last_iterate,
        "convex",
        FULL,
        (1, 2, 3),
        loose="gradient descent has 4 T + 2 in place of 3 T + 1 at gamma = 1/L; RPT is hardly worse"
        " where anyone looked",
    ),
    _statement(
        "our:lastIterateOne",
        "E f(x_1) - f* <= L_P |x_0 - x*|^2 / (2 (1 + 2 gamma L_P)), gamma <= 1/L_P",
        like_descent,
        "convex",
        FULL,
        (1,),
        tight="a Huber function of a coordinate that is always updated, with the slope"
        " L_P |x_0| / (1 + 2 gamma L_P)",
    ),
    _statement(
        "our:lastIterateDescent",
        f"{_DESCENT}, gamma <= 1/L_P, T = 2, 3",
        like_descent,
        "convex",
        FULL,
        (2, 3),
        tight="a Huber function where p = 1; it is false by 4e-6, for a function that is not"
        " searched here (see the ledger)",
    ),
    _statement(
        "our:lastIterateShort",
        f"{_DESCENT}, gamma <= 1/(2 L_P), T = 2, 3",
        like_descent,
        "convex",
        HALF,
        (2, 3),
        tight="a Huber function where p = 1; whether it always holds is open",
    ),
    _statement(
        "our:lastIterateLong",
        "E f(x_1) - f* <= 9 |x_0 - x*|^2 / (50 gamma), gamma <= 6/(5 L_P)",
        long_step,
        "convex",
        LONGER,
        (1,),
        loose="performance estimation finds 0.985 of it; whether it always holds is open",
    ),
    _statement(
        "thm:rcdConvex",
        "E f(x_bar_T) - f* <= |x_0 - x*|^2 / (gamma (T + 1)), gamma <= 1/(2 L_P)",
        convex,
        "convex",
        HALF,
        (0, 1, 2, 3),
        loose="our:convexSharp has half the right-hand side for the same stepsize; a Huber function"
        " tends to 1/2 with T",
    ),
    *(
        _statement(
            "our:convexSharp",
            f"E f(x_bar_T) - f* <= |x_0 - x*|^2 / (2 gamma (T + 1)), gamma <= 1/L_P{condition}",
            convex_sharp,
            "convex",
            FULL,
            steps,
            tight=f"{quadratic}a Huber function of a coordinate that is always updated, threshold"
            " |x_0| / (T + 1)",
            part=part,
        )
        for part, condition, quadratic, steps in (
            ("", "", "T = 0: a quadratic; T > 0: ", (0, 1, 2, 3)),
            ("several steps", ", T >= 1", "", (1, 2, 3)),
        )
    ),
    _statement(
        "our:convexByLM",
        "T E[f(x_T) - f*] - (f(x_0) - E f(x_T)) / p_min <= |x_0 - x*|^2 / (2 gamma), gamma <="
        " 1/L_M",
        convex_by_L_M,
        "convex",
        MOMENT,
        (1, 2, 3),
        loose="gradient descent on a Huber function leaves 1/3 at T = 3; nothing worse was found",
    ),
    _statement(
        "our:weightedMean",
        "E f(x_bar) - f* <= |x_0 - x*|^2 / (2 gamma (T + 1/p_max)), x_T weighted 1/p_max, gamma <="
        " 1/L_P",
        weighted_mean,
        "convex",
        FULL,
        (0, 1, 2, 3),
        tight="T = 0: a quadratic with equal probabilities",
    ),
    *(
        _statement(
            "thm:rcdNonconvex",
            f"{_LEAST_GRADIENT}{limit.text}",
            nonconvex,
            "any",
            limit,
            (0, 1, 2, 3),
            tight="T = 0: a quadratic along the top eigenvector of L, where p = 1",
            part=part,
        )
        for part, limit in (("", FULL), ("with L_M", MOMENT))
    ),
    ComputedStatement(
        "thm:rcdNonconvex",
        "gamma/2 |grad f(x_0)|^2 <= f(x_0) - E f(x_1), gamma <= 1/L_M",
        one_step,
        "any",
        MOMENT,
        (1,),
        tight="a quadratic whose gradient is a top eigenvector of E[CLC], gamma = 1/L_M",
        part="one step",
    ),
    _statement(
        "our:nonconvexRandomIterate",
        "mean over t <= T of E|grad f(x_t)|^2 <= 2 (f(x_0) - f*) / (gamma (T + 1)), gamma <= 1/L_P",
        random_iterate,
        "any",
        FULL,
        (0, 1, 2, 3),
        tight="T = 0: a quadratic along the top eigenvector of L, where p = 1",
    ),
    *(
        _statement(
            "our:noisyConvex",
            "E f(x_bar_T) - f* <= (|x_0 - x*|^2 / (gamma (T + 1)) + gamma sum sigma_k^2 / p_k) /"
            f" {twice_m}, gamma <= {limit.text}, the noise of a step as long as x_0",
            partial(noisy_convex, twice_m=twice_m),
            "convex",
            limit,
            (0, 1, 2),
            loose="for T = 0 there is no noise yet, and then the mean averages some of it out",
            part=part,
        )
        for part, limit, twice_m in (("", FULL, 2), ("long steps", LONG, 1))
    ),
    _statement(
        "our:noisyStronglyConvex",
        "E|x_T - x*|^2 <= (1 - gamma mu)^T |x_0 - x*|^2 + gamma / mu sum sigma_k^2 / p_k, gamma ="
        " 1/L_P",
        noisy_strongly_convex,
        "strongly convex",
        FULL,
        (1, 2),
        tight="L = mu I with p = 1: the noise of the last step is left",
        largest_step=True,
    ),
    _statement(
        "our:noisyNonconvex",
        "mean over t <= T of E|grad f(x_t)|^2 <= 2 (f(x_0) - f*) / (gamma (T + 1)) + sum sigma_k^2,"
        " gamma <= 1/L_M",
        noisy_nonconvex,
        "any",
        MOMENT,
        (0, 1, 2),
        loose="(T + 1)/(T + 2) for f = L x^2/2 with p = 1, where every gradient is as large as the"
        " noise",
    ),
    _statement(
        "thm:non-convex",
        "min_{t < T} E|grad f(x_t)|^2 <= 2 (1 + L A gamma^2)^T (f(x_0) - f*) / (gamma T), A = L_P",
        generic_nonconvex,
        "any",
        GENERIC,
        (1, 2, 3),
        loose="|grad f|^2 <= 2 L (f - f*) and (1 + L A gamma^2) / gamma >= 2 sqrt(L A) leave 1/2"
        " at T = 1",
    ),
    _statement(
        "our:genericNonconvex",
        "min_{t < T} E|grad f(x_t)|^2 <= L A gamma (f(x_0) - f*) / (1 - (1 + L A gamma^2)^-T), A"
        " = L_P",
        generic_nonconvex_sharp,
        "any",
        GENERIC,
        (1, 2, 3),
        tight="T = 1: a quadratic along the top eigenvector of L with p = 1, gamma = 1/L",
    ),
    _statement(
        "our:genericConvex",
        "E f(x_bar) - f* <= 2 |x_0 - x*|^2 / (3 gamma T), gamma <= 1/(4 A), A = L_P",
        generic_convex,
        "convex",
        QUARTER,
        (1, 2, 3, 4),
        loose="our:convexSharp has three quarters of the right-hand side",
    ),
    _statement(
        "thm:oldConvex",
        "E f(x_bar) - f* <= (2 gamma (f(x_0) - f*) + |x_0 - x*|^2) / (gamma T), gamma <= 1/(4 A), A"
        " = L_P",
        old_convex,
        "convex",
        QUARTER,
        (1, 2, 3, 4),
        loose="our:convexSharp has less than half the right-hand side",
    ),
)
