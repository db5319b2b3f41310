"""The inequalities that speak of functions: where they are attacked, and what attains them."""

from __future__ import annotations

from .expectations import (
    against_L_P,
    convex,
    convex_sharp,
    decide_generic,
    decide_sharp,
    exactly,
    generic_nonconvex,
    nonconvex,
    old_convex,
    one_step,
    sketched_gradient,
    start,
    strongly_convex,
    strongly_convex_sharp,
    weighted_gradient,
)
from .inequality import Inequality
from .problems import PARTITIONS, Problems, layouts
from .stepsize import FULL, GENERIC, HALF, MOMENT, QUARTER

# Ranges of mu.
_STRONG = (2.0**-6, 1.0)
_CONVEX = (0.0, 1.0)
_SEVERAL = tuple(sizes for sizes in PARTITIONS if len(sizes) > 1)
_SINGLETONS = tuple(sizes for sizes in _SEVERAL if max(sizes) == 1)
# Few enough sequences of sketches, and one block for what is tight in one dimension.
_SMALL = tuple(sizes for sizes in PARTITIONS if sum(sizes) <= 3)

FUNCTION_STATEMENTS = (
    Inequality(
        "lem:generalizedSmoothness",
        "",
        "|grad f(x)|_W^2 <= 2 A (f(x) - f*), W = P^-1 with one probability per coordinate",
        True,
        "a quadratic, at W^1/2 times the top eigenvector of W^1/2 L W^1/2",
        Problems(layouts(partitions=_SINGLETONS, tent=True), mu=_CONVEX, functions=True),
        lambda s: (weighted_gradient(s), 2 * s.L_P * start(s)[0]),
        against_L_P(weighted_gradient),
    ),
    Inequality(
        "lem:secondMoment",
        "",
        "E|C grad f(x)|^2 <= 2 L_P (f(x) - f*)",
        True,
        "a quadratic, at P^-1/2 times the top eigenvector of P^-1/2 L P^-1/2",
        Problems(layouts(partitions=_SEVERAL, tent=True), mu=_CONVEX, functions=True),
        lambda s: (sketched_gradient(s), 2 * s.L_P * start(s)[0]),
        against_L_P(sketched_gradient),
    ),
    Inequality(
        "thm:rcdStronglyConvex",
        "",
        "1 - (1 - gamma mu)^T <= 1 - E|x_T - x*|^2 / |x_0 - x*|^2",
        True,
        "L = mu I with equal probabilities at gamma = 1/L_P; for mu below L_P p_min our:stronglyConvexSharp is better",
        Problems(layouts(1, 2, 3, partitions=_SMALL), mu=_STRONG, functions=True, limit=FULL),
        strongly_convex,
        exactly(strongly_convex),
    ),
    Inequality(
        "our:stronglyConvexSharp",
        "",
        "2 s - theta <= 1 - E|x_1 - x*|^2 / |x_0 - x*|^2 at gamma = 1/L_P, s = mu / L_P",
        True,
        "a quadratic with mu I <= H <= L_P P, in a rotated frame where probabilities differ",
        Problems(layouts(1, partitions=_SEVERAL), mu=_STRONG, functions=True, limit=FULL, full=True),
        strongly_convex_sharp,
        decide_sharp,
    ),
    Inequality(
        "thm:rcdConvex",
        "",
        "E f(x_bar_T) - f* <= |x_0 - x*|^2 / (gamma (T + 1)), gamma <= 1/(2 L_P)",
        False,
        "our:convexSharp has half the right-hand side for the same stepsize; a Huber function tends to 1/2 with T",
        Problems(layouts(0, 1, 2, 3, partitions=_SMALL), mu=_CONVEX, functions=True, limit=HALF),
        convex,
        exactly(convex),
    ),
    Inequality(
        "our:convexSharp",
        "",
        "E f(x_bar_T) - f* <= |x_0 - x*|^2 / (2 gamma (T + 1)), gamma <= 1/L_P",
        True,
        "T = 0: a quadratic; T > 0: a Huber function of a coordinate that is always updated, threshold |x_0| / (T + 1)",
        Problems(layouts(0, 1, 2, 3, partitions=_SMALL), mu=_CONVEX, functions=True, limit=FULL),
        convex_sharp,
        exactly(convex_sharp),
    ),
    Inequality(
        "our:convexSharp",
        "several steps",
        "E f(x_bar_T) - f* <= |x_0 - x*|^2 / (2 gamma (T + 1)), gamma <= 1/L_P, T >= 1",
        True,
        "a Huber function of a coordinate that is always updated, threshold |x_0| / (T + 1)",
        Problems(layouts(1, 2, 3, partitions=_SMALL), mu=_CONVEX, functions=True, limit=FULL),
        convex_sharp,
        exactly(convex_sharp),
    ),
    Inequality(
        "thm:rcdNonconvex",
        "",
        "E min_{t <= T} |grad f(x_t)|^2 <= 2 (f(x_0) - f*) / (gamma (T + 1)), gamma <= 1/L_P",
        True,
        "T = 0: a quadratic along the top eigenvector of L, where p = 1",
        Problems(layouts(0, 1, 2, 3, partitions=_SMALL, tent=True), functions=True, limit=FULL),
        nonconvex,
        exactly(nonconvex),
    ),
    Inequality(
        "thm:rcdNonconvex",
        "with L_M",
        "E min_{t <= T} |grad f(x_t)|^2 <= 2 (f(x_0) - f*) / (gamma (T + 1)), gamma <= 1/L_M",
        True,
        "as with L_P",
        Problems(layouts(0, 1, 2, 3, partitions=_SMALL, tent=True), functions=True, limit=MOMENT),
        nonconvex,
        exactly(nonconvex),
    ),
    Inequality(
        "thm:rcdNonconvex",
        "one step",
        "gamma/2 |grad f(x_0)|^2 <= f(x_0) - E f(x_1), gamma <= 1/L_M",
        True,
        "a quadratic whose gradient is a top eigenvector of E[CLC], gamma = 1/L_M",
        Problems(layouts(1, partitions=_SEVERAL, tent=True), functions=True, limit=MOMENT),
        one_step,
        exactly(one_step),
    ),
    Inequality(
        "thm:non-convex",
        "",
        "min_{t < T} E|grad f(x_t)|^2 <= 2 (1 + L A gamma^2)^T (f(x_0) - f*) / (gamma T), A = L_P",
        False,
        "|grad f|^2 <= 2 L (f - f*) and (1 + L A gamma^2) / gamma >= 2 sqrt(L A) leave 1/2 at T = 1",
        Problems(layouts(1, 2, 3, partitions=_SMALL, tent=True), functions=True, limit=GENERIC),
        generic_nonconvex,
        decide_generic,
    ),
    Inequality(
        "thm:oldConvex",
        "",
        "E f(x_bar) - f* <= (2 gamma (f(x_0) - f*) + |x_0 - x*|^2) / (gamma T), gamma <= 1/(4 A), A = L_P",
        False,
        "our:convexSharp has less than half the right-hand side",
        Problems(layouts(1, 2, 3, 4, partitions=_SMALL), mu=_CONVEX, functions=True, limit=QUARTER),
        old_convex,
        exactly(old_convex),
    ),
)
