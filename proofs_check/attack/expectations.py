"""The two sides of the statements about functions, in floats or in fractions, and their decisions.

Expectations are sums over all sequences of sketches. The strongly convex statements are written as
decrease promised <= decrease made, which is the same inequality: a step that hardly moves says
nothing about how sharp a rate is.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from rpttheory import Bracket, Verdict
from rpttheory.eigen.exact import definiteness

from .case import Case
from .ridge import Numbers
from .sharp import theta, theta_bounds
from .stack import Stack
from .stepsize import lmax_times_L_P
from .walk import sketches, walk

Sides = tuple[Numbers, Numbers]


def exactly(sides: Callable[[Stack], Sides]) -> Callable[[Case], Verdict]:
    """A decision on sides that are fractions."""

    def decide(case: Case) -> Verdict:
        left, right = sides(case.exact)
        return Verdict.PROVED if left[0] <= right[0] else Verdict.REFUTED

    return decide


def start(stack: Stack) -> tuple[Numbers, Numbers, Numbers]:
    """f(x_0), the gradient there and |x_0|^2."""
    x = stack.point[:, None, :]
    return (
        stack.function.value(x)[:, 0],
        stack.function.gradient(x)[:, 0],
        (stack.point * stack.point).sum(axis=1),
    )


def _value_of_mean(stack: Stack, iterates: int, noise: Numbers | None = None) -> Numbers:
    """E f(x_bar) for the mean of x_0, ..., x_{iterates - 1}."""
    *_, last = walk(stack, iterates - 1, noise)
    return last.mean(stack.function.value(last.total / iterates))


def weighted_gradient(stack: Stack) -> Numbers:
    """|g|^2 in the norm of P^-1."""
    _, g, _ = start(stack)
    return np.asarray((g * g / stack.per_coordinate).sum(axis=1))


def sketched_gradient(stack: Stack) -> Numbers:
    """E|Cg|^2, outcome by outcome."""
    _, g, _ = start(stack)
    probabilities, diagonals = sketches(stack)
    return np.asarray((probabilities * ((diagonals * g[:, None, :]) ** 2).sum(axis=2)).sum(axis=1))


def against_L_P(left: Callable[[Stack], Numbers]) -> Callable[[Case], Verdict]:
    """A decision of left <= 2 L_P f(x), which fails exactly when t P - L is definite at t = left /
    (2 f(x)).
    """

    def decide(case: Case) -> Verdict:
        value = Fraction(left(case.exact)[0])
        (gap, _, _) = start(case.exact)
        if gap[0] == 0:
            return Verdict.PROVED if value == 0 else Verdict.REFUTED
        return _fails_where_definite(case, value / (2 * Fraction(gap[0])))

    return decide


def _fails_where_definite(case: Case, t: Fraction) -> Verdict:
    """Whether t <= L_P: not where t P - L is positive definite."""
    found = definiteness((np.diag(case.exact.per_coordinate[0] * t) - case.exact.L[0]).tolist())
    if found is None:
        return Verdict.UNDECIDED
    return Verdict.REFUTED if found == 1 else Verdict.PROVED


def strongly_convex(stack: Stack) -> Sides:
    *_, last = walk(stack, stack.steps)
    _, _, square = start(stack)
    promised = 1 - (1 - stack.step * stack.function.mu) ** stack.steps
    return promised * square, square - last.mean((last.x * last.x).sum(axis=2))


def _decrease(stack: Stack) -> tuple[Numbers, Numbers]:
    """|x_0|^2, and how much one step takes off it on average."""
    *_, last = walk(stack, 1)
    _, _, square = start(stack)
    return square, square - last.mean((last.x * last.x).sum(axis=2))


def strongly_convex_sharp(stack: Stack) -> Sides:
    square, made = _decrease(stack)
    s = stack.step * stack.function.mu
    return (2 * s - theta(stack.p, s)) * square, made


def decide_sharp(case: Case) -> Verdict:
    square, made = (Fraction(value[0]) for value in _decrease(case.exact))
    # A smaller stepsize is the largest one of the greater smoothness P / gamma.
    s = Fraction(case.stepsize or 0.0) * Fraction(case.mu)
    least, most = theta_bounds(case.exact.p[0].tolist(), s)
    if (2 * s - least) * square <= made:
        return Verdict.PROVED
    return Verdict.REFUTED if (2 * s - most) * square > made else Verdict.UNDECIDED


def strongly_convex_conjecture(stack: Stack) -> Sides:
    square, made = _decrease(stack)
    s = stack.step * stack.function.mu
    return (2 * s - s * s / stack.p.min(axis=1)) * square, made


def strongly_convex_simple(stack: Stack) -> Sides:
    square, made = _decrease(stack)
    s = stack.step * stack.function.mu
    least = stack.p.min(axis=1)
    return 2 * s * least / (least + s) * square, made


def _last_value(stack: Stack) -> Numbers:
    """E f(x_T)."""
    *_, last = walk(stack, stack.steps)
    return last.mean(stack.function.value(last.x))


def function_values(stack: Stack) -> Sides:
    gap = start(stack)[0]
    return (1 - (1 - stack.step * stack.function.mu) ** stack.steps) * gap, gap - _last_value(stack)


def last_iterate(stack: Stack) -> Sides:
    return _last_value(stack), start(stack)[2] / ((3 * stack.steps + 1) * stack.step)


def like_descent(stack: Stack) -> Sides:
    T = stack.steps
    step = stack.step
    return _last_value(stack), stack.L_P * start(stack)[2] / (2 * (1 + 2 * T * step * stack.L_P))


def decide_like_descent(case: Case, factor: Fraction = Fraction(1)) -> Verdict:
    """The bound grows with L_P: it fails exactly where t P - L is definite at the t that makes it
    an equality.
    """
    exact = case.exact
    step = Fraction(case.stepsize or 0.0)
    value = Fraction(_last_value(exact)[0])
    bound = factor * Fraction(start(exact)[2][0])
    room = bound - 4 * case.steps * step * value
    if value == 0 or room <= 0:
        return Verdict.PROVED if value == 0 else Verdict.REFUTED
    return _fails_where_definite(case, 2 * value / room)


def convex(stack: Stack) -> Sides:
    T = stack.steps
    return _value_of_mean(stack, T + 1), start(stack)[2] / (stack.step * (T + 1))


def convex_sharp(stack: Stack) -> Sides:
    left, right = convex(stack)
    return left, right / 2


def old_convex(stack: Stack) -> Sides:
    gap, _, square = start(stack)
    step = stack.step
    T = stack.steps
    return _value_of_mean(stack, T), (2 * step * gap + square) / (step * T)


def generic_convex(stack: Stack) -> Sides:
    step = stack.step
    T = stack.steps
    return _value_of_mean(stack, T), 2 * start(stack)[2] / (3 * step * T)


def nonconvex(stack: Stack) -> Sides:
    *_, last = walk(stack, stack.steps)
    return last.mean(last.least), 2 * start(stack)[0] / (stack.step * (stack.steps + 1))


def _mean_gradient(stack: Stack, noise: Numbers | None = None) -> Numbers:
    """The mean over t <= T of E|grad f(x_t)|^2."""
    gradients = [
        m.mean((m.gradient * m.gradient).sum(axis=2)) for m in walk(stack, stack.steps, noise)
    ]
    return np.asarray(sum(gradients[1:], gradients[0]) / len(gradients))


def random_iterate(stack: Stack) -> Sides:
    return _mean_gradient(stack), nonconvex(stack)[1]


def one_step(stack: Stack) -> Sides:
    gap, g, _ = start(stack)
    return stack.step / 2 * (g * g).sum(axis=1), gap - _last_value(stack)


def _noise(stack: Stack) -> tuple[Numbers, Numbers, Numbers]:
    """Noise that carries a step of gamma as far as the starting point is from 0, its squares in
    P^-1 and in I.
    """
    noise = stack.point / stack.step[:, None]
    squares = noise * noise
    return noise, (squares / stack.per_coordinate).sum(axis=1), squares.sum(axis=1)


def noisy_convex(stack: Stack, twice_m: int = 2) -> Sides:
    """m = 1 for gamma <= 1/L_P, and 1/2 for gamma <= 3/(2 L_P)."""
    noise, square, _ = _noise(stack)
    left = _value_of_mean(stack, stack.steps + 1, noise)
    right = convex(stack)[1] + stack.step * square
    return left, right / twice_m


def noisy_strongly_convex(stack: Stack) -> Sides:
    noise, square, _ = _noise(stack)
    *_, last = walk(stack, stack.steps, noise)
    step = stack.step
    mu = stack.function.mu
    right = (1 - step * mu) ** stack.steps * start(stack)[2] + step / mu * square
    return last.mean((last.x * last.x).sum(axis=2)), right


def noisy_nonconvex(stack: Stack) -> Sides:
    noise, _, square = _noise(stack)
    return _mean_gradient(stack, noise), nonconvex(stack)[1] + square


def _least_mean(stack: Stack) -> Numbers:
    """min over t < T of E|grad f(x_t)|^2."""
    moments = list(walk(stack, stack.steps - 1))
    return np.asarray(
        np.min([m.mean((m.gradient * m.gradient).sum(axis=2)) for m in moments], axis=0)
    )


def generic_nonconvex(stack: Stack) -> Sides:
    step = stack.step
    T = stack.steps
    growth = (1 + stack.lmax * stack.L_P * step**2) ** T
    return _least_mean(stack), 2 * growth * start(stack)[0] / (step * T)


def generic_nonconvex_sharp(stack: Stack) -> Sides:
    """L A gamma / (1 - q^-T) is q^T / (gamma (1 + q + ... + q^(T-1)))."""
    step = stack.step
    q = 1 + stack.lmax * stack.L_P * stack.step**2
    return _least_mean(stack), q**stack.steps * start(stack)[0] / (
        step * sum(q**t for t in range(stack.steps))
    )


def decide_generic(case: Case, *, sharp: bool = False, factor: Fraction = Fraction(1)) -> Verdict:
    step = Fraction(case.stepsize or 0.0)
    T = case.steps
    q = 1 + lmax_times_L_P(case) * step**2
    powers = [Bracket.of_fraction(Fraction(1))]
    for _ in range(T):
        powers.append(powers[-1] * q)
    terms = sum(powers[1:T], powers[0]) if sharp else Bracket.of_fraction(Fraction(T, 2))
    left = Bracket.of_fraction(step * Fraction(_least_mean(case.exact)[0])) * terms
    return left <= powers[T] * (factor * Fraction(start(case.exact)[0][0]))
